"""A damaged checkpoint is put aside and reported; the rest goes on."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_checkpoints.errors import CheckpointPruned
from hermes_checkpoints.model import Checkpoint, Policy, PruneResult
from hermes_checkpoints.retention.plan import PruneOptions
from retention.histories import AT_ONCE, History


def loose(history: History, object_id: str) -> Path:
    return history.store / "objects" / object_id[:2] / object_id[2:]


def pruned(history: History, keep: int = 4, cap: int = 0) -> PruneResult:
    policy = Policy(max_snapshots=keep, cap_bytes=cap)
    return history.checkpoints.prune(
        plan=history.checkpoints.plan_prune(policy=policy), options=AT_ONCE
    )


def taken_with_room(history: History) -> tuple[Path, list[Checkpoint]]:
    project = history.project()
    return project, history.takes(project, 6)


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("part", ["commit", "tree", "blob"])
def test_one_ref_to_a_missing_object_blocks_nothing_else(history: History, part: str) -> None:
    project, taken = taken_with_room(history)
    victim = taken[3]
    blob = history.git("rev-parse", f"{victim.id}:tree/data").strip()
    missing = {"commit": victim.id, "tree": victim.tree_id, "blob": blob}[part]
    loose(history, missing).unlink()
    result = pruned(history)
    assert {d.checkpoint.id for d in result.dropped} == {taken[0].id, taken[1].id}
    assert result.quarantined == (victim.ref_name,)
    assert any(victim.short_id in error and "damaged" in error for error in result.errors)
    with pytest.raises(CheckpointPruned, match="the object store lost part of it"):
        history.checkpoints.find(victim.id)
    assert f"{victim.id} {victim.ref_name}" in (history.store / "quarantine").read_text()
    if part != "commit":  # what is left of it survives any gc
        pruned(history)
        history.git("cat-file", "-e", victim.id)
    assert history.checkpoints._base.store.sizes([taken[0].id]) == {}
    kept = [c.id for c in history.checkpoints.project(project).list()]
    assert kept == [taken[5].id, taken[4].id, taken[2].id]
    history.take(project)
    assert pruned(history).errors == ()


@pytest.mark.campaign
def test_a_size_cap_in_a_store_with_damage(history: History) -> None:
    project = history.project()
    taken = history.takes(project, 6, size=200_000)
    loose(history, taken[3].tree_id).unlink()
    result = pruned(history, keep=0, cap=1_000_000)
    assert result.quarantined == (taken[3].ref_name,)
    assert not result.over_cap
    assert history.checkpoints.project(project).list()[0].id == taken[-1].id


@pytest.mark.campaign
def test_a_file_that_is_no_ref_is_moved_away(history: History) -> None:
    _, taken = taken_with_room(history)
    broken = history.store / taken[0].ref_name
    broken.write_text("no id of anything\n")
    result = pruned(history)
    assert result.quarantined == (taken[0].ref_name,)
    assert not broken.exists()
    assert list(history.store.glob("quarantine-*"))
    assert pruned(history).errors == ()
    history.verify()


@pytest.mark.campaign
def test_without_room_the_packs_stay_and_the_loose_go(history: History) -> None:
    project, taken = taken_with_room(history)
    pruned(history)
    packs = sorted((history.store / "objects" / "pack").glob("*.pack"))
    more = history.takes(project, 3)
    full = PruneOptions(free_bytes=lambda _: 1000)
    plan = history.checkpoints.plan_prune(policy=Policy(max_snapshots=1))
    result = history.checkpoints.prune(plan=plan, options=full)
    assert any("bytes and 1000 are free" in error for error in result.errors)
    assert sorted((history.store / "objects" / "pack").glob("*.pack")) == packs
    assert history.checkpoints._base.store.sizes([more[0].id]) == {}
    assert pruned(history, keep=1).errors == ()
    assert history.checkpoints._base.store.sizes([taken[-1].id]) == {}
    history.verify()
