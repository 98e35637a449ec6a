"""The rules over random histories, against what must hold whatever the history is.

The program's own statements decide, in a catalog that holds just the rows of the example.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_checkpoints.catalog import Catalog
from hermes_checkpoints.model import Policy, ProjectFacts, ProjectState, Rule
from retention.drawn import histories, policies
from retention.histories import NOW
from retention.oracle import Facts, Judged, Row
from retention.rows import held, new_catalog

DROPPING = {
    Rule.ORPHAN,
    Rule.STALE,
    Rule.OVER_LIMIT,
    Rule.NO_KEEP_RULE,
    Rule.SIZE_CAP,
}


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Catalog]:
    with new_catalog(tmp_path_factory.mktemp("model")) as opened:
        yield opened


def decided(catalog: Catalog, policy: Policy, found: Facts) -> list[Judged]:
    with held(catalog, found) as rows:
        return rows.decisions(policy)


def by_project(decisions: list[Judged]) -> dict[int, list[Judged]]:
    found: dict[int, list[Judged]] = defaultdict(list)
    for decision in decisions:
        found[decision.project.id].append(decision)
    return found


def dropped(decisions: list[Judged]) -> set[int]:
    return {d.row.id for d in decisions if d.drop}


def untouchable(policy: Policy, found: Facts, row: Row) -> bool:
    marked = (row.pinned or row.label) and not policy.include_pinned
    return bool(marked) or row.id in found.unfinished or row.commit in policy.protect


@given(policies(), histories())
def test_what_holds_for_every_plan(catalog: Catalog, policy: Policy, found: Facts) -> None:
    made = decided(catalog, policy, found)
    everything = [row.id for row in found.rows if row.state == "live"]
    assert [d.row.id for d in made] == everything
    for decision in made:
        assert decision.reason
        assert decision.drop == (decision.rule in DROPPING)
        if decision.drop:
            assert not untouchable(policy, found, decision.row)
            assert decision.project.state is not ProjectState.UNREACHABLE
    for of_one in by_project(made).values():
        state = of_one[0].project.state
        if is_spared(policy, of_one[0].project):
            assert not any(d.drop for d in of_one), "of an orphan that nobody agreed to all stays"
        if state is not ProjectState.ORPHAN or not policy.delete_orphans:
            newest = next(iter([*(d for d in of_one if not d.row.safety), *of_one]))
            assert not newest.drop, "the newest of what may be there stays"
            undone_with = found.undone_with(of_one[0].project)
            assert not any(d.drop for d in of_one if d.row.id == undone_with)
        if state is ProjectState.LIVE:
            judge_limits(policy, found, of_one)


def is_spared(policy: Policy, project: ProjectFacts) -> bool:
    agreed = policy.orphans is None or project.hash in policy.orphans
    return project.state is ProjectState.ORPHAN and not agreed


def judge_limits(policy: Policy, found: Facts, of_one: list[Judged]) -> None:
    """No more is kept than a limit says, and those that it drops are the right ones."""
    for safety, most in ((False, policy.max_snapshots), (True, policy.max_safety_snapshots)):
        free = [
            d
            for d in of_one
            if d.row.safety == safety
            and not untouchable(policy, found, d.row)
            and d.rule is not Rule.LAST_RESTORE
        ]
        if most and (safety or not policy.keep):
            assert sum(not d.drop for d in free) <= most
        over = [d.row for d in free if d.rule is Rule.OVER_LIMIT]
        for kept in (d.row for d in free if d.rule is Rule.WITHIN_LIMITS):
            for gone in over:
                assert (gone.kind == "manual") <= (kept.kind == "manual") or marked(kept)
                if gone.kind == kept.kind and marked(gone) == marked(kept):
                    assert gone.id < kept.id, "the oldest first"


def marked(row: Row) -> bool:
    return row.pinned or row.label is not None


@pytest.mark.campaign
@given(policies(), histories())
def test_a_second_plan_at_once_drops_nothing_more(
    catalog: Catalog, policy: Policy, found: Facts
) -> None:
    policy = replace(policy, reclaim_bytes=0)
    gone = dropped(decided(catalog, policy, found))
    left = [replace(row, state="pruned") if row.id in gone else row for row in found.rows]
    assert not dropped(decided(catalog, policy, replace(found, rows=tuple(left))))


@pytest.mark.campaign
@given(policies(), histories())
def test_the_cap_only_adds_and_takes_no_more_than_it_needs(
    catalog: Catalog, policy: Policy, found: Facts
) -> None:
    base = dropped(decided(catalog, replace(policy, reclaim_bytes=0), found))
    made = decided(catalog, policy, found)
    assert base <= dropped(made)
    capped = [d for d in made if d.drop and d.rule is Rule.SIZE_CAP]
    assert {d.row.id for d in capped} == dropped(made) - base
    if capped:
        largest = max(d.freed_bytes for d in capped)
        assert sum(d.freed_bytes for d in capped) - largest < policy.reclaim_bytes
    left_over = [d for d in made if not d.drop and d.rule is Rule.WITHIN_LIMITS]
    if left_over:
        assert sum(d.freed_bytes for d in capped) >= policy.reclaim_bytes
    for of_one in by_project(made).values():
        eligible = [d for d in of_one if d.rule in (Rule.SIZE_CAP, Rule.WITHIN_LIMITS)]
        for by_hand in (False, True):
            same = [d.drop for d in eligible if (d.row.kind == "manual") == by_hand]
            assert same == sorted(same), "the oldest first"
        if any(d.drop for d in eligible if d.row.kind == "manual"):
            assert all(d.drop for d in eligible if d.row.kind != "manual"), "those by hand last"


@pytest.mark.campaign
@given(policies(), histories())
def test_a_take_drops_only_what_is_over_the_limit(
    catalog: Catalog, policy: Policy, found: Facts
) -> None:
    limits = {False: policy.max_snapshots, True: policy.max_safety_snapshots}
    with held(catalog, found) as rows:
        for one in found.projects:
            for decision in rows.catalog.plans.over_limit(policy, NOW, one.hash):
                row = next(r for r in found.rows if r.commit == decision.checkpoint.id)
                rivals = [
                    r
                    for r in found.rows
                    if (r.project_id, r.state, r.safety) == (one.id, "live", row.safety)
                ]
                assert 0 < limits[row.safety] < len(rivals)
                assert not untouchable(policy, found, row)
                assert row.project_id == one.id


@pytest.mark.campaign
@given(histories(), st.integers(1, 6))
def test_more_is_kept_by_a_larger_limit(catalog: Catalog, found: Facts, limit: int) -> None:
    fewer = decided(catalog, Policy(max_snapshots=limit), found)
    more = decided(catalog, Policy(max_snapshots=limit + 1), found)
    assert dropped(more) <= dropped(fewer)
