"""What a list says of whose changes followed a checkpoint, and what restoring it would take back,
is what a plan says that looks."""

from __future__ import annotations

from pathlib import Path

import pytest

from attribution.histories import History, runs_unless
from hermes_checkpoints import Action, Actor, Checkpoints
from hermes_checkpoints.attribution import observing, turns
from hermes_checkpoints.model import SeenChange
from hermes_checkpoints.model.whose import whose
from support import Run

HISTORIES = {
    "A writes f": ["agent"],
    "A makes n; A deletes g": ["agent"],
    "A makes n; A deletes n": [],
    "A writes f; A ends; you edit g": ["agent", "person"],
    "A writes f; A ends; you edit f": ["agent", "person"],
    "A ends; you edit f": ["person"],
    "A writes f; A is killed; you edit g": ["unknown"],
    "A reports f; B takes; B reports g": ["agent"],
    "A writes f; A ends; restore; A takes; A writes f": ["agent"],
    "A writes f; A ends; restore; undo": ["restore"],
    "A writes f; A ends; restore": ["restore"],
    "A ends; you edit f; restore exactly; A takes; A writes f": ["agent"],
}


@pytest.mark.campaign(beyond=3)
@pytest.mark.parametrize("words", HISTORIES)
def test_a_list_says_what_a_plan_says_after_the_last_look(
    home: Path, project: Path, monkeypatch: pytest.MonkeyPatch, words: str
) -> None:
    dead: set[str] = set()
    for module in (observing, turns):
        monkeypatch.setattr(module, "still_runs", runs_unless(dead))
    history = History(Checkpoints.open(home), project, dead)
    first = history.begin()
    history.play(words)
    history.take(None)
    listed = history.project.whose()
    plan = history.project.plan_restore(first)
    taken_back = [
        step.path
        for step in plan.of(Action.WRITE, Action.DELETE)
        if step.reason.startswith(("agent ", "shell ", "changed by a restore"))
    ]
    assert listed[first.id].agents_files == len(taken_back), plan.steps
    newest = history.project.list()[0]
    if newest != first:
        before = history.project.timeline()[1].checkpoint
        assert {*HISTORIES[words]} == listed[before.id].hands
        assert (listed[newest.id].hands, listed[newest.id].agents_files) == (frozenset(), 0)
    history.base.close()


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("session", [None, "script"])
def test_what_follows_a_take_by_hand_is_a_persons_to_lists_as_to_the_verdict(
    home: Path, project: Path, run: Run, session: str | None
) -> None:
    with Checkpoints.open(home) as checkpoints:
        of = checkpoints.project(project)
        taken = of.take("by hand", session_id=session)
        (project / "README.md").write_text("edited\n")
        of.begin_turn(session_id="agent")
        (project / "made.txt").write_text("made\n")
        of.end_turn(session_id="agent")
        first = getattr(taken, "checkpoint").id  # noqa: B009
        reason = {step.path: step.reason for step in of.plan_restore(first).steps}["README.md"]
        persons = reason == "you changed it"
        assert persons == (session is None)
        hand = Actor.PERSON if persons else Actor.UNKNOWN
        assert of.whose()[first].hands == {hand, Actor.AGENT}
        [entry] = of.timeline()
        assert entry.whose == of.whose()[first]
    [said] = run("who", "README.md", "--dir", project).lines
    assert ("changed by you" in said) == persons


def seen(
    path: str,
    after: int,
    actor: Actor = Actor.AGENT,
    *,
    was: str | None = "1",
    now: str | None = "2",
    target: int | None = None,
) -> SeenChange:
    mode = 0o100644
    return SeenChange(
        path, after, target, actor, was, mode if was else None, now, mode if now else None
    )


def test_each_checkpoint_takes_back_what_came_after_it() -> None:
    found = whose(
        [
            seen("g", 3),
            seen("f", 2, was="2", now="3"),
            seen("n", 1, was=None, now="1"),
            seen("f", 1),
        ],
        [1, 2, 3, 4],
        9,
    )
    assert {row: one.agents_files for row, one in found.items()} == {1: 3, 2: 2, 3: 1, 4: 0}
    assert all(found[row].hands == {Actor.AGENT} for row in (1, 2, 3))
    assert found[4].hands == frozenset()


def test_one_edit_of_a_person_ends_it_for_all_checkpoints_before() -> None:
    found = whose(
        [
            seen("f", 3, was="3", now="4"),
            seen("f", 2, Actor.PERSON, was="2", now="3"),
            seen("f", 1),
        ],
        [1, 2, 3, 4],
        9,
    )
    assert {row: one.agents_files for row, one in found.items()} == {1: 0, 2: 0, 3: 1, 4: 0}
    assert found[2].hands == {Actor.PERSON}


def test_what_is_as_it_was_is_not_taken_back() -> None:
    made_and_gone = [seen("t", 1, was="1", now=None), seen("t", 1, was=None, now="1")]
    there_and_back = [seen("f", 2, was="2", now="1"), seen("f", 1)]
    found = whose([*there_and_back, *made_and_gone], [1, 2, 3], 9)
    assert {row: one.agents_files for row, one in found.items()} == {1: 0, 2: 1, 3: 0}


def test_what_a_restore_took_back_is_not_there_any_more() -> None:
    back = seen("f", 3, Actor.RESTORE, was="3", now="2", target=2)
    found = whose([back, seen("f", 2, was="2", now="3"), seen("f", 1)], [1, 2, 3], 9)
    assert {row: one.agents_files for row, one in found.items()} == {1: 1, 2: 0, 3: 0}


def test_what_a_restore_took_back_and_the_agent_wrote_again_is_as_in_the_checkpoint_between() -> (
    None
):
    back = seen("f", 3, Actor.RESTORE, was="2", now="1", target=1)
    found = whose([seen("f", 3), back, seen("f", 1)], [1, 2, 3], 9)
    assert {row: one.agents_files for row, one in found.items()} == {1: 1, 2: 0, 3: 0}


def test_what_the_agent_did_after_a_restore_counts_where_the_record_of_both_is_folded() -> None:
    folded = seen("f", 3, was="2", now="3", target=1)
    found = whose([folded, seen("f", 2, Actor.PERSON, was="1", now="2")], [1, 2, 3], 9)
    assert {row: one.agents_files for row, one in found.items()} == {1: 1, 2: 1, 3: 1}


def test_checkpoints_before_changes_that_were_not_looked_at_have_no_answer() -> None:
    changes = [seen("g", 3), seen("f", 3, was="2", now="3"), seen("f", 1)]
    every = whose(changes, [1, 2, 3, 4], 3)
    assert [*every] == [1, 2, 3, 4]
    assert whose(changes, [1, 2, 3, 4], 2) == {row: every[row] for row in (2, 3, 4)}
    assert whose(changes[:2], [1, 2, 3, 4], 1) == {4: every[4]}


def test_a_list_that_begins_later_says_the_same(home: Path, project: Path) -> None:
    history = History(Checkpoints.open(home), project)
    history.begin()
    history.play("A writes f; A takes; A writes g; A takes; restore; A writes f; A takes")
    every = history.project.whose()
    for one in history.project.list(safety=True):
        later = history.project.whose(since=one)
        assert later.items() <= every.items()
        assert one.id in later
    history.base.close()


def test_a_list_without_a_record_says_nothing() -> None:
    assert whose([], [], 9) == {}
    assert whose([], [7], 9)[7].agents_files == 0
    assert whose([seen("f", 7)], [], 9) == {}
