"""History that comes later is put in its place, once, and what was there keeps its name."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from hermes_checkpoints import Checkpoints
from hermes_checkpoints.errors import CheckpointPruned
from hermes_checkpoints.model import Checkpoint, Policy, Taken
from hermes_checkpoints.retention.plan import PruneOptions
from history.old_bases import all_commits, assert_imported, extracted, git, made

ALPHA = "/home/dev/projects/alpha"


def taken(checkpoints: Checkpoints, project: Path, text: str) -> Checkpoint:
    (project / "src/app.py").write_text(text, encoding="utf-8")
    outcome = checkpoints.project(project).take(text)
    assert isinstance(outcome, Taken)
    return outcome.checkpoint


@pytest.mark.campaign
def test_an_older_history_goes_below_what_was_taken_here(tmp_path: Path) -> None:
    old = made(tmp_path / "live")
    project = tmp_path / "live/projects/alpha"
    commits = [c for c in all_commits(old) if c.workdir == str(project)]
    home = tmp_path / "new"
    with Checkpoints.open(home) as checkpoints:
        own = [taken(checkpoints, project, f"own {number}\n") for number in range(2)]
        before = sorted(p for p in (old / "checkpoints").rglob("*"))
        done = checkpoints.import_legacy(old)
        assert done.checkpoints == 12
        assert done.sessions == 2
        assert before == sorted(p for p in (old / "checkpoints").rglob("*"))
        listed = checkpoints.project(project).list()
        assert [c.reason for c in listed] == [
            *("own 1\n", "own 0\n"),
            *(c.message for c in reversed(commits)),
        ]
        assert [c.id for c in listed[:2]] == [c.id for c in own[::-1]]
        assert [c._row for c in listed] == sorted((c._row for c in listed), reverse=True)
        assert [c._previous_row for c in listed] == [*(c._row for c in listed[1:]), None]
        first_own = listed[1]
        assert [c.path for c in checkpoints.project(first_own.working_dir).changes(first_own)] == [
            "src/app.py"
        ]
        assert (first_own.files_changed, first_own.insertions, first_own.deletions) == (1, 1, 21)
        assert checkpoints.project(project).get("latest").id == own[1].id
        assert checkpoints.project(project).get(commits[2].id).reason == commits[2].message
        again = checkpoints.import_legacy(old)
        assert again.checkpoints == 0
        assert checkpoints.project(project).list() == listed
        next_one = taken(checkpoints, project, "own 2\n")
        assert next_one._previous_row == own[1]._row
        assert checkpoints.project(project).restore(commits[0].id, mode="overlay").complete


@pytest.mark.campaign
def test_a_history_between_two_others_finds_its_place(tmp_path: Path) -> None:
    old = made(tmp_path / "live")
    project = tmp_path / "live/projects/beta"
    repository = next(
        r
        for r in (old / "checkpoints").iterdir()
        if r.is_dir() and (r / "HERMES_WORKDIR").read_text(encoding="utf-8") == f"{project}\n"
    )
    head = git(repository, "rev-parse", "HEAD").strip()
    with Checkpoints.open(tmp_path / "new") as checkpoints:
        for ancestor in (2, 0):  # the oldest first, then the newest with the one between
            git(repository, "update-ref", "refs/heads/master", f"{head}~{ancestor}")
            checkpoints.import_legacy(repository)
        listed = checkpoints.project(project).list()
        assert [c._previous_row for c in listed] == [*(c._row for c in listed[1:]), None]
        assert [c.created_at for c in listed] == sorted(
            (c.created_at for c in listed), reverse=True
        )
        assert len(listed) == 3


@pytest.mark.campaign
def test_an_old_program_that_runs_again_is_imported_on_request(live_home: Path) -> None:
    base = live_home / "checkpoints"
    project = live_home.parent / "projects/gone"
    repository = next(
        r
        for r in base.iterdir()
        if r.is_dir() and (r / "HERMES_WORKDIR").read_text(encoding="utf-8") == f"{project}\n"
    )
    copy = live_home.parent / "copy"
    shutil.copytree(repository, copy)
    with Checkpoints.open(live_home) as checkpoints:
        assert len(checkpoints.project(project).list()) == 2
        shutil.copytree(copy, repository)
        (project / "only.txt").write_text("third\n", encoding="utf-8")
        environment = {
            **os.environ,
            "GIT_DIR": str(repository),
            "GIT_WORK_TREE": str(project),
        }
        for command in (["add", "-A"], ["commit", "-qm", "by the old program"]):
            subprocess.run(["git", *command], env=environment, cwd=project, check=True)
        (base / "late.yaml").write_text("task: late\n", encoding="utf-8")
        (note,) = checkpoints.status().notes
        assert note.startswith("2 histories of an earlier version")
        done = checkpoints.import_legacy()
        assert (done.checkpoints, done.sessions) == (1, 1)
        listed = checkpoints.project(project).list()
        assert [c.reason for c in listed] == [
            "by the old program",
            "before patch",
            "before write_file",
        ]
        assert not repository.exists()
        assert not checkpoints.status().notes


@pytest.mark.campaign
def test_version_2_that_runs_again_and_prunes_gives_nothing_twice(v2_home: Path) -> None:
    """A prune of version 2 writes the commits that it keeps anew, with other ids and times."""
    base = v2_home / "checkpoints"
    commits = all_commits(v2_home)
    chain = [c for c in commits if c.workdir == ALPHA and c.authored.year == 2026][-5:]
    with Checkpoints.open(v2_home) as checkpoints:
        before = checkpoints.project(ALPHA).list()
        store = base / "store"
        parent: list[str] = []
        for commit in chain[1:]:
            tree = checkpoints.find(commit.id).tree_id
            new = git(store, "commit-tree", tree, *parent, "-m", commit.message).strip()
            parent = ["-p", new]
        git(store, "update-ref", "refs/hermes/5b0ca1eb8975e26b", parent[1])
        assert checkpoints.status().notes
        done = checkpoints.import_legacy()
        assert (done.checkpoints, done.errors[2:]) == (0, ())
        assert checkpoints.project(ALPHA).list() == before
        assert checkpoints.find(parent[1]).id == checkpoints.find(chain[-1].id).id
        assert git(store, "for-each-ref", "refs/hermes") == ""


@pytest.mark.campaign
def test_what_was_pruned_does_not_come_back(v1_home: Path, tmp_path: Path) -> None:
    backup = extracted("v1", tmp_path / "backup")
    commits = [c for c in all_commits(v1_home) if c.workdir == ALPHA]
    with Checkpoints.open(v1_home) as checkpoints:
        found = checkpoints.project(ALPHA).get(commits[0].id)
        checkpoints.project(found.working_dir).drop(found)
        done = checkpoints.import_legacy(backup)
        assert done.checkpoints == 0
        assert len(checkpoints.project(ALPHA).list()) == 5
        with pytest.raises(CheckpointPruned):
            checkpoints.project(ALPHA).get(commits[0].id)


@pytest.mark.campaign
@pytest.mark.parametrize("version", ["v1", "v2"])
def test_an_import_brings_back_what_a_rule_pruned_since(
    version: str, live_home: Path, tmp_path: Path
) -> None:
    project, source = live_home.parent / "projects/alpha", live_home / "checkpoints"
    if version == "v2":
        with Checkpoints.open(tmp_path / "between") as between:
            between.import_legacy(source)
            source = between.export_v2(tmp_path / "exported").base
    with Checkpoints.open(tmp_path / "mine") as checkpoints:
        count = checkpoints.import_legacy(source).checkpoints
        before = checkpoints.project(project).list()
        plan = checkpoints.plan_prune(policy=Policy(max_snapshots=1))
        result = checkpoints.prune(plan=plan, options=PruneOptions())
        assert len(result.dropped) > 5
        assert checkpoints.status().checkpoint_count == count - len(result.dropped)
        again = checkpoints.import_legacy(source)
        assert again.checkpoints == len(result.dropped)
        assert [c.id for c in checkpoints.project(project).list()] == [c.id for c in before]
        for checkpoint in before:
            assert checkpoints.project(project).restore(checkpoint, mode="overlay").complete
        assert checkpoints.import_legacy(source).checkpoints == 0


@pytest.mark.campaign
def test_a_base_of_this_version_brings_back_what_a_rule_pruned_and_nothing_dropped_by_name(
    tmp_path: Path,
) -> None:
    project = tmp_path / "project"
    (project / "src").mkdir(parents=True)
    with Checkpoints.open(tmp_path / "there") as there:
        theirs = [taken(there, project, f"{number}\n") for number in range(4)]
    shutil.rmtree(project)  # it is not on this machine, though its parent is
    with Checkpoints.open(tmp_path / "mine") as checkpoints:
        assert checkpoints.import_legacy(tmp_path / "there").checkpoints == 4
        every = Policy(max_snapshots=1, orphan_grace=None)
        plan = checkpoints.plan_prune(policy=every)
        assert plan.drop == (), "nothing is proven of a directory that never lived here"
        project.mkdir()
        checkpoints.project(project).drop(theirs[1])
        plan = checkpoints.plan_prune(policy=every)
        checkpoints.prune(plan=plan, options=PruneOptions())
        assert [c.id for c in checkpoints.project(project).list()] == [theirs[3].id]
        assert checkpoints.import_legacy(tmp_path / "there").checkpoints == 2
        listed = [c.id for c in checkpoints.project(project).list()]
        assert listed == [theirs[3].id, theirs[2].id, theirs[0].id]
        assert checkpoints.project(project).restore(theirs[0], mode="exact").complete
        assert (project / "src/app.py").read_text() == "0\n"


@pytest.mark.slow
def test_a_base_of_this_version_from_another_machine(
    v2_home: Path, tmp_path: Path, project: Path
) -> None:
    commits = all_commits(v2_home)
    with Checkpoints.open(v2_home) as other:
        theirs = {c.id for c in other._base.catalog.checkpoints.live()}
    with Checkpoints.open(tmp_path / "mine") as checkpoints:
        done = checkpoints.import_legacy(v2_home)
        assert done.checkpoints == len(commits)
        assert_imported(checkpoints, commits)
        assert {c.id for c in checkpoints._base.catalog.checkpoints.live()} == theirs
        assert isinstance(checkpoints.project(project).take(), Taken)
        again = checkpoints.import_legacy(v2_home)
        assert (again.checkpoints, again.shared) == (0, len(commits))


@pytest.mark.campaign
def test_what_another_machine_took_meanwhile_keeps_its_order(tmp_path: Path) -> None:
    """There is no room between two checkpoints that were taken here one after the other."""
    project = tmp_path / "project"
    (project / "src").mkdir(parents=True)
    with Checkpoints.open(tmp_path / "here") as here, Checkpoints.open(tmp_path / "there") as there:

        def take(checkpoints: Checkpoints, minute: int) -> Checkpoint:
            start = datetime(2026, 1, 1, tzinfo=UTC)
            base = replace(checkpoints._base, now=lambda: start + timedelta(minutes=minute))
            return taken(Checkpoints(base), project, f"{minute}\n")

        own = [take(here, minute) for minute in (10, 20)]
        theirs = [take(there, minute) for minute in (1, 2, 11, 12, 13, 21, 22)]
        assert here.import_legacy(tmp_path / "there").checkpoints == 7
        listed = here.project(project).list()[::-1]
        assert [c.id for c in listed if c.id in {one.id for one in theirs}] == [
            one.id for one in theirs
        ]
        assert [c.id for c in listed if c.id in {one.id for one in own}] == [one.id for one in own]
        assert [c.reason for c in listed[-2:]] == ["21\n", "22\n"]
        assert [c._previous_row for c in listed] == [None, *(c._row for c in listed[:-1])]


@pytest.mark.campaign
def test_another_file_system_is_copied_from(tmp_path: Path) -> None:
    here = tmp_path.stat().st_dev
    others = [
        root
        for root in (Path("/dev/shm"), Path("/tmp"), Path("/var/tmp"))
        if os.access(root, os.W_OK) and root.stat().st_dev != here
    ]
    if not others:
        pytest.skip("there is no second file system to copy from")
    folder = others[0] / f"hermes-{os.getpid()}"
    try:
        home = extracted("v1", folder)
        commits = all_commits(home)
        with Checkpoints.open(tmp_path / "mine") as checkpoints:
            assert checkpoints.import_legacy(home / "checkpoints").checkpoints == len(commits)
            shutil.rmtree(folder)
            assert_imported(checkpoints, commits)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
