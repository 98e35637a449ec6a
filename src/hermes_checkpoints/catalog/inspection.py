"""Looks at a catalog for what `doctor` must know: the file, its schema, and its rows.

A look never opens the catalog itself: SQLite makes files beside it, and replays a log. So it is
copied with its log, and the copy is read, brought to the newest revision first where it is older.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import ColumnElement, Table, and_, cast, delete, func, or_, select, update
from sqlalchemy import String as Text

from hermes_checkpoints.catalog import sqlite
from hermes_checkpoints.catalog.catalog import Catalog
from hermes_checkpoints.catalog.copying import copied
from hermes_checkpoints.catalog.engine import Records
from hermes_checkpoints.catalog.failures import damaged, translated
from hermes_checkpoints.catalog.left_behind import left_behind
from hermes_checkpoints.catalog.mending import SchemaFault, mend_schema, schema_faults
from hermes_checkpoints.catalog.opening import is_current
from hermes_checkpoints.catalog.schema import (
    EXPECTED,
    HEAD,
    VIEWS,
    agent_writes,
    checkpoint_changes,
    checkpoints,
    operations,
    path_events,
    projects,
    refused_paths,
    restore_paths,
    skipped_paths,
)
from hermes_checkpoints.catalog.sqlite import chunks
from hermes_checkpoints.catalog.upgrading import Scripts

_MOST_TOLD = 5
_REFUSAL = "a look changes nothing"
_OF_PATHS = (
    *(checkpoint_changes, skipped_paths, path_events, restore_paths, agent_writes),
    refused_paths,
)
"""The tables with paths in projects."""


# --- the file ------------------------------------------------------------------------------------


def open_copy(copy: Path) -> Catalog:
    """Open a copy of a catalog to be read. Where it must be changed for that, because it has an
    older revision, lacks views or has triggers, a copy of it is, in a folder beside it.

    Raises:
        CatalogNewer, CatalogDamaged, CatalogBusy, BaseUnwritable, SqliteTooOld.
    """
    sqlite.require_version()
    with translated(copy):
        if not copy.exists():
            raise damaged(copy, "it is empty")
        with closing(sqlite.connect(copy)) as connection:
            contents = sqlite.inspect(connection)
        lacks_views = contents.revision == HEAD and EXPECTED - contents.names <= VIEWS
        names = contents.names | VIEWS if lacks_views else contents.names
        views = contents.views | (names - contents.names)
        mended = contents._replace(names=names, views=views, triggers=frozenset())
        current = is_current(mended, copy, Scripts())
        if mended != contents or not current:
            folder = copy.with_name("changed")
            folder.mkdir()
            copy = copied(copy, folder)
            if current:
                mend_schema(copy)
            else:
                Catalog.open(copy, folder / "catalog.lock").close()
    return Catalog.open_to_read(copy, copy.parent, refusal=_REFUSAL)


@dataclass(frozen=True)
class FileState:
    """What is wrong with a catalog as a file: the ``faults`` that SQLite finds, the first few, and
    how its schema differs from that of the newest revision, if it has that one."""

    revision: str | None
    faults: tuple[str, ...]
    schema: tuple[SchemaFault, ...]


def file_state(copy: Path, *, deep: bool) -> FileState:
    """Look at a copy of a catalog as a file; with ``deep`` each index is compared with its table.

    Raises:
        CatalogDamaged: when SQLite cannot even begin to.
    """
    check = "integrity_check" if deep else "quick_check"
    with translated(copy), closing(sqlite.connect(copy)) as connection:
        revision = sqlite.inspect(connection).revision
        try:
            rows = connection.execute(f"PRAGMA {check}({_MOST_TOLD})").fetchall()
        except sqlite3.DatabaseError as error:
            return FileState(revision, (str(error),), ())
        faults = tuple(str(row[0]) for row in rows if row[0] != "ok")
        schema = schema_faults(connection) if revision == HEAD else ()
        return FileState(revision, faults, tuple(schema))


# --- the rows ------------------------------------------------------------------------------------


class LiveRow(NamedTuple):
    """What the row of a live checkpoint says of itself and of its project."""

    row: int
    commit_id: str
    tree_id: str
    state_id: str
    ref_name: str
    partial: bool
    project_hash: str
    working_dir: str


class Recorded(NamedTuple):
    """One recorded change: of a project, of the row of a checkpoint, at a path, with the content
    after it."""

    project_hash: str
    row: int
    path: str
    status: str
    blob: str | None


class Inspection(Records):
    """Questions about all rows. Every method is one transaction."""

    @classmethod
    def of(cls, catalog: Catalog) -> Inspection:
        """Return the questions for a catalog."""
        return cls(catalog._transactions)

    def broken_references(self) -> dict[tuple[str, str], int]:
        """Return how many rows refer to missing ones, by the table that refers and the other."""
        with (
            translated(self._transactions.path),
            closing(self._transactions.connect()) as connection,
        ):
            return dict(sqlite.broken_references(connection))

    def live(self) -> list[LiveRow]:
        """Return the live checkpoints of which nothing is lost, in the order of their rows."""
        query = (
            select(
                checkpoints.c.id,
                checkpoints.c.commit_id,
                checkpoints.c.tree_id,
                checkpoints.c.state_id,
                checkpoints.c.ref_name,
                checkpoints.c.partial,
                func.coalesce(projects.c.hash, ""),
                func.coalesce(projects.c.workdir, "", type_=projects.c.workdir.type),
            )
            .join(projects, projects.c.id == checkpoints.c.project_id, isouter=True)
            .where(checkpoints.c.state == "live", checkpoints.c.lost_at.is_(None))
            .order_by(checkpoints.c.id)
        )
        return [LiveRow(*row) for row in self._rows(query)]

    def unsettled(self) -> dict[str, tuple[int, str]]:
        """Return how many checkpoints are in a state that ends with the work which made it, and the
        least of their ids, by that state: ``arriving`` and ``pruning``."""
        query = (
            select(checkpoints.c.state, func.count(), func.min(checkpoints.c.commit_id))
            .where(checkpoints.c.state.in_(("arriving", "pruning")))
            .group_by(checkpoints.c.state)
            .order_by(checkpoints.c.state)
        )
        return {row[0]: (row[1], row[2]) for row in self._rows(query)}

    def states(self, refs: Iterable[str]) -> dict[str, str]:
        """Return the states of the rows of these refs, by ref; ``lost`` for a lost one."""
        found: dict[str, str] = {}
        for some in chunks(sorted(set(refs))):
            query = select(checkpoints.c.ref_name, checkpoints.c.state, checkpoints.c.lost_at)
            for name, state, lost in self._rows(query.where(checkpoints.c.ref_name.in_(some))):
                found[name] = state if lost is None else "lost"
        return found

    def outside(self) -> list[tuple[str, str, int]]:
        """Return paths that leave their project, the first few of each table: the table, the path,
        and how many rows have it."""
        found: list[tuple[str, str, int]] = []
        for table in _OF_PATHS:
            query = (
                select(table.c.path, func.count())
                .where(_leaves(table))
                .group_by(table.c.path)
                .limit(_MOST_TOLD)
            )
            found += [(table.name, row[0], row[1]) for row in self._rows(query)]
        return found

    def take_out_outside(self) -> int:
        """Delete the rows whose paths leave their project; return how many."""
        with self._transactions.writing() as connection:
            gone = (connection.execute(delete(table).where(_leaves(table))) for table in _OF_PATHS)
            return sum(one.rowcount for one in gone)

    def project_dirs(self) -> dict[str, str]:
        """Return the working directories of all projects, by hash."""
        return {row[0]: row[1] for row in self._rows(select(projects.c.hash, projects.c.workdir))}

    def recorded(self) -> Iterator[Recorded]:
        """Yield the recorded changes that tell what later checkpoints have, oldest first: those of
        all but partial ones and those that were left behind."""
        change = checkpoint_changes.c
        behind = select(checkpoints.c.id).where(left_behind()).correlate(None)
        query = (
            select(
                projects.c.hash, change.checkpoint_id, change.path, change.status, change.new_blob
            )
            .join(checkpoints, checkpoints.c.id == change.checkpoint_id)
            .join(projects, projects.c.id == checkpoints.c.project_id)
            .where(checkpoints.c.partial.is_(False), checkpoints.c.id.not_in(behind))
            .order_by(change.checkpoint_id, change.path)
        )
        with self._transactions.reading() as connection:
            for row in connection.execute(query):
                yield Recorded(row[0], row[1], row[2], str(row[3]), row[4])

    def set_commit(self, row: LiveRow) -> None:
        """Let the row of a checkpoint name the commit, tree and state that ``row`` has."""
        values = {name: getattr(row, name) for name in ("commit_id", "tree_id", "state_id")}
        self._write(update(checkpoints).where(checkpoints.c.id == row.row).values(values))

    def set_project(self, row: LiveRow, project_hash: str) -> bool:
        """Give a checkpoint to the project of a hash; tell whether there is one."""
        found = self._column(select(projects.c.id).where(projects.c.hash == project_hash))
        if not found:
            return False
        statement = update(checkpoints).where(checkpoints.c.id == row.row)
        return self._write(statement.values(project_id=found[0])) > 0

    def set_working_dir(self, project_hash: str, working_dir: str) -> None:
        """Let a project name the directory of which it has the hash."""
        statement = update(projects).where(projects.c.hash == project_hash)
        self._write(statement.values(workdir=working_dir))

    def arrived(self, commits: Mapping[str, str]) -> int:
        """Make those arriving checkpoints live whose refs name their commits, by ref; return how
        many."""
        query = select(checkpoints.c.id, checkpoints.c.ref_name, checkpoints.c.commit_id).where(
            checkpoints.c.state == "arriving",
            checkpoints.c.tree_id.is_not(None),
            checkpoints.c.state_id.is_not(None),
        )
        here = [row[0] for row in self._rows(query) if commits.get(row[1] or "") == row[2]]
        statement = update(checkpoints).where(checkpoints.c.id.in_(here)).values(state="live")
        return self._write(statement) if here else 0

    def running_refs(self) -> set[str]:
        """Return the refs of takes that have begun and not ended: they have no row yet."""
        query = select(operations.c.detail).where(operations.c.outcome == "running")
        return {str(row[0]["ref"]) for row in self._rows(query) if row[0] and row[0].get("ref")}


def _leaves(table: Table) -> ColumnElement[bool]:
    path = cast(table.c.path, Text)
    inside = func.replace("/" + path + "/", "//", "/", type_=Text())
    return or_(
        inside.like("%/../%"),
        path.like("/%"),
        and_(path == "", table.c.path.is_not(None)) if table is not restore_paths else path == "\0",
    )
