"""``log PATH``: the checkpoints that changed a path, and the command that brings back what is lost.

A word is a directory where checkpoints were taken of one, else a path that checkpoints hold, else a
directory: so nothing that named a directory means another thing, and a file that is gone is found.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from hermes_checkpoints.cli.exits import BadUsage, Exit
from hermes_checkpoints.cli.output import document, place, say
from hermes_checkpoints.cli.table import Cell, Column, Row, say_table
from hermes_checkpoints.cli.target import Target, current_or_named, opened, path_of
from hermes_checkpoints.cli.text import counted, how_old, minute, size
from hermes_checkpoints.errors import BadDirectory, BadRequest, PathRefused, ProjectUnknown
from hermes_checkpoints.model import ChangeStatus, Kind

if TYPE_CHECKING:
    from hermes_checkpoints.checkpoints import Checkpoints
    from hermes_checkpoints.model import PathHistory, PathStep

_DID = {
    ChangeStatus.ADDED: "added",
    ChangeStatus.MODIFIED: "changed",
    ChangeStatus.DELETED: "deleted",
    ChangeStatus.TYPE_CHANGED: "replaced",
    None: "holds it",
}


@contextmanager
def asked(args: argparse.Namespace) -> Iterator[tuple[Target, PathHistory | None]]:
    """Open what ``log`` is about: a project, and the history of a path in it if the word is one.

    Raises:
        BadUsage, BadDirectory, BadRequest: as ``target``.
    """
    word: str = args.directory
    with opened(args) as checkpoints:
        found = _history(args, checkpoints, word)
        if found is not None:
            yield found
            return
        try:
            what = current_or_named(args, checkpoints)
        except BadDirectory as error:
            raise BadDirectory(f"{error}; nor does a checkpoint hold a path {word!r}") from error
        yield what, None


def _history(
    args: argparse.Namespace, checkpoints: Checkpoints, word: str
) -> tuple[Target, PathHistory] | None:
    """Return the history of a word where it is a path that checkpoints hold."""
    literal = args.literal is not None
    if not word or "\0" in word:
        return None
    try:
        if not literal and str(path_of(args, word)) in checkpoints.working_dirs():
            return None
        args.directory = None
        what = current_or_named(args, checkpoints)
        path = what.path(word)
        if path in ("", "."):
            return None
        found = what.project.history(path)
    except (BadDirectory, BadRequest, PathRefused, ProjectUnknown):
        return None
    finally:
        args.directory = word
    return (what, found) if found.steps else None


def say_history(args: argparse.Namespace, what: Target, found: PathHistory) -> int:
    """Print which checkpoints changed a path, and the command for what is lost of it."""
    from hermes_checkpoints.model import PathNow

    if args.session is not None or args.flat:
        raise BadUsage("--session and --flat are for the list of a directory, not of a path")
    from hermes_checkpoints.cli.holders import bring_back, lost_line

    command = None
    if found.lost is not None and not found.lost.lost:
        command = bring_back(args, what, found.lost, path=_what(found))
    if args.json:
        from dataclasses import replace

        from hermes_checkpoints.cli.json.found import of_history

        shortened = replace(found, steps=found.steps[: args.limit])
        document(of_history(what.working_dir, shortened, command))
        return Exit.DONE
    say(f"Checkpoints of {place(what.working_dir)} that changed {found.path}:")
    _say_steps(found.steps[: args.limit])
    if found.lost is not None:
        gone = found.lost.now is PathNow.GONE
        say()
        what_is_so = f"{found.path} is gone" if gone else f"{found.path} has changed since"
        if command is None:
            say(f"{what_is_so}, and {lost_line(found.lost)}", "red")
        else:
            say(f"{what_is_so}; to bring back what {found.lost.checkpoint.short_id} has: {command}")
    for note in found.notes:
        say(f"Note: {note}")
    return Exit.DONE


def _what(found: PathHistory) -> str | None:
    """Return what is brought back: a directory as a whole, if that is what was asked for."""
    lost = found.lost
    return found.path if lost is not None and lost.path != found.path else None


_HEADS = (
    Column("TAKEN", spare=1, style="dim"),
    Column("AGE", right=True),
    Column("WHAT", least=24),
    Column("SIZE", right=True, spare=2),
    Column("+/-", right=True),
    Column("", style="cyan"),
)
_STYLES = {ChangeStatus.DELETED: "red", ChangeStatus.ADDED: "green"}


def _say_steps(steps: Sequence[PathStep]) -> None:
    wide = max(len(str(step.number or "")) for step in steps)
    now = datetime.now(UTC)
    rows: list[Row] = []
    for step in steps:
        one = step.checkpoint
        number = "" if step.number is None else f"{step.number}."
        known = step.insertions is not None and step.deletions is not None
        marks = (("[safety]", one.kind is Kind.SAFETY), ("[partial]", one.partial))
        style = "" if step.status is None else _STYLES.get(step.status, "")
        rows.append(
            [
                Cell(f"{number:>{wide + 1}} {one.short_id}", "yellow"),
                minute(one.local_time),
                how_old(one.created_at, now),
                Cell(done_to(step), style),
                "" if step.bytes is None else size(step.bytes),
                f"+{step.insertions}/-{step.deletions}" if known else "",
                "  ".join(mark for mark, has in marks if has),
            ]
        )
    say_table([Column(f"{'#':>{wide}}  ID"), *_HEADS], rows)


def done_to(step: PathStep) -> str:
    """Return what a checkpoint did to a path, and who did it last."""
    did = "permissions changed" if step.of_permissions else _DID[step.status]
    if step.files > 1:
        did += f" ({counted(step.files, 'path')})"
    if step.others:
        did += ", last"
    from hermes_checkpoints.cli.who import by_whom

    return did if step.last is None else f"{did} {by_whom(step.last, step.turn_title)}"
