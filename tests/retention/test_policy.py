"""What the rules decide, on small histories whose outcome is written out in full.

The program's own statements decide, in a catalog that holds just these rows.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from hermes_checkpoints.catalog import Catalog
from hermes_checkpoints.model import (
    MB,
    Candidate,
    Decision,
    KeepRules,
    KeptGroup,
    Policy,
    ProjectFacts,
    ProjectState,
    Rule,
)
from retention.histories import NOW
from retention.oracle import Judged, RestoreRow, Row
from retention.rows import Rows, commit, facts, held, new_catalog, project, row

BERLIN, NEPAL = ZoneInfo("Europe/Berlin"), ZoneInfo("Asia/Kathmandu")
ORPHAN, UNREACHABLE = ProjectState.ORPHAN, ProjectState.UNREACHABLE
Hold = Callable[..., Rows]


@pytest.fixture
def catalog(tmp_path: Path, empty_catalog: Path) -> Iterator[Catalog]:
    shutil.copy(empty_catalog, tmp_path)
    with new_catalog(tmp_path) as opened:
        yield opened


@pytest.fixture
def hold(catalog: Catalog) -> Iterator[Hold]:
    """Let the catalog hold just these projects and rows, until it is called again."""
    with ExitStack() as stack:

        def holding(
            projects: Sequence[ProjectFacts], rows: Sequence[Row], *restores: RestoreRow
        ) -> Rows:
            stack.close()
            return stack.enter_context(held(catalog, facts(projects, rows, restores)))

        yield holding


def table(made: list[Judged]) -> str:
    """The decisions as lines: id, what happens, the rule, the reason."""
    return "\n".join(
        f"{d.row.id} {'drop' if d.drop else 'keep'} {d.rule}: {d.reason}" for d in made
    )


def dropped(made: list[Judged]) -> list[int]:
    return [d.row.id for d in made if d.drop]


def local(moment: datetime, zone: ZoneInfo) -> dict[str, Any]:
    """The time and the offset of a checkpoint that was taken then in that zone."""
    offset = moment.astimezone(zone).utcoffset()
    assert offset is not None
    return {"created_at": moment, "offset": int(offset.total_seconds() // 60)}


def test_without_rules_everything_stays(hold: Hold) -> None:
    made = hold([project()], [row(n) for n in (1, 2)]).decisions(Policy())
    assert table(made) == (
        "2 keep newest: it is the newest of its project\n"
        "1 keep within-limits: it is within all limits"
    )
    assert not dropped(made)


def test_more_than_the_limit(hold: Hold) -> None:
    made = hold([project()], [row(n) for n in (1, 2, 3)]).decisions(Policy(max_snapshots=2))
    assert table(made) == (
        "3 keep newest: it is the newest of its project\n"
        "2 keep within-limits: it is within all limits\n"
        "1 drop over-limit: its project has more than 2 (max_snapshots)"
    )


def test_a_stale_project_keeps_its_newest(hold: Hold) -> None:
    old = project(last_touch=NOW - timedelta(days=9))
    day = old.last_touch.astimezone().date()
    made = hold([old], [row(n) for n in (1, 2, 3)]).decisions(Policy(retention_days=7))
    assert table(made) == (
        "3 keep newest: it is the newest of its project\n"
        f"2 drop stale: its project was last touched on {day} (retention_days: 7)\n"
        f"1 drop stale: its project was last touched on {day} (retention_days: 7)"
    )


@pytest.mark.parametrize(("days", "stale"), [(6.99, False), (7, True)])
def test_the_day_on_which_a_project_becomes_stale(hold: Hold, days: float, stale: bool) -> None:
    old = project(last_touch=NOW - timedelta(days=days))
    made = hold([old], [row(1), row(2)]).decisions(Policy(retention_days=7))
    assert bool(dropped(made)) == stale


def test_an_orphan_goes_when_somebody_agrees(hold: Hold) -> None:
    gone = project(state=ORPHAN, missing_since=NOW)
    day = NOW.astimezone().date()
    policy = Policy(orphan_grace=None)
    made = hold([gone], [row(1), row(2)]).decisions(policy)
    assert table(made) == (
        f"2 drop orphan: its directory is gone, as seen first on {day}\n"
        f"1 drop orphan: its directory is gone, as seen first on {day}"
    )


@pytest.mark.parametrize(("days", "goes"), [(0, False), (6.9, False), (7, True), (30, True)])
def test_unattended_an_orphan_goes_after_the_grace_period(
    hold: Hold, days: float, goes: bool
) -> None:
    gone = project(state=ORPHAN, missing_since=NOW - timedelta(days=days))
    made = hold([gone], [row(1), row(2)]).decisions(Policy())
    assert dropped(made) == ([2, 1] if goes else [])
    if not goes:
        assert "orphans are kept until" in made[0].reason


def test_orphans_that_are_to_be_kept_are_treated_as_if_they_lived(hold: Hold) -> None:
    gone = project(state=ORPHAN, missing_since=NOW - timedelta(days=30))
    policy = Policy(delete_orphans=False, orphan_grace=None, max_snapshots=1)
    made = hold([gone], [row(1), row(2)]).decisions(policy)
    assert [(d.row.id, d.rule) for d in made] == [
        (2, Rule.NEWEST),
        (1, Rule.OVER_LIMIT),
    ]
    assert made[0].reason.endswith("and orphans are kept")


def test_of_an_orphan_that_nobody_agreed_to_nothing_goes_by_any_rule(hold: Hold) -> None:
    long_ago = NOW - timedelta(days=99)
    agreed, other = (
        project(n, state=ORPHAN, missing_since=long_ago, last_touch=long_ago) for n in (1, 2)
    )
    gone = f"its directory is gone, as seen first on {long_ago.astimezone().date()}"
    why = f"{gone}, and nobody agreed that anything of it goes"
    there, far = project(3), project(4, state=UNREACHABLE)
    listed = [row(n, 1 + n % 4) for n in range(1, 9)]
    listed += [row(9, 2, pinned=True), row(10, 2, kind="safety")]
    rows = hold([agreed, other, there, far], listed)
    by_age_and_number = Policy(
        max_snapshots=1,
        max_safety_snapshots=1,
        retention_days=1,
        include_pinned=True,
        orphan_grace=None,
        reclaim_bytes=10**9,
        orphans=frozenset({agreed.hash, there.hash, far.hash}),
    )
    for rules in (
        by_age_and_number,
        replace(by_age_and_number, delete_orphans=False),
        replace(by_age_and_number, keep=KeepRules(last=1)),
        replace(by_age_and_number, orphan_grace=timedelta(days=7)),
    ):
        made = rows.decisions(rules)
        of_other = [d for d in made if d.project == other]
        assert {(d.drop, d.rule, d.reason) for d in of_other} == {(False, Rule.PROTECTED, why)}
        assert [d.row.id for d in of_other] == [10, 9, 5, 1]
        without = rows.decisions(replace(rules, orphans=None))
        assert [d for d in made if d.project != other] == [d for d in without if d.project != other]
        assert [d for d in without if d.project == other and d.drop]
    assert dropped(rows.decisions(by_age_and_number)) == [2, 8, 4]
    by_hand = rows.catalog.plans.requested(by_age_and_number, NOW, other.hash, [commit(1)])
    assert [d.checkpoint.id for d in by_hand.drop] == [commit(1)], "what is named was agreed to"


def test_of_what_cannot_be_seen_nothing_goes_by_any_rule(hold: Hold) -> None:
    far = project(
        state=UNREACHABLE, missing_since=NOW - timedelta(days=99), last_touch=NOW - timedelta(99)
    )
    policy = Policy(max_snapshots=1, retention_days=1, orphan_grace=None, reclaim_bytes=10**9)
    made = hold([far], [row(n) for n in (1, 2, 3)]).decisions(policy)
    assert dropped(made) == []
    assert {d.rule for d in made if not d.drop} == {Rule.UNREACHABLE}


def test_pins_labels_unfinished_restores_and_protected_ids_stay(hold: Hold) -> None:
    gone = project(state=ORPHAN, missing_since=NOW)
    checkpoints = [
        row(1, pinned=True),
        row(2, label="good"),
        row(3),
        row(4),
        row(5),
    ]
    needed = RestoreRow(1, 1, "interrupted", 3, 3)
    policy = Policy(orphan_grace=None, protect=frozenset({commit(4)}))
    made = hold([gone], checkpoints, needed).decisions(policy)
    assert table(made).splitlines()[1:] == [
        "4 keep protected: it is in use just now",
        "3 keep unfinished-restore: an unfinished restore needs it",
        "2 keep labelled: it has the label good",
        "1 keep pinned: it is pinned",
    ]
    assert dropped(made) == [5]
    made = hold([gone], checkpoints, needed).decisions(
        Policy(orphan_grace=None, include_pinned=True)
    )
    assert dropped(made) == [5, 4, 2, 1]


def test_keep_rules_are_joined_by_or(hold: Hold) -> None:
    days = [row(n, created_at=NOW - timedelta(days=40 - n)) for n in range(1, 41)]
    rules = KeepRules(last=2, daily=3, weekly=2, monthly=2)
    made = hold([project()], days).decisions(Policy(keep=rules, max_snapshots=1))
    kept = {d.row.created_at.date().isoformat(): d.reason for d in made if not d.drop}
    assert kept == {
        "2026-11-28": "it is the newest of its project",
        "2026-11-27": "it is one of the last 2 (keep_last)",
        "2026-11-26": "it is the newest of its period (keep_daily)",
        "2026-11-22": "it is the newest of its period (keep_weekly)",
        "2026-10-31": "it is the newest of its period (keep_monthly)",
    }
    assert {d.rule for d in made if d.drop} == {Rule.NO_KEEP_RULE}


def test_keep_within_and_what_it_protects_from(hold: Hold) -> None:
    old = project(last_touch=NOW - timedelta(days=99))
    hours = [row(n, created_at=NOW - timedelta(hours=10 - n)) for n in range(1, 11)]
    policy = Policy(
        keep=KeepRules(within=timedelta(hours=3)),
        retention_days=7,
        max_snapshots=1,
        reclaim_bytes=10**9,
    )
    made = hold([old], hours).decisions(policy)
    assert dropped(made) == [6, 5, 4, 3, 2, 1]


@pytest.mark.parametrize(("more", "kept"), [(0, True), (1, False)])
def test_keep_within_is_exact_to_the_microsecond(hold: Hold, more: int, kept: bool) -> None:
    age = timedelta(hours=3, microseconds=more)
    made = hold([project()], [row(1, created_at=NOW - age), row(2)]).decisions(
        Policy(keep=KeepRules(within=timedelta(hours=3)))
    )
    assert dropped(made) == ([] if kept else [1])


def test_weeks_begin_on_monday(hold: Hold) -> None:
    days = [NOW - timedelta(days=30 - n) for n in range(31)]
    made = hold([project()], [row(n, created_at=day) for n, day in enumerate(days)]).decisions(
        Policy(keep=KeepRules(weekly=99))
    )
    kept = [d.row.created_at.strftime("%a") for d in made if not d.drop]
    assert kept == ["Sat", "Sun", "Sun", "Sun", "Sun"], "today, and the last day of each week"


def test_a_day_is_that_of_the_machine_that_took_the_checkpoint(hold: Hold) -> None:
    # 23:30 and 00:30 in Berlin are one day in UTC, and in Kathmandu, at +05:45, the next one.
    late = datetime(2026, 7, 1, 21, 30, tzinfo=UTC)
    moments = [late + timedelta(hours=n) for n in range(3)]
    found = []
    for zone in (ZoneInfo("UTC"), BERLIN, NEPAL):
        taken = [row(n, 1, **local(moment, zone)) for n, moment in enumerate(moments, 1)]
        found.append(dropped(hold([project()], taken).decisions(Policy(keep=KeepRules(daily=9)))))
    assert found == [[2, 1], [2], [2, 1]]


def test_the_hour_that_comes_twice_is_two_hours(hold: Hold) -> None:
    # On 2026-10-25 clocks in Berlin go from 03:00 back to 02:00, at 01:00 UTC.
    start = datetime(2026, 10, 25, 0, 15, tzinfo=UTC)
    hours = [row(n, 1, **local(start + timedelta(hours=n), BERLIN)) for n in range(3)]
    assert [one.offset for one in hours] == [120, 60, 60]
    rows = hold([project()], hours)
    assert dropped(rows.decisions(Policy(keep=KeepRules(hourly=9)))) == []
    assert dropped(rows.decisions(Policy(keep=KeepRules(daily=9)))) == [1, 0]


def test_a_week_belongs_to_the_year_of_its_thursday(hold: Hold) -> None:
    sunday, monday = datetime(2027, 1, 3, 9, tzinfo=UTC), datetime(2026, 12, 28, 9, tzinfo=UTC)
    days = [row(1, created_at=monday), row(2, created_at=sunday)]
    days += [row(3, created_at=sunday + timedelta(days=1))]
    made = hold([project()], days).decisions(Policy(keep=KeepRules(weekly=9)))
    assert dropped(made) == [1]


def test_the_cap_takes_the_oldest_of_each_project_in_turn_and_disposable_places_first(
    hold: Hold,
) -> None:
    projects = [project(1), project(2), project(3, disposable=True)]
    checkpoints = [
        *(row(n, 1) for n in (1, 4, 7)),
        *(row(n, 2) for n in (2, 5, 8)),
        *(row(n, 3) for n in (3, 6, 9)),
    ]
    order: list[int] = []
    for amount in range(100, 700, 100):
        made = hold(projects, checkpoints).decisions(
            Policy(cap_bytes=500 * MB, reclaim_bytes=amount)
        )
        assert len(dropped(made)) == amount // 100, "no more than is needed"
        order += sorted({*dropped(made)} - {*order})
    assert order == [3, 6, 1, 2, 4, 5]
    assert {d.rule for d in made if not d.drop} == {Rule.NEWEST}
    assert made[-1].reason == "the store was over its size cap of 500 MB"


def test_of_the_oldest_of_several_projects_the_cap_takes_the_one_taken_first(hold: Hold) -> None:
    early, late = NOW - timedelta(days=2), NOW - timedelta(days=1)
    checkpoints = [
        row(1, 1, created_at=late),
        row(2, 2, created_at=early),
        *(row(n, 1 + n % 2) for n in (3, 4)),
    ]
    rows = hold([project(1), project(2)], checkpoints)
    assert dropped(rows.decisions(Policy(reclaim_bytes=1))) == [2]
    assert dropped(rows.decisions(Policy(reclaim_bytes=101))) == [2, 1]


def test_the_limit_of_a_take_leaves_all_else_alone(hold: Hold) -> None:
    old = project(last_touch=NOW - timedelta(days=99))
    rows = hold([old, project(2)], [*(row(n) for n in range(1, 7)), row(8, 2), row(9, 2)])

    def goes(policy: Policy) -> list[int]:
        drop = rows.catalog.plans.over_limit(policy, NOW, old.hash)
        made = rows.decisions(policy, of=old.id, only_limit=True)
        assert [d.checkpoint._row for d in drop] == dropped(made)
        assert {d.rule for d in drop} <= {Rule.OVER_LIMIT}
        return dropped(made)

    policy = Policy(max_snapshots=3, retention_days=7, protect=frozenset({commit(1)}))
    assert goes(policy) == [3, 2]
    assert goes(Policy(max_snapshots=3, keep=KeepRules(last=5))) == [1]
    assert goes(Policy(max_snapshots=6, retention_days=7)) == []
    assert goes(Policy(keep=KeepRules(last=5))) == []


def test_what_is_named_goes_but_for_pins_and_unfinished_restores(hold: Hold) -> None:
    checkpoints = [row(1, pinned=True), row(2), row(3), row(4), row(5, 2)]
    rows = hold([project(), project(2)], checkpoints, RestoreRow(1, 1, "writing", 2, 2))
    ids = [commit(n) for n in (1, 2, 4)]
    made = rows.catalog.plans.requested(Policy(), NOW, project().hash, [*ids, commit(5)])
    assert [(d.checkpoint.id, d.rule, d.reason) for d in made.drop] == [
        (commit(4), Rule.REQUESTED, "it was dropped by hand")
    ]
    assert [(d.checkpoint.id, d.rule, d.reason) for d in made.refused] == [
        (commit(2), Rule.UNFINISHED, "an unfinished restore needs it"),
        (commit(1), Rule.PINNED, "it is pinned"),
    ]
    assert made.kept[-1] == KeptGroup(Rule.WITHIN_LIMITS, "it was not named", 1)
    assert (made.keep_count, made.scanned) == (3, 1)
    made = rows.catalog.plans.requested(
        Policy(include_pinned=True), NOW, project().hash, [commit(1), commit(2)]
    )
    assert [d.checkpoint.id for d in made.drop] == [commit(1)]


def test_what_is_lost_and_named_goes_by_the_same_rules_and_frees_nothing(hold: Hold) -> None:
    marks: list[dict[str, Any]] = [{"pinned": True}, {"label": "good"}, {}, {}]
    listed = [row(n, state="lost", **more) for n, more in enumerate(marks, 1)]
    other = [row(5, state="pruned"), row(6, 2, state="lost"), row(7)]
    rows = hold([project(), project(2)], [*listed, *other], RestoreRow(1, 1, "writing", 4, 4))
    plans, ids = rows.catalog.plans, [commit(n) for n in range(1, 8)]
    made = plans.requested(Policy(), NOW, project().hash, ids)
    assert [(d.checkpoint.id, d.checkpoint.freed_bytes) for d in made.drop] == [
        (commit(7), 100),
        (commit(3), 0),
    ]
    assert [(d.checkpoint.id, d.rule, d.reason) for d in made.refused] == [
        (commit(4), Rule.UNFINISHED, "an unfinished restore needs it"),
        (commit(2), Rule.LABELLED, "it has the label good"),
        (commit(1), Rule.PINNED, "it is pinned"),
    ]
    made = plans.requested(Policy(include_pinned=True), NOW, project().hash, ids[:6])
    assert [d.checkpoint.id for d in made.drop] == [commit(3), commit(2), commit(1)]
    alone = plans.requested(Policy(), NOW, project(2).hash, ids)
    assert [d.project.id for d in alone.drop] == [2]
    assert (alone.scanned, alone.keep_count) == (0, 0), "no live checkpoint was looked at"


def test_what_was_decided_holds_until_something_keeps_it(hold: Hold) -> None:
    gone = {"state": ORPHAN, "missing_since": NOW}
    agreed = frozenset({project().hash})
    nobody = frozenset({project(2).hash})

    def holds(
        rule: Rule,
        *restores: RestoreRow,
        told: tuple[bool, bool] = (False, False),
        orphans: frozenset[str] | None = None,
        number: int = 1,
        of: dict[str, Any] | None = None,
        **marks: Any,
    ) -> bool:
        rows = hold([project(**(of or {}))], [row(1, **marks), row(2)], *restores)
        candidate = Candidate(9, commit(number), "", NOW, *told, "", 0)
        [found] = rows.catalog.plans.standing(
            [Decision(candidate, project(), rule, "it was so decided")], orphans
        )
        assert found is not None
        assert (found._row, found.pinned) == (number, marks.get("pinned", False))
        return found.holds

    for rule in (Rule.STALE, Rule.OVER_LIMIT, Rule.NO_KEEP_RULE, Rule.SIZE_CAP, Rule.REQUESTED):
        assert holds(rule)
        assert not holds(rule, pinned=True)
        assert not holds(rule, label="good")
        assert not holds(rule, RestoreRow(1, 1, "writing", 1, 2))
        assert holds(rule, pinned=True, label="good", told=(True, True))
        assert holds(rule, of=gone, orphans=agreed)
        by_person = rule is Rule.REQUESTED
        assert holds(rule, of=gone, orphans=nobody) is by_person
        assert holds(rule, number=2) is by_person, "it is the newest by now"
        assert holds(rule, RestoreRow(1, 1, "done", 2, 1)) is by_person, "an undo needs it"
    for number in (1, 2):
        assert holds(Rule.ORPHAN, RestoreRow(1, 1, "done", 2, 1), of=gone, number=number)
        assert not holds(Rule.ORPHAN, number=number), "it came back"
        assert not holds(Rule.ORPHAN, of={"state": UNREACHABLE}, number=number)
        assert not holds(Rule.ORPHAN, of=gone, orphans=nobody, number=number)


def test_a_project_is_empty_of_which_nothing_is_live(hold: Hold) -> None:
    listed = [row(1), row(2, 2, state="pruned"), row(3, 2, state="lost"), row(4, state="pruned")]
    projects = [project(number) for number in (1, 2, 3)]
    emptied = hold(projects, listed).catalog.retention.emptied
    hashes = [one.hash for one in projects]
    assert {*emptied([*hashes, "other"])} == {*hashes[1:]}
    assert emptied(hashes[:1]) == emptied([]) == []


def test_a_plan_tells_what_goes_and_how_many_stay_by_which_rule(hold: Hold) -> None:
    gone = project(3, state=ORPHAN, missing_since=NOW)
    checkpoints = [
        *(row(n, 1) for n in (1, 2, 3)),
        *(row(n, 2) for n in (4, 5)),
        *(row(n, 3) for n in (6, 7)),
        row(8, 2, label="good"),
        *(row(n, 1, state=state) for n, state in ((9, "arriving"), (10, "pruning"))),
        row(11, 2, state="pruned"),
    ]
    rows = hold([project(), project(2), gone, project(4)], checkpoints)
    plan = rows.plan(Policy(max_snapshots=2, delete_orphans=False))
    assert [d.checkpoint.id for d in plan.drop] == [commit(4), commit(1)]
    assert (plan.scanned, plan.keep_count) == (3, 6)
    told = [(group.rule.value, group.count, group.project) for group in plan.kept]
    assert told == [
        ("newest", 1, gone),
        ("labelled", 1, project(2)),
        ("newest", 1, None),
        ("within-limits", 3, None),
    ]
    assert plan.projects == (project(2), project(), gone)
    assert rows.plan(Policy(max_snapshots=2), project=project(2).hash).scanned == 1
