"""The journal of restores: what each planned, how far it came, and which took which back.

A row is written before the first path is touched, so that a killed restore is seen.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, bindparam, case, func, select, update

from hermes_checkpoints.catalog.decisions import is_safety
from hermes_checkpoints.catalog.engine import Records, insert_into, insert_row
from hermes_checkpoints.catalog.rows import columns_of, select_checkpoints
from hermes_checkpoints.catalog.schema import checkpoints, projects, restore_paths, restores
from hermes_checkpoints.model import (
    Action,
    Checkpoint,
    FailedPath,
    Mode,
    PlannedPath,
    RecordedStep,
    RestoreOf,
    RestoreRecord,
    RestoreRole,
    RestoreState,
    SafetyCheckpoint,
)

_RESTORE = (
    restores.c.id,
    restores.c.role,
    restores.c.state,
    restores.c.whole,
    restores.c.started_at,
    restores.c.target_id,
)

_STEP = columns_of(RecordedStep, restore_paths)


_END = update(restores).where(restores.c.id == bindparam("of_restore"))
_TAKEN_BACK = update(restores).where(
    restores.c.id
    == select(restores.c.undo_of).where(restores.c.id == bindparam("of_restore")).scalar_subquery()
)
_ITS_PATHS = update(restore_paths).where(restore_paths.c.restore_id == bindparam("of_restore"))
_END_PATHS = _ITS_PATHS.values(
    outcome=case((restore_paths.c.action == Action.KEEP, "kept"), else_="done")
)
_FAIL_PATH = _ITS_PATHS.where(
    restore_paths.c.path == bindparam("of_path", type_=restore_paths.c.path.type),
    restore_paths.c.action == bindparam("of_action", type_=restore_paths.c.action.type),
).values(outcome="failed")


class Restores(Records):
    """The tables ``restores`` and ``restore_paths``. Every method is one transaction."""

    def begin(
        self,
        project_id: int,
        operation_id: int,
        *,
        role: RestoreRole,
        mode: Mode,
        whole: bool,
        target: Checkpoint,
        safety: Checkpoint,
        undo_of: int | None,
        steps: Sequence[PlannedPath],
        now: datetime,
    ) -> int:
        """Write down a restore and all its steps before the first is done; return its id."""
        values = {
            "project_id": project_id,
            "operation_id": operation_id,
            "role": role,
            "state": RestoreState.WRITING,
            "mode": mode,
            "whole": whole,
            "target_id": None if target.is_fetched else target._row,
            "target_commit": target.id if target.is_fetched else None,
            "safety_id": safety._row,
            "undo_of": undo_of,
            "started_at": now,
        }
        with self._transactions.writing() as connection:
            restore_id = insert_row(connection, restores, values)
            rows = [
                {
                    "restore_id": restore_id,
                    "position": position,
                    "path": step.path,
                    "action": step.action,
                    "reason": step.reason,
                    "blob": step.blob,
                    "mode": step.mode,
                    "outcome": "planned",
                }
                for position, step in enumerate(steps)
            ]
            if rows:
                connection.execute(insert_into(restore_paths), rows)
        return restore_id

    def finish(self, restore_id: int, failed: Collection[FailedPath], now: datetime) -> None:
        """Write down how a restore ended. What it was to take back counts as taken back only
        if no path failed, so that an undo can be tried again."""
        state = RestoreState.PARTIAL if failed else RestoreState.DONE
        of_it = {"of_restore": restore_id}
        with self._transactions.writing() as connection:
            connection.execute(_END, {"state": state, "finished_at": now, **of_it})
            if not failed:
                connection.execute(_TAKEN_BACK, {"undone_by": restore_id, **of_it})
            connection.execute(_END_PATHS, of_it)
            if failed:
                rows = [
                    {"of_path": one.path, "of_action": one.action, "error": one.error, **of_it}
                    for one in failed
                ]
                connection.execute(_FAIL_PATH, rows)

    def interrupt(self, operation_id: int, now: datetime) -> bool:
        """Mark the restore of an operation as killed while it wrote; False if it was not."""
        writing = restores.c.state == RestoreState.WRITING
        statement = (
            update(restores)
            .where(restores.c.operation_id == operation_id, writing)
            .values(state=RestoreState.INTERRUPTED, finished_at=now)
        )
        return self._write(statement) > 0

    def of_operation(self, operation_id: int) -> RestoreRecord | None:
        """Return the restore of an operation, or None if it was killed before it began."""
        found = self._many(restores.c.operation_id == operation_id)
        return found[0] if found else None

    def to_undo(self, project_hash: str) -> RestoreRecord | None:
        """Return the newest restore or redo of a project that was not taken back."""
        return self._newest(
            project_hash,
            restores.c.role != RestoreRole.UNDO,
            restores.c.undone_by.is_(None),
        )

    def to_redo(self, project_hash: str) -> RestoreRecord | None:
        """Return the newest undo of a project that was not taken back, if no restore came
        after it."""
        found = self._newest(
            project_hash,
            restores.c.role == RestoreRole.UNDO,
            restores.c.undone_by.is_(None),
        )
        newest = self._newest(project_hash, restores.c.role == RestoreRole.RESTORE)
        if found is None or (newest is not None and newest.id > found.id):
            return None
        return found

    def is_undone(self, restore_id: int) -> bool:
        """Tell whether a restore, undo or redo was taken back."""
        query = select(restores.c.undone_by).where(restores.c.id == restore_id)
        return any(self._column(query))

    def interrupted(self) -> list[RestoreRecord]:
        """Return the restores that were killed while they wrote, are neither taken back nor
        done by a later try, and can be taken back, of all projects, newest first."""
        found = [_record(row) for row in self._rows(_interrupted())]
        return [one for one in found if one.safety.pruned_at is None]

    def safety_of(self, project_hash: str) -> list[SafetyCheckpoint]:
        """Return the live safety checkpoints of a project, newest first, each with the last
        restore, undo or redo before which it stands."""
        target, of_it = checkpoints.alias("target"), restores.alias("of_it")
        last = (
            select(func.max(of_it.c.id))
            .where(of_it.c.safety_id == checkpoints.c.id)
            .scalar_subquery()
        )
        to = func.coalesce(target.c.commit_id, restores.c.target_commit)
        query = (
            select_checkpoints()
            .add_columns(restores.c.role, restores.c.started_at, to)
            .outerjoin(restores, restores.c.id == last)
            .outerjoin(target, target.c.id == restores.c.target_id)
            .where(projects.c.hash == project_hash, checkpoints.c.state == "live", is_safety())
            .order_by(checkpoints.c.id.desc())
        )
        found = []
        for *safety, role, at, to in self._rows(query):
            since = None if role is None else RestoreOf(RestoreRole(role), at, to)
            found.append(SafetyCheckpoint(Checkpoint(*safety), since))
        return found

    def paths(self, restore_id: int) -> list[str]:
        """Return the paths that a restore touched or may have touched, in order."""
        query = (
            select(restore_paths.c.path)
            .where(restore_paths.c.restore_id == restore_id, restore_paths.c.action != "keep")
            .order_by(restore_paths.c.position)
        )
        return list(dict.fromkeys(self._column(query)))

    def steps(self, restore_id: int) -> list[RecordedStep]:
        """Return the steps of a restore, in order, with what became of each."""
        query = (
            select(*_STEP)
            .where(restore_paths.c.restore_id == restore_id)
            .order_by(restore_paths.c.position)
        )
        return [RecordedStep(*row) for row in self._rows(query)]

    def mark_done(self, restore_id: int, positions: Collection[int]) -> None:
        """Write down which steps of a restore that was cut short were done."""
        statement = (
            update(restore_paths)
            .where(
                restore_paths.c.restore_id == restore_id,
                restore_paths.c.position == bindparam("of_position"),
            )
            .values(outcome="done")
        )
        rows = [{"of_position": position} for position in sorted(positions)]
        if rows:
            self._write(statement, rows)

    # --- inside ----------------------------------------------------------------------------

    def _newest(self, project_hash: str, *where: ColumnElement[bool]) -> RestoreRecord | None:
        of_it = select(projects.c.id).where(projects.c.hash == project_hash).scalar_subquery()
        found = self._many(restores.c.project_id == of_it, *where, limit=1)
        return found[0] if found else None

    def _many(self, *where: ColumnElement[bool], limit: int | None = None) -> list[RestoreRecord]:
        return [_record(row) for row in self._rows(_newest_first(*where).limit(limit))]


def _newest_first(*where: ColumnElement[bool]) -> Select[Any]:
    return (
        select_checkpoints()
        .add_columns(*_RESTORE)
        .join(restores, restores.c.safety_id == checkpoints.c.id)
        .where(*where)
        .order_by(restores.c.id.desc())
    )


@functools.cache
def _interrupted() -> Select[Any]:
    return _newest_first(restores.c.state == RestoreState.INTERRUPTED, _unsettled())


def _record(row: Sequence[Any]) -> RestoreRecord:
    *safety, id_, role, state, whole, started_at, target = row
    return RestoreRecord(id_, role, state, whole, started_at, Checkpoint(*safety), target)


def _unsettled() -> ColumnElement[bool]:
    """Tell whether a restore was not taken back, nor what it was to take back by a later try."""
    other = restores.alias()
    settled = select(other.c.id).where(
        other.c.id == restores.c.undo_of, other.c.undone_by > restores.c.id
    )
    return restores.c.undone_by.is_(None) & ~settled.exists()
