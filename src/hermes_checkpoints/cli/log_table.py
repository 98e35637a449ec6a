"""Draws the list of ``log``: a row for each checkpoint and what followed it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from hermes_checkpoints.cli.followed import NOT_READ, colour_of, hands_after, word_of
from hermes_checkpoints.cli.log import Line, markers
from hermes_checkpoints.cli.table import Cell, Column, Row, say_table
from hermes_checkpoints.cli.text import counted, how_old, minute

if TYPE_CHECKING:
    from hermes_checkpoints.model import Checkpoint, Whose

_HEADS = (
    Column("TAKEN", spare=1, style="dim"),
    Column("AGE", right=True),
    Column("WHAT", least=12),
    Column("WHO"),
    Column("FILES", right=True, spare=3),
    Column("+/-", right=True),
    Column("TAKES BACK"),
    Column("", spare=2, style="dim"),
    Column("", least=12, style="cyan"),
)


def say_lines(
    lines: Sequence[Line],
    after: Mapping[str, Checkpoint],
    whose: Mapping[str, Whose],
    *,
    flat: bool,
) -> None:
    """Print a line for each checkpoint and what followed it, below titles: docs/looking.md says
    what they mean."""
    from hermes_checkpoints.model import heads_moved

    wide = len(str(max((number for number, *_ in lines if number), default=1)))
    moved = heads_moved(checkpoint for _, checkpoint, _ in lines)
    now = datetime.now(UTC)
    rows: list[Row] = []
    for number, one, _ in lines:
        first = f"{number:>{wide}}. " if number else f"{'':{wide}}  {'' if flat else '  '}"
        known = whose.get(one.id)
        asked = one.turn_title
        next_one = after.get(one.id)
        who = word_of(hands_after(known, next_one.files_changed if next_one else None))
        marks = [
            *(f"[{marker}]" for marker in markers(one)),
            *([f"[{moved[one.id]}]"] if moved.get(one.id) else []),
        ]
        style = "dim" if number is None else ""
        rows.append(
            [
                Cell(f"{first}{one.short_id}", style or "yellow"),
                minute(one.local_time),
                how_old(one.created_at, now),
                Cell(asked or one.reason, style),
                Cell(who, colour_of(who)),
                str(next_one.files_changed or "") if next_one else "",
                _lines_of(next_one),
                _taken_back(known),
                f"[{one.reason}]" if asked else "",
                "  ".join(marks),
            ]
        )
    say_table([Column(f"{'#':>{wide}}  ID"), *_HEADS], rows)


def _lines_of(next_one: Checkpoint | None) -> str:
    """Return how many lines came and went until the next checkpoint."""
    if next_one is None or not (next_one.insertions or next_one.deletions):
        return ""
    return f"+{next_one.insertions}/-{next_one.deletions}"


def _taken_back(known: Whose | None) -> Cell:
    """Return how many files of an agent restoring a checkpoint would take back."""
    if known is None:
        return Cell(NOT_READ, "dim")
    return Cell(counted(known.agents_files, "file") if known.agents_files else "", "")
