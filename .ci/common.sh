# shellcheck shell=bash disable=SC2034 # other files use the variables
# What the scripts of this folder share. They source it, and then stand in the checkout.
set -euo pipefail

checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
cd "$checkout"
unset "${!GIT_@}" # those of a git hook would lead the git of the tests to this repository
unset PYTHONDONTWRITEBYTECODE # the tests start many interpreters, which need not compile anew

# README states how to test; all but its last command makes the environment.
test_command=$(sed -n '/bin\/pytest$/{p;q}' README.md)
[ -n "$test_command" ] || { echo "README.md states no test command" >&2; exit 1; }
install_command=${test_command% && *}

step() { printf '\n== %s (%ss)\n' "$*" "$SECONDS"; }

need_environment() {
    [ -x .venv/bin/pytest ] || { echo "no tools in $checkout/.venv: run .ci/install" >&2; exit 1; }
}

# Prints a Python of this version, also one that only pyenv has.
python_of() {
    local found
    if "python$1" -c pass 2>/dev/null; then
        command -v "python$1"
    elif found=$(pyenv latest "$1" 2>/dev/null); then
        echo "$(pyenv prefix "$found")/bin/python"
    else
        return 1
    fi
}
