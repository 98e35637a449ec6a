"""The statements decide what the oracle decides, on random histories; and what they read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.records import counted
from hermes_checkpoints.catalog import Catalog, plans
from hermes_checkpoints.catalog.decisions import DROPS
from hermes_checkpoints.catalog.policy_values import parameters
from hermes_checkpoints.catalog.size_cap import size_cap_candidates
from hermes_checkpoints.model import (
    MB,
    Candidate,
    Decision,
    KeepRules,
    Policy,
    ProjectState,
    Rule,
    Standing,
)
from retention import oracle
from retention.drawn import HASHES, histories, policies
from retention.histories import NOW
from retention.oracle import Facts, Judged
from retention.rows import commit, facts, held, new_catalog, project, row
from support import machine_in

CANDIDATES = size_cap_candidates(plans.decided(one=False))
DROPPING = [*DROPS, Rule.SIZE_CAP]
MACHINES = ["UTC", "Europe/Berlin", "Asia/Kathmandu", "America/St_Johns", "Pacific/Apia"]


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Catalog]:
    with new_catalog(tmp_path_factory.mktemp("decisions")) as opened:
        yield opened


@given(policies(), histories(), st.sampled_from(MACHINES))
def test_every_decision_is_that_of_the_oracle(
    catalog: Catalog, policy: Policy, found: Facts, zone: str
) -> None:
    with machine_in(zone), held(catalog, found) as rows:
        expected = oracle.plan(policy, found, NOW)
        assert rows.decisions(policy) == expected
        for one in found.projects:
            alone = replace(found, projects=(one,))
            whose = [d for d in oracle.plan(policy, alone, NOW) if d.project == one]
            assert rows.decisions(policy, of=one.id) == whose


@pytest.mark.campaign
@given(policies(), histories(), st.sampled_from(MACHINES))
def test_a_plan_is_what_the_oracle_drops_and_counts(
    catalog: Catalog, policy: Policy, found: Facts, zone: str
) -> None:
    with machine_in(zone), held(catalog, found) as rows:
        expected = oracle.plan(policy, found, NOW)
        plan = rows.plan(policy)
        gone = [d for d in expected if d.drop]
        assert [
            (d.checkpoint._row, d.project, d.rule, d.reason, d.checkpoint.freed_bytes)
            for d in plan.drop
        ] == [(d.row.id, d.project, d.rule, d.reason, d.freed_bytes) for d in gone]
        told: Counter[Any] = Counter()
        for group in plan.kept:
            told[group.project, group.rule, group.reason] += group.count
        assert told == Counter((shown(d), d.rule, d.reason) for d in expected if not d.drop)
        assert plan.scanned == len({d.project.id for d in expected})
        kept = [d.row.id for d in expected if not d.drop]
        assert plan.kept_mark == f"{len(kept)} {sum(kept)} {max(kept, default=0)}"


def shown(decision: Judged) -> Any:
    """The project of what stays, where a person wants to know."""
    plain = (Rule.KEEP_RULE, Rule.WITHIN_LIMITS)
    there = decision.project.state is not ProjectState.ORPHAN
    if decision.rule in plain or (there and decision.rule in (Rule.NEWEST, Rule.LAST_RESTORE)):
        return None
    return decision.project


@given(policies(), histories())
def test_the_size_cap_takes_them_in_the_order_of_the_oracle(
    catalog: Catalog, policy: Policy, found: Facts
) -> None:
    policy = replace(policy, reclaim_bytes=0)
    with held(catalog, found) as rows, rows.catalog._transactions.reading() as connection:
        made = connection.execute(CANDIDATES, parameters(policy, NOW)).all()
    expected = oracle.victims(oracle.plan(policy, found, NOW))
    assert [line.id for line in made] == [d.row.id for d in expected]
    assert [line.place for line in made] == list(range(1, len(made) + 1))
    sums = [sum(d.freed_bytes for d in expected[:number]) for number in range(len(expected))]
    assert [line.freed_before for line in made] == sums


@pytest.mark.campaign
@given(policies(), histories())
def test_a_take_drops_what_the_oracle_drops(catalog: Catalog, policy: Policy, found: Facts) -> None:
    with held(catalog, found) as rows:
        for one in found.projects:
            alone = replace(found, projects=(one,))
            gone = [d for d in oracle.over_limit(policy, alone, NOW) if d.drop]
            made = rows.catalog.plans.over_limit(policy, NOW, one.hash)
            assert [(d.checkpoint._row, d.rule, d.reason) for d in made] == [
                (d.row.id, d.rule, d.reason) for d in gone
            ]


@given(histories(), st.integers(-1, 6), st.sampled_from([-1, 0, 1, 2, 2**70]))
def test_a_project_is_within_its_limits_where_no_more_are_live(
    catalog: Catalog, found: Facts, most: int, most_safety: int
) -> None:
    with held(catalog, found) as rows:
        for one in found.projects:
            live = [r.safety for r in found.rows if (r.project_id, r.state) == (one.id, "live")]
            over = 0 < most < live.count(False) or 0 < most_safety < live.count(True)
            assert rows.catalog.plans.is_within(most, most_safety, one.hash) is not over


@given(policies(), histories(), st.sets(st.integers(1, 40), max_size=8))
def test_a_person_drops_what_the_oracle_drops(
    catalog: Catalog, policy: Policy, found: Facts, numbers: set[int]
) -> None:
    ids = [commit(number) for number in numbers]
    with held(catalog, found) as rows:
        for one in found.projects:
            alone = replace(found, projects=(one,))
            expected = oracle.requested(policy, alone, ids, NOW)
            made = rows.catalog.plans.requested(policy, NOW, one.hash, ids)
            for drop, lines in ((True, made.drop), (False, made.refused)):
                assert [
                    (d.checkpoint._row, d.project, d.rule, d.reason, d.checkpoint.freed_bytes)
                    for d in lines
                ] == [
                    (d.row.id, d.project, d.rule, d.reason, d.freed_bytes)
                    for d in expected
                    if d.drop == drop
                ]
            live = {r.id for r in found.rows if (r.project_id, r.state) == (one.id, "live")}
            asked = {d.row.id for d in expected}
            assert made.keep_count + len(made.drop) == len(live | asked)
            unnamed = [g.count for g in made.kept if g.rule is Rule.WITHIN_LIMITS]
            assert unnamed == ([len(live - asked)] if live - asked else [])
            assert made.scanned == int(bool(live))


@given(
    histories(),
    st.lists(
        st.tuples(st.integers(1, 12), st.sampled_from(DROPPING), st.booleans(), st.booleans())
    ),
    st.one_of(st.none(), st.frozensets(st.sampled_from(HASHES))),
)
def test_what_was_decided_still_holds_where_the_oracle_says_so(
    catalog: Catalog,
    found: Facts,
    told: list[tuple[int, Rule, bool, bool]],
    orphans: frozenset[str] | None,
) -> None:
    there = {row.id: row for row in found.rows if row.state in ("live", "lost")}
    asked = [before(commit(number), rule, *marks) for number, rule, *marks in told]
    with held(catalog, found) as rows:
        made = rows.catalog.plans.standing(asked, orphans)
    expected = [
        None
        if (row := there.get(number)) is None
        else Standing(
            number,
            row.pinned,
            row.label is not None,
            oracle.still_holds(found, row, rule, (pinned, labelled), orphans),
        )
        for number, rule, pinned, labelled in told
    ]
    assert made == expected


def before(
    id_: str, rule: Rule = Rule.STALE, pinned: bool = False, labelled: bool = False
) -> Decision:
    """A decision to drop a checkpoint, made before whatever happened since."""
    candidate = Candidate(0, id_, "", NOW, pinned, labelled, "", 0)
    return Decision(candidate, project(), rule, "it was so decided")


@pytest.mark.parametrize(
    "policy",
    [
        Policy(max_snapshots=2**70, retention_days=10**12, cap_bytes=10**30),
        Policy(keep=KeepRules(within=timedelta.max)),
        Policy(orphan_grace=timedelta.max),
    ],
)
def test_no_number_is_too_large(catalog: Catalog, policy: Policy) -> None:
    gone = project(2, state=ProjectState.ORPHAN, missing_since=NOW)
    with held(catalog, facts([project(), gone], [row(1), row(2), row(3, 2)])) as rows:
        assert rows.plan(policy).drop == ()


def test_an_id_that_looks_like_sql_is_an_id(catalog: Catalog) -> None:
    with held(catalog, facts([project()], [row(1), row(2)])) as rows:
        odd = frozenset({"'); DROP TABLE checkpoints; --", '"]', "\udc80", "\0"})
        assert len(rows.plan(Policy(max_snapshots=1, protect=odd)).drop) == 1
        assert rows.catalog.plans.standing([before(id_) for id_ in odd]) == [None] * 4
        assert rows.catalog.plans.standing([before(id_) for id_ in odd], odd) == [None] * 4
        agreed = Policy(max_snapshots=1, orphans=odd)
        assert len(rows.plan(agreed).drop) == 1, "it is no orphan"


# --- what is asked of the catalog --------------------------------------------------------------


def explained(catalog: Catalog, act: Callable[[], object]) -> list[str]:
    """How SQLite goes about the statements that ``act`` sends."""
    with counted(catalog) as statements:
        act()
    lines = []
    with catalog._transactions.reading() as connection:
        for statement in statements:
            nothing = (None,) * statement.count("?")
            found = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", nothing)
            lines += [str(line[3]) for line in found]
    return lines


EVERYTHING = Policy(
    max_snapshots=1,
    max_safety_snapshots=1,
    retention_days=1,
    keep=KeepRules(1, 1, 1, 1, 1, timedelta(days=1)),
    protect=frozenset({commit(1)}),
    cap_bytes=MB,
    reclaim_bytes=10,
    orphans=frozenset({project().hash}),
)
STATEMENTS: dict[str, Callable[[Catalog], object]] = {
    "plan": lambda c: c.plans.plan(replace(EVERYTHING, reclaim_bytes=0), NOW),
    "plan with a cap": lambda c: c.plans.plan(EVERYTHING, NOW),
    "plan of one": lambda c: c.plans.plan(EVERYTHING, NOW, project().hash),
    "trim": lambda c: c.plans.over_limit(EVERYTHING, NOW, project().hash),
    "drop": lambda c: c.plans.requested(EVERYTHING, NOW, project().hash, [commit(1)]),
    "look again": lambda c: c.plans.standing([before(commit(1))], EVERYTHING.orphans),
}
GROWS = ("checkpoint_changes", "restores", "turns", "operations", "agent_writes")


@pytest.mark.parametrize("name", STATEMENTS)
def test_statements_read_live_checkpoints_by_an_index_and_nothing_that_grows(
    catalog: Catalog, name: str
) -> None:
    with held(catalog, facts([project(), project(2)], [row(1), row(2), row(3), row(4, 2)])):
        lines = explained(catalog, lambda: STATEMENTS[name](catalog))
    reads = [line.split() for line in lines if line.startswith(("SCAN", "SEARCH"))]
    assert not [words for words in reads if words[0] == "SCAN" and words[1] in GROWS]
    assert not [words for words in reads if words[1] == "checkpoint_changes"]
    live = [" ".join(words) for words in reads if words[1] == "checkpoints"]
    assert live
    assert not [line for line in live if line.startswith("SCAN")], lines
    assert not [line for line in lines if "AUTOMATIC" in line and "checkpoints" in line]
    if name == "look again":  # one after the other, and of each no more than its project
        assert [line for line in lines if "checkpoints" in line or "told" in line][:2] == [
            "SCAN told VIRTUAL TABLE INDEX 1:",
            next(line for line in lines if "checkpoints" in line and "commit_id=?" in line),
        ]
        assert not [line for line in live if "(state=?)" in line]
    if name not in ("look again", "drop"):
        assert [line for line in live if "ix_checkpoints_state_project_id_id (state=?" in line]


def test_three_policies_are_three_sets_of_parameters_of_one_text(catalog: Catalog) -> None:
    listed = [row(number) for number in range(1, 9)]
    found = facts([project(last_touch=NOW - timedelta(days=9))], listed)
    three = [
        Policy(max_snapshots=3),
        Policy(retention_days=7),
        Policy(keep=KeepRules(last=2, daily=1), protect=frozenset({commit(1)})),
    ]
    texts, told, dropped = set(), [], []
    with held(catalog, found) as rows:
        for policy in three:
            with counted(catalog) as statements:
                plan = rows.plan(policy)
            texts.add(statements[0])
            told.append(parameters(policy, NOW))
            gone = [d.checkpoint._row for d in plan.drop]
            assert gone == [d.row.id for d in oracle.plan(policy, found, NOW) if d.drop]
            dropped.append(gone)
    assert len(texts) == 1
    assert all(one != other for n, one in enumerate(told) for other in told[:n])
    assert dropped == [[5, 4, 3, 2, 1], [7, 6, 5, 4, 3, 2, 1], [6, 5, 4, 3, 2]]


def test_statements_of_a_plan_and_of_a_trim_do_not_grow(catalog: Catalog) -> None:
    numbers = []
    for count in (3, 60):
        listed = [row(number, 1 + number % 3) for number in range(1, count + 1)]
        with held(catalog, facts([project(n) for n in (1, 2, 3)], listed)) as rows:
            with counted(catalog) as planning:
                rows.plan(Policy(max_snapshots=1))
            with counted(catalog) as within:
                assert rows.catalog.plans.is_within(count, 0, project().hash)
            with counted(catalog) as over:
                rows.catalog.plans.is_within(1, 0, project().hash)
                rows.catalog.plans.over_limit(Policy(max_snapshots=1), NOW, project().hash)
        numbers.append((len(planning), len(within), len(over)))
    assert numbers[1] == (2, 1, 3)
