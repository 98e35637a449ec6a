"""``take``: make a checkpoint now, and say plainly when none was made."""

from __future__ import annotations

import argparse
from collections.abc import Mapping

from hermes_checkpoints.cli.arguments import add_directory
from hermes_checkpoints.cli.exits import Exit
from hermes_checkpoints.cli.json.checkpoints import of_take
from hermes_checkpoints.cli.output import document, place, say
from hermes_checkpoints.cli.parser import Verbs
from hermes_checkpoints.cli.plans import listing
from hermes_checkpoints.cli.problem import Problem, tell
from hermes_checkpoints.cli.progress import progress
from hermes_checkpoints.cli.target import Target, layout_of, target
from hermes_checkpoints.cli.text import counted, minute, statistics
from hermes_checkpoints.errors import PROGRAM, BadDirectory
from hermes_checkpoints.model import (
    Failed,
    Kind,
    Skipped,
    SkipReason,
    Taken,
    TakeOutcome,
    Unchanged,
)
from hermes_checkpoints.text import left_out

DEFAULT_REASON = "manual"
"""Why a checkpoint is taken where nobody says it."""


def register(verbs: Verbs) -> None:
    """Add ``take``."""
    parser = verbs.add("take", run, "Take a checkpoint of a working directory")
    add_directory(parser)
    parser.add_argument(
        "-m",
        "--message",
        dest="reason",
        default=DEFAULT_REASON,
        metavar="REASON",
        help=f"why it is taken, as `log` shows it (default: {DEFAULT_REASON})",
    )
    parser.add_argument("--label", help="a name by which it can be found again")
    parser.add_argument(
        "--move", action="store_true", help="take the label from the checkpoint that has it"
    )
    parser.add_argument(
        "--session", metavar="ID", help="the session of the agent to which it belongs"
    )


def run(args: argparse.Namespace) -> int:
    """Take a checkpoint and print how that ended."""
    _check_words(args)
    with target(args, create=True) as what:
        if not what.working_dir.is_dir():
            raise BadDirectory(f"{what.working_dir} does not exist, so nothing can be captured")
        with progress(args):
            outcome = _refused_place(what, args) or _take(what, args)
        capped = isinstance(outcome, Taken) and what.checkpoints.hold_cap()
        lacks = {}
        if isinstance(outcome, Taken | Unchanged):
            lacks = what.project.left_out(outcome.checkpoint)
    if isinstance(outcome, Failed):
        raise outcome.error
    if isinstance(outcome, Skipped):
        message = f"no checkpoint taken of {what.working_dir}: {outcome.reason}"
        tell(Problem(outcome.code, message, Exit.ERROR), as_json=args.json)
        return Exit.ERROR
    if args.json:
        document(of_take(outcome, lacks))
        return Exit.DONE
    say(outcome_line(outcome))
    _say_left_out(args, what, lacks)
    if isinstance(outcome, Taken):
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
    elif args.label is not None:
        say(f"It is labelled {', '.join(outcome.checkpoint.labels)}")
    return Exit.DONE


def outcome_line(outcome: Taken | Unchanged) -> str:
    """Return in a line which checkpoint was taken, or that nothing has changed since the last."""
    one = outcome.checkpoint
    if isinstance(outcome, Unchanged):
        when = minute(one.local_time)
        return f"Unchanged since checkpoint {one.short_id} of {when}; no checkpoint added"
    stats = statistics(one.files_changed, one.insertions, one.deletions)
    where = place(one.working_dir)
    return f"Checkpoint {one.short_id} taken of {where}: {one.reason} {stats}".rstrip()


def _check_words(args: argparse.Namespace) -> None:
    """Refuse a wrong word to the person, before the journal calls it a failure of a take.

    Raises:
        BadRequest.
    """
    from hermes_checkpoints.base.arguments import session_or_none, text
    from hermes_checkpoints.base.lookup import clean_label

    text(args.reason, "the reason of a checkpoint")
    session_or_none(args.session)
    if args.label is not None:
        clean_label(args.label)


def _refused_place(what: Target, args: argparse.Namespace) -> Skipped | None:
    """Return why no checkpoint of a directory is possible where it lies. Whoever typed the command
    reads it: in the journal it would be an alarm that no later take can end."""
    from hermes_checkpoints.base.projects import too_broad

    if args.session is not None:
        return None
    return too_broad(what.working_dir, layout_of(args))


def _say_left_out(args: argparse.Namespace, what: Target, lacks: Mapping[SkipReason, int]) -> None:
    missing = left_out(lacks)
    if missing:
        say(f"{missing}: {listing(args, what)}")


def _take(what: Target, args: argparse.Namespace) -> TakeOutcome:
    return what.project.take(
        args.reason,
        kind=Kind.MANUAL,
        session_id=args.session,
        label=args.label,
        move_label=args.move,
    )
