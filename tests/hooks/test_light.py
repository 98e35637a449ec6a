"""An event that has nothing to do loads little, and starts no process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from catalog.records import shell
from conftest import GitProcesses
from hermes_checkpoints import Checkpoints
from hermes_checkpoints.model import Actor

HEAVY = {"sqlalchemy", "alembic", "rich", "argparse", "yaml", "tree_sitter"}
MOST_IDLE = 8
MOST_ASKED = 40
MOST_TOLD = 100
MOST_UNCHANGED = 156


def loaded(project: Path, *, agent: str = "claude", **fields: Any) -> set[str]:
    """Return the modules that a hook has loaded for an event, whose process is this one's."""
    event = {"session_id": "s", "cwd": str(project), **fields}
    code = (
        "import sys\n"
        f"sys.argv[1:] = ['hook', '--agent', {agent!r}]\n"
        "from hermes_checkpoints.cli import main\n"
        "assert main() == 0\n"
        "sys.stderr.write(' '.join(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=json.dumps(event),
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stderr.split())


def ours(found: set[str]) -> set[str]:
    return {name for name in found if name.startswith("hermes_checkpoints")}


def test_a_tool_that_only_reads_is_passed_over(project: Path, fresh_home: Path) -> None:
    found = loaded(project, hook_event_name="PreToolUse", tool_name="Read", tool_input={})
    assert not found & {*HEAVY, "sqlite3", "logging", "dataclasses", "hashlib"}
    assert len(ours(found)) <= MOST_IDLE
    assert not fresh_home.exists()


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("event", ["Stop", "SessionEnd", "UserPromptSubmit"])
def test_where_no_turn_is_open_the_catalog_is_asked_and_nothing_else(
    project: Path, home: Path, event: str, git_processes: GitProcesses
) -> None:
    with Checkpoints.open(home) as checkpoints:  # as it is after its first use
        checkpoints.project(project).take()
    git_processes.reset()
    found = loaded(project, hook_event_name=event, prompt="Go")
    assert not found & {*HEAVY, "subprocess", "socket"}
    assert len(ours(found)) <= MOST_ASKED
    assert git_processes.count() == 0


@pytest.mark.slow
def test_the_end_of_a_session_with_no_turn_open_has_what_is_unsent_sent(
    project: Path, home: Path, tmp_path: Path
) -> None:
    undo = tmp_path / "undo.git"
    subprocess.run(["git", "init", "-q", "--bare", undo], check=True)
    with Checkpoints.open(home) as checkpoints:
        taken = checkpoints.project(project).take().checkpoint  # type: ignore[union-attr]
    settings = {"checkpoints": {"remote": {"url": str(undo), "push": "session"}}}
    (home / "config.yaml").write_text(json.dumps(settings), encoding="utf-8")
    go_on = tmp_path / "go on"
    os.mkfifo(go_on)
    hook = undo / "hooks/post-receive"
    hook.write_text(f"#!/bin/sh\necho done > '{go_on}'\n", encoding="utf-8")
    hook.chmod(0o755)
    found = loaded(project, hook_event_name="Stop")
    assert "hermes_checkpoints.remote.background" not in found
    found = loaded(project, hook_event_name="SessionEnd")
    assert "hermes_checkpoints.remote.background" in found
    assert go_on.read_text() == "done\n"  # which waits for the process
    refs = subprocess.run(
        ["git", "for-each-ref", "--format=%(objectname)", "refs/checkpoints/"],
        env={**os.environ, "GIT_DIR": str(undo)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert refs.stdout.split() == [taken.id]


@pytest.mark.slow
def test_a_turn_that_changes_nothing_is_worked_off_without_the_whole_catalog(
    project: Path, home: Path, git_processes: GitProcesses
) -> None:
    with Checkpoints.open(home) as checkpoints:
        checkpoints.project(project).take()
    call: dict[str, Any] = {"tool_name": "Bash", "tool_input": {"command": "make"}}
    loaded(project, hook_event_name="UserPromptSubmit", prompt="Go")
    git_processes.reset()
    for event in ("PreToolUse", "PostToolUse", "Stop"):
        found = loaded(project, hook_event_name=event, **call)
        assert not found & {"sqlalchemy", "alembic", "rich", "argparse", "yaml"}, event
        assert "hermes_checkpoints.catalog.schema" not in found
        assert len(ours(found)) <= MOST_UNCHANGED
    assert git_processes.count() <= 4
    with Checkpoints.open(home) as checkpoints:
        assert not checkpoints.turn_projects("s")
    catalog = home / "checkpoints" / "catalog.db"
    outcomes = shell(catalog, "SELECT outcome FROM operations ORDER BY id")
    assert [row["outcome"] for row in outcomes] == ["done", "unchanged"]
    [turn] = shell(catalog, "SELECT ended_by FROM turns WHERE session_id = 's'")
    assert turn["ended_by"] is not None


@pytest.mark.slow
def test_the_end_of_a_turn_that_changed_files_needs_no_whole_catalog(
    project: Path, home: Path
) -> None:
    with Checkpoints.open(home) as checkpoints:
        of = checkpoints.project(project)
        of.take()
        of.begin_turn(session_id="s", owner=os.getpid())
    (project / "new.txt").write_text("by the agent")
    found = loaded(project, hook_event_name="Stop")
    assert "sqlalchemy" not in found
    with Checkpoints.open(home) as checkpoints:
        [event] = checkpoints.project(project).who("new.txt")
    assert event.actor is Actor.UNKNOWN  # no tool was told of


@pytest.mark.slow
def test_a_tool_in_an_open_turn_is_told_without_the_whole_catalog(
    project: Path, home: Path, git_processes: GitProcesses
) -> None:
    call: dict[str, Any] = {"tool_name": "Bash", "tool_input": {"command": "make"}}
    loaded(project, hook_event_name="UserPromptSubmit", prompt="Go")
    loaded(project, hook_event_name="PreToolUse", tool_use_id="1", **call)
    git_processes.reset()
    for number in (2, 3):
        for event in ("PreToolUse", "PostToolUse"):
            found = loaded(project, hook_event_name=event, tool_use_id=str(number), **call)
            assert not found & {"sqlalchemy", "alembic", "rich", "argparse", "yaml"}
            assert len(ours(found)) <= MOST_TOLD
    assert git_processes.count() == 0
    with Checkpoints.open(home) as checkpoints:
        turns = checkpoints._base.catalog.turns
        [turn] = turns.open(1)
        runs = turns.tool_runs(turn.id)
        assert [run.ended_ns is None for run in runs] == [True, False, False]
