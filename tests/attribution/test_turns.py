"""Turns: how they begin and end, what ending one costs, and what tools report."""

from __future__ import annotations

import os
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from conftest import GitProcesses
from hermes_checkpoints import CheckpointManager, Checkpoints
from hermes_checkpoints.config import Config
from hermes_checkpoints.errors import BadDirectory, PathRefused, PathUnknown, ProjectUnknown
from hermes_checkpoints.model import Action, Actor, Kind, Taken, Unchanged


def rows(home: Path, query: str) -> list[tuple[Any, ...]]:
    """What an administrator reads in the catalog."""
    connection = sqlite3.connect(home / "checkpoints" / "catalog.db")
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()


def turns(home: Path) -> list[tuple[Any, ...]]:
    return rows(home, "SELECT session_id, turn, actor, ended_by FROM turns ORDER BY id")


def changed(home: Path) -> list[tuple[Any, ...]]:
    query = "SELECT turn, path, status FROM path_events WHERE path <> '.' ORDER BY turn, path"
    return rows(home, query)


def start(checkpoints: Checkpoints, project: Path, session: str, number: int = 1) -> None:
    checkpoints.project(project).take(kind=Kind.AUTO, session_id=session, turn=number)


# --- rows ----------------------------------------------------------------------------------------


def test_the_host_ends_a_turn(home: Path, project: Path) -> None:
    with Checkpoints.open(home) as checkpoints:
        start(checkpoints, project, "s1")
        (project / "README.md").write_text("agent\n")
        (project / "run.sh").unlink()
        (project / "made").write_text("made\n")
        assert checkpoints.project(project).end_turn(session_id="s1")
        assert not checkpoints.project(project).end_turn(session_id="s1")
        (project / "README.md").write_text("person\n")
    assert turns(home) == [("s1", 1, "agent", "host")]
    assert changed(home) == [(1, "README.md", "M"), (1, "made", "A"), (1, "run.sh", "D")]


def test_a_take_that_is_wanted_once_a_turn_leaves_an_open_turn_of_its_session_as_it_is(
    home: Path, project: Path
) -> None:
    with Checkpoints.open(home) as checkpoints:
        found = checkpoints.project(project)
        first = found.take(kind=Kind.AUTO, session_id="s1", turn=1, once_a_turn=True)
        assert isinstance(first, Taken)
        (project / "README.md").write_text("agent\n")
        again = found.take(kind=Kind.AUTO, session_id="s1", turn=1, once_a_turn=True)
        assert again == Unchanged(first.checkpoint)
        assert turns(home) == [("s1", 1, "agent", None)]
        other = found.take(kind=Kind.AUTO, session_id="s2", turn=1, once_a_turn=True)
        assert isinstance(other, Taken)
        found.end_turn(session_id="s1")
        assert isinstance(
            found.take(kind=Kind.AUTO, session_id="s1", turn=2, once_a_turn=True), Unchanged
        )
    assert turns(home) == [
        ("s1", 1, "agent", "host"),
        ("s2", 1, "agent", None),
        ("s1", 2, "agent", None),
    ]


def test_the_next_one_of_its_session_ends_a_turn_and_a_take_by_hand_does_not(
    home: Path, project: Path
) -> None:
    with Checkpoints.open(home) as checkpoints:
        start(checkpoints, project, "s1", 1)
        (project / "README.md").write_text("agent\n")
        start(checkpoints, project, "s1", 2)
        start(checkpoints, project, "s1", 3)  # unchanged, and still a turn
        (project / "README.md").write_text("again\n")
        checkpoints.project(project).take()
    assert turns(home) == [
        ("s1", 1, "agent", "next"),
        ("s1", 2, "agent", "next"),
        ("s1", 3, "agent", None),
    ]
    assert changed(home) == [(1, "README.md", "M"), (3, "README.md", "M")]


def test_a_restore_leaves_a_turn_open_and_is_on_record(home: Path, project: Path) -> None:
    with Checkpoints.open(home) as checkpoints:
        start(checkpoints, project, "s1")
        (project / "README.md").write_text("agent\n")
        checkpoints.project(project).restore("1")
        assert [(e.actor, e.session_id) for e in checkpoints.project(project).who("README.md")] == [
            (Actor.RESTORE, None),
            (Actor.AGENT, "s1"),
        ]
    assert turns(home) == [("s1", 1, "agent", None)]


def test_two_sessions_overlap(home: Path, project: Path) -> None:
    with Checkpoints.open(home) as checkpoints:
        start(checkpoints, project, "one")
        (project / "README.md").write_text("one\n")
        start(checkpoints, project, "two")
        (project / "src" / "app.py").write_text("either\n")
        (project / "tool").write_text("two\n")
        checkpoints.project(project).record_agent_write("tool", session_id="two", tool="write")
        (project / "other").write_text("one\n")
        checkpoints.project(project).record_agent_write("other", session_id="one", tool="patch")
        assert checkpoints.project(project).end_turn(session_id="one")
        (project / "late").write_text("two\n")
        assert checkpoints.project(project).end_turn(session_id="two")
        plans = {
            session: {
                step.path: (step.action, step.reason)
                for step in checkpoints.project(project).plan_restore("2", session_id=session).steps
            }
            for session in ("one", "two")
        }
    assert turns(home) == [("one", 1, "agent", "host"), ("two", 1, "agent", "host")]
    assert plans["two"] == {
        "README.md": (Action.KEEP, "one session changed it"),
        "src/app.py": (Action.KEEP, "session one was at work, too"),
        "tool": (Action.DELETE, "agent created (write)"),
        "late": (Action.DELETE, "shell created"),
        "other": (Action.KEEP, "one session changed it"),
    }
    assert plans["one"]["README.md"] == (Action.WRITE, "shell changed")
    assert plans["one"]["other"] == (Action.DELETE, "agent created (patch)")
    assert plans["one"]["tool"] == (Action.KEEP, "two session changed it")


def test_a_take_that_fails_begins_no_turn(home: Path, project: Path) -> None:
    with Checkpoints.open(home, config=Config(max_files=20)) as checkpoints:
        start(checkpoints, project, "s1", 1)
        assert checkpoints.project(project).end_turn(session_id="s1")
        for number in range(30):
            (project / f"n{number}").write_text("n")
        start(checkpoints, project, "s1", 2)
        assert not checkpoints.project(project).end_turn(session_id="s1")
    assert len(turns(home)) == 1


def test_the_end_of_a_turn_that_cannot_look_leaves_it_open(home: Path, project: Path) -> None:
    aside = project.with_name("aside")
    with Checkpoints.open(home) as checkpoints:
        assert not checkpoints.project(project).end_turn(session_id="s1")  # no project yet
        start(checkpoints, project, "s1")
        project.rename(aside)
        with pytest.raises(BadDirectory):
            checkpoints.project(project).end_turn(session_id="s1")
        aside.rename(project)
        assert checkpoints.project(project).end_turn(session_id="s1")


@pytest.mark.campaign
def test_the_record_is_lost_with_the_catalog(home: Path, project: Path) -> None:
    with Checkpoints.open(home) as checkpoints:
        start(checkpoints, project, "s1", 1)
        (project / "README.md").write_text("agent\n")
        checkpoints.project(project).end_turn(session_id="s1")
        (project / "run.sh").write_text("mine\n")
        start(checkpoints, project, "s1", 2)
        (project / "src" / "app.py").write_text("agent\n")
    for file in (home / "checkpoints").glob("catalog.db*"):
        file.unlink()
    with Checkpoints.open(home) as checkpoints:
        plan = checkpoints.project(project).plan_restore("2")
        assert {(s.action, s.reason) for s in plan.steps} == {
            (Action.KEEP, "no record of who changed it")
        }
        start(checkpoints, project, "s1", 3)
        (project / "docs" / "notes.txt").write_text("agent\n")
        reasons = {s.path: s.reason for s in checkpoints.project(project).plan_restore("3").steps}
        assert reasons.pop("docs/notes.txt") == "shell changed"
        assert set(reasons.values()) == {"no record of who changed it"}
        assert checkpoints.project(project).plan_restore("1").of(Action.WRITE)


# --- the manager ---------------------------------------------------------------------------------


def test_the_manager_ends_turns_where_it_began_them(home: Path, project: Path) -> None:
    other = project.with_name("other")
    shutil.copytree(project, other)
    manager = CheckpointManager(enabled=True, session_id="s1")
    manager.new_turn()
    for place in (project, other):
        manager.ensure_checkpoint(str(place))
        (place / "README.md").write_text("agent\n")
    shutil.rmtree(other)
    manager.new_turn()
    manager.end_turn()
    assert turns(home) == [("s1", 1, "agent", "host"), ("s1", 1, "agent", None)]


# --- what it costs ------------------------------------------------------------------------


def test_the_end_of_a_turn_costs_no_more_than_a_take(
    home: Path, project: Path, git_processes: GitProcesses
) -> None:
    with Checkpoints.open(home) as checkpoints:
        start(checkpoints, project, "s1", 1)
        (project / "README.md").write_text("agent\n")
        checkpoints.project(project).end_turn(session_id="s1")
        start(checkpoints, project, "s1", 2)
        git_processes.reset()
        assert checkpoints.project(project).end_turn(session_id="s1")
        assert git_processes.count() <= 3, git_processes.commands()
        start(checkpoints, project, "s1", 3)
        (project / "README.md").write_text("again\n")
        (project / "new").write_text("new\n")
        git_processes.reset()
        assert checkpoints.project(project).end_turn(session_id="s1")
        assert git_processes.count() <= 6, git_processes.commands()


def test_a_turn_that_is_not_open_costs_nothing(
    home: Path, project: Path, git_processes: GitProcesses
) -> None:
    with Checkpoints.open(home) as checkpoints:
        start(checkpoints, project, "s1")
        git_processes.reset()
        assert not checkpoints.project(project).end_turn(session_id="other")
        checkpoints.project(project).record_agent_write("README.md", session_id="s1", tool="write")
        assert git_processes.count() == 0


# --- what tools report -----------------------------------------------------------------------


def test_reports_of_large_missing_and_linked_files(home: Path, project: Path) -> None:
    with Checkpoints.open(home, config=Config(max_file_size_mb=1)) as checkpoints:
        start(checkpoints, project, "s1")
        (project / "large").write_bytes(os.urandom(1024 * 1024 + 1))
        (project / "link").symlink_to("src/app.py")
        (project / "run.sh").unlink()
        (project / "README.md").write_text("tool\n")
        for name in ("large", "link", "run.sh", "README.md", "src"):
            checkpoints.project(project).record_agent_write(name, session_id="s1", turn=1, tool="t")
        blobs = dict(rows(home, "SELECT path, blob FROM agent_writes"))
        assert {name for name, blob in blobs.items() if blob} == {"link", "README.md"}
        plan = checkpoints.project(project).plan_restore("1")
        assert {s.path: (s.action, s.reason) for s in plan.steps} == {
            "link": (Action.DELETE, "agent created (t)"),
            "run.sh": (Action.WRITE, "agent deleted (t)"),
            "README.md": (Action.WRITE, "agent changed (t)"),
        }
        checkpoints.project(project).end_turn(session_id="s1")
        (project / "link").unlink()
        (project / "link").symlink_to("README.md")
        (project / "run.sh").write_text("mine\n")
        plan = checkpoints.project(project).plan_restore("1")
        assert {s.path: s.action for s in plan.steps} == {
            "README.md": Action.WRITE,
            "link": Action.KEEP,
            "run.sh": Action.KEEP,
        }
        assert (project / "large").exists()


def test_a_report_needs_a_project_and_a_path_in_it(home: Path, project: Path) -> None:
    with Checkpoints.open(home) as checkpoints:
        with pytest.raises(ProjectUnknown):
            checkpoints.project(project).record_agent_write("README.md")
        start(checkpoints, project, "s1")
        for path in ("../x", "/etc/passwd", ".git/config"):
            with pytest.raises(PathRefused):
                checkpoints.project(project).record_agent_write(path)
        with pytest.raises(PathUnknown):
            checkpoints.project(project).who("nothing")
    assert rows(home, "SELECT 1 FROM agent_writes") == []


def test_the_manager_reports_through_links_and_from_anywhere(
    home: Path, project: Path, tmp_path: Path
) -> None:
    manager = CheckpointManager(enabled=True, session_id="s1")
    manager.new_turn()
    manager.ensure_checkpoint(str(project))
    (tmp_path / "way in").symlink_to(project)
    (project / "src" / "app.py").write_text("tool\n")
    manager.record_agent_write(str(tmp_path / "way in" / "src" / "app.py"), "patch")
    manager.record_agent_write(str(tmp_path / "outside"), "patch")  # no project: logged only
    assert rows(home, "SELECT path, session_id, turn, tool FROM agent_writes") == [
        ("src/app.py", "s1", 1, "patch")
    ]


def test_a_file_of_yours_over_the_size_cap_is_not_the_agents_who_makes_it_small(
    home: Path, project: Path
) -> None:
    """Nor where no checkpoint lies between: the look at the begin of the turn has seen it."""
    with Checkpoints.open(home, config=Config(max_file_size_mb=1)) as checkpoints:
        own = checkpoints.project(project)
        own.take(kind=Kind.AUTO, session_id="s1")
        own.end_turn(session_id="s1")
        (project / "large").write_bytes(b"x" * (1 << 21))
        own.begin_turn(session_id="s1")
        (project / "large").write_text("small\n")
        (project / "made").write_text("made\n")
        own.end_turn(session_id="s1")
        assert [e.actor for e in own.who("large")] == [Actor.UNKNOWN, Actor.PERSON]
        own.restore("1")
    assert (project / "large").exists()
    assert not (project / "made").exists()


def test_of_a_process_that_cannot_be_seen_nobody_says_that_it_is_gone(
    home: Path, project: Path
) -> None:
    """As of one in a container. Its turn stays open: its host may end it yet."""
    with Checkpoints.open(home) as checkpoints:
        own = checkpoints.project(project)
        own.take(kind=Kind.AUTO, session_id="s1")
        connection = sqlite3.connect(home / "checkpoints" / "catalog.db")
        with connection:
            connection.execute("UPDATE turns SET owner = json_set(owner, '$.host', 'elsewhere')")
        connection.close()
        (project / "README.md").write_text("by either\n")
        [kept] = own.plan_restore("1").of(Action.KEEP)
        assert kept.reason == "the process of the agent cannot be seen from here"
        own.take()
        assert own.end_turn(session_id="s1")
    assert turns(home) == [("s1", None, "agent", "host")]
