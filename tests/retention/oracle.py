"""Decides in Python what the statements of ``catalog/decisions.py`` and ``catalog/size_cap.py``
decide, and judges them.

A pure function: no clock, no disk, no database. It is written as a person would read the rules
aloud, one checkpoint after the other, and shares nothing with the statements but the words.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, timezone

from hermes_checkpoints.model import MB, KeepRules, Policy, ProjectFacts, ProjectState, Rule


@dataclass(frozen=True)
class Row:
    """A row of ``checkpoints``, as far as retention reads it. One in the state ``lost`` is pruned,
    and was found to be lost."""

    id: int
    project_id: int
    created_at: datetime
    offset: int = 0
    pinned: bool = False
    label: str | None = None
    kind: str = "auto"
    state: str = "live"
    added: int = 100
    stored: int = 100
    superseded: int = 100
    held: int = 100

    @property
    def commit(self) -> str:
        return f"{self.id:040x}"

    @property
    def safety(self) -> bool:
        return self.kind == "safety"

    @property
    def beside(self) -> int:
        return max(0, self.added - self.stored)


@dataclass(frozen=True)
class RestoreRow:
    """A row of ``restores``."""

    id: int
    project_id: int
    state: str
    target_id: int
    safety_id: int
    undone: bool = False


@dataclass(frozen=True)
class Facts:
    """All that is decided about. Rows come by project, newest first."""

    projects: tuple[ProjectFacts, ...]
    rows: tuple[Row, ...]
    restores: tuple[RestoreRow, ...] = ()

    def undone_with(self, project: ProjectFacts) -> int | None:
        """What the last restore of a project can be taken back with."""
        own = [one for one in self.restores if one.project_id == project.id]
        return max(own, key=lambda one: one.id).safety_id if own else None

    @property
    def unfinished(self) -> frozenset[int]:
        """What a restore needs that was killed while it wrote, until it is undone or followed."""
        needed: set[int] = set()
        for one in self.restores:
            followed = any(
                other.id > one.id and other.project_id == one.project_id for other in self.restores
            )
            killed = one.state == "interrupted" and not one.undone and not followed
            if one.state == "writing" or killed:
                needed |= {one.target_id, one.safety_id}
        return frozenset(needed)


@dataclass(frozen=True)
class Judged:
    """What becomes of one checkpoint."""

    row: Row
    project: ProjectFacts
    drop: bool
    rule: Rule
    reason: str
    freed_bytes: int


def plan(policy: Policy, facts: Facts, now: datetime) -> list[Judged]:
    """Decide on every live checkpoint of ``facts``.

    The size cap drops the oldest that no rule keeps, one of each project in turn, disposable
    places first, until ``policy.reclaim_bytes`` are reached by estimate.
    """
    of_project: dict[int, list[Row]] = defaultdict(list)
    for row in facts.rows:
        if row.state == "live":
            of_project[row.project_id].append(row)
    decisions: list[Judged] = []
    for project in facts.projects:
        listed = of_project.get(project.id, [])
        decisions += _decide(policy, project, listed, facts, now)
    if policy.reclaim_bytes > 0:
        decisions = _reclaim(policy, decisions)
    return decisions


def over_limit(policy: Policy, facts: Facts, now: datetime) -> list[Judged]:
    """Decide by ``max_snapshots`` and ``max_safety_snapshots`` alone; what a keep rule keeps
    stays.

    This is what a take does, so that a limit holds at any time and nothing else happens then.
    """
    alone = replace(policy, retention_days=0, delete_orphans=False, reclaim_bytes=0)
    by_limit = {d.row.id: d for d in plan(replace(alone, keep=KeepRules()), facts, now)}
    return [
        by_limit[d.row.id] if d.rule is Rule.NO_KEEP_RULE else d for d in plan(alone, facts, now)
    ]


def requested(policy: Policy, facts: Facts, wanted: Iterable[str], now: datetime) -> list[Judged]:
    """Decide on what a person named by id; only pins, labels and unfinished restores keep it. What
    is lost frees nothing."""
    ids = frozenset(wanted)
    alone = replace(policy, protect=frozenset())
    freed = {decision.row.id: decision.freed_bytes for decision in plan(alone, facts, now)}
    decisions = []
    for project in facts.projects:
        for row in facts.rows:
            asked = row.project_id == project.id and row.commit in ids
            if asked and row.state in ("live", "lost"):
                kept = _protected(alone, row, facts.unfinished)
                rule, reason = kept or (Rule.REQUESTED, "it was dropped by hand")
                bytes_ = freed.get(row.id, 0)
                decisions.append(Judged(row, project, kept is None, rule, reason, bytes_))
    return decisions


def still_holds(
    facts: Facts, row: Row, rule: Rule, told: tuple[bool, bool], orphans: frozenset[str] | None
) -> bool:
    """Tell whether a live or lost checkpoint still goes by a rule that somebody decided it by, who
    was ``told`` that it is pinned, and that it has a label."""
    project = next(one for one in facts.projects if one.id == row.project_id)
    gone = project.state is ProjectState.ORPHAN
    live = [one for one in facts.rows if one.project_id == project.id and one.state == "live"]
    newest = max(live if row in live else [*live, row], key=lambda one: (not one.safety, one.id))
    marked_since = (row.pinned and not told[0]) or (row.label is not None and not told[1])
    if marked_since or row.id in facts.unfinished:
        return False
    if rule is Rule.REQUESTED:
        return True
    if gone and orphans is not None and project.hash not in orphans:
        return False
    if rule is Rule.ORPHAN:
        return gone
    return row != newest and row.id != facts.undone_with(project)


# --- one project -----------------------------------------------------------------------------

_WITHIN = "it is within all limits"


def _decide(
    policy: Policy,
    project: ProjectFacts,
    newest_first: Sequence[Row],
    facts: Facts,
    now: datetime,
) -> list[Judged]:
    gone = _orphan(policy, project, now)
    spared = _spared(policy, project, now)
    stale = _stale(policy, project, now)
    listed = [row for row in newest_first if not row.safety]
    kept = kept_by_rules(policy.keep, listed, now)
    newest = next(iter([*listed, *newest_first]), None)
    undoes = facts.undone_with(project)
    over = _over(policy, listed, newest, undoes) | _over_safety(
        policy, newest_first, newest, undoes
    )
    result = []
    for rank, checkpoint in enumerate(newest_first, 1):
        protected = _protected(policy, checkpoint, facts.unfinished)
        drop = False
        if protected is not None:
            rule, reason = protected
        elif project.state is ProjectState.UNREACHABLE:
            rule = Rule.UNREACHABLE
            reason = "its directory cannot be seen, which does not prove that it is gone"
        elif spared:
            rule, reason = Rule.PROTECTED, spared
        elif project.state is ProjectState.ORPHAN and gone[0]:
            drop, rule, reason = True, Rule.ORPHAN, gone[1]
        elif checkpoint is newest:
            rule = Rule.NEWEST
            reason = gone[1] or "it is the newest of its project"
        elif checkpoint.id == undoes:
            rule, reason = Rule.LAST_RESTORE, "the last restore is taken back with it"
        elif checkpoint.id in kept:
            rule, reason = Rule.KEEP_RULE, kept[checkpoint.id]
        elif policy.keep and not checkpoint.safety:
            drop, rule, reason = True, Rule.NO_KEEP_RULE, "no keep rule keeps it"
        elif stale:
            drop, rule, reason = True, Rule.STALE, stale
        elif checkpoint.id in over:
            drop, rule, reason = True, Rule.OVER_LIMIT, over[checkpoint.id]
        else:
            rule, reason = Rule.WITHIN_LIMITS, _WITHIN
        freed = _freed(newest_first, rank)
        result.append(Judged(checkpoint, project, drop, rule, reason, freed))
    return result


def _freed(newest_first: Sequence[Row], rank: int) -> int:
    """Return what goes with a checkpoint where the older ones go first."""
    if rank == 1:
        return newest_first[0].held + newest_first[0].beside
    following = newest_first[rank - 2]
    return following.superseded + following.beside


def _protected(
    policy: Policy, checkpoint: Row, unfinished: frozenset[int]
) -> tuple[Rule, str] | None:
    if checkpoint.id in unfinished:
        return Rule.UNFINISHED, "an unfinished restore needs it"
    if checkpoint.commit in policy.protect:
        return Rule.PROTECTED, "it is in use just now"
    if checkpoint.pinned and not policy.include_pinned:
        return Rule.PINNED, "it is pinned"
    if checkpoint.label is not None and not policy.include_pinned:
        word = "labels" if ", " in checkpoint.label else "label"
        return Rule.LABELLED, f"it has the {word} {checkpoint.label}"
    return None


def _orphan(policy: Policy, project: ProjectFacts, now: datetime) -> tuple[bool, str]:
    """Return whether a project goes because its directory is gone, and why or why not."""
    if project.state is not ProjectState.ORPHAN:
        return False, ""
    since = project.missing_since or now
    seen = f"its directory is gone, as seen first on {_day(since)}"
    if not policy.delete_orphans:
        return False, f"{seen}, and orphans are kept"
    if policy.orphan_grace is not None and now - since < policy.orphan_grace:
        until = _day(since + policy.orphan_grace)
        return False, f"{seen}, and orphans are kept until {until} unless somebody agrees"
    return True, seen


def _spared(policy: Policy, project: ProjectFacts, now: datetime) -> str:
    """Return why nothing of an orphan goes that is none of those that may, or nothing."""
    if project.state is not ProjectState.ORPHAN or policy.orphans is None:
        return ""
    if project.hash in policy.orphans:
        return ""
    seen = f"its directory is gone, as seen first on {_day(project.missing_since or now)}"
    return f"{seen}, and nobody agreed that anything of it goes"


def _stale(policy: Policy, project: ProjectFacts, now: datetime) -> str:
    """Return why a project is stale, or nothing."""
    untouched = now - project.last_touch
    if policy.retention_days <= 0 or untouched < timedelta(days=policy.retention_days):
        return ""
    return (
        f"its project was last touched on {_day(project.last_touch)} "
        f"(retention_days: {policy.retention_days})"
    )


def _counts(policy: Policy, row: Row, newest: Row | None) -> bool:
    """Whether a limit counts it: not what a pin or a label keeps, unless it is the newest."""
    held = (row.pinned or row.label is not None) and not policy.include_pinned
    return row is newest or not held


def _over(
    policy: Policy, listed: Sequence[Row], newest: Row | None, undoes: int | None
) -> dict[int, str]:
    """Return why those go that are over the limit: automatic ones first, then those taken by
    hand, then those with a pin or a label that does not hold, then what the last restore is taken
    back with; the newest never."""
    if policy.max_snapshots <= 0:
        return {}

    def worth(row: Row) -> tuple[bool, bool, bool, bool, int]:
        marked = row.pinned or row.label is not None
        return row is newest, row.id == undoes, marked, row.kind == "manual", row.id

    counted = sorted((row for row in listed if _counts(policy, row, newest)), key=worth)
    reason = f"its project has more than {policy.max_snapshots} (max_snapshots)"
    return {row.id: reason for row in counted[: -policy.max_snapshots]}


def _over_safety(
    policy: Policy, newest_first: Sequence[Row], newest: Row | None, undoes: int | None
) -> dict[int, str]:
    """Return why those safety checkpoints go that are over their own limit."""
    most = policy.max_safety_snapshots
    if most <= 0:
        return {}

    def worth(row: Row) -> tuple[bool, bool, bool, int]:
        return row is newest, row.id == undoes, row.pinned or row.label is not None, row.id

    safety = [row for row in newest_first if row.safety and _counts(policy, row, newest)]
    reason = f"its project has more than {most} safety checkpoints (max_safety_snapshots)"
    return {row.id: reason for row in sorted(safety, key=worth)[:-most]}


def _day(moment: datetime) -> str:
    """The day where this machine is."""
    return moment.astimezone().date().isoformat()


# --- keep rules ----------------------------------------------------------------------------

_Period = Callable[[datetime], tuple[int, ...]]
"""Takes the local time of a checkpoint, at the offset that its machine had."""

_PERIODS: tuple[tuple[str, _Period], ...] = (
    ("hourly", lambda t: (t.year, t.month, t.day, t.hour, _offset(t))),
    ("daily", lambda t: (t.year, t.month, t.day)),
    ("weekly", lambda t: tuple(t.isocalendar())[:2]),
    ("monthly", lambda t: (t.year, t.month)),
)


def _offset(moment: datetime) -> int:
    """Return the offset from UTC in minutes: it tells apart the two hours of a clock set back."""
    return int((moment.utcoffset() or timedelta()).total_seconds() // 60)


def kept_by_rules(
    rules: KeepRules, newest_first: Sequence[Row], now: datetime
) -> Mapping[int, str]:
    """Return by id what keeps the checkpoints of one project that some rule keeps.

    A period counts if it has a checkpoint, and its newest is kept; so one that is kept by a
    rule today is kept by it again at the next prune.
    """
    kept: dict[int, str] = {}
    for checkpoint in newest_first[: rules.last]:
        kept.setdefault(checkpoint.id, f"it is one of the last {rules.last} (keep_last)")
    for checkpoint in newest_first:
        if rules.within and now - checkpoint.created_at <= rules.within:
            kept.setdefault(checkpoint.id, "it is young enough (keep_within)")
    for name, period in _PERIODS:
        wanted = int(getattr(rules, name))
        seen: set[tuple[int, ...]] = set()
        for checkpoint in newest_first:
            if len(seen) >= wanted:
                break
            zone = timezone(timedelta(minutes=checkpoint.offset))
            key = period(checkpoint.created_at.astimezone(zone))
            if key not in seen:
                seen.add(key)
                kept.setdefault(checkpoint.id, f"it is the newest of its period (keep_{name})")
    return kept


# --- the size cap ------------------------------------------------------------------------------


def _reclaim(policy: Policy, decisions: list[Judged]) -> list[Judged]:
    left = policy.reclaim_bytes
    chosen: set[int] = set()
    for victim in victims(decisions):
        if left <= 0:
            break
        chosen.add(victim.row.id)
        left -= victim.freed_bytes
    reason = (
        f"the store was over its size cap of {math.floor(policy.cap_bytes / MB + 0.5)} MB"
        if policy.cap_bytes
        else "space was asked back"
    )
    return [
        replace(d, drop=True, rule=Rule.SIZE_CAP, reason=reason) if d.row.id in chosen else d
        for d in decisions
    ]


def victims(decisions: Iterable[Judged]) -> list[Judged]:
    """Return what the size cap may drop, in the order in which it would: of a project the oldest
    first, but those taken by hand last."""
    of_project: dict[int, list[Judged]] = defaultdict(list)
    for decision in decisions:
        if decision.rule is Rule.WITHIN_LIMITS:
            of_project[decision.project.id].append(decision)
    ranked = [
        (not d.project.disposable, turn, d.row.created_at, d.row.id, d)
        for of_one in of_project.values()
        for turn, d in enumerate(sorted(of_one, key=lambda d: (d.row.kind == "manual", d.row.id)))
    ]
    ranked.sort(key=lambda entry: entry[:4])
    return [entry[-1] for entry in ranked]
