"""Which rows of checkpoints have changes that no later checkpoint builds on.

A take is compared with the newest live checkpoint. One that went before that, dropped by hand or
lost, is passed over: what it changed says nothing of those that came after.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, and_, select

from hermes_checkpoints.catalog.schema import checkpoints


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
    return and_(row.c.state.in_(("pruning", "pruned")), passing)
