"""A query of people changes nothing, is told what is wrong with it, and lets nobody wait."""

from __future__ import annotations

import gc
import os
import sqlite3
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from hermes_checkpoints import BadRequest, Checkpoints, QueryRefused, Taken
from hermes_checkpoints.catalog import sqlite
from support import everything

ENDLESS = (
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
    " SELECT i, (SELECT count(*) FROM checkpoints) FROM n"
)


@pytest.fixture
def checkpoints(home: Path, project: Path) -> Iterator[Checkpoints]:
    """A base with one checkpoint, as a verb that looks opens it."""
    with Checkpoints.open(home) as made:
        assert isinstance(made.project(project).take("first"), Taken)
    with Checkpoints.open(home, create=False) as opened:
        yield opened


CHANGES = {
    "INSERT INTO settings VALUES ('a', 'b', 'c')": "INSERT on settings",
    "REPLACE INTO settings VALUES ('a', 'b', 'c')": "INSERT on settings",
    "WITH x AS (SELECT 1) DELETE FROM settings": "DELETE on settings",
    "UPDATE settings SET value = 1 RETURNING name": "UPDATE on settings",
    "EXPLAIN DELETE FROM labels": "DELETE on labels",
    "CREATE TABLE t (a)": "CREATE",
    "CREATE TEMP TABLE t (a)": "CREATE",
    "CREATE TEMP VIEW v AS SELECT 1": "CREATE",
    "CREATE VIRTUAL TABLE t USING fts5(a)": "CREATE",
    "/* why */ DROP VIEW store_totals": "DROP",
    "ALTER TABLE settings RENAME TO others": "ALTER",
    "ATTACH 'other.db' AS other": "ATTACH",
    "DETACH main": "DETACH",
    "VACUUM": "VACUUM",
    "VACUUM INTO 'copy.db'": "VACUUM",
    "ANALYZE": "ANALYZE",
    "REINDEX": "REINDEX",
    "BEGIN IMMEDIATE": "BEGIN",
    "COMMIT": "COMMIT",
    "SAVEPOINT here": "SAVEPOINT",
    "PRAGMA journal_mode = delete": "PRAGMA journal_mode",
    "PRAGMA writable_schema = 1": "PRAGMA writable_schema",
    "PRAGMA query_only = 0": "PRAGMA query_only",
    "PRAGMA user_version = 7": "PRAGMA user_version",
    "PRAGMA wal_checkpoint(TRUNCATE)": "PRAGMA wal_checkpoint",
    "PRAGMA temp_store_directory = '.'": "PRAGMA temp_store_directory",
    "SELECT * FROM pragma_optimize": "PRAGMA optimize",
    "SELECT load_extension('x')": "the function load_extension",
}


@pytest.mark.campaign(beyond=3)
@pytest.mark.parametrize("query", CHANGES)
def test_what_would_change_something_is_refused_by_the_engine(
    checkpoints: Checkpoints, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, query: str
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    before = everything(checkpoints.home), everything(tmp_path / "here")
    with pytest.raises(QueryRefused) as refused:
        checkpoints.ask(query)
    assert f"the catalog is only read here: {CHANGES[query]} is refused" in str(refused.value)
    assert (everything(checkpoints.home), everything(tmp_path / "here")) == before


def test_each_of_the_three_things_is_enough_by_itself(
    checkpoints: Checkpoints, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the authorizer SQLite refuses, and without a file that is opened to be read, too."""
    monkeypatch.setattr("hermes_checkpoints.catalog.asking._authorizer", lambda *_: None)
    change = "UPDATE settings SET value = 'x'"
    with pytest.raises(QueryRefused, match="readonly"):
        checkpoints.ask(change)
    monkeypatch.setattr(sqlite, "READ_ONLY", sqlite.READ_WRITE)
    with pytest.raises(QueryRefused, match="readonly"):
        checkpoints.ask(change)


@pytest.mark.parametrize(
    "query", ["UPDATE sqlite_master SET sql = ''", "DELETE FROM sqlite_master"]
)
def test_the_tables_of_sqlite_itself_are_not_to_be_changed(
    checkpoints: Checkpoints, query: str
) -> None:
    with pytest.raises(QueryRefused):
        checkpoints.ask(query)


READING = {
    "SELECT reason FROM checkpoint_list;": [("first",)],
    "-- which?\nSELECT reason /* so */ FROM checkpoint_list -- end\n;; ": [("first",)],
    "VALUES (1), ('a;b')": [(1,), ("a;b",)],
    "WITH x AS (SELECT 7) SELECT * FROM x": [(7,)],
    "PRAGMA journal_mode": [("wal",)],
    "PRAGMA integrity_check": [("ok",)],
    "SELECT count(*) FROM pragma_table_info('settings')": [(3,)],
    "SELECT value FROM json_each('[1, \"b\"]')": [(1,), ("b",)],
    "SELECT NULL, 9e999, -9223372036854775808, x'00ff'": [
        (None, float("inf"), -(2**63), b"\0\xff")
    ],
    "SELECT CAST(x'61ff' AS TEXT)": [("a\udcff",)],
    "SELECT 'a' || char(0) || 'b'": [("a\0b",)],
}


@pytest.mark.campaign(beyond=3)
@pytest.mark.parametrize("query", READING)
def test_what_reads_is_answered(checkpoints: Checkpoints, query: str) -> None:
    assert list(checkpoints.ask(query)) == READING[query]


def test_a_plan_is_explained(checkpoints: Checkpoints) -> None:
    assert list(checkpoints.ask("EXPLAIN SELECT * FROM checkpoint_list"))
    assert list(checkpoints.ask("EXPLAIN QUERY PLAN SELECT * FROM checkpoint_list"))


WRONG = {
    "": "the query is empty",
    " ; -- nothing\n/* at all": "the query is empty",
    "SELECT 1; SELECT 2": "these are several statements",
    "SELECT 1; DELETE FROM settings": "these are several statements",
    "SELECT 'a\0b'": "NUL",
    "SELECT '\udcff'": "not valid UTF-8",
    "SELECT 1\nFROM FROM x": r'in line 2: near "FROM": syntax error, at: FROM x',
    "SELECT chekpoints\nFROM store_totals": "line 1: no such column.*did you mean checkpoints?",
    "SELECT bytes FROM store_totals": r"no such column: bytes, .*; did you mean old_bytes\?",
    "SELECT * FROM stor_totals": "no such table: stor_totals.*did you mean store_totals?",
    "SELECT nosuch(1)": "no such function: nosuch, at: nosuch",
    "SELECT (": "incomplete input",
    "SELECT :a, ?": "has no name",
    "SELECT abs(-9223372036854775808)": "integer overflow",
    "SELECT zeroblob(2000000000)": "too big",
    "SELECT 1 LIMIT 'x'": "datatype mismatch",
    "SELECT :b": "needs a value for :b; give --param b=VALUE",
}


@pytest.mark.campaign(beyond=2)
@pytest.mark.parametrize("query", WRONG)
def test_what_is_wrong_is_said_with_its_place(checkpoints: Checkpoints, query: str) -> None:
    with pytest.raises(QueryRefused, match=WRONG[query]):
        checkpoints.ask(query, values={"a": "1"} if ":a" in query else None)


@pytest.mark.campaign(beyond=1)
@pytest.mark.usefixtures("no_hang")
@pytest.mark.parametrize(
    "query",
    [
        f"SELECT {'1,' * 300_000},1",
        f"SELECT{' ' * 900_000}wrong",
        f"SELECT 1{' ;' * 400_000}x",
        f"{'/* ' * 300_000}",
        f"SELECT {'a.' * 300_000}a",
    ],
    ids=["commas", "spaces", "ends", "comments", "names"],
)
def test_a_long_wrong_query_is_refused_at_once(checkpoints: Checkpoints, query: str) -> None:
    with pytest.raises(QueryRefused) as refused:
        checkpoints.ask(query)
    assert len(str(refused.value)) < 1000


def test_a_query_has_a_greatest_length(checkpoints: Checkpoints) -> None:
    with pytest.raises(QueryRefused, match="1,000,000 characters"):
        checkpoints.ask(f"SELECT '{'a' * 1_000_000}'")


def test_values_are_texts_and_each_is_used(checkpoints: Checkpoints) -> None:
    answer = checkpoints.ask("SELECT :a, typeof(:b), :a", values={"a": "'; --", "b": "1"})
    assert list(answer) == [("'; --", "text", "'; --")]
    with pytest.raises(QueryRefused, match="no parameter :c; it has :a"):
        checkpoints.ask("SELECT :a", values={"a": "1", "c": "2"})
    with pytest.raises(QueryRefused, match="not valid UTF-8"):
        checkpoints.ask("SELECT :a", values={"a": "\udcff"})
    with pytest.raises(BadRequest):
        checkpoints.ask("SELECT :a", values={"a": 1})  # type: ignore[dict-item]


def test_a_limit_tells_whether_there_is_more(checkpoints: Checkpoints) -> None:
    for limit, more in ((2, True), (3, False), (4, False)):
        answer = checkpoints.ask("VALUES (1), (2), (3)", limit=limit)
        assert len(list(answer)) == min(limit, 3)
        assert answer.more is more


def test_an_answer_that_fits_leaves_nothing_open(checkpoints: Checkpoints) -> None:
    """The log can be written back while the rows are still being looked at."""
    small = checkpoints.ask("SELECT name FROM settings")
    with checkpoints.ask(ENDLESS) as large:
        rows = iter(large)
        assert next(rows) == (1, 1)
        assert _can_be_written_back(checkpoints) == "only in part"
        assert next(row for row in rows if row[0] == 30_001) == (30_001, 1)
    assert _can_be_written_back(checkpoints) == "whole"
    assert len(list(small)) > 10
    assert list(large) == []


def _can_be_written_back(checkpoints: Checkpoints) -> str:
    with closing(sqlite3.connect(checkpoints.home / "checkpoints" / "catalog.db")) as connection:
        connection.execute("PRAGMA busy_timeout = 0")
        with connection:
            connection.execute("UPDATE operations SET duration_ms = duration_ms + 1")
        busy, *_ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return "only in part" if busy else "whole"


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("journal", ["wal", "delete"])
def test_a_take_goes_on_beside_a_query_that_is_being_read(
    home: Path, project: Path, monkeypatch: pytest.MonkeyPatch, journal: str
) -> None:
    monkeypatch.setattr(sqlite, "wanted_journal_mode", lambda _: journal)
    with Checkpoints.open(home) as checkpoints:
        assert isinstance(checkpoints.project(project).take(), Taken)
        assert checkpoints.status().journal_mode == journal
        with checkpoints.ask(ENDLESS) as answer:
            rows = iter(answer)
            assert next(rows) == (1, 1)
            (project / "new.txt").write_text("new\n")
            assert isinstance(checkpoints.project(project).take(), Taken)
            later = next(row for row in rows if row[0] == 20_001)
            assert later[1] == 1  # an answer is of one moment
        assert list(checkpoints.ask("SELECT count(*) FROM checkpoints")) == [(2,)]


def test_relations_have_the_comments_of_views_and_tables(checkpoints: Checkpoints) -> None:
    found = {one.name: one for one in checkpoints.relations()}
    assert (found["project_status"].kind, found["projects"].kind) == ("view", "table")
    assert "One row for each project" in found["project_status"].about
    (state,) = (one for one in found["project_status"].columns if one.name == "state")
    assert state.about.startswith("live; orphan: its parent is there")
    assert ("hash", "VARCHAR(16)") in {(one.name, one.type) for one in found["projects"].columns}
    for view in found.values():
        assert view.about and all(column.about for column in view.columns), view.name
    assert checkpoints.relations("settings") == (found["settings"],)
    with pytest.raises(BadRequest, match="did you mean settings"):
        checkpoints.relations("setting")


def test_a_question_is_given_what_it_needs(checkpoints: Checkpoints) -> None:
    holds = checkpoints.question("file-checkpoints")
    assert len(list(checkpoints.ask(holds, values={"path": "src/app.py"}))) == 1
    with pytest.raises(BadRequest, match="needs a value for :path, the file"):
        checkpoints.ask(holds)
    with pytest.raises(BadRequest, match="has no parameter :paths; it has :path"):
        checkpoints.ask(holds, values={"path": "a", "paths": "b"})
    with pytest.raises(BadRequest, match="did you mean file-checkpoints"):
        checkpoints.question("file-checkpoint")


def test_a_base_that_does_not_exist_is_asked_as_an_empty_one(fresh_home: Path) -> None:
    with Checkpoints.open(fresh_home, create=False) as checkpoints:
        assert list(checkpoints.ask("SELECT checkpoints FROM store_totals")) == [(0,)]
    assert not fresh_home.exists()


@pytest.mark.campaign
@pytest.mark.parametrize("journal", ["wal", "delete"])
def test_an_answer_that_is_forgotten_or_forked_with_leaves_nothing_behind(
    home: Path, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, journal: str
) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.setattr(sqlite, "wanted_journal_mode", lambda _: journal)
    with Checkpoints.open(home) as checkpoints:
        assert isinstance(checkpoints.project(project).take(), Taken)
        answer = checkpoints.ask(ENDLESS)
        rows = iter(answer)
        assert next(rows) == (1, 1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # fork beside xdist's thread
            child = os.fork()
        if child == 0:
            left = sum(1 for _ in rows) < 10_000  # what was read before the fork, and no more
            del answer, rows
            gc.collect()
            os._exit(0 if left else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert next(row for row in rows if row[0] == 30_001) == (30_001, 1)
        assert any(folder.iterdir()) is (journal == "delete")
        del answer, rows
        gc.collect()
        assert list(folder.iterdir()) == []
        assert _can_be_written_back(checkpoints) == "whole"
