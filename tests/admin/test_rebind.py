"""The history of a directory that moved follows it, ids and all."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_checkpoints import Checkpoints
from hermes_checkpoints.errors import BadDirectory, BadRequest, CheckpointError, ProjectUnknown
from hermes_checkpoints.model import Kind, Policy
from retention.histories import AT_ONCE, History


def test_a_moved_directory_keeps_its_history(history: History) -> None:
    old = history.project("old")
    taken = history.takes(old, 3)
    content = (old / "data").read_bytes()
    new = old.rename(old.with_name("new"))
    moved = history.checkpoints.rebind(old, new)
    assert (moved.checkpoints, moved.merged, moved.project.working_dir) == (3, False, str(new))
    assert [c.id for c in history.checkpoints.project(new).list()] == [
        c.id for c in reversed(taken)
    ]
    assert history.checkpoints.project(old).list() == []
    (new / "data").unlink()
    history.checkpoints.project(new).restore(taken[-1].id)
    assert (new / "data").read_bytes() == content
    later = history.take(new)
    assert later._previous_row is not None
    history.checkpoints.prune(
        plan=history.checkpoints.plan_prune(policy=Policy(max_snapshots=2)), options=AT_ONCE
    )
    history.verify()


def test_it_joins_what_the_new_place_has(history: History) -> None:
    old, other = history.project("old"), history.project("other")
    first, second = history.take(old), history.take(other)
    third = history.take(old)
    (old / "data").unlink()
    old.rmdir()
    assert history.checkpoints.rebind(old, other).merged
    ids = [c.id for c in history.checkpoints.project(other).list()]
    assert ids == [third.id, second.id, first.id]
    assert history.checkpoints.status().project_count == 1
    history.checkpoints.project(other).restore(first.id)
    history.verify()


@pytest.mark.campaign
def test_a_rebuilt_catalog_knows_where_it_is_now(history: History) -> None:
    first, second, third = (history.folder / name for name in ("one", "two", "three"))
    taken = history.takes(history.project("one"), 2)
    first.rename(second)
    history.checkpoints.rebind(first, second)
    taken.append(history.take(second))
    second.rename(third)
    history.checkpoints.rebind(second, third)
    history.checkpoints.close()
    for file in (history.home / "checkpoints").glob("catalog.db*"):
        file.unlink()
    with Checkpoints.open(history.home) as checkpoints:
        ids = [c.id for c in checkpoints.project(third).list()]
        assert ids == [c.id for c in reversed(taken)]
        assert checkpoints.status().project_count == 1


def test_what_is_refused(history: History) -> None:
    old, new = history.project("old"), history.project("new")
    history.take(old)
    refused: list[tuple[object, object, type[CheckpointError]]] = [
        (old, old, BadRequest),
        (old, new, BadRequest),
        (new, old, ProjectUnknown),
        (old, history.folder / "missing", BadDirectory),
        (old, history.home / "checkpoints", BadRequest),
    ]
    for one, other, error in refused:
        with pytest.raises(error):
            history.checkpoints.rebind(str(one), str(other))
        with pytest.raises(error):
            history.checkpoints.plan_rebind(str(one), str(other))
    assert len(history.checkpoints.project(old).list()) == 1


def test_a_plan_says_what_would_come_back_and_changes_nothing(history: History) -> None:
    old, other = history.project("old"), history.project("other")
    history.takes(old, 2)
    history.take(other)
    (old / "data").unlink()
    new = old.rename(old.with_name("new"))
    for target, merged in ((other, True), (new, False)):
        plan = history.checkpoints.plan_rebind(old, target)
        assert (plan.checkpoints, plan.merged, plan.project.working_dir) == (2, merged, str(target))
    assert len(history.checkpoints.project(old).list()) == 2
    assert history.checkpoints.project(new).list() == []
    assert history.checkpoints.rebind(old, new, plan=plan) == plan
    history.verify()


def test_a_plan_that_does_not_fit_is_refused(history: History) -> None:
    old, other = history.project("old"), history.project("other")
    history.takes(old, 2)
    new = old.rename(old.with_name("new"))
    elsewhere = history.checkpoints.plan_rebind(old, other)
    before = history.checkpoints.plan_rebind(old, new)
    history.checkpoints.project(old).drop("2", options=AT_ONCE)
    for plan in (elsewhere, before):
        with pytest.raises(BadRequest, match="make a new plan"):
            history.checkpoints.rebind(old, new, plan=plan)
    assert len(history.checkpoints.project(old).list()) == 1
    assert history.checkpoints.project(new).list() == []


@pytest.mark.campaign
def test_where_a_prune_removed_the_record_nobody_is_named(history: History) -> None:
    checkpoints = history.checkpoints
    old, other = history.project("old"), history.project("other")

    def turns(folder: Path, session: str, count: int) -> None:
        project = checkpoints.project(folder)
        for number in range(count):
            project.take(kind=Kind.AUTO, session_id=session, turn=number)
            (folder / "data").write_text(f"{session}{number}")
            project.end_turn(session_id=session)

    (old / "data").write_text("at first")
    turns(old, "early", 2)
    checkpoints.project(old).take("by hand")
    (other / "data").write_text("early1")
    turns(other, "late", 5)
    shorter = checkpoints.project(other)
    for checkpoint in shorter.list()[1:]:
        shorter.drop(checkpoint, options=AT_ONCE)
    checkpoints._base.catalog.shrink()
    (old / "data").unlink()
    old.rmdir()
    other.rename(old)
    checkpoints.rebind(other, old)
    merged = checkpoints.project(old)
    assert [event.session_id or event.actor.value for event in merged.who("data")] == [
        *("late", "unknown", "early", "early")
    ]
    for ref in ("2", "4"):
        (step,) = merged.plan_restore(ref).steps
        assert (step.action.value, step.reason) == ("keep", "no record of who changed it")
    for checkpoint in merged.list()[1:]:
        merged.drop(checkpoint, options=AT_ONCE)
    checkpoints._base.catalog.shrink()
    assert [event.session_id for event in merged.who("data")] == ["late"]
    history.verify()


def test_each_session_goes_on_with_one_turn(history: History) -> None:
    checkpoints = history.checkpoints
    catalog = checkpoints._base.catalog
    old, other = history.project("old"), history.project("other")
    for folder, sessions in ((old, ("both", "early")), (other, ("both", "late", None))):
        (folder / "data").write_text(f"{folder}")
        for session in sessions:
            checkpoints.project(folder).take(kind=Kind.AUTO, session_id=session)
    checkpoints.project(old).record_agent_write("data", session_id="both", tool="early tool")
    (old / "data").unlink()
    old.rmdir()
    other.rename(old)
    checkpoints.rebind(other, old)
    (project,) = catalog.projects.all()
    open_ = {turn.session_id: turn.id for turn in catalog.turns.open(project.id)}
    assert open_.keys() == {"both", "early", "late", None}
    (write,) = catalog.turns.writes(project.id)
    assert (write.tool, write.turn_id) == ("early tool", open_["both"])
    moved = checkpoints.project(old)
    assert all(moved.end_turn(session_id=session) for session in open_)
    assert catalog.turns.writes(project.id) == []
    history.verify()
