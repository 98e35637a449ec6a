"""Writes ``<revision>.sql``: a catalog at that revision with rows in every table.

Usage: make.py REVISION. Run once when a revision is released; the files are not made anew, so
that they stay what that revision wrote. Parents come before children, so that every foreign key
leads somewhere.
"""

from __future__ import annotations

import sqlite3
import sys
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any

from hermes_checkpoints.catalog import Catalog, schema
from hermes_checkpoints.catalog.upgrading import Scripts

HERE = Path(__file__).parent
ROWS = 2
WORDS = {
    "state": {"legacy_archives": "archived", "restores": "done", "pushes": "sent"},
    "kind": {"checkpoints": "auto", "operations": "take", "remote_checkpoints": "auto"},
    "layout": {"": "v1"},
    "outcome": {"operations": "done", "restore_paths": "done"},
    "role": {"": "restore"},
    "status": {"": "A", "session_checkpoints": "in_progress"},
    "action": {"": "write"},
    "reason": {"skipped_paths": "oversize"},
    "mode": {"restores": "overlay"},
    "document": {"": '{"task": "a"}'},
    "detail": {"": "{}"},
    "name": {"settings": "setting"},
    "ended_by": {"": "next"},
    "actor": {"": "agent"},
}


NOTHING = {("checkpoints", name) for name in ("pruned_at", "prune_reason", "lost_at")}
NOTHING.add(("restores", "target_commit"))
"""What a live checkpoint has not, and a restore to one of this base."""


LENGTHS = {
    ("machines", "id"): 12,
    ("pushes", "machine_id"): 12,
    ("remote_checkpoints", "machine_id"): 12,
    ("remotes", "url_hash"): 16,
    ("pushes", "commit_id"): 40,
    ("refused_paths", "commit_id"): 40,
}
"""Hex digits that a constraint counts."""


def value(table: str, column: str, kind: str, number: int, keys: dict[str, Any]) -> Any:
    """Return a value that fits a column; a foreign key leads to the row of the same number."""
    if (table, column) in NOTHING:
        return None
    if (table, column) in LENGTHS:
        return f"{number:0{LENGTHS[table, column]}x}"
    if "id" in (column, keys.get(column)):
        return number
    words = WORDS.get(column, {})
    if kind.startswith(("VARCHAR", "TEXT")):
        known = words.get(table, words.get(""))
        if known is None or column == "name":
            return "live" if column == "state" else f"{column}-{number}"[:16]
        return known
    if kind == "BOOLEAN":
        return number % 2
    if kind == "DATETIME":
        return f"2026-11-2{number} 12:00:00.000000"
    return number


def populate(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA defer_foreign_keys = ON")
    tables = [
        row[0]
        for row in connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
            " AND name <> 'alembic_version'"
        )
    ]
    for table in tables:
        columns = connection.execute(f"PRAGMA table_info({table})").fetchall()
        keys = {row[3]: row[4] for row in connection.execute(f"PRAGMA foreign_key_list({table})")}
        for number in range(1, ROWS + 1):
            row = {c[1]: value(table, c[1], c[2], number, keys) for c in columns}
            if "size_bytes" in row and "document" in row:
                row["size_bytes"] = len(row["document"])
            marks = ", ".join("?" * len(row))
            connection.execute(
                f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})",  # noqa: S608
                tuple(row.values()),
            )


def main() -> None:
    wanted = sys.argv[1]
    revisions = schema.REVISIONS[: schema.REVISIONS.index(wanted) + 1]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "catalog.db"
        scripts = Scripts(revisions=revisions, expected=frozenset())
        Catalog.open(file, Path(folder) / "lock", scripts=scripts).close()
        with closing(sqlite3.connect(file)) as connection:
            with connection:
                populate(connection)
            assert not connection.execute("PRAGMA foreign_key_check").fetchall()
            text = "\n".join(connection.iterdump()) + "\n"
    (HERE / f"{wanted}.sql").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
