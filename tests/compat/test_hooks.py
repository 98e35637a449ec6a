"""The agent's hooks, called as hermes-agent 0.19.0 calls them, tell whose a change is."""

from __future__ import annotations

import logging
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from compat.hooked import Agent, tick
from hermes_checkpoints import Checkpoints, Rollback
from hermes_checkpoints.compat import bridge as bridges
from hermes_checkpoints.compat.bridge import Bridge
from hermes_checkpoints.model import Action, Actor
from interpreters import start


@pytest.fixture
def agent(home: Path, project: Path, monkeypatch: pytest.MonkeyPatch) -> Agent:
    bridge = Bridge()
    monkeypatch.setattr(bridges, "bridge", bridge)
    monkeypatch.setenv("TERMINAL_CWD", str(project))
    return Agent(project, bridge)


def test_what_a_person_edits_while_the_agent_thinks_is_theirs(agent: Agent) -> None:
    agent.asked()
    agent.write("src/app.py")
    (agent.directory / "README.md").write_text("mine, between two tools\n")
    tick(agent.directory)
    agent.runs("./build.sh")
    (agent.directory / "docs/notes.txt").write_text("mine, after the last one\n")
    agent.answered()
    assert agent.actors("src/app.py", "shell.txt", "README.md", "docs/notes.txt") == {
        "src/app.py": Actor.AGENT,
        "shell.txt": Actor.AGENT,
        "README.md": Actor.PERSON,
        "docs/notes.txt": Actor.PERSON,
    }
    reply = Rollback(agent.directory, session_id="session-1", enabled=True).run("/rollback 1")
    assert reply.ok
    assert reply.restored is not None
    assert {step.path for step in reply.restored.kept} == {"README.md", "docs/notes.txt"}
    assert not (agent.directory / "shell.txt").exists()
    assert (agent.directory / "src/app.py").read_text() != "by the agent\n"


def test_a_tool_that_only_reads_covers_nothing(agent: Agent) -> None:
    agent.asked()
    agent.write("src/app.py")
    question = agent.begin("clarify", {"question": "Which one?"})
    (agent.directory / "README.md").write_text("mine, while it asks\n")
    agent.end(question)
    agent.answered()
    assert agent.actors("README.md") == {"README.md": Actor.PERSON}


@pytest.mark.parametrize(
    ("command", "args"),
    [("npm run watch", {"background": True}), ("make watch &", {}), ("nohup make watch", {})],
)
def test_what_goes_on_behind_a_command_is_the_agents(
    agent: Agent, command: str, args: dict[str, Any]
) -> None:
    agent.asked()
    agent.runs(command, **args)
    (agent.directory / "README.md").write_text("by the watcher\n")
    agent.answered()
    assert agent.actors("README.md") == {"README.md": Actor.AGENT}


def test_tools_that_run_at_once_are_told_apart_by_their_calls(agent: Agent) -> None:
    agent.asked()
    slow = agent.begin("terminal", {"command": "make"})
    agent.write("src/app.py")
    (agent.directory / "shell.txt").write_text("by the slow one\n")
    agent.end(slow)
    (agent.directory / "README.md").write_text("mine\n")
    agent.answered()
    assert agent.actors("shell.txt", "README.md") == {
        "shell.txt": Actor.AGENT,
        "README.md": Actor.PERSON,
    }


def test_a_tool_that_was_blocked_covers_nothing_that_follows(agent: Agent) -> None:
    agent.asked()
    call = agent.begin("write_file", {"path": str(agent.directory / "new.py"), "content": "x"})
    agent.end(call, status="blocked")
    (agent.directory / "README.md").write_text("mine\n")
    agent.answered()
    assert agent.actors("README.md") == {"README.md": Actor.PERSON}


def test_a_patch_of_several_files_has_its_checkpoint_before_it(agent: Agent) -> None:
    agent.asked()
    patch = "*** Begin Patch\n*** Update File: src/app.py\n*** Add File: made.py\n*** End Patch"
    call = agent.begin("patch", {"mode": "patch", "patch": patch})
    (agent.directory / "src/app.py").write_text("patched\n")
    (agent.directory / "made.py").write_text("patched\n")
    agent.end(call)
    agent.answered()
    with Checkpoints.open() as checkpoints:
        project = checkpoints.project(agent.directory)
        assert [one.reason for one in project.list()] == ["before patch"]
        assert {project.who(path)[0].tool for path in ("src/app.py", "made.py")} == {"patch"}


def test_the_turn_before_ends_in_its_own_session(agent: Agent) -> None:
    agent.asked()
    agent.write("src/app.py")
    agent.session_id = "session-2"
    agent.asked("something else, in a new session")
    (agent.directory / "README.md").write_text("mine\n")
    agent.write("docs/notes.txt")
    agent.answered()
    with Checkpoints.open() as checkpoints:
        assert not checkpoints.turn_projects("session-1")
        project = checkpoints.project(agent.directory)
        assert project.who("src/app.py")[0].session_id == "session-1"
        assert project.who("docs/notes.txt")[0].session_id == "session-2"
    assert agent.actors("README.md") == {"README.md": Actor.PERSON}


def test_a_session_that_goes_on_under_another_id_is_still_ended(agent: Agent) -> None:
    agent.asked()
    agent.write("src/app.py")
    agent.session_id = "session-1-compressed"
    agent.write("docs/notes.txt")
    agent.answered()
    (agent.directory / "README.md").write_text("mine\n")
    with Checkpoints.open() as checkpoints:
        assert not checkpoints.turn_projects("session-1")
        steps = checkpoints.project(agent.directory).plan_restore("latest").steps
    assert [step.path for step in steps if step.action is Action.KEEP] == ["README.md"]


def test_errors_of_hooks_never_reach_the_host(
    agent: Agent, home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    agent.asked()
    agent.write("src/app.py")
    catalog = home / "checkpoints/catalog.db"
    for beside in catalog.parent.glob("catalog.db-*"):
        beside.unlink()
    catalog.write_bytes(b"no catalog at all, but long enough to be one" * 40)
    with caplog.at_level(logging.WARNING, "hermes_checkpoints"):
        agent.write("README.md")
        agent.answered()
    assert any("the begin of the tool 'write_file' is not recorded" in m for m in caplog.messages)
    assert any("the end of a tool is not recorded" in m for m in caplog.messages)


HOST = """
import sys
from pathlib import Path
from hermes_checkpoints.compat.agent_manager import CheckpointManager
from hermes_checkpoints.compat.bridge import bridge

project = Path(sys.argv[1])
manager = CheckpointManager(enabled=True)
bridge.pre_llm_call(session_id="killed", conversation_history=[])
manager.new_turn()
about = {"session_id": "killed", "tool_call_id": "1"}
args = {"path": str(project / "a.py"), "content": "x"}
bridge.pre_tool_call(tool_name="write_file", args=args, **about)
(project / "a.py").write_text("by a tool\\n")
bridge.post_tool_call(tool_name="write_file", args=args, status="ok", **about)
bridge.pre_tool_call(tool_name="terminal", args={"command": "make"}, session_id="killed")
(project / "shell.py").write_text("by the shell\\n")
print("ready", flush=True)
sys.stdin.read()
"""


def test_after_a_kill_of_the_host_only_what_tools_reported_comes_back(
    home: Path, project: Path
) -> None:
    (project / "a.py").write_text("as it was\n")
    (project / "u.py").write_text("as it was\n")
    host = start(HOST, project)
    assert host.stdout.readline() == "ready\n"
    os.kill(host.pid, signal.SIGKILL)
    assert host.finish().returncode == -signal.SIGKILL
    (project / "u.py").write_text("mine\n")
    (project / "mine.py").write_text("mine\n")
    reply = Rollback(project, session_id="new", enabled=True).run("/rollback 1")
    assert reply.ok, reply.text
    assert (project / "a.py").read_text() == "as it was\n"
    assert (project / "u.py").read_text() == "mine\n"
    assert (project / "mine.py").read_text() == "mine\n"
    assert reply.restored is not None
    assert {step.path: step.reason for step in reply.restored.kept} == dict.fromkeys(
        ["u.py", "mine.py", "shell.py"], "the process of the agent was gone"
    )
