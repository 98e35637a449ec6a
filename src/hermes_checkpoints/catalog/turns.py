"""Turns: when the agent was at work, what it changed meanwhile, and what its tools reported.

A turn is open from a checkpoint until the host ends it or the next checkpoint is taken, so at
most one is open per project.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Table, or_, select, union_all, update
from sqlalchemy import literal_column as literal

from hermes_checkpoints.catalog.engine import Records, insert_row
from hermes_checkpoints.catalog.rows import columns_of, of_project
from hermes_checkpoints.catalog.schema import (
    agent_writes,
    checkpoint_changes,
    checkpoints,
    turn_changes,
    turns,
)
from hermes_checkpoints.model import Actor, AgentWrite, Change, Kind, Turn

_TURN = columns_of(Turn, turns)
_CHANGE = ("path", "status", "old_blob", "new_blob", "old_mode", "new_mode")

BY_HOST = "host"
BY_NEXT = "next"


class Turns(Records):
    """The tables ``turns``, ``turn_changes`` and ``agent_writes``. Every method is one
    transaction."""

    def open(self, project_id: int) -> Turn | None:
        """Return the open turn of a project, or None."""
        with self._transactions.reading() as connection:
            return _open(connection, project_id)

    def begin(
        self,
        project_id: int,
        *,
        start_checkpoint_id: int,
        session_id: str | None,
        turn: int | None,
        actor: Actor,
        changes_before: Iterable[Change],
        now: datetime,
    ) -> None:
        """Begin a turn, and end the open one with what it changed up to this checkpoint."""
        with self._transactions.writing() as connection:
            before = _open(connection, project_id)
            overlaps = None
            if before is not None:
                if before.session_id not in (None, session_id):
                    overlaps = before.session_id
                _end(connection, before.id, BY_NEXT, changes_before, now)
            connection.execute(
                turns.insert().values(
                    project_id=project_id,
                    session_id=session_id,
                    turn=turn,
                    start_checkpoint_id=start_checkpoint_id,
                    actor=actor.value,
                    started_at=now,
                    overlaps=overlaps,
                )
            )

    def end(
        self,
        project_id: int,
        *,
        by: str,
        changes: Iterable[Change],
        now: datetime,
        state_id: str | None = None,
    ) -> bool:
        """End the open turn with what it changed; False if none is open."""
        with self._transactions.writing() as connection:
            found = _open(connection, project_id)
            if found is None:
                return False
            _end(connection, found.id, by, changes, now, state_id)
        return True

    def add_restore(
        self, project_id: int, safety_id: int, changes: Iterable[Change], now: datetime
    ) -> None:
        """Record what a restore changed, as a turn that has ended."""
        values = {
            "project_id": project_id,
            "start_checkpoint_id": safety_id,
            "actor": Actor.RESTORE.value,
            "started_at": now,
            "ended_at": now,
            "ended_by": BY_HOST,
        }
        with self._transactions.writing() as connection:
            _insert_changes(connection, insert_row(connection, turns, values), changes)

    def record_write(
        self,
        project_id: int,
        path: str,
        *,
        session_id: str | None,
        turn: int | None,
        tool: str | None,
        blob: str | None,
        now: datetime,
    ) -> None:
        """Record that a tool of the agent wrote a file. ``blob`` is the id of its contents."""
        self._write(
            agent_writes.insert().values(
                project_id=project_id,
                path=path,
                session_id=session_id,
                turn=turn,
                tool=tool,
                blob=blob,
                written_at=now,
            )
        )

    def since(self, project_id: int, checkpoint_id: int) -> list[Turn]:
        """Return the turns that began at or after a checkpoint, oldest first."""
        query = (
            select(*_TURN)
            .where(turns.c.project_id == project_id, turns.c.start_checkpoint_id >= checkpoint_id)
            .order_by(turns.c.start_checkpoint_id, turns.c.id)
        )
        return [_turn(row) for row in self._rows(query)]

    def any_before(self, project_id: int, checkpoint_id: int) -> bool:
        """Tell whether a turn of a project began before a checkpoint. Where a prune has emptied
        tombstones before it, some may have: turns go with what began at them."""
        began = select(turns.c.id).where(
            turns.c.project_id == project_id, turns.c.start_checkpoint_id < checkpoint_id
        )
        emptied = select(checkpoints.c.id).where(
            checkpoints.c.state == "pruned",
            checkpoints.c.project_id == project_id,
            checkpoints.c.id < checkpoint_id,
            checkpoints.c.ref_name.is_(None),
        )
        return any(self._column(select(or_(began.exists(), emptied.exists()))))

    def rows_since(
        self, project_id: int, checkpoint_id: int, path: str | None = None
    ) -> tuple[dict[int, list[Change]], dict[int, list[Change]]]:
        """Return what turns changed, by turn id, and what the checkpoints after
        ``checkpoint_id`` changed, by checkpoint id; of one path if it is given."""
        of_turns = (
            select(literal("0"), turn_changes.c.turn_id, *_columns(turn_changes))
            .join(turns, turns.c.id == turn_changes.c.turn_id)
            .where(turns.c.project_id == project_id, turns.c.start_checkpoint_id >= checkpoint_id)
        )
        of_checkpoints = (
            select(literal("1"), checkpoint_changes.c.checkpoint_id, *_columns(checkpoint_changes))
            .join(checkpoints, checkpoints.c.id == checkpoint_changes.c.checkpoint_id)
            .where(
                *of_project(project_id),
                checkpoints.c.id > checkpoint_id,
                checkpoints.c.previous_id.is_not(None),
            )
        )
        if path is not None:
            of_turns = of_turns.where(turn_changes.c.path == path)
            of_checkpoints = of_checkpoints.where(checkpoint_changes.c.path == path)
        found: tuple[dict[int, list[Change]], dict[int, list[Change]]] = ({}, {})
        for which, key, *change in self._rows(union_all(of_turns, of_checkpoints)):
            found[which].setdefault(key, []).append(Change(*change))
        return found

    def checkpoints_since(
        self, project_id: int, checkpoint_id: int
    ) -> dict[int, tuple[datetime, str, Kind]]:
        """Return when a checkpoint and those after it were taken, and the state and kind of each,
        by id."""
        query = select(
            checkpoints.c.id, checkpoints.c.created_at, checkpoints.c.state_id, checkpoints.c.kind
        ).where(*of_project(project_id), checkpoints.c.id >= checkpoint_id)
        return {id_: (at, state, kind) for id_, at, state, kind in self._rows(query)}

    def writes(
        self, project_id: int, since: datetime | None = None, path: str | None = None
    ) -> list[AgentWrite]:
        """Return the writes that tools reported, oldest first."""
        columns = columns_of(AgentWrite, agent_writes)
        query = select(*columns).where(agent_writes.c.project_id == project_id)
        if since is not None:
            query = query.where(agent_writes.c.written_at >= since)
        if path is not None:
            query = query.where(agent_writes.c.path == path)
        return [AgentWrite(*row) for row in self._rows(query.order_by(agent_writes.c.id))]


def _columns(table: Table) -> list[ColumnElement[Any]]:
    return [table.c[name] for name in _CHANGE]


def _open(connection: Connection, project_id: int) -> Turn | None:
    row = connection.execute(
        select(*_TURN)
        .where(turns.c.project_id == project_id, turns.c.ended_at.is_(None))
        .order_by(turns.c.id.desc())
        .limit(1)
    ).first()
    return _turn(row) if row is not None else None


def _end(
    connection: Connection,
    turn_id: int,
    by: str,
    changes: Iterable[Change],
    now: datetime,
    state_id: str | None = None,
) -> None:
    connection.execute(
        update(turns)
        .where(turns.c.id == turn_id)
        .values(ended_at=now, ended_by=by, end_state=state_id)
    )
    _insert_changes(connection, turn_id, changes)


def _insert_changes(connection: Connection, turn_id: int, changes: Iterable[Change]) -> None:
    rows = [
        {"turn_id": turn_id, **{name: getattr(change, name) for name in _CHANGE}}
        for change in changes
    ]
    if rows:
        connection.execute(turn_changes.insert(), rows)


def _turn(row: Any) -> Turn:
    values = list(row)
    values[4] = Actor(values[4] or Actor.AGENT)
    return Turn(*values)
