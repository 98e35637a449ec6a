"""The limit of each project, which holds after every take."""

from __future__ import annotations

from pathlib import Path

import pytest

from conftest import GitProcesses
from hermes_checkpoints import CheckpointManager, Checkpoints
from hermes_checkpoints.config import Config
from hermes_checkpoints.errors import CheckpointPruned
from hermes_checkpoints.model import OperationKind, OperationOutcome
from retention.histories import History


@pytest.fixture
def limited(home: Path, tmp_path: Path) -> History:
    config = Config(max_snapshots=3, max_total_size_mb=0)
    return History(Checkpoints.open(home, config=config), home, tmp_path / "projects")


def test_six_takes_leave_three_with_the_ids_that_were_shown(limited: History) -> None:
    project = limited.project()
    taken = limited.takes(project, 6)
    left = limited.checkpoints.list(project)
    assert [c.commit_id for c in left] == [c.commit_id for c in reversed(taken[3:])]
    for checkpoint in left:
        assert limited.checkpoints.get(checkpoint.short_id) == checkpoint
        limited.git("cat-file", "-e", checkpoint.commit_id)
    limited.verify()
    with pytest.raises(CheckpointPruned, match=r"was pruned on .*more than 3 \(max_snapshots\)"):
        limited.checkpoints.get(taken[0].commit_id, project)
    assert (project / "data").exists()


def test_case_5_a_pruned_id_never_means_another_state(limited: History) -> None:
    project = limited.project()
    taken = limited.takes(project, 9)
    for checkpoint in taken[:-3]:
        with pytest.raises(CheckpointPruned):
            limited.checkpoints.restore(project, checkpoint.commit_id)
    content = (project / "data").read_bytes()
    limited.checkpoints.restore(project, taken[-3].commit_id)
    assert (project / "data").read_bytes() != content


def test_the_manager_brings_its_own_limit(home: Path, project: Path) -> None:
    manager = CheckpointManager(enabled=True, max_snapshots=3, home=home)
    hashes = []
    for number in range(6):
        (project / "README.md").write_text(f"{number}\n")
        manager.new_turn()
        assert manager.ensure_checkpoint(str(project))
        hashes.append(manager.list_checkpoints(str(project))[0]["hash"])
    assert [c["hash"] for c in manager.list_checkpoints(str(project))] == hashes[:2:-1]
    with Checkpoints.open(home) as checkpoints:
        assert len(checkpoints.list(project)) == 3


def test_case_4_target_and_safety_checkpoint_survive_a_restore_at_the_limit(
    limited: History,
) -> None:
    project = limited.project()
    oldest, *_, newest = limited.takes(project, 3)
    (project / "data").write_bytes(b"not yet in any checkpoint")
    restored = limited.checkpoints.restore(project, oldest.commit_id)
    for checkpoint in (oldest, restored.safety):
        assert limited.checkpoints.get(checkpoint.commit_id, project) == checkpoint
    limited.verify()
    limited.checkpoints.restore(project, restored.safety.commit_id)
    assert (project / "data").read_bytes() == b"not yet in any checkpoint"
    assert limited.checkpoints.get(newest.commit_id, project) == newest
    limited.take(project)
    assert len(limited.checkpoints.list(project)) == 3
    limited.verify()


def test_restores_one_after_the_other_stay_within_the_limit(limited: History) -> None:
    project = limited.project()
    limited.takes(project, 3)
    for number in range(5):
        (project / "data").write_bytes(b"%d" % number)
        target = limited.checkpoints.list(project)[-1]
        restored = limited.checkpoints.restore(project, target.commit_id)
        assert restored.complete
        assert limited.checkpoints.get(target.commit_id) == target
        assert limited.checkpoints.undo(project).complete
        assert (project / "data").read_bytes() == b"%d" % number
        assert len(limited.checkpoints.list(project)) <= 3 + 1, "the limit and the target"
    limited.take(project)
    assert len(limited.checkpoints.list(project)) == 3
    limited.verify()


def test_pins_and_labels_stay_beside_the_limit(limited: History) -> None:
    project = limited.project()
    pinned = limited.take(project)
    limited.checkpoints.pin(pinned.commit_id)
    labelled = limited.take(project, label="good")
    taken = limited.takes(project, 5)
    left = {c.commit_id for c in limited.checkpoints.list(project)}
    assert left == {c.commit_id for c in (pinned, labelled, *taken[-3:])}
    limited.checkpoints.unpin(pinned.commit_id)
    limited.checkpoints.set_label(labelled.commit_id, None)
    limited.take(project)
    assert len(limited.checkpoints.list(project)) == 3


def test_no_gc_and_one_process_on_the_take_path(
    limited: History, git_processes: GitProcesses
) -> None:
    project = limited.project()
    limited.takes(project, 3)
    git_processes.reset()
    limited.take(project)
    at_the_limit = [command[0] for command in git_processes.commands()]
    assert at_the_limit.count("update-ref") == 1
    assert not {"repack", "gc", "prune", "pack-refs"} & {*at_the_limit}
    git_processes.reset()
    Checkpoints(limited.checkpoints._base).list(project)
    assert git_processes.count() == 0


def test_a_trim_that_fails_costs_no_checkpoint_and_is_made_up_for(limited: History) -> None:
    project = limited.project()
    limited.takes(project, 3)
    lock = limited.store / "packed-refs.lock"
    lock.touch()
    limited.take(project)
    journal = limited.checkpoints._base.catalog.operations.recent(5, [OperationKind.PRUNE])
    assert [entry.outcome for entry in journal] == [OperationOutcome.FAILED]
    assert len(limited.checkpoints.list(project)) == 3
    result = limited.checkpoints.prune(limited.checkpoints.prune_plan())
    assert (result.errors, lock.exists()) == ((), False)
    limited.verify()
