"""What checkpoints held at which path, as their changes tell, for many paths by a few statements.

A change says how a path differs from the checkpoint that its own was compared with
(``previous_id``), which may be a tombstone by now. So what a live checkpoint holds is known by the
changes on its way back, and by no others: one that was dropped by hand has changes that nothing
came after. The changes of tombstones that are older than all live checkpoints are not told: a prune
has put those of several together (``shrinking.py``).
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Select, Table, bindparam, func, or_, select

from hermes_checkpoints.catalog.engine import Records
from hermes_checkpoints.catalog.rows import columns_of
from hermes_checkpoints.catalog.schema import (
    checkpoint_changes,
    checkpoints,
    path_events,
    projects,
)
from hermes_checkpoints.catalog.titles import title_of_turn
from hermes_checkpoints.model import ChangeStatus, PathEvent


@dataclass(frozen=True)
class Where:
    """Which paths are asked for: of the project with this hash, or of all; those with ``part``
    somewhere in them; those at or below ``at``."""

    project: str | None = None
    part: str = ""
    at: str | None = None


class ChangeRow(NamedTuple):
    """A change of a path, with the hash of its project and the row of its checkpoint. ``new_blob``
    is None where it was deleted, or where only its permissions changed."""

    project_hash: str
    row: int
    path: str
    status: ChangeStatus
    new_blob: str | None
    new_bytes: int | None
    insertions: int | None
    deletions: int | None
    old_mode: int | None = None
    new_mode: int | None = None


class EventRow(NamedTuple):
    """An event, with the hash of its project, the row of the last checkpoint before it, and the
    title of its turn."""

    project_hash: str
    after: int
    title: str | None
    event: PathEvent


_EVENT = columns_of(PathEvent, path_events)
_WITH_ROWS = ("live", "pruning", "pruned")


class Holdings(Records):
    """What is asked of changes and events for many paths. Every method is one statement."""

    def links(self, project: str | None) -> dict[int, int | None]:
        """Return the tombstones that are newer than the oldest live checkpoint of their project,
        each with the row that it was compared with."""
        rows = self._rows(_links(project is not None), _values(Where(project)))
        return {row[0]: row[1] for row in rows}

    def changes(self, where: Where) -> list[ChangeRow]:
        """Return the changes of live checkpoints, and of those tombstones, in the order of the
        checkpoints."""
        rows = self._rows(_changes(*_shape(where)), _values(where))
        return [ChangeRow(*row) for row in rows]

    def events(self, where: Where, *, newest: bool) -> list[EventRow]:
        """Return what happened to the paths, in the order in which it was seen; the ``newest``
        event of each alone, if that is asked."""
        rows = self._rows(_events(newest, *_shape(where)), _values(where))
        return [EventRow(row[0], row[1], row[2], PathEvent(*row[3:])) for row in rows]


def _shape(where: Where) -> tuple[bool, bool, bool]:
    return where.project is not None, bool(where.part), where.at is not None


def _values(where: Where) -> Mapping[str, str]:
    values = {"of_hash": where.project, "part": where.part or None, "at": where.at}
    if where.at is not None:
        values |= {"from": f"{where.at}/", "until": f"{where.at}0"}  # "0" comes after "/"
    return {name: value for name, value in values.items() if value is not None}


def _oldest_live() -> ColumnElement[int]:
    """Return the row of the oldest live checkpoint of the project of a row."""
    live = checkpoints.alias("live")
    found: ColumnElement[int] = (
        select(func.min(live.c.id))
        .where(live.c.state == "live", live.c.project_id == projects.c.id)
        .correlate(projects)
        .scalar_subquery()
    )
    return found


@functools.cache
def _links(project: bool) -> Select[Any]:
    query = (
        select(checkpoints.c.id, checkpoints.c.previous_id)
        .join_from(projects, checkpoints, checkpoints.c.project_id == projects.c.id)
        .where(
            checkpoints.c.state.in_(("pruning", "pruned")),
            checkpoints.c.ref_name.is_not(None),  # an emptied tombstone tells nothing
            checkpoints.c.id > _oldest_live(),
        )
    )
    return _of_project(query) if project else query


@functools.cache
def _changes(project: bool, part: bool, at: bool) -> Select[Any]:
    change = checkpoint_changes.c
    query = (
        select(projects.c.hash, change.checkpoint_id, change.path, change.status)
        .add_columns(change.new_blob, change.new_bytes, change.insertions, change.deletions)
        .add_columns(change.old_mode, change.new_mode)
        .join(checkpoints, checkpoints.c.id == change.checkpoint_id)
        .join(projects, projects.c.id == checkpoints.c.project_id)
        .where(
            checkpoints.c.state.in_(_WITH_ROWS),
            checkpoints.c.ref_name.is_not(None),
            checkpoints.c.id >= _oldest_live(),
            *_paths(checkpoint_changes, part, at),
        )
        .order_by(change.checkpoint_id)
    )
    return _of_project(query) if project else query


@functools.cache
def _events(newest: bool, project: bool, part: bool, at: bool) -> Select[Any]:
    query = (
        select(projects.c.hash, path_events.c.checkpoint_id, title_of_turn(path_events), *_EVENT)
        .join(projects, projects.c.id == path_events.c.project_id)
        .where(*_paths(path_events, part, at))
        .order_by(path_events.c.id)
    )
    if newest:
        last = path_events.alias("last")
        of_each = select(func.max(last.c.id)).group_by(last.c.project_id, last.c.path)
        query = query.where(path_events.c.id.in_(of_each.where(*_paths(last, part, at))))
    return _of_project(query) if project else query


def _of_project(query: Select[Any]) -> Select[Any]:
    return query.where(projects.c.hash == bindparam("of_hash"))


def _paths(table: Table | Any, part: bool, at: bool) -> list[ColumnElement[bool]]:
    """Return the conditions of the paths that are asked for."""
    path = table.c.path
    found: list[ColumnElement[bool]] = []
    if part:
        found.append(func.instr(path, bindparam("part", type_=path.type)) > 0)
    if at:
        first, until = (bindparam(name, type_=path.type) for name in ("from", "until"))
        below = (path >= first) & (path < until)
        found.append(or_(path == bindparam("at", type_=path.type), below))
    return found
