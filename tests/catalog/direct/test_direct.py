"""What is asked without SQLAlchemy is what is asked with it, and gives the same answers."""

from __future__ import annotations

import os
import shutil
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from catalog.direct.compiling import STATEMENTS, compiled
from catalog.random_rows import Rows, catalogs, configurations, fill
from catalog.records import Maker, added, shell
from hermes_checkpoints.catalog import Catalog, schema, sqlite
from hermes_checkpoints.catalog.direct import statements
from hermes_checkpoints.catalog.direct.opening import open_catalog
from hermes_checkpoints.catalog.direct.reader import NotDirect, Reader, Statement
from hermes_checkpoints.config import Config
from hermes_checkpoints.errors import CatalogDamaged, CatalogNewer, CheckpointError
from hermes_checkpoints.model import (
    Actor,
    JournalEntry,
    OperationKind,
    OperationOutcome,
    Owner,
    ProjectState,
)
from support import examples

LONG_AGO, FAR_AHEAD = datetime(2001, 1, 1, tzinfo=UTC), datetime(2101, 1, 1, tzinfo=UTC)
FRESH = ((LONG_AGO, LONG_AGO), (LONG_AGO, FAR_AHEAD), (FAR_AHEAD, FAR_AHEAD))


@contextmanager
def looking(catalog: Catalog) -> Iterator[Any]:
    opened: Any = open_catalog(catalog.path, catalog.path.with_suffix(".lock"), directly=True)
    try:
        yield opened
    finally:
        opened.close()


def test_the_statements_are_those_that_the_catalog_sends(catalog: Catalog) -> None:
    kept = {name: one for name, one in vars(statements).items() if isinstance(one, Statement)}
    made = {name: compiled(catalog, asked) for name, asked in STATEMENTS.items()}
    assert {name: one._replace(text=" ".join(one.text.split())) for name, one in kept.items()} == (
        made
    ), "write them anew: python tests/catalog/direct/compiling.py"
    assert (statements.HEAD, statements.APPLICATION_ID) == (schema.HEAD, schema.APPLICATION_ID)
    assert (statements.TABLES, statements.VIEWS) == (schema.TABLES, schema.VIEWS)


def questions(catalog: Any) -> dict[str, Callable[[Any], object]]:
    """Return everything that is answered directly, of the projects and checkpoints of a catalog."""
    asked: dict[str, Callable[[Any], object]] = {
        "settings": lambda c: [c.settings.get(name) for name in ("max_snapshots", "none")],
        "projects": lambda c: c.projects.all(),
        "looks": lambda c: [c.retention.last_looks(fresh) for fresh in FRESH],
        "figures": lambda c: [c.status.projects(), c.status.projects(2), c.status.totals()],
        "held": lambda c: [c.status.held(fresh) for fresh in FRESH],
        "added": lambda c: [c.usage.added(), c.usage.store()],
        "running": lambda c: c.operations.running(),
        "failures": lambda c: [
            c.operations.failure_runs(place, since=since)
            for place in (None, *(one.working_dir for one in c.operations.failure_runs()))
            for since in (None, *(one.last_at for one in c.operations.failure_runs()))
        ],
        "success": lambda c: c.operations.last_success(),
        "pruning": lambda c: c.checkpoints.pruning(),
        "lost": lambda c: [c.agreement.lost(), c.agreement.partly_lost()],
        "archives": lambda c: [c.archives.all(), c.archives.pending()],
        "arriving": lambda c: [c.arriving.count(), c.arriving.only_in_archives()],
        "interrupted": lambda c: c.restores.interrupted(),
        "unsent": lambda c: [
            c.remotes.left_unsent("/{project}", at) for at in (LONG_AGO, FAR_AHEAD)
        ],
        "sessions": lambda c: [c.turns.open_of_session(f"s{number}") for number in range(4)],
    }
    for project in catalog.projects.all():
        hash_, where = project.hash, project.working_dir
        asked[f"of {where}"] = lambda c, hash_=hash_, where=where: [  # type: ignore[misc]
            c.projects.get(hash_),
            c.projects.at_or_above(f"{where}/below"),
            c.retention.last_looks(FRESH[1], [hash_, "none"]),
            c.status.projects(only=hash_),
            c.operations.last_refusal(where),
            c.checkpoints.list(hash_),
            c.checkpoints.list(hash_, limit=1, safety=False),
            c.checkpoints.list(hash_, limit=0),
            c.restores.safety_of(hash_),
            c.agreement.lost(hash_),
        ]
        for one in catalog.checkpoints.list(hash_, include_pruned=True):
            asked[f"{one.id} of {where}"] = (
                lambda c, one=one: [  # type: ignore[misc]
                    c.checkpoints.find(one.id[:6]),
                    c.checkpoints.skipped(one._row),
                ]
            )
    return asked


@pytest.mark.campaign
@given(rows=catalogs(), config=configurations())
@settings(
    max_examples=examples(6),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_every_answer_is_that_of_the_whole_catalog(
    catalog: Catalog, rows: Rows, config: Config
) -> None:
    fill(catalog, rows, config)
    left = list(questions(catalog).items())
    while left:
        with looking(catalog) as opened:
            while left and opened._catalog is None:  # else this one is the whole catalog by now
                what, ask = left.pop()
                assert ask(opened) == ask(catalog), what


def test_names_of_any_bytes_are_answered_exactly(catalog: Catalog, make: Maker) -> None:
    odd = [os.fsdecode(b"/srv/b\xff"), "/srv/back\\slash", "/srv/emoji \N{GRINNING FACE}", "/srv/'"]
    for name in odd:
        make.checkpoint(make.project(name), changes=[added("a")])
    make.project("/srv/nul")
    change(catalog.path, "UPDATE projects SET workdir = '/srv/nul\\x00' WHERE workdir = '/srv/nul'")
    with looking(catalog) as opened:
        assert opened.projects.all() == catalog.projects.all()
        for name in odd:
            assert opened.projects.at_or_above(f"{name}/below") == {name}
        assert opened._catalog is None


def test_what_is_asked_of_status_and_log_needs_no_whole_catalog(
    catalog: Catalog, make: Maker
) -> None:
    project = make.project("/srv/a")
    make.checkpoint(project, changes=[added("a")])
    with looking(catalog) as opened:
        for ask in questions(catalog).values():
            ask(opened)
        opened.settings.keep({}, make.now())
        opened.projects.keep_limits(None)
        opened.projects.keep_limits(lambda _: None)
        opened.projects.set_states({project.hash: ProjectState.LIVE}, make.now())
        opened.retention.set_identities({})
        assert opened.journal_mode == catalog.journal_mode
        assert opened.direct() is not None
        assert opened.checkpoints.live() == catalog.checkpoints.live()
        assert opened.direct() is None
        assert opened.checkpoints.list(project.hash) == catalog.checkpoints.list(project.hash)


def test_a_state_is_written_as_the_whole_catalog_writes_it(catalog: Catalog, make: Maker) -> None:
    states = {make.project(f"/srv/{state}").hash: state for state in ProjectState}
    first, second = make.now(), make.now()
    query = "SELECT * FROM projects ORDER BY id"
    before = shell(catalog.path, query)
    catalog.projects.set_states(states, first)
    catalog.projects.set_states(dict.fromkeys(states, ProjectState.ORPHAN), second)
    whole = shell(catalog.path, query)
    assert whole != before
    columns = ", ".join(f'"{name}" = ?' for name in before[0])
    with closing(sqlite3.connect(catalog.path)) as connection, connection:
        for row in before:
            connection.execute(
                f"UPDATE projects SET {columns} WHERE id = ?",  # noqa: S608
                [*row.values(), row["id"]],
            )
    assert shell(catalog.path, query) == before
    with looking(catalog) as opened:
        opened.projects.set_states(states, first)
        opened.projects.set_states(dict.fromkeys(states, ProjectState.ORPHAN), second)
        assert opened._catalog is None
    assert shell(catalog.path, query) == whole


def told(catalog: Any, project: int, session: str | None) -> list[object]:
    """Tell of a turn and its tools, as hooks do; return all answers."""
    turns, hooks = catalog.turns, catalog.hooks
    now = datetime(2026, 11, 29, 12, tzinfo=UTC)
    write: dict[str, Any] = {"session_id": session, "turn": 3, "tool": "Write", "now": now}
    return [
        turns.begin_tool(project, "nobody", "run-1", "Bash", 10),
        turns.begin_tool(project, session, "run-1", "Bash", 10, every_tool=False),
        turns.begin_tool(project, session, "run-2", None, 20),
        turns.begin_tool(project, session, None, "Bash", 30),
        turns.end_tool(project, session, "run-9", 40),
        turns.end_tool(project, session, "run-1", 40),
        turns.end_tool(project, session, None, 50),
        turns.end_tool(project, session, None, 60),
        turns.end_tool(project, session, None, 70),
        turns.record_write(project, os.fsdecode(b"b\xff"), blob="ab", **write),
        turns.record_write(project, "gone", blob=None, **{**write, "session_id": "nobody"}),
        turns.open(project),
        hooks.session("s"),
        hooks.prompted("s", "claude", "Fix it", now),
        hooks.prompted("s", "claude", None, now),
        hooks.session("s"),
        hooks.tell("s", "off"),
        hooks.session("s"),
        hooks.prompted("other", "codex", "\ud800", now),
        hooks.prompted("later", "gemini", None, now + timedelta(days=40)),
        hooks.session("other"),
        hooks.end("later"),
        hooks.session("later"),
    ]


@pytest.mark.parametrize("session", ["session-1", None])
def test_what_hooks_tell_is_written_as_the_whole_catalog_writes_it(
    catalog: Catalog, make: Maker, session: str | None
) -> None:
    projects = [make.project("/srv/a"), make.project("/srv/b")]
    owner = Owner("host", "boot", 7, "now")
    for project in projects:
        first = make.checkpoint(project)
        catalog.turns.begin(
            project.id,
            start_checkpoint_id=first._row,
            session_id=session,
            turn=4,
            actor=Actor.AGENT,
            now=make.now(),
            owner=owner,
        )
    whole = told(catalog, projects[0].id, session)
    catalog.hooks.end("s")
    with looking(catalog) as opened:
        directly = told(opened, projects[1].id, session)
        assert opened._catalog is None
    turns = [
        [replace(one, id=0, started_at=LONG_AGO) for one in answers[11]]  # type: ignore[attr-defined]
        for answers in (whole, directly)
    ]
    assert turns[0] == turns[1] and turns[0][0].owner == owner
    assert [*whole[:11], *whole[12:]] == [*directly[:11], *directly[12:]]
    for table in ("tool_runs", "agent_writes"):
        rows = shell(catalog.path, f"SELECT * FROM {table} ORDER BY id")  # noqa: S608
        of = ("id", "turn_id", "project_id")
        plain = [{key: value for key, value in row.items() if key not in of} for row in rows]
        assert len(plain) in (4, 6)
        assert plain[: len(plain) // 2] == plain[len(plain) // 2 :]


def test_a_limit_that_differs_is_written_by_the_whole_catalog_and_a_setting_directly(
    catalog: Catalog, make: Maker
) -> None:
    make.project("/srv/a")
    with looking(catalog) as opened:
        opened.settings.keep({"max_snapshots": "7"}, make.now())
        assert opened._catalog is None
    with looking(catalog) as opened:
        opened.projects.keep_limits(lambda _: 3)
        assert opened._catalog is not None
    assert catalog.settings.get("max_snapshots") == "7"
    assert shell(catalog.path, "SELECT max_snapshots FROM projects") == [{"max_snapshots": 3}]


def change(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement)


def _newer(path: Path) -> None:
    change(path, "UPDATE alembic_version SET version_num = '9999'")


def _trigger(path: Path) -> None:
    change(path, "CREATE TRIGGER t AFTER INSERT ON labels BEGIN DELETE FROM labels; END")


def _missing(path: Path) -> None:
    change(path, "DROP TABLE settings")


def _foreign(path: Path) -> None:
    change(path, "PRAGMA application_id = 77")


def _rubbish(path: Path) -> None:
    path.write_bytes(b"no catalog" * 100)


@pytest.mark.parametrize("harm", [_newer, _trigger, _missing, _foreign, _rubbish])
def test_what_is_unusual_is_refused_as_the_whole_catalog_refuses_it(
    catalog: Catalog, lock: Path, harm: Callable[[Path], None]
) -> None:
    catalog.close()
    harm(catalog.path)
    assert Reader.open(catalog.path) is None
    with pytest.raises(CheckpointError) as whole:
        Catalog.open(catalog.path, lock)
    with pytest.raises(CheckpointError) as looked:
        open_catalog(catalog.path, lock, directly=True)
    assert (type(looked.value), str(looked.value)) == (type(whole.value), str(whole.value))
    assert isinstance(whole.value, CatalogNewer if harm is _newer else CatalogDamaged)


def test_a_catalog_that_is_missing_is_left_to_the_whole_way(tmp_path: Path) -> None:
    assert Reader.open(tmp_path / "catalog.db") is None
    assert not (tmp_path / "catalog.db").exists()


def test_a_value_that_is_none_is_refused_as_the_whole_catalog_refuses_it(
    catalog: Catalog, make: Maker
) -> None:
    make.project("/srv/a")
    change(catalog.path, "UPDATE projects SET last_touch = 'yesterday'")
    with looking(catalog) as opened, pytest.raises(CatalogDamaged) as looked:
        opened.projects.all()
    with pytest.raises(CatalogDamaged) as whole:
        catalog.projects.all()
    assert str(looked.value) == str(whole.value)


def test_a_catalog_that_was_replaced_is_asked_no_more(catalog: Catalog, tmp_path: Path) -> None:
    with looking(catalog) as opened:
        shutil.copy(catalog.path, tmp_path / "copy")
        (tmp_path / "copy").replace(catalog.path)
        with pytest.raises(CatalogDamaged, match="moved away or replaced while in use"):
            opened.projects.all()


def test_a_catalog_that_was_replaced_while_it_was_opened_is_asked_no_more(
    catalog: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    catalog.close()
    shutil.copy(catalog.path, tmp_path / "copy")
    connect = sqlite.connect

    def replaced(path: Path, **how: Any) -> sqlite3.Connection:
        connection = connect(path, **how)
        (tmp_path / "copy").replace(path)
        return connection

    monkeypatch.setattr(sqlite, "connect", replaced)
    reader = Reader.open(catalog.path)
    assert reader is not None
    with reader, pytest.raises(NotDirect):
        reader.rows(statements.PROJECTS)


def test_a_closed_catalog_answers_nothing(catalog: Catalog) -> None:
    with looking(catalog) as opened:
        opened.close()
        with pytest.raises(CheckpointError, match="was closed"):
            opened.projects.all()


def test_every_thread_asks_directly_and_a_forked_child_the_whole_catalog(
    catalog: Catalog, make: Maker
) -> None:
    make.project("/srv/a")
    with looking(catalog) as opened:
        found: list[object] = []
        for _ in range(3):
            thread = threading.Thread(target=lambda: found.append(opened.projects.all()))
            thread.start()
            thread.join()
        assert found == [catalog.projects.all()] * 3
        assert opened._catalog is None
        assert len([one for one in opened._readers if one()]) == 1, "the others' threads ended"
        opened.checkpoints.live()
        thread = threading.Thread(target=lambda: found.append(opened.direct()))
        thread.start()
        thread.join()
        assert found[3:] == [None], "once one needs the whole catalog, all ask it"
    with looking(catalog) as opened:
        child = os.fork()
        if not child:
            try:
                code = 0 if len(opened.projects.all()) == 1 and opened._catalog else 1
            finally:
                os._exit(code)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert len(opened.projects.all()) == 1


def test_a_catalog_that_is_missing_is_made_directly_where_nothing_of_earlier_versions_is(
    tmp_path: Path,
) -> None:
    new, old = tmp_path / "new" / "catalog.db", tmp_path / "old" / "catalog.db"
    for path in (new, old):
        path.parent.mkdir()
    (old.parent / "store").mkdir()
    for path in (new, old):
        opened: Any = open_catalog(path, path.with_suffix(".lock"), directly=True)
        with opened:
            assert opened.asks_directly is (path == new)
            assert opened.projects.all() == []
        assert path.stat().st_mode & 0o777 == 0o600


def test_a_busy_catalog_is_written_by_the_whole_one_which_waits(
    catalog: Catalog, make: Maker
) -> None:
    project = make.project("/srv/a")
    catalog.operations.record(
        JournalEntry(OperationKind.TAKE, make.now(), "/srv/a", outcome=OperationOutcome.DONE),
        now=make.now(),
    )
    with looking(catalog) as opened, closing(sqlite3.connect(catalog.path)) as other:
        other.isolation_level = None
        other.execute("BEGIN IMMEDIATE")
        reader = opened.direct()
        with pytest.raises(NotDirect):
            reader.write(
                statements.SET_STATE,
                [{"hash": project.hash, "state": ProjectState.ORPHAN, "now": make.now()}],
            )
        assert len(opened.operations.failure_runs()) == 0
        other.execute("ROLLBACK")
        opened.projects.set_states({project.hash: ProjectState.ORPHAN}, make.now())
    found = catalog.projects.get(project.hash)
    assert found is not None
    assert found.state is ProjectState.ORPHAN


def test_what_an_agent_reported_waits_for_the_disk(catalog: Catalog, make: Maker) -> None:
    project = make.project("/srv/a")
    with looking(catalog) as opened:
        reader = opened.direct()
        assert reader is not None

        def waits() -> bool:
            return bool(reader._connection.execute("PRAGMA synchronous").fetchone() == (2,))

        opened.hooks.end("s")
        assert not waits()
        opened.turns.record_write(
            project.id, "a.txt", session_id="s", turn=1, tool="t", blob=None, now=make.now()
        )
        assert waits()
    assert [write.path for write in catalog.turns.writes(project.id)] == ["a.txt"]
