"""What executing a plan does to refs, objects, indexes and rows."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from catalog.records import journal
from conftest import GitProcesses
from hermes_checkpoints import Checkpoints
from hermes_checkpoints.errors import BadRequest, CheckpointPruned, LockHeld, ProjectUnknown
from hermes_checkpoints.fs.locks import exclusive
from hermes_checkpoints.model import MB, JournalEntry, OperationKind, OperationOutcome, Policy, Rule
from hermes_checkpoints.object_store.bulk import BULK
from hermes_checkpoints.retention.plan import PruneOptions
from retention.histories import ANYTHING, AT_ONCE, History


def limited(number: int) -> Policy:
    return Policy(max_snapshots=number)


def test_the_plan_is_what_happens_and_nothing_that_came_after(history: History) -> None:
    project, other = history.project(), history.project("beta")
    taken, kept = history.takes(project, 4), history.takes(other, 2)
    plan = history.checkpoints.plan_prune(policy=limited(2))
    later = history.takes(project, 3)
    result = history.checkpoints.prune(plan=plan, options=AT_ONCE)
    assert {d.checkpoint.id for d in result.dropped} == {c.id for c in taken[:2]}
    left = {c.id for path in (project, other) for c in history.checkpoints.project(path).list()}
    assert left == {c.id for c in (*taken[2:], *kept, *later)}
    history.verify()
    assert history.checkpoints.prune(plan=plan, options=AT_ONCE).dropped == ()


def test_a_tombstone_answers_for_the_id(history: History) -> None:
    project = history.project()
    first, _, _ = history.takes(project, 3)
    history.checkpoints.prune(
        plan=history.checkpoints.plan_prune(policy=limited(1)), options=AT_ONCE
    )
    with pytest.raises(CheckpointPruned, match=r"because its project has more than 1"):
        history.checkpoints.find(first.id)
    row = history.checkpoints._base.catalog.checkpoints.get(first._row)
    assert row is not None
    assert row.pruned_at is not None
    catalog = history.checkpoints._base.catalog
    seen = catalog.checkpoints.history(first.project_hash, "data")
    assert len(seen) == 2, "what the oldest left has, and what it had from before"


@pytest.mark.campaign
def test_what_was_pinned_named_or_needed_since_the_plan_stays(history: History) -> None:
    project = history.project()
    one, two, three, _ = history.takes(project, 4)
    plan = history.checkpoints.plan_prune(policy=limited(1))
    history.checkpoints.project(project).pin(one)
    history.checkpoints.project(project).label(two.id, "good")
    result = history.checkpoints.prune(plan=plan, options=AT_ONCE)
    assert [d.checkpoint.id for d in result.dropped] == [three.id]
    assert {d.checkpoint.id for d in result.skipped} == {one.id, two.id}
    history.verify()


def test_of_a_directory_that_went_after_the_plan_nothing_goes_unless_somebody_agreed(
    history: History,
) -> None:
    agreed, other = history.project(), history.project("beta")
    taken = {path: history.takes(path, 3) for path in (agreed, other)}
    hashes = frozenset({taken[agreed][0].project_hash})
    plan = history.checkpoints.plan_prune(policy=Policy(max_snapshots=1, orphans=hashes))
    assert len(plan.drop) == 4
    for path in (agreed, other):
        shutil.rmtree(path)
    (history.folder / "neighbour").touch()
    result = history.checkpoints.prune(plan=plan, options=AT_ONCE)
    assert {d.checkpoint.id for d in result.dropped} == {c.id for c in taken[agreed][:2]}
    assert {d.checkpoint.id for d in result.skipped} == {c.id for c in taken[other][:2]}
    left = history.checkpoints.project(other).list()
    assert [c.id for c in left] == [c.id for c in reversed(taken[other])]
    drop = history.checkpoints.project(other).plan_drop([left[-1].id])
    named = replace(drop, policy=replace(drop.policy, orphans=hashes))
    result = history.checkpoints.prune(plan=named, options=AT_ONCE)
    assert [d.checkpoint.id for d in result.dropped] == [left[-1].id], "a person named it"


def test_pinned_ones_go_only_when_that_is_said(history: History) -> None:
    project = history.project()
    pinned, _, _ = history.takes(project, 3)
    history.checkpoints.project(project).pin(pinned)
    shutil.rmtree(project)
    history.checkpoints.prune(plan=history.checkpoints.plan_prune(policy=ANYTHING), options=AT_ONCE)
    assert [c.id for c in history.checkpoints.project(project).list()] == [pinned.id]
    every = Policy(orphan_grace=None, include_pinned=True)
    history.checkpoints.prune(plan=history.checkpoints.plan_prune(policy=every), options=AT_ONCE)
    assert history.checkpoints.project(project).list() == []
    history.verify()


def test_one_project_alone(history: History) -> None:
    project, other = history.project(), history.project("beta")
    history.takes(project, 3)
    history.takes(other, 3)
    plan = history.checkpoints.plan_prune(policy=limited(1), working_dir=project)
    history.checkpoints.prune(plan=plan, options=AT_ONCE)
    assert (
        len(history.checkpoints.project(project).list()),
        len(history.checkpoints.project(other).list()),
    ) == (1, 3)
    with pytest.raises(ProjectUnknown):
        history.checkpoints.plan_prune(policy=limited(1), working_dir=history.project("gamma"))


def test_dropping_the_newest_forgets_the_index_that_names_what_a_gc_removes(
    history: History,
) -> None:
    project = history.project()
    history.takes(project, 2)
    content = (project / "data").read_bytes()
    newest = history.checkpoints.project(project).list()[0]
    history.checkpoints.prune(
        plan=history.checkpoints.project(project).plan_drop(newest), options=AT_ONCE
    )
    outcome = history.checkpoints.project(project).take("the same contents again")
    (project / "data").write_bytes(b"")
    history.checkpoints.project(project).restore("latest")
    assert (project / "data").read_bytes() == content, outcome
    history.verify()


def test_a_drop_without_a_gc_and_the_last_one_of_a_project(
    history: History, git_processes: GitProcesses
) -> None:
    project = history.project()
    (only,) = history.takes(project, 1)
    plan = history.checkpoints.project(only.working_dir).plan_drop([only])
    git_processes.reset()
    result = history.checkpoints.prune(plan=plan, options=PruneOptions(reclaim=False))
    assert [d.rule for d in result.dropped] == [Rule.REQUESTED]
    assert "repack" not in {command[0] for command in git_processes.commands()}
    assert list((history.store / "indexes").iterdir()) == []
    history.take(project)
    history.verify()


def catalog_file(history: History) -> int:
    """The size of the catalog, which counts with the store, without its log."""
    catalog = history.checkpoints._base.catalog
    catalog.write_back()
    return catalog.path.stat().st_size


def test_space_comes_back_and_is_measured(history: History) -> None:
    project = history.project()
    history.takes(project, 6, size=200_000)
    before = disk(history.store) + catalog_file(history)
    result = history.checkpoints.prune(
        plan=history.checkpoints.plan_prune(policy=limited(1)), options=AT_ONCE
    )
    after = disk(history.store) + catalog_file(history)
    assert (result.before_bytes, result.after_bytes) == (before, after)
    assert result.freed_bytes > 900_000
    status = history.checkpoints.status()
    assert (status.store_bytes, status.measured_at is not None) == (disk(history.store), True)


def disk(folder: Path) -> int:
    return sum(
        os.lstat(path).st_blocks * 512 for path in (folder, *folder.rglob("*")) if path.exists()
    )


def test_what_was_just_taken_comes_back_at_once(history: History) -> None:
    project = history.project()
    first, _ = history.takes(project, 2, size=2_000_000)
    before = disk(history.store)
    result = history.checkpoints.prune(plan=history.checkpoints.plan_prune(policy=limited(1)))
    assert history.checkpoints._base.store.sizes([first.id]) == {}
    assert first.id not in history.git("cat-file", "--batch-all-objects", "--batch-check")
    assert result.freed_bytes > 1_990_000
    assert before - disk(history.store) > 1_990_000


@pytest.mark.campaign
def test_processes_of_a_prune_do_not_grow_with_the_store(
    history: History, git_processes: GitProcesses
) -> None:
    counts = []
    for projects in (2, 12):
        for number in range(projects):
            history.takes(history.project(f"{projects}-{number}"), 4, size=10)
        git_processes.reset()
        plan = history.checkpoints.plan_prune(policy=limited(2))
        assert git_processes.count() == 0
        history.checkpoints.prune(plan=plan, options=AT_ONCE)
        commands = git_processes.commands()
        names = [next(w for w in c if not w.startswith("-") and "=" not in w) for c in commands]
        assert "update-ref" not in names
        assert names.count("repack") <= 2
        counts.append(len(names))
    assert counts[0] == counts[1]
    history.verify()


# --- the size cap ---------------------------------------------------------------------------


@pytest.mark.campaign
def test_the_cap_is_reached_and_the_newest_stay(history: History) -> None:
    projects = [history.project(name) for name in ("alpha", "beta", "gamma")]
    for _ in range(6):
        for project in projects:
            history.take(project, size=150_000)
    cap = 1_500_000 + catalog_file(history)
    plan = history.checkpoints.plan_prune(policy=Policy(cap_bytes=cap), options=AT_ONCE)
    assert plan.cap is not None
    assert plan.cap.reachable
    result = history.checkpoints.prune(plan=plan, options=AT_ONCE)
    assert not result.over_cap
    assert cap * 0.6 < result.after_bytes <= cap
    assert abs(result.after_bytes - plan.cap.expected_bytes) < cap * 0.1
    counts = [len(history.checkpoints.project(project).list()) for project in projects]
    assert max(counts) - min(counts) <= 1, "one of each project in turn"
    history.verify()


@pytest.mark.campaign
def test_packing_alone_may_do(history: History) -> None:
    project = history.project()
    text = "\n".join(f"line {n}" for n in range(6000)).encode()
    for number in range(12):
        (project / "data").write_bytes(text + b"%d" % number)
        for small in range(BULK - 5):  # each take as loose objects
            (project / f"{number}-{small}").write_bytes(b"%d %d" % (number, small))
        history.checkpoints.project(project).take()
    half = disk(history.store) // 2 + catalog_file(history)
    plan = history.checkpoints.plan_prune(policy=Policy(cap_bytes=half), options=AT_ONCE)
    assert plan.drop == ()
    result = history.checkpoints.prune(plan=plan, options=AT_ONCE)
    assert result.after_bytes < half
    assert len(history.checkpoints.project(project).list()) == 12


@pytest.mark.campaign
def test_an_unreachable_cap_is_tried_once(history: History, git_processes: GitProcesses) -> None:
    project = history.project()
    pinned = history.takes(project, 3, size=300_000)
    for checkpoint in pinned:
        history.checkpoints.project(checkpoint.working_dir).pin(checkpoint)
    policy = Policy(cap_bytes=400_000)
    plan = history.checkpoints.plan_prune(policy=policy, options=AT_ONCE)
    assert plan.cap is not None
    assert not plan.cap.reachable
    result = history.checkpoints.prune(plan=plan, options=AT_ONCE)
    assert result.over_cap
    (entry, *_) = journal(history.checkpoints._base.catalog, 1, OperationKind.PRUNE)
    assert (entry.outcome, entry.code) == (OperationOutcome.PARTIAL, "size-cap")
    git_processes.reset()
    again = history.checkpoints.plan_prune(policy=policy, options=AT_ONCE)
    assert again.cap is not None
    assert again.cap.tried
    assert git_processes.count() == 0
    history.checkpoints.project(pinned[0].working_dir).unpin(pinned[0])
    changed = history.checkpoints.plan_prune(policy=policy, options=AT_ONCE)
    assert changed.cap is not None
    assert changed.cap.tried, "the pin alone freed nothing that the cap may drop"
    history.checkpoints.project(project).take()
    history.take(project, size=10)
    changed = history.checkpoints.plan_prune(policy=policy, options=AT_ONCE)
    assert changed.cap is not None
    assert not changed.cap.tried


@pytest.mark.campaign
def test_asking_for_space_back(history: History) -> None:
    project = history.project()
    history.takes(project, 8, size=200_000)
    plan = history.checkpoints.plan_prune(policy=Policy(), reclaim_bytes=500_000)
    assert 2 <= len(plan.drop) <= 3
    assert {d.rule for d in plan.drop} == {Rule.SIZE_CAP}
    result = history.checkpoints.prune(plan=plan, options=AT_ONCE)
    assert result.freed_bytes >= 500_000


# --- others at work ----------------------------------------------------------------------------


def test_another_prune_is_waited_for_or_named(history: History) -> None:
    history.takes(history.project(), 2)
    layout = history.checkpoints._base.layout
    plan = history.checkpoints.plan_prune(policy=limited(1))
    with (
        exclusive(layout.prune_lock, purpose="prune"),
        pytest.raises(LockHeld, match=r"prune\.lock is held"),
    ):
        history.checkpoints.prune(plan=plan, options=PruneOptions(lock_timeout=0))
    assert len(history.refs()) == 2


def test_an_opening_beside_a_running_prune_leaves_it_alone(history: History) -> None:
    base = history.checkpoints._base
    history.takes(history.project(), 2)
    with exclusive(base.layout.prune_lock, purpose="prune"):
        operation = base.catalog.operations.begin(
            JournalEntry(OperationKind.PRUNE, base.now(), str(base.layout.base))
        )
        ids = {c._row: "why" for c in base.catalog.checkpoints.live()[:1]}
        base.catalog.checkpoints.mark_pruning(ids, base.now())
        Checkpoints.open(history.home).close()
        assert [found.id for found in base.catalog.operations.running()] == [operation]
        assert len(base.catalog.checkpoints.pruning()) == 1
    Checkpoints.open(history.home).close()
    assert base.catalog.operations.running() == []
    assert base.catalog.checkpoints.pruning() == []
    history.verify()


# --- pins and labels ---------------------------------------------------------------------------


@pytest.mark.campaign(beyond=3)
@pytest.mark.parametrize("label", ["", "latest", "12", "abcd1234", "-x", "a\nb", "x" * 101])
def test_labels_that_could_not_be_looked_up_are_refused(history: History, label: str) -> None:
    checkpoint = history.take(history.project())
    with pytest.raises(BadRequest, match="invalid label"):
        history.checkpoints.project(checkpoint.working_dir).label(checkpoint, label)


def test_nothing_to_prune_in_an_empty_home(history: History) -> None:
    plan = history.checkpoints.plan_prune(policy=Policy(retention_days=1, cap_bytes=MB))
    assert (plan.drop, plan.kept, plan.scanned) == ((), (), 0)
    result = history.checkpoints.prune(plan=plan)
    assert (result.errors, result.freed_bytes) == ((), 0)
    assert timedelta() == plan.policy.keep.within


def test_what_is_the_newest_by_now_stays(history: History) -> None:
    project, other = history.project(), history.project("beta")
    first, second = history.takes(project, 2)
    history.takes(other, 1)
    plan = history.checkpoints.plan_prune(policy=limited(1))
    history.checkpoints.prune(
        plan=history.checkpoints.project(project).plan_drop([second.id]), options=AT_ONCE
    )
    result = history.checkpoints.prune(plan=plan, options=AT_ONCE)
    assert result.dropped == ()
    assert [d.checkpoint.id for d in result.skipped] == [first.id]
    assert [c.id for c in history.checkpoints.project(project).list()] == [first.id]


def test_the_newest_that_is_damaged_leaves_the_one_before_it(history: History) -> None:
    project = history.project()
    first, second, third = history.takes(project, 3)
    plan = history.checkpoints.plan_prune(policy=limited(1))
    (history.store / "objects" / third.id[:2] / third.id[2:]).unlink()
    result = history.checkpoints.prune(plan=plan, options=AT_ONCE)
    assert [d.checkpoint.id for d in result.dropped] == [first.id]
    assert [c.id for c in history.checkpoints.project(project).list()] == [second.id]
    history.verify()


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("gone", [False, True], ids=["there", "deleted"])
def test_no_checkpoint_goes_for_the_size_of_sessions(history: History, gone: bool) -> None:
    project = history.project()
    history.takes(project, 3)
    cap = Policy(cap_bytes=2 * MB)
    history.checkpoints.prune(plan=history.checkpoints.plan_prune(policy=cap), options=AT_ONCE)
    sessions = history.checkpoints.sessions
    for number in range(3):
        sessions.write(f"s{number}", {"task": "t", "notes": "x" * MB})
    for number in range(3 if gone else 0):
        sessions.delete(f"s{number}")
    base = history.checkpoints._base
    base.catalog.write_back()
    file = base.catalog.bytes
    assert file > 3 * MB
    assert history.checkpoints.capped_bytes() < 2 * MB
    plan = history.checkpoints.plan_prune(policy=cap)
    assert plan.drop == ()
    result = history.checkpoints.prune(plan=plan, options=AT_ONCE)
    assert not result.over_cap
    assert (base.catalog.bytes < MB) is gone
    assert len(history.checkpoints.project(project).list()) == 3
