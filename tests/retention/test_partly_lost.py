"""A checkpoint of which only some contents are gone is listed, says which, and gives the others."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_checkpoints import Rollback, format_checkpoint_list
from hermes_checkpoints.agent.manager import CheckpointManager
from hermes_checkpoints.errors import CheckpointLost, CheckpointPruned
from hermes_checkpoints.model import Checkpoint, Policy, PruneResult, Taken
from hermes_checkpoints.retention.plan import PruneOptions
from retention.histories import AT_ONCE, History
from support import Run

PATHS = ("a.txt", "src/b.txt", "src/deep/c.txt", "lost.txt")


def written(project: Path, number: int) -> None:
    for path in PATHS:
        (project / path).parent.mkdir(parents=True, exist_ok=True)
        (project / path).write_text(f"{path} {number}\n")


def taken(history: History, project: Path, number: int) -> Checkpoint:
    written(project, number)
    outcome = history.checkpoints.project(project).take(f"step {number}")
    assert isinstance(outcome, Taken)
    return outcome.checkpoint


def lose(history: History, checkpoint: Checkpoint, *paths: str) -> list[tuple[Path, bytes]]:
    """Take the contents of paths out of the store; return what brings them back."""
    saved = []
    for path in paths:
        blob = history.git("rev-parse", f"{checkpoint.id}:tree/{path}").strip()
        file = history.store / "objects" / blob[:2] / blob[2:]
        saved.append((file, file.read_bytes()))
        file.unlink()
    return saved


def prune(history: History, keep: int = 0) -> PruneResult:
    plan = history.checkpoints.plan_prune(policy=Policy(max_snapshots=keep))
    return history.checkpoints.prune(plan=plan, options=AT_ONCE)


@pytest.fixture
def first(history: History) -> Checkpoint:
    """The older of two checkpoints, of which ``lost.txt`` is gone, found by a prune."""
    project = history.project()
    first = taken(history, project, 1)
    taken(history, project, 2)
    history.checkpoints.project(project).label(first, "good")
    lose(history, first, "lost.txt")
    result = prune(history)
    assert result.quarantined == (first.ref_name,)
    (error,) = result.errors
    assert f"{first.short_id} of {project} is partly lost" in error
    return history.checkpoints.project(project).get(first.id)


@pytest.mark.campaign
def test_it_is_listed_under_its_number_and_label_and_says_which_paths_are_gone(
    history: History, first: Checkpoint, run: Run
) -> None:
    project = history.project()
    own = history.checkpoints.project(project)
    assert [c.reason for c in own.list()] == ["step 2", "step 1"]
    assert own.lost() == []
    assert own.get("2") == own.get("good") == first
    assert first.partly_lost
    assert own.lost_paths("2") == ["lost.txt"]
    assert own.lost_paths("1") == []
    assert "[partly lost]" in run("log", project, "--home", history.home).out
    shown = run("show", "2", "--dir", project, "--home", history.home).out
    assert "Lost by the object store (1); a restore brings the other paths:\n  lost.txt" in shown
    log = run("log", project, "--home", history.home, "--json").json
    assert [c["partly_lost"] for c in log["checkpoints"]] == [False, True]
    shown = run("show", "2", "--dir", project, "--home", history.home, "--json").json
    assert [found["path"] for found in shown["lost_paths"]] == ["lost.txt"]
    (note,) = [n for n in history.checkpoints.status().notes if "partly lost (" in n]
    assert first.short_id in note


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("mode", ["overlay", "exact"])
def test_a_restore_brings_what_is_whole_and_names_the_rest(
    history: History, first: Checkpoint, mode: str
) -> None:
    project = history.project()
    own = history.checkpoints.project(project)
    plan = own.plan_restore("good", mode=mode)
    (named,) = [step for step in plan.steps if "the store lacks its contents" in step.reason]
    assert named.path == "lost.txt"
    done = own.restore("good", mode=mode)
    assert not done.complete
    assert [step.path for step in done.failed] == ["lost.txt"]
    assert [(project / path).read_text() for path in PATHS] == [
        *(f"{path} 1\n" for path in PATHS[:3]),
        "lost.txt 2\n",
    ]


@pytest.mark.campaign
def test_gc_goes_on_and_keeps_what_is_left_of_it(history: History, first: Checkpoint) -> None:
    project = history.project()
    for number in range(3, 6):
        taken(history, project, number)
        assert prune(history).errors == ()
        assert prune(history).mended == ()
    assert history.checkpoints.project(project).restore("good", paths=["a.txt"]).complete
    assert (project / "a.txt").read_text() == "a.txt 1\n"
    history.git("fsck", "--strict", "--no-dangling")


@pytest.mark.campaign
def test_it_is_whole_again_once_a_prune_finds_the_contents_in_the_working_directory(
    history: History, first: Checkpoint
) -> None:
    project = history.project()
    (project / "lost.txt").write_text("lost.txt 1\n")
    history.checkpoints.project(project).take("with the contents")
    result = prune(history)
    assert "1 checkpoint whole again" in result.mended
    found = history.checkpoints.project(project).get("good")
    assert not found.partly_lost
    assert history.checkpoints.project(project).restore("good", mode="exact").complete
    assert prune(history).errors == ()
    history.verify()


@pytest.mark.campaign
def test_an_opening_after_a_take_of_the_contents_finds_it_whole(
    history: History, first: Checkpoint, run: Run
) -> None:
    project = history.project()
    (project / "lost.txt").write_text("lost.txt 1\n")
    run("take", project, "--home", history.home)
    out = run("log", project, "--home", history.home).out
    assert "step 1" in out
    assert "partly lost" not in out


def test_a_backup_of_the_object_makes_it_whole(history: History) -> None:
    project = history.project()
    one = taken(history, project, 1)
    taken(history, project, 2)
    saved = lose(history, one, "lost.txt", "a.txt")
    prune(history)
    own = history.checkpoints.project(project)
    assert own.lost_paths(one) == ["a.txt", "lost.txt"]
    for file, data in saved:
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(data)
    assert own.lost_paths(one) == []
    assert "1 checkpoint whole again" in prune(history).mended
    assert not own.get(one.id).partly_lost
    history.verify()


def test_of_which_everything_is_gone_is_lost(history: History) -> None:
    project = history.project()
    one = taken(history, project, 1)
    taken(history, project, 2)
    lose(history, one, *PATHS)
    prune(history)
    assert [c.id for c in history.checkpoints.project(project).lost()] == [one.id]
    with pytest.raises(CheckpointLost):
        history.checkpoints.project(project).restore(one.id)


def test_one_of_which_a_directory_is_gone_is_lost(history: History) -> None:
    project = history.project()
    one = taken(history, project, 1)
    taken(history, project, 2)
    tree = history.git("rev-parse", f"{one.id}:tree/src").strip()
    (history.store / "objects" / tree[:2] / tree[2:]).unlink()
    prune(history)
    assert [c.id for c in history.checkpoints.project(project).lost()] == [one.id]


def test_rules_and_people_drop_it_like_any_other(history: History, first: Checkpoint) -> None:
    project = history.project()
    own = history.checkpoints.project(project)
    own.pin(first)
    own.label(first, "better")
    own.unpin(first)
    own.unlabel("good", "good")
    own.unlabel("better")
    assert prune(history, keep=1).errors == ()
    assert [c.reason for c in own.list()] == ["step 2"]
    assert own.lost() == []
    history.verify()


@pytest.mark.campaign
def test_one_that_is_lost_as_a_whole_is_pinned_labelled_and_dropped_by_its_id(
    history: History, run: Run
) -> None:
    project = history.project()
    one = taken(history, project, 1)
    taken(history, project, 2)
    lose(history, one, *PATHS)
    prune(history)
    home = "--dir", project, "--home", history.home
    run("pin", one.short_id, *home)
    run("label", one.short_id, "gone", *home)
    own = history.checkpoints.project(project)
    assert (own.lost()[0].pinned, own.lost()[0].labels) == (True, ("gone",))
    run("drop", "gone", *home, "-f", code=2)
    run("unpin", "gone", *home)
    run("label", "gone", "--remove", *home)
    run("drop", one.short_id, *home, "-f")
    assert own.lost() == []
    with pytest.raises(CheckpointPruned, match="by hand"):
        own.get(one.id)
    history.verify()


def test_an_interrupted_drop_of_a_lost_one_says_that_it_is_still_there(history: History) -> None:
    project = history.project()
    one = taken(history, project, 1)
    taken(history, project, 2)
    lose(history, one, *PATHS)
    prune(history)
    own = history.checkpoints.project(project)

    def interrupt(_: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as stop:
        own.drop(one.id, options=PruneOptions(report=interrupt))
    assert stop.value.__notes__[-1] == "0 of 1 checkpoint deleted before that"
    assert [lost.id for lost in own.lost()] == [one.id]


def test_a_diff_and_a_later_take_go_on(history: History, first: Checkpoint, run: Run) -> None:
    project = history.project()
    out = run("diff", "2", "--dir", project, "--home", history.home).out
    assert "a.txt" in out
    assert "lost.txt" in out
    taken(history, project, 3)


def test_the_newest_one_may_be_partly_lost_and_the_next_take_is_whole(history: History) -> None:
    project = history.project()
    taken(history, project, 1)
    two = taken(history, project, 2)
    lose(history, two, "lost.txt")
    written(project, 7)
    prune(history)
    assert history.checkpoints.project(project).get(two.id).partly_lost
    three = taken(history, project, 3)
    assert history.checkpoints.project(project).restore(three.id, mode="exact").complete


def test_a_host_is_told(history: History, first: Checkpoint) -> None:
    project = history.project()
    manager = CheckpointManager(enabled=True, home=history.home)
    entries = manager.list_checkpoints(str(project))
    assert [e.get("partly_lost", False) for e in entries] == [False, True]
    listed = format_checkpoint_list(entries, str(project))
    assert listed.count("  [partly lost]\n") == 1
    assert "[partly lost] lacks the contents of some files" in listed
    rollback = Rollback(project, home=history.home, enabled=True)
    assert "  [partly lost]\n" in rollback.run("").text
    shown = rollback.run(f"show {first.short_id}").text
    assert "  Lost:     1 path; a restore brings the others\n    lost.txt" in shown
    result = manager.restore(str(project), first.id)
    assert not result["success"]
    assert result["failed"][0]["path"] == "lost.txt"
