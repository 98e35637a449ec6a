"""Which rows of checkpoints have changes that no later checkpoint builds on.

A take is compared with the newest live checkpoint. One that went before that, dropped by hand or
lost, is passed over: what it changed says nothing of those that came after. So is one of a few
named files, with which no checkpoint of the whole directory is compared.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, Select, and_, case, func, or_, select

from hermes_checkpoints.catalog.schema import CHECKPOINT_STATES, checkpoints, projects

_GONE = ("pruning", "pruned")


def left_behind(row: Any = checkpoints) -> ColumnElement[bool]:
    """Return the condition that a row is one that a later checkpoint of its project was not
    compared with, but with an earlier one, and that is not live. ``row`` is the table or an alias
    of it."""
    later = checkpoints.alias("later")
    passing = (
        select(later.c.id)
        .where(
            later.c.project_id == row.c.project_id,
            later.c.id > row.c.id,
            later.c.previous_id < row.c.id,
        )
        .correlate(row)
        .exists()
    )
    return and_(row.c.state.in_(_GONE), passing)


def built_on(*of: ColumnElement[bool]) -> Select[Any]:
    """Return the checkpoints that are gone and have changes, but for those that were left behind,
    each (``id``, ``project_id``) with the next live one of the whole directory, ``until``. This is
    the other side of ``left_behind`` for many rows, each of which is read once. ``of`` chooses
    whole projects; it may name the project of a row around it."""
    whole = and_(checkpoints.c.state == "live", checkpoints.c.partial.is_(False))

    def least_of_later(value: ColumnElement[Any]) -> ColumnElement[Any]:
        return func.min(value).over(
            partition_by=checkpoints.c.project_id,
            order_by=checkpoints.c.id.desc(),
            rows=(None, -1),
        )

    rows = (
        select(
            *(checkpoints.c[name] for name in ("id", "project_id", "state")),
            least_of_later(checkpoints.c.previous_id).label("passed"),
            least_of_later(case((whole, checkpoints.c.id))).label("until"),
        )
        .where(
            checkpoints.c.ref_name.is_not(None),  # an emptied tombstone has no changes
            checkpoints.c.state.in_(CHECKPOINT_STATES),
            *of,
        )
        .correlate(projects)
        .subquery("rows_there")
    )
    return select(rows.c.id, rows.c.project_id, rows.c.until).where(
        rows.c.state.in_(_GONE), or_(rows.c.passed.is_(None), rows.c.passed >= rows.c.id)
    )
