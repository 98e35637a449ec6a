"""An agent at work where its directory is refused: in a home, or in a tree that is too large."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import GitProcesses
from hermes_checkpoints import CheckpointManager, Checkpoints, Rollback
from hermes_checkpoints.compat import bridge as bridges
from hermes_checkpoints.compat.agent_manager import CheckpointManager as AgentManager
from hermes_checkpoints.compat.bridge import Bridge

SESSION = "session-1"


@pytest.fixture
def user(home: Path) -> Path:
    """The home directory in which the agent works."""
    user = Path(os.environ["HOME"])
    (user / ".profile").write_text("as it was\n")
    (home / "config.yaml").write_text("checkpoints:\n  enabled: true\n  max_files: 5\n")
    return user


@pytest.fixture
def manager(user: Path) -> CheckpointManager:
    return CheckpointManager(enabled=True, working_dir=user)


def write(manager: CheckpointManager, path: Path, text: str) -> bool:
    """What a host tells of ``write_file``; return whether a checkpoint was taken."""
    directory = manager.get_working_dir_for_path(str(path))
    taken = manager.ensure_checkpoint(directory, "before write_file", about=[str(path)])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    manager.record_agent_write(str(path), "write_file")
    return taken


def reasons(directory: Path) -> list[str]:
    with Checkpoints.open() as checkpoints:
        return [one.reason for one in checkpoints.project(directory).list()]


def test_each_file_is_captured_once_a_turn_and_it_is_said_once(
    manager: CheckpointManager, user: Path, caplog: pytest.LogCaptureFixture
) -> None:
    manager.new_turn()
    assert write(manager, user / ".profile", "1\n")
    assert not write(manager, user / ".profile", "2\n")
    assert write(manager, user / "new.txt", "3\n")
    assert not manager.ensure_checkpoint(str(user), "before terminal")
    manager.new_turn()
    assert write(manager, user / ".profile", "4\n")
    assert reasons(user) == [
        "before write_file (only .profile)",
        "before write_file (only new.txt which was missing)",
        "before write_file (only .profile)",
    ]
    told = [record.message for record in caplog.records if record.levelno >= logging.WARNING]
    only = (
        f"only the files that a tool names are captured in {user}, and nothing else there is safe"
    )
    assert told == [f"{only}: {user} is the home directory; choose a project inside it"]


def test_a_large_tree_is_looked_at_once_a_turn(
    manager: CheckpointManager, project: Path, git_processes: GitProcesses, user: Path
) -> None:
    (project / ".git").mkdir()
    manager.new_turn()
    assert write(manager, project / "README.md", "by the agent\n")
    assert any("ls-files" in command for command in git_processes.commands())
    git_processes.reset()
    for name in ("src/app.py", "new/deep/file.txt"):
        assert write(manager, project / name, "by the agent\n")
    assert not any("ls-files" in command for command in git_processes.commands())
    assert len(reasons(project)) == 3


def test_a_link_leads_to_the_file_that_is_captured(manager: CheckpointManager, user: Path) -> None:
    (user / "alias").symlink_to(".profile")
    manager.new_turn()
    assert write(manager, user / "alias", "by the agent\n")
    with Checkpoints.open() as checkpoints:
        project = checkpoints.project(user)
        assert project.restore("1").complete
    assert (user / ".profile").read_text() == "as it was\n"
    assert (user / "alias").is_symlink()


def test_a_file_in_a_folder_that_is_not_there_yet(manager: CheckpointManager, user: Path) -> None:
    manager.new_turn()
    assert write(manager, user / "a/b/c.txt", "by the agent\n")
    assert reasons(user) == ["before write_file (only a/b/c.txt which was missing)"]
    manager.end_turn()
    reply = Rollback(user, enabled=True).run("/rollback 1")
    assert reply.ok
    assert not (user / "a").exists()


def test_rollback_lists_shows_and_restores_it_with_the_chat(
    manager: CheckpointManager, user: Path
) -> None:
    said = [{"role": "user", "content": "change my profile"}]
    manager.session_id = SESSION
    manager.new_turn(said)
    write(manager, user / ".profile", "by the agent\n")
    manager.end_turn()
    rollback = Rollback(user, session_id=SESSION, enabled=True)
    listed = rollback.run("/rollback")
    assert "before write_file (only .profile)" in listed.text
    assert "[partial] holds the files that it names, and nothing else is safe there" in listed.text
    shown = rollback.run("/rollback show 1").text
    assert "tells nothing of others (partial)" in shown
    assert "    .profile" in shown
    assert "-as it was" in rollback.run("/rollback diff 1").text
    (user / "other").write_text("by a person\n")
    reply = rollback.run("/rollback 1", said)
    assert reply.ok
    assert "It is a partial checkpoint: only the files that it names were looked at." in reply.text
    assert reply.conversation is not None
    assert reply.conversation.kept == ()
    assert (user / ".profile").read_text() == "as it was\n"
    assert (user / "other").read_text() == "by a person\n"
    assert rollback.run("/rollback undo").ok
    assert (user / ".profile").read_text() == "by the agent\n"
    assert [entry.get("partial") for entry in manager.list_checkpoints(str(user))][-1] is True


def test_the_hooks_name_the_files_of_a_tool_and_of_a_command(
    user: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bridge = Bridge()
    monkeypatch.setattr(bridges, "bridge", bridge)
    monkeypatch.setenv("TERMINAL_CWD", str(user))
    agent = AgentManager(enabled=True)
    bridge.pre_llm_call(session_id=SESSION, conversation_history=[])
    agent.new_turn()

    def call(tool: str, args: dict[str, str], file: Path) -> None:
        bridge.pre_tool_call(tool, args, SESSION, tool_call_id="call")
        agent.ensure_checkpoint(str(user), f"before {tool}")  # the agent's own call
        file.write_text("by the agent\n")
        bridge.post_tool_call(tool, args, SESSION, tool_call_id="call", status="ok")

    call("write_file", {"path": str(user / "new.txt"), "content": ""}, user / "new.txt")
    call("terminal", {"command": "sed -i s/as/by/ .profile"}, user / ".profile")
    bridge.on_session_end(SESSION)
    assert reasons(user) == [
        "before terminal: sed -i s/as/by/ .profile (only .profile)",
        "before write_file (only new.txt which was missing)",
    ]
    rollback = Rollback(user, session_id=SESSION, enabled=True)
    for number in (1, 2):
        assert rollback.run(f"/rollback {number}").ok
    assert (user / ".profile").read_text() == "as it was\n"
    assert not (user / "new.txt").exists()


def test_every_file_that_a_patch_names_is_captured(
    user: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bridge = Bridge()
    monkeypatch.setattr(bridges, "bridge", bridge)
    monkeypatch.setenv("TERMINAL_CWD", str(user))
    agent = AgentManager(enabled=True)
    bridge.pre_llm_call(session_id=SESSION, conversation_history=[])
    agent.new_turn()
    names = ("updated", "deleted", "moved", "replaced", "crammed")
    for name in names:
        (user / name).write_text("as it was\n")
    patch = (
        "*** Begin Patch\n***  Update  File:  updated \n@@\n-a\n+b\n*** Delete File: deleted\n"
        "*** Move File: moved -> replaced\n***Update File:crammed\n@@\n*** End Patch"
    )
    args = {"mode": "patch", "patch": patch}
    bridge.pre_tool_call("patch", args, SESSION, tool_call_id="call")
    (user / "updated").write_text("by the agent\n")
    (user / "crammed").write_text("by the agent\n")
    (user / "deleted").unlink()
    (user / "moved").write_text("moved\n")
    (user / "moved").replace(user / "replaced")
    bridge.post_tool_call("patch", args, SESSION, tool_call_id="call", status="ok")
    bridge.on_session_end(SESSION)
    rollback = Rollback(user, session_id=SESSION, enabled=True)
    for number in range(1, len(reasons(user)) + 1):
        assert rollback.run(f"/rollback {number}").ok
    assert {(user / name).read_text() for name in names} == {"as it was\n"}


def test_a_later_session_takes_back_what_one_wrote_whose_process_is_gone(user: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from hermes_checkpoints import CheckpointManager\n"
        "home, session = Path.home(), sys.argv[1]\n"
        "manager = CheckpointManager(enabled=True, session_id=session)\n"
        "manager.new_turn()\n"
        "file = home / '.profile'\n"
        "manager.ensure_checkpoint(str(home), 'before write_file', about=[str(file)])\n"
        "file.write_text(session)\n"
        "manager.record_agent_write(str(file), 'write_file')\n"
        "manager.end_turn()\n"
    )
    for session in ("yesterday", "the day before, of the same state"):
        subprocess.run([sys.executable, "-c", program, session], check=True)
        assert len(reasons(user)) == 1
        assert Rollback(user, session_id="today", enabled=True).run("/rollback 1").ok
        assert (user / ".profile").read_text() == "as it was\n"


def test_what_a_session_wrote_that_is_still_there_is_kept(user: Path) -> None:
    theirs = CheckpointManager(enabled=True, session_id="theirs", working_dir=user)
    theirs.new_turn()
    write(theirs, user / ".profile", "by the other session\n")
    reply = Rollback(user, session_id="mine", enabled=True).run("/rollback 1")
    assert not reply.ok
    assert "theirs session changed it" in reply.text
