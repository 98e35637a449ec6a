"""A new catalog is what the revisions make from nothing, without running them."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from catalog.records import integrity_problems, shell
from catalog.revisions.new_catalog import by_revisions, text
from hermes_checkpoints.catalog import Catalog, founding, schema
from hermes_checkpoints.catalog.upgrading import Scripts
from hermes_checkpoints.errors import CheckpointError

PRAGMAS = (
    *("application_id", "auto_vacuum", "encoding", "freelist_count", "journal_mode"),
    *("legacy_file_format", "page_size", "user_version"),
)
"""What a file says of itself, but for how often and in which pages it was written."""


def everything(file: Path) -> dict[str, Any]:
    """Return all that a file holds: its objects with their SQL to the letter, the rows of every
    table in their order, and what its header says."""
    with closing(sqlite3.connect(file)) as connection:
        ask = connection.execute
        objects = ask("SELECT type, name, tbl_name, sql FROM sqlite_master").fetchall()
        columns = {
            name: ask(f"PRAGMA table_xinfo({name})").fetchall()
            for kind, name, *_ in objects
            if kind in ("table", "view")
        }
        return {
            "objects": sorted(objects, key=lambda one: one[:2]),
            "columns": columns,
            "rows": {
                name: ask(f"SELECT * FROM {name}").fetchall()  # noqa: S608
                for kind, name, *_ in objects
                if kind == "table"
            },
            "pragmas": {name: ask(f"PRAGMA {name}").fetchone() for name in PRAGMAS},
        }


def test_a_new_catalog_is_what_the_revisions_make_to_the_letter(
    file: Path, lock: Path, tmp_path: Path
) -> None:
    Catalog.open(file, lock).close()
    migrated = by_revisions(tmp_path)
    new, wanted = everything(file), everything(migrated)
    assert new == wanted
    assert {name for _, name, *_ in new["objects"]} >= schema.EXPECTED
    assert new["pragmas"]["application_id"] == (schema.APPLICATION_ID,)
    assert new["pragmas"]["auto_vacuum"] == (2,)
    assert new["pragmas"]["journal_mode"] == ("wal",)
    assert new["rows"]["alembic_version"] == [(schema.HEAD,)]
    assert integrity_problems(file) == []


@pytest.mark.campaign
def test_the_statements_are_those_of_the_revisions() -> None:
    assert founding.statements() == text(), "run python tests/catalog/revisions/new_catalog.py"


@pytest.mark.campaign
def test_an_empty_file_is_filled_with_the_same(file: Path, lock: Path, tmp_path: Path) -> None:
    file.touch()
    Catalog.open(file, lock).close()
    assert everything(file) == everything(by_revisions(tmp_path))


@pytest.mark.campaign
def test_without_hard_links_it_is_the_same(
    file: Path, lock: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(os, "link", refused)
    Catalog.open(file, lock).close()
    assert everything(file) == everything(by_revisions(tmp_path))
    assert [path.name for path in file.parent.iterdir()] == [file.name]


def test_a_fill_that_fails_leaves_nothing(
    file: Path, lock: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = founding.statements()
    monkeypatch.setattr(founding, "statements", lambda: whole + "DROP TABLE nowhere;")
    with pytest.raises(CheckpointError, match="nowhere"):
        Catalog.open(file, lock)
    assert list(file.parent.iterdir()) == []
    file.touch()
    with pytest.raises(CheckpointError, match="nowhere"):
        Catalog.open(file, lock)
    assert shell(file, "SELECT name FROM sqlite_master") == []
    monkeypatch.undo()
    with Catalog.open(file, lock) as catalog:
        assert catalog.projects.all() == []


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize(
    "beside",
    [
        "0123456789abcdef/HEAD",
        "some-session.yaml",
        "legacy-20260101-000000/0123456789abcdef/HEAD",
        ".last_prune",
        "store/projects/0123456789abcdef.json",
    ],
)
def test_what_earlier_versions_left_is_read_by_the_revisions(
    file: Path, lock: Path, tmp_path: Path, beside: str
) -> None:
    for folder in (file.parent, tmp_path / "migrated"):
        left = folder / beside
        left.parent.mkdir(parents=True, exist_ok=True)
        left.write_text("task: a\n" if left.suffix == ".yaml" else "1700000000")
    assert founding.reads_what_is_beside(file)
    Catalog.open(file, lock).close()
    assert rows_without_times(file) == rows_without_times(by_revisions(tmp_path / "migrated"))


def rows_without_times(file: Path) -> dict[str, list[dict[str, Any]]]:
    return {
        table: [
            {name: value for name, value in row.items() if not name.endswith("_at")}
            for row in shell(file, f"SELECT * FROM {table}")  # noqa: S608
        ]
        for table in sorted(schema.TABLES)
    }


def test_documents_of_earlier_versions_are_entered_by_the_revisions(file: Path, lock: Path) -> None:
    asked = []

    def collect(revision: str | None, finished: frozenset[str]) -> list[dict[str, object]]:
        asked.append((revision, finished))
        return [{}] if len(asked) == 1 else []

    Catalog.open(file, lock, collect=collect).close()
    assert asked == [(None, frozenset()), (None, frozenset())]


@pytest.mark.campaign
def test_other_revisions_than_the_newest_are_run(file: Path, lock: Path) -> None:
    scripts = Scripts(schema.REVISIONS[:-1], frozenset())
    Catalog.open(file, lock, scripts=scripts).close()
    assert shell(file, "SELECT version_num FROM alembic_version") == [
        {"version_num": schema.REVISIONS[-2]}
    ]


FIRST_TAKE = """
import sys
from hermes_checkpoints import Checkpoints
with Checkpoints.open(sys.argv[1]) as checkpoints:
    print(checkpoints.project(sys.argv[2]).take(reason="first").checkpoint is not None)
print(sorted({name.partition(".")[0] for name in sys.modules} & {"alembic", "mako"}))
"""


def test_the_first_take_of_a_fresh_home_needs_no_alembic(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "file").write_text("contents")
    arguments = str(tmp_path / "home"), str(project)
    command = [sys.executable, "-W", "error", "-c", FIRST_TAKE, *arguments]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.splitlines() == ["True", "[]"]
