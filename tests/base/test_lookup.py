"""Ids, numbers and labels: each doubtful one has its own clear error and changes nothing."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hermes_checkpoints import Checkpoints
from hermes_checkpoints.errors import (
    BadRequest,
    CheckpointAmbiguous,
    CheckpointError,
    CheckpointForeign,
    CheckpointPruned,
    CheckpointUnknown,
    PathRefused,
    PathUnknown,
    ProjectUnknown,
)
from hermes_checkpoints.model import CheckpointFacts, Kind, Taken
from support import files


@pytest.fixture
def checkpoints(home: Path, project: Path) -> Iterator[Checkpoints]:
    with Checkpoints.open(home) as opened:
        for step in range(3):
            (project / "step.txt").write_text(f"{step}\n")
            opened.project(project).take(f"step {step}", label=f"label {step}")
        yield opened


def test_all_forms_of_an_id_lead_to_the_checkpoint(checkpoints: Checkpoints, project: Path) -> None:
    newest, middle, oldest = checkpoints.project(project).list()
    assert checkpoints.project(project).get("1") == checkpoints.project(project).get() == newest
    assert checkpoints.project(project).get(newest) == newest
    assert checkpoints.project(project).get("latest") == newest
    assert checkpoints.project(project).get("3") == oldest
    assert checkpoints.project(project).get(middle.id) == middle
    assert checkpoints.project(project).get(middle.id[:10].upper()) == middle
    assert checkpoints.project(project).get("label 0") == oldest
    assert checkpoints.find(middle.id) == checkpoints.find(middle) == middle


@pytest.mark.campaign(beyond=2)
@pytest.mark.parametrize(
    ("reference", "error"),
    [
        ("", BadRequest),
        ("--patch", BadRequest),
        ("-p", BadRequest),
        ("abc; rm -rf /", BadRequest),
        ("HEAD~1", BadRequest),
        ("refs/heads/x", CheckpointUnknown),
        ("abc", CheckpointUnknown),
        ("deadbeefdeadbeef", CheckpointUnknown),
        ("0", CheckpointUnknown),
        ("4", CheckpointUnknown),
        (4, BadRequest),
        (-1, BadRequest),
        (None, BadRequest),
        (b"1", BadRequest),
        (True, BadRequest),
        ("\n", BadRequest),
        ("a\0b", BadRequest),
    ],
)
def test_wrong_ids_are_refused_and_change_nothing(
    checkpoints: Checkpoints, project: Path, reference: Any, error: type[CheckpointError]
) -> None:
    handle = checkpoints.project(project)
    (project / "step.txt").write_text("mine\n")
    before = files(project)
    for action in (handle.restore, handle.plan_restore):
        with pytest.raises(error):
            action(reference)
    with pytest.raises(error):
        checkpoints.project(project).diff(reference)
    assert files(project) == before
    assert len(checkpoints.project(project).list()) == 3


def test_an_id_of_another_project_is_refused(checkpoints: Checkpoints, project: Path) -> None:
    other = project.with_name("other")
    shutil.copytree(project, other)
    outcome = checkpoints.project(other).take()
    assert isinstance(outcome, Taken)
    handle = checkpoints.project(project)
    for action in (handle.restore, handle.plan_restore):
        with pytest.raises(CheckpointForeign, match=str(other)):
            action(outcome.checkpoint.id)


def test_an_ambiguous_prefix_is_an_error(checkpoints: Checkpoints, project: Path) -> None:
    catalog, newest = checkpoints._base.catalog, checkpoints.project(project).list()[0]
    row = catalog.projects.get(newest.project_hash)
    assert row is not None
    for last in "01":
        facts = CheckpointFacts(
            project_hash=newest.project_hash,
            working_dir=newest.working_dir,
            id="abcd" + "0" * 35 + last,
            tree_id=newest.tree_id,
            state_id=newest.state_id,
            ref_name=f"{newest.ref_name}{last}",
            kind=Kind.MANUAL,
            reason="alike",
            created_at=newest.created_at,
        )
        catalog.checkpoints.add(
            row,
            facts,
            changes=[],
            added_bytes=0,
            superseded_bytes=0,
            previous_id=newest._row,
            operation_id=None,
            now=newest.created_at,
        )
    with pytest.raises(CheckpointAmbiguous, match="more digits"):
        checkpoints.project(project).get("abcd")
    assert checkpoints.project(project).get("abcd" + "0" * 35 + "1").reason == "alike"


def test_a_pruned_id_says_when_and_why(checkpoints: Checkpoints, project: Path) -> None:
    oldest = checkpoints.project(project).list()[-1]
    catalog = checkpoints._base.catalog
    catalog.checkpoints.mark_pruning({oldest._row: "more than 2 are kept"}, checkpoints._base.now())
    catalog.checkpoints.mark_pruned([oldest._row])
    with pytest.raises(CheckpointPruned, match=r"pruned on \d{4}-\d\d-\d\d because more than 2"):
        checkpoints.project(project).restore(oldest.id)
    assert len(checkpoints.project(project).list()) == 2


def test_a_directory_without_checkpoints_names_its_relatives(
    checkpoints: Checkpoints, project: Path
) -> None:
    with pytest.raises(ProjectUnknown, match=str(project)):
        checkpoints.project(project / "src").get("1")
    assert [one.working_dir for one in checkpoints.project(project.parent).related()] == [project]


@pytest.mark.campaign(beyond=2)
@pytest.mark.parametrize(
    ("path", "error"),
    [
        ("", BadRequest),
        ("/etc/passwd", PathRefused),
        ("../outside.txt", PathRefused),
        ("src/../../outside.txt", PathRefused),
        ("src/../step.txt", PathRefused),
        (".", PathRefused),
        ("./", PathRefused),
        (".git/config", PathRefused),
        ("src/.GIT/config", PathRefused),
        (":/", PathUnknown),
        (":(glob)**", PathUnknown),
        (":(top)step.txt", PathUnknown),
        ("*.py", PathUnknown),
        ("*", PathUnknown),
        ("src/*.py", PathUnknown),
        ("nothing.txt", PathUnknown),
        ("a\0b", BadRequest),
    ],
)
def test_paths_are_literal_and_stay_inside(
    checkpoints: Checkpoints, project: Path, path: str, error: type[CheckpointError]
) -> None:
    (project / "step.txt").write_text("mine\n")
    (project / "src" / "app.py").write_text("mine\n")
    (project.parent / "outside.txt").write_text("outside\n")
    handle = checkpoints.project(project)
    before = files(project)
    for action in (handle.restore, handle.plan_restore):
        with pytest.raises(error):
            action("2", [path])
    assert files(project) == before
    assert len(checkpoints.project(project).list()) == 3


@pytest.mark.campaign
def test_a_literal_path_with_pattern_characters_is_found(
    checkpoints: Checkpoints, project: Path
) -> None:
    for name in ("*.py", ":(glob)x", "[a]"):
        (project / name).write_text("kept\n")
    checkpoints.project(project).take()
    for name in ("*.py", ":(glob)x", "[a]"):
        (project / name).write_text("broken\n")
    (project / "src" / "app.py").write_text("mine\n")
    for name in ("*.py", ":(glob)x", "[a]"):
        checkpoints.project(project).restore("1" if name == "*.py" else "latest", [name])
        checkpoints.project(project).restore(
            checkpoints.project(project).list()[-4].id, ["src/data.bin"]
        )
    assert (project / "src" / "app.py").read_text() == "mine\n"


def test_a_number_is_no_id_although_it_looks_like_one(checkpoints: Checkpoints) -> None:
    for reference in (12345678, None, b"12345678"):
        with pytest.raises(BadRequest, match="no reference to a checkpoint"):
            checkpoints.find(reference)  # type: ignore[arg-type]
    with pytest.raises(CheckpointUnknown):
        checkpoints.find("12345678")


def test_an_id_that_nothing_answers_to_needs_a_known_project(
    checkpoints: Checkpoints, project: Path
) -> None:
    with pytest.raises(CheckpointUnknown, match="`log` lists"):
        checkpoints.project(project).get("deadbeef")
    with pytest.raises(ProjectUnknown, match=f"there are some of {project}"):
        checkpoints.project(project / "src").get("deadbeef")
