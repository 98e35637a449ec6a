"""A catalog that any earlier revision wrote, with rows in all its tables, can be used today."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from catalog.records import START, Maker, creations, integrity_problems, shell
from catalog.test_schema import definitions
from hermes_checkpoints.catalog import Catalog, schema
from hermes_checkpoints.model import JournalEntry, OperationKind, OperationOutcome

WORKED_OUT = {"turn_changes", "agent_writes"}
"""The tables whose rows become events, in all that has been seen."""

FOLDER = Path(__file__).parent / "revisions"


def load(revision: str, file: Path) -> dict[str, int]:
    """Make the catalog of a revision; return how many rows its tables have."""
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.executescript((FOLDER / f"{revision}.sql").read_text(encoding="utf-8"))
    return rows(file)


def rows(file: Path) -> dict[str, int]:
    return {
        name: shell(file, f"SELECT count(*) AS n FROM {name}")[0]["n"]  # noqa: S608
        for name in definitions(file, "table")
    }


def test_there_is_a_catalog_for_every_revision() -> None:
    assert {file.stem for file in FOLDER.glob("*.sql")} == set(schema.REVISIONS)


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("revision", schema.REVISIONS)
def test_a_populated_catalog_is_upgraded(revision: str, file: Path, lock: Path) -> None:
    before = load(revision, file)
    assert set(before.values()) == {2}
    with creations() as made, Catalog.open(file, lock) as catalog:
        assert made == []
        assert integrity_problems(catalog.path) == []  # broken foreign keys are among them
        worked_out = set() if revision == schema.HEAD else WORKED_OUT
        after = rows(file)
        assert {name: after[name] for name in before.keys() - worked_out} == {
            name: count for name, count in before.items() if name not in worked_out
        }
        events = shell(file, "SELECT path, actor, tool FROM path_events ORDER BY id")
        if "turn_changes" in before:
            left = [tuple(event.values()) for event in events if event["path"] != "."]
            of_tools = [(f"path-{n}", "agent", f"tool-{n}") for n in (1, 2)]
            assert left[::2] == of_tools
            assert left[1::2] == [(f"path-{n}", "person", None) for n in (1, 2)]  # other contents
        (newest, oldest) = catalog.projects.all()
        assert (newest.working_dir, oldest.working_dir) == ("workdir-2", "workdir-1")
        found = catalog.checkpoints.get(1)
        assert found is not None
        assert (found.reason, found.pinned, found.files_changed) == ("reason-1", True, 1)
        assert [change.path for change in catalog.checkpoints.changes(2)] == ["path-2"]
        assert catalog.sessions.ids() == ["session_id-1", "session_id-2"]
        assert Maker(catalog).checkpoint(Maker(catalog).project())._row == 3
        for view in schema.VIEWS:
            shell(file, f"SELECT * FROM {view}")  # noqa: S608
        unsent = catalog.remotes.unsent(catalog.remotes.register("/srv/saves.git", START))
        assert unsent == catalog.checkpoints.live(), "all that an older one has can be sent"
        pushed = JournalEntry(OperationKind.PUSH, START, "/base", outcome=OperationOutcome.DONE)
        assert catalog.operations.record(pushed, now=START) > 2, "an id of a row is never reused"
    assert shell(file, "SELECT version_num FROM alembic_version") == [
        {"version_num": schema.HEAD},
    ]
    backups = list(file.parent.glob("catalog.db.backup-*"))
    assert len(backups) == (revision != schema.HEAD)


def test_a_view_of_somebody_else_is_there_after_an_upgrade(file: Path, lock: Path) -> None:
    load("0013", file)
    name, kinds = '"my ""own"" :view"', "SELECT group_concat(kind, ':x') AS kinds FROM operations"
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute(f"CREATE VIEW {name} AS {kinds}")
    Catalog.open(file, lock).close()
    assert shell(file, f"SELECT * FROM {name}") == [{"kinds": "take:xtake"}]  # noqa: S608


@pytest.mark.campaign
def test_all_ways_to_the_head_make_the_same_tables(file: Path, lock: Path, tmp_path: Path) -> None:
    fresh = tmp_path / "fresh" / "catalog.db"
    fresh.parent.mkdir()
    Catalog.open(fresh, tmp_path / "fresh.lock").close()
    load("0001", file)
    Catalog.open(file, lock).close()
    for kind in ("view", "index"):
        assert definitions(file, kind) == definitions(fresh, kind)
    tables, wanted = definitions(file, "table"), definitions(fresh, "table")
    assert {n: sorted(d.split(",")) for n, d in tables.items()}.keys() == wanted.keys()


@pytest.mark.parametrize(
    ("kept", "packing"),
    [
        ('{"through": 7, "rows": 1000, "bytes": 250}', (7, 0.25)),
        ('{"through": 7, "rows": 0, "bytes": 0}', (7, 1.0)),
        ("no JSON", (0, 1.0)),
    ],
)
def test_what_the_last_repack_found_is_kept(
    file: Path, lock: Path, kept: str, packing: tuple[int, float]
) -> None:
    load("0011", file)
    with closing(sqlite3.connect(file)) as connection, connection:
        at = "2026-11-20 12:00:00.000000"
        connection.execute("INSERT INTO settings VALUES ('packed_store', ?, ?)", (kept, at))
    Catalog.open(file, lock).close()
    (row,) = shell(file, "SELECT through, ratio FROM store_packing")
    assert (row["through"], row["ratio"]) == packing
    assert not shell(file, "SELECT * FROM settings WHERE name = 'packed_store'")
