"""Records to put into a catalog, a statement counter, and an administrator's view of the file."""

from __future__ import annotations

import hashlib
import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Row, event, select

from hermes_checkpoints.catalog import Catalog
from hermes_checkpoints.catalog.schema import operations, projects
from hermes_checkpoints.model import (
    Change,
    ChangeStatus,
    Checkpoint,
    CheckpointFacts,
    JournalEntry,
    Kind,
    Mode,
    OperationKind,
    PlannedPath,
    ProjectRecord,
    RestoreRole,
)

START = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


def hex_id(*words: object) -> str:
    return hashlib.sha1(repr(words).encode("utf-8", "surrogatepass")).hexdigest()  # noqa: S324


def added(path: str, size: int = 10, stored: int = 4, *, lines: int | None = 1) -> Change:
    return Change(
        path,
        ChangeStatus.ADDED,
        new_blob=hex_id(path, size),
        new_mode=0o100644,
        new_bytes=size,
        stored_bytes=stored,
        insertions=lines,
        deletions=None if lines is None else 0,
    )


@dataclass
class Maker:
    """Puts records into a catalog; every call is one minute later than the one before."""

    catalog: Catalog
    minutes: int = 0
    last: dict[str, int] = field(default_factory=dict)

    def now(self) -> datetime:
        self.minutes += 1
        return START + timedelta(minutes=self.minutes)

    def project(self, workdir: str = "/srv/alpha") -> ProjectRecord:
        return self.catalog.projects.ensure(
            hex_id(workdir)[:16], workdir, self.now(), identity=None, parent=None
        )

    def facts(self, project: ProjectRecord, **fields: Any) -> CheckpointFacts:
        number = self.minutes
        values: dict[str, Any] = {
            "project_hash": project.hash,
            "working_dir": project.working_dir,
            "id": hex_id("commit", project.hash, number),
            "tree_id": hex_id("tree", project.hash, number),
            "state_id": hex_id("state", project.hash, number),
            "ref_name": f"refs/checkpoints/{project.hash}/{number}",
            "kind": Kind.AUTO,
            "reason": f"reason {number}",
            "created_at": self.now(),
        }
        return CheckpointFacts(**(values | fields))

    def checkpoint(
        self,
        project: ProjectRecord,
        *,
        changes: Sequence[Change] = (),
        added_bytes: int = 100,
        operation_id: int | None = None,
        **fields: Any,
    ) -> Checkpoint:
        facts = self.facts(project, **fields)
        checkpoint = self.catalog.checkpoints.add(
            project,
            facts,
            changes=changes,
            added_bytes=added_bytes,
            superseded_bytes=7,
            previous_id=self.last.get(project.hash),
            operation_id=operation_id,
            now=facts.created_at,
        )
        self.last[project.hash] = checkpoint._row
        return checkpoint

    def restore(
        self,
        project: ProjectRecord,
        target: Checkpoint,
        steps: Sequence[PlannedPath] = (),
        safety: Checkpoint | None = None,
    ) -> int:
        """Begin a restore to a checkpoint, which stays unfinished; return its number."""
        now = self.now()
        entry = JournalEntry(OperationKind.RESTORE, now, project_id=project.id)
        return self.catalog.restores.begin(
            project.id,
            self.catalog.operations.begin(entry),
            role=RestoreRole.RESTORE,
            mode=Mode.EXACT,
            whole=True,
            target=target,
            safety=safety or target,
            undo_of=None,
            steps=steps,
            now=now,
        )


@contextmanager
def counted(catalog: Catalog) -> Iterator[list[str]]:
    """Collect every statement that SQLAlchemy sends for this catalog."""
    statements: list[str] = []

    def note(_c: object, _cursor: object, statement: str, *_rest: object) -> None:
        statements.append(statement)

    engine = catalog._transactions.engine
    event.listen(engine, "before_cursor_execute", note)
    try:
        yield statements
    finally:
        event.remove(engine, "before_cursor_execute", note)


def shell(file: Path, sql: str) -> list[dict[str, Any]]:
    """What an administrator sees who opens the file with nothing but SQLite."""
    with closing(sqlite3.connect(file)) as connection:
        connection.row_factory = sqlite3.Row
        return [dict(row) for row in connection.execute(sql)]


def integrity_problems(file: Path) -> list[str]:
    """What SQLite finds wrong with the file, rows that refer to missing rows included."""
    found = shell(file, "PRAGMA integrity_check") + shell(file, "PRAGMA foreign_key_check")
    return [str(row) for row in found if row != {"integrity_check": "ok"}]


def journal(catalog: Catalog, limit: int, *kinds: OperationKind) -> list[Row[Any]]:
    """Return the rows of the newest operations, of these kinds or of all, newest first, with
    ``project_hash``."""
    query = (
        select(operations, projects.c.hash.label("project_hash"))
        .outerjoin(projects, projects.c.id == operations.c.project_id)
        .order_by(operations.c.id.desc())
        .limit(limit)
    )
    if kinds:
        query = query.where(operations.c.kind.in_([kind.value for kind in kinds]))
    with catalog._transactions.reading() as connection:
        return list(connection.execute(query))


@contextmanager
def creations() -> Iterator[list[str]]:
    """Record each time that the tables of a catalog are made in this process meanwhile."""
    found: list[str] = []
    connect = sqlite3.connect

    def trace(statement: str) -> None:
        if re.match(r'\s*CREATE TABLE "?checkpoints\b', statement):
            found.append(statement)

    def traced(*arguments: Any, **options: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(*arguments, **options)
        connection.set_trace_callback(trace)
        return connection

    with pytest.MonkeyPatch.context() as watching:
        watching.setattr(sqlite3, "connect", traced)
        yield found
