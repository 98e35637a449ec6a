"""What decisions are told: every rule and the clock, as one row that a statement reads.

In the program its columns are bound values; in a view they can be subqueries on the settings.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

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
