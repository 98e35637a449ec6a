"""Sizes: what rows estimate, against what git says."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from catalog.records import counted
from conftest import GitProcesses
from hermes_checkpoints.model import Policy, ProjectUsage
from retention.histories import AT_ONCE, History

TOLERANCE = 0.25
"""The documented estimate: sums from rows are within a quarter of git's own measure."""


def fill(history: History) -> list[Path]:
    """Two unlike projects, a copy of the first, and one of text that packs well."""
    alpha, beta = history.project("alpha"), history.project("beta")
    for number in range(8):
        (alpha / f"file{number}").write_bytes(history.random.randbytes(40_000))
    history.takes(alpha, 6, size=60_000)
    copy = alpha.with_name("copy")
    shutil.copytree(alpha, copy)
    history.checkpoints.project(copy).take()
    for number in range(5):
        lines = (f"{number} {line} {history.random.random()}" for line in range(4000))
        (beta / "notes.txt").write_text("\n".join(lines))
        history.take(beta, size=30_000)
    (beta / "notes.txt").unlink()
    history.take(beta, size=30_000)
    return [alpha, beta, copy]


def of(history: History, project: Path, *, measure: bool = False) -> ProjectUsage:
    found = history.checkpoints.usage(measure=measure).projects
    return next(one for one in found if one.working_dir == str(project))


def near(one: int, other: int) -> bool:
    return abs(one - other) <= TOLERANCE * other


@pytest.mark.campaign
@pytest.mark.parametrize("pruned", [False, True], ids=["loose", "after a prune"])
def test_estimates_agree_with_git(history: History, pruned: bool) -> None:
    projects = fill(history)
    if pruned:
        plan = history.checkpoints.plan_prune(policy=Policy(max_snapshots=4))
        history.checkpoints.prune(plan=plan, options=AT_ONCE)
        for project in projects[:2]:
            history.take(project, size=50_000)
    told, said = history.checkpoints.usage(), history.checkpoints.usage(measure=True)
    assert (told.measured, said.measured) == (False, True)
    assert near(told.total_bytes, said.total_bytes)
    for project in projects:
        mine = next(one for one in told.projects if one.working_dir == str(project))
        git = next(one for one in said.projects if one.working_dir == str(project))
        assert near(mine.referenced_bytes, git.referenced_bytes), project
        assert mine.checkpoints == git.checkpoints
        assert mine.unique_bytes + mine.shared_bytes == mine.referenced_bytes
    history.verify()


@pytest.mark.campaign
@pytest.mark.parametrize("pruned", [False, True], ids=["loose", "after a prune"])
def test_measured_sums_are_gits_own(history: History, pruned: bool) -> None:
    fill(history)
    if pruned:
        plan = history.checkpoints.plan_prune(policy=Policy(max_snapshots=2))
        history.checkpoints.prune(plan=plan, options=AT_ONCE)
    said = history.checkpoints.usage(measure=True)
    assert said.total_bytes == int(history.git("rev-list", "--all", "--objects", "--disk-usage"))
    for one in said.projects:
        usage = ("rev-list", "--objects", "--disk-usage")
        own = [ref for ref in history.refs() if one.hash in ref]
        others = [ref for ref in history.refs() if one.hash not in ref]
        assert one.referenced_bytes == int(history.git(*usage, *own))
        assert one.unique_bytes == said.total_bytes - int(history.git(*usage, *others))


@pytest.mark.campaign
def test_what_a_project_shares_is_not_freed_with_it(history: History) -> None:
    alpha, _, copy = fill(history)
    assert of(history, copy).shared_bytes > 8 * 40_000
    assert of(history, copy).unique_bytes < 40_000
    assert of(history, alpha).unique_bytes > 5 * 60_000


@pytest.mark.campaign
def test_the_largest_files_with_all_their_versions(history: History) -> None:
    alpha, beta, _ = fill(history)
    for measure in (False, True):
        name, size = of(history, alpha, measure=measure).files[0]
        assert (name, near(size, 6 * 60_000)) == ("data", True)
        names = [name for name, _ in of(history, beta, measure=measure).files]
        assert sorted(names) == ["data", "notes.txt"]


@pytest.mark.campaign
def test_content_that_no_live_checkpoint_holds_does_not_count(history: History) -> None:
    project = history.project()
    history.take(project, size=500_000)
    for _ in range(2):
        history.take(project, size=10_000)
    assert of(history, project).referenced_bytes > 500_000
    history.checkpoints.prune(
        plan=history.checkpoints.plan_prune(policy=Policy(max_snapshots=2)), options=AT_ONCE
    )
    assert of(history, project).referenced_bytes < 80_000


def test_changed_permission_bits_alone_let_the_content_stand(history: History) -> None:
    project = history.project()
    history.take(project, size=100_000)
    before = of(history, project).referenced_bytes
    (project / "data").chmod(0o600)
    history.checkpoints.project(project).take()
    assert before <= of(history, project).referenced_bytes < before + 40_000


def test_status_and_estimates_start_no_process(
    history: History, git_processes: GitProcesses
) -> None:
    fill(history)
    git_processes.reset()
    history.checkpoints.status()
    history.checkpoints.usage()
    assert git_processes.count() == 0
    history.checkpoints.usage(measure=True)
    assert git_processes.count() == 3


@pytest.mark.campaign
def test_statements_do_not_grow_with_the_store(history: History) -> None:
    catalog = history.checkpoints._base.catalog
    counts = []
    for number in range(3):
        history.takes(history.project(f"p{number}"), 2)
        with counted(catalog) as statements:
            history.checkpoints.plan_prune(policy=Policy(max_snapshots=1))
            history.checkpoints.usage()
            history.checkpoints.status()
        counts.append(len(statements))
    assert counts[0] == counts[1] == counts[2]


def test_added_and_superseded_bytes_of_a_take(history: History) -> None:
    project = history.project()
    history.take(project, size=100_000)
    second = history.take(project, size=50_000)
    assert 50_000 <= second.added_bytes < 80_000
    assert 100_000 <= second.superseded_bytes < 110_000
    (change,) = history.checkpoints.project(second.working_dir).changes(second)
    assert (change.old_bytes, change.new_bytes) == (100_000, 50_000)
    assert 50_000 <= change.stored_bytes < 60_000
