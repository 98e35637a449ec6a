"""Puts a catalog in order that can be opened and is not as it must be, or out of the way.

All of it needs the lock of the catalog. Nothing is lost by it: an index and a view are made of what
the tables say, a catalog from which rows are taken is copied before, and one that is put out of the
way stays beside the new one.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.schema import CreateIndex

from hermes_checkpoints.catalog import sqlite
from hermes_checkpoints.catalog.backups import backup_path
from hermes_checkpoints.catalog.failures import translated
from hermes_checkpoints.catalog.schema import HEAD, metadata
from hermes_checkpoints.catalog.types import encode_path
from hermes_checkpoints.catalog.views import definitions
from hermes_checkpoints.errors import CatalogDamaged
from hermes_checkpoints.text import counted

_SQL = "SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
_DIALECT = SQLiteDialect_pysqlite()
_MOST_ROUNDS = 20
_OF_PATH = "DELETE FROM {} WHERE path = ?"


class SchemaFault(NamedTuple):
    """An index, view or trigger that is missing, or there and otherwise than it must be."""

    kind: str
    name: str
    there: bool

    @property
    def text(self) -> str:
        """What is wrong with it."""
        if self.kind == "trigger":
            return "a trigger, which changes rows behind the back of the program"
        what = "not the one that this program makes" if self.there else "missing"
        return f"the {self.kind} is {what}"

    @property
    def mended(self) -> str:
        return "removed" if self.kind == "trigger" else "made anew"


def schema_faults(connection: sqlite3.Connection) -> Iterator[SchemaFault]:
    found = {(str(kind), str(name)): str(text) for kind, name, text in connection.execute(_SQL)}
    for name, statement in definitions().items():
        text = found.get(("view", name))
        if text is None or "".join(text.split()) != "".join(statement.split()):
            yield SchemaFault("view", name, text is not None)
    for name in indexes():
        if ("index", name) not in found:
            yield SchemaFault("index", name, there=False)
    for kind, name in found:
        if kind == "trigger":
            yield SchemaFault("trigger", name, there=True)


def indexes() -> dict[str, str]:
    """Return the statements that make the indexes, by name."""
    found = [index for table in metadata.tables.values() for index in table.indexes]
    return {str(index.name): str(CreateIndex(index).compile(dialect=_DIALECT)) for index in found}


def mend_schema(path: Path) -> list[str]:
    """Make the indexes and views anew that a catalog lacks or has otherwise, and remove triggers,
    of which it has none; return what was done.

    Raises:
        CatalogDamaged, CatalogBusy, BaseUnwritable, NoSpace.
    """
    with translated(path), closing(sqlite.connect(path)) as connection:
        faults = list(schema_faults(connection))
        if not faults:
            return []
        connection.execute(sqlite.BEGIN_WRITE)
        for fault in faults:
            if fault.there:
                connection.execute(f'DROP {fault.kind} IF EXISTS "{fault.name}"')
        names = {fault.name for fault in faults}
        for name, statement in (definitions() | indexes()).items():
            if name in names:
                connection.execute(statement)
        connection.execute("COMMIT")
    return [f"{fault.kind} {fault.name} of the catalog was {fault.mended}" for fault in faults]


def mend_indexes(path: Path) -> bool:
    """Make every index of a catalog anew from its table; tell whether SQLite finds nothing wrong
    in the file then.

    Raises:
        CatalogBusy, BaseUnwritable, NoSpace.
    """
    try:
        with translated(path), closing(sqlite.connect(path)) as connection:
            connection.execute("REINDEX")
            rows = connection.execute("PRAGMA integrity_check(1)").fetchall()
    except CatalogDamaged:
        return False
    return [tuple(row) for row in rows] == [("ok",)]


def mend_references(path: Path) -> list[str]:
    """Take out the rows that refer to missing ones, after a copy of the catalog was made; where a
    row can be without what it refers to, it stays without. Return what was done.

    Raises:
        CatalogDamaged, CatalogBusy, BaseUnwritable, NoSpace.
    """
    with translated(path), closing(sqlite.connect(path, foreign_keys=False)) as connection:
        found = sqlite.broken_references(connection)
        if not found:
            return []
        copy = backup_path(path, HEAD)
        sqlite.back_up(path, copy)
        connection.execute(sqlite.BEGIN_WRITE)
        for _ in range(_MOST_ROUNDS):  # what is taken out may be referred to itself
            rows = connection.execute("PRAGMA foreign_key_check").fetchall()
            for table, number, _of, key in rows:
                _take_out(connection, str(table), int(number), int(key))
            if not rows:
                break
        connection.execute("COMMIT")
    count = sum(found.values())
    return [f"took out {counted(count, 'row')} of what is missing; {copy.name} has all of them"]


def mend_paths(path: Path, outside: Sequence[tuple[str, str, int]]) -> list[str]:
    """Take out the rows whose path leaves its project, as ``Inspection.outside`` tells of them,
    after a copy of the catalog was made; return what was done.

    Raises:
        CatalogDamaged, CatalogBusy, BaseUnwritable, NoSpace.
    """
    if not outside:
        return []
    with translated(path), closing(sqlite.connect(path)) as connection:
        copy = backup_path(path, HEAD)
        sqlite.back_up(path, copy)
        connection.execute(sqlite.BEGIN_WRITE)
        for table, name, _ in outside:
            connection.execute(_OF_PATH.format(table), (encode_path(name),))
        connection.execute("COMMIT")
    count = sum(number for *_, number in outside)
    rows = counted(count, "row")
    return [f"took out {rows} of paths outside of their projects; {copy.name} has all of them"]


def _take_out(connection: sqlite3.Connection, table: str, number: int, key: int) -> None:
    columns = {row[1]: row for row in connection.execute(f"PRAGMA table_info({table})")}
    keys = connection.execute(f"PRAGMA foreign_key_list({table})").fetchall()
    name = next(row[3] for row in keys if row[0] == key)
    needed = columns[name][3] or columns[name][5]  # NOT NULL, or part of the primary key
    change = "DELETE FROM {}" if needed else "UPDATE {} SET {} = NULL"
    connection.execute(f"{change.format(table, name)} WHERE rowid = ?", (number,))
