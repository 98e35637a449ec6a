"""Each statement that the package runs finds its rows by an index, each index serves a statement,
and each column is read by somebody.

A scenario does what people and agents do, on a catalog with a history and with statistics, while
SQLite tells how it would run each statement, and which columns it reads.
"""

from __future__ import annotations

import importlib.util
import re
import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from sqlalchemy import event
from sqlalchemy.engine import Engine

from capture.trees import git
from catalog.records import START, Maker, shell
from catalog.sent import OTHER, OWN, pushed, remote_checkpoint, send
from hermes_checkpoints import Checkpoints
from hermes_checkpoints.attribution.tools import begin_tool, end_tool
from hermes_checkpoints.catalog import Catalog, schema
from hermes_checkpoints.catalog import sqlite as connections
from hermes_checkpoints.layout import Layout
from hermes_checkpoints.model import (
    Action,
    Checkpoint,
    FetchedRef,
    Kind,
    Mode,
    PlannedPath,
    Policy,
    ProjectKey,
    PushState,
)
from retention.histories import AT_ONCE

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
GROWING = {
    "checkpoints",
    "checkpoint_changes",
    "skipped_paths",
    "agent_writes",
    "turns",
    "tool_runs",
    "path_events",
    "restores",
    "restore_paths",
    "former_ids",
    "session_checkpoint_versions",
}
"""The tables that grow with the history. The journal is bounded; projects, sessions, archives and
settings have the rows that lists show."""

MAY_SCAN = {"usage", "clear", "rebuild"}
"""What looks at everything: how much space it takes, all that goes, all that is made anew."""

RULES = {"ix_turns_open_of_no_session"}
"""Indexes that refuse a second row, whatever else they serve."""

FOR_PEOPLE = {
    ("projects", "disposable"),
    ("turns", "start_checkpoint_id"),
    ("settings", "updated_at"),
    ("legacy_archives", "cleared_at"),
    ("alembic_version", "version_num"),
}
"""What is read from the tables themselves."""


def year() -> ModuleType:
    """The benchmark that lives through a year in a catalog."""
    spec = importlib.util.spec_from_file_location("year", ROOT / "benchmarks" / "year.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@dataclass
class Seen:
    """By part of the scenario: the statements with the steps of their plans. And the columns that
    were read."""

    plans: dict[str, dict[str, list[str]]] = field(default_factory=lambda: defaultdict(dict))
    columns: set[tuple[str, str]] = field(default_factory=set)
    part: str = "opening"

    @contextmanager
    def during(self, part: str) -> Iterator[None]:
        before, self.part = self.part, part
        yield
        self.part = before

    def look(self, cursor: sqlite3.Cursor, statement: str, values: Any, many: bool) -> None:
        known = self.plans[self.part]
        if statement in known or not statement.startswith(
            ("SELECT", "INSERT", "UPDATE", "DELETE", "WITH")
        ):
            return
        plan = cursor.connection.execute(
            f"EXPLAIN QUERY PLAN {statement}", values[0] if many else values
        )
        known[statement] = [str(row[3]) for row in plan]


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> Iterator[Seen]:
    found = Seen()
    real = connections.connect

    def permit(action: int, table: str | None, column: str | None, *_: object) -> int:
        if action == sqlite3.SQLITE_ANALYZE:
            return sqlite3.SQLITE_IGNORE
        if action == sqlite3.SQLITE_READ and table and column:
            found.columns.add((table, column))
        return sqlite3.SQLITE_OK

    def connect(*arguments: Any, **options: Any) -> sqlite3.Connection:
        connection = real(*arguments, **options)
        connection.set_authorizer(permit)
        return connection

    def look(_: Any, cursor: Any, statement: str, values: Any, _context: Any, many: bool) -> None:
        found.look(cursor, statement, values, many)

    monkeypatch.setattr(connections, "connect", connect)
    event.listen(Engine, "before_cursor_execute", look)
    yield found
    event.remove(Engine, "before_cursor_execute", look)


@pytest.fixture
def scenario(seen: Seen, home: Path, project: Path) -> Seen:
    """What people and agents do, in a base where another project has lived for three days."""
    catalog = Layout.of(home).catalog
    catalog.parent.mkdir(parents=True, exist_ok=True)
    lived = year()
    git(project, "init", "-q")
    git(project, "config", "remote.origin.url", "https://example.org/notes.git")
    with seen.during("before"):
        with Catalog.open(catalog, Layout.of(home).catalog_lock) as opened:
            for number in range(60):
                other = opened.projects.ensure(
                    f"{number:016}", f"/srv/{number}", lived.START, identity=None, parent=None
                )
            lived.live_through(opened, other, 220, 110, 20)
        with Checkpoints.open(home) as checkpoints:
            own = checkpoints.project(project)
            (project / "stays.txt").write_text("as it was\n")
            for number in range(20):
                (project / "notes.txt").write_text(f"{number}\n")
                own.take(kind=Kind.AUTO, session_id="s1", turn=number)
                own.record_agent_write("notes.txt", session_id="s1", turn=number, tool="t")
                own.end_turn(session_id="s1")
            for number in range(60):
                checkpoints.sessions.write(f"s{number}", {"task": "port the parser"})
        pretend_to_be_large(catalog)
    with seen.during("opening"), Checkpoints.open(home) as checkpoints:
        act(seen, checkpoints, project)
    with seen.during("rebuild"):
        for suffix in ("", "-wal", "-shm"):
            catalog.with_name(f"{catalog.name}{suffix}").unlink(missing_ok=True)
        Checkpoints.open(home).close()
    with closing(connections.connect(catalog)) as connection:
        for view in schema.VIEWS:
            connection.execute(f"SELECT * FROM {view}").fetchall()  # noqa: S608
    return seen


def pretend_to_be_large(catalog: Path) -> None:
    """Let the statistics be those of a thousand such histories; nothing renews them from now on."""
    with closing(sqlite3.connect(catalog)) as connection, connection:
        connection.execute("ANALYZE")
        for rowid, stat in connection.execute("SELECT rowid, stat FROM sqlite_stat1").fetchall():
            count, *each = str(stat).split()
            larger = " ".join([str(int(count) * 1000), *each])
            connection.execute("UPDATE sqlite_stat1 SET stat = ? WHERE rowid = ?", (larger, rowid))


def act(seen: Seen, checkpoints: Checkpoints, project: Path) -> None:
    own = checkpoints.project(project)
    notes = project / "notes.txt"
    with seen.during("take"):
        own.take(kind=Kind.AUTO, session_id="s1", turn=40)
        notes.write_text("new\n")
        own.take(kind=Kind.AUTO, session_id="s1", turn=41)
        begin_tool(checkpoints._base, own._target, "s1", "run 1", "t")
        begin_tool(checkpoints._base, own._target, "s1", None, "t")
        notes.write_text("newer\n")
        own.record_agent_write("notes.txt", session_id="s1", turn=41, tool="t")
        end_tool(checkpoints._base, own._target, "s1", "run 1")
        end_tool(checkpoints._base, own._target, "s1", None)
        own.end_turn(session_id="s1")
        own.take(kind=Kind.AUTO)
        own.record_agent_write("notes.txt", tool="t")
        own.end_turn()
        notes.write_text("by hand\n")
        own.take("by hand", label="clean", session_id="s1")
    with seen.during("hooks"):
        agents = checkpoints.agent_sessions
        agents.prompted("s1", "claude", "port the parser")
        agents.tell("s1", "protection is off")
        agents.get("s1")
        agents.end("s1")
    with seen.during("list"):
        latest, *_, oldest = own.list()
        own.list(limit=3, session_id="s1")
        own.safety_checkpoints()
        for reference in ("latest", "clean", "3", latest.id[:8], latest):
            own.get(reference)
        checkpoints.find(latest.id)
        assert checkpoints._base.catalog.retention.of_ref(latest.ref_name) == latest
        own.changes(latest)
        own.skipped(latest)
        own.former_ids(latest)
        own.diff(oldest)
        own.who("notes.txt")
        assert own.who("stays.txt") == []
        own.related()
        checkpoints.project_of(project)
    with seen.during("list of all"):
        checkpoints.projects()
        checkpoints.list_all()
    with seen.during("mark"):
        own.pin(oldest)
        own.unpin(oldest)
        own.label(latest, "other")
    with seen.during("status"):
        checkpoints.status()
    with seen.during("sessions"):
        sessions = checkpoints.sessions
        sessions.write("s1", {"task": "port the parser", "status": "completed"})
        sessions.list()
        sessions.list(limit=5)
        sessions.list(status="completed")
        sessions.history("s1")
        sessions.checkpoints("s1")
        sessions.turns("s1")
        sessions.gc()
    with seen.during("restore"):
        for mode in Mode:
            own.plan_restore(oldest, mode=mode)
        own.plan_restore(oldest, session_id="s1")
        own.restore(oldest, mode=Mode.EXACT)
        own.undo()
        own.redo()
    with seen.during("prune"):
        checkpoints.plan_prune()
        own.drop(own.list()[3], options=AT_ONCE)
        plan = checkpoints.plan_prune(policy=Policy(max_snapshots=3, orphan_grace=None))
        checkpoints.prune(plan=plan, options=AT_ONCE)
    with seen.during("usage"):
        checkpoints.usage()
        checkpoints.prune(options=replace(AT_ONCE, reclaim=True))
    with seen.during("import"):
        folder = project.with_name("old")
        folder.mkdir()
        (folder / "20261120_ab12.yaml").write_text("task: port the parser")
        checkpoints.import_legacy(folder)
    with seen.during("recover"):
        catalog = checkpoints._base.catalog
        record = catalog.projects.all()[0]
        begun = Maker(catalog)
        begun.restore(record, latest, [PlannedPath("notes.txt", Action.WRITE, "missing now")])
        Checkpoints.open(checkpoints.home).close()
    with seen.during("remote"):
        beyond(catalog, checkpoints.project(project).get())
    with seen.during("usage"):
        catalog.remotes.status()
    with seen.during("rebuild"):
        moved = project.with_name("moved")
        project.rename(moved)
        checkpoints.rebind(project, moved)


def beyond(catalog: Catalog, own: Checkpoint) -> None:
    """Let a remote have something, and ask all that is asked of it."""
    one = remote_checkpoint(OTHER, 1, session_id="s1", repository="example.org/notes")
    send(catalog, pushed(own, PushState.REFUSED), found=[one])
    [remote] = catalog.remotes.all()
    catalog.remotes.pushed(remote, {PushState.REFUSED})
    catalog.remotes.unsent(remote)
    catalog.remotes.cursor(remote, OWN, own.project_hash)
    key = ProjectKey(OWN, own.project_hash, "example.org/notes")
    catalog.elsewhere.list(key)
    catalog.elsewhere.list(machine=OTHER)
    catalog.elsewhere.list(session_id="s1")
    catalog.elsewhere.find(one.id[:8])
    catalog.elsewhere.machines()
    catalog.fetched.add(FetchedRef(one.id, "refs/fetched/one", START, 815))
    catalog.fetched.all(START)
    catalog.usage.fetched()
    catalog.fetched.remove(["refs/fetched/one"])


TABLE = re.compile(r"^SCAN (\w+)")


def scanned(statement: str, step: str) -> str | None:
    """The table that a step of a plan reads as a whole, whatever its alias is called."""
    found = TABLE.match(step)
    if found is None:
        return None
    alias = re.search(rf"\b(\w+) AS {found.group(1)}\b", statement)
    return alias.group(1) if alias else found.group(1)


def test_no_statement_reads_a_history_as_a_whole(scenario: Seen) -> None:
    found = [
        (part, step, statement)
        for part, statements in scenario.plans.items()
        if part not in MAY_SCAN | {"before"}
        for statement, plan in statements.items()
        if "repeated" not in statement and "WITH RECURSIVE" not in statement  # usage, in a prune
        for step in plan
        if scanned(statement, step) in GROWING
    ]
    assert found == []


@pytest.mark.campaign
def test_every_index_serves_a_statement(scenario: Seen, home: Path) -> None:
    steps = "\n".join(
        step
        for statements in scenario.plans.values()
        for plan in statements.values()
        for step in plan
    )
    file = Layout.of(home).catalog
    indexes = shell(file, "SELECT name FROM sqlite_master WHERE type = 'index' AND sql <> ''")
    unused = {n for n in (row["name"] for row in indexes) if not re.search(rf"INDEX {n}\b", steps)}
    assert unused - RULES == set()


@pytest.mark.campaign
def test_every_column_is_read(scenario: Seen, home: Path) -> None:
    wanted = {
        (table.name, column.name) for table in schema.metadata.sorted_tables for column in table.c
    }
    assert wanted - scenario.columns - FOR_PEOPLE == set()
