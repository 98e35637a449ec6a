"""What the rules decide, on small histories whose outcome is written out in full."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from hermes_checkpoints.model import MB, KeepRules, Policy, ProjectState, PrunePlan, Rule
from hermes_checkpoints.retention.decide import over_limit, plan, requested
from retention.histories import NOW, candidate, commit, facts, project

BERLIN = ZoneInfo("Europe/Berlin")
ORPHAN, UNREACHABLE = ProjectState.ORPHAN, ProjectState.UNREACHABLE


def table(made: PrunePlan) -> str:
    """The plan as lines: id, what happens, the rule, the reason."""
    return "\n".join(
        f"{d.checkpoint._row} {'drop' if d.drop else 'keep'} {d.rule}: {d.reason}"
        for d in made.decisions
    )


def dropped(made: PrunePlan) -> list[int]:
    return [d.checkpoint._row for d in made.drop]


def test_without_rules_everything_stays() -> None:
    made = plan(Policy(), facts([project()], [candidate(n) for n in (1, 2)]), NOW)
    assert table(made) == (
        "2 keep newest: it is the newest of its project\n"
        "1 keep within-limits: it is within all limits"
    )
    assert made.freed_bytes == 0


def test_more_than_the_limit() -> None:
    made = plan(Policy(max_snapshots=2), facts([project()], [candidate(n) for n in (1, 2, 3)]), NOW)
    assert table(made) == (
        "3 keep newest: it is the newest of its project\n"
        "2 keep within-limits: it is within all limits\n"
        "1 drop over-limit: its project has more than 2 (max_snapshots)"
    )


def test_a_stale_project_keeps_its_newest() -> None:
    old = project(last_touch=NOW - timedelta(days=9))
    made = plan(Policy(retention_days=7), facts([old], [candidate(n) for n in (1, 2, 3)]), NOW)
    assert table(made) == (
        "3 keep newest: it is the newest of its project\n"
        "2 drop stale: its project was not touched for 9 days (retention_days: 7)\n"
        "1 drop stale: its project was not touched for 9 days (retention_days: 7)"
    )


@pytest.mark.parametrize(("days", "stale"), [(6.99, False), (7, True)])
def test_the_day_on_which_a_project_becomes_stale(days: float, stale: bool) -> None:
    old = project(last_touch=NOW - timedelta(days=days))
    made = plan(Policy(retention_days=7), facts([old], [candidate(1), candidate(2)]), NOW)
    assert bool(made.drop) == stale


def test_an_orphan_goes_when_somebody_agrees() -> None:
    gone = project(state=ORPHAN, missing_since=NOW)
    policy = Policy(orphan_grace=None, zone=UTC)
    made = plan(policy, facts([gone], [candidate(1), candidate(2)]), NOW)
    assert table(made) == (
        "2 drop orphan: its directory is gone, as seen first on 2026-11-28\n"
        "1 drop orphan: its directory is gone, as seen first on 2026-11-28"
    )


@pytest.mark.parametrize(("days", "goes"), [(0, False), (6.9, False), (7, True), (30, True)])
def test_unattended_an_orphan_goes_after_the_grace_period(days: float, goes: bool) -> None:
    gone = project(state=ORPHAN, missing_since=NOW - timedelta(days=days))
    made = plan(Policy(), facts([gone], [candidate(1), candidate(2)]), NOW)
    assert dropped(made) == ([2, 1] if goes else [])
    if not goes:
        assert "orphans are kept until" in made.keep[0].reason


def test_orphans_that_are_to_be_kept_are_treated_as_if_they_lived() -> None:
    gone = project(state=ORPHAN, missing_since=NOW - timedelta(days=30))
    policy = Policy(delete_orphans=False, orphan_grace=None, max_snapshots=1)
    made = plan(policy, facts([gone], [candidate(1), candidate(2)]), NOW)
    assert [(d.checkpoint._row, d.rule) for d in made.decisions] == [
        (2, Rule.NEWEST),
        (1, Rule.OVER_LIMIT),
    ]
    assert made.keep[0].reason.endswith("and orphans are kept")


def test_of_what_cannot_be_seen_nothing_goes_by_any_rule() -> None:
    far = project(
        state=UNREACHABLE, missing_since=NOW - timedelta(days=99), last_touch=NOW - timedelta(99)
    )
    policy = Policy(max_snapshots=1, retention_days=1, orphan_grace=None, reclaim_bytes=10**9)
    made = plan(policy, facts([far], [candidate(n) for n in (1, 2, 3)]), NOW)
    assert made.drop == ()
    assert {d.rule for d in made.keep} == {Rule.UNREACHABLE}


def test_pins_labels_unfinished_restores_and_protected_ids_stay() -> None:
    gone = project(state=ORPHAN, missing_since=NOW)
    checkpoints = [
        candidate(1, pinned=True),
        candidate(2, label="good"),
        candidate(3),
        candidate(4),
        candidate(5),
    ]
    policy = Policy(orphan_grace=None, protect=frozenset({commit(4)}))
    made = plan(policy, facts([gone], checkpoints, 3), NOW)
    assert table(made).splitlines()[1:] == [
        "4 keep protected: it is in use just now",
        "3 keep unfinished-restore: an unfinished restore needs it",
        "2 keep labelled: it has the label good",
        "1 keep pinned: it is pinned",
    ]
    assert dropped(made) == [5]
    made = plan(Policy(orphan_grace=None, include_pinned=True), facts([gone], checkpoints, 3), NOW)
    assert dropped(made) == [5, 4, 2, 1]


def test_keep_rules_are_joined_by_or() -> None:
    days = [candidate(n, created_at=NOW - timedelta(days=40 - n)) for n in range(1, 41)]
    rules = KeepRules(last=2, daily=3, weekly=2, monthly=2)
    made = plan(Policy(keep=rules, max_snapshots=1, zone=UTC), facts([project()], days), NOW)
    kept = {d.checkpoint.created_at.date().isoformat(): d.reason for d in made.keep}
    assert kept == {
        "2026-11-28": "it is the newest of its project",
        "2026-11-27": "it is one of the last 2 (keep_last)",
        "2026-11-26": "it is the newest of its period (keep_daily)",
        "2026-11-22": "it is the newest of its period (keep_weekly)",
        "2026-10-31": "it is the newest of its period (keep_monthly)",
    }
    assert {d.rule for d in made.drop} == {Rule.NO_KEEP_RULE}


def test_keep_within_and_what_it_protects_from() -> None:
    old = project(last_touch=NOW - timedelta(days=99))
    hours = [candidate(n, created_at=NOW - timedelta(hours=10 - n)) for n in range(1, 11)]
    policy = Policy(
        keep=KeepRules(within=timedelta(hours=3)),
        retention_days=7,
        max_snapshots=1,
        reclaim_bytes=10**9,
    )
    made = plan(policy, facts([old], hours), NOW)
    assert dropped(made) == [6, 5, 4, 3, 2, 1]


def test_a_day_is_that_of_the_users_zone() -> None:
    # 23:30 and 00:30 in Berlin are one day in UTC.
    late = datetime(2026, 7, 1, 21, 30, tzinfo=UTC)
    pair = [
        candidate(1, created_at=late),
        candidate(2, created_at=late + timedelta(hours=1)),
        candidate(3, created_at=late + timedelta(hours=2)),
    ]
    rules = KeepRules(daily=9)
    utc = plan(Policy(keep=rules, zone=UTC), facts([project()], pair), NOW)
    berlin = plan(Policy(keep=rules, zone=BERLIN), facts([project()], pair), NOW)
    assert (dropped(utc), dropped(berlin)) == ([2, 1], [2])


def test_the_hour_that_comes_twice_is_two_hours() -> None:
    # On 2026-10-25 clocks in Berlin go from 03:00 back to 02:00, at 01:00 UTC.
    start = datetime(2026, 10, 25, 0, 15, tzinfo=UTC)
    hours = [candidate(n, created_at=start + timedelta(hours=n)) for n in range(3)]
    made = plan(Policy(keep=KeepRules(hourly=9), zone=BERLIN), facts([project()], hours), NOW)
    assert dropped(made) == []


def test_a_week_belongs_to_the_year_of_its_thursday() -> None:
    sunday, monday = datetime(2027, 1, 3, 9, tzinfo=UTC), datetime(2026, 12, 28, 9, tzinfo=UTC)
    pair = [candidate(1, created_at=monday), candidate(2, created_at=sunday)]
    made = plan(Policy(keep=KeepRules(weekly=9), zone=UTC), facts([project()], pair), NOW)
    assert dropped(made) == [1]


def test_the_cap_takes_the_oldest_of_each_project_in_turn_and_disposable_places_first() -> None:
    projects = [project(1), project(2), project(3, disposable=True)]
    checkpoints = [
        *(candidate(n, 1) for n in (1, 4, 7)),
        *(candidate(n, 2) for n in (2, 5, 8)),
        *(candidate(n, 3) for n in (3, 6, 9)),
    ]
    order: list[int] = []
    for amount in range(100, 700, 100):
        made = plan(
            Policy(cap_bytes=500 * MB, reclaim_bytes=amount), facts(projects, checkpoints), NOW
        )
        order += sorted({*dropped(made)} - {*order})
    assert order == [3, 6, 1, 2, 4, 5]
    assert {d.rule for d in made.keep} == {Rule.NEWEST}
    assert made.drop[0].reason == "the store was over its size cap of 500 MB"


def test_the_limit_of_a_take_leaves_all_else_alone() -> None:
    old = project(last_touch=NOW - timedelta(days=99))
    checkpoints = [candidate(n) for n in range(1, 7)]
    policy = Policy(max_snapshots=3, retention_days=7, protect=frozenset({commit(1)}))
    assert dropped(over_limit(policy, facts([old], checkpoints), NOW)) == [3, 2]
    daily = Policy(max_snapshots=3, keep=KeepRules(last=5))
    assert dropped(over_limit(daily, facts([old], checkpoints), NOW)) == [1]


def test_what_is_named_goes_but_for_pins_and_unfinished_restores() -> None:
    checkpoints = [candidate(1, pinned=True), candidate(2), candidate(3), candidate(4)]
    found = facts([project()], checkpoints, 2)
    made = requested(found, [commit(1), commit(2), commit(4)], Policy(), NOW)
    assert table(made) == (
        "4 drop requested: it was dropped by hand\n"
        "3 keep within-limits: it was not named\n"
        "2 keep unfinished-restore: an unfinished restore needs it\n"
        "1 keep pinned: it is pinned"
    )
    assert dropped(requested(found, [commit(1), commit(2)], Policy(include_pinned=True), NOW)) == [
        1
    ]
