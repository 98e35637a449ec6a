"""Reads the times that stand where a checkpoint is meant, as in ``restore @2h``. No I/O.

What names a stretch of time means its end: ``@10:00`` the whole minute, as ``log`` shows it,
``@2026-11-27`` and ``@yesterday`` the whole day. So whoever types what ``log`` shows of a
checkpoint means that one. A local time that the clock showed twice, or passed over, means the later
of the moments that it may mean.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo

from hermes_checkpoints.errors import BadRequest
from hermes_checkpoints.model import TIME_SIGN

FORMS = (
    "@45s, @30m, @2h, @3d or @2w (ago), @10:00 (today), @yesterday (its end), @2026-11-27 (its "
    "end) or @{2026-11-27 18:00}, with Z or +01:00 behind it where it is not local time"
)
"""The known forms, for people."""

_AGO = re.compile(r"(\d{1,9})([smhdw])", re.ASCII)
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_CLOCK = r"(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?"
_TODAY = re.compile(_CLOCK, re.ASCII)
_DATE = re.compile(
    rf"(\d{{4}}-\d\d-\d\d)(?:[ t]{_CLOCK}(?: ?(z|[+-]\d\d:?\d\d(?::?\d\d)?))?)?", re.ASCII
)
_YESTERDAY = "yesterday"
_EPOCH = 1970
_FIRST = datetime(1, 1, 1, tzinfo=UTC)
_LAST = datetime(9999, 12, 31, 23, 59, 59, 999_999, UTC)


def read_as_of(text: str, now: datetime, zone: tzinfo | None = None) -> datetime:
    """Return the last moment that a reference such as ``@2h`` or ``@{2026-11-27 18:00}`` means, in
    the zone that it names, else in ``zone`` (None: that of the system). ``now`` is aware.

    >>> from hermes_checkpoints.base.as_of import read_as_of
    >>> noon = datetime(2026, 11, 29, 12, tzinfo=UTC)
    >>> read_as_of("@2h", noon, UTC).isoformat()
    '2026-11-29T10:00:00+00:00'
    >>> read_as_of("@{2026-11-27 18:00 +01:00}", noon).isoformat()
    '2026-11-27T18:00:59.999999+01:00'

    Raises:
        BadRequest: with the known forms, when it has none of them.
    """
    words = text.removeprefix(TIME_SIGN)
    if words.startswith("{") and words.endswith("}"):
        words = words[1:-1]
    words = words.strip().lower()
    try:
        found = _read(words, now, zone)
    except ValueError as error:
        raise BadRequest(f"{text!r} is no time: {error}") from error
    if found is None:
        raise BadRequest(f"{text!r} is no time; give {FORMS}")
    return found


def exactly(moment: datetime) -> str:
    """Return the reference that means just this aware moment, whenever and wherever it is read."""
    return f"{TIME_SIGN}{{{moment.isoformat(timespec='microseconds')}}}"


def _read(words: str, now: datetime, zone: tzinfo | None) -> datetime | None:
    """Return the moment, None where the form is not known.

    Raises:
        ValueError: when there is no such day or time.
    """
    if ago := _AGO.fullmatch(words):
        try:
            return _shown(now - timedelta(**{_UNITS[ago[2]]: int(ago[1])}), zone)
        except OverflowError:
            return _FIRST
    today = _shown(now, zone).date()
    if words == _YESTERDAY:
        return _local(today - timedelta(days=1), time.max, zone)
    if clock := _TODAY.fullmatch(words):
        return _local(today, _last(*clock.groups()), zone)
    if match := _DATE.fullmatch(words):
        day, *parts, offset = match.groups()
        clock_time = time.max if parts[0] is None else _last(*parts)
        there = zone if offset is None else _offset(offset)
        return _local(date.fromisoformat(day), clock_time, there)
    return None


def _last(hour: str, minute: str, second: str | None, fraction: str | None) -> time:
    """Return the last moment of the minute, second or fraction that is named."""
    seconds = 59 if second is None else int(second)
    micros = 999_999 if fraction is None else int(f"{fraction:0<6}"[:6])
    return time(int(hour), int(minute), seconds, micros)


def _offset(text: str) -> tzinfo:
    if text == "z":
        return UTC
    hours, minutes, *seconds = re.findall(r"\d\d", text)
    ahead = timedelta(hours=int(hours), minutes=int(minutes), seconds=int("".join(seconds) or 0))
    return timezone(-ahead if text.startswith("-") else ahead)


def _local(day: date, at: time, zone: tzinfo | None) -> datetime:
    """Return the moment of a local time: the later one, where it may mean two. Years before the
    first and after the last one that a clock can show count as those."""
    naive = datetime.combine(day, at)
    try:
        # Of one zone, times are compared by what they show; so they are compared in UTC.
        meant = (_aware(naive.replace(fold=fold), zone).astimezone(UTC) for fold in (0, 1))
        return _shown(max(meant), zone)
    except (OverflowError, OSError, ValueError):
        return _FIRST if naive.year < _EPOCH else _LAST


def _aware(naive: datetime, zone: tzinfo | None) -> datetime:
    return naive.astimezone() if zone is None else naive.replace(tzinfo=zone)


def _shown(moment: datetime, zone: tzinfo | None) -> datetime:
    return moment.astimezone(zone)
