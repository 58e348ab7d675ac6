#!/bin/sh
# Installs the probity of this checkout, unless one is on the path already.
set -eu
if command -v probity > /dev/null; then
    echo "probity is there: $(probity -V)"
    exit 0
fi
if ! command -v cargo > /dev/null; then
    echo "::error title=probity::there is neither probity nor cargo on the path; install Rust in a step before this one"
    exit 2
fi
cargo install --locked --path "$(dirname "$0")/../crates/cli"
