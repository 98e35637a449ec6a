"""``rebind``: the history of a directory that moved follows it."""

from __future__ import annotations

import argparse

from hermes_checkpoints.cli.exits import Exit
from hermes_checkpoints.cli.json.history import of_rebound
from hermes_checkpoints.cli.output import document, place, say
from hermes_checkpoints.cli.parser import Verbs
from hermes_checkpoints.cli.target import opened, path_of
from hermes_checkpoints.cli.text import counted


def register(verbs: Verbs) -> None:
    """Add ``rebind``."""
    parser = verbs.add(
        "rebind", run, "Move a project's history to where its working directory is now", base=True
    )
    parser.add_argument("old", metavar="OLD", help="where the directory was")
    parser.add_argument("new", metavar="NEW", help="where it is now")


def run(args: argparse.Namespace) -> int:
    """Move the history."""
    with opened(args) as checkpoints:
        moved = checkpoints.rebind(path_of(args, args.old), path_of(args, args.new))
    if args.json:
        document(of_rebound(moved))
        return Exit.DONE
    joined = ", and joined those that it has" if moved.merged else ""
    verb = "belongs" if moved.checkpoints == 1 else "belong"
    say(
        f"{counted(moved.checkpoints, 'checkpoint')} of {place(moved.old)} now {verb} to "
        f"{place(moved.project.working_dir)}{joined}"
    )
    return Exit.DONE
