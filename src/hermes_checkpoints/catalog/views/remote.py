"""The views of remotes: how far they have the checkpoints of this base, and what is on them."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Select

from hermes_checkpoints.catalog import elsewhere, remotes
from hermes_checkpoints.catalog.views.sql import second

_TIMES = frozenset({"oldest_unsent_at", "last_sent_at", "oldest_at", "newest_at", "last_seen"})


def push_status() -> Select[Any]:
    return _in_seconds(remotes.push_status())


def remote_list() -> Select[Any]:
    return _in_seconds(elsewhere.remote_list())


def _in_seconds(query: Select[Any]) -> Select[Any]:
    """Return a query with its times cut to seconds."""
    columns = [
        second(column.element).label(column.name) if column.name in _TIMES else column
        for column in query.selected_columns
    ]
    return query.with_only_columns(*columns, maintain_column_froms=True)
