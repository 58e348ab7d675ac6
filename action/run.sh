#!/bin/sh
# Runs probity with every report that its command can write, unless `args` says where it goes or rules it out. The exit code is an
# output of this step, so that annotations and uploads come before the job is judged.
#
# Variables begin with `_`, so that none of the workflow is changed for the server.
set -eu

# Sets an output of this step.
tell() {
    printf '%s=%s\n' "$1" "$2" >> "${GITHUB_OUTPUT:-/dev/null}"
}

# What tells whether the run wrote a file. Only files are looked at, since reading a pipe would take from it.
state() {
    if [ -f "$1" ]; then
        ls -iL -- "$1"
        cksum < "$1"
    fi
}

# Takes the folder for reports, or the next one like it, so that no use of the action meets the reports of another.
take_folder() {
    _named=${PROBITY_REPORTS:-probity-reports}
    _named=${_named%/}
    _reports=$_named
    _n=1
    while has_reports "$_reports"; do
        _n=$((_n + 1))
        _reports=$_named-$_n
    done
    [ "$_n" = 1 ] || echo "note: $_named holds reports already; those of this run are in $_reports" >&2
    mkdir -p -- "$_reports"
}

has_reports() {
    for _report in junit.xml findings.sarif.json coverage.html mcp.json mcp.html replays; do
        if [ -e "$1/$_report" ]; then return 0; fi
    done
    return 1
}

# Takes the name of the artifact, or the next one like it: no two artifacts of a job may share one.
take_name() {
    _named=${PROBITY_NAME:-probity}
    _artifact=$_named
    _n=1
    while [ -e "$_temp/probity-artifacts/$_artifact" ]; do
        _n=$((_n + 1))
        _artifact=$_named-$_n
    done
    mkdir -p -- "$_temp/probity-artifacts/$_artifact"
}

# Notes which flags were given, and the values of those that matter here. What follows `--` belongs to a server.
look_at() {
    _given=" "
    _junit=
    _sarif=
    _mode=
    _before=
    for _word in "$@"; do
        _flag=${_word%%=*}
        _value=${_word#*=}
        # A flag and its value may be two words.
        case $_before in
        --junit | --sarif | --coverage)
            _flag=$_before
            _value=$_word
            ;;
        esac
        _before=$_word
        case $_flag in
        --) break ;;
        --junit) _junit=$_value ;;
        --sarif) _sarif=$_value ;;
        --coverage) _mode=$_value ;;
        esac
        case $_flag in
        *[!a-z-]*) ;;
        --*) _given="$_given$_flag " ;;
        esac
    done
}

is_given() {
    case $_given in
    *" $1 "*) return 0 ;;
    *) return 1 ;;
    esac
}

# Runs probity with these arguments and with flags for reports.
run() {
    if [ $# = 0 ]; then
        echo "error: args is empty; write what follows probity on the command line, such as args: generate schema.json" >&2
        return
    fi
    _command=$1
    shift
    if [ "$_command" = coverage ] && [ $# != 0 ]; then
        _command="coverage $1"
        shift
    fi
    look_at "$@"

    # Flags come first: after `--` they would belong to a server.
    case $_command in
    mcp)
        # A list is printed, and nothing is called that could be reported.
        if ! is_given --list; then
            take_folder || return 0
            is_given --json || set -- --json "$_reports/mcp.json" "$@"
            is_given --html || set -- --html "$_reports/mcp.html" "$@"
            is_given --replay-dir || set -- --replay-dir "$_reports/replays" "$@"
        fi
        ;;
    generate | openapi | "coverage measure" | "coverage diff" | "coverage merge" | replay)
        take_folder || return 0
        ;;
    esac
    case $_command in
    openapi | "coverage measure" | "coverage merge")
        # A page about coverage would ask for measuring.
        if ! is_given --coverage-html && ! is_given --list && [ "$_mode" != off ]; then
            set -- --coverage-html "$_reports/coverage.html" "$@"
        fi
        ;;
    esac
    case $_command in
    openapi | "coverage measure")
        if ! is_given --sarif; then
            _sarif=$_reports/findings.sarif.json
            set -- --sarif "$_sarif" "$@"
        fi
        ;;
    esac
    if [ -n "$_reports" ]; then
        if ! is_given --junit; then
            _junit=$_reports/junit.xml
            set -- --junit "$_junit" "$@"
        fi
        if ! is_given --summary && [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
            set -- --summary "$GITHUB_STEP_SUMMARY" "$@"
        fi
        # Told now, so that the reports of a run that is cancelled are kept.
        tell reports "$_reports"
        take_name || return 0
        tell artifact "$_artifact"
    fi

    _junit_before=$(state "$_junit")
    _sarif_before=$(state "$_sarif")
    _code=0
    case $_command in
    "coverage "*) probity coverage "${_command#coverage }" "$@" || _code=$? ;;
    *) probity "$_command" "$@" || _code=$? ;;
    esac
    echo "$_code" > "$_kept/code"
    # A file that this run did not write is about another one.
    [ "$(state "$_junit")" = "$_junit_before" ] || tell junit "$_junit"
    [ "$(state "$_sarif")" = "$_sarif_before" ] || tell sarif "$_sarif"
    # What `args` says after `&&` or `||` depends on it.
    return "$_code"
}

# Whatever breaks here, the step has a code.
trap '[ $? = 0 ] || tell code 2' EXIT
_reports=
# What is in this folder goes with the job.
_temp=${RUNNER_TEMP:-${TMPDIR:-/tmp}}
_kept=$(mktemp -d "$_temp/probity-run.XXXXXX")
tell errors "$_kept/errors"

# A command line is one line, however it is broken into lines here; `\` at the end of a line and lines of comment are as in a script.
_line=$(printf '%s\n' "${PROBITY_ARGS:-}" | sed -e '/^[[:space:]]*#/d' -e 's/\\[[:space:]]*$//' | tr '\r\n' '  ')

# What is said on standard error is kept for annotations. The line is read in a shell of its own, which ends when it cannot be read.
exec 3>&1
{
    _status=0
    (eval "run $_line") || _status=$?
    echo "$_status" > "$_kept/status"
    [ "$_status" = 0 ] || [ -s "$_kept/code" ] ||
        echo "help: args is read as in a shell: close every quote, set every variable, and quote what means something to a shell" >&2
} 2>&1 >&3 3>&- | tee "$_kept/errors" >&2
_code=2
if [ -s "$_kept/code" ]; then
    _code=$(cat "$_kept/code")
fi
# What else the line runs may fail as well.
if [ "$_code" = 0 ] && [ -s "$_kept/status" ]; then
    _code=$(cat "$_kept/status")
fi
tell code "$_code"
