"""Puts a catalog in order that can be opened and is not as it must be, or out of the way.

All of it needs the lock of the catalog. Nothing is lost by it: an index and a view are made of what
the tables say, a catalog from which rows are taken is copied before, and one that is put out of the
way stays beside the new one.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.schema import CreateIndex

from hermes_checkpoints.catalog import sqlite
from hermes_checkpoints.catalog.backups import backup_path
from hermes_checkpoints.catalog.failures import translated
from hermes_checkpoints.catalog.schema import HEAD, metadata
from hermes_checkpoints.catalog.views import definitions
from hermes_checkpoints.errors import CatalogDamaged
from hermes_checkpoints.text import counted

_SQL = "SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
_DIALECT = SQLiteDialect_pysqlite()


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


def mend_indexes(path: Path) -> None:
    """Make every index of a catalog anew from its table, as far as that can be read.

    Raises:
        CatalogBusy, BaseUnwritable, NoSpace.
    """
    with (
        contextlib.suppress(CatalogDamaged),
        translated(path),
        closing(sqlite.connect(path)) as connection,
    ):
        connection.execute("REINDEX")


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
        copy = keep_copy(path)
        connection.execute(sqlite.BEGIN_WRITE)
        sqlite.cut_references(connection)
        connection.execute("COMMIT")
    count = sum(found.values())
    return [f"took out {counted(count, 'row')} of what is missing; {copy.name} has all of them"]


def keep_copy(path: Path) -> Path:
    """Copy a catalog before rows are taken out of it; return the copy.

    Raises:
        CatalogDamaged, CatalogBusy, BaseUnwritable, NoSpace.
    """
    with translated(path):
        copy = backup_path(path, HEAD)
        sqlite.back_up(path, copy)
    return copy
