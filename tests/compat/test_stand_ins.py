"""Where the stand-ins work, and the names that only the newest source of the agent has."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from hermes_checkpoints import Checkpoints
from hermes_checkpoints.compat import (
    checkpoint_maintenance,
    checkpoint_manager,
    checkpoint_pruning,
    command_line,
)
from hermes_checkpoints.compat.checkpoint_manager import CheckpointManager

AGENT_ENV = os.environ.get("HERMES_AGENT_ENV")  # no test sees variables of this beginning


@pytest.fixture(autouse=True)
def _the_base_is_not_kept_assigned() -> Iterator[None]:
    before = checkpoint_manager.CHECKPOINT_BASE
    yield
    checkpoint_manager.CHECKPOINT_BASE = before


def profile(path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let the agent work in the home of a profile."""
    constants = types.SimpleNamespace(get_hermes_home=lambda: path)
    monkeypatch.setitem(sys.modules, "hermes_constants", constants)
    return path / "checkpoints"


@pytest.mark.slow
def test_who_assigns_the_base_has_everything_work_there(
    fresh_home: Path, project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    base = tmp_path / "elsewhere" / "any name"
    manager = CheckpointManager(enabled=True)  # also one that was made before
    checkpoint_manager.CHECKPOINT_BASE = base
    assert manager.ensure_checkpoint(str(project), "there")
    for module in (checkpoint_manager, checkpoint_maintenance):
        status = module.store_status()
        assert (status["base"], status["project_count"]) == (str(base), 1)
    assert checkpoint_manager.prune_checkpoints()["scanned"] == 1
    assert checkpoint_manager._store_path() == base / "store"
    parser = argparse.ArgumentParser()
    command_line.register_cli(parser)
    args = parser.parse_args(["status"])
    assert args.func(args) == 0
    assert capsys.readouterr().out.startswith(f"Checkpoint base: {base}\n")
    assert checkpoint_manager.clear_all()["deleted"]
    assert not base.exists()
    assert not fresh_home.exists()


def test_after_a_monkeypatch_the_base_follows_the_home_again(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.MonkeyPatch.context() as first, pytest.MonkeyPatch.context() as second:
        first.setattr(checkpoint_manager, "CHECKPOINT_BASE", tmp_path / "a")
        second.setattr(checkpoint_manager, "CHECKPOINT_BASE", tmp_path / "b")
        assert tmp_path / "b" == checkpoint_manager.CHECKPOINT_BASE
    assert home / "checkpoints" == checkpoint_manager.CHECKPOINT_BASE
    there = profile(home / "profiles" / "work", monkeypatch)
    assert there == checkpoint_manager.CHECKPOINT_BASE


def test_mock_can_patch_the_base(home: Path, tmp_path: Path) -> None:
    with mock.patch.object(checkpoint_manager, "CHECKPOINT_BASE", tmp_path / "a"):
        assert checkpoint_manager.store_status()["base"] == str(tmp_path / "a")
    assert home / "checkpoints" == checkpoint_manager.CHECKPOINT_BASE


def test_a_base_that_is_named_as_the_present_one_stays_when_the_profile_changes(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkpoint_manager.CHECKPOINT_BASE = Path(str(home / "checkpoints"))
    profile(home / "profiles" / "work", monkeypatch)
    assert home / "checkpoints" == checkpoint_manager.CHECKPOINT_BASE


@pytest.mark.parametrize("wrong", [None, 7])
def test_what_is_no_path_cannot_be_assigned(wrong: Any, home: Path) -> None:
    with pytest.raises(TypeError):
        checkpoint_manager.CHECKPOINT_BASE = wrong
    assert home / "checkpoints" == checkpoint_manager.CHECKPOINT_BASE


def test_the_verbs_of_a_profile_are_about_its_base(
    home: Path, project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    base = profile(home / "profiles" / "work", monkeypatch)
    CheckpointManager(enabled=True).ensure_checkpoint(str(project))
    assert command_line.cmd_status(argparse.Namespace(limit=20)) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"Checkpoint base: {base}"
    assert "Projects:        1" in lines
    args = argparse.Namespace(force=True)
    assert command_line.cmd_clear(args) == 0
    assert not base.exists()
    assert (home / "checkpoints" / "catalog.db").exists()


def orphans(folder: Path, *names: str) -> dict[str, str]:
    """Take a checkpoint of new projects whose directories are gone then; return their hashes."""
    manager = CheckpointManager(enabled=True)
    for name in names:
        (folder / name).mkdir(parents=True)
        (folder / name / "file").write_text(name)
        assert manager.ensure_checkpoint(str(folder / name))
        shutil.rmtree(folder / name)
    found = checkpoint_manager.store_status()["projects"]
    return {Path(one["workdir"]).name: one["hash"] for one in found}


@pytest.mark.slow
def test_only_orphans_that_somebody_saw_are_dropped(
    home: Path, project: Path, tmp_path: Path
) -> None:
    known = orphans(tmp_path / "gone", "a", "b", "c")

    def left() -> set[str]:
        found = checkpoint_manager.store_status()["projects"]
        return {Path(one["workdir"]).name for one in found}

    (tmp_path / "gone" / "neighbour").touch()
    prune = checkpoint_maintenance.prune_checkpoints
    assert prune(orphan_allowlist=[])["deleted_orphan"] == 0
    assert left() == {"a", "b", "c"}
    assert prune(orphan_allowlist={known["a"]})["deleted_orphan"] == 1
    by_path = str(home / "checkpoints" / known["b"])  # as `pre_v2_projects` named it
    assert prune(0, True, None, 0, {by_path})["deleted_orphan"] == 1
    assert left() == {"c"}
    assert prune(delete_orphans=False, orphan_allowlist={known["c"]})["deleted_orphan"] == 0
    assert prune()["deleted_orphan"] == 1
    assert left() == set()


def test_one_text_is_no_list_of_orphans(home: Path, project: Path) -> None:
    CheckpointManager(enabled=True).ensure_checkpoint(str(project))
    done = checkpoint_manager.prune_checkpoints(orphan_allowlist="0123456789abcdef")
    assert done["errors"] == 1
    assert "a set of hashes or paths, not the text" in done["messages"][0]


@pytest.mark.slow
def test_a_file_to_restore_is_named_in_any_way_that_stays_inside(home: Path, project: Path) -> None:
    manager = CheckpointManager(enabled=True)
    (project / "link").symlink_to("/etc/hostname")
    (project / "out").symlink_to("/etc")
    manager.ensure_checkpoint(str(project))
    target = manager.list_checkpoints(str(project))[0]["hash"]

    def restored(name: Any) -> str:
        (project / "README.md").write_text("broken\n")
        (project / "link").unlink(missing_ok=True)
        answer = manager.restore(str(project), target, name)
        return "" if answer["success"] else str(answer["error"])

    for name in ("README.md", "src/../README.md", "./README.md", Path("README.md")):
        assert restored(name) == ""
        assert (project / "README.md").read_text().startswith("# Sample")
    assert restored("link") == "", "a link is a path of the project, wherever it leads"
    assert os.readlink(project / "link") == "/etc/hostname"
    for name in ("out/passwd", "../project/README.md", "src/../../project/README.md"):
        assert "escapes the working directory via traversal" in restored(name)
    for wrong in (b"README.md", 7):
        assert restored(wrong)
        assert (project / "README.md").read_text() == "broken\n"


@pytest.mark.slow
def test_an_orphan_that_nobody_saw_loses_nothing_to_the_other_rules(
    home: Path, project: Path
) -> None:
    (home / "config.yaml").write_text("checkpoints: {max_snapshots: 0}\n")
    manager = CheckpointManager(enabled=True)
    for number in range(4):
        (project / "README.md").write_text(str(number))
        manager.new_turn()
        assert manager.ensure_checkpoint(str(project))
    (project.parent / "neighbour").touch()
    shutil.rmtree(project)
    (home / "config.yaml").write_text("checkpoints: {max_snapshots: 1}\n")
    done = checkpoint_manager.prune_checkpoints(orphan_allowlist=set(), max_total_size_mb=1)
    assert (done["deleted_orphan"], done["deleted_over_limit"]) == (0, 0)
    assert checkpoint_manager.store_status()["projects"][0]["commits"] == 4


def test_repositories_of_version_1_that_came_later_are_listed(home: Path, project: Path) -> None:
    with Checkpoints.open():
        pass
    base = home / "checkpoints"
    for name, workdir in (("a" * 16, str(project)), ("b" * 16, "/no/such"), ("c" * 16, "")):
        (base / name).mkdir()
        (base / name / "HEAD").write_text("ref: refs/heads/main\n")
        if workdir:
            (base / name / "HERMES_WORKDIR").write_text(f"{workdir}\n")
    (base / "something else").mkdir()
    from hermes_checkpoints.base import kept

    kept.close()
    found = checkpoint_manager.store_status()["pre_v2_projects"]
    known = {Path(one["path"]).name: (one["workdir"], one["exists"]) for one in found}
    here = {path.name for path in base.iterdir() if len(path.name) == 16}
    assert set(known) == here, "what an opening imported, or archived, is not listed any more"
    assert all(
        known[name] in {(str(project), True), ("/no/such", False), (None, False)} for name in here
    )


@pytest.mark.slow
def test_whoever_holds_the_lock_keeps_all_others_out(
    home: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HERMES_CHECKPOINT_TIMEOUT", "10")
    CheckpointManager(enabled=True).ensure_checkpoint(str(project))
    base = home / "checkpoints"
    with checkpoint_pruning.store_lock(base, repair_refs=False):
        assert checkpoint_pruning.store_lock_path(base).is_file()
        with (
            pytest.raises(checkpoint_pruning.PruneError, match="checkpoint store is busy"),
            checkpoint_pruning.store_lock(base),
        ):
            pytest.fail("it was held")
        done = checkpoint_manager.prune_checkpoints()
        assert done["errors"] == 1
        assert checkpoint_manager.maybe_auto_prune_checkpoints()["skipped"]
    assert checkpoint_manager.prune_checkpoints()["errors"] == 0


def test_what_is_raised_under_the_lock_is_not_taken_for_a_busy_store(tmp_path: Path) -> None:
    base = tmp_path / "no base yet"
    with pytest.raises(KeyError), checkpoint_pruning.store_lock(base):
        raise KeyError("of the caller")
    checkpoint_manager.CHECKPOINT_BASE = base
    assert checkpoint_manager.store_status()["project_count"] == 0
    assert checkpoint_manager.clear_all()["deleted"] is False, "a folder with locks only is no base"
    (tmp_path / "file").touch()
    with (
        pytest.raises(checkpoint_pruning.PruneError, match="cannot be created"),
        checkpoint_pruning.store_lock(tmp_path / "file"),
    ):
        pytest.fail("it is no folder")


def test_a_terminal_elsewhere_is_told_in_the_words_of_the_agent(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    manager = CheckpointManager(enabled=True)
    assert manager.unsupported_backend_reason() is None
    monkeypatch.setenv("TERMINAL_ENV", "Docker")
    said = manager.unsupported_backend_reason()
    assert said is not None
    assert said.startswith("Checkpoints are not taken for terminal.backend=docker: ")
    paths = types.SimpleNamespace(container_backend_for_task={"mine": "modal"}.get)
    monkeypatch.setitem(sys.modules, "tools.file_tools_paths", paths)
    assert manager.unsupported_backend_reason() is None, "the agent itself knows better"
    assert "backend=modal: " in (manager.unsupported_backend_reason("mine") or "")


def test_maintenance_as_configured_and_what_is_to_be_told(home: Path, project: Path) -> None:
    CheckpointManager(enabled=True).ensure_checkpoint(str(project))
    (home / "config.yaml").write_text("checkpoints: {enabled: true, auto_prune: false}\n")
    assert checkpoint_maintenance.auto_prune_from_config() == {"skipped": True}
    assert checkpoint_maintenance.checkpoint_footprint_notice() is None
    (home / "config.yaml").write_text("checkpoints: {enabled: true, auto_prune: true}\n")
    assert checkpoint_maintenance.auto_prune_from_config()["result"]["scanned"] == 1
    assert checkpoint_maintenance.auto_prune_from_config() == {"skipped": True}


def test_a_file_too_large_for_a_checkpoint_is_named_by_a_safe_restore(
    home: Path, project: Path
) -> None:
    manager = CheckpointManager(enabled=True, max_file_size_mb=1)
    large = project / "large.bin"
    large.write_bytes(b"o" * 1_100_000)
    (project / "larger.bin").write_bytes(b"o" * 1_200_000)
    manager.ensure_checkpoint(str(project))
    large.write_bytes(b"a" * 1_100_000)
    (project / "larger.bin").unlink()
    (project / "README.md").write_text("agent\n")
    target = manager.list_checkpoints(str(project))[0]["hash"]
    done = manager.restore(str(project), target, safe=True)
    assert (done["success"], done["restored_files"]) == (True, ["README.md"])
    assert done["skipped_oversize"] == ["large.bin"]
    assert "skipped_oversize" not in manager.restore(str(project), target)


@pytest.mark.agent
def test_in_the_agents_console_a_prune_leaves_the_next_line_to_the_console(
    home: Path, project: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    environment = Path(AGENT_ENV) if AGENT_ENV else tmp_path_factory.mktemp("agent") / "env"
    if not AGENT_ENV:
        checkout = str(Path(__file__).parents[2])
        subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
        pip = [str(environment / "bin" / "pip"), "install", "-q", "hermes-agent==0.19.0", checkout]
        subprocess.run(pip, check=True)
    (home / "config.yaml").write_text("checkpoints: {max_snapshots: 0}\n")
    done = subprocess.run(
        [str(environment / "bin" / "python"), str(Path(__file__).with_name("drive_console.py"))],
        cwd=project,
        capture_output=True,
        text=True,
        check=True,
    )
    answer = json.loads(done.stdout.rstrip("\n").rpartition("\n")[2])
    assert (answer["code"], answer["wrong"], answer["rest"]) == (0, "", "not read\n")
    assert "Pruning checkpoint store…" in answer["said"]
    assert "Checkpoint base: " in answer["said"], "the line behind the prune was run"
    assert answer["left"] == ["step 2", "step 1", "step 0"]
