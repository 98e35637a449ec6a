"""What is answered directly, by kind of record, in the words of the classes of the whole catalog.

Each method returns what the method of the same name there returns (tests/catalog/direct compares
them on real catalogs). One that is missing here, or meets something unusual, is answered there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import wraps
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

from hermes_checkpoints.catalog.direct import statements as sql
from hermes_checkpoints.catalog.direct.reader import NotDirect, Reader, Statement
from hermes_checkpoints.catalog.sqlite import MOST, chunks
from hermes_checkpoints.fs import forks

if TYPE_CHECKING:
    from hermes_checkpoints.catalog import Catalog
    from hermes_checkpoints.catalog.agreement import RefRow
    from hermes_checkpoints.catalog.form import Form, Left
    from hermes_checkpoints.catalog.recorded import BlobSize, LeftUnsent
    from hermes_checkpoints.model import (
        Change,
        Checkpoint,
        CheckpointFacts,
        Decision,
        FailedPath,
        FailureRun,
        FileIdentity,
        HeldProject,
        JournalEntry,
        LastLook,
        LegacyRecord,
        Mode,
        Operation,
        Origin,
        PlannedPath,
        Policy,
        ProjectRecord,
        ProjectState,
        ProjectStatus,
        RestoreRecord,
        RestoreRole,
        SafetyCheckpoint,
        SkippedPath,
    )
    from hermes_checkpoints.model import Standing as StandingNow

    _Found = list[Checkpoint]  # inside the class, `list` is a method
    _Skipped = list[SkippedPath]

NO_LIMIT = -1
_HEX = re.compile(r"[0-9a-f]{1,64}")

Method = TypeVar("Method", bound=Callable[..., Any])


class Source(Protocol):
    """Has the reader of this thread, while there is one, and opens the whole catalog."""

    def direct(self) -> Reader | None: ...

    def whole(self) -> Catalog: ...


def directly(method: Method) -> Method:
    """Let the whole catalog answer where this method cannot."""
    name = method.__name__

    @wraps(method)
    def answer(self: Answers, *args: Any, **given: Any) -> Any:
        reader = self._source.direct()
        if reader is not None:
            args = tuple(_again(one) for one in args)
            given = {key: _again(one) for key, one in given.items()}
            with suppress(NotDirect), forks.undivided():
                return method(self, *args, **given)
        return getattr(self._whole(), name)(*args, **given)

    return cast(Method, answer)


def _again(value: Any) -> Any:
    """Return what is given as what can be gone through twice: here, and by the whole catalog."""
    return [*value] if isinstance(value, Iterator) else value


class Answers:
    """One kind of record: what it does not have itself is of the whole catalog."""

    def __init__(self, source: Source, name: str) -> None:
        self._source = source
        self._name = name

    @property
    def _reader(self) -> Reader:
        """The reader of this thread."""
        reader = self._source.direct()
        if reader is None:
            raise NotDirect  # another thread needed the whole catalog meanwhile
        return reader

    def _whole(self) -> Any:
        return getattr(self._source.whole(), self._name)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._whole(), name)


class Settings(Answers):
    """``catalog.settings``."""

    @directly
    def get(self, name: str) -> str | None:
        values = self._reader.column(sql.SETTING, name=name)
        return str(values[0]) if values else None

    @directly
    def keep(
        self, values: Mapping[str, str], now: datetime, *, patience: float | None = None
    ) -> None:
        del patience  # where others write for long, the whole catalog waits
        found = dict(self._reader.rows(sql.SETTINGS))
        changed = {name: value for name, value in values.items() if found.get(name) != value}
        if changed:
            with self._reader.writing(durable=True):
                for name, value in changed.items():
                    _set(self._reader, {"name": name, "value": value, "now": now})

    @directly
    def set(self, name: str, value: str, now: datetime, *, durable: bool = True) -> None:
        if self._reader.column(sql.SETTING, name=name) == [value]:
            return
        row = {"name": name, "value": value, "now": now}
        with self._reader.writing(durable=durable):
            _set(self._reader, row)


class Projects(Answers):
    """``catalog.projects``."""

    @directly
    def get(self, hash: str) -> ProjectRecord | None:  # noqa: A002 - the column's name
        from hermes_checkpoints.model import ProjectRecord

        rows = self._reader.rows(sql.PROJECT, hash=hash)
        return ProjectRecord(*rows[0]) if rows else None

    @directly
    def origin(self, hash: str) -> Origin:  # noqa: A002 - the column's name
        from hermes_checkpoints.model import Origin

        rows = self._reader.rows(sql.PROJECT_ORIGIN, hash=hash)
        return Origin(*rows[0]) if rows else Origin()

    @directly
    def all(self) -> list[ProjectRecord]:
        from hermes_checkpoints.model import ProjectRecord

        return [ProjectRecord(*row) for row in self._reader.rows(sql.PROJECTS)]

    @directly
    def keep_limits(self, limit_of: Callable[[str], int | None] | None) -> None:
        if limit_of is None:
            if self._reader.rows(sql.PROJECTS_WITH_LIMITS):
                raise NotDirect
        elif any(limit_of(name) != known for name, known in self._reader.rows(sql.PROJECT_LIMITS)):
            raise NotDirect

    @directly
    def at_or_above(self, path: str) -> frozenset[str]:
        folders = [path, *map(str, PurePath(path).parents)]
        return frozenset(self._reader.column(sql.PROJECTS_AT, folders=folders))

    @directly
    def related(self, working_dir: str) -> list[ProjectRecord]:
        from hermes_checkpoints.catalog.recorded import around_of, nearest_first
        from hermes_checkpoints.model import ProjectRecord

        around = around_of(working_dir)
        found = [ProjectRecord(*row) for row in self._reader.rows(sql.RELATED, **around)]
        return nearest_first(found, around["parents"])

    @directly
    def working_dirs(self) -> frozenset[str]:
        return frozenset(self._reader.column(sql.WORKING_DIRS))

    @directly
    def ensure(
        self,
        hash: str,  # noqa: A002 - the column's name
        working_dir: str,
        now: datetime,
        *,
        identity: FileIdentity | None,
        parent: FileIdentity | None,
        origin: Origin | None = None,
        max_snapshots: int | None = None,
    ) -> ProjectRecord:
        from hermes_checkpoints.catalog.new_rows import places_of
        from hermes_checkpoints.model import ProjectRecord

        if None in (identity, parent) or max_snapshots is not None:
            raise NotDirect
        told = {"hash": hash, "now": now, **places_of(identity, parent)}
        touch = sql.TOUCH
        if origin is not None:
            touch, told = sql.TOUCH_AND_PLACE, {**told, **vars(origin)}
        with self._reader.writing(durable=True):
            rows = self._reader.rows(touch, **told)
            if not rows and origin is not None:
                raise NotDirect
            rows = rows or self._reader.rows(sql.ADD_PROJECT, **told, workdir=working_dir)
        return ProjectRecord(*rows[0])

    @directly
    def set_states(self, states: Mapping[str, ProjectState], now: datetime) -> None:
        of_state: dict[ProjectState, list[str]] = {}
        for hash_, found in states.items():
            of_state.setdefault(found, []).append(hash_)
        rows = [
            {"hashes": some, "state": found, "now": now}
            for found, hashes in of_state.items()
            for some in chunks(hashes)
        ]
        self._reader.write(sql.SET_STATE, rows)


class Plans(Answers):
    """``catalog.plans``."""

    @directly
    def is_within(self, most: int, most_safety: int, project: str) -> bool:
        told = {"max_snapshots": min(most, MOST), "max_safety_snapshots": min(most_safety, MOST)}
        return bool(self._reader.column(sql.WITHIN_LIMITS, **told, project=project)[0])

    @directly
    def over_limit(self, policy: Policy, now: datetime, project: str) -> tuple[Decision, ...]:
        from hermes_checkpoints.catalog.policy_values import in_order, parameters, project_of

        if policy.own_limits or policy.include_pinned:
            raise NotDirect
        told = parameters(policy, now, project=project, only_limit=True)
        with self._reader.consistent():
            rows = self._reader.rows(sql.OVER_LIMIT, **told)
            its = self._reader.rows(sql.ITS_FACTS, project=project) if rows else []
        return in_order(rows, {row[0]: project_of(row) for row in its})

    @directly
    def standing(
        self, decisions: Sequence[Decision], orphans: Collection[str] | None = None
    ) -> list[StandingNow | None]:
        from hermes_checkpoints.catalog.policy_values import judged_again, standings

        return standings(self._reader.rows(sql.STANDING, **judged_again(decisions, orphans)))


class Remotes(Answers):
    """``catalog.remotes``."""

    @directly
    def left_unsent(self, shown: str, before: datetime) -> LeftUnsent:
        from hermes_checkpoints.catalog.recorded import LeftUnsent

        [row] = self._reader.rows(sql.LEFT_UNSENT, shown=shown, before=before)
        return LeftUnsent(*row)


class Standing(Answers):
    """``catalog.standing``."""

    @directly
    def form(self) -> Form:
        from hermes_checkpoints.catalog.form import form_of

        with self._reader.driver() as driver:
            return form_of(driver)

    @directly
    def proven_form(self) -> Form:
        from hermes_checkpoints.catalog.form import form_of

        with self._reader.consistent(), self._reader.driver() as driver:
            self._reader.require_usual()
            return form_of(driver)

    @directly
    def left(self) -> Left:
        from hermes_checkpoints.catalog.form import left_in

        with self._reader.driver() as driver:
            return left_in(driver)


class Retention(Answers):
    """``catalog.retention``."""

    @directly
    def unpin(self, ids: Iterable[int]) -> None:
        if [*ids]:
            raise NotDirect

    @directly
    def last_looks(
        self, fresh: tuple[datetime, datetime], hashes: Collection[str] | None = None
    ) -> list[LastLook]:
        from hermes_checkpoints.model import LastLook

        moments = {"since": fresh[0], "until": fresh[1]}
        if hashes is None:
            rows = self._reader.rows(sql.LAST_LOOKS, **moments)
        else:
            rows = self._reader.rows(sql.SOME_LAST_LOOKS, **moments, hashes=list(hashes))
        return [LastLook(*row) for row in rows]

    @directly
    def set_identities(self, seen: Mapping[str, tuple[FileIdentity, FileIdentity]]) -> None:
        if seen:
            raise NotDirect


class Status(Answers):
    """``catalog.status``."""

    @directly
    def projects(self, limit: int | None = None, *, only: str | None = None) -> list[ProjectStatus]:
        from hermes_checkpoints.model import ProjectRecord, ProjectStatus

        most = NO_LIMIT if limit is None else limit
        if only is None:
            rows = self._reader.rows(sql.PROJECT_FIGURES, limit=most)
        else:
            rows = self._reader.rows(sql.FIGURES_OF_PROJECT, limit=most, hash=only)
        return [ProjectStatus(ProjectRecord(*row[:-3]), *row[-3:]) for row in rows]

    @directly
    def held(self, fresh: tuple[datetime, datetime]) -> list[HeldProject]:
        from hermes_checkpoints.model import HeldProject, LastLook

        rows = self._reader.rows(sql.HELD, since=fresh[0], until=fresh[1])
        return [HeldProject(row[0], row[1], row[2], LastLook(*row[3:])) for row in rows]

    @directly
    def totals(self) -> tuple[int, int]:
        ((projects, live),) = self._reader.rows(sql.TOTALS)
        return projects, live


class Usage(Answers):
    """``catalog.usage``."""

    @directly
    def added(self) -> int:
        return int(self._reader.column(sql.ADDED_BYTES)[0])

    @directly
    def fetched(self) -> int:
        return int(self._reader.column(sql.FETCHED_BYTES)[0])

    @directly
    def store(self) -> tuple[int | None, str | None, bool]:
        ((size, at, grown),) = self._reader.rows(sql.STORE_SIZE)
        return size, at, grown


class Operations(Answers):
    """``catalog.operations``."""

    @directly
    def running(self) -> list[Operation]:
        from hermes_checkpoints.model import Operation

        return [Operation(*row) for row in self._reader.rows(sql.RUNNING)]

    @directly
    def failure_runs(
        self, working_dir: str | None = None, *, since: datetime | None = None
    ) -> list[FailureRun]:
        from hermes_checkpoints.model import FailureRun

        rows = self._reader.rows(sql.FAILURE_RUNS, dir=working_dir, since=since)
        return [FailureRun(*row) for row in rows]

    @directly
    def last_success(self, working_dir: str | None = None) -> datetime | None:
        if working_dir is not None:
            raise NotDirect
        found: datetime | None = self._reader.column(sql.LAST_SUCCESS)[0]
        return found

    @directly
    def refused_since(self, working_dir: str, since: datetime) -> bool:
        return bool(self._reader.rows(sql.REFUSED_SINCE, dir=working_dir, since=since))

    @directly
    def begin(self, entry: JournalEntry) -> int:
        from hermes_checkpoints.model import OperationOutcome

        return self._add(replace(entry, outcome=OperationOutcome.RUNNING), None)

    @directly
    def finish(self, operation_id: int, entry: JournalEntry, *, now: datetime) -> None:
        told = (entry.project_id, entry.checkpoint_id)
        if None in told or (entry.code, entry.message) != (None, None):
            raise NotDirect
        row = {
            "outcome": entry.outcome,
            "project": entry.project_id,
            "checkpoint": entry.checkpoint_id,
            "detail": entry.detail,
        }
        with self._reader.writing(durable=True):
            _finish(self._reader, sql.FINISH, operation_id, now, row)

    @directly
    def record(self, entry: JournalEntry, *, now: datetime) -> int:
        return self._add(entry, now)

    def _add(self, entry: JournalEntry, now: datetime | None) -> int:
        from hermes_checkpoints.catalog.new_rows import TRIM_EVERY, operation_of

        if entry.working_dir is None:
            raise NotDirect
        row = {"finished_at": None, "duration_ms": None, **operation_of(entry, now)}
        with self._reader.writing(durable=True):
            new_id = self._reader.insert(sql.RECORD, row)
            if new_id % TRIM_EVERY == 0:
                raise NotDirect  # the whole catalog adds it, and trims
        return new_id

    @directly
    def last_refusal(self, working_dir: str) -> str | None:
        return next(iter(self._reader.column(sql.LAST_REFUSAL, dir=working_dir)), None)


class Checkpoints(Answers):
    """``catalog.checkpoints``."""

    @directly
    def list(
        self,
        project_hash: str,
        *,
        limit: int | None = None,
        session_id: str | None = None,
        include_pruned: bool = False,
        safety: bool = True,
    ) -> _Found:
        if session_id is not None or include_pruned:
            raise NotDirect
        statement = sql.LISTED_WITH_SAFETY if safety else sql.LISTED
        most = NO_LIMIT if limit is None else limit
        return _checkpoints(self._reader.rows(statement, hash=project_hash, limit=most))

    @directly
    def blob_sizes(self, ids: Iterable[str]) -> dict[str, BlobSize]:
        from hermes_checkpoints.catalog.recorded import BlobSize

        found: dict[str, BlobSize] = {}
        for some in chunks(sorted(set(ids))):
            rows = self._reader.rows(sql.BLOB_SIZES, blobs=some)
            found |= {row[0]: BlobSize(row[1], row[2], bool(row[3])) for row in rows}
        return found

    @directly
    def add(
        self,
        project: ProjectRecord,
        facts: CheckpointFacts,
        *,
        changes: Sequence[Change],
        added_bytes: int,
        superseded_bytes: int,
        previous_id: int | None,
        operation_id: int | None,
        now: datetime,
        row: int | None = None,
        grown_bytes: int = 0,
        move_label: bool = False,
    ) -> Checkpoint:
        from hermes_checkpoints.catalog.keys import STORE_GROWTH
        from hermes_checkpoints.catalog.new_rows import checkpoint_of, held_of

        del move_label  # what has a label is for the whole catalog
        if (row, facts.label, facts.former_id) != (None, None, None):
            raise NotDirect
        reader = self._reader
        with reader.writing(durable=True):
            if facts.project_hash != project.hash or reader.rows(sql.OF_COMMIT, commit=facts.id):
                raise NotDirect
            values = checkpoint_of(project.id, facts, changes)
            ((before, partly),) = reader.rows(
                sql.HELD_BEFORE, previous=previous_id, project=project.id
            )
            if partly and changes:
                raise NotDirect
            values |= {
                "added_bytes": added_bytes,
                "superseded_bytes": superseded_bytes,
                "previous_id": previous_id,
                "held_bytes": held_of(before, cast(int, values["stored_bytes"]), superseded_bytes),
            }
            key = reader.insert(sql.ADD_CHECKPOINT, values)
            its = {"checkpoint_id": key}
            reader.insert_all(sql.ADD_CHANGE, (vars(one) | its for one in changes))
            reader.insert_all(sql.ADD_SKIPPED, (vars(one) | its for one in facts.skipped))
            reader.write(sql.TOUCH_AGAIN, [{"project": project.id, "now": now}])
            if grown_bytes:
                grown = {"name": STORE_GROWTH, "value": str(grown_bytes), "now": now}
                _set(reader, grown, sql.INCREASE, amount=grown_bytes)
            if operation_id is not None:
                done = {"project": project.id, "checkpoint": key}
                _finish(reader, sql.FINISH_TAKE, operation_id, now, done)
            (found,) = _checkpoints(reader.rows(sql.OF_COMMIT, commit=facts.id))
        return found

    @directly
    def mark_pruning(self, reasons: Mapping[int, str], now: datetime) -> None:
        rows = [{"id": id_, "why": why, "now": now} for id_, why in reasons.items()]
        self._reader.write_all([(sql.MARK_PRUNING, row) for row in rows], durable=True)

    @directly
    def mark_pruned(self, ids: Iterable[int]) -> None:
        self._reader.write_all([(sql.MARK_PRUNED, {"id": id_}) for id_ in ids], durable=True)

    @directly
    def last(self, project_hash: str) -> Checkpoint | None:
        return next(iter(_checkpoints(self._reader.rows(sql.LAST, hash=project_hash))), None)

    @directly
    def last_two(self, project_hash: str) -> tuple[Checkpoint | None, Checkpoint | None]:
        from hermes_checkpoints.catalog.recorded import last_two_of

        return last_two_of(_checkpoints(self._reader.rows(sql.LAST_TWO, hash=project_hash)))

    @directly
    def newest_row(self, project_id: int, *, before: int | None = None) -> int | None:
        its = {"project": project_id}
        if before is None:
            found = self._reader.column(sql.NEWEST_ROW, **its)
        else:
            found = self._reader.column(sql.NEWEST_ROW_BEFORE, **its, before=before)
        return next(iter(found), None)

    @directly
    def of_state(self, project_hash: str, state_id: str) -> _Found:
        rows = self._reader.rows(sql.OF_STATE, hash=project_hash, state=state_id)
        return _checkpoints(rows)

    @directly
    def safety_count(self, project_hash: str) -> int:
        return sum(self._reader.column(sql.SAFETY_COUNT, hash=project_hash))

    @directly
    def live_rows(self, project_hash: str) -> dict[int, str]:
        return dict(self._reader.rows(sql.LIVE_ROWS, hash=project_hash))

    @directly
    def pruning(self) -> _Found:
        return sorted(_checkpoints(self._reader.rows(sql.PRUNING)), key=lambda one: one._row)

    @directly
    def find(self, prefix: str) -> _Found:
        if not _HEX.fullmatch(prefix):
            return []
        rows = self._reader.rows(sql.FOUND, first=prefix, end=prefix + "g")
        return sorted(_checkpoints(rows), key=lambda one: -one._row)

    @directly
    def skipped(self, checkpoint_id: int) -> _Skipped:
        from hermes_checkpoints.model import SkippedPath

        rows = self._reader.rows(sql.SKIPPED, checkpoint=checkpoint_id)
        return [SkippedPath(*row) for row in rows]


class Restores(Answers):
    """``catalog.restores``."""

    @directly
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
        row = {
            "project": project_id,
            "operation": operation_id,
            "role": role,
            "mode": mode,
            "whole": whole,
            "target": target._row,
            "safety": safety._row,
            "undo_of": undo_of,
            "now": now,
        }
        with self._reader.writing(durable=True):
            key = self._reader.insert(sql.ADD_RESTORE, row)
            self._reader.insert_all(
                sql.ADD_RESTORE_PATH,
                (
                    {**vars(step), "restore": key, "position": position}
                    for position, step in enumerate(steps)
                ),
            )
        return key

    @directly
    def finish(self, restore_id: int, failed: Collection[FailedPath], now: datetime) -> None:
        if failed:
            raise NotDirect
        its: dict[str, Any] = {"restore": restore_id}
        ended = [
            (sql.END_RESTORE, {**its, "now": now}),
            (sql.TAKEN_BACK, its),
            (sql.END_PATHS, its),
        ]
        self._reader.write_all(ended, durable=True)

    @directly
    def safety_of(self, project_hash: str) -> list[SafetyCheckpoint]:
        from hermes_checkpoints.model import RestoreOf, SafetyCheckpoint

        found = []
        for row in self._reader.rows(sql.SAFETY, hash=project_hash):
            since = None if row[-3] is None else RestoreOf(*row[-3:])
            found.append(SafetyCheckpoint(_checkpoints([row[:-3]])[0], since))
        return found

    @directly
    def interrupted(self) -> list[RestoreRecord]:
        if self._reader.rows(sql.INTERRUPTED):
            raise NotDirect
        return []


class Agreement(Answers):
    """``catalog.agreement``."""

    @directly
    def rows(self) -> list[RefRow]:
        if self._reader.rows(sql.REF_ROWS):
            raise NotDirect
        return []

    @directly
    def follow(self, before: str, after: str, now: datetime) -> None:
        if before != after:
            row = {"before": before, "after": after, "now": now}
            self._reader.write_all([(sql.FOLLOW, row)], durable=True)

    @directly
    def lost(self, project_hash: str | None = None) -> list[Checkpoint]:
        if project_hash is None:
            rows = self._reader.rows(sql.LOST)
        else:
            rows = self._reader.rows(sql.LOST_OF, hash=project_hash)
        return sorted(_checkpoints(rows), key=lambda one: -one._row)

    @directly
    def partly_lost(self) -> list[Checkpoint]:
        rows = self._reader.rows(sql.PARTLY_LOST)
        return sorted(_checkpoints(rows), key=lambda one: -one._row)


class Archives(Answers):
    """``catalog.archives``."""

    @directly
    def all(self) -> list[LegacyRecord]:
        return _records(self._reader.rows(sql.ARCHIVES))

    @directly
    def pending(self) -> list[LegacyRecord]:
        return _records(self._reader.rows(sql.ARCHIVES_PENDING))


class Arriving(Answers):
    """``catalog.arriving``."""

    @directly
    def count(self, project_hash: str | None = None) -> int:
        if project_hash is not None:
            raise NotDirect
        return int(self._reader.column(sql.ARRIVING)[0])

    @directly
    def imported_among(self, checkpoint_ids: Sequence[int]) -> int:
        return sum(
            self._reader.column(sql.IMPORTED, ids=some)[0] for some in chunks(checkpoint_ids)
        )

    @directly
    def only_in_archives(self) -> list[tuple[str, int]]:
        return [(path, count) for path, count in self._reader.rows(sql.ONLY_IN_ARCHIVES)]


def _set(
    reader: Reader,
    row: Mapping[str, Any],
    change: Statement = sql.SET_SETTING,
    **given: Any,
) -> None:
    """Give a setting its value, or ``change`` it where it is there, as part of a transaction."""
    if reader.write_all([(change, {**row, **given})]) == [0]:
        reader.write(sql.ADD_SETTING, [row])


def _finish(
    reader: Reader, statement: Statement, operation_id: int, now: datetime, row: Mapping[str, Any]
) -> None:
    """End an operation, as part of a transaction."""
    from hermes_checkpoints.catalog.new_rows import milliseconds

    for started in reader.column(sql.STARTED, operation=operation_id):
        ended = {"operation": operation_id, "now": now, "milliseconds": milliseconds(started, now)}
        reader.write(statement, [{**row, **ended}])


def _checkpoints(rows: list[list[Any]]) -> list[Checkpoint]:
    if not rows:
        return []
    from hermes_checkpoints.model import Checkpoint

    return [Checkpoint(*row) for row in rows]


def _records(rows: list[list[Any]]) -> list[LegacyRecord]:
    if not rows:
        return []
    from hermes_checkpoints.model import LegacyRecord

    return [LegacyRecord(*row) for row in rows]
