"""Directories that are gone, and a safety net that has stopped working."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from doctor.patients import kinds, look
from hermes_checkpoints import CheckpointError, Checkpoints, Failed
from hermes_checkpoints.doctor.checks import projects


@pytest.fixture
def taken(sound: Path, project: Path) -> Path:
    with Checkpoints.open(sound) as checkpoints:
        checkpoints.project(project).take()
    return project


def test_directories_that_are_there_are_not_told(sound: Path, taken: Path) -> None:
    assert kinds(projects.check, sound) == []


def test_without_a_catalog_nobody_can_say(sound: Path) -> None:
    with pytest.raises(CheckpointError, match="needs the catalog"):
        look(projects.check, sound, catalog=False)


def test_a_deleted_directory_is_a_note_with_the_way_back(sound: Path, taken: Path) -> None:
    shutil.rmtree(taken)
    (found,) = look(projects.check, sound)
    assert (found.kind, found.where, found.note) == ("project-gone", str(taken), True)
    assert "1 checkpoint is kept for now" in found.text
    assert f"restore latest --dir {taken}" in found.remedy


def test_a_directory_whose_parent_is_away_is_unreachable(sound: Path, taken: Path) -> None:
    taken.parent.joinpath("parent").mkdir()
    moved = taken.parent / "parent" / "inside"
    taken.rename(moved)
    with Checkpoints.open(sound) as checkpoints:
        checkpoints.project(moved).take()
    moved.parent.rename(moved.parent.with_name("other"))
    found = {one.where: one for one in look(projects.check, sound)}
    assert found[str(moved)].kind == "project-unreachable"
    assert found[str(moved)].note
    assert found[str(taken)].kind == "project-gone"


def test_a_project_without_checkpoints_is_not_told(sound: Path, taken: Path) -> None:
    with Checkpoints.open(sound) as checkpoints:
        project = checkpoints.project(taken)
        checkpoints.prune(plan=project.plan_drop("latest"))
    shutil.rmtree(taken)
    assert kinds(projects.check, sound) == []


def test_takes_that_fail_in_a_row_are_a_fault_until_one_works(sound: Path, taken: Path) -> None:
    with Checkpoints.open(sound) as checkpoints:
        project = checkpoints.project(taken)
        for _ in range(3):
            assert isinstance(project.take(turn=-1), Failed)
        (found,) = look(projects.check, sound)
        assert (found.kind, found.where, found.note) == ("takes-fail", str(taken), False)
        assert "nothing of it is protected since 2" in found.text
        assert "the last 3 takes failed, the newest with: a turn is a whole number" in found.text
        assert f"hermes checkpoints take {taken}" in found.remedy
        project.take()
    assert kinds(projects.check, sound) == []


def test_of_what_can_be_no_project_no_command_is_told_that_is_refused_again(
    sound: Path, taken: Path
) -> None:
    with Checkpoints.open(sound) as checkpoints:
        checkpoints.project(Path.home()).take()
    (found,) = look(projects.check, sound)
    assert (found.kind, found.note) == ("takes-fail", False)
    assert "in a project inside it" in found.remedy and " take " not in found.remedy
