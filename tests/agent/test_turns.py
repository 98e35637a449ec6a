"""Turns of a session are in the catalog: any process may begin, report and end one."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import threading
import time
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import interpreters
from hermes_checkpoints import BadRequest, CheckpointManager, Checkpoints, Failed, Rollback
from hermes_checkpoints.model import Action, Actor, Kind

EVENT = """
import json, os, sys
from pathlib import Path
from hermes_checkpoints import CheckpointManager

event, project, session = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
manager = CheckpointManager(enabled=True, session_id=session, owner=os.getppid())
answer = None
if event == "prompt":
    manager.new_turn()
elif event == "before":
    answer = manager.ensure_checkpoint(str(project), "before write_file")
elif event == "after":
    manager.record_agent_write(str(project / sys.argv[4]), "write_file")
elif event == "begin":
    manager.begin_tool("terminal", sys.argv[4])
elif event == "end":
    manager.end_tool(sys.argv[4])
elif event == "stop":
    manager.end_turn()
print(json.dumps(answer))
"""


def hook(event: str, project: Path, *more: str, session: str = "s1") -> Any:
    """Run one event in a process of its own, whose parent stands for the agent."""
    done = interpreters.run(EVENT, event, project, session, *more)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return json.loads(done.stdout)


def kept(project: Path, session: str = "s1") -> set[str]:
    """Take the session's work back to the oldest checkpoint; return what stayed."""
    with Checkpoints.open() as checkpoints:
        oldest = checkpoints.project(project).list()[-1]
    reply = Rollback(project, session_id=session, enabled=True).run(f"/rollback {oldest.id}")
    assert reply.restored is not None, reply.text
    return {step.path for step in reply.restored.kept}


def test_one_process_an_event_is_one_turn_with_one_checkpoint(home: Path, project: Path) -> None:
    hook("prompt", project)
    assert hook("before", project) is True
    (project / "src/app.py").write_text("agent\n")
    hook("after", project, "src/app.py")
    (project / "made.txt").write_text("by the shell\n")
    assert hook("before", project) is False, "the session has a turn open here"
    hook("stop", project)
    (project / "README.md").write_text("mine\n")
    with Checkpoints.open() as checkpoints:
        assert len(checkpoints.project(project).list()) == 1
        assert checkpoints.project(project).who("src/app.py")[0].tool == "write_file"
        assert checkpoints.turn_projects("s1") == []
    assert kept(project) == {"README.md"}
    assert not (project / "made.txt").exists()


def test_the_next_prompt_ends_a_turn_that_nobody_ended(home: Path, project: Path) -> None:
    hook("before", project)
    (project / "src/app.py").write_text("agent\n")
    hook("prompt", project)
    (project / "README.md").write_text("mine\n")
    assert hook("before", project) is True, "another turn"
    hook("stop", project)
    assert kept(project) == {"README.md"}


@pytest.mark.campaign
def test_tools_may_begin_and_end_in_processes_of_their_own(home: Path, project: Path) -> None:
    hook("before", project)
    hook("begin", project, "call-1")
    (project / "src/app.py").write_text("agent\n")
    hook("end", project, "call-1")
    (project / "README.md").write_text("mine, while it thinks\n")
    hook("stop", project)
    assert kept(project) == {"README.md"}


@pytest.mark.campaign
def test_a_session_works_in_several_directories(home: Path, project: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "f").write_text("1\n")
    for place in (project, other):
        assert hook("before", place) is True
        (place / "made.txt").write_text("agent\n")
    with Checkpoints.open() as checkpoints:
        open_ = {one.working_dir for one in checkpoints.turn_projects("s1")}
        assert open_ == {project, other}
    hook("stop", project)
    for place in (project, other):
        (place / "mine.txt").write_text("mine\n")
        assert kept(place) == {"mine.txt"}


@pytest.mark.campaign
def test_a_manager_and_another_process_of_its_session_are_one(home: Path, project: Path) -> None:
    manager = CheckpointManager(enabled=True, session_id="s1")
    manager.new_turn()
    assert manager.ensure_checkpoint(str(project))
    (project / "made.txt").write_text("agent\n")
    assert hook("before", project) is False
    hook("stop", project)
    (project / "README.md").write_text("mine\n")
    assert manager.ensure_checkpoint(str(project)), "the other process has ended the turn"
    manager.end_turn()
    assert kept(project) == {"README.md"}


def test_without_a_session_a_manager_knows_what_it_has_begun(home: Path, project: Path) -> None:
    one, other = CheckpointManager(enabled=True), CheckpointManager(enabled=True)
    assert one.ensure_checkpoint(str(project))
    other.end_turn()
    (project / "made.txt").write_text("agent\n")
    assert not one.ensure_checkpoint(str(project))
    one.end_turn()
    with Checkpoints.open() as checkpoints:
        assert checkpoints.project(project).who("made.txt")[0].actor is Actor.AGENT


def test_the_end_of_a_turn_costs_nothing_where_nothing_was_taken(
    fresh_home: Path, project: Path, git_processes: Any
) -> None:
    for session in (None, "s1"):
        manager = CheckpointManager(enabled=True, session_id=session)
        manager.new_turn()
        manager.end_turn()
    assert not fresh_home.exists()
    CheckpointManager(enabled=True, session_id="s2").ensure_checkpoint(str(project))
    git_processes.reset()
    manager.end_turn()
    manager.begin_tool("terminal")
    manager.end_tool()
    assert git_processes.count() == 0


def test_a_session_that_is_changed_in_a_turn_ends_it_where_it_was_begun(
    home: Path, project: Path
) -> None:
    manager = CheckpointManager(enabled=True, session_id="s1")
    manager.ensure_checkpoint(str(project))
    manager.session_id = "s2"
    manager.end_turn()
    with Checkpoints.open() as checkpoints:
        assert checkpoints.turn_projects("s1") == []


def test_a_turn_whose_process_is_gone_is_not_open(home: Path, project: Path) -> None:
    take = (
        "import sys; from hermes_checkpoints import CheckpointManager\n"
        "m = CheckpointManager(enabled=True, session_id='s1'); m.ensure_checkpoint(sys.argv[1])"
    )
    assert interpreters.run(take, project).returncode == 0
    (project / "README.md").write_text("since\n")
    with Checkpoints.open() as checkpoints:
        assert not checkpoints.project(project).has_turn(session_id="s1")
    manager = CheckpointManager(enabled=True, session_id="s1")
    assert manager.ensure_checkpoint(str(project)), "what is there now must not get lost"


@pytest.mark.parametrize("pid", [0, -1, True, "1", 2**31 - 1, 2**40])
def test_an_owner_that_does_not_run_is_refused(home: Path, project: Path, pid: Any) -> None:
    with Checkpoints.open() as checkpoints:
        own = checkpoints.project(project)
        outcome = own.take(kind=Kind.AUTO, owner=pid)
        assert isinstance(outcome, Failed)
        assert isinstance(outcome.error, BadRequest)
        for begin in (own.begin_turn, lambda **k: checkpoints.turn_begin("s", project, **k)):
            with pytest.raises(BadRequest, match=r"no process .* runs; .*os\.getppid\(\)"):
                begin(owner=pid)
        assert own.list() == []
        assert own.begin_turn(owner=os.getpid()) is False, "no checkpoint exists yet"


def test_a_hook_whose_agent_has_ended_takes_its_checkpoint_all_the_same(
    home: Path, project: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with subprocess.Popen(["true"]) as agent:
        agent.wait()
    hook = CheckpointManager(enabled=True, session_id="s1", owner=agent.pid)
    assert hook.ensure_checkpoint(str(project), "before write_file")
    assert f"no process {agent.pid} runs" in caplog.text
    with Checkpoints.open() as checkpoints:
        assert checkpoints.project(project).has_turn(session_id="s1")


@pytest.mark.campaign
def test_a_turn_of_one_session_ends_while_the_take_of_another_runs(
    home: Path, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The end waits for the take: their order is that of the project's lock."""
    with Checkpoints.open() as checkpoints:
        own = checkpoints.project(project)
        own.take(kind=Kind.AUTO, session_id="A")
        (project / "a.txt").write_text("by A\n")
        own.record_agent_write("a.txt", session_id="A", tool="write_file")

    gate, begun = tmp_path / "gate", tmp_path / "begun"
    for pipe in (gate, begun):
        os.mkfifo(pipe)
    slow = tmp_path / "bin"
    slow.mkdir()
    real = shutil.which("git")
    (slow / "git").write_text(
        "#!/bin/sh\n"
        f"if mkdir {tmp_path}/once 2>/dev/null; then echo > {begun}; read _ < {gate}; fi\n"
        f'exec {real} "$@"\n'
    )
    (slow / "git").chmod(0o755)
    take = (
        "import sys; from hermes_checkpoints import Checkpoints\n"
        "with Checkpoints.open() as c: c.project(sys.argv[1]).take(\n"
        "    kind='auto', session_id='B', owner=int(sys.argv[2]))"
    )
    env = {**os.environ, "PATH": f"{slow}{os.pathsep}{os.environ['PATH']}"}
    taking = interpreters.start(take, project, os.getpid(), env=env)
    begun.read_text()  # B's take has begun, and holds the lock

    def end() -> None:
        with Checkpoints.open() as checkpoints:
            checkpoints.turn_end("A")

    ending = threading.Thread(target=end)
    ending.start()
    gate.write_text("go on\n")
    assert taking.finish().returncode == 0
    ending.join()
    (project / "b.txt").write_text("by B\n")
    with Checkpoints.open() as checkpoints:
        own = checkpoints.project(project)
        checkpoints.turn_end("B")
        (project / "README.md").write_text("mine\n")
        assert own.who("a.txt")[0].session_id == "A"
        assert own.who("b.txt")[0].session_id == "B"
        oldest = own.list()[-1]
        plan = own.plan_restore(oldest, session_id="A")
        assert {s.path for s in plan.of(Action.DELETE)} == {"a.txt"}
        assert {s.path for s in plan.of(Action.KEEP)} == {"b.txt", "README.md"}


def test_a_clock_that_steps_back_in_a_turn_changes_nobodys_work(home: Path, project: Path) -> None:
    """The order is that of the looks; times are only shown."""

    def at(hours: int) -> Checkpoints:
        opened = Checkpoints.open()
        now = opened._base.now
        opened._base = replace(opened._base, now=lambda: now() + timedelta(hours=hours))
        return opened

    with at(0) as checkpoints:
        own = checkpoints.project(project)
        own.take(kind=Kind.AUTO, session_id="s1")
        (project / "src/app.py").write_text("agent\n")
    with at(-5) as checkpoints:
        checkpoints.turn_end("s1")
        (project / "README.md").write_text("mine\n")
        checkpoints.project(project).take(kind=Kind.AUTO, session_id="s1")
        (project / "docs/notes.txt").write_text("agent\n")
    with at(-9) as checkpoints:
        checkpoints.turn_end("s1")
        (project / "mine.txt").write_text("mine\n")
        own = checkpoints.project(project)
        first = min(own.list(), key=lambda one: one._row)
        plan = own.plan_restore(first, session_id="s1")
        assert {s.path for s in plan.of(Action.WRITE)} == {"src/app.py", "docs/notes.txt"}
        assert {s.path for s in plan.of(Action.KEEP)} == {"README.md", "mine.txt"}


@pytest.mark.parametrize("began", [[3600], [0, -3600]])
def test_where_the_clock_was_set_back_the_times_of_tools_say_nothing(
    home: Path, project: Path, began: list[int]
) -> None:
    """A person's edit may then lie within the time of a tool: what no tool reported stays."""
    with Checkpoints.open() as checkpoints:
        own = checkpoints.project(project)
        own.take(kind=Kind.AUTO, session_id="s1")
        row = checkpoints._base.catalog.projects.all()[0].id
        tools = checkpoints._base.catalog.turns
        for number, offset in enumerate(began):
            at = time.time_ns() + offset * 10**9
            tools.begin_tool(row, "s1", str(number), "terminal", at)
            tools.end_tool(row, "s1", str(number), at)
        (project / "README.md").write_text("mine, or by a tool\n")
        (project / "src/app.py").write_text("agent\n")
        own.record_agent_write("src/app.py", session_id="s1", tool="patch")
        checkpoints.turn_end("s1")
        plan = own.plan_restore("latest", session_id="s1")
        assert {s.path: s.reason for s in plan.of(Action.KEEP)} == {
            "README.md": "the clock was set back while the agent worked"
        }
        assert [s.path for s in plan.of(Action.WRITE)] == ["src/app.py"]
