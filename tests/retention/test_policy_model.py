"""The rules over random histories, against what must hold whatever the history is."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from datetime import UTC, timedelta

from hypothesis import given
from hypothesis import strategies as st

from hermes_checkpoints.model import (
    Candidate,
    Decision,
    Facts,
    KeepRules,
    Policy,
    ProjectState,
    Rule,
)
from hermes_checkpoints.retention.decide import over_limit, plan
from retention.histories import NOW, candidate, commit, facts, project

FEW = st.integers(0, 4)
DROPPING = {
    Rule.ORPHAN,
    Rule.STALE,
    Rule.OVER_LIMIT,
    Rule.NO_KEEP_RULE,
    Rule.SIZE_CAP,
}
ages = st.integers(0, 90 * 24 * 60).map(lambda minutes: timedelta(minutes=minutes))


@st.composite
def histories(draw: st.DrawFn) -> Facts:
    """Up to four projects in any state, with up to a dozen checkpoints each."""
    number = 0
    projects, checkpoints = [], []
    for id_ in range(1, 1 + draw(st.integers(0, 4))):
        state = draw(st.sampled_from(ProjectState))
        missing = None if state is ProjectState.LIVE else NOW - draw(ages)
        projects.append(
            project(
                id_,
                state=state,
                missing_since=missing,
                last_touch=NOW - draw(ages),
                disposable=draw(st.booleans()),
            )
        )
        for age in sorted(draw(st.lists(ages, max_size=12)), reverse=True):
            number += 1
            checkpoints.append(
                candidate(
                    number,
                    id_,
                    created_at=NOW - age,
                    pinned=draw(st.integers(0, 9)) == 0,
                    label=draw(st.sampled_from([None] * 9 + ["name"])),
                    freed_bytes=draw(st.integers(0, 1000)),
                )
            )
    unfinished = draw(st.sets(st.integers(1, max(1, number)), max_size=2))
    return facts(projects, checkpoints, *unfinished)


@st.composite
def policies(draw: st.DrawFn) -> Policy:
    keep = KeepRules(draw(FEW), draw(FEW), draw(FEW), draw(FEW), draw(FEW), draw(ages) / 10)
    return Policy(
        max_snapshots=draw(FEW),
        retention_days=draw(st.integers(0, 40)),
        delete_orphans=draw(st.booleans()),
        orphan_grace=draw(st.one_of(st.none(), ages)),
        keep=draw(st.sampled_from([KeepRules(), keep])),
        include_pinned=draw(st.booleans()),
        protect=frozenset(map(commit, draw(st.sets(st.integers(1, 40), max_size=2)))),
        reclaim_bytes=draw(st.sampled_from([0, 500, 10**6])),
        zone=UTC,
    )


def by_project(decisions: tuple[Decision, ...]) -> dict[int, list[Decision]]:
    found: dict[int, list[Decision]] = defaultdict(list)
    for decision in decisions:
        found[decision.project.id].append(decision)
    return found


def untouchable(policy: Policy, found: Facts, checkpoint: Candidate) -> bool:
    marked = (checkpoint.pinned or checkpoint.label) and not policy.include_pinned
    return bool(marked) or checkpoint._row in found.unfinished or checkpoint.id in policy.protect


@given(policies(), histories())
def test_what_holds_for_every_plan(policy: Policy, found: Facts) -> None:
    made = plan(policy, found, NOW)
    everything = {c._row for c in found.checkpoints}
    kept, dropped = ({d.checkpoint._row for d in some} for some in (made.keep, made.drop))
    assert kept | dropped == everything
    assert not kept & dropped
    assert len(made.decisions) == len(everything)
    for decision in made.decisions:
        assert decision.reason
        assert decision.drop == (decision.rule in DROPPING)
        if decision.drop:
            assert not untouchable(policy, found, decision.checkpoint)
            assert decision.project.state is not ProjectState.UNREACHABLE
    for of_one in by_project(made.decisions).values():
        state = of_one[0].project.state
        if state is not ProjectState.ORPHAN or not policy.delete_orphans:
            assert not of_one[0].drop, "the newest of what may be there stays"
        if not policy.keep and policy.max_snapshots and state is ProjectState.LIVE:
            free = [d for d in of_one if not untouchable(policy, found, d.checkpoint)]
            assert sum(not d.drop for d in free) <= policy.max_snapshots


@given(policies(), histories())
def test_a_second_plan_at_once_drops_nothing_more(policy: Policy, found: Facts) -> None:
    policy = replace(policy, reclaim_bytes=0)
    made = plan(policy, found, NOW)
    left = replace(found, checkpoints=tuple(d.checkpoint for d in made.keep))
    assert plan(policy, left, NOW).drop == ()


@given(policies(), histories())
def test_the_cap_only_adds_and_takes_no_more_than_it_needs(policy: Policy, found: Facts) -> None:
    without = plan(replace(policy, reclaim_bytes=0), found, NOW)
    made = plan(policy, found, NOW)
    base = {d.checkpoint._row for d in without.drop}
    assert base <= {d.checkpoint._row for d in made.drop}
    capped = [d.checkpoint for d in made.drop if d.rule is Rule.SIZE_CAP]
    assert {c._row for c in capped} == {d.checkpoint._row for d in made.drop} - base
    if capped:
        largest = max(c.freed_bytes for c in capped)
        assert sum(c.freed_bytes for c in capped) - largest < policy.reclaim_bytes
    left_over = [d for d in made.keep if d.rule is Rule.WITHIN_LIMITS]
    if left_over:
        assert sum(c.freed_bytes for c in capped) >= policy.reclaim_bytes
    for of_one in by_project(made.decisions).values():
        eligible = [d for d in of_one if d.rule in (Rule.SIZE_CAP, Rule.WITHIN_LIMITS)]
        assert [d.drop for d in eligible] == sorted(d.drop for d in eligible), "the oldest first"


@given(policies(), histories())
def test_a_take_drops_only_what_is_over_the_limit(policy: Policy, found: Facts) -> None:
    made = over_limit(policy, found, NOW)
    for of_one in by_project(made.decisions).values():
        for rank, decision in enumerate(of_one, 1):
            assert decision.drop <= (0 < policy.max_snapshots < rank)
            assert not (decision.drop and untouchable(policy, found, decision.checkpoint))


@given(histories(), st.integers(1, 6))
def test_more_is_kept_by_a_larger_limit(found: Facts, limit: int) -> None:
    fewer = plan(Policy(max_snapshots=limit), found, NOW)
    more = plan(Policy(max_snapshots=limit + 1), found, NOW)
    assert {d.checkpoint._row for d in more.drop} <= {d.checkpoint._row for d in fewer.drop}
