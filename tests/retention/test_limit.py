"""The limit of each project, which holds after every take."""

from __future__ import annotations

from pathlib import Path

import pytest

from catalog.records import journal
from conftest import GitProcesses
from hermes_checkpoints import CheckpointManager, Checkpoints, Kind, Taken
from hermes_checkpoints.config import Config
from hermes_checkpoints.errors import CheckpointPruned
from hermes_checkpoints.model import MB, OperationKind, OperationOutcome
from retention.histories import History


@pytest.fixture
def limited(home: Path, tmp_path: Path) -> History:
    config = Config(max_snapshots=3, max_total_size_mb=0)
    return History(Checkpoints.open(home, config=config), home, tmp_path / "projects")


def test_six_takes_leave_three_with_the_ids_that_were_shown(limited: History) -> None:
    project = limited.project()
    taken = limited.takes(project, 6)
    left = limited.checkpoints.project(project).list()
    assert [c.id for c in left] == [c.id for c in reversed(taken[3:])]
    for checkpoint in left:
        assert limited.checkpoints.find(checkpoint.short_id) == checkpoint
        limited.git("cat-file", "-e", checkpoint.id)
    limited.verify()
    with pytest.raises(CheckpointPruned, match=r"was pruned on .*more than 3 \(max_snapshots\)"):
        limited.checkpoints.project(project).get(taken[0].id)
    assert (project / "data").exists()


@pytest.mark.campaign
def test_a_pruned_id_never_means_another_state(limited: History) -> None:
    project = limited.project()
    taken = limited.takes(project, 9)
    for checkpoint in taken[:-3]:
        with pytest.raises(CheckpointPruned):
            limited.checkpoints.project(project).restore(checkpoint.id)
    content = (project / "data").read_bytes()
    limited.checkpoints.project(project).restore(taken[-3].id)
    assert (project / "data").read_bytes() != content


@pytest.mark.campaign
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
        assert len(checkpoints.project(project).list()) == 3


def test_target_and_safety_checkpoint_survive_a_restore_at_the_limit(
    limited: History,
) -> None:
    project = limited.project()
    oldest, *_, newest = limited.takes(project, 3)
    (project / "data").write_bytes(b"not yet in any checkpoint")
    restored = limited.checkpoints.project(project).restore(oldest.id)
    for checkpoint in (oldest, restored.safety):
        assert limited.checkpoints.project(project).get(checkpoint.id) == checkpoint
    limited.verify()
    limited.checkpoints.project(project).restore(restored.safety.id)
    assert (project / "data").read_bytes() == b"not yet in any checkpoint"
    assert limited.checkpoints.project(project).get(newest.id) == newest
    limited.take(project)
    assert len(limited.checkpoints.project(project).list()) == 3
    limited.verify()


@pytest.mark.campaign
def test_restores_one_after_the_other_stay_within_the_limit(limited: History) -> None:
    project = limited.project()
    limited.takes(project, 3)
    for number in range(5):
        (project / "data").write_bytes(b"%d" % number)
        target = limited.checkpoints.project(project).list()[-1]
        restored = limited.checkpoints.project(project).restore(target.id)
        assert restored.complete
        assert limited.checkpoints.find(target.id) == target
        if restored.done:
            assert limited.checkpoints.project(project).undo().complete
        else:
            assert restored.kept_all
        assert (project / "data").read_bytes() == b"%d" % number
        assert len(limited.checkpoints.project(project).list()) <= 3 + 1, "the limit and the target"
    limited.take(project)
    assert len(limited.checkpoints.project(project).list()) == 3
    limited.verify()


def test_pins_and_labels_stay_beside_the_limit(limited: History) -> None:
    project = limited.project()
    pinned = limited.take(project)
    limited.checkpoints.project(project).pin(pinned)
    labelled = limited.take(project, label="good")
    taken = limited.takes(project, 5)
    left = {c.id for c in limited.checkpoints.project(project).list()}
    assert left == {c.id for c in (pinned, labelled, *taken[-3:])}
    limited.checkpoints.project(project).unpin(pinned)
    limited.checkpoints.project(project).unlabel(labelled)
    limited.take(project)
    assert len(limited.checkpoints.project(project).list()) == 3


def test_a_take_at_the_limit_starts_no_more_processes_than_below_it(
    limited: History, git_processes: GitProcesses
) -> None:
    project = limited.project()
    limited.takes(project, 2)
    git_processes.reset()
    limited.take(project)
    below = sorted(command[-1] for command in git_processes.commands())
    git_processes.reset()
    limited.take(project)
    assert sorted(command[-1] for command in git_processes.commands()) == below
    assert len(limited.checkpoints.project(project).list()) == 3
    git_processes.reset()
    Checkpoints(limited.checkpoints._base).project(project).list()
    assert git_processes.count() == 0


@pytest.mark.slow
def test_a_trim_that_fails_costs_no_checkpoint_and_is_made_up_for(limited: History) -> None:
    project = limited.project()
    oldest, *_ = limited.takes(project, 3)
    lock = limited.store / f"{oldest.ref_name}.lock"
    lock.touch()
    limited.take(project)
    entries = journal(limited.checkpoints._base.catalog, 5, OperationKind.PRUNE)
    assert [entry.outcome for entry in entries] == [OperationOutcome.FAILED]
    assert len(limited.checkpoints.project(project).list()) == 3
    result = limited.checkpoints.prune(plan=limited.checkpoints.plan_prune())
    assert (result.errors, lock.exists()) == ((), False)
    limited.verify()


def test_those_taken_by_hand_go_last(limited: History) -> None:
    project = limited.checkpoints.project(limited.project())

    def take(number: int, kind: Kind) -> str:
        (project.working_dir / "data").write_bytes(b"%d" % number)
        taken = project.take(kind=kind)
        assert isinstance(taken, Taken)
        return taken.checkpoint.id

    mine = [take(0, Kind.MANUAL), take(1, Kind.MANUAL)]
    agents = [take(number, Kind.AUTO) for number in (2, 3, 4)]
    assert [one.id for one in project.list()] == [agents[-1], *mine[::-1]]
    mine += [take(5, Kind.MANUAL), take(6, Kind.MANUAL)]
    assert [one.id for one in project.list()] == mine[:0:-1], "then the oldest of these"


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("given", ["constructor", "file", "manager", "attribute"])
def test_no_limit_is_no_limit_however_it_is_given(home: Path, project: Path, given: str) -> None:
    none = {"max_snapshots": 0, "max_total_size_mb": 0, "max_file_size_mb": 0, "max_files": 0}
    text = ", ".join(f"{key}: {value}" for key, value in none.items())
    (home / "config.yaml").write_text(f"checkpoints: {{{text}}}")
    if given == "constructor":
        manager = CheckpointManager(True, 0, 0, 0, home=home)
    elif given == "manager":
        manager = CheckpointManager(True, home=home)
    else:
        manager = CheckpointManager.from_config(home=home)
        manager.enabled = True
    if given == "attribute":
        manager.max_snapshots, manager.max_snapshots = 1, 0
    with (project / "big").open("wb") as big:
        big.truncate(11 * MB)
    takes = 21 if given == "constructor" else 2  # more than the default of 20, or than one
    for number in range(takes):
        (project / "README.md").write_text(f"{number}\n")
        manager.new_turn()
        assert manager.ensure_checkpoint(str(project))
    assert manager.max_snapshots == 0
    assert len(manager.list_checkpoints(str(project))) == takes
    assert len(manager.list_all_checkpoints()) == takes
    with Checkpoints.open(home) as checkpoints:
        assert checkpoints.project(project).skipped("latest") == []
        assert not checkpoints.plan_prune().drop
