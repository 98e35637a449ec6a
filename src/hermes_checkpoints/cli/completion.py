"""``completion``: the lines that let a shell complete verbs, options, checkpoints and paths."""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

from hermes_checkpoints.cli.exits import Exit, without_extra
from hermes_checkpoints.cli.output import document, exactly
from hermes_checkpoints.cli.parser import Verbs

SHELLS = ("bash", "zsh", "fish")
PROGRAMS = ("hermes-checkpoints", "hcp")
HERMES = "hermes"
"""The program that the agent has, too: it is never started for the sake of a word."""


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
    if _hermes_is_ours():
        lines += shellcode([HERMES], shell=args.shell, argcomplete_script=PROGRAMS[0])
    if args.json:
        document({"shell": args.shell, "code": lines})
    else:
        exactly(f"{lines.rstrip()}\n")
    return Exit.DONE


def _hermes_is_ours() -> bool:
    """Tell whether `hermes` is the program of this package: it lies beside our other one, and no
    agent is here that has one of its own."""
    from hermes_checkpoints.compat import agent_is_here

    found = [shutil.which(name) for name in (HERMES, PROGRAMS[0])]
    folders = {Path(one).parent for one in found if one is not None}
    return None not in found and len(folders) == 1 and not agent_is_here()
