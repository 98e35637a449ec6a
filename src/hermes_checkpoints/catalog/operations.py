"""The journal: every take, restore, prune, gc, migration and rebuild, and how it ended.

An operation that did not end is still ``running`` here, so an interruption shows. The journal
is bounded: its oldest rows go, but never one that runs nor the newest success of a project.
"""

from __future__ import annotations

import functools
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    FromClause,
    Select,
    and_,
    bindparam,
    delete,
    func,
    or_,
    select,
    union_all,
    update,
)

from hermes_checkpoints.catalog.engine import Records, insert_row
from hermes_checkpoints.catalog.new_rows import TRIM_EVERY, milliseconds, operation_of
from hermes_checkpoints.catalog.rows import columns_of
from hermes_checkpoints.catalog.schema import checkpoints, operations, projects
from hermes_checkpoints.model import (
    JournalEntry,
    Operation,
    OperationKind,
    OperationOutcome,
)

if TYPE_CHECKING:
    from hermes_checkpoints.model import FailureRun

KEEP_ROWS = 7_000
"""The most rows that are kept, beside those that are never trimmed."""

_WORKED = (OperationOutcome.DONE, OperationOutcome.UNCHANGED, OperationOutcome.PARTIAL)
_LEFT_NOTHING = (OperationOutcome.FAILED, OperationOutcome.SKIPPED)
_ADDED = ("project_id", "checkpoint_id", "code", "message", "detail")
_RUNNING = operations.c.outcome == OperationOutcome.RUNNING
_OPERATION = columns_of(Operation, operations, working_dir=operations.c.workdir)


_ALL_RUNNING = select(*_OPERATION).where(_RUNNING).order_by(operations.c.id)
_WORKDIR = select(projects.c.workdir).where(projects.c.id == bindparam("of_project"))
"""The directory of a project; every row has its own, so that the journal reads alone."""

_STARTED = select(operations.c.started_at).where(operations.c.id == bindparam("of_id"))
_FINISH = update(operations).where(operations.c.id == bindparam("of_id"))
_FINISH_IN_PROJECT = _FINISH.values(
    workdir=func.coalesce(operations.c.workdir, _WORKDIR.scalar_subquery())
)


class Operations(Records):
    """The table ``operations``. Every method is one transaction."""

    def begin(self, entry: JournalEntry) -> int:
        """Record that an operation of this process starts; return its id for ``finish``."""
        return self._insert(replace(entry, outcome=OperationOutcome.RUNNING), None)

    def finish(self, operation_id: int, entry: JournalEntry, *, now: datetime) -> None:
        """Record that an operation ended ``now``, and how. Of ``entry``, only project,
        checkpoint, code, message and detail are added; what is None there stays as ``begin``
        recorded it."""
        with self._transactions.writing() as connection:
            added = {name: getattr(entry, name) for name in _ADDED}
            finish_operation(connection, operation_id, entry.outcome, now=now, **added)

    def withdraw(self, operation_id: int) -> None:
        """Forget an operation that runs, of which nothing is left."""
        with self._transactions.writing() as connection:
            connection.execute(delete(operations).where(operations.c.id == operation_id, _RUNNING))

    def record(self, entry: JournalEntry, *, now: datetime) -> int:
        """Record an operation that ended ``now``, by one insert; return its id."""
        return self._insert(entry, now)

    def running(self) -> list[Operation]:
        """Return the operations that have not ended, oldest first; killed ones are among them."""
        return [Operation(*row) for row in self._rows(_ALL_RUNNING)]

    def failure_runs(
        self, working_dir: str | None = None, *, since: datetime | None = None
    ) -> list[FailureRun]:
        """Return per working directory, or of one, the takes that failed, or that a guard refused,
        since the last that worked; with ``since`` where the newest of them began then or later.

        One statement; the directory that failed last comes first.
        """
        from hermes_checkpoints.model import FailureRun

        values = {"of_workdir": working_dir, "since": since}
        return [FailureRun(*row) for row in self._rows(_failure_runs(), values)]

    def last_success(self, working_dir: str | None = None) -> datetime | None:
        """Return when the newest take that worked, with or without a new checkpoint, ended: any, or
        that of one directory."""
        if working_dir is None:
            query, values = _last_success(), None
        else:
            query, values = _last_success_of(), {"of_workdir": working_dir}
        found: datetime | None = self._column(query, values)[0]
        return found

    def last_refusal(self, working_dir: str) -> str | None:
        """Return the code with which the last take of a whole directory was refused or failed, None
        where it worked or there was none. Partial checkpoints tell nothing of the whole."""
        return next(iter(self._column(_last_refusal(), {"of_workdir": working_dir})), None)

    def refused_since(self, working_dir: str, since: datetime) -> bool:
        """Tell whether a guard has refused a take of a whole directory since a moment, and none has
        worked after that."""
        values = {"of_workdir": working_dir, "since": since}
        return any(self._column(_refused_since(), values))

    def _insert(self, entry: JournalEntry, finished_at: datetime | None) -> int:
        values = operation_of(entry, finished_at)
        with self._transactions.writing() as connection:
            if entry.working_dir is None and entry.project_id is not None:
                values["workdir"] = connection.scalar(_WORKDIR, {"of_project": entry.project_id})
            new_id = insert_row(connection, operations, values)
            if new_id % TRIM_EVERY == 0:
                trim(connection, KEEP_ROWS - TRIM_EVERY)
        return new_id


@functools.cache
def _failure_runs() -> Select[Any]:
    only = bindparam("of_workdir", type_=operations.c.workdir.type)
    since = bindparam("since", type_=operations.c.started_at.type)
    runs = (
        select(
            operations.c.workdir,
            func.count().label("failures"),
            func.min(operations.c.started_at).label("since"),
            func.max(operations.c.id).label("newest"),
        )
        .where(unresolved(), or_(only.is_(None), operations.c.workdir == only))
        .group_by(operations.c.workdir)
        .cte("runs")
    )
    newest = operations.alias("newest")
    return (
        select(
            runs.c.workdir,
            runs.c.failures,
            runs.c.since,
            func.coalesce(newest.c.message, newest.c.code, "unknown"),
            newest.c.outcome != OperationOutcome.FAILED,
            newest.c.started_at,
        )
        .join(newest, newest.c.id == runs.c.newest)
        .where(or_(since.is_(None), newest.c.started_at >= since))
        .order_by(runs.c.newest.desc())
    )


@functools.cache
def _last_success() -> Select[Any]:
    newest = [
        select(operations.c.finished_at)
        .where(
            operations.c.outcome == outcome,
            operations.c.kind == OperationKind.TAKE,
            _of_the_whole(operations),
        )
        .order_by(operations.c.id.desc())
        .limit(1)
        .subquery()
        for outcome in _WORKED
    ]
    found = union_all(*(select(one.c.finished_at) for one in newest)).subquery()
    return select(func.max(found.c.finished_at))


@functools.cache
def _last_success_of() -> Select[Any]:
    only = bindparam("of_workdir", type_=operations.c.workdir.type)
    return select(func.max(operations.c.finished_at)).where(worked(), operations.c.workdir == only)


@functools.cache
def _last_refusal() -> Select[Any]:
    return (
        select(operations.c.code)
        .outerjoin(checkpoints, checkpoints.c.id == operations.c.checkpoint_id)
        .where(
            operations.c.kind == OperationKind.TAKE,
            operations.c.workdir == bindparam("of_workdir"),
            or_(operations.c.code.is_not(None), checkpoints.c.partial.is_(False)),
        )
        .order_by(operations.c.id.desc())
        .limit(1)
    )


@functools.cache
def _refused_since() -> Select[Any]:
    return (
        select(operations.c.id)
        .where(
            operations.c.workdir == bindparam("of_workdir", type_=operations.c.workdir.type),
            operations.c.started_at >= bindparam("since", type_=operations.c.started_at.type),
            operations.c.kind == OperationKind.TAKE,
            operations.c.outcome == OperationOutcome.SKIPPED,
            of_no_later_success(),
        )
        .limit(1)
    )


def worked(of: FromClause = operations) -> ColumnElement[bool]:
    """Tell whether an operation is a take that worked, with or without a new checkpoint. A partial
    one is no such take: the directory as a whole was not captured."""
    return and_(of.c.kind == OperationKind.TAKE, of.c.outcome.in_(_WORKED), _of_the_whole(of))


def _of_the_whole(of: FromClause) -> ColumnElement[bool]:
    partial = select(checkpoints.c.id).where(
        checkpoints.c.id == of.c.checkpoint_id, checkpoints.c.partial
    )
    return ~partial.exists()


def of_no_later_success() -> ColumnElement[bool]:
    """Tell whether an operation is one of a directory of which no take has worked since."""
    later = operations.alias("later")
    after = later.c.workdir == operations.c.workdir, later.c.id > operations.c.id
    return and_(
        operations.c.workdir.is_not(None),
        ~select(later.c.id).where(worked(later), *after).exists(),
    )


def unresolved() -> ColumnElement[bool]:
    """Tell whether an operation is a take that failed or that a guard refused, in a directory of
    which no take has worked since."""
    return and_(
        operations.c.kind == OperationKind.TAKE,
        operations.c.outcome.in_(_LEFT_NOTHING),
        of_no_later_success(),
    )


def finish_operation(
    connection: Connection,
    operation_id: int,
    outcome: OperationOutcome,
    *,
    now: datetime,
    project_id: int | None = None,
    **added: Any,
) -> None:
    """End an operation as part of the caller's transaction. Columns of which None is ``added``
    stay as they are."""
    started = connection.scalar(_STARTED, {"of_id": operation_id})
    if started is None:
        return  # trimmed rows had ended; an unknown id has nothing to end
    values: dict[str, Any] = {
        "outcome": outcome,
        "finished_at": now,
        "duration_ms": milliseconds(started, now),
    }
    values |= {name: value for name, value in added.items() if value is not None}
    if project_id is not None:
        values |= {"project_id": project_id, "of_project": project_id}
    statement = _FINISH if project_id is None else _FINISH_IN_PROJECT
    connection.execute(statement, {"of_id": operation_id, **values})


def trim(connection: Connection, keep: int) -> None:
    """Delete all but the newest ``keep`` rows, as part of the caller's transaction.

    Rows that run and the newest success of each kind and project stay beside them.
    """
    oldest_kept = (
        select(operations.c.id).order_by(operations.c.id.desc()).limit(1).offset(keep - 1)
    ).scalar_subquery()
    newest_success = (
        select(func.max(operations.c.id))
        .where(operations.c.outcome.in_(_WORKED))
        .group_by(operations.c.kind, operations.c.project_id, operations.c.workdir)
    )
    connection.execute(
        delete(operations).where(
            operations.c.id < oldest_kept,
            ~_RUNNING,
            operations.c.id.not_in(newest_success),
        )
    )
