"""Removes what only pruned checkpoints needed, so that the catalog stays as small as what is live.

A tombstone answers what became of an id; nobody can go back to it. So of the time before the
oldest checkpoint that somebody can go back to, no turn, no event of a path and no skipped path is
asked for any more, and of all changes only one for each path: the last, which says what that
oldest checkpoint has from before, and how much space that takes; those of tombstones that were
left behind (``left_behind.py``) say nothing of it. These rows move to the first
tombstone of the project; the others keep nothing but their answer. Of the time since then all
changes stay; what happened to paths is folded before (attribution/folding.py).

Each transaction is short, so takes go on meanwhile; a kill in between costs nothing but the rest.
Each statement is made once and asked for many projects together: a prune reaches all of them.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Connection,
    Delete,
    Select,
    Table,
    and_,
    bindparam,
    case,
    delete,
    func,
    or_,
    select,
    true,
    union_all,
    update,
)

from hermes_checkpoints.catalog.decisions import unfinished
from hermes_checkpoints.catalog.engine import Records
from hermes_checkpoints.catalog.left_behind import left_behind
from hermes_checkpoints.catalog.schema import (
    THERE,
    checkpoint_changes,
    checkpoints,
    path_events,
    skipped_paths,
    turns,
)
from hermes_checkpoints.catalog.sqlite import chunks
from hermes_checkpoints.model import ChangeStatus, Kind

_change = checkpoint_changes.c
_PROJECTS = 100
"""How many projects are shrunk together."""

_CHECKPOINTS = 200
"""How many tombstones are shrunk together; more than ``_PROJECTS``, each of which keeps one."""

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
        waiting = self._column(_waiting())
        removed = 0
        for start in range(0, len(waiting), _PROJECTS):
            some, more = waiting[start : start + _PROJECTS], True
            while more:
                # What a power cut takes back is shrunk again.
                with self._transactions.writing(durable=False) as connection:
                    left = _AT_ONCE
                    while more and left > 0:
                        done = _step(connection, some)
                        removed += done.removed
                        left -= done.rows
                        more = bool(done.rows)
        return removed


def _waiting() -> Select[Any]:
    """Return the projects that have something to shrink: a tombstone more than the one that has
    the rows, or no checkpoint at all that is still there."""
    there = checkpoints.alias("there")
    of_it = select(func.min(there.c.id)).where(there.c.project_id == checkpoints.c.project_id)
    live = of_it.where(there.c.state.in_(THERE)).scalar_subquery()
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


def _oldest_needed() -> Select[Any]:
    """Return the query of the oldest checkpoint of each of ``projects`` to which somebody can go
    back, or could once the store has it again; of a project without one there is no row."""
    its = checkpoints.c.project_id.in_(bindparam("projects", expanding=True))
    some = select(checkpoints.c.project_id, checkpoints.c.id).where(its)
    restoring = checkpoints.c.id.in_(select(unfinished().c.id))
    found = union_all(
        some.where(checkpoints.c.state.in_(THERE)),
        some.where(checkpoints.c.lost_at.is_not(None)),
        some.where(restoring),
    ).subquery("found")
    oldest = func.min(found.c.id).label("oldest")
    return select(found.c.project_id, oldest).group_by(found.c.project_id)


_OLDEST_NEEDED = _oldest_needed()


def _tombstones() -> Select[Any]:
    """Return the query of the tombstones of ``projects`` to be shrunk, in order, each with its
    project and the oldest checkpoint that this needs."""
    needed = _OLDEST_NEEDED.subquery("needed")
    its = checkpoints.c.project_id.in_(bindparam("projects", expanding=True))
    return (
        select(checkpoints.c.project_id, checkpoints.c.id, needed.c.oldest)
        .outerjoin(needed, needed.c.project_id == checkpoints.c.project_id)
        .where(_unshrunk, its)
        .where(or_(needed.c.oldest.is_(None), checkpoints.c.id < needed.c.oldest))
        .order_by(checkpoints.c.project_id, checkpoints.c.id)
        .limit(_CHECKPOINTS)
    )


_TOMBSTONES = _tombstones()


def _step(connection: Connection, projects: Sequence[int]) -> _Done:
    """Shrink some of a few projects; nothing is done where nothing is left."""
    found = connection.execute(_TOMBSTONES, {"projects": projects}).all()
    groups = []
    for _, rows in itertools.groupby(found, itemgetter(0)):
        its = [(id_, oldest) for _, id_, oldest in rows]
        group = _Group([id_ for id_, _ in its], keep=its[0][1] is not None)
        if len(its) > 1 or not group.keep:
            groups.append(group)
    if groups:
        return _fold(connection, groups)
    return _Done(_forget_turns(connection, projects))


_IDS: BindParameter[Any] = bindparam("ids", expanding=True)
_IMPORTED = checkpoints.c.kind == Kind.IMPORTED  # a later import compares their trees and reasons
_FORGET_SKIPPED = delete(skipped_paths).where(skipped_paths.c.checkpoint_id.in_(_IDS))
_EMPTY = (
    update(checkpoints)
    .where(checkpoints.c.id.in_(_IDS))
    .values(
        **dict.fromkeys(_COUNTED, 0),
        ref_name=None,
        previous_id=None,
        session_id=None,
        turn=None,
        message_count=None,
        head=None,
        branch=None,
        reason=case((_IMPORTED, checkpoints.c.reason), else_=""),
        tree_id=case((_IMPORTED, checkpoints.c.tree_id), else_=None),
        state_id=case((_IMPORTED, checkpoints.c.state_id), else_=None),
    )
)


def _empty(connection: Connection, ids: Sequence[int]) -> None:
    """Remove from tombstones what nobody asks of them. They still say when and why."""
    for some in chunks(ids):
        connection.execute(_FORGET_SKIPPED, {"ids": some})
        connection.execute(_EMPTY, {"ids": some})


def _forget(table: Table, its: ColumnElement[bool], before: ColumnElement[int]) -> list[Delete]:
    """Return the statements that remove rows of ``of_project``, some at once: all that are
    ``its``, and those of them whose checkpoint, ``before``, is older than ``oldest``."""
    some = select(table.c.id).where(table.c.project_id == bindparam("of_project"), its)
    older = some.where(before < bindparam("oldest"))
    return [
        delete(table).where(table.c.id.in_(which.limit(bindparam("most"))))
        for which in (some, older)
    ]


_FORGETTING = (
    _forget(turns, turns.c.ended_at.is_not(None), turns.c.end_checkpoint_id),
    _forget(path_events, true(), path_events.c.checkpoint_id),
)


def _forget_turns(connection: Connection, projects: Sequence[int]) -> int:
    """Remove turns that ended, and what happened to paths, before the oldest checkpoint that each
    project needs; return how many rows went."""
    rows = connection.execute(_OLDEST_NEEDED, {"projects": projects})
    needed: dict[int, int] = {row[0]: row[1] for row in rows}
    most = max(_AT_ONCE // len(projects), 1)
    whole = [{"of_project": one, "most": most} for one in projects if one not in needed]
    older = [{"of_project": k, "oldest": v, "most": most} for k, v in needed.items()]
    return sum(
        connection.execute(statement, values).rowcount
        for statements in _FORGETTING
        for statement, values in zip(statements, (whole, older), strict=True)
        if values
    )


@dataclass(frozen=True)
class _Group:
    """Tombstones of a project. With ``keep`` the first of them is to have the last change of each
    path, and the others none; without it none has any."""

    ids: Sequence[int]
    keep: bool

    @property
    def emptied(self) -> Sequence[int]:
        return self.ids[1:] if self.keep else self.ids


def _fold(connection: Connection, groups: Sequence[_Group]) -> _Done:
    """Fold the changes of tombstones."""
    folded = [id_ for group in groups for id_ in group.emptied]
    rows = _rows(connection, folded)
    going: list[_Row] = []
    moving: list[dict[str, object]] = []
    last: dict[tuple[int, str], _Row] = {}
    behind = _left_behind(connection, folded)
    holders = {id_: group.ids[0] for group in groups if group.keep for id_ in group.ids}
    for row in rows:
        holder = holders.get(row.checkpoint_id)
        if holder is None or row.of_bits or row.checkpoint_id in behind:
            going.append(row)
            continue
        before = last.get((holder, row.path))
        if before is not None:
            going.append(before)
        last[holder, row.path] = row
    going += _rows_of(connection, list(last))
    for (holder, _), row in last.items():
        if row.status is ChangeStatus.DELETED:
            going.append(row)
        else:
            moving.append({**row.key, "to_id": holder})
    if going:
        connection.execute(_DELETE, [row.key for row in going])
    if moving:
        connection.execute(_MOVE, moving)
    _hand_over(connection, going)
    _empty(connection, folded)
    return _Done(sum(len(group.ids) for group in groups) + len(rows), len(going))


_ROW = select(*(_change[name] for name in _Row.__dataclass_fields__))
_ROWS = _ROW.where(_change.checkpoint_id.in_(_IDS))
_ROWS_OF = _ROW.where(
    _change.checkpoint_id == bindparam("of_id"),
    _change.path.in_(bindparam("paths", expanding=True)),
)
_LEFT_BEHIND = select(checkpoints.c.id).where(checkpoints.c.id.in_(_IDS), left_behind())
_NAMING = select(_change.checkpoint_id, _change.path, _change.new_blob, _change.stored_bytes).where(
    _change.new_blob.in_(bindparam("blobs", expanding=True))
)


def _hand_over(connection: Connection, gone: Iterable[_Row]) -> None:
    """Write the stored size of contents whose row went into another row that names them."""
    sizes: dict[str, int] = {}
    for row in gone:
        if row.new_blob and row.stored_bytes > sizes.get(row.new_blob, 0):
            sizes[row.new_blob] = row.stored_bytes
    for blobs in chunks(list(sizes)):
        others: dict[str, list[Any]] = {}
        for other in connection.execute(_NAMING, {"blobs": blobs}):
            others.setdefault(other.new_blob, []).append(other)
        resized = [
            {"of_id": rows[0].checkpoint_id, "of_path": rows[0].path, "stored": sizes[blob]}
            for blob, rows in others.items()
            if max(row.stored_bytes for row in rows) < sizes[blob]
        ]
        if resized:
            connection.execute(_RESIZE, resized)


def _left_behind(connection: Connection, ids: Sequence[int]) -> set[int]:
    """Return those of some tombstones that no later checkpoint builds on."""
    return {id_ for some in chunks(ids) for id_ in connection.scalars(_LEFT_BEHIND, {"ids": some})}


def _rows(connection: Connection, ids: Sequence[int]) -> list[_Row]:
    """Return the changes of some checkpoints, oldest first."""
    found = [_Row(*row) for some in chunks(ids) for row in connection.execute(_ROWS, {"ids": some})]
    return sorted(found, key=lambda row: row.checkpoint_id)


def _rows_of(connection: Connection, pairs: Iterable[tuple[int, str]]) -> list[_Row]:
    """Return the changes of these paths in these checkpoints."""
    paths: dict[int, list[str]] = {}
    for id_, path in pairs:
        paths.setdefault(id_, []).append(path)
    return [
        _Row(*row)
        for id_, its in paths.items()
        for some in chunks(its)
        for row in connection.execute(_ROWS_OF, {"of_id": id_, "paths": some})
    ]
