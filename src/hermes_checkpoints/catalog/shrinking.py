"""Removes what only pruned checkpoints needed, so that the catalog stays as small as what is live.

A tombstone answers what became of an id; nobody can go back to it. So of the time before the
oldest checkpoint that somebody can go back to, no turn, no event of a path and no skipped path is
asked for any more, and of all changes only one for each path: the last, which says what that
oldest checkpoint has from before, and how much space that takes. These rows move to the first
tombstone of the project; the others keep nothing but their answer. Of the time since then all
changes stay; what happened to paths is folded before (attribution/folding.py).

Each transaction is short, so takes go on meanwhile; a kill in between costs nothing but the rest.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    Connection,
    Select,
    and_,
    bindparam,
    case,
    delete,
    func,
    or_,
    select,
    update,
)

from hermes_checkpoints.catalog.changes import chunks
from hermes_checkpoints.catalog.decisions import unfinished
from hermes_checkpoints.catalog.engine import Records
from hermes_checkpoints.catalog.schema import (
    checkpoint_changes,
    checkpoints,
    path_events,
    skipped_paths,
    turns,
)
from hermes_checkpoints.model import ChangeStatus, Kind

_STILL_THERE = ("arriving", "live", "pruning")
_change = checkpoint_changes.c
_CHECKPOINTS = 200
"""How many tombstones are shrunk together."""

_AT_ONCE = 5_000
"""With how many rows a transaction has done enough."""

_COUNTED = (
    *("file_count", "logical_bytes", "added_bytes", "superseded_bytes", "stored_bytes"),
    *("held_bytes", "files_changed", "insertions", "deletions", "skipped_count", "ignored_count"),
)

_unshrunk = and_(checkpoints.c.state == "pruned", checkpoints.c.ref_name.is_not(None))
_key = and_(
    _change.checkpoint_id == bindparam("of_id"),
    _change.path == bindparam("of_path", type_=_change.path.type),
)
_DELETE = delete(checkpoint_changes).where(_key)
_MOVE = update(checkpoint_changes).where(_key).values(checkpoint_id=bindparam("to_id"))
_RESIZE = update(checkpoint_changes).where(_key).values(stored_bytes=bindparam("stored"))


@dataclass
class _Row:
    """A row of ``checkpoint_changes``."""

    checkpoint_id: int
    path: str
    status: ChangeStatus
    new_blob: str | None
    stored_bytes: int

    @property
    def of_bits(self) -> bool:
        """Whether permissions alone have changed, so that the contents are those of before."""
        return self.status is ChangeStatus.MODIFIED and self.new_blob is None

    @property
    def key(self) -> dict[str, object]:
        return {"of_id": self.checkpoint_id, "of_path": self.path}


class Shrinking(Records):
    """The removal of rows that nobody asks for any more. Every step is one transaction."""

    def shrink(self) -> int:
        """Remove what only pruned checkpoints needed; return how many rows of changes went.

        Costs one query where nothing was pruned that is older than all that is left.
        """
        waiting = deque(self._column(_waiting()))
        removed = 0
        while waiting:
            with self._transactions.writing() as connection:
                left = _AT_ONCE
                while waiting and left > 0:
                    done = _step(connection, waiting[0])
                    removed += done.removed
                    left -= done.rows
                    if not done.rows:
                        waiting.popleft()
        return removed


def _waiting() -> Select[Any]:
    """Return the projects that have something to shrink: a tombstone more than the one that has
    the rows, or no checkpoint at all that is still there."""
    there = checkpoints.alias("there")
    of_it = select(func.min(there.c.id)).where(there.c.project_id == checkpoints.c.project_id)
    live = of_it.where(there.c.state.in_(_STILL_THERE)).scalar_subquery()
    lost = of_it.where(there.c.lost_at.is_not(None)).scalar_subquery()
    oldest = func.coalesce(func.min(live, lost), live, lost)
    before = select(checkpoints.c.project_id, oldest.label("oldest")).where(
        _unshrunk, or_(oldest.is_(None), checkpoints.c.id < oldest)
    )
    found = before.subquery("before")
    return (
        select(found.c.project_id)
        .group_by(found.c.project_id)
        .having(or_(func.count() > 1, func.max(found.c.oldest).is_(None)))
    )


@dataclass
class _Done:
    """How many rows a step has dealt with, and how many of changes it removed."""

    rows: int
    removed: int = 0


def _step(connection: Connection, project_id: int) -> _Done:
    """Shrink some of a project; nothing is done where nothing is left."""
    oldest = oldest_needed(connection, project_id)
    query = select(checkpoints.c.id).where(_unshrunk, checkpoints.c.project_id == project_id)
    if oldest is not None:
        query = query.where(checkpoints.c.id < oldest)
    ids = connection.scalars(query.order_by(checkpoints.c.id).limit(_CHECKPOINTS)).all()
    if len(ids) > 1 or (ids and oldest is None):
        return _fold(connection, ids, keep=oldest is not None)
    return _Done(_forget_turns(connection, project_id, oldest))


def _empty(connection: Connection, ids: Sequence[int]) -> None:
    """Remove from tombstones what nobody asks of them. They still say when and why."""
    connection.execute(delete(skipped_paths).where(skipped_paths.c.checkpoint_id.in_(ids)))
    # A later import compares the trees and reasons of what was imported.
    imported = checkpoints.c.kind == Kind.IMPORTED
    connection.execute(
        update(checkpoints)
        .where(checkpoints.c.id.in_(ids))
        .values(
            **dict.fromkeys(_COUNTED, 0),
            ref_name=None,
            previous_id=None,
            session_id=None,
            turn=None,
            message_count=None,
            head=None,
            branch=None,
            reason=case((imported, checkpoints.c.reason), else_=""),
            tree_id=case((imported, checkpoints.c.tree_id), else_=None),
            state_id=case((imported, checkpoints.c.state_id), else_=None),
        )
    )


def _forget_turns(connection: Connection, project_id: int, oldest: int | None) -> int:
    """Remove turns that ended, and what happened to paths, before the oldest checkpoint that is
    needed; return how many rows went."""
    over = and_(turns.c.project_id == project_id, turns.c.ended_at.is_not(None))
    seen = path_events.c.project_id == project_id
    if oldest is not None:
        over = and_(over, turns.c.end_checkpoint_id < oldest)
        seen = and_(seen, path_events.c.checkpoint_id < oldest)
    removed = 0
    for table, which in ((turns, over), (path_events, seen)):
        some = select(table.c.id).where(which).limit(_AT_ONCE)
        removed += connection.execute(delete(table).where(table.c.id.in_(some))).rowcount
    return removed


def oldest_needed(connection: Connection, project_id: int) -> int | None:
    """Return the oldest checkpoint of a project to which somebody can go back, or could once the
    store has it again; or None."""
    there = select(func.min(checkpoints.c.id)).where(
        checkpoints.c.state.in_(_STILL_THERE), checkpoints.c.project_id == project_id
    )
    lost = select(func.min(checkpoints.c.id)).where(
        checkpoints.c.lost_at.is_not(None), checkpoints.c.project_id == project_id
    )
    restoring = select(func.min(checkpoints.c.id)).where(
        checkpoints.c.id.in_(select(unfinished().c.id)), checkpoints.c.project_id == project_id
    )
    found = (connection.scalar(query) for query in (there, lost, restoring))
    return min((id_ for id_ in found if id_ is not None), default=None)


def _fold(connection: Connection, ids: Sequence[int], *, keep: bool) -> _Done:
    """Let the first of some tombstones have the last change of each path, and the others none;
    without ``keep`` none has any."""
    holder = ids[0]
    rows = _rows(connection, ids[1:]) if keep else _rows(connection, ids)
    going: list[_Row] = []
    last: dict[str, _Row] = {}
    for row in rows:
        if row.of_bits or not keep:
            going.append(row)
            continue
        if row.path in last:
            going.append(last[row.path])
        last[row.path] = row
    going += _rows_of(connection, holder, list(last))
    going += [row for row in last.values() if row.status is ChangeStatus.DELETED]
    moving = [
        {**row.key, "to_id": holder}
        for row in last.values()
        if row.status is not ChangeStatus.DELETED
    ]
    if going:
        connection.execute(_DELETE, [row.key for row in going])
    if moving:
        connection.execute(_MOVE, moving)
    _hand_over(connection, going)
    _empty(connection, ids[1:] if keep else ids)
    return _Done(len(ids) + len(rows), len(going))


def _hand_over(connection: Connection, gone: Iterable[_Row]) -> None:
    """Write the stored size of contents whose row went into another row that names them."""
    sizes: dict[str, int] = {}
    for row in gone:
        if row.new_blob and row.stored_bytes > sizes.get(row.new_blob, 0):
            sizes[row.new_blob] = row.stored_bytes
    for blobs in chunks(list(sizes)):
        query = select(_change.checkpoint_id, _change.path, _change.new_blob, _change.stored_bytes)
        others: dict[str, list[Any]] = {}
        for other in connection.execute(query.where(_change.new_blob.in_(blobs))):
            others.setdefault(other.new_blob, []).append(other)
        resized = [
            {"of_id": rows[0].checkpoint_id, "of_path": rows[0].path, "stored": sizes[blob]}
            for blob, rows in others.items()
            if max(row.stored_bytes for row in rows) < sizes[blob]
        ]
        if resized:
            connection.execute(_RESIZE, resized)


def _rows(connection: Connection, ids: Sequence[int]) -> list[_Row]:
    """Return the changes of some checkpoints, oldest first."""
    query = (
        select(*(_change[name] for name in _Row.__dataclass_fields__))
        .where(_change.checkpoint_id.in_(ids))
        .order_by(_change.checkpoint_id)
    )
    return [_Row(*row) for row in connection.execute(query)]


def _rows_of(connection: Connection, checkpoint_id: int, paths: Sequence[str]) -> list[_Row]:
    found: list[_Row] = []
    for some in chunks(paths):
        query = select(*(_change[name] for name in _Row.__dataclass_fields__)).where(
            _change.checkpoint_id == checkpoint_id, _change.path.in_(some)
        )
        found += [_Row(*row) for row in connection.execute(query)]
    return found
