"""What an agent was asked for when a checkpoint was the state: the titles of turns."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, select

from hermes_checkpoints.catalog.schema import turns


def title_of(checkpoint: ColumnElement[int]) -> ColumnElement[Any]:
    """Return the title of the last turn that began at the checkpoint with this id, or NULL: what
    was asked for when it was the state."""
    query = (
        select(turns.c.title)
        .where(turns.c.start_checkpoint_id == checkpoint, turns.c.title.is_not(None))
        .order_by(turns.c.id.desc())
        .limit(1)
    )
    return query.correlate(checkpoint.table).scalar_subquery()


def title_of_turn(of: Any) -> ColumnElement[Any]:
    """Return the title of the turn in which an event happened, of a table of events, or NULL."""
    query = (
        select(turns.c.title)
        .where(
            turns.c.session_id == of.c.session_id,
            turns.c.turn == of.c.turn,
            turns.c.project_id == of.c.project_id,
            turns.c.title.is_not(None),
        )
        .order_by(turns.c.id.desc())
        .limit(1)
    )
    return query.correlate(of).scalar_subquery()
