"""``log``: the checkpoints of a project, newest first, numbered as other verbs take them."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from hermes_checkpoints.cli.arguments import add_directory, add_limit
from hermes_checkpoints.cli.exits import Exit
from hermes_checkpoints.cli.json.checkpoints import of_log
from hermes_checkpoints.cli.output import document, say
from hermes_checkpoints.cli.parser import Verbs
from hermes_checkpoints.cli.target import Target, target
from hermes_checkpoints.cli.text import minute, statistics
from hermes_checkpoints.model import Checkpoint

_MOST_LOST = 20
"""How many lost checkpoints are named one by one."""


def register(verbs: Verbs) -> None:
    """Add ``log``."""
    parser = verbs.add("log", run, "List the checkpoints of a working directory, newest first")
    add_directory(parser)
    add_limit(parser, "list at most N (default: all)")
    parser.add_argument("--session", metavar="ID", help="list only those of this session")


def run(args: argparse.Namespace) -> int:
    """Print the list; an empty one with the projects nearby that have checkpoints."""
    with target(args) as what:
        numbered = _numbered(what, args.session, args.limit)
        lost = [] if args.session is not None else what.project.lost()
        near = [] if numbered or args.session is not None else what.neighbours()
    if args.json:
        document(of_log(what.working_dir, numbered, near, lost))
        return Exit.DONE
    where = what.working_dir
    if not numbered:
        whose = "" if args.session is None else f" of session {args.session}"
        say(f"No checkpoints{whose} found for {where}")
        if near:
            say(f"But checkpoints exist of {', '.join(near)}")
        _say_lost(lost)
        return Exit.DONE
    say(f"Checkpoints for {where}:")
    say()
    width = len(str(numbered[-1][0]))
    for number, checkpoint in numbered:
        say(f"  {number:>{width}}. {line(checkpoint)}")
    _say_lost(lost)
    return Exit.DONE


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


def _numbered(
    what: Target, session_id: str | None, limit: int | None
) -> list[tuple[int, Checkpoint]]:
    """Return the checkpoints asked for with their numbers among all of the project."""
    if session_id is None:
        return list(enumerate(what.project.list(limit=limit), 1))
    found = enumerate(what.project.list(), 1)
    return [pair for pair in found if pair[1].session_id == session_id][:limit]


def line(checkpoint: Checkpoint) -> str:
    """Return what tells a checkpoint from its neighbours, on one line."""
    parts = [
        checkpoint.short_id,
        minute(checkpoint.local_time),
        checkpoint.reason,
        statistics(checkpoint.files_changed, checkpoint.insertions, checkpoint.deletions),
        *(f"[{marker}]" for marker in markers(checkpoint)),
    ]
    return "  ".join(part for part in parts if part)


def markers(checkpoint: Checkpoint) -> list[str]:
    """Return what is special about a checkpoint, each in a word or two."""
    found = []
    if checkpoint.pinned:
        found.append("pinned")
    if checkpoint.label:
        found.append(f"label: {checkpoint.label}")
    if checkpoint.partial:
        found.append("partial")
    elif not checkpoint.complete:
        found.append(f"{checkpoint.skipped_count} not captured")
    return found
