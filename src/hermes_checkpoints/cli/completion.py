"""``completion``: the lines that let a shell complete verbs, options, checkpoints and paths."""

from __future__ import annotations

import argparse

from hermes_checkpoints.cli.exits import Exit, without_extra
from hermes_checkpoints.cli.output import document, exactly
from hermes_checkpoints.cli.parser import Verbs

SHELLS = ("bash", "zsh", "fish")
PROGRAMS = ("hermes-checkpoints", "hcp")


def register(verbs: Verbs) -> None:
    """Add ``completion``."""
    parser = verbs.add(
        "completion", run, "Print what lets a shell complete the words of this program", base=True
    )
    parser.add_argument("shell", choices=SHELLS, help="the shell")


def run(args: argparse.Namespace) -> int:
    """Print the lines for a shell to read when it starts."""
    try:
        from argcomplete.shell_integration import shellcode
    except ImportError as error:
        raise without_extra("completion", "argcomplete") from error
    lines = shellcode(PROGRAMS, shell=args.shell)
    if args.json:
        document({"shell": args.shell, "code": lines})
    else:
        exactly(f"{lines.rstrip()}\n")
    return Exit.DONE
