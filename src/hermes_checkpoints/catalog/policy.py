"""What decisions are told: every rule and the clock, as one row that a statement reads.

In the program its columns are bound values; in a view they can be subqueries on the settings.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    ColumnElement,
    FromClause,
    Integer,
    bindparam,
    case,
    select,
)
from sqlalchemy.sql.selectable import CTE
from sqlalchemy.types import TypeEngine

from hermes_checkpoints.catalog.types import UtcDateTime

if TYPE_CHECKING:
    from hermes_checkpoints.model import Policy

POLICY: dict[str, TypeEngine[Any]] = {
    "now": UtcDateTime(),
    "max_snapshots": Integer(),
    "max_safety_snapshots": Integer(),
    "retention_days": Integer(),
    "stale_before": UtcDateTime(),
    "delete_orphans": Boolean(),
    "orphan_before": UtcDateTime(),
    "orphan_grace_seconds": BigInteger(),
    "keep_last": Integer(),
    "keep_hourly": Integer(),
    "keep_daily": Integer(),
    "keep_weekly": Integer(),
    "keep_monthly": Integer(),
    "within_since": UtcDateTime(),
    "include_pinned": Boolean(),
    "only_limit": Boolean(),
    "cap_bytes": BigInteger(),
    "reclaim_bytes": BigInteger(),
    "own_limits": Boolean(),
}
"""The columns of a policy.

Numbers are off at 0. A project is stale if it was not touched after ``stale_before`` (null:
never), which is ``retention_days`` before ``now``; the days themselves stand in reasons only. An
orphan goes if its absence was first seen at ``orphan_before`` or earlier, which is
``orphan_grace_seconds`` before ``now``; where a person agreed both are null, and it goes at once.
What was taken at ``within_since`` or later is kept (null: nothing is, for that reason).
``only_limit`` is a take's trim: what no keep rule keeps goes by ``max_snapshots`` and
``max_safety_snapshots`` alone.
``cap_bytes`` is named in reasons, ``reclaim_bytes`` is what the size cap has to find.
``own_limits`` says that the ``max_snapshots`` of a project, where it has one, replaces the general
one.
"""

Values = Mapping[str, ColumnElement[Any]]
"""The columns of a policy as values, by name."""

_MOST = 2**62  # SQLite's numbers end at 2**63


def policy_of_parameters() -> CTE:
    """Return the policy whose every column is a bound value of that name."""
    columns = (bindparam(name, type_=kind).label(name) for name, kind in POLICY.items())
    return select(*columns).cte("policy")


def values_of(policy: FromClause) -> Values:
    """Return the columns of a policy as values by name. SQLite reads each once a statement, which
    costs less than to join the policy to every row."""
    return {name: select(policy.c[name]).scalar_subquery() for name in POLICY}


def all_if(condition: ColumnElement[bool]) -> ColumnElement[int]:
    """Return a limit that lets all rows through, or none, and then none is read."""
    return case((condition, -1), else_=0)


def values(
    policy: Policy,
    now: datetime,
    *,
    only_limit: bool = False,
) -> dict[str, Any]:
    """Return the bound values of ``policy_of_parameters``: the rules at this time."""
    keep, grace = policy.keep, policy.orphan_grace
    days = policy.retention_days
    numbers = {
        "max_snapshots": policy.max_snapshots,
        "max_safety_snapshots": policy.max_safety_snapshots,
        "retention_days": days,
        "keep_last": keep.last,
        "keep_hourly": keep.hourly,
        "keep_daily": keep.daily,
        "keep_weekly": keep.weekly,
        "keep_monthly": keep.monthly,
        "cap_bytes": policy.cap_bytes,
        "reclaim_bytes": policy.reclaim_bytes,
        "orphan_grace_seconds": int(grace.total_seconds()) if grace else 0,
    }
    return {
        **{name: min(number, _MOST) for name, number in numbers.items()},
        "now": now,
        "stale_before": _before(now, days=days) if days > 0 and not only_limit else None,
        "delete_orphans": policy.delete_orphans and not only_limit,
        "orphan_before": None if grace is None else _before(now, grace),
        "within_since": _before(now, keep.within) if keep.within else None,
        "include_pinned": policy.include_pinned,
        "only_limit": only_limit,
        "own_limits": policy.own_limits,
    }


def _before(now: datetime, time: timedelta = timedelta(), days: int = 0) -> datetime:
    try:
        return now - time - timedelta(days=days)
    except OverflowError:
        return datetime.min.replace(tzinfo=now.tzinfo)
