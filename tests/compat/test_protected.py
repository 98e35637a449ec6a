"""No call of a tool that may change files is unprotected, whatever has started the session: the
hooks, called as hermes-agent 0.19.0 calls them, where the agent's own manager is switched off."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
import threading
import types
from pathlib import Path
from typing import Any

import pytest

from compat.hooked import Agent, tick
from hermes_checkpoints import Checkpoints, plugin
from hermes_checkpoints.compat import bridge as bridges
from hermes_checkpoints.compat import places
from hermes_checkpoints.compat.agent_manager import CheckpointManager
from hermes_checkpoints.compat.bridge import MOST_NAMES, MOST_SESSIONS, Bridge
from hermes_checkpoints.model import Actor
from support import wait_for_detached

ON = "checkpoints: {enabled: true}\n"


@pytest.fixture
def agent(home: Path, project: Path, monkeypatch: pytest.MonkeyPatch) -> Agent:
    """An agent whose own manager is off, as in the gateway."""
    bridge = Bridge()
    monkeypatch.setattr(bridges, "bridge", bridge)
    monkeypatch.setenv("TERMINAL_CWD", str(project))
    (home / "config.yaml").write_text(ON)
    return Agent(project, bridge, manager=CheckpointManager())


class Tools:
    """The agent's modules that tell where its tools work, as far as they are asked."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, directory: Path) -> None:
        self.directory = directory
        files = types.SimpleNamespace(
            _resolve_base_dir=lambda _: self.directory,
            _resolve_path_for_task=lambda path, _: (self.directory / path).resolve(),
        )
        terminal = types.SimpleNamespace(
            get_session_cwd=lambda _: str(self.directory),
            resolve_task_overrides=lambda _: {},
            _get_env_config=lambda: {"cwd": "/nowhere"},
        )
        monkeypatch.setitem(sys.modules, "tools.file_tools", files)
        monkeypatch.setitem(sys.modules, "tools.terminal_tool", terminal)


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("terminal", {"command": "make"}),
        ("terminal", {"command": "make", "workdir": "src/deep"}),
        ("terminal", {"command": ["no", "text"]}),
        ("execute_code", {"code": "1"}),
        ("write_file", {"path": "src/app.py", "content": ""}),
        ("write_file", {}),
        ("patch", {"patch": "*** Update File: README.md\n*** Add File: src/x.py"}),
        ("patch", {"patch": "garbled *** nothing"}),
        ("patch", "no mapping"),
        ("process", {"action": "submit", "data": "y"}),
        ("mcp_filesystem_write", {"path": "README.md"}),
        ("made_by_a_plugin", None),
        ("computer_use", {"action": "click"}),
    ],
)
def test_every_tool_that_may_change_files_has_its_checkpoint(
    tool: str, args: Any, agent: Agent
) -> None:
    (agent.directory / "src/deep").mkdir()
    agent.asked("Do it\nplease")
    agent.end(agent.begin(tool, args))
    agent.answered()
    (one,) = agent.taken()
    assert (one.session_id, one.turn, one.turn_title) == ("session-1", 1, "Do it")
    assert one.reason.startswith(f"before {tool}")
    assert agent.open_turns() == 0


def test_a_tool_that_no_hook_tells_of_has_the_checkpoint_that_the_agent_asks_for(
    agent: Agent,
) -> None:
    agent.bridge.listens = True
    agent.asked()
    assert agent.manager.ensure_checkpoint(str(agent.directory), "before a tool")
    assert not agent.manager.ensure_checkpoint(str(agent.directory), "before another")
    (agent.directory / "new.txt").write_text("by the tool\n")
    agent.answered()
    (one,) = agent.taken()
    assert (one.session_id, one.turn, one.reason) == ("session-1", 1, "before a tool")
    assert agent.actors("new.txt") == {"new.txt": Actor.AGENT}


@pytest.mark.parametrize("tool", ["read_file", "delegate_task", "memory", "kanban_create", "todo"])
def test_a_tool_that_changes_no_file_of_a_project_has_none(tool: str, agent: Agent) -> None:
    agent.asked()
    agent.end(agent.begin(tool, {"path": "README.md", "action": "add"}))
    agent.answered()
    assert agent.taken() == []


def test_the_tools_that_change_the_agents_home_count_in_it(
    agent: Agent, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    skills = home / "skills/mine"
    skills.mkdir(parents=True)
    (skills / "SKILL.md").write_text("as it was\n")
    monkeypatch.setenv("TERMINAL_CWD", str(skills))
    agent.asked()
    agent.end(agent.begin("skill_manage", {"action": "edit"}))
    assert [one.reason for one in agent.taken(skills)] == ["before skill_manage"]


def test_a_tool_that_is_not_known_is_believed_about_other_projects_that_it_names(
    agent: Agent, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    (other / ".git").mkdir(parents=True)
    (other / "theirs.txt").write_text("as it was\n")
    agent.asked()
    named = {"files": [{"at": str(other / "theirs.txt")}], "text": "/no\n/path", "to": "/nowhere/x"}
    agent.end(agent.begin("mcp_move", named))
    agent.answered()
    assert len(agent.taken()) == len(agent.taken(other)) == 1
    with Checkpoints.open() as checkpoints:
        assert len(checkpoints.projects()) == 2


@pytest.mark.parametrize("command", ["cd {} && make", "(cd {}; ./configure); ls", "rm {}/theirs"])
def test_a_command_that_works_in_another_directory_is_protected_there(
    command: str, agent: Agent, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    (other / ".git").mkdir(parents=True)
    (other / "theirs").write_text("as it was\n")
    agent.asked()
    agent.end(agent.begin("terminal", {"command": command.format(other)}))
    agent.answered()
    assert len(agent.taken(other)) == 1
    assert agent.open_turns() == 0


def test_where_the_session_is_in_a_home_the_project_that_a_command_enters_is_protected(
    agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in the gateway, whose terminal begins in the home of the user."""
    home = Path.home()
    there = home / "work/deep"
    there.mkdir(parents=True)
    monkeypatch.setenv("TERMINAL_CWD", str(home))
    agent.asked()
    agent.end(agent.begin("terminal", {"command": "cd work/deep && make"}))
    (there / "made").write_text("x")
    tick(agent.directory)
    agent.answered()
    (one,) = agent.taken(there)
    assert one.reason == "before terminal: cd work/deep && make"


def test_with_the_trigger_destructive_only_what_surely_changes_files(
    agent: Agent, home: Path
) -> None:
    (home / "config.yaml").write_text("checkpoints: {enabled: true, trigger: destructive}\n")
    agent.asked()
    for tool, args in (("execute_code", {}), ("mcp_x", {}), ("terminal", {"command": "make"})):
        agent.end(agent.begin(tool, args))
    assert agent.taken() == []
    agent.write("made.txt")
    assert [one.reason for one in agent.taken()] == ["before write_file"]


def test_the_directory_is_the_one_in_which_the_tools_work(
    agent: Agent, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = tmp_path / "workspace"
    (workspace / "sub/deeper").mkdir(parents=True)
    tools = Tools(monkeypatch, workspace)
    agent.asked()
    agent.end(agent.begin("write_file", {"path": "sub/new.txt"}))
    (workspace / "sub/new.txt").write_text("x")
    tools.directory = workspace / "sub/deeper"  # after `cd`
    agent.end(agent.begin("terminal", {"command": "make"}))
    agent.end(agent.begin("execute_code", {"code": ""}))
    agent.end(agent.begin("patch", {"patch": "*** Add File: x.txt"}))
    agent.answered()
    with Checkpoints.open() as checkpoints:
        assert [p.working_dir for p in checkpoints.projects()] == [workspace]
    assert [one.reason for one in agent.taken(workspace)] == ["before write_file"]


def test_an_agent_that_tells_otherwise_is_protected_all_the_same(
    agent: Agent, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A later version may lack the functions that are asked, or have others of their names."""

    def changed() -> None:
        raise AssertionError("it is called with arguments")

    strange = types.SimpleNamespace(
        _resolve_base_dir=changed, _resolve_path_for_task=changed, get_session_cwd=5
    )
    monkeypatch.setitem(sys.modules, "tools.file_tools", strange)
    monkeypatch.setitem(sys.modules, "tools.terminal_tool", strange)
    monkeypatch.setitem(sys.modules, "hermes_state", types.SimpleNamespace(SessionDB=changed))
    agent.asked()
    agent.write("made.txt")
    agent.runs("make")
    agent.answered()
    assert len(agent.taken()) == 1
    assert agent.actors("made.txt", "shell.txt") == dict.fromkeys(
        ("made.txt", "shell.txt"), Actor.AGENT
    )
    assert "the agent does not answer" in caplog.text


@pytest.mark.parametrize("session", ["", None, "of-nobody"])
def test_a_tool_of_no_known_session_is_a_turn_of_its_own(session: Any, agent: Agent) -> None:
    about = {"session_id": session, "task_id": None, "tool_call_id": None}
    for number in range(2):
        args = {"path": str(agent.directory / f"{number}.txt")}
        agent.tells("pre_tool_call", tool_name="write_file", args=args, **about)
        (agent.directory / f"{number}.txt").write_text("by the agent\n")
        agent.tells("post_tool_call", tool_name="write_file", args=args, status="ok", **about)
        tick(agent.directory)
        assert agent.open_turns() == 0
        (agent.directory / "README.md").write_text(f"mine {number}\n")
        tick(agent.directory)
    assert [one.session_id for one in agent.taken()] == [session or None] * 2
    assert agent.actors("0.txt", "1.txt") == dict.fromkeys(("0.txt", "1.txt"), Actor.AGENT)


def test_what_a_script_calls_is_of_the_session_that_runs_it(agent: Agent) -> None:
    """It names no session and no call, and comes from a thread that has the context of the turn."""
    agent.bridge.pre_tool_call(tool_name="execute_code", args={}, session_id="")  # of nobody
    agent.asked()
    script = agent.begin("execute_code", {"code": "write_file('made.txt', 'x')"})
    args = {"path": str(agent.directory / "made.txt")}
    about = {"tool_name": "write_file", "args": args, "session_id": "", "tool_call_id": ""}

    def called() -> None:
        agent.tells("pre_tool_call", task_id="task", **about)
        (agent.directory / "made.txt").write_text("x")
        agent.tells("post_tool_call", task_id="task", status="ok", **about)

    thread = threading.Thread(target=called)
    thread.start()
    thread.join()
    agent.end(script)
    agent.answered()
    assert [one.session_id for one in agent.taken()] == [None]
    with Checkpoints.open() as checkpoints:
        (event,) = checkpoints.project(agent.directory).who("made.txt")
    assert (event.session_id, event.tool) == ("session-1", "write_file")


def test_a_subagent_works_for_the_session_that_started_it(agent: Agent) -> None:
    agent.asked()
    slow = agent.begin("terminal", {"command": "make"})
    child = agent.starts("child")
    child.asked("help")
    child.calls = agent.calls - 1  # both number their calls
    child.write("by-child.txt")
    grandchild = child.starts("grandchild")
    grandchild.asked("help")
    (agent.directory / "shell.txt").write_text("by the slow one\n")
    agent.end(slow)
    agent.answered()
    assert agent.open_turns() == 1, "its subagents work"
    (agent.directory / "README.md").write_text("mine\n")
    tick(agent.directory)
    grandchild.write("by-grandchild.txt")
    grandchild.answered()
    child.stopped(grandchild)
    child.answered()
    assert agent.open_turns() == 0
    agent.stopped(child)
    (one,) = agent.taken()
    assert (one.session_id, one.reason) == ("session-1", "before terminal: make")
    theirs = ("by-child.txt", "by-grandchild.txt", "shell.txt")
    assert agent.actors(*theirs) == dict.fromkeys(theirs, Actor.AGENT)
    assert agent.actors("README.md") == {"README.md": Actor.PERSON}


def test_a_subagent_goes_on_in_the_turn_of_the_next_request(agent: Agent) -> None:
    agent.asked("first")
    child = agent.starts("child")
    child.asked("help")
    child.write("first.txt")
    slow = child.begin("terminal", {"command": "make"})
    agent.answered()
    (agent.directory / "before.txt").write_text("by make\n")
    tick(agent.directory)
    agent.asked("second")
    (agent.directory / "after.txt").write_text("by make\n")
    child.end(slow)
    (agent.directory / "README.md").write_text("mine\n")
    tick(agent.directory)
    child.write("second.txt")
    child.answered()
    agent.answered()
    assert agent.open_turns() == 0
    assert [one.turn_title for one in agent.taken()] == ["first", "second"]
    theirs = ("first.txt", "before.txt", "after.txt", "second.txt")
    assert agent.actors(*theirs) == dict.fromkeys(theirs, Actor.AGENT)
    assert agent.actors("README.md") == {"README.md": Actor.PERSON}


def test_a_subagent_that_was_given_up_keeps_no_turn_open(agent: Agent) -> None:
    """It ran into a limit: nobody tells of its end but its parent. What it does then is of a turn
    of its own."""
    agent.asked()
    child = agent.starts("child")
    agent.starts("never started")
    child.asked("help")
    child.write("in-time.txt")
    child.begin("terminal", {"command": "make"})
    agent.stopped(child)
    agent.answered()
    agent.asked("again")
    agent.answered()
    assert agent.open_turns() == 0
    child.write("late.txt")
    assert agent.open_turns() == 0
    assert {one.session_id for one in agent.taken()} == {"session-1"}
    assert agent.actors("late.txt") == {"late.txt": Actor.AGENT}


def test_a_tool_that_was_refused_without_a_word_covers_nothing_that_follows(agent: Agent) -> None:
    """An editor asks before each edit; of one that is refused no hook tells the end."""
    agent.asked()
    agent.write("made.txt")
    agent.begin("write_file", {"path": str(agent.directory / "refused.txt")})
    agent.asks_its_model()
    (agent.directory / "README.md").write_text("mine\n")
    tick(agent.directory)
    agent.write("more.txt")
    agent.answered()
    assert agent.actors("README.md") == {"README.md": Actor.PERSON}


@pytest.mark.parametrize("choice", ["once", "deny"])
def test_what_a_person_edits_while_a_command_waits_for_their_answer_is_theirs(
    choice: str, agent: Agent
) -> None:
    agent.asked()
    call = agent.begin("terminal", {"command": "make install"})
    asked = {"command": "make install", "tool_call_id": call["tool_call_id"], "surface": "cli"}
    agent.tells("pre_approval_request", turn_id=agent.turn_id, **asked)
    tick(agent.directory)
    (agent.directory / "README.md").write_text("mine\n")
    tick(agent.directory)
    agent.tells("post_approval_response", turn_id=agent.turn_id, choice=choice, **asked)
    (agent.directory / "shell.txt").write_text("by make\n")
    agent.end(call)
    (agent.directory / "docs/notes.txt").write_text("mine\n")
    agent.answered()
    agent.tells("pre_approval_request", **asked)  # of a tool that has ended
    agent.tells("post_approval_response", **asked)
    assert agent.open_turns() == 0
    assert agent.actors("README.md", "shell.txt", "docs/notes.txt") == {
        "README.md": Actor.PERSON,
        "shell.txt": Actor.AGENT,
        "docs/notes.txt": Actor.PERSON,
    }


def test_a_turn_that_was_cut_short_ended_with_its_last_tool(agent: Agent) -> None:
    agent.asked("first")
    agent.write("made.txt")
    (agent.directory / "README.md").write_text("mine\n")
    tick(agent.directory)
    agent.asked("second")
    agent.write("more.txt")
    agent.answered()
    assert agent.open_turns() == 0
    assert agent.actors("README.md", "made.txt") == {
        "README.md": Actor.PERSON,
        "made.txt": Actor.AGENT,
    }
    assert [one.turn_title for one in agent.taken()] == ["first", "second"]


def test_what_the_agent_reviews_for_itself_ends_no_turn(
    agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It does so under the id of the session, in a thread that may use few tools, when the next
    turn may have begun."""
    allowed = threading.local()
    module = types.SimpleNamespace(_thread_tool_whitelist=allowed)
    monkeypatch.setitem(sys.modules, "hermes_cli.plugins", module)
    agent.asked("build it")
    agent.write("made.txt")

    def reviews() -> None:
        allowed.allowed = {"memory", "skill_manage"}
        reviewer = Agent(agent.directory, agent.bridge, manager=CheckpointManager())
        reviewer.asked("Review the conversation above")
        reviewer.end(reviewer.begin("memory", {"action": "add"}))
        reviewer.answered()

    thread = threading.Thread(target=reviews)
    thread.start()
    thread.join()
    assert agent.open_turns() == 1
    agent.write("more.txt")
    agent.answered()
    assert agent.open_turns() == 0
    assert [one.turn_title for one in agent.taken()] == ["build it"]


def test_the_end_of_a_turn_that_another_one_followed_ends_no_other(agent: Agent) -> None:
    agent.asked("first")
    agent.write("made.txt")
    late = Agent(agent.directory, agent.bridge, manager=agent.manager, turn_id=agent.turn_id)
    agent.asked("second")
    agent.write("more.txt")
    late.answered()
    assert agent.open_turns() == 1
    agent.answered()
    assert agent.open_turns() == 0


def test_a_compressed_conversation_is_the_same_session(agent: Agent) -> None:
    """Its id changes in the middle of a turn, or before it: the id of the turn has the former."""
    agent.asked()
    agent.write("first.txt")
    agent.session_id = "session-2"
    agent.write("second.txt")
    agent.answered()
    before = agent.turn_id
    agent.asked()
    assert agent.turn_id != before
    agent.write("third.txt")
    agent.answered()
    assert {one.session_id for one in agent.taken()} == {"session-1"}
    assert agent.open_turns() == 0


def test_what_was_compressed_between_two_turns_is_known_from_the_agents_own_record(
    agent: Agent, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Database:
        def __init__(self, db_path: Path, read_only: bool) -> None:
            assert read_only
            assert db_path == home / "state.db"

        def get_compression_lineage(self, session_id: str) -> list[str]:
            return ["session-1", session_id] if session_id == "session-2" else []

        def close(self) -> None:
            return

    (home / "state.db").touch()
    monkeypatch.setitem(sys.modules, "hermes_state", types.SimpleNamespace(SessionDB=Database))
    for session in ("session-1", "session-2"):
        agent.session_id = session
        agent.asked()
        agent.write(f"{session}.txt")
        agent.answered()
    assert [one.session_id for one in agent.taken()] == ["session-1", "session-1"]


def test_the_configuration_counts_when_the_tool_runs(agent: Agent, home: Path) -> None:
    agent.asked()
    agent.write("on.txt")
    (home / "config.yaml").write_text("checkpoints: {enabled: false}\n")
    agent.write("off.txt")
    agent.answered()
    assert agent.open_turns() == 0, "what is open ends"
    agent.asked()
    agent.write("still-off.txt")
    agent.answered()
    assert len(agent.taken()) == 1
    text = f"checkpoints: {{enabled: false, projects: {{{agent.directory}: true}}}}\n"
    (home / "config.yaml").write_text(text)
    agent.asked("only here")
    agent.write("here.txt")
    agent.answered()
    assert [one.turn_title for one in agent.taken()] == ["go", "only here"]


def test_titles_are_kept_as_the_configuration_says(agent: Agent, home: Path) -> None:
    (home / "config.yaml").write_text(ON + "hook: {titles: false}\n")
    agent.asked("my secret plan")
    agent.write("made.txt")
    agent.answered()
    assert [one.turn_title for one in agent.taken()] == [None]
    (home / "config.yaml").write_text(ON)
    agent.turn_id = ""
    parts = [{"type": "image_url"}, {"type": "text", "text": "See this"}]
    agent.tells("pre_llm_call", session_id="session-1", user_message=parts)
    agent.write("more.txt")
    agent.answered()
    assert agent.taken()[-1].turn_title == "See this"


def test_files_of_another_machine_are_told_of_once(
    agent: Agent, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("TERMINAL_ENV", "docker")
    agent.asked()
    with caplog.at_level(logging.WARNING, "hermes_checkpoints"):
        for _ in range(3):
            agent.end(agent.begin("terminal", {"command": "rm -r ."}))
    agent.answered()
    assert agent.taken() == []
    assert [line for line in caplog.messages if "works in docker" in line] == caplog.messages
    assert len(caplog.messages) == 1


def test_a_model_that_changes_files_by_itself_has_a_checkpoint_before_each_turn(
    agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No hook tells of its tools, nor, with the app server of Codex, of the end of a turn."""
    config = {"model": {"openai_runtime": "codex_app_server"}}
    module = types.SimpleNamespace(load_config=lambda: config)
    monkeypatch.setitem(sys.modules, "hermes_cli.config", module)
    for number in ("first", "second"):
        agent.asked(number)
        (agent.directory / f"{number}.txt").write_text("by the model\n")
        tick(agent.directory)
    assert [(one.reason, one.turn_title) for one in agent.taken()] == [
        ("before a turn", "first"),
        ("before a turn", "second"),
    ]
    assert agent.actors("first.txt") == {"first.txt": Actor.UNKNOWN}
    assert "✅" in agent.context.run(plugin.rollback, "2 --exact")
    assert not (agent.directory / "first.txt").exists()


def test_two_sessions_in_one_directory_keep_apart(agent: Agent) -> None:
    other = Agent(agent.directory, agent.bridge, "session-2", CheckpointManager())
    agent.asked("first")
    agent.write("first.txt")
    other.asked("second")
    other.write("second.txt")
    agent.write("README.md")
    agent.answered()
    assert agent.open_turns() == 1
    other.answered()
    assert [one.session_id for one in agent.taken()] == ["session-1", "session-2"]
    with Checkpoints.open() as checkpoints:
        project = checkpoints.project(agent.directory)
        restored = project.restore(agent.taken()[0], session_id="session-1")
        assert [step.path for step in restored.kept] == ["second.txt"]
    assert not (agent.directory / "first.txt").exists()


def test_tools_that_run_at_once_have_one_checkpoint(agent: Agent) -> None:
    """Subagents tell of their tools from threads of their own: none runs before it was taken."""
    agent.asked()
    children = [agent.starts(f"child-{number}") for number in range(4)]
    gate = threading.Barrier(len(children))
    missing: list[str] = []

    def works(child: Agent) -> None:
        child.asked("help")
        gate.wait()
        path = agent.directory / f"{child.session_id}.txt"
        call = {"tool_name": "write_file", "args": {"path": str(path)}, "tool_call_id": "call_0"}
        child.tells("pre_tool_call", session_id=child.session_id, **call)
        if not agent.taken():
            missing.append(child.session_id)
        path.write_text("by a child\n")
        child.tells("post_tool_call", session_id=child.session_id, status="ok", **call)
        child.answered()

    threads = [threading.Thread(target=works, args=[child]) for child in children]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    agent.answered()
    assert missing == []
    assert len(agent.taken()) == 1
    assert agent.open_turns() == 0
    names = [f"child-{number}.txt" for number in range(4)]
    with Checkpoints.open() as checkpoints:
        project = checkpoints.project(agent.directory)
        assert {project.who(name)[0].tool for name in names} == {"write_file"}


def test_sessions_that_rest_are_let_go(agent: Agent, home: Path) -> None:
    (home / "config.yaml").write_text("checkpoints: {enabled: false}\n")
    bridge = agent.bridge
    for number in range(3 * MOST_SESSIONS):
        bridge.pre_llm_call(session_id=f"s{number}", user_message="x", task_id="t")
        bridge.on_session_end(session_id=f"s{number}", task_id="t")
    assert len(bridge._sessions) <= MOST_SESSIONS + 1
    assert len(bridge._workers) <= MOST_SESSIONS + 1
    bridge.pre_llm_call(session_id="long", user_message="x")
    for number in range(3 * MOST_NAMES):
        bridge.subagent_start(parent_session_id="long", child_session_id=f"c{number}")
        bridge.pre_llm_call(session_id=f"c{number}")
        bridge.on_session_end(session_id=f"c{number}")
    assert len(bridge._workers) <= MOST_SESSIONS + MOST_NAMES + 2
    bridge.on_session_end(session_id="long")
    bridge.on_session_finalize(session_id="long", reason="session_expired")
    assert all(worker.session.name != "long" for worker in bridge._workers.values())
    assert not any(session.at_work for session in bridge._sessions)


def test_a_session_that_is_over_leaves_nothing_open(agent: Agent) -> None:
    agent.asked()
    agent.write("made.txt")
    child = agent.starts("child")
    child.asked("help")
    agent.tells("on_session_finalize", session_id="session-1", reason="shutdown")
    assert agent.open_turns() == 0
    child.write("late.txt")
    child.answered()
    assert agent.open_turns() == 0
    assert {one.session_id for one in agent.taken()} == {"session-1"}


@pytest.mark.slow
def test_the_end_of_a_session_and_not_that_of_an_answer_has_it_sent(
    agent: Agent, home: Path, tmp_path: Path
) -> None:
    undo = tmp_path / "undo.git"
    subprocess.run(["git", "init", "-q", "--bare", undo], check=True)
    remote = {"url": str(undo), "push": "session"}
    settings = {"checkpoints": {"enabled": True, "remote": remote}}
    (home / "config.yaml").write_text(json.dumps(settings), encoding="utf-8")
    agent.asked()
    agent.write("made.txt")
    agent.answered()
    assert wait_for_detached() == 0
    agent.tells("on_session_finalize", session_id="session-1", reason="shutdown")
    assert wait_for_detached() == 1
    refs = subprocess.run(
        ["git", "--git-dir", undo, "for-each-ref", "--format=%(objectname)", "refs/checkpoints/"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert refs.stdout.split() == [one.id for one in agent.taken()]


def test_a_session_in_the_home_of_another_profile_is_kept_there(
    agent: Agent, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent.asked()
    agent.write("made.txt")
    profile = home / "profiles/work"
    profile.mkdir(parents=True)
    (profile / "config.yaml").write_text(ON)
    constants = types.SimpleNamespace(get_hermes_home=lambda: profile)
    monkeypatch.setitem(sys.modules, "hermes_constants", constants)
    agent.asked("in the other")
    agent.write("more.txt")
    agent.answered()
    assert agent.open_turns() == 0
    assert [one.turn_title for one in agent.taken()] == ["go"]
    with Checkpoints.open(profile) as checkpoints:
        assert [one.turn_title for one in checkpoints.list_all()] == ["in the other"]


# --- the agent's own /rollback, and ours ------------------------------------------------------


def test_where_hooks_see_to_it_the_agents_own_manager_says_that_it_is_on(
    agent: Agent, home: Path
) -> None:
    """The agent's interfaces ask it before they list; only one of its programs switches it on."""
    manager = agent.manager
    said = [manager.enabled]
    agent.bridge.listens = True
    said.append(manager.enabled)
    agent.asked()
    agent.write("made.txt")
    agent.answered()
    assert len(agent.taken()) == 1
    assert len(manager.list_checkpoints(str(agent.directory))) == 1
    (home / "config.yaml").write_text("checkpoints: {enabled: false}\n")
    assert [*said, manager.enabled] == [False, True, False]


def test_a_directory_inside_a_project_means_the_project(agent: Agent) -> None:
    sub = agent.directory / "src"
    agent.asked()
    agent.write("src/app.py")
    agent.write("README.md")
    agent.answered()
    (found,) = agent.manager.list_checkpoints(str(sub))
    assert "README.md" in agent.manager.diff(str(sub), found["hash"])["stat"]
    for path, words in (("../README.md", "escapes"), ("/etc/passwd", "must be relative")):
        refused = agent.manager.restore(str(sub), found["hash"], path)
        assert not refused["success"]
        assert words in refused["error"]
    restored = agent.manager.restore(str(sub), found["hash"], "app.py")
    assert (restored["success"], restored["file"]) == (True, "app.py")
    assert (sub / "app.py").read_text() != "by the agent\n"
    assert (agent.directory / "README.md").read_text() == "by the agent\n"
    assert agent.manager.restore(str(sub), found["hash"])["success"]
    assert (agent.directory / "README.md").read_text() != "by the agent\n"


def test_a_number_of_checkpoint_means_the_list_that_was_shown_in_that_chat(
    agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    def turn(name: str) -> None:
        agent.asked(name)
        agent.write("README.md", f"{name}\n")
        agent.answered()

    def typed(text: str, chat: str) -> str:
        def handle() -> str:
            source = types.SimpleNamespace(platform="x", chat_id=chat, thread_id=None, user_id="u")
            places.note_chat(event=types.SimpleNamespace(source=source), gateway=None)
            return plugin.rollback(text)

        return agent.context.copy().run(handle)

    def readme() -> str:
        return (agent.directory / "README.md").read_text()

    turn("one")
    turn("two")
    typed("", "a")
    turn("three")
    assert "✅" in typed("1", "a")
    assert readme() == "one\n"
    assert typed("1", "a").startswith("Nothing to restore")
    assert "✅" in typed("1", "b"), "where none was shown, the present one is meant"
    assert readme() == "two\n"
    turn("four")
    assert "✅" in typed("1", "b")
    assert readme() == "two\n"
    monkeypatch.setattr(plugin, "MOST_LISTS", 3)
    for number in range(5):
        typed("", f"chat {number}")
    assert len(plugin._commands) == 3
