"""Writes ``catalog/new_catalog.sql``, of which a new catalog is made: what the revisions make.

Run after every change of a revision that is not released yet. The statements are those that SQLite
keeps, in its order, so a catalog that is made by them is the same to the letter.
"""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from hermes_checkpoints.catalog import founding
from hermes_checkpoints.catalog.opening import prepare
from hermes_checkpoints.catalog.upgrading import Scripts


def by_revisions(folder: Path) -> Path:
    """Make a catalog in a folder by all revisions, one after the other; return its path."""
    path = folder / "catalog.db"
    prepare(path, folder / "lock", scripts=Scripts(from_tables=False)).connection.close()
    return path


def statements_of(path: Path) -> Iterator[str]:
    """Yield the statements that make the tables, views and rows of a catalog."""
    with closing(sqlite3.connect(path)) as connection:
        made = connection.execute(
            "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid"
        ).fetchall()
        for _, name, sql in made:
            if not name.startswith("sqlite_"):
                yield f"{sql};"
        tables = [name for kind, name, _ in made if kind == "table"]
        for table in sorted(tables, key=lambda name: name.startswith("sqlite_")):
            columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
            quoted = " || ', ' || ".join(f'quote("{column}")' for column in columns)
            for (values,) in connection.execute(f"SELECT {quoted} FROM {table}"):  # noqa: S608
                yield f"INSERT INTO {table} VALUES ({values});"  # noqa: S608


def text() -> str:
    """Return the text of the file."""
    with tempfile.TemporaryDirectory() as folder:
        return "".join(f"{one}\n" for one in statements_of(by_revisions(Path(folder))))


def main() -> None:
    file = Path(founding.__file__).with_name(founding.STATEMENTS)
    file.write_text(text(), encoding="utf-8")


if __name__ == "__main__":
    main()
