"""The tables refuse what makes no sense, and catalogs that hold it already are mended."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from catalog.records import START, integrity_problems, shell
from catalog.test_revisions import load
from catalog.test_schema import definitions
from hermes_checkpoints.catalog import Catalog, schema
from hermes_checkpoints.layout import project_hash

NONSENSE = (
    "UPDATE projects SET workdir = 'workdir-1'",
    "UPDATE projects SET disposable = 2",
    "UPDATE checkpoints SET kind = 'nonsense'",
    "UPDATE checkpoints SET pinned = 7",
    "UPDATE checkpoints SET pinned = 'yes'",
    "UPDATE checkpoints SET added_bytes = -1",
    "UPDATE checkpoints SET file_count = 'many'",
    "UPDATE checkpoints SET turn = 'third'",
    "UPDATE checkpoints SET utc_offset_minutes = 'CET'",
    "UPDATE checkpoints SET state = 'pruned'",
    "UPDATE checkpoints SET pruned_at = created_at",
    "UPDATE checkpoints SET state = 'arriving', pruned_at = created_at",
    "UPDATE checkpoints SET ref_name = NULL",
    "UPDATE checkpoint_changes SET status = 'X'",
    "UPDATE checkpoint_changes SET new_bytes = x'00'",
    "UPDATE skipped_paths SET bytes = -1",
    "UPDATE turns SET actor = 'nobody'",
    "UPDATE turns SET ended_by = 'nobody'",
    "UPDATE turns SET ended_by = NULL",
    "UPDATE turns SET ended_at = NULL",
    "UPDATE turns SET project_id = 1, session_id = 's', ended_at = NULL, ended_by = NULL",
    "UPDATE turns SET project_id = 1, session_id = NULL, ended_at = NULL, ended_by = NULL",
    "UPDATE turns SET tools_told = 7",
    "UPDATE agent_writes SET seen = 'yes'",
    "UPDATE tool_runs SET began_ns = 'at noon'",
    "UPDATE tool_runs SET began_ns = NULL",
    "UPDATE path_events SET mode = 'rw'",
    "UPDATE path_events SET old_mode = -1",
    "UPDATE path_events SET status = 'X'",
    "UPDATE path_events SET actor = 'nobody'",
    "UPDATE path_events SET checkpoint_id = NULL",
    "UPDATE projects SET looked_ns = 'now'",
    "UPDATE projects SET looked_restore = 'last'",
    "UPDATE restores SET mode = 'nonsense'",
    "UPDATE restores SET whole = 2",
    "UPDATE restores SET finished_at = NULL",
    "UPDATE restores SET state = 'writing'",
    "UPDATE restore_paths SET mode = -1",
    "UPDATE session_checkpoints SET size_bytes = 'long'",
    "UPDATE session_checkpoints SET version = -1",
    "UPDATE session_checkpoint_versions SET size_bytes = -1",
    "UPDATE legacy_archives SET imported_checkpoints = -1",
    "UPDATE operations SET kind = 'nonsense'",
    "UPDATE operations SET duration_ms = -1",
    "UPDATE operations SET finished_at = NULL",
    "UPDATE operations SET outcome = 'running'",
    "UPDATE operations SET pid = 'init'",
    "UPDATE remotes SET url_hash = 'one'",
    "UPDATE remotes SET failures = -1",
    "UPDATE machines SET id = 'laptop'",
    "UPDATE refused_paths SET commit_id = 'one'",
    "UPDATE pushes SET state = 'perhaps'",
    "UPDATE pushes SET ref_name = NULL",
    "UPDATE pushes SET machine_id = NULL",
    "UPDATE remote_checkpoints SET kind = 'nonsense'",
    "UPDATE remote_checkpoints SET partial = 2",
    "UPDATE remote_checkpoints SET logical_bytes = 'many'",
    "UPDATE remote_checkpoints SET turn = 'third'",
    "UPDATE remote_checkpoints SET machine_id = NULL",
)


@pytest.mark.campaign(beyond=3)
@pytest.mark.parametrize("statement", NONSENSE)
def test_nonsense_is_refused(file: Path, statement: str) -> None:
    load(schema.HEAD, file)
    with closing(sqlite3.connect(file)) as connection, pytest.raises(sqlite3.IntegrityError):
        connection.execute(statement)


def write(file: Path, *statements: str) -> None:
    """Write what any program may that opens the file and switches the checks off."""
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        for statement in statements:
            connection.execute(statement)


def columns(file: Path, *kinds: str) -> list[tuple[str, str]]:
    """The columns of some types that are neither keys nor lead to other tables."""
    found = []
    with closing(sqlite3.connect(file)) as connection:
        for table in definitions(file, "table"):
            leading = {r[3] for r in connection.execute(f"PRAGMA foreign_key_list({table})")}
            for _, name, kind, _, _, key in connection.execute(f"PRAGMA table_info({table})"):
                if kind.startswith(kinds) and not key and name not in leading:
                    found.append((table, name))
    return found


EARLIER = schema.REVISIONS[: schema.REVISIONS.index("0006")]


def once_each(*values: str) -> list[tuple[str, str]]:
    """Each value for the oldest revision, and one for each of the others: all of them mend alike,
    by the same revision."""
    oldest, *others = EARLIER
    return [*((oldest, value) for value in values), *zip(others, values, strict=False)]


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize(
    ("revision", "value"), once_each("'nonsense'", "-5", "1.5", "x'00ff'", str(2**63 - 1))
)
def test_no_number_stops_an_upgrade(revision: str, value: str, file: Path, lock: Path) -> None:
    load(revision, file)
    numbers = [
        (table, name)
        for table, name in columns(file, "INTEGER", "BIGINT", "BOOLEAN")
        if (table, name) != ("restores", "operation_id")
    ]
    assert len(numbers) > 20
    write(file, *(f"UPDATE {table} SET {name} = {value}" for table, name in numbers))  # noqa: S608
    with Catalog.open(file, lock) as catalog:
        assert integrity_problems(file) == []  # broken constraints are among them
        found = catalog.checkpoints.get(1)
        assert found is not None
        assert found.pinned
        assert found.added_bytes == (2**63 - 1 if value.startswith("9") else 0)


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize(
    ("revision", "value"),
    once_each("'nonsense'", "'now'", "'2025-02-30 10:00:00'", "5", "x'00ff'"),
)
def test_what_is_no_time_stops_no_reader(revision: str, value: str, file: Path, lock: Path) -> None:
    load(revision, file)
    times = [*columns(file, "DATETIME")]
    assert len(times) > 10
    write(file, *(f"UPDATE {table} SET {name} = {value}" for table, name in times))  # noqa: S608
    with Catalog.open(file, lock) as catalog:
        assert integrity_problems(file) == []
        with catalog._transactions.reading() as connection:
            for table in schema.metadata.sorted_tables:
                connection.execute(select(table)).all()
        found = catalog.checkpoints.get(1)
        assert found is not None
        assert datetime.now(UTC) - found.created_at < timedelta(minutes=5)  # not old, so not pruned


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("revision", EARLIER)
def test_no_word_stops_an_upgrade(revision: str, file: Path, lock: Path) -> None:
    before = load(revision, file)
    words = [(table, name) for (table, name) in WORDS if table in before]
    write(file, *(f"UPDATE {table} SET {name} = 'nonsense'" for table, name in words))  # noqa: S608
    Catalog.open(file, lock).close()
    assert integrity_problems(file) == []
    for table, name in words:
        now = NOW_IN.get(table, table)
        (found,) = {str(row[name]) for row in shell(file, f"SELECT {name} FROM {now}")}  # noqa: S608
        assert found == WORDS[table, name]


WORDS = {
    ("projects", "state"): "unreachable",
    ("checkpoints", "kind"): "manual",
    ("checkpoints", "state"): "live",
    ("checkpoint_changes", "status"): "M",
    ("skipped_paths", "reason"): "unreadable",
    ("turns", "actor"): "unknown",
    ("turns", "ended_by"): "next",
    ("turn_changes", "status"): "M",
    ("restores", "role"): "restore",
    ("restores", "state"): "partial",
    ("restores", "mode"): "keep-edits",
    ("restore_paths", "action"): "keep",
    ("restore_paths", "outcome"): "planned",
    ("legacy_archives", "layout"): "archive",
    ("legacy_archives", "state"): "found",
    ("former_ids", "layout"): "v2",
    ("operations", "kind"): "migration",
    ("operations", "outcome"): "partial",
}

NOW_IN = {"turn_changes": "path_events"}


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("revision", EARLIER)
def test_times_and_states_are_made_to_agree(revision: str, file: Path, lock: Path) -> None:
    before = load(revision, file)
    statements = [
        "UPDATE checkpoints SET state = 'pruned', pruned_at = NULL WHERE id = 1",
        "UPDATE checkpoints SET state = 'live', pruned_at = created_at WHERE id = 2",
        "UPDATE turns SET project_id = 1, ended_at = NULL, ended_by = NULL",
        "UPDATE operations SET outcome = 'running' WHERE id = 1",
        "UPDATE operations SET outcome = 'done', finished_at = NULL WHERE id = 2",
    ]
    if "restores" in before:
        statements.append("UPDATE restores SET state = 'writing' WHERE id = 1")
    write(file, *statements)
    with Catalog.open(file, lock) as catalog:
        pruned, live = catalog.checkpoints.get(1), catalog.checkpoints.get(2)
        assert pruned is not None
        assert live is not None
        assert pruned.pruned_at == pruned.created_at
        assert (live.pruned_at, live.prune_reason) == (None, None)
        assert [turn.id for turn in catalog.turns.open(1)] == [2]
        ended = rows(file, "SELECT ended_by, ended_at FROM turns WHERE id = 1")
        assert ended == [("next", "2026-11-22 12:00:00.000000")]
        assert [one.id for one in catalog.operations.running()] == [1]
    assert integrity_problems(file) == []


def rows(file: Path, sql: str) -> list[tuple[Any, ...]]:
    return [tuple(row.values()) for row in shell(file, sql)]


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("revision", EARLIER)
@pytest.mark.parametrize("right", [1, 2])
def test_two_projects_of_one_directory_become_one(
    revision: str, right: int, file: Path, lock: Path
) -> None:
    load(revision, file)
    name = "/srv/caf\udcff\\x"
    hash_ = project_hash(Path(name))
    text = "/srv/caf\\xff\\\\x"
    write(
        file,
        f"UPDATE projects SET workdir = '{text}'",  # noqa: S608
        f"UPDATE projects SET hash = '{hash_}' WHERE id = {right}",  # noqa: S608
        "UPDATE turns SET ended_at = NULL, ended_by = NULL",
    )
    with Catalog.open(file, lock) as catalog:
        (project,) = catalog.projects.all()
        assert (project.id, project.hash, project.working_dir) == (right, hash_, name)
        assert len(catalog.checkpoints.list(hash_)) == 2
        again = catalog.projects.ensure(hash_, name, START, identity=None, parent=None)
        assert again.id == right
        assert [turn.id for turn in catalog.turns.open(right)] == [2]
    assert integrity_problems(file) == []


def test_a_catalog_says_whose_file_it_is(catalog: Catalog) -> None:
    (found,) = rows(catalog.path, "PRAGMA application_id")
    assert found == (schema.APPLICATION_ID,)
    assert schema.APPLICATION_ID.to_bytes(4, "big") == b"HCKP"
