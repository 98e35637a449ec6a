"""A working directory that was deleted is made again by a restore, and the plan says so."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from hermes_checkpoints import BadDirectory, Checkpoints, Taken, Unchanged
from hermes_checkpoints.agent.rollback import Rollback
from hermes_checkpoints.model import Kind
from support import Run, everything


@pytest.fixture
def place(home: Path, project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Take a checkpoint of a project with an odd mode, and delete it; return where it was."""
    monkeypatch.setenv("HERMES_HOME", str(home))
    (home / "config.yaml").write_text("checkpoints: true\n")
    monkeypatch.chdir(project.parent)
    (project / "src").chmod(0o750)
    with Checkpoints.open(home) as checkpoints:
        assert isinstance(checkpoints.project(project).take(), Taken)
    shutil.copytree(project, project.parent / "as-it-was", symlinks=True)
    shutil.rmtree(project)
    return project


def _same(place: Path) -> bool:
    return everything(place) == everything(place.parent / "as-it-was")


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("mode", [None, "keep-edits", "overlay", "exact"])
def test_by_the_library_a_directory_that_is_gone_is_made_again(
    home: Path, place: Path, mode: str | None
) -> None:
    with Checkpoints.open(home) as checkpoints:
        project = checkpoints.project(place)
        plan = project.plan_restore("latest", mode=mode)
        assert plan.missing
        assert plan.working_dir == place
        assert not place.exists(), "a plan changes nothing"
        restored = project.restore("latest", plan=plan)
        assert restored.complete
        assert _same(place)
        assert place.stat().st_mode & 0o777 == 0o700
        assert not project.plan_restore("latest").missing


def test_without_a_plan_and_for_one_path_it_is_made_again(home: Path, place: Path) -> None:
    with Checkpoints.open(home) as checkpoints:
        checkpoints.project(place).restore("latest", "README.md")
    assert [entry.name for entry in place.iterdir()] == ["README.md"]


def test_by_the_command_line_it_is_made_again_and_undo_leaves_it_empty(
    run: Run, place: Path
) -> None:
    said = run("restore", "latest", "--dir", place, "--dry-run")
    assert f"{place} is not there and is made" in said.out
    assert not place.exists()
    assert run("restore", "latest", "--dir", place, "-f").code == 0
    assert _same(place)
    (place / "mine.txt").write_text("made since")
    assert run("undo", "--dir", place, "-f").code == 0
    assert [entry.name for entry in place.iterdir()] == ["mine.txt"]
    assert run("redo", "--dir", place, "-f").code == 0
    (place / "mine.txt").unlink()
    assert _same(place)


def test_by_rollback_it_is_made_again(place: Path) -> None:
    assert Rollback(place, enabled=True).run("1").ok
    assert _same(place)


def test_what_another_session_changed_comes_back_too(place: Path, home: Path) -> None:
    shutil.copytree(place.parent / "as-it-was", place)
    with Checkpoints.open(home) as checkpoints:
        project = checkpoints.project(place)
        for session in ("mine", "theirs"):
            project.take(kind=Kind.AUTO, session_id=session)
        (place / "README.md").write_text("by the other session\n")
        project.record_agent_write("README.md", session_id="theirs", tool="patch")
        for session in ("mine", "theirs"):
            project.end_turn(session_id=session)
    shutil.rmtree(place)
    reply = Rollback(place, session_id="mine", enabled=True).run("1")
    assert reply.ok
    assert "Kept" not in reply.text
    assert _same(place)


def test_it_is_the_directory_that_was_captured_then(place: Path, home: Path, run: Run) -> None:
    assert run("restore", "latest", "--dir", place, "-f").code == 0
    with Checkpoints.open(home) as checkpoints:
        project = checkpoints.project(place)
        assert not project.plan_restore("latest").replaced
        assert isinstance(project.take(kind=Kind.AUTO), Taken | Unchanged)
        (place / "README.md").write_text("by the agent\n")
        project.record_agent_write("README.md", tool="patch")
        project.end_turn()
    assert Rollback(place, enabled=True).run("1").ok
    assert _same(place)


def test_where_its_parent_is_gone_it_is_said_what_to_make(home: Path, tmp_path: Path) -> None:
    inner = tmp_path / "above" / "project"
    inner.mkdir(parents=True)
    (inner / "a").write_text("a")
    with Checkpoints.open(home) as checkpoints:
        project = checkpoints.project(inner)
        project.take()
        shutil.rmtree(tmp_path / "above")
        for call in (project.plan_restore, project.restore):
            with pytest.raises(
                BadDirectory, match=r"neither is .*above; make that directory first"
            ):
                call("latest")
        assert not (tmp_path / "above").exists()
        (tmp_path / "above").mkdir()
        assert project.restore("latest").complete
    assert (inner / "a").read_text() == "a"


def test_a_file_in_its_place_stays_and_is_named(home: Path, place: Path) -> None:
    place.write_text("a file")
    with (
        Checkpoints.open(home) as checkpoints,
        pytest.raises(BadDirectory, match="is not a directory"),
    ):
        checkpoints.project(place).restore("latest", mode="exact")
    assert place.read_text() == "a file"


def test_a_directory_to_write_into_is_made_and_the_mode_is_overlay(run: Run, place: Path) -> None:
    into = place.parent / "into"
    said = run("restore", "latest", "--dir", place, "--into", into, "--dry-run")
    assert "(overlay)" in said.out
    assert f"{into} is not there and is made" in said.out
    assert not into.exists()
    assert run("restore", "latest", "--dir", place, "--into", into, "-f").code == 0
    assert _same(into)
    assert run("undo", into, "-f").code == 0
    assert list(into.iterdir()) == []


def test_a_directory_to_write_into_is_made_where_its_parent_is(home: Path, place: Path) -> None:
    into = place.parent / "above" / "into"
    with (
        Checkpoints.open(home) as checkpoints,
        pytest.raises(BadDirectory, match=r"neither is .*above; make that directory first"),
    ):
        checkpoints.project(place).restore("latest", into=into)
    assert not into.parent.exists()


def test_a_restore_that_is_refused_leaves_no_directory_behind(home: Path, place: Path) -> None:
    with Checkpoints.open(home) as checkpoints, pytest.raises(Exception, match="holds no path"):
        checkpoints.project(place).restore("latest", "nosuch")
    assert not place.exists()


def test_the_plan_of_a_prune_names_the_command_that_brings_it_back(run: Run, place: Path) -> None:
    said = run("prune", "--dry-run").out
    line = next(line for line in said.splitlines() if "to bring that directory back" in line)
    words = line.partition("hermes checkpoints ")[2].split()
    assert run(*words, "-f").code == 0
    assert _same(place)
    assert "bring that directory back" not in run("prune", "--dry-run").out
