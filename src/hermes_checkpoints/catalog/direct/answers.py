"""What is answered directly, by kind of record, in the words of the classes of the whole catalog.

Each method returns what the method of the same name there returns (tests/catalog/direct compares
them on real catalogs). One that is missing here, or meets something unusual, is answered there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from datetime import datetime
from functools import wraps
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

from hermes_checkpoints.catalog.direct import statements as sql
from hermes_checkpoints.catalog.direct.reader import NotDirect, Reader
from hermes_checkpoints.catalog.sqlite import chunks
from hermes_checkpoints.fs import forks

if TYPE_CHECKING:
    from hermes_checkpoints.catalog import Catalog
    from hermes_checkpoints.model import (
        Checkpoint,
        FailureRun,
        FileIdentity,
        HeldProject,
        JournalEntry,
        LastLook,
        LegacyRecord,
        Operation,
        Origin,
        ProjectRecord,
        ProjectState,
        ProjectStatus,
        RestoreRecord,
        SafetyCheckpoint,
        SkippedPath,
    )

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
            self._reader = reader
            with suppress(NotDirect), forks.undivided():
                return method(self, *args, **given)
        return getattr(self._whole(), name)(*args, **given)

    return cast(Method, answer)


class Answers:
    """One kind of record: what it does not have itself is of the whole catalog."""

    _reader: Reader

    def __init__(self, source: Source, name: str) -> None:
        self._source = source
        self._name = name

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
        del now, patience  # nothing is written here
        found = dict(self._reader.rows(sql.SETTINGS))
        if any(found.get(name) != value for name, value in values.items()):
            raise NotDirect


class Projects(Answers):
    """``catalog.projects``."""

    @directly
    def get(self, hash: str) -> ProjectRecord | None:  # noqa: A002 - the column's name
        from hermes_checkpoints.model import ProjectRecord

        rows = self._reader.rows(sql.PROJECT, hash=hash)
        return ProjectRecord(*rows[0]) if rows else None

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

        del working_dir  # that of a new one
        if None in (identity, parent) or origin is not None or max_snapshots is not None:
            raise NotDirect
        told = {"hash": hash, "now": now, **places_of(identity, parent)}
        with self._reader.writing(durable=True):
            rows = self._reader.rows(sql.TOUCH, **told)
            if not rows:
                raise NotDirect
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


class Retention(Answers):
    """``catalog.retention``."""

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


class Operations(Answers):
    """``catalog.operations``."""

    @directly
    def running(self) -> list[Operation]:
        from hermes_checkpoints.model import Operation

        return [Operation(*row) for row in self._reader.rows(sql.RUNNING)]

    @directly
    def failure_runs(self) -> list[FailureRun]:
        from hermes_checkpoints.model import FailureRun

        return [FailureRun(*row) for row in self._reader.rows(sql.FAILURE_RUNS)]

    @directly
    def last_success(self, working_dir: str | None = None) -> datetime | None:
        if working_dir is not None:
            raise NotDirect
        return max(self._reader.column(sql.LAST_SUCCESS), default=None)

    @directly
    def refused_since(self, working_dir: str, since: datetime) -> bool:
        return bool(self._reader.rows(sql.REFUSED_SINCE, dir=working_dir, since=since))

    @directly
    def record(self, entry: JournalEntry, *, now: datetime) -> int:
        from hermes_checkpoints.catalog.new_rows import TRIM_EVERY, operation_of

        if entry.working_dir is None:
            raise NotDirect
        with self._reader.writing(durable=True):
            new_id = self._reader.insert(sql.RECORD, operation_of(entry, now))
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
    def last(self, project_hash: str) -> Checkpoint | None:
        return next(iter(_checkpoints(self._reader.rows(sql.LAST, hash=project_hash))), None)

    @directly
    def last_two(self, project_hash: str) -> tuple[Checkpoint | None, Checkpoint | None]:
        from hermes_checkpoints.catalog.recorded import last_two_of

        return last_two_of(_checkpoints(self._reader.rows(sql.LAST_TWO, hash=project_hash)))

    @directly
    def newest_row(self, project_id: int, *, before: int | None = None) -> int | None:
        if before is not None:
            raise NotDirect
        return next(iter(self._reader.column(sql.NEWEST_ROW, project=project_id)), None)

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
    def only_in_archives(self) -> Mapping[int, int]:
        if self._reader.rows(sql.ONLY_IN_ARCHIVES):
            raise NotDirect
        return {}


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
