"""A prune folds the events of the time between two checkpoints that are left, and no verdict is
another than before."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import example, given, note, settings
from hypothesis import strategies as st
from sqlalchemy import Connection
from sqlalchemy import event as event_of_engine

from catalog.records import Maker, added, counted, integrity_problems
from hermes_checkpoints.attribution.folding import fold, folded
from hermes_checkpoints.attribution.verdict import Record, Verdict, anothers, judge, lineage
from hermes_checkpoints.catalog import Catalog, Recorded
from hermes_checkpoints.catalog.engine import BEGIN_OPTION
from hermes_checkpoints.catalog.sqlite import BEGIN_WRITE
from hermes_checkpoints.model import Actor, Change, ChangeStatus, PathEvent

NOW = datetime(2026, 11, 20, tzinfo=UTC)
EXAMPLES = int(os.environ.get("HYPOTHESIS_EXAMPLES", "150"))
MODE = 0o100644
MOST = 12
"""How many checkpoints a history has."""

STATUSES = (ChangeStatus.DELETED, ChangeStatus.MODIFIED, ChangeStatus.ADDED)


SESSIONS = st.sampled_from(["s1", "s2", "s3", None])
OTHERS = ("s1", "other")
OVER = [frozenset[str](), frozenset({"s3"}), frozenset({"s2", "s3"}), frozenset({"s1", "other"})]
"""Whose processes are gone when somebody asks, which nobody knows when events are folded."""


def event(actor: Actor, session: str | None = None) -> PathEvent:
    modified = ChangeStatus.MODIFIED
    return PathEvent("a", modified, actor, session, None, None, None, MODE, NOW, old_mode=MODE)


@st.composite
def events(draw: st.DrawFn) -> PathEvent:
    actor = draw(st.sampled_from([*Actor, Actor.AGENT, Actor.AGENT]))
    of_session = actor in (Actor.AGENT, Actor.SINCE)
    found = event(actor, draw(SESSIONS) if of_session else None)
    if actor is Actor.AGENT:
        tool = draw(st.sampled_from([None, "write_file"]))
        found = replace(found, tool=tool, overlaps=draw(st.sampled_from([None, None, *OTHERS])))
    if actor is Actor.UNKNOWN:
        found = replace(found, reason=draw(st.sampled_from([None, "one reason", "another"])))
    return found


@st.composite
def histories(draw: st.DrawFn) -> list[Recorded]:
    """The events of one path, after growing checkpoints, with restores to any before."""
    places = sorted(draw(st.lists(st.integers(1, MOST), max_size=25)))
    rows: list[Recorded] = []
    for number, after in enumerate(places, 1):
        one = draw(events())
        target = None
        if one.actor is Actor.RESTORE:
            target = draw(st.none() | st.integers(1, after))
        content = replace(one, old_blob=f"b{number - 1}", blob=f"b{number}")
        rows.append(Recorded(content, after, target, number))
    return rows


def verdicts(rows: list[Recorded], live: list[int]) -> dict[tuple[object, ...], Verdict]:
    """What everybody is told who keeps edits, and who keeps the work of others alone."""
    found: dict[tuple[object, ...], Verdict] = {}
    for checkpoint in live:
        past = lineage(row for row in rows if row.after >= checkpoint)
        for over in OVER:
            for agents in (False, True):
                record = Record({"a": past} if past else {}, agents, over=over)
                for session in (None, "s1", "s2", "s3"):
                    for status in STATUSES:
                        key = checkpoint, status, agents, over, session
                        found[key] = judge(Change("a", status), record, session)
                    if session is not None:
                        reason = anothers(record, "a", session)
                        found[checkpoint, agents, over, session] = Verdict(not reason, reason or "")
    return found


def numbered(rows: list[Recorded]) -> list[Recorded]:
    """The rows as the catalog has them then."""
    highest = max((row.id for row in rows), default=0)
    new = (number for number in range(highest + 1, highest + 1 + len(rows)))
    return [row if row.id else replace(row, id=next(new)) for row in rows]


def fold_once(rows: list[Recorded], live: list[int]) -> list[Recorded]:
    """Fold, and assert that nobody is told anything else."""
    left = numbered(folded(rows, live))
    ids = [row.id for row in left]
    assert ids == sorted(set(ids))
    assert {row.after for row in left} <= {*live, *(row.target for row in left)}
    before, after = verdicts(rows, live), verdicts(left, live)
    for key, verdict in before.items():
        note(f"{key}: {verdict} {after[key]}")
        assert after[key].restore == verdict.restore
        if key[-1] is None:
            assert after[key].reason == verdict.reason
    return left


LIVE = st.lists(st.integers(1, MOST), min_size=1, max_size=6, unique=True).map(sorted)


@pytest.mark.campaign
@settings(max_examples=EXAMPLES)
@given(rows=histories(), live=LIVE)
@example(  # a checkpoint by hand of no session is a person's, however many sessions there were
    rows=[
        Recorded(event(Actor.SINCE), 1, None, 1),
        Recorded(event(Actor.SINCE, "s1"), 1, None, 2),
        Recorded(event(Actor.SINCE, "s2"), 2, None, 3),
    ],
    live=[1],
)
@example(  # an undo of a restore, both between two checkpoints that are left
    rows=[
        Recorded(event(Actor.PERSON), 1, None, 1),
        Recorded(event(Actor.RESTORE), 2, 1, 2),
        Recorded(event(Actor.RESTORE), 3, 2, 3),
    ],
    live=[1, 5],
)
@example(  # a person's edit at a pruned target is not in what a checkpoint after it needs
    rows=[
        Recorded(event(Actor.PERSON), 1, None, 1),
        Recorded(event(Actor.RESTORE), 4, 2, 2),
    ],
    live=[1, 3],
)
def test_no_verdict_is_another(rows: list[Recorded], live: list[int]) -> None:
    fold_once(rows, live)


@pytest.mark.campaign
@settings(max_examples=EXAMPLES)
@given(rows=histories(), live=LIVE, data=st.data())
def test_nor_after_one_prune_after_the_other(
    rows: list[Recorded], live: list[int], data: st.DataObject
) -> None:
    left, remaining = rows, live
    while remaining:
        left = fold_once(left, remaining)
        assert folded(left, remaining) == left
        gone = data.draw(st.sampled_from(remaining))
        remaining = [one for one in remaining if one != gone]


@pytest.mark.campaign
@settings(max_examples=EXAMPLES)
@given(rows=histories(), live=LIVE)
def test_the_ends_of_a_stretch_are_what_they_were(rows: list[Recorded], live: list[int]) -> None:
    """So a later look knows what the last one found."""
    left = folded(rows, live)
    for start, stop in zip(live, [*live[1:], MOST + 1], strict=True):
        before = [row.event for row in rows if start <= row.after < stop]
        after = [row.event for row in left if start <= row.after < stop]
        assert bool(before) == bool(after)
        if before:
            assert after[0].old_blob == before[0].old_blob
            assert after[-1].blob == before[-1].blob


@pytest.mark.campaign
@settings(max_examples=EXAMPLES)
@given(rows=histories(), live=LIVE)
def test_of_agents_and_a_person_few_events_are_left(rows: list[Recorded], live: list[int]) -> None:
    plain = [
        replace(row, event=replace(row.event, session_id="s1", overlaps=None), target=None)
        for row in rows
        if row.event.actor in (Actor.AGENT, Actor.PERSON)
    ]
    left = folded(plain, live)
    for start, stop in zip(live, [*live[1:], MOST + 1], strict=True):
        its = [row for row in plain if start <= row.after < stop]
        if any(row.after != start for row in its):
            assert sum(start <= row.after < stop for row in left) <= 2


# --- in a catalog ---------------------------------------------------------------------------------


def lived(catalog: Catalog, make: Maker, paths: int = 4) -> list[int]:
    """A project with six checkpoints, after each of which an agent changed some paths."""
    project = make.project()
    ids = [make.checkpoint(project, changes=[added("a")])._row for _ in range(6)]
    for number, id_ in enumerate(ids):
        seen = [
            replace(event(Actor.AGENT, f"s{number % 2}"), path=f"path {path}", at=make.now())
            for path in range(paths)
        ]
        catalog.events.add(project.id, id_, seen)
    return ids


def prune(catalog: Catalog, *ids: int) -> None:
    catalog.checkpoints.mark_pruning(dict.fromkeys(ids, "it was dropped by hand"), NOW)
    catalog.checkpoints.mark_pruned(ids)


def places(catalog: Catalog, path: str = "path 0") -> list[int]:
    return [one.after for one in catalog.events.since(1, None, path)]


def test_what_pruned_checkpoints_have_moves_to_the_last_live_one(
    catalog: Catalog, make: Maker
) -> None:
    first, *between, last = lived(catalog, make)
    assert fold(catalog) == 0
    prune(catalog, *between)
    assert catalog.events.unfolded() == [1]
    assert fold(catalog) == 4 * 3  # of five sessions, the last two are enough
    assert places(catalog) == [first, first, last]
    assert catalog.events.unfolded() == []
    assert fold(catalog) == 0
    assert integrity_problems(catalog.path) == []


def test_where_nothing_is_to_fold_one_statement_is_all(catalog: Catalog, make: Maker) -> None:
    ids = lived(catalog, make)
    prune(catalog, *ids[1:3])
    fold(catalog)
    with counted(catalog) as statements:
        fold(catalog)
    assert len(statements) == 1


def test_what_is_small_is_folded_with_its_turns_in_one_transaction(
    catalog: Catalog, make: Maker
) -> None:
    _, *between, _ = lived(catalog, make)
    prune(catalog, *between)
    written: list[str] = []

    def note(connection: Connection) -> None:
        if connection.get_execution_options().get(BEGIN_OPTION) == BEGIN_WRITE:
            written.append("committed")

    engine = catalog._transactions.engine
    event_of_engine.listen(engine, "commit", note)
    try:
        assert fold(catalog) == 4 * 3
    finally:
        event_of_engine.remove(engine, "commit", note)
    assert written == ["committed"]


def test_no_fold_is_one_long_transaction(
    catalog: Catalog, make: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What ends in between costs the rest, which the next fold does."""
    monkeypatch.setattr("hermes_checkpoints.attribution.folding._PATHS", 1)
    first, *between, last = lived(catalog, make)
    prune(catalog, *between)
    real = catalog.events.replace
    done: list[Sequence[int]] = []

    def die(outdated: Sequence[int], by: Iterable[tuple[int, Recorded]]) -> None:
        if len(done) == 2:
            raise KeyboardInterrupt
        done.append(outdated)
        real(outdated, by)

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(catalog.events, "replace", die)
        fold(catalog)
    folded_now = [len(places(catalog, f"path {number}")) for number in range(4)]
    assert sorted(folded_now) == [3, 3, 6, 6]
    assert fold(catalog) == 2 * 3
    assert [places(catalog, f"path {n}") for n in range(4)] == [[first, first, last]] * 4


def test_what_an_unfinished_restore_needs_is_not_folded(catalog: Catalog, make: Maker) -> None:
    ids = lived(catalog, make)
    target, safety = (catalog.checkpoints.get(id_) for id_ in (ids[2], ids[5]))
    assert target is not None
    make.restore(catalog.projects.all()[0], target, safety=safety)
    prune(catalog, *ids[1:4])
    fold(catalog)
    assert places(catalog) == [ids[0], ids[0], ids[2], ids[2], ids[4], ids[5]]
    assert fold(catalog) == 0


@pytest.mark.campaign
def test_a_year_of_one_path_is_folded_in_no_time() -> None:
    rows = [
        Recorded(event(Actor.AGENT, f"s{number // 25}"), number, None, number)
        for number in range(1, 73_001)
    ]
    left = folded(rows, [1, 72_990])
    assert [row.after for row in left] == [1] * 2920 + [72_990] * 2  # the last one of each session


@pytest.mark.campaign
def test_nor_does_a_year_of_restores_leave_much() -> None:
    """Also where each goes back to a checkpoint that is pruned now."""
    rows = []
    for number in range(2, 20_001):
        actor = Actor.RESTORE if number % 10 == 0 else Actor.AGENT
        target = number - 15 if actor is Actor.RESTORE else None
        rows.append(Recorded(event(actor, "s1"), number, target, number))
    live = [*range(1, 20_000, 1_000)]
    assert len(folded(rows, live)) < 10 * len(live)
