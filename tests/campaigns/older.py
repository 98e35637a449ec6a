"""Catalogs of earlier revisions, with what a catalog of today says."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

FIXTURES = Path(__file__).parents[1] / "catalog" / "revisions"


def make_older(catalog: Path, revision: str) -> None:
    """Put a catalog in the place of ``catalog`` that has its rows as ``revision`` could say them:
    the tables and views are those of the revision's fixture."""
    made = catalog.with_name("older.db")
    with closing(sqlite3.connect(made, isolation_level=None)) as old:
        old.executescript((FIXTURES / f"{revision}.sql").read_text(encoding="utf-8"))
        old.execute("ATTACH ? AS today", (str(catalog),))
        theirs = {name for (name,) in old.execute(_TABLES.format("today"))}
        old.execute("BEGIN")
        for (table,) in old.execute(_TABLES.format("main")).fetchall():
            old.execute(f"DELETE FROM main.{table}")  # noqa: S608
            if table in theirs:
                names = ", ".join(_columns(old, "main", table) & _columns(old, "today", table))
                old.execute(
                    f"INSERT INTO main.{table} ({names}) SELECT {names} FROM today.{table}"  # noqa: S608
                )
        old.execute("COMMIT")
    for ending in ("-wal", "-shm"):
        catalog.with_name(catalog.name + ending).unlink(missing_ok=True)
    made.rename(catalog)


_TABLES = (
    "SELECT name FROM {}.sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    " AND name <> 'alembic_version'"
)


def _columns(connection: sqlite3.Connection, base: str, table: str) -> set[str]:
    return {row[1] for row in connection.execute(f"PRAGMA {base}.table_info({table})")}
