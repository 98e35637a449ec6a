"""file_history and session_activity: what the program records of real work, read with SQLite."""

from __future__ import annotations

import hashlib
import random
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from catalog.records import shell
from catalog.test_plans import pretend_to_be_large
from hermes_checkpoints import Checkpoints
from hermes_checkpoints.errors import PathUnknown
from hermes_checkpoints.model import Kind, Policy, Taken
from retention.histories import AT_ONCE, History
from support import examples

PATHS = ("a.txt", "b.txt", "sub/c.txt")


def read(checkpoints: Checkpoints, query: str) -> list[dict[str, Any]]:
    return shell(checkpoints._base.layout.catalog, query)


class Work:
    """An agent in two sessions, and a person, in one project."""

    def __init__(self, history: History, seed: int) -> None:
        self.history = history
        self.draw = random.Random(seed)  # noqa: S311
        self.folder = history.project()
        self.project = history.checkpoints.project(self.folder)
        self.turn = 0
        for path in PATHS:
            self.write(path)
        self.project.take()

    def write(self, path: str) -> None:
        file = self.folder / path
        file.parent.mkdir(exist_ok=True)
        if file.exists() and self.draw.random() < 0.2:
            file.unlink()
            return
        file.write_text(f"{self.draw.random()}\n")

    def step(self) -> None:
        """A turn of an agent with one or more changes, or a change of a person."""
        path = self.draw.choice(PATHS)
        if self.draw.random() < 0.3:
            self.write(path)
            self.project.take()
            return
        session = self.draw.choice(["s1", "s2"])
        self.turn += 1
        self.project.take(kind=Kind.AUTO, session_id=session, turn=self.turn)
        self.project.begin_turn(session_id=session, turn=self.turn)
        self.write(path)
        tool = "write_file" if self.draw.random() < 0.5 else None
        if tool:
            self.project.record_agent_write(path, session_id=session, turn=self.turn, tool=tool)
        self.project.end_turn(session_id=session)
        if self.draw.random() < 0.4:
            self.write(self.draw.choice(PATHS))
            self.project.end_turn(session_id=session)


def content(work: Work, checkpoint: str, path: str) -> str | None:
    """Return git's name of what a checkpoint has at a path, None where it has nothing."""
    try:
        found = work.project.read_file(checkpoint, path)
    except PathUnknown:
        return None
    return hashlib.sha1(b"blob %d\0" % len(found) + found).hexdigest()  # noqa: S324


@pytest.mark.campaign
@pytest.mark.parametrize("seed", range(examples(1)))
def test_a_file_has_the_history_that_who_tells(history: History, seed: int) -> None:
    work = Work(history, seed)
    for _ in range(12):
        work.step()
    check(work)
    history.checkpoints.prune(
        plan=history.checkpoints.plan_prune(policy=Policy(max_snapshots=5)), options=AT_ONCE
    )
    check(work)
    for _ in range(4):
        work.step()
    check(work)
    project = work.project
    oldest = project.list()[-1]
    if project.plan_restore(oldest, mode="exact").steps:
        project.restore(oldest, mode="exact")
    check(work)


def check(work: Work) -> None:
    """The view has every event of ``who``, and its last good checkpoints have the file as it was
    before; where it names none, no checkpoint was taken in between."""
    live = {one.short_id: one for one in work.project.list()}
    live |= {one.checkpoint.short_id: one.checkpoint for one in work.project.safety_checkpoints()}
    known = 0
    for path in PATHS:
        query = f"SELECT * FROM file_history WHERE path = '{path}'"  # noqa: S608
        rows = read(work.history.checkpoints, query)
        recorded = [row for row in rows if row["changed_by"] != "unrecorded"]
        told = [
            (one.actor.value, one.session_id, one.turn, one.tool, f"{one.at:%F %T}")
            for one in work.project.who(path)
            if one.actor.value != "unrecorded"
        ]
        columns = ("changed_by", "session_id", "turn", "tool", "changed_at")
        assert [tuple(row[c] for c in columns) for row in recorded] == told
        events = read(
            work.history.checkpoints,
            f"SELECT * FROM path_events WHERE path = '{path}'",  # noqa: S608
        )
        matching = read(
            work.history.checkpoints,
            f"""SELECT e.id, h.last_good FROM file_history AS h JOIN path_events AS e
            ON substr(e.at, 1, 19) = h.changed_at AND e.path = h.path AND e.turn IS h.turn
            AND e.session_id IS h.session_id AND e.actor = h.changed_by
            WHERE h.path = '{path}'""",  # noqa: S608
        )
        good: dict[int, set[str | None]] = {}
        for row in matching:
            good.setdefault(row["id"], set()).add(row["last_good"])
        for event in events:
            for name in good[event["id"]] - {None}:
                if len(good[event["id"]]) > 1:
                    continue  # two events of one second, one session and one turn
                assert name in live
                assert content(work, live[name].id, path) == event["old_blob"], event
                known += 1
        for row in rows:
            if row["changed_by"] == "unrecorded" and row["last_good"]:
                assert row["last_good"] in live
    assert known > 0


def test_what_nobody_was_seen_to_do_is_listed_once(history: History) -> None:
    folder = history.project()
    (folder / "a.txt").write_text("1\n")
    own = history.checkpoints.project(folder)
    first = own.take()
    assert isinstance(first, Taken)
    (row,) = read(history.checkpoints, "SELECT * FROM file_history")
    assert (row["path"], row["change"], row["changed_by"]) == ("a.txt", "created", "unrecorded")
    assert row["reason"] == "it was captured for the first time"
    assert (row["last_good"], row["working_directory"]) == (None, str(folder))
    (folder / "a.txt").write_text("2\n")
    own.take()
    newest, _ = read(history.checkpoints, "SELECT * FROM file_history ORDER BY last_good IS NULL")
    assert newest["changed_by"] != "unrecorded"
    assert (newest["change"], newest["last_good"]) == ("changed", first.checkpoint.short_id)


@pytest.mark.campaign
def test_the_same_path_of_another_project_is_another_file(history: History) -> None:
    folders = [history.project(name) for name in ("one", "two")]
    for number in range(3):
        for folder in folders:
            (folder / "same.txt").write_text(f"{folder} {number}\n")
            history.checkpoints.project(folder).take()
    for folder in folders:
        query = f"SELECT * FROM file_history WHERE working_directory = '{folder}'"  # noqa: S608
        rows = read(history.checkpoints, query + " AND path = 'same.txt'")
        mine = {one.short_id for one in history.checkpoints.project(folder).list()}
        assert len(rows) == 3
        assert {row["last_good"] for row in rows} - {None} <= mine


def test_a_session_with_what_a_person_changed_after_it(history: History) -> None:
    folder = history.project()
    for name in ("a.txt", "b.txt", "c.txt"):
        (folder / name).write_text("0\n")
    own = history.checkpoints.project(folder)
    own.take(kind=Kind.AUTO, session_id="s1", turn=1)
    for name in ("a.txt", "b.txt"):
        (folder / name).write_text("by the agent\n")
        own.record_agent_write(name, session_id="s1", turn=1, tool="write_file")
    own.end_turn(session_id="s1")
    (folder / "a.txt").write_text("by a person\n")
    own.take(kind=Kind.AUTO, session_id="s2", turn=1)
    (folder / "c.txt").write_text("by the agent\n")
    own.record_agent_write("c.txt", session_id="s2", turn=1, tool="patch")
    own.end_turn(session_id="s2")
    rows = read(history.checkpoints, "SELECT * FROM session_activity ORDER BY session_id")
    names = ("session_id", "turns", "checkpoints", "files_changed", "files_left_to_people", "tools")
    assert [tuple(row[name] for name in names) for row in rows] == [
        ("s1", 1, 1, 2, 1, "write_file"),
        ("s2", 1, 1, 1, 0, "patch"),
    ]
    for row in rows:
        assert row["working_directory"] == str(folder)
        assert row["first_seen_at"] <= row["last_seen_at"]
    kept = own.plan_restore(own.list()[-1], session_id="s1")
    left = {step.path for step in kept.steps if step.action == "keep"}
    assert "a.txt" in left
    assert "b.txt" not in left


def test_changes_of_one_second_are_listed_newest_first_and_permissions_called_so(
    history: History,
) -> None:
    folder = history.project()
    project = history.checkpoints.project(folder)
    file = folder / "a.txt"
    for text in ("1", "2", "3"):
        file.write_text(text)
        project.take()
    file.chmod(0o700)
    project.take()
    file.unlink()
    project.take()
    rows = read(history.checkpoints, "SELECT change FROM file_history WHERE path = 'a.txt'")
    assert [row["change"] for row in rows] == [
        "deleted",
        "permissions changed",
        "changed",
        "changed",
        "created",
    ]
    told = project.who("a.txt")
    assert [one.of_permissions for one in told] == [False, True, False, False]


# --- how they are read ---------------------------------------------------------------------------


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("statistics", [False, True])
@pytest.mark.parametrize("where", ["path = 'a.txt'", "path = 'a.txt' AND working_directory = '/p'"])
def test_the_history_of_one_file_is_found_by_indexes(
    history: History, where: str, statistics: bool
) -> None:
    work = Work(history, 5)
    for _ in range(8):
        work.step()
    file: Path = history.checkpoints._base.layout.catalog
    if statistics:
        pretend_to_be_large(file)
    with closing(sqlite3.connect(file)) as connection:
        query = f"EXPLAIN QUERY PLAN SELECT * FROM file_history WHERE {where}"  # noqa: S608
        steps = [str(row[3]) for row in connection.execute(query)]
    events = "SEARCH e USING INDEX ix_path_events_project_id_path_checkpoint_id"
    assert f"{events} (project_id=? AND path=?)" in steps
    assert "SEARCH x USING INDEX ix_checkpoint_changes_path_checkpoint_id (path=?)" in steps
    scanned = {step.split()[1] for step in steps if step.startswith("SCAN")}
    assert scanned <= {"found", *([] if "working" in where else ["p"])}
    ranged = [step for step in steps if "checkpoint_id>? AND checkpoint_id<?" in step]
    assert len(ranged) >= 2  # between two checkpoints, not all of the path
