"""How long a remote is left alone that has denied access: nobody is helped by more of it, and
some servers lock accounts out."""

from __future__ import annotations

from datetime import datetime, timedelta

LONGEST_PAUSE = timedelta(hours=1)
_MOST_DOUBLINGS = 24


def pause(denials: int, min_interval_seconds: int) -> timedelta:
    """Return how long nothing is tried after so many denials in a row: the usual interval, doubled
    for each further one, an hour at most. A usual interval over an hour stays as it is.

    >>> [pause(denials, 60).seconds for denials in (0, 1, 2, 3, 20)]
    [60, 60, 120, 240, 3600]
    """
    usual = timedelta(seconds=min_interval_seconds)
    doublings = min(max(0, denials - 1), _MOST_DOUBLINGS)
    return max(usual, min(usual * (1 << doublings), LONGEST_PAUSE))


def may_try(
    now: datetime, last_failure_at: datetime | None, denials: int, min_interval_seconds: int
) -> bool:
    """Tell whether a remote may be tried again by itself; a person may always. A failure that lies
    in the future, since a clock was put back, holds nothing up."""
    if last_failure_at is None or denials <= 0 or last_failure_at > now:
        return True
    return now - last_failure_at >= pause(denials, min_interval_seconds)
