"""Values as people read them, in words that cannot harm a terminal.

Names of files, reasons and labels come from disks and from agents: they may hold line breaks,
escape sequences or bytes that are no text. Every line that is printed for people passes through
``shown``. Nothing here does I/O.
"""

from __future__ import annotations

import os
import unicodedata
from datetime import datetime

from hermes_checkpoints.text import age, counted, how_old, shown, size, typed

__all__ = [
    "age",
    "columns",
    "counted",
    "git_quoted",
    "how_old",
    "minute",
    "padded",
    "shortened",
    "shown",
    "size",
    "statistics",
    "typed",
]


def columns(text: str) -> int:
    """Return how many columns of a terminal ``text`` takes: two for a wide character, as those of
    Chinese and most emoji, none for an accent that stands on the one before it.
    """
    return len(text) if text.isascii() else sum(map(_columns_of, text))


def _columns_of(character: str) -> int:
    if unicodedata.category(character) in {"Mn", "Me"}:
        return 0
    return 2 if unicodedata.east_asian_width(character) in {"W", "F"} else 1


def shortened(text: str, width: int = 60, *, end: bool = True, mark: str = "…") -> str:
    """Return ``text`` in at most ``width`` columns: its end after ``mark``, or its beginning before
    it.

    >>> from hermes_checkpoints.cli.text import shortened
    >>> shortened("src/app.py", 7), shortened("port the parser", 7, end=False)
    ('…app.py', 'port t…')
    """
    if columns(text) <= width:
        return text
    left = width - columns(mark)
    if left < 0:
        return mark[:width]
    if not end:
        stop = 0
        while stop < len(text) and (needed := _columns_of(text[stop])) <= left:
            stop, left = stop + 1, left - needed
        return text[:stop] + mark
    begin = len(text)
    while begin and (needed := _columns_of(text[begin - 1])) <= left:
        begin, left = begin - 1, left - needed
    while begin < len(text) and not _columns_of(text[begin]):
        begin += 1  # an accent whose letter did not fit
    return mark + text[begin:]


def padded(text: str, width: int, *, end: bool = True, right: bool = False, mark: str = "…") -> str:
    """Return ``text`` in exactly ``width`` columns: shortened, or filled with spaces, on the left
    where it stands to the ``right``."""
    text = shortened(text, width, end=end, mark=mark)
    spaces = " " * (width - columns(text))
    return spaces + text if right else text + spaces


_ESCAPES = dict(zip(b'\a\b\t\n\v\f\r"\\', 'abtnvfr"\\', strict=True))


def git_quoted(path: str) -> str:
    """Return a path as git prints it on a line of its own: as it is, or, where it has a control
    character, a quote, a backslash or a byte that is not ASCII, in quotes as a string of C.

    >>> from hermes_checkpoints.cli.text import git_quoted
    >>> print(git_quoted("my notes.txt"), git_quoted("a\\nb"))
    my notes.txt "a\\nb"
    """
    raw = os.fsencode(path)
    if all(0x20 <= byte < 0x7F and byte not in _ESCAPES for byte in raw):
        return path
    return f'"{"".join(map(_escaped, raw))}"'


def _escaped(byte: int) -> str:
    if byte in _ESCAPES:
        return f"\\{_ESCAPES[byte]}"
    return chr(byte) if 0x20 <= byte < 0x7F else f"\\{byte:03o}"


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
