#!/bin/sh
# Runs probity with every report that its command can write. Its exit code is an output of the step, so that annotations and
# uploads come before the job is judged.
set -eu
reports=${PROBITY_REPORTS:-probity-reports}
mkdir -p "$reports"
eval "set -- $PROBITY_ARGS"

command=$1
shift
case $command in
coverage)
    command="coverage $1"
    shift
    ;;
esac

# Flags come first: what follows `--` belongs to a server.
case $command in
openapi | "coverage measure")
    set -- --sarif "$reports/findings.sarif.json" --coverage-html "$reports/coverage.html" "$@"
    ;;
"coverage merge")
    set -- --coverage-html "$reports/coverage.html" "$@"
    ;;
mcp)
    set -- --json "$reports/mcp.json" --html "$reports/mcp.html" --replay-dir "$reports/replays" "$@"
    ;;
esac
case $command in
generate | openapi | coverage* | mcp | replay)
    set -- --junit "$reports/junit.xml" ${GITHUB_STEP_SUMMARY:+--summary "$GITHUB_STEP_SUMMARY"} "$@"
    ;;
esac

code=0
# The command may be two words.
# shellcheck disable=SC2086
probity $command "$@" || code=$?
echo "code=$code" >> "${GITHUB_OUTPUT:-/dev/null}"
