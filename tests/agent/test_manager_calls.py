"""Calls of later hosts, shell commands, and where a path belongs."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path
from typing import Any

import pytest

from hermes_checkpoints import CheckpointManager, Checkpoints
from hermes_checkpoints.base.projects import known_project, project_root


@pytest.fixture
def manager(fresh_home: Path) -> CheckpointManager:
    return CheckpointManager(enabled=True, session_id="s1")


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def test_the_place_in_the_conversation_is_recorded(
    manager: CheckpointManager, project: Path
) -> None:
    talk = [{"role": "system"}, user("one"), {"role": "assistant"}, user("two")]
    manager.new_turn(talk)
    manager.ensure_checkpoint(str(project))
    manager.new_turn()
    (project / "x").write_text("x")
    manager.ensure_checkpoint(str(project), message_count=9)
    with Checkpoints.open() as checkpoints:
        found = checkpoints.project(project).list()
    assert [(c.session_id, c.turn, c.message_count) for c in found] == [
        ("s1", 3, 9),
        ("s1", 2, 4),
    ]


def test_list_all_checkpoints(manager: CheckpointManager, project: Path, tmp_path: Path) -> None:
    assert manager.list_all_checkpoints() == []
    other = tmp_path / "other"
    other.mkdir()
    (other / "f").write_text("1")
    manager.ensure_checkpoint(str(project), "one")
    manager.ensure_checkpoint(str(other), "two")
    manager.new_turn()
    (project / "x").write_text("x")
    manager.ensure_checkpoint(str(project), "three")
    found = manager.list_all_checkpoints()
    assert [(c["workdir"], c["reason"]) for c in found] == [
        (str(project), "three"),
        (str(other), "two"),
        (str(project), "one"),
    ]
    assert {**found[0], "workdir": None} == {
        **manager.list_checkpoints(str(project))[0],
        "workdir": None,
    }
    manager.max_snapshots = 1
    assert [c["reason"] for c in manager.list_all_checkpoints()] == ["three", "two"]


def test_session_diff_begins_with_the_session(manager: CheckpointManager, project: Path) -> None:
    nothing = {"success": True, "stat": "", "diff": "", "empty": True}
    assert manager.session_diff(str(project)) == nothing
    earlier = CheckpointManager(enabled=True, session_id="s0")
    earlier.ensure_checkpoint(str(project))
    (project / "earlier.txt").write_text("earlier\n")
    assert manager.session_diff(str(project)) == nothing
    manager.new_turn()
    manager.ensure_checkpoint(str(project))
    baseline = manager.list_checkpoints(str(project))[0]["hash"]
    unchanged = manager.session_diff(str(project))
    assert (unchanged["empty"], unchanged["baseline"]) == (True, baseline)
    (project / "README.md").write_text("one\n")
    manager.new_turn()
    manager.ensure_checkpoint(str(project))
    (project / "later.txt").write_text("later\n")
    diff = manager.session_diff(str(project))
    assert "+one" in diff["diff"]
    assert "+later" in diff["diff"]
    assert "earlier" not in diff["diff"]
    assert "2 files changed" in diff["stat"]
    assert "empty" not in diff
    whole = CheckpointManager(enabled=True).session_diff(str(project))
    assert "earlier.txt" in whole["diff"]


def test_a_safe_restore_does_what_its_plan_says(manager: CheckpointManager, project: Path) -> None:
    manager.new_turn()
    manager.ensure_checkpoint(str(project), "before write_file")
    (project / "src/app.py").write_text("agent\n")
    manager.record_agent_write(str(project / "src/app.py"), "write_file")
    (project / "made.py").write_text("agent\n")
    manager.end_turn()
    (project / "README.md").write_text("mine\n")
    target = manager.list_checkpoints(str(project))[0]["hash"]
    plan = manager.safe_restore_plan(str(project), target)
    assert plan == {
        "success": True,
        "restore": ["src/app.py", "made.py"],
        "skipped": ["README.md"],
    }
    done = manager.restore(str(project), target, None, True)
    assert done["success"]
    assert sorted(done["restored_files"]) == sorted(plan["restore"])
    assert done["deleted_files"] == ["made.py"]
    assert done["skipped_user_edits"] == ["README.md"]
    assert (project / "README.md").read_text() == "mine\n"
    assert manager.safe_restore_plan(str(project), "zzz")["success"] is False


def test_every_command_has_its_checkpoint_by_default(
    manager: CheckpointManager, project: Path
) -> None:
    assert manager.ensure_before_command("./build.sh", str(project))
    assert not manager.ensure_before_command("rm x", str(project)), "once in a turn"
    assert manager.list_checkpoints(str(project))[0]["reason"] == "before terminal: ./build.sh"


def test_destructive_only(manager: CheckpointManager, fresh_home: Path, project: Path) -> None:
    fresh_home.mkdir()
    (fresh_home / "config.yaml").write_text("checkpoints: {trigger: destructive}\n")
    for command in ("ls", "./build.sh", "echo 'rm x'", "grep '>' f"):
        assert not manager.ensure_before_command(command, str(project))
    assert not (fresh_home / "checkpoints").exists()
    assert manager.ensure_before_command("rm x", str(project))


def test_another_project_that_a_command_names_is_saved_too(
    manager: CheckpointManager, project: Path, tmp_path: Path
) -> None:
    other, plain = tmp_path / "other", tmp_path / "plain"
    for folder in (other, plain):
        folder.mkdir()
        (folder / "f").write_text("1")
    (other / "go.mod").write_text("module x\n")
    assert manager.ensure_before_command("rm ../other/f ../plain/f src/app.py", str(project))
    assert len(manager.list_checkpoints(str(project))) == 1
    assert len(manager.list_checkpoints(str(other))) == 1
    assert manager.list_checkpoints(str(plain)) == []


def test_the_directory_of_the_session_counts(
    home: Path, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    manager = CheckpointManager(enabled=True, working_dir=project)
    assert manager.get_working_dir_for_path("src/app.py") == str(project)
    assert manager.ensure_before_command("rm x")
    assert manager.list_checkpoints(".")[0]["reason"] == "before terminal: rm x"
    (project / "src/app.py").write_text("agent\n")
    manager.record_agent_write("src/app.py", "patch")
    manager.end_turn()
    with Checkpoints.open() as checkpoints:
        assert checkpoints.project(project).who("src/app.py")[0].tool == "patch"
    assert manager.restore(".", manager.list_checkpoints(".")[0]["hash"])["success"]
    assert (project / "src/app.py").read_text() != "agent\n"


def test_a_registered_project_comes_before_a_marker(
    manager: CheckpointManager, project: Path
) -> None:
    inner = project / "packages/a"
    inner.mkdir(parents=True)
    (inner / "package.json").write_text("{}")
    file = str(inner / "index.js")
    assert manager.get_working_dir_for_path(file) == str(inner)
    manager.ensure_checkpoint(str(project))
    manager.new_turn()
    assert manager.get_working_dir_for_path(file) == str(project)
    (inner / ".git").mkdir()
    assert manager.get_working_dir_for_path(file) == str(inner), "a repository of its own"


def test_known_projects(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    user_home = tmp_path / "home"
    deep = user_home / "a/b/c"
    deep.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(user_home))
    (user_home / "Makefile").write_text("")
    assert known_project(deep) is None
    assert project_root(deep) == deep
    assert known_project(deep, {str(user_home), str(tmp_path)}) is None
    assert known_project(deep / "missing.py", {str(user_home / "a")}) == user_home / "a"
    (user_home / "a/b/go.mod").write_text("")
    assert known_project(deep) == user_home / "a/b"
    assert known_project(deep, {str(user_home / "a")}) == user_home / "a"


def test_disabled_calls_touch_nothing(fresh_home: Path, project: Path, git_processes: Any) -> None:
    manager = CheckpointManager(enabled=False)
    manager.new_turn([user("x")])
    assert not manager.ensure_before_command("rm -rf .", str(project))
    manager.record_agent_write(str(project / "README.md"))
    assert manager.list_all_checkpoints() == []
    assert manager.session_diff(str(project))["empty"]
    assert manager.get_working_dir_for_path(str(project / "src/app.py")) == str(project)
    manager.end_turn()
    assert not fresh_home.exists()
    assert git_processes.count() == 0


def test_no_thread_and_no_signal_handler(manager: CheckpointManager, project: Path) -> None:
    def handlers() -> list[Any]:
        return [signal.getsignal(number) for number in signal.valid_signals()]

    before = (threading.active_count(), handlers(), dict(os.environ))
    manager.new_turn()
    manager.ensure_before_command("rm x", str(project))
    manager.restore(str(project), manager.list_checkpoints(str(project))[0]["hash"], safe=True)
    assert (threading.active_count(), handlers(), dict(os.environ)) == before
