"""Random histories and policies: projects in any state, zones, clocks that change, ties, and rows
that are not live."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from hypothesis import strategies as st

from hermes_checkpoints.model import MB, KeepRules, Policy, ProjectState
from retention.histories import NOW
from retention.oracle import Facts, RestoreRow, Row
from retention.rows import commit, facts, project

FEW = st.integers(0, 4)
HASHES = [project(number).hash for number in range(1, 5)]
ages = st.integers(0, 90 * 24 * 60).map(lambda minutes: timedelta(minutes=minutes))

ZONES = [
    *(ZoneInfo(name) for name in ("UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata")),
    *(ZoneInfo(name) for name in ("Asia/Kathmandu", "Australia/Lord_Howe", "America/St_Johns")),
    *(ZoneInfo(name) for name in ("Pacific/Apia", "Pacific/Marquesas")),
]
CHANGES = [
    (datetime(2026, 10, 25, 1, tzinfo=UTC), ZONES[1]),  # back by an hour
    (datetime(2026, 11, 1, 6, tzinfo=UTC), ZONES[2]),  # back by an hour
    (datetime(2026, 10, 3, 15, 30, tzinfo=UTC), ZONES[5]),  # on by half an hour
    (datetime(2026, 3, 29, 1, tzinfo=UTC), ZONES[1]),  # on by an hour
    (datetime(2026, 4, 4, 15, tzinfo=UTC), ZONES[5]),  # back by half an hour
    (datetime(2027, 1, 1, tzinfo=UTC), ZONES[4]),  # weeks of two years
]
days = st.integers(0, 9).map(lambda number: timedelta(days=number))
sizes = st.one_of(st.sampled_from([0, 100, 250]), st.integers(0, 1000))
instants = st.one_of(
    ages.map(lambda age: NOW - age),
    days.map(lambda age: NOW - age),
    st.builds(
        lambda change, minutes: change[0] + timedelta(minutes=minutes),
        st.sampled_from(CHANGES),
        st.integers(-180, 180),
    ),
    st.builds(lambda age, part: NOW - age - timedelta(microseconds=part), ages, st.integers(0, 10)),
)


def offset_of(moment: datetime, zone: ZoneInfo) -> int:
    """The minutes that the clocks of a zone were ahead then."""
    found = moment.astimezone(zone).utcoffset()
    assert found is not None
    return int(found.total_seconds() // 60)


_taken_anywhere = st.tuples(
    st.lists(instants, max_size=12), st.lists(st.sampled_from(ZONES), min_size=1, max_size=2)
)
_taken_at_a_change = st.sampled_from(CHANGES).flatmap(
    lambda change: st.tuples(
        st.lists(
            st.integers(-6, 6).map(lambda n: change[0] + timedelta(minutes=20 * n)), max_size=9
        ),
        st.just([change[1]]),
    )
)


@st.composite
def histories(draw: st.DrawFn) -> Facts:
    """Up to four projects in any state, with up to a dozen checkpoints each."""
    number = 0
    projects, rows, restores = [], [], []
    for id_ in range(1, 1 + draw(st.integers(0, 4))):
        state = draw(st.sampled_from(ProjectState))
        missing = None if state is ProjectState.LIVE else draw(st.one_of(st.none(), instants))
        projects.append(
            project(
                id_,
                state=state,
                missing_since=missing,
                last_touch=draw(instants),
                disposable=draw(st.booleans()),
            )
        )
        moments, zones = draw(st.one_of(_taken_anywhere, _taken_at_a_change))
        for moment in _in_some_order(draw, moments):
            number += 1
            rows.append(
                Row(
                    number,
                    id_,
                    moment,
                    offset_of(moment, draw(st.sampled_from(zones))),
                    pinned=draw(st.integers(0, 9)) == 0,
                    label=draw(
                        st.sampled_from(
                            [None] * 18 + [f"good name {number}", f"a{number}, b{number}"]
                        )
                    ),
                    kind=draw(st.sampled_from(["auto", "auto", "manual", "safety", "imported"])),
                    state=draw(
                        st.sampled_from(["live"] * 7 + ["arriving", "pruning", "pruned", "lost"])
                    ),
                    added=draw(sizes),
                    stored=draw(sizes),
                    superseded=draw(sizes),
                    held=draw(sizes),
                )
            )
    if number:
        for id_ in range(1, 1 + draw(st.integers(0, 3))):
            target = draw(st.integers(1, number))
            restores.append(
                RestoreRow(
                    id_,
                    rows[target - 1].project_id,
                    draw(st.sampled_from(["writing", "interrupted", "done"])),
                    target,
                    draw(st.integers(1, number)),
                    undone=draw(st.booleans()),
                )
            )
    return facts(projects, rows, restores)


def _in_some_order(draw: st.DrawFn, moments: list[datetime]) -> list[datetime]:
    """Mostly that of time; a clock that was set back gives another."""
    return moments if draw(st.integers(0, 3)) == 0 else sorted(moments)


@st.composite
def policies(draw: st.DrawFn) -> Policy:
    keep = KeepRules(
        draw(FEW),
        draw(FEW),
        draw(FEW),
        draw(FEW),
        draw(FEW),
        draw(st.one_of(days, ages.map(lambda age: age / 10))),
    )
    return Policy(
        max_snapshots=draw(FEW),
        max_safety_snapshots=draw(FEW),
        retention_days=draw(st.one_of(st.integers(0, 9), st.integers(0, 40))),
        delete_orphans=draw(st.booleans()),
        orphan_grace=draw(st.one_of(st.none(), days, ages)),
        keep=draw(st.sampled_from([KeepRules(), keep])),
        include_pinned=draw(st.booleans()),
        protect=frozenset(map(commit, draw(st.sets(st.integers(1, 40), max_size=2)))),
        cap_bytes=draw(st.sampled_from([0, 3 * MB, 500 * MB, 5 * MB // 2])),
        reclaim_bytes=draw(st.sampled_from([0, 0, 100, 250, 500, 2000, 10**6])),
        orphans=draw(st.one_of(st.none(), st.frozensets(st.sampled_from(HASHES)))),
    )
