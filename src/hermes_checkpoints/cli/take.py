"""``take``: make a checkpoint now, and say plainly when none was made."""

from __future__ import annotations

import argparse

from hermes_checkpoints.cli.arguments import add_directory
from hermes_checkpoints.cli.exits import Exit
from hermes_checkpoints.cli.json.checkpoints import of_take
from hermes_checkpoints.cli.output import PROGRAM, complain, document, say
from hermes_checkpoints.cli.parser import Verbs
from hermes_checkpoints.cli.target import Target, target
from hermes_checkpoints.cli.text import counted, minute, statistics
from hermes_checkpoints.errors import BadDirectory
from hermes_checkpoints.model import Failed, Kind, Skipped, Taken, TakeOutcome


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


def run(args: argparse.Namespace) -> int:
    """Take a checkpoint and print how that ended."""
    from hermes_checkpoints.base.lookup import clean_label

    with target(args, create=True) as what:
        if not what.working_dir.is_dir():
            raise BadDirectory(f"{what.working_dir} does not exist, so nothing can be captured")
        if args.label is not None:
            clean_label(args.label)  # what is refused to a person is no failure of a take
        outcome = _take(what, args)
        capped = isinstance(outcome, Taken) and what.checkpoints.hold_cap()
    if isinstance(outcome, Failed):
        raise outcome.error
    if isinstance(outcome, Skipped):
        complain(f"no checkpoint taken of {what.working_dir}: {outcome.reason}")
        return Exit.ERROR
    if args.json:
        document(of_take(outcome))
        return Exit.DONE
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
        if capped:
            say(
                "The store is over its size cap; the oldest checkpoints are being dropped in the "
                f"background, see {PROGRAM} status"
            )
        if outcome.imported_dropped:
            say(
                f"{counted(outcome.imported_dropped, 'imported checkpoint')} dropped: there were "
                f"more than max_snapshots. {PROGRAM} status says which archives still have them; "
                "raise the limit to keep the others"
            )
    else:
        say(
            f"Unchanged since checkpoint {checkpoint.short_id} of {minute(checkpoint.local_time)}; "
            "no checkpoint added"
        )
    return Exit.DONE


def _take(what: Target, args: argparse.Namespace) -> TakeOutcome:
    return what.project.take(
        args.reason, kind=Kind.MANUAL, session_id=args.session, label=args.label
    )
