"""What is removed from a remote: the statement, and the same rules as a person would read them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from catalog.records import START, Maker, hex_id
from catalog.sent import OTHER, OWN, THIRD, Sending, remote_checkpoint
from hermes_checkpoints.catalog import Catalog
from hermes_checkpoints.catalog.recorded import ListedRef, RemovalTerms
from hermes_checkpoints.catalog.removals import Decided
from hermes_checkpoints.model import CursorFate, RemoteRule
from support import examples

NOW = START + timedelta(days=100)
PROJECTS = tuple(hex_id(name)[:16] for name in ("/srv/a", "/srv/b"))
PREFIX, CURSORS = "refs/checkpoints/", "refs/checkpoints-cursor/"


def days_ago(days: float | None) -> datetime | None:
    return None if days is None else NOW - timedelta(days=days)


def terms(**more: Any) -> RemovalTerms:
    given: dict[str, Any] = {"before": days_ago(30), "dead_before": days_ago(30), "days": 30}
    return RemovalTerms(OWN, **{**given, "dead_days": 30, **more})


def listed(machine: str, project: str, number: int, days: float | None) -> ListedRef:
    id_ = hex_id("there", machine, project, number)
    ref = f"{PREFIX}{machine}/{project}/{number:04}-{id_[:8]}"
    return ListedRef(ref, machine, project, id_, days_ago(days))


def cursor(machine: str, project: str) -> ListedRef:
    name = f"{CURSORS}{machine}/{project}"
    return ListedRef(name, machine, project, hex_id(name), is_cursor=True)


def rules(decided: Decided, refs: list[ListedRef]) -> dict[str, str]:
    """By which rule each one goes; those that stay are counted."""
    gone = {one.ref_name: one.rule.value for one in decided.remove}
    assert gone.keys() <= {one.ref_name for one in refs if not one.is_cursor}
    return gone


def kept(decided: Decided) -> dict[tuple[str, str], int]:
    return {(one.machine, one.rule.value): one.number for one in decided.kept}


def fates(decided: Decided) -> dict[str, CursorFate]:
    return {one.ref_name: one.fate for one in decided.cursors}


# --- the rules as a person would read them ----------------------------------------------------


@dataclass(frozen=True)
class There:
    """A checkpoint on the remote: below which machine and project, how old in days, None where
    nothing tells it, and what this base says of it."""

    machine: str
    project: str
    days: float | None
    here: str = ""  # pinned, labelled or live


def oracle(there: list[There], given: RemovalTerms, named: set[int]) -> list[str | None]:
    """Return what decides about each."""
    return [_judged(there, number, given, named) for number in range(len(there))]


def _judged(there: list[There], number: int, given: RemovalTerms, named: set[int]) -> str | None:
    one = there[number]
    own = one.machine == OWN
    if own and given.project_hash not in (None, one.project):
        return None
    marked = {"pinned": "pinned", "labelled": "labelled"}.get(one.here)
    if given.ids is not None:
        if number not in named:
            return None
        return marked or ("named" if own or given.others else "foreign")
    if own:
        same = [n for n, other in enumerate(there) if _place(other) == _place(one)]
        newest = max(same, key=lambda n: (there[n].days is not None, -(there[n].days or 0), n))
        if marked or number == newest:
            return marked or "newest"
        return _by_age(one.days, given.before, "over-age", "young")
    if not given.others:
        return "foreign"
    of_machine = [other.days for other in there if other.machine == one.machine]
    days = None if None in of_machine else min(day for day in of_machine if day is not None)
    return _by_age(days, given.dead_before, "dead", "alive")


def _place(one: There) -> tuple[str, str]:
    return one.machine, one.project


def _by_age(days: float | None, before: datetime | None, old: str, young: str) -> str:
    if before is None:
        return "for-ever"
    if days is None:
        return "undated"
    return old if NOW - timedelta(days=days) < before else young


_DAYS = st.sampled_from([-400.0, 0.0, 1.0, 29.0, 30.0, 31.0, 90.0, None])
_THERE = st.builds(
    There,
    st.sampled_from([OWN, OWN, OTHER, THIRD]),
    st.sampled_from(PROJECTS),
    _DAYS,
    st.sampled_from(["", "", "pinned", "labelled", "live"]),
)
_MOMENTS = st.sampled_from([days_ago(30), days_ago(30), None])


@settings(
    max_examples=examples(9),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    deadline=None,
)
@given(
    st.lists(_THERE, max_size=12),
    st.booleans(),
    _MOMENTS,
    _MOMENTS,
    st.sampled_from([None, PROJECTS[0]]),
    st.none() | st.sets(st.integers(0, 11), max_size=3),
)
def test_what_goes_is_what_the_rules_say(
    catalog: Catalog,
    there: list[There],
    others: bool,
    before: datetime | None,
    dead_before: datetime | None,
    project: str | None,
    named: set[int] | None,
) -> None:
    catalog.retention.erase()
    make = Maker(catalog)
    remote = Sending.to(make).remote
    refs = []
    for number, one in enumerate(there):
        ref = listed(one.machine, one.project, number, one.days)
        if one.here:
            at = ref.named_at or START
            record = make.project("/srv/a" if one.project == PROJECTS[0] else "/srv/b")
            row = make.checkpoint(record, id=ref.commit_id, created_at=at)
            if one.here == "pinned":
                catalog.checkpoints.set_pinned(row._row, True)
            elif one.here == "labelled":
                catalog.labels.give(row._row, f"label {number}")
        refs.append(ref)
    there = [  # this base knows when it has taken what it has
        There(one.machine, one.project, (NOW - START) / timedelta(days=1), one.here)
        if one.here and one.days is None
        else one
        for one in there
    ]
    meant = {number for number in named or () if number < len(refs)}
    ids = {refs[number].commit_id for number in meant}
    told = terms(
        others=others,
        before=before,
        dead_before=dead_before,
        project_hash=project,
        ids=None if named is None else frozenset(ids),
    )
    cursors = [cursor(machine, hash_) for machine in (OWN, OTHER, THIRD) for hash_ in PROJECTS]
    decided = catalog.removals.decide(remote, [*refs, *cursors], told)
    expected = oracle(there, told, meant)
    removing = {one.value for one in RemoteRule if one.removes}
    assert rules(decided, refs) == {
        ref.ref_name: rule for ref, rule in zip(refs, expected, strict=True) if rule in removing
    }
    counts: dict[tuple[str, str], int] = {}
    for one, rule in zip(there, expected, strict=True):
        if rule is not None and rule not in removing:
            counts[one.machine, rule] = counts.get((one.machine, rule), 0) + 1
    assert kept(decided) == counts
    here = {ref.ref_name for ref, one in zip(refs, there, strict=True) if one.here}
    assert all(one.is_here == (one.ref_name in here) for one in decided.remove)
    assert fates(decided) == {
        one.ref_name: fate
        for one in cursors
        if (fate := _fate(one, refs, expected, told, removing)) is not None
    }


def _fate(
    one: ListedRef,
    refs: list[ListedRef],
    expected: list[str | None],
    given: RemovalTerms,
    removing: set[str],
) -> CursorFate | None:
    place = one.machine, one.project_hash
    own = one.machine == OWN
    scope = own and given.project_hash not in (None, one.project_hash)
    of_it = [
        rule in removing
        for ref, rule in zip(refs, expected, strict=True)
        if (ref.machine, ref.project_hash) == place and not scope
    ]
    if any(of_it):
        if all(of_it):
            return CursorFate.REMOVED
        return CursorFate.EMPTIED if own else None
    if own or not given.others or given.dead_before is None or given.ids is not None:
        return None
    of_machine = [
        rule in removing
        for ref, rule in zip(refs, expected, strict=True)
        if ref.machine == one.machine
    ]
    return CursorFate.REMOVED if all(of_machine) else None


# --- what else there is to know ---------------------------------------------------------------


def test_what_a_pull_has_read_tells_the_time_where_the_name_does_not(make: Maker) -> None:
    sending = Sending.to(make)
    found = [remote_checkpoint(OTHER, number, created_at=days_ago(90)) for number in range(2)]
    sending.pull(found)
    refs = [ListedRef(one.ref_name, OTHER, one.project_hash, one.id) for one in found]
    decided = make.catalog.removals.decide(sending.remote, refs, terms(others=True))
    assert {one.rule for one in decided.remove} == {RemoteRule.DEAD}
    assert decided.remove[0].working_dir == found[0].working_dir
    moved = [refs[0]._replace(commit_id=hex_id("another")), refs[1]]
    decided = make.catalog.removals.decide(sending.remote, moved, terms(others=True))
    assert kept(decided) == {(OTHER, "undated"): 2}


def test_a_machine_whose_clock_is_wrong_lives_while_there_is_something_new_of_it(
    make: Maker,
) -> None:
    sending = Sending.to(make)
    first, second = (remote_checkpoint(OTHER, number) for number in range(2))
    sending.pull([first])
    sending.pull([first, second])  # met again, just now
    seen = make.now()
    refs = [listed(OTHER, PROJECTS[0], 1, 4000), cursor(OTHER, PROJECTS[0])]
    at = terms(others=True, before=seen - timedelta(days=30), dead_before=seen - timedelta(days=30))
    decided = make.catalog.removals.decide(sending.remote, refs, at)
    assert (decided.remove, kept(decided)) == ([], {(OTHER, "alive"): 1})
    assert decided.cursors == []
    assert make.catalog.removals.decide(sending.remote, refs, terms(others=True)).remove
