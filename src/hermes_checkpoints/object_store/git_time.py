"""Reads and writes git's times: seconds since 1970 and the offset from UTC, ``1700000000 -0330``.

Git keeps whole seconds only.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

_TIME = re.compile(rb"(-?\d+) ([+-])(\d\d)(\d\d)")
_MOST_MINUTES = 24 * 60 - 1


def format_time(at: datetime, offset_minutes: int) -> str:
    """Return a time as git writes it, with the offset from UTC of the place where it was."""
    sign = "-" if offset_minutes < 0 else "+"
    hours, minutes = divmod(abs(offset_minutes), 60)
    return f"{int(at.timestamp())} {sign}{hours:02}{minutes:02}"


def parse_time(text: bytes) -> tuple[datetime, int]:
    """Return a time of git's in UTC, and the offset of its place in minutes. An offset of a day
    or more, which no place has, is taken for none.

    Raises:
        ValueError: when it has another form, or a year that cannot be.
    """
    match = _TIME.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is no time of git's")
    seconds, sign, hours, minutes = match.groups()
    try:
        at = datetime.fromtimestamp(int(seconds), UTC)
    except (OverflowError, OSError) as error:
        raise ValueError(f"{text!r} is a time that cannot be") from error
    offset = int(hours) * 60 + int(minutes)
    if offset > _MOST_MINUTES:
        offset = 0
    return at, -offset if sign == b"-" else offset
