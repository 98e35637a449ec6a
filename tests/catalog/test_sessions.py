"""Revision 0002 keeps the session checkpoints that revision 0001 held; statements are few."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from catalog.records import START, counted, shell
from hermes_checkpoints.catalog import Catalog
from hermes_checkpoints.catalog.upgrading import Scripts


def test_rows_of_the_first_revision_are_kept(file: Path, lock: Path) -> None:
    first = Scripts(("0001",), frozenset({"session_checkpoints"}))
    Catalog.open(file, lock, scripts=first).close()
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute(
            "INSERT INTO session_checkpoints (session_id, document, status, task, created_at,"
            " updated_at, size_bytes, version) VALUES ('s', 'a: 1', 'x', 't',"
            " '2026-11-20 12:00:00.000000', '2026-11-21 12:00:00.000000', 4, 3)"
        )
    with Catalog.open(file, lock) as catalog:
        found = catalog.sessions.read("s")
        assert found is not None
        assert (found.document, found.status, found.task, found.size_bytes) == ("a: 1", "x", "t", 4)
        assert found.updated_at == datetime(2026, 11, 21, 12, tzinfo=UTC)
        catalog.sessions.write(
            "s", "{}", status=None, task=None, created_at=None, updated_at=START, keep=5
        )
        assert [one.version for one in catalog.sessions.history("s")] == [4, 3]
    assert len(list(file.parent.glob("catalog.db.backup-0001-*"))) == 1
    assert shell(file, "SELECT session_id, previous_versions FROM session_list") == [
        {"session_id": "s", "previous_versions": 1}
    ]


def test_reads_and_lists_are_few_statements(catalog: Catalog) -> None:
    for number in range(30):
        catalog.sessions.write(
            f"s{number}", "{}", status="x", task=None, created_at=None, updated_at=START, keep=0
        )
    for call, most in (
        (lambda: catalog.sessions.read("s1"), 1),
        (catalog.sessions.ids, 1),
        (catalog.sessions.list, 3),
        (lambda: catalog.sessions.history("s1"), 2),
    ):
        with counted(catalog) as statements:
            assert call()
        assert len(statements) == most


def test_without_former_versions_none_are_kept(catalog: Catalog) -> None:
    for keep in (2, 2, 2, 0):
        catalog.sessions.write(
            "s", "{}", status="x", task=None, created_at=None, updated_at=START, keep=keep
        )
    assert [one.version for one in catalog.sessions.history("s")] == [4]
