"""A command whose work goes on behind it is told from one that merely has such words in it."""

from __future__ import annotations

import pytest

from hermes_checkpoints.triggers.background import goes_on


@pytest.mark.parametrize(
    "command",
    [
        "npm run dev &",
        "(make watch &) ; ls",
        "a & b",
        "curl http://host/?a=1&b=2",
        "for x in 1 2; do serve $x & done",
        "nohup make watch",
        "sudo /usr/bin/setsid make",
        "tmux new -d 'make watch'",
        "bash -c 'make watch &'",
        "ssh host 'make watch &'",
        "bash <<'END'\nmake watch &\nEND",
        "cat <<'END' | sh\nmake watch &\nEND",
        "eval 'make watch &'",
        'echo "$(make watch &)"',
        "if & (",
        "echo '" + "x" * 300_000 + "' &",
    ],
)
def test_something_may_run_on(command: str) -> None:
    assert goes_on(command)


@pytest.mark.parametrize(
    "command",
    [
        "make && ls || true",
        "make > log 2>&1",
        "make &> log",
        "make |& tee log",
        "curl 'http://host/?a=1&b=2'",
        'curl "http://host/?a=1&b=2" -o data.json',
        "git commit -m 'Parsers & lexers'",
        "sed -i 's/x/(&)/' a.txt",
        "echo a \\& b",
        "echo $((6 & 3))",
        "cat > a.c <<'END'\nint *p = &x;\nEND",
        "make  # & then look",
        "cat src/screen.tsx docs/tmux.md",
        "grep -rn nohup= .",
    ],
)
def test_nothing_runs_on(command: str) -> None:
    assert not goes_on(command)
