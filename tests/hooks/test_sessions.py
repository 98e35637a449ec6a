"""Whole sessions of agents that tell of themselves by hooks, a process an event: a rollback takes
back what the agent did, and keeps what a person did, whatever happened in between."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hermes_checkpoints import Checkpoints
from hermes_checkpoints.attribution.looks import GRANULE_NS, INTERRUPTED
from hermes_checkpoints.hooks.agents import AGENTS, EventKind
from hermes_checkpoints.model import Actor
from hooks.conftest import Starts
from interpreters import PROGRAM
from support import Run, deadly_git

EVERY = pytest.mark.parametrize("name", AGENTS)
TELLS_EVERY_TOOL = pytest.mark.parametrize("name", ["claude", "gemini"])


def later(folder: Path) -> None:
    """Wait until the clock of the disk is past all that was before."""
    probe = folder.parent / "clock"
    probe.write_text("")
    begun = probe.stat().st_ctime_ns
    while probe.stat().st_ctime_ns <= begun + GRANULE_NS:
        os.utime(probe)


@EVERY
@pytest.mark.slow
def test_a_session_is_taken_back_and_what_a_person_did_stays(
    home: Path, project: Path, name: str, agent: Starts, run: Run
) -> None:
    before = {path: path.read_bytes() for path in project.rglob("*") if path.is_file()}

    first = agent(name, "session-1")
    first.asked("Port the parser\n\nand mind the tests")
    call = first.begins_shell("sed -i s/hello/bye/ src/app.py && touch gen.txt")
    (project / "src/app.py").write_text("by the shell\n")
    (project / "gen.txt").write_text("generated\n")
    first.ends_tool(call)
    later(project)
    if AGENTS[name].tells_every_tool:  # a person, while the agent thinks
        (project / "README.md").write_text("by a person, between two tools\n")
        later(project)
    call = first.begins_write("docs/notes.txt")
    (project / "docs/notes.txt").write_text("by the tool\n")
    first.ends_tool(call)
    first.answers()
    later(project)

    (project / "README.md").write_text("by a person\n")
    (project / "mine.txt").write_text("a person's\n")
    (project / "run.sh").unlink()

    second = agent(name, "session-2")
    second.asked("Add a test")
    call = second.begins_shell("echo test > test_app.py")
    (project / "test_app.py").write_text("by another session\n")
    second.ends_tool(call)
    second.answers()
    later(project)

    third = agent(name, "session-3")
    third.asked("Break everything")
    third.begins_shell("rm -rf build")
    (project / "pyproject.toml").write_text("by the agent that is killed\n")
    third.killed()
    (project / "src/data.bin").write_bytes(b"by a person, after that\n")

    listed = json.loads(run("log", "--dir", project, "--json").out)["checkpoints"]
    assert [one["turn_title"] for one in listed] == [
        "Break everything",
        "Add a test",
        "Port the parser",
    ]
    lines = run("log", "--dir", project).lines[2:]
    for line, one in zip(lines, listed, strict=True):
        assert re.search(rf" \ds  {one['turn_title']}  ", line), line
    assert re.search(r"  agent +1  \+1/-0  1 file  ", lines[1])  # what followed
    assert re.search(r"  agent\+you +6  .*  4 files  ", lines[2])
    assert "Asked for then: Break everything" in run("show", "1", "--dir", project).out
    oldest = str(len(listed))
    planned = run("restore", oldest, "--dir", project, "--dry-run").out
    assert "you changed it" in planned
    run("restore", oldest, "--dir", project, "-f")

    back = ["src/app.py", "docs/notes.txt"]
    assert [path for path in back if (project / path).read_bytes() != before[project / path]] == []
    assert [path for path in ("gen.txt", "test_app.py") if (project / path).exists()] == []
    assert (project / "README.md").read_text() == "by a person\n"
    assert (project / "mine.txt").read_text() == "a person's\n"
    assert not (project / "run.sh").exists()
    assert (project / "pyproject.toml").read_text() == "by the agent that is killed\n"
    assert (project / "src/data.bin").read_bytes() == b"by a person, after that\n"
    assert first.said == second.said == third.said == []


@pytest.mark.campaign(beyond=1)
@pytest.mark.slow
@EVERY
def test_a_prompt_that_changes_nothing_leaves_no_more_than_a_look(
    home: Path, project: Path, name: str, agent: Starts
) -> None:
    one = agent(name)
    for _ in range(3):
        one.asked("what does this do?")
        one.answers()
    with Checkpoints.open(home) as checkpoints:
        listed = checkpoints.project(project).list()
        assert len(listed) == (0 if AGENTS[name].tells_every_tool else 1)
        session = checkpoints.agent_sessions.get("session-1")
        assert session is not None
        assert (session.turn, session.agent) == (3, name)


@pytest.mark.campaign(beyond=1)
@TELLS_EVERY_TOOL
def test_an_interrupted_turn_ends_with_its_last_tool(
    home: Path, project: Path, name: str, agent: Starts
) -> None:
    one = agent(name)
    one.asked()
    call = one.begins_shell()
    (project / "made.txt").write_text("by the agent\n")
    one.ends_tool(call)
    later(project)
    (project / "README.md").write_text("by a person, after Esc\n")
    one.asked("once more")
    with Checkpoints.open(home) as checkpoints:
        found = checkpoints.project(project)
        assert found.who("made.txt")[0].actor is Actor.AGENT
        assert found.who("README.md")[0].actor is Actor.PERSON


@pytest.mark.slow
def test_the_end_of_a_turn_that_was_killed_at_its_time_limit_loses_nothing(
    home: Path, project: Path, agent: Starts, tmp_path: Path
) -> None:
    one = agent("claude")
    one.asked()
    call = one.begins_shell()
    (project / "made.txt").write_text("by the agent\n")
    one.ends_tool(call)
    later(project)
    stop = {"session_id": "session-1", "cwd": str(project), "hook_event_name": "Stop"}
    for number, command in enumerate(("diff-files", "ls-files")):
        ended = subprocess.run(
            [sys.executable, "-c", PROGRAM, "hook", "--agent", "claude"],
            input=json.dumps(stop).encode(),
            env=deadly_git(tmp_path / f"git-{number}", command, after=bool(number % 2)),
            capture_output=True,
            check=False,
        )
        assert ended.returncode == -signal.SIGKILL
        with Checkpoints.open(home) as checkpoints:
            assert checkpoints.turn_projects("session-1") == [checkpoints.project(project)]
    (project / "README.md").write_text("by a person, after the answer\n")
    one.asked("once more")
    with Checkpoints.open(home) as checkpoints:
        found = checkpoints.project(project)
        assert not checkpoints.turn_projects("session-1")
        assert [event.actor for event in found.who("made.txt")] == [Actor.AGENT]
        assert [event.actor for event in found.who("README.md")] == [Actor.PERSON]
        assert checkpoints.failing() == []


@pytest.mark.campaign(beyond=1)
@TELLS_EVERY_TOOL
def test_of_a_tool_that_was_interrupted_nobody_knows_until_when_it_ran(
    home: Path, project: Path, name: str, agent: Starts
) -> None:
    one = agent(name)
    one.asked()
    call = one.begins_shell()
    (project / "made.txt").write_text("by the agent\n")
    one.ends_tool(call)
    later(project)
    one.begins_shell()
    (project / "README.md").write_text("by the agent, or by a person after Esc\n")
    one.asked("once more")
    with Checkpoints.open(home) as checkpoints:
        found = checkpoints.project(project)
        assert found.who("made.txt")[0].actor is Actor.AGENT
        [event] = found.who("README.md")
        assert (event.actor, event.reason) == (Actor.UNKNOWN, INTERRUPTED)
        assert not [
            s
            for s in found.plan_restore("latest").steps
            if s.path == "README.md" and s.action.value != "keep"
        ]


@pytest.mark.campaign
def test_after_esc_in_a_tool_of_claude_code_the_next_edit_is_a_persons_at_once(
    home: Path, project: Path, agent: Starts, tmp_path: Path
) -> None:
    """No event is sent; the file of the conversation has the time."""
    one = agent("claude")
    one.record = tmp_path / "conversation.jsonl"
    one.asked()
    call = one.begins_shell("make; sleep 40")
    (project / "made.txt").write_text("by the agent\n")
    (project / "README.md").write_text("by the agent\n")
    later(project)
    one.interrupted(call)
    later(project)
    (project / "after.txt").write_text("by a person\n")
    (project / "run.sh").unlink()
    with Checkpoints.open(home) as checkpoints:
        restored = checkpoints.project(project).restore("latest")
    assert {step.path for step in restored.kept} == {"after.txt", "run.sh"}
    assert (project / "README.md").read_text().startswith("# Sample")
    assert not (project / "made.txt").exists()
    assert (project / "after.txt").exists() and not (project / "run.sh").exists()


def test_while_a_tool_runs_what_changes_is_the_agents(
    home: Path, project: Path, agent: Starts, tmp_path: Path
) -> None:
    one = agent("claude")
    one.record = tmp_path / "conversation.jsonl"
    one.record.write_text('{"type": "assistant", "message": {"content": []}}\n')
    one.asked()
    one.begins_shell("make; sleep 40")
    later(project)
    (project / "made.txt").write_text("by the agent\n")
    with Checkpoints.open(home) as checkpoints:
        checkpoints.project(project).restore("latest")
    assert not (project / "made.txt").exists()


def test_a_command_that_goes_on_in_the_background_is_not_over_when_it_has_answered(
    home: Path, project: Path, agent: Starts, tmp_path: Path
) -> None:
    one = agent("claude")
    one.record = tmp_path / "conversation.jsonl"
    one.asked()
    call = one.begins_shell("npm run dev &")
    one.interrupted(call)  # as its answer would stand there
    later(project)
    (project / "built.txt").write_text("by the server\n")
    with Checkpoints.open(home) as checkpoints:
        checkpoints.project(project).restore("latest")
    assert not (project / "built.txt").exists()


@pytest.mark.campaign
def test_a_tool_whose_failure_is_told_has_ended(home: Path, project: Path, agent: Starts) -> None:
    one = agent("claude")
    one.asked()
    call = one.begins_shell()
    (project / "made.txt").write_text("by the agent\n")
    failure = {"hook_event_name": "PostToolUseFailure", "error": "no", "is_interrupt": True}
    one.tell(EventKind.AFTER_TOOL, **call, **failure)
    later(project)
    (project / "README.md").write_text("by a person, after Esc\n")
    one.asked("once more")
    with Checkpoints.open(home) as checkpoints:
        found = checkpoints.project(project)
        assert found.who("made.txt")[0].actor is Actor.AGENT
        assert found.who("README.md")[0].actor is Actor.PERSON


@pytest.mark.campaign
def test_a_turn_of_codex_lasts_at_least_until_its_last_tool(
    home: Path, project: Path, agent: Starts
) -> None:
    """Not every tool is told: what changed before the last one that was is the agent's, too."""
    one = agent("codex")
    one.asked()
    (project / "patched.txt").write_text("by a tool that it does not tell of\n")
    later(project)
    one.ends_tool(one.begins_shell())
    later(project)
    (project / "README.md").write_text("by a person, after Esc\n")
    one.asked("once more")
    with Checkpoints.open(home) as checkpoints:
        found = checkpoints.project(project)
        assert found.who("patched.txt")[0].actor is Actor.AGENT
        assert found.who("README.md")[0].actor is Actor.PERSON


@pytest.mark.campaign
def test_codex_tells_when_it_was_interrupted(home: Path, project: Path, agent: Starts) -> None:
    one = agent("codex")
    one.asked()
    (project / "patched.txt").write_text("by a tool that it does not tell of\n")
    one.tell(EventKind.STOP, hook_event_name="Interrupt")
    (project / "README.md").write_text("by a person, after Esc\n")
    one.asked("once more")
    with Checkpoints.open(home) as checkpoints:
        found = checkpoints.project(project)
        assert found.who("patched.txt")[0].actor is Actor.AGENT
        assert found.who("README.md")[0].actor is Actor.PERSON


@pytest.mark.campaign
def test_what_a_command_did_until_codex_was_interrupted_is_the_agents_and_what_follows_stays(
    home: Path, project: Path, agent: Starts
) -> None:
    """Codex lets the command run on, and tells no end of it."""
    one = agent("codex")
    one.asked()
    one.begins_shell("./configure; make")
    (project / "made.txt").write_text("by the command\n")
    one.tell(EventKind.STOP, hook_event_name="Interrupt")
    later(project)
    (project / "README.md").write_text("by the command that runs on, or by a person\n")
    with Checkpoints.open(home) as checkpoints:
        restored = checkpoints.project(project).restore("latest")
    assert {step.path for step in restored.kept} == {"README.md"}
    assert not (project / "made.txt").exists()


@pytest.mark.campaign
def test_a_subagent_of_codex_works_in_the_turn_of_its_session(
    home: Path, project: Path, agent: Starts, tmp_path: Path
) -> None:
    one = agent("codex")
    one.asked("One")
    sub = {"agent_id": "sub-1", "agent_type": "default", "turn_id": "turn-of-sub"}
    call = {"tool_name": "Bash", "tool_input": {"command": "make"}, "tool_use_id": "exec-1", **sub}
    one.tell(EventKind.BEFORE_TOOL, **call, transcript_path=str(tmp_path / "sub.jsonl"))
    (project / "made.txt").write_text("by the subagent\n")
    one.tell(EventKind.AFTER_TOOL, **call, tool_response="")
    one.answers()
    with Checkpoints.open(home) as checkpoints:
        [event] = checkpoints.project(project).who("made.txt")
    assert (event.actor, event.session_id, event.turn) == (Actor.AGENT, one.session_id, 1)


@pytest.mark.campaign
def test_a_command_of_gemini_cli_that_a_person_lets_run_on_has_not_ended(
    home: Path, project: Path, agent: Starts
) -> None:
    one = agent("gemini")
    one.asked()
    call = one.begins_shell("npm run dev")
    one.ends_tool(call, llmContent="Command moved to background (PID: 7). Output hidden.")
    later(project)
    (project / "built.txt").write_text("by the server\n")
    one.answers()
    with Checkpoints.open(home) as checkpoints:
        checkpoints.project(project).restore("latest")
    assert not (project / "built.txt").exists()


@pytest.mark.campaign
def test_a_turn_of_codex_of_which_no_tool_was_told_has_no_known_end(
    home: Path, project: Path, agent: Starts
) -> None:
    one = agent("codex")
    one.asked()
    (project / "README.md").write_text("by the agent, or by a person after Esc\n")
    one.asked("once more")
    with Checkpoints.open(home) as checkpoints:
        [event] = checkpoints.project(project).who("README.md")
        assert (event.actor, event.reason) == (Actor.UNKNOWN, INTERRUPTED)


@pytest.mark.campaign(beyond=1)
@EVERY
@pytest.mark.slow
def test_two_sessions_at_once_are_told_apart(
    home: Path, project: Path, name: str, agent: Starts
) -> None:
    one, other = agent(name, "session-1"), agent(name, "session-2")
    one.asked("One")
    call = one.begins_write("README.md")
    (project / "README.md").write_text("by one\n")
    one.ends_tool(call)
    other.asked("Other")
    call = other.begins_write("docs/notes.txt")
    (project / "docs/notes.txt").write_text("by the other\n")
    other.ends_tool(call)
    one.answers()
    other.answers()
    with Checkpoints.open(home) as checkpoints:
        found = checkpoints.project(project)
        events = {path: found.who(path)[0] for path in ("README.md", "docs/notes.txt")}
    assert {path: event.session_id for path, event in events.items()} == {
        "README.md": "session-1",
        "docs/notes.txt": "session-2",
    }
    assert {event.turn for event in events.values()} == {1}


@pytest.mark.campaign(beyond=1)
@EVERY
def test_a_session_that_ends_is_forgotten_and_its_open_turn_ends(
    home: Path, project: Path, name: str, agent: Starts
) -> None:
    """Gemini CLI tells it more than once."""
    one = agent(name)
    one.asked()
    one.ends_tool(one.begins_shell())
    for _ in range(3):
        one.leaves()
    with Checkpoints.open(home) as checkpoints:
        assert checkpoints.agent_sessions.get("session-1") is None
        assert not checkpoints.project(project).has_turn(session_id="session-1")


@pytest.mark.campaign(beyond=1)
@pytest.mark.slow
@EVERY
def test_what_a_patch_or_a_write_names_elsewhere_is_captured_there(
    home: Path, project: Path, name: str, agent: Starts, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "Makefile").write_text("all:\n")
    one = agent(name)
    one.asked()
    call = one.begins_write(os.path.relpath(elsewhere / "Makefile", project))
    (elsewhere / "Makefile").write_text("by the agent\n")
    one.ends_tool(call)
    one.answers()
    with Checkpoints.open(home) as checkpoints:
        found = checkpoints.project(elsewhere)
        assert found.who("Makefile")[0].session_id == "session-1"
        found.restore("latest")
    assert (elsewhere / "Makefile").read_text() == "all:\n"


@pytest.mark.campaign(beyond=1)
@pytest.mark.slow
@TELLS_EVERY_TOOL
def test_tools_that_begin_at_once_share_one_checkpoint_and_one_turn(
    home: Path, project: Path, name: str, agent: Starts
) -> None:
    tools = [agent(name) for _ in range(5)]  # one session
    tools[0].asked()
    with ThreadPoolExecutor(len(tools)) as pool:
        calls = [*pool.map(lambda pair: pair[1].begins_shell(f"make {pair[0]}"), enumerate(tools))]
    for one, call in zip(tools[1:], calls[1:], strict=True):
        one.ends_tool(call)
    later(project)
    (project / "late.txt").write_text("by the tool that still runs\n")
    later(project)
    tools[0].ends_tool(calls[0])
    later(project)
    (project / "README.md").write_text("by a person\n")
    tools[0].answers()
    with Checkpoints.open(home) as checkpoints:
        found = checkpoints.project(project)
        assert len(found.list()) == 1
        assert found.who("late.txt")[0].actor is Actor.AGENT
        assert found.who("README.md")[0].actor is Actor.PERSON


@pytest.mark.campaign(beyond=1)
@pytest.mark.slow
@TELLS_EVERY_TOOL
def test_what_a_person_does_after_a_tool_was_refused_is_not_taken_back(
    home: Path, project: Path, name: str, agent: Starts
) -> None:
    one = agent(name)
    one.asked()
    one.begins_shell("rm -rf build")  # refused: nothing tells of it
    later(project)
    (project / "README.md").write_text("by a person, while the agent thinks\n")
    later(project)
    call = one.begins_shell()
    (project / "made.txt").write_text("by the agent\n")
    one.ends_tool(call)
    later(project)
    one.answers()
    with Checkpoints.open(home) as checkpoints:
        found = checkpoints.project(project)
        assert found.who("made.txt")[0].actor is Actor.AGENT
        [event] = found.who("README.md")
        assert (event.actor, event.reason) == (Actor.UNKNOWN, INTERRUPTED)
        restored = found.restore("latest")
        assert [one.path for one in restored.kept] == ["README.md"]
    assert (project / "README.md").read_text().startswith("by a person")


@pytest.mark.campaign(beyond=1)
@pytest.mark.slow
@TELLS_EVERY_TOOL
def test_what_runs_on_behind_a_tool_is_the_agents_until_its_turn_ends(
    home: Path, project: Path, name: str, agent: Starts
) -> None:
    one = agent(name)
    one.asked()
    for number in range(2):
        one.ends_tool(one.begins_shell(f"make watch{number} &"))
    later(project)
    (project / "made.txt").write_text("by the watcher\n")
    later(project)
    one.answers()
    (project / "README.md").write_text("by a person\n")
    with Checkpoints.open(home) as checkpoints:
        found = checkpoints.project(project)
        found.take()
        assert found.who("made.txt")[0].actor is Actor.AGENT
        assert found.who("README.md")[0].actor is Actor.PERSON


@pytest.mark.campaign(beyond=1)
@pytest.mark.slow
@EVERY
def test_the_turn_in_a_directory_that_is_gone_is_no_failure(
    home: Path, project: Path, name: str, agent: Starts, tmp_path: Path
) -> None:
    worktree = tmp_path / "worktree"
    worktree.mkdir()
    (worktree / "notes.txt").write_text("as it was\n")
    one = agent(name)
    one.directory = worktree
    one.asked()
    call = one.begins_shell(f"rm -r {worktree}")
    shutil.rmtree(worktree)
    one.ends_tool(call)
    one.answers()
    assert one.said == []
    with Checkpoints.open(home) as checkpoints:
        assert checkpoints.failing() == []
        checkpoints.project(worktree).restore("latest")
    assert (worktree / "notes.txt").read_text() == "as it was\n"
    one.leaves()
    with Checkpoints.open(home) as checkpoints:
        assert checkpoints.turn_projects("session-1") == []
