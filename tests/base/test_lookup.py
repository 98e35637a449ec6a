"""Ids, numbers and labels: each doubtful one has its own clear error and changes nothing."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

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
            opened.take(project, f"step {step}", label=f"label {step}")
        yield opened


def test_all_forms_of_an_id_lead_to_the_checkpoint(checkpoints: Checkpoints, project: Path) -> None:
    newest, middle, oldest = checkpoints.list(project)
    assert checkpoints.get(1, project) == checkpoints.get("1", project) == newest
    assert checkpoints.get("latest", project) == newest
    assert checkpoints.get(3, project) == oldest
    assert checkpoints.get(middle.commit_id, project) == middle
    assert checkpoints.get(middle.commit_id[:10].upper(), project) == middle
    assert checkpoints.get("label 0", project) == oldest
    assert checkpoints.get(middle.commit_id) == middle


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
        (4, CheckpointUnknown),
        (-1, BadRequest),
        ("\n", BadRequest),
        ("a\0b", BadRequest),
    ],
)
def test_wrong_ids_are_refused_and_change_nothing(
    checkpoints: Checkpoints, project: Path, reference: str | int, error: type[CheckpointError]
) -> None:
    (project / "step.txt").write_text("mine\n")
    before = files(project)
    for action in (checkpoints.restore, checkpoints.plan_restore):
        with pytest.raises(error):
            action(project, reference)
    with pytest.raises(error):
        checkpoints.diff(reference, project)
    assert files(project) == before
    assert len(checkpoints.list(project)) == 3


def test_an_id_of_another_project_is_refused(checkpoints: Checkpoints, project: Path) -> None:
    other = project.with_name("other")
    shutil.copytree(project, other)
    outcome = checkpoints.take(other)
    assert isinstance(outcome, Taken)
    for action in (checkpoints.restore, checkpoints.plan_restore):
        with pytest.raises(CheckpointForeign, match=str(other)):
            action(project, outcome.checkpoint.commit_id)


def test_an_ambiguous_prefix_is_an_error(checkpoints: Checkpoints, project: Path) -> None:
    catalog, newest = checkpoints._base.catalog, checkpoints.list(project)[0]
    row = catalog.projects.get(newest.project_hash)
    assert row is not None
    for last in "01":
        facts = CheckpointFacts(
            project_hash=newest.project_hash,
            workdir=newest.workdir,
            commit_id="abcd" + "0" * 35 + last,
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
            previous_id=newest.id,
            operation_id=None,
            now=newest.created_at,
        )
    with pytest.raises(CheckpointAmbiguous, match="more digits"):
        checkpoints.get("abcd", project)
    assert checkpoints.get("abcd" + "0" * 35 + "1", project).reason == "alike"


def test_a_pruned_id_says_when_and_why(checkpoints: Checkpoints, project: Path) -> None:
    oldest = checkpoints.list(project)[-1]
    catalog = checkpoints._base.catalog
    catalog.checkpoints.mark_pruning({oldest.id: "more than 2 are kept"}, checkpoints._base.now())
    catalog.checkpoints.mark_pruned([oldest.id])
    with pytest.raises(CheckpointPruned, match=r"pruned on \d{4}-\d\d-\d\d because more than 2"):
        checkpoints.restore(project, oldest.commit_id)
    assert len(checkpoints.list(project)) == 2


def test_a_directory_without_checkpoints_names_its_relatives(
    checkpoints: Checkpoints, project: Path
) -> None:
    with pytest.raises(ProjectUnknown, match=str(project)):
        checkpoints.get(1, project / "src")
    assert [p.workdir for p in checkpoints.related(project.parent)] == [str(project)]


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
    before = files(project)
    for action in (checkpoints.restore, checkpoints.plan_restore):
        with pytest.raises(error):
            action(project, 2, [path])
    assert files(project) == before
    assert len(checkpoints.list(project)) == 3


def test_a_literal_path_with_pattern_characters_is_found(
    checkpoints: Checkpoints, project: Path
) -> None:
    for name in ("*.py", ":(glob)x", "[a]"):
        (project / name).write_text("kept\n")
    checkpoints.take(project)
    for name in ("*.py", ":(glob)x", "[a]"):
        (project / name).write_text("broken\n")
    (project / "src" / "app.py").write_text("mine\n")
    for name in ("*.py", ":(glob)x", "[a]"):
        checkpoints.restore(project, 1 if name == "*.py" else "latest", [name])
        checkpoints.restore(project, checkpoints.list(project)[-4].commit_id, ["src/data.bin"])
    assert (project / "src" / "app.py").read_text() == "mine\n"
