"""``log``: the checkpoints of a project, newest first, numbered as other verbs take them, or those
that changed a path.

Safety checkpoints have no number. They stand below the checkpoint that was restored, or in order
with ``--flat``.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeAlias

from hermes_checkpoints.cli.arguments import add_directory, add_limit
from hermes_checkpoints.cli.exits import Exit
from hermes_checkpoints.cli.output import document, place, say
from hermes_checkpoints.cli.parser import Verbs
from hermes_checkpoints.cli.target import Target, target
from hermes_checkpoints.cli.text import minute, statistics
from hermes_checkpoints.text import left_out

if TYPE_CHECKING:
    from hermes_checkpoints.model import Checkpoint, FailureRun, PathHistory, RestoreOf


Line: TypeAlias = "tuple[int | None, Checkpoint, RestoreOf | None]"
"""A checkpoint with its number, or with the restore that it is the safety checkpoint of."""

_MOST_LOST = 20
"""How many lost checkpoints are named one by one."""


def register(verbs: Verbs) -> None:
    """Add ``log``."""
    parser = verbs.add(
        "log",
        run,
        "List the checkpoints of a working directory, or those that changed a path, newest first",
        usage="[DIR | [--] PATH]",
        paged=True,
    )
    add_directory(
        parser,
        "the working directory (default: the project of the current directory), or a path in it "
        "that checkpoints hold, also one that is gone; a directory with checkpoints is a DIR, "
        "unless -- stands before it",
    )
    add_limit(parser, "list at most N (default: all)")
    parser.add_argument("--session", metavar="ID", help="list only those of this session")
    parser.add_argument(
        "--remote",
        action="store_true",
        help="list what the last `pull` has found on the remote of this project, from all machines",
    )
    parser.add_argument("--all", action="store_true", help="with --remote, of all projects")
    parser.add_argument(
        "--flat",
        action="store_true",
        help="list safety checkpoints in the order in which all were taken, not below the "
        "checkpoint that was restored",
    )


def run(args: argparse.Namespace) -> int:
    """Print the list; an empty one with the projects nearby that have checkpoints."""
    if args.remote or args.all:
        from hermes_checkpoints.cli.remote_log import say_remote

        return say_remote(args)
    with log_asked(args) as (what, history):
        if history is not None:
            from hermes_checkpoints.cli.path_log import say_history

            return say_history(args, what, history)
        lines, after = _lines(what, args.session, args.limit, flat=args.flat)
        whose = {}
        if lines:
            oldest = min((checkpoint for _, checkpoint, _ in lines), key=lambda one: one._row)
            whose = what.project.whose(since=oldest)
        lost = [] if args.session is not None else what.project.lost()
        near = [] if lines or args.session is not None else what.neighbours()
        failing = what.project.failing()
        newest = next((one for number, one, _ in lines if number), None)
        lacks = {} if newest is None else what.project.left_out(newest)
    where = what.working_dir
    if args.json:
        from hermes_checkpoints.cli.json.checkpoints import Followed, of_log

        followed = Followed(after, whose)
        document(of_log(where, lines, followed, near, lost, left_out=lacks, failing=failing))
        return Exit.DONE
    if not lines:
        of_session = "" if args.session is None else f" of session {args.session}"
        say(f"No checkpoints{of_session} found for {place(where)}")
        if near:
            say(f"But checkpoints exist of {', '.join(map(place, near))}")
        _say_lost(lost)
        _say_failing(failing)
        return Exit.DONE
    from hermes_checkpoints.cli.log_table import say_lines

    say(f"Checkpoints for {place(where)}:")
    say_lines(lines, after, whose, flat=args.flat)
    missing = left_out(lacks, "the newest")
    if missing:
        from hermes_checkpoints.cli.plans import listing

        say()
        say(f"{missing}: {listing(args, what)}")
    _say_lost(lost)
    _say_failing(failing)
    return Exit.DONE


@contextmanager
def log_asked(args: argparse.Namespace) -> Iterator[tuple[Target, PathHistory | None]]:
    """Open what is asked for: a project, and the history of a path if one is named."""
    if args.directory is None:
        with target(args) as what:
            yield what, None
        return
    from hermes_checkpoints.cli.path_log import asked

    with asked(args) as found:
        yield found


def _say_failing(failing: FailureRun | None) -> None:
    if failing is not None:
        from hermes_checkpoints.cli.status import failure_line

        say()
        say(failure_line(failing), "red")


def _say_lost(lost: Sequence[Checkpoint]) -> None:
    """Print the checkpoints of which the store lacks part; they have no number."""
    if not lost:
        return
    say()
    say("Lost, until a backup of the object store that has them is put back:")
    for checkpoint in lost[:_MOST_LOST]:
        say(f"  {line(checkpoint)}  ({checkpoint.prune_reason})")
    if len(lost) > _MOST_LOST:
        say(f"  … and {len(lost) - _MOST_LOST} more; --json lists all")


def _lines(
    what: Target, session_id: str | None, limit: int | None, *, flat: bool
) -> tuple[list[Line], Mapping[str, Checkpoint]]:
    """Return the checkpoints asked for, those with numbers by their places among all of the
    project, and ``figures_after`` of all. ``limit`` bounds these, and the lines where the list is
    ``flat``."""
    from hermes_checkpoints.model import safety_below
    from hermes_checkpoints.model.timeline import figures_after

    every_safety = what.project.safety_checkpoints()
    every = limit if session_id is None and not every_safety else None
    listed = what.project.list(limit=every)
    saved = [one.checkpoint for one in every_safety]
    after = figures_after(sorted([*listed, *saved], key=lambda one: -one._row))
    safety = [one for one in every_safety if session_id in (None, one.checkpoint.session_id)]
    numbered = [pair for pair in enumerate(listed, 1) if session_id in (None, pair[1].session_id)]
    if flat:
        lines: list[Line] = [(number, one, None) for number, one in numbered]
        lines += [(None, one.checkpoint, one.safety_of) for one in safety]
        return sorted(lines, key=lambda entry: -entry[1]._row)[:limit], after
    below = safety_below([one for _, one in numbered], safety)
    found: list[Line] = []
    for number, one in numbered[:limit]:
        found.append((number, one, None))
        found += [(None, s.checkpoint, s.safety_of) for s in below.get(one.id, ())]
    if limit is None or len(numbered) < limit:
        found += [(None, s.checkpoint, s.safety_of) for s in below.get(None, ())]
    return found, after


def line(checkpoint: Checkpoint, head: str | None = None) -> str:
    """Return what tells a checkpoint from its neighbours, on one line: what the agent was asked for
    when it was the state, else why it was taken. ``head`` is what is to be said of HEAD."""
    asked = checkpoint.turn_title
    parts = [
        checkpoint.short_id,
        minute(checkpoint.local_time),
        asked or checkpoint.reason,
        statistics(checkpoint.files_changed, checkpoint.insertions, checkpoint.deletions),
        f"[{checkpoint.reason}]" if asked else "",
        *(f"[{marker}]" for marker in markers(checkpoint)),
        f"[{head}]" if head else "",
    ]
    return "  ".join(part for part in parts if part)


def markers(checkpoint: Checkpoint) -> list[str]:
    """Return what is special about a checkpoint, each in a word or two."""
    from hermes_checkpoints.model import Kind

    found = []
    if checkpoint.kind is Kind.SAFETY:
        found.append("safety")
    if checkpoint.pinned:
        found.append("pinned")
    found += [f"label: {label}" for label in checkpoint.labels]
    if checkpoint.partly_lost:
        found.append("partly lost")
    if checkpoint.partial:
        found.append("partial")
    elif not checkpoint.complete:
        found.append(f"{checkpoint.skipped_count} not captured")
    return found
