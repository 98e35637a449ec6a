"""In a tree over ``max_files``, a restore of named paths looks at what it writes and no more."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import GitProcesses
from hermes_checkpoints import Checkpoints, Config, Mode, Rollback
from hermes_checkpoints.model import Skipped
from support import Run, everything


@pytest.fixture
def large(home: Path, project: Path) -> Path:
    """A project with a checkpoint, which has grown over ``max_files`` since."""
    with Checkpoints.open() as checkpoints:
        checkpoints.project(project).take("while it was small")
    (home / "config.yaml").write_text("checkpoints: {enabled: true, max_files: 10}\n")
    for number in range(20):
        (project / f"n{number}").write_text(f"{number}")
    (project / "README.md").write_text("mine\n")
    (project / "docs/more.txt").write_text("mine\n")
    return project


@pytest.fixture
def checkpoints(large: Path) -> Iterator[Checkpoints]:
    with Checkpoints.open() as opened:
        yield opened


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("mode", [None, *Mode])
@pytest.mark.parametrize("path", ["README.md", "docs"])
def test_the_library_restores_a_path_and_takes_it_back(
    checkpoints: Checkpoints, large: Path, mode: Mode | None, path: str
) -> None:
    project = checkpoints.project(large)
    (large / "docs/notes.txt").write_text("changed\n")
    before = everything(large)
    plan = project.plan_restore("1", path, mode=mode)
    done = project.restore("1", path, mode=mode, plan=plan)
    assert done.complete
    assert done.safety.partial
    changed = {step.path for step in done.done}
    expected = {"README.md"} if path == "README.md" else {"docs/notes.txt"}
    if path == "docs" and mode is Mode.EXACT:
        expected.add("docs/more.txt")
    if mode is not Mode.KEEP_EDITS:  # whose change it is, is another question
        assert changed == expected
    assert {name for name in everything(large) if name.startswith("n")} == {
        f"n{number}" for number in range(20)
    }
    assert not done.done or project.undo().complete
    assert everything(large) == before


def test_nothing_is_listed_where_the_last_take_was_refused(
    checkpoints: Checkpoints, large: Path, git_processes: GitProcesses
) -> None:
    project = checkpoints.project(large)
    assert isinstance(project.take(), Skipped)
    git_processes.reset()
    for _ in range(2):
        assert project.restore("1", "README.md").safety.partial
        assert project.undo().complete
    assert project.plan_restore("1", "README.md").steps
    assert not any("ls-files" in command for command in git_processes.commands())


def test_where_a_take_works_again_the_safety_checkpoint_is_whole_again(
    checkpoints: Checkpoints, home: Path, large: Path
) -> None:
    assert isinstance(checkpoints.project(large).take(), Skipped)
    with Checkpoints.open(config=Config()) as now:
        project = now.project(large)
        project.take()
        (large / "README.md").write_text("mine again\n")
        assert not project.restore("1", "README.md").safety.partial


@pytest.mark.campaign
def test_the_command_line_restores_a_path_and_takes_it_back(large: Path, run: Run) -> None:
    before = everything(large)
    run("restore", "1", "README.md", "--dir", large, "-f")
    assert (large / "README.md").read_text() != "mine\n"
    run("undo", "--dir", large, "-f")
    assert everything(large) == before


def test_rollback_restores_a_path_and_takes_it_back(large: Path) -> None:
    before = everything(large)
    rollback = Rollback(large, enabled=True)
    assert rollback.run("/rollback 1 README.md").ok
    assert (large / "README.md").read_text() != "mine\n"
    assert rollback.run("/rollback undo").ok
    assert everything(large) == before


def test_the_other_files_are_not_read(checkpoints: Checkpoints, large: Path) -> None:
    assert isinstance(checkpoints.project(large).take(), Skipped)
    opened: set[str] = set()
    watching = [True]

    def watch(event: str, args: tuple[object, ...]) -> None:
        if watching and event == "open" and isinstance(args[0], str | bytes | os.PathLike):
            opened.add(os.fsdecode(args[0]))

    sys.addaudithook(watch)  # there is no way to remove it
    try:
        checkpoints.project(large).restore("1", "README.md")
    finally:
        watching.clear()
    own = {name for name in opened if name.startswith(".hermes-restore-")}
    assert own, "the new file and the former one are opened by their names beside the path"
    assert "app.py" not in opened
    assert str(large / "src/app.py") not in opened
