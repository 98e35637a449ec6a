"""The agent's facade: the names, keys and texts that hosts know, and that it never raises."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from hermes_checkpoints import (
    CheckpointManager,
    Checkpoints,
    format_checkpoint_list,
    store_status,
)
from support import files

KEYS = {
    *("hash", "short_hash", "timestamp", "reason"),
    *("files_changed", "insertions", "deletions"),
}


@pytest.fixture
def manager(home: Path) -> CheckpointManager:
    return CheckpointManager(enabled=True)


def test_defaults_are_those_of_the_contract() -> None:
    manager = CheckpointManager()
    assert manager.enabled is False
    assert manager.max_snapshots == 20
    assert (manager.max_total_size_mb, manager.max_file_size_mb) == (500, 10)


def test_a_limit_that_is_not_given_is_as_configured(home: Path) -> None:
    config = home / "config.yaml"
    manager, given = CheckpointManager(), CheckpointManager(True, 5, 6, 7)
    config.write_text("checkpoints: {max_snapshots: 3, max_total_size_mb: 0, max_file_size_mb: 2}")
    assert (manager.max_snapshots, manager.max_total_size_mb, manager.max_file_size_mb) == (3, 0, 2)
    assert (given.max_snapshots, given.max_total_size_mb, given.max_file_size_mb) == (5, 6, 7)
    given.max_snapshots, given.max_file_size_mb = None, 0
    assert (given.max_snapshots, given.max_file_size_mb) == (3, 0)
    config.write_text("checkpoints: {max_snapshots: 0}")
    assert manager.max_snapshots == 0
    with pytest.raises(AttributeError):
        _ = CheckpointManager.max_snapshots


def test_a_project_is_kept_to_the_configured_limit(home: Path, project: Path) -> None:
    (home / "config.yaml").write_text("checkpoints: {max_snapshots: 2}")
    manager = CheckpointManager(enabled=True)
    for number in range(4):
        (project / "new.txt").write_text(f"{number}\n")
        manager.new_turn()
        assert manager.ensure_checkpoint(str(project))
    assert len(manager.list_checkpoints(str(project))) == 2


def test_disabled_touches_nothing(fresh_home: Path, project: Path, git_processes: Any) -> None:
    manager = CheckpointManager()
    manager.new_turn()
    assert manager.ensure_checkpoint(str(project), "before patch") is False
    assert manager.list_checkpoints(str(project)) == []
    assert store_status()["project_count"] == 0
    assert not fresh_home.exists()
    assert git_processes.count() == 0


def test_disabled_imports_neither_sqlite_nor_sqlalchemy(tmp_path: Path) -> None:
    code = (
        "import sys, hermes_checkpoints as h; m = h.CheckpointManager(); m.new_turn()\n"
        f"assert not m.ensure_checkpoint({str(tmp_path)!r})\n"
        "bad = {'sqlalchemy', 'alembic', 'sqlite3', 'yaml', 'rich', 'argparse'}\n"
        "bad &= set(sys.modules)\n"
        "sys.exit(repr(bad) if bad else 0)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_at_most_one_checkpoint_per_directory_and_turn(
    manager: CheckpointManager, project: Path
) -> None:
    manager.new_turn()
    assert manager.ensure_checkpoint(str(project), "before write_file") is True
    (project / "a").write_text("1\n")
    assert manager.ensure_checkpoint(str(project), "before patch") is False
    link = project.with_name("link")
    link.symlink_to(project)
    assert manager.ensure_checkpoint(str(link), "before patch") is False
    manager.new_turn()
    assert manager.ensure_checkpoint(str(project), "before patch") is True
    manager.new_turn()
    assert manager.ensure_checkpoint(str(project), "before patch") is False  # no change
    assert [c["reason"] for c in manager.list_checkpoints(str(project))] == [
        "before patch",
        "before write_file",
    ]


def test_list_keys_and_order(manager: CheckpointManager, project: Path) -> None:
    manager.ensure_checkpoint(str(project), "one")
    (project / "README.md").write_text("x\ny\n")
    manager.new_turn()
    manager.ensure_checkpoint(str(project), "two")
    newest, oldest = manager.list_checkpoints(str(project))
    assert set(newest) >= KEYS
    assert (newest["reason"], oldest["reason"]) == ("two", "one")
    assert newest["hash"].startswith(newest["short_hash"])
    assert len(newest["hash"]) == 40
    assert datetime.fromisoformat(newest["timestamp"]).tzinfo is not None
    assert (newest["files_changed"], newest["insertions"], newest["deletions"]) == (1, 2, 3)
    assert (oldest["files_changed"], oldest["insertions"], oldest["deletions"]) == (0, 0, 0)


def test_the_list_is_bounded_by_max_snapshots(home: Path, project: Path) -> None:
    manager = CheckpointManager(enabled=True, max_snapshots=2)
    for step in range(4):
        (project / "f").write_text(f"{step}\n")
        manager.new_turn()
        assert manager.ensure_checkpoint(str(project), f"step {step}")
    assert [c["reason"] for c in manager.list_checkpoints(str(project))] == ["step 3", "step 2"]


def test_diff_has_stat_and_text_and_changes_nothing(
    manager: CheckpointManager, project: Path, git_processes: Any
) -> None:
    manager.ensure_checkpoint(str(project), "one")
    (project / "test.py").write_text("print('new')\n")
    (project / "README.md").write_text("# Changed\n")
    before = files(project)
    store = files(Path(store_status()["base"]) / "store")
    result = manager.diff(str(project), manager.list_checkpoints(str(project))[0]["hash"])
    assert result["success"] is True
    assert "2 files changed, 2 insertions(+), 3 deletions(-)" in result["stat"]
    assert "+print('new')" in result["diff"]
    assert files(project) == before
    after = files(Path(store_status()["base"]) / "store")
    assert after == store
    assert manager.ensure_checkpoint(str(project), "x") is False  # once a turn


def test_restore_keys(manager: CheckpointManager, project: Path) -> None:
    before = files(project)
    manager.ensure_checkpoint(str(project), "before patch")
    (project / "src" / "app.py").write_text("broken\n")
    (project / "README.md").unlink()
    (project / "new.txt").write_text("kept: overlay deletes nothing\n")
    commit = manager.list_checkpoints(str(project))[0]["hash"]
    result = manager.restore(str(project), commit)
    assert result["success"] is True
    assert result["restored_to"] == commit[:8]
    assert result["reason"] == "before patch"
    assert result["directory"] == str(project)
    assert "file" not in result
    now = files(project)
    assert now.pop("new.txt")
    assert now == before
    assert manager.list_checkpoints(str(project))[0]["reason"].startswith("pre-rollback snapshot")
    undone = manager.restore(str(project), result["safety"])
    assert undone["success"]
    assert (project / "src" / "app.py").read_text() == "broken\n"


def test_restore_of_one_file(manager: CheckpointManager, project: Path) -> None:
    manager.ensure_checkpoint(str(project), "one")
    (project / "src" / "app.py").write_text("broken\n")
    (project / "README.md").write_text("edited\n")
    commit = manager.list_checkpoints(str(project))[0]["hash"]
    result = manager.restore(str(project), commit, "src/app.py")
    assert (result["success"], result["file"]) == (True, "src/app.py")
    assert (project / "src" / "app.py").read_text().startswith("def main")
    assert (project / "README.md").read_text() == "edited\n"


@pytest.mark.campaign(beyond=4)
@pytest.mark.parametrize(
    ("commit", "path", "words"),
    [
        ("--patch", None, "Invalid commit hash (must not start with '-'): '--patch'"),
        ("xyz!", None, "Invalid commit hash (expected 4-64 hex characters): 'xyz!'"),
        ("", None, "Empty commit hash"),
        ("deadbeef", None, "Checkpoint 'deadbeef' not found"),
        (None, "/etc/passwd", "must be relative, got absolute path: '/etc/passwd'"),
        (None, "../x", "escapes the working directory via traversal: '../x'"),
        (None, ".git/config", ".git"),
        (None, "", "the path is empty"),
        ("99", None, "no number 99"),
        (None, "nothing", "Restore failed: "),
    ],
)
def test_wrong_arguments_give_an_error_and_change_nothing(
    manager: CheckpointManager, project: Path, commit: str | None, path: str | None, words: str
) -> None:
    manager.ensure_checkpoint(str(project), "one")
    (project / "README.md").write_text("edited\n")
    before = files(project)
    if commit is None:
        commit = str(manager.list_checkpoints(str(project))[0]["hash"])
    result = manager.restore(str(project), commit, path)
    assert result["success"] is False
    assert words in result["error"]
    assert files(project) == before
    assert len(manager.list_checkpoints(str(project))) == 1


def test_no_base_and_no_checkpoints(manager: CheckpointManager, project: Path) -> None:
    for result in (manager.diff(str(project), "abcd"), manager.restore(str(project), "abcd")):
        assert result["success"] is False
        assert "No checkpoints exist for this directory" in result["error"]
    manager.ensure_checkpoint(str(project / "src"), "one")
    result = manager.restore(str(project), "abcd")
    assert "No checkpoints exist for this directory" in result["error"]


def test_failures_are_silent_to_the_host_and_loud_in_status(
    manager: CheckpointManager, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert manager.ensure_checkpoint(str(tmp_path / "missing"), "x") is False
    assert manager.ensure_checkpoint("\0", "x") is False
    (tmp_path / "empty").mkdir()
    with monkeypatch.context() as patch:
        patch.setenv("PATH", str(tmp_path / "empty"))
        for _ in range(3):
            assert manager.ensure_checkpoint(str(project), "x") is False
    with Checkpoints.open() as checkpoints:
        runs = {run.working_dir: run for run in checkpoints.status().failures}
    assert runs[str(project)].count == 3
    assert "git was not found" in runs[str(project)].last_error
    # The turn is not used up by a failure.
    assert manager.ensure_checkpoint(str(project), "x") is True
    with Checkpoints.open() as checkpoints:
        assert str(project) not in {run.working_dir for run in checkpoints.status().failures}


def test_a_read_only_base_is_silent_to_the_host(as_user: Any) -> None:
    def attempt(folder: str) -> tuple[bool, list[Any], str]:
        home, work = Path(folder) / "home", Path(folder) / "work"
        work.mkdir()
        (work / "f").write_text("f")
        home.mkdir(mode=0o500)
        manager = CheckpointManager(enabled=True, home=home)
        taken = manager.ensure_checkpoint(str(work), "x")
        try:
            Checkpoints.open(home)
        except Exception as error:  # noqa: BLE001 - the answer is looked at below
            return taken, manager.list_checkpoints(str(work)), repr(error)
        return taken, [], ""

    taken, listed, error = as_user(attempt, str(as_user.tmp))
    assert (taken, listed) == (False, [])
    assert "BaseUnwritable" in error
    assert "another home" in error


def test_two_homes_stay_apart(tmp_path: Path, project: Path) -> None:
    one = CheckpointManager(enabled=True, home=tmp_path / "one")
    two = CheckpointManager(enabled=True, home=tmp_path / "two")
    assert one.ensure_checkpoint(str(project), "one")
    assert two.ensure_checkpoint(str(project), "two")
    assert [c["reason"] for c in one.list_checkpoints(str(project))] == ["one"]
    assert [c["reason"] for c in two.list_checkpoints(str(project))] == ["two"]


def test_session_and_turn_are_recorded(home: Path, project: Path) -> None:
    manager = CheckpointManager(enabled=True, session_id="session-7")
    manager.new_turn()
    manager.new_turn()
    manager.ensure_checkpoint(str(project), "one")
    with Checkpoints.open(home) as checkpoints:
        newest = checkpoints.project(project).list()[0]
        assert (newest.session_id, newest.turn) == ("session-7", 2)


def test_the_size_cap_of_the_manager_holds(home: Path, project: Path) -> None:
    (project / "big.bin").write_bytes(b"x" * (1024 * 1024 + 1))
    (project / "fits.bin").write_bytes(b"x" * 1024 * 1024)
    manager = CheckpointManager(enabled=True, max_file_size_mb=1)
    assert manager.ensure_checkpoint(str(project), "one")
    with Checkpoints.open(home) as checkpoints:
        newest = checkpoints.project(project).list()[0]
        assert [s.path for s in checkpoints.project(newest.working_dir).skipped(newest)] == [
            "big.bin"
        ]
    assert "[1 not captured]" in format_checkpoint_list(
        manager.list_checkpoints(str(project)), str(project)
    )


def test_working_dir_for_path(manager: CheckpointManager, project: Path, tmp_path: Path) -> None:
    assert manager.get_working_dir_for_path(str(project / "src" / "app.py")) == str(project)
    assert manager.get_working_dir_for_path(str(project / "src" / "new.py")) == str(project)
    plain = tmp_path / "plain" / "deep"
    plain.mkdir(parents=True)
    assert manager.get_working_dir_for_path(str(plain / "x.txt")) == str(plain)
    assert manager.get_working_dir_for_path(str(plain)) == str(plain)


def test_a_marker_in_the_home_directory_makes_no_project_of_it(
    manager: CheckpointManager, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    user = tmp_path / "someone"
    (user / "notes").mkdir(parents=True)
    (user / ".git").mkdir()
    monkeypatch.setenv("HOME", str(user))
    assert manager.get_working_dir_for_path(str(user / "notes" / "a.txt")) == str(user / "notes")


def test_format_checkpoint_list_to_the_letter() -> None:
    listed = [
        {
            "hash": "4270a8c" + "0" * 33,
            "short_hash": "4270a8c",
            "timestamp": "2026-03-16T04:36:12+01:00",
            "reason": "before patch",
            "files_changed": 1,
            "insertions": 1,
            "deletions": 0,
        },
        {
            "hash": "eaf4c1f" + "0" * 33,
            "short_hash": "eaf4c1f",
            "timestamp": "2026-03-16T04:35:00-05:00",
            "reason": "before write_file",
            "files_changed": 0,
            "insertions": 0,
            "deletions": 0,
        },
        {
            "hash": "b3f9d2e" + "0" * 33,
            "short_hash": "b3f9d2e",
            "timestamp": "yesterday",
            "reason": "before terminal: sed -i s/old/new/ config.py",
            "files_changed": 2,
            "insertions": 1,
            "deletions": 1,
        },
    ]
    assert format_checkpoint_list(listed, "/path/to/project") == (
        "📸 Checkpoints for /path/to/project:\n"
        "\n"
        "  1. 4270a8c  2026-03-16 04:36  before patch  (1 file, +1/-0)\n"
        "  2. eaf4c1f  2026-03-16 04:35  before write_file\n"
        "  3. b3f9d2e  yesterday  before terminal: sed -i s/old/new/ config.py"
        "  (2 files, +1/-1)\n"
        "\n"
        "  /rollback <N>             restore to checkpoint N\n"
        "  /rollback diff <N>        preview changes since checkpoint N\n"
        "  /rollback <N> <file>      restore a single file from checkpoint N"
    )
    assert format_checkpoint_list([], "/x") == "No checkpoints found for /x"


def test_store_status_keys(manager: CheckpointManager, project: Path, home: Path) -> None:
    manager.ensure_checkpoint(str(project), "one")
    gone = project.with_name("gone")
    shutil.copytree(project, gone)
    manager.ensure_checkpoint(str(gone), "one")
    shutil.rmtree(gone)
    archive = home / "checkpoints" / "legacy-20260101-000000"
    archive.mkdir()
    (archive / "f").write_bytes(b"x" * 10_000)
    status = store_status(home / "checkpoints")
    assert {**status, "total_size_bytes": 0} == {**store_status(), "total_size_bytes": 0}
    assert status["base"] == str(home / "checkpoints")
    assert status["total_size_bytes"] >= status["store_size_bytes"] + status["legacy_size_bytes"]
    assert status["legacy_size_bytes"] >= 10_000
    assert status["project_count"] == 2
    rows = {row["workdir"]: row for row in status["projects"]}
    assert rows[str(project)]["exists"] is True
    assert rows[str(project)]["commits"] == 1
    assert rows[str(project)]["last_touch"] == pytest.approx(datetime.now(UTC).timestamp(), abs=60)
    assert (rows[str(gone)]["exists"], rows[str(gone)]["state"]) == (False, "orphan")
    assert [a["name"] for a in status["legacy_archives"]] == [archive.name]
    assert set(status["legacy_archives"][0]) == {"name", "size_bytes", "mtime"}


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_forked_children_take_checkpoints_of_their_own(
    manager: CheckpointManager, project: Path
) -> None:
    manager.ensure_checkpoint(str(project), "parent")
    children = []
    for n in range(2):
        work = project.with_name(f"child{n}")
        shutil.copytree(project, work)
        child = os.fork()
        if child == 0:
            os._exit(0 if manager.ensure_checkpoint(str(work), "child") else 1)
        children.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    assert children == [0, 0]
    assert store_status()["project_count"] == 3
