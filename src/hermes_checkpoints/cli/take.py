"""``take``: make a checkpoint now, and say plainly when none was made."""

from __future__ import annotations

import argparse

from hermes_checkpoints.cli.arguments import Target, Verbs, add_directory, add_json, target
from hermes_checkpoints.cli.json.checkpoints import of_take
from hermes_checkpoints.cli.output import PROGRAM, complain, document, say
from hermes_checkpoints.cli.text import counted, minute, statistics
from hermes_checkpoints.model import Failed, Kind, Skipped, Taken, TakeOutcome

REFUSED = 2
"""Exit code of a take that a guard refused."""


def register(verbs: Verbs) -> None:
    """Add ``take``."""
    parser = verbs.add("take", run, "Take a checkpoint of a working directory")
    add_directory(parser)
    parser.add_argument(
        "-m",
        "--message",
        dest="reason",
        default="manual",
        metavar="REASON",
        help="why it is taken, as `log` shows it (default: manual)",
    )
    parser.add_argument("--label", help="a name by which it can be found again")
    parser.add_argument(
        "--session", metavar="ID", help="the session of the agent to which it belongs"
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Take a checkpoint and print how that ended."""
    with target(args) as what:
        outcome = _take(what, args)
    if isinstance(outcome, Failed):
        raise outcome.error
    if isinstance(outcome, Skipped):
        complain(f"no checkpoint taken of {what.working_dir}: {outcome.reason}")
        return REFUSED
    if args.json:
        document(of_take(outcome))
        return 0
    checkpoint = outcome.checkpoint
    if isinstance(outcome, Taken):
        stats = statistics(checkpoint.files_changed, checkpoint.insertions, checkpoint.deletions)
        say(
            f"Checkpoint {checkpoint.short_id} taken of {checkpoint.working_dir}: "
            f"{checkpoint.reason} {stats}".rstrip()
        )
        if checkpoint.skipped_count:
            say(
                f"{counted(checkpoint.skipped_count, 'path')} not captured; "
                f"see {PROGRAM} show {checkpoint.short_id}"
            )
    else:
        say(
            f"Unchanged since checkpoint {checkpoint.short_id} of {minute(checkpoint.local_time)}; "
            "no checkpoint added"
        )
    return 0


def _take(what: Target, args: argparse.Namespace) -> TakeOutcome:
    return what.project.take(
        args.reason, kind=Kind.MANUAL, session_id=args.session, label=args.label
    )
