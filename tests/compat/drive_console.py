"""Runs inside the agent's environment: the agent's own console, at what it takes for a terminal.
Prints what it said, and how many checkpoints were left, as JSON on the last line."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

from hermes_checkpoints import Checkpoints, compat

compat.put_in_place()

from hermes_cli.console_engine import run_console_repl  # noqa: E402 - after the stand-ins


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def main() -> dict[str, object]:
    project = Path.cwd()
    for number in range(3):
        (project / "made by the console.txt").write_text(f"{number}\n")
        with Checkpoints.open() as checkpoints:
            checkpoints.project(project).take(f"step {number}")
    sys.stdin = Terminal("checkpoints prune\ny\ncheckpoints status\nexit\nnot read\n")
    said, wrong = io.StringIO(), io.StringIO()
    code = run_console_repl(stdout=said, stderr=wrong)
    with Checkpoints.open() as checkpoints:
        left = [one.reason for one in checkpoints.list_all()]
    return {
        "code": code,
        "said": said.getvalue(),
        "wrong": wrong.getvalue(),
        "rest": sys.stdin.read(),
        "left": left,
    }


if __name__ == "__main__":
    outcome = main()
    sys.stdout.write("\n" + json.dumps(outcome) + "\n")
