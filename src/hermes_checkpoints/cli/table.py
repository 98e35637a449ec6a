"""Rows in columns, which fit the terminal.

On a terminal that is too narrow, columns that may be spared are left out, and then those that give
way are cropped, the widest first; ids and numbers never are. Elsewhere nothing is cropped or left
out, so that a script reads the same whatever the window was. rich has tables, too; but it takes
longer to load than most answers take to print, crops only at the end, and knows one ``…``.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from hermes_checkpoints.cli.output import ellipsis, encodable, say_spans, width
from hermes_checkpoints.cli.text import columns, padded, shown

GAP = "  "


@dataclass(frozen=True)
class Column:
    """A column. It is cropped to ``least`` columns of the terminal at most, never if that is None;
    of a path the end stays (``path``). ``spare`` says in which order columns are left out where
    there is no room: 1 first, 0 never. ``style`` is the colour of cells that have none."""

    title: str
    right: bool = False
    least: int | None = None
    path: bool = False
    spare: int = 0
    style: str = ""


class Cell(NamedTuple):
    """A text with a colour of its own."""

    text: str
    style: str


Row: TypeAlias = "Sequence[str | Cell] | str"
"""The cells of a row; or a line that stands below one, as it is."""


def say_table(heads: Sequence[Column], rows: Sequence[Row], *, indent: int = 2) -> None:
    """Print a table with a line of titles. A column of which all cells are empty is left out."""
    cells = [
        row
        if isinstance(row, str)
        else [_cell(cell, column) for cell, column in _pairs(row, heads)]
        for row in rows
    ]
    table = [row for row in cells if not isinstance(row, str)]
    natural = [
        max([columns(head.title), *(columns(row[place].text) for row in table)])
        for place, head in enumerate(heads)
    ]
    filled = [any(row[place].text for row in table) for place in range(len(heads))]
    places = [place for place, is_filled in enumerate(filled) if is_filled or not table]
    places = _kept(places, heads, natural, indent)
    chosen = [heads[place] for place in places]
    room = _room(len(places), indent)
    widths = fitted([natural[place] for place in places], room, [head.least for head in chosen])
    say_row([Cell(head.title, "bold") for head in chosen], chosen, widths, indent)
    for row in cells:
        if isinstance(row, str):
            say_spans([(row, "")])
        else:
            say_row([row[place] for place in places], chosen, widths, indent)


def _pairs(row: Sequence[str | Cell], heads: Sequence[Column]) -> zip[tuple[str | Cell, Column]]:
    return zip(row, heads, strict=True)


def _cell(cell: str | Cell, column: Column) -> Cell:
    text, style = (cell, column.style) if isinstance(cell, str) else cell
    return Cell(_printed(text), style)


def _printed(text: str) -> str:
    """Return a text as it is printed, so that its width is known."""
    return encodable(shown(text), sys.stdout)


def _room(count: int, indent: int) -> int | None:
    """Return how many columns there are for the cells of a row, None for any number."""
    wide = width()
    return None if wide is None else wide - indent - len(GAP) * (count - 1)


def _kept(
    places: list[int], heads: Sequence[Column], natural: Sequence[int], indent: int
) -> list[int]:
    """Return the columns that stay: those to spare go in their order while others would have to be
    cropped for them."""
    for spare in sorted({heads[place].spare for place in places} - {0}):
        room = _room(len(places), indent)
        if room is None or sum(natural[place] for place in places) <= room:
            break
        places = [place for place in places if heads[place].spare != spare]
    return places


def fitted(widths: Sequence[int], room: int | None, least: Sequence[int | None]) -> list[int]:
    """Return widths that add up to ``room`` at most, as far as columns may be cropped: the widest
    first, each to its ``least``.

    >>> fitted([4, 30, 20], 40, [None, 10, 10])
    [4, 18, 18]
    """
    found = list(widths)
    while room is not None and sum(found) > room:
        able = [i for i, one in enumerate(least) if one is not None and found[i] > one]
        if not able:
            break
        found[max(able, key=lambda i: (found[i], i))] -= 1
    return found


def say_row(
    cells: Sequence[Cell], heads: Sequence[Column], widths: Sequence[int], indent: int = 0
) -> None:
    """Print one row; what does not fit its column is cropped."""
    spans: list[tuple[str, str]] = [(" " * indent, "")]
    for cell, head, wide in zip(cells, heads, widths, strict=True):
        text = padded(cell.text, wide, end=head.path, right=head.right, mark=ellipsis())
        spans += [(text, cell.style), (GAP, "")]
    spans.pop()
    while spans and not spans[-1][0].strip():
        spans.pop()
    if spans:
        spans[-1] = spans[-1][0].rstrip(), spans[-1][1]
    say_spans(spans)


def say_wrapped(text: str, *, begin: str = "") -> None:
    """Print words of this program behind ``begin``. On a terminal that is too narrow they go on in
    the next line, below where they began."""
    wide = width()
    indent = " " * columns(begin)
    if wide is None or columns(begin) + columns(text) <= wide or len(indent) + _LEAST_PATH > wide:
        say_spans([(f"{begin}{text}".rstrip(), "")])
        return
    import textwrap

    for line in textwrap.wrap(
        text, wide, initial_indent=begin, subsequent_indent=indent, break_on_hyphens=False
    ):
        say_spans([(line, "")])


def say_parts(
    parts: Sequence[str], *, indent: int = 0, path: bool = False, style: str = ""
) -> None:
    """Print parts on one line, those that are not empty. On a terminal that is too narrow the last
    gives way, and then the first, if that is a ``path``."""
    texts = [_printed(part) for part in parts if part]
    least: list[int | None] = [None] * len(texts)
    widths = [columns(text) for text in texts]
    room = _room(len(texts), indent)
    for place, to in ((len(texts) - 1, _LEAST_PART), *(((0, _LEAST_PATH),) if path else ())):
        least[place] = to
        widths = fitted(widths, room, least)
    heads = [Column("", path=path and not place) for place in range(len(texts))]
    say_row([Cell(text, style) for text in texts], heads, widths, indent)


_LEAST_PART, _LEAST_PATH = 8, 20
