"""Values as people read them, in words that cannot harm a terminal.

Names of files, reasons and labels come from disks and from agents: they may hold line breaks,
escape sequences or bytes that are no text. Every line that is printed for people passes through
``shown``. Nothing here does I/O.
"""

from __future__ import annotations

import unicodedata
from datetime import UTC, datetime

from hermes_checkpoints.text import counted, shown

__all__ = [
    "age",
    "columns",
    "counted",
    "minute",
    "padded",
    "shortened",
    "shown",
    "size",
    "statistics",
]

_UNITS = ("B", "KB", "MB", "GB", "TB")


def columns(text: str) -> int:
    """Return how many columns of a terminal ``text`` takes: two for a wide character, as those of
    Chinese and most emoji, none for an accent that stands on the one before it.
    """
    return len(text) if text.isascii() else sum(map(_columns_of, text))


def _columns_of(character: str) -> int:
    if unicodedata.category(character) in {"Mn", "Me"}:
        return 0
    return 2 if unicodedata.east_asian_width(character) in {"W", "F"} else 1


def shortened(text: str, width: int = 60) -> str:
    """Return ``text`` in at most ``width`` columns: its end, after ``…``."""
    if columns(text) <= width:
        return text
    left, begin = width - 1, len(text)
    while begin and (needed := _columns_of(text[begin - 1])) <= left:
        begin, left = begin - 1, left - needed
    while begin < len(text) and not _columns_of(text[begin]):
        begin += 1  # an accent whose letter did not fit
    return "…" + text[begin:]


def padded(text: str, width: int) -> str:
    """Return ``text`` in exactly ``width`` columns: shortened, or filled with spaces."""
    text = shortened(text, width)
    return text + " " * (width - columns(text))


def size(count: int) -> str:
    """Return a number of bytes in the largest unit that leaves at least one, base 1024."""
    value = float(count)
    for unit in _UNITS[:-1]:
        if value < 1024:
            return f"{count} B" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1024
    return f"{value:.1f} {_UNITS[-1]}"


def age(moment: datetime | None, now: datetime | None = None) -> str:
    """Return how long ago ``moment`` was in its largest whole unit, ``—`` for none."""
    if moment is None:
        return "—"
    seconds = ((now or datetime.now(UTC)) - moment).total_seconds()
    if seconds < 0:
        return "now"
    for unit, length in (("d", 86400), ("h", 3600), ("m", 60)):
        if seconds >= length:
            return f"{int(seconds / length)}{unit} ago"
    return f"{int(seconds)}s ago"


def minute(moment: datetime) -> str:
    """Return date and time to the minute, in the zone that ``moment`` has."""
    return moment.strftime("%Y-%m-%d %H:%M")


def statistics(files: int, insertions: int, deletions: int) -> str:
    """Return ``(2 files, +3/-1)``, nothing where no file changed, no lines where none did.

    Lines are not counted for the first checkpoint of a project.
    """
    if not files:
        return ""
    lines = f", +{insertions}/-{deletions}" if insertions or deletions else ""
    return f"({counted(files, 'file')}{lines})"
