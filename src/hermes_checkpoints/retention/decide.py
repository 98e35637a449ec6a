"""Decides which checkpoints are kept and which are dropped, and says why for each.

A pure function: no clock, no disk, no database. Rules that keep come first: what an unfinished
restore needs, pins and labels, everything of a project that cannot be seen, and the newest
checkpoint of each project whose directory is not proven to be gone. No other rule, the size cap
included, reaches what these keep.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta, tzinfo

from hermes_checkpoints.model import (
    MB,
    Candidate,
    Decision,
    Facts,
    KeepRules,
    Policy,
    ProjectFacts,
    ProjectState,
    PrunePlan,
    Rule,
)


def plan(policy: Policy, facts: Facts, now: datetime) -> PrunePlan:
    """Decide on every checkpoint of ``facts``.

    The size cap drops the oldest that no rule keeps, one of each project in turn, disposable
    places first, until ``policy.reclaim_bytes`` are reached by estimate.
    """
    of_project: dict[int, list[Candidate]] = defaultdict(list)
    for checkpoint in facts.checkpoints:
        of_project[checkpoint.project_id].append(checkpoint)
    decisions: list[Decision] = []
    for project in facts.projects:
        listed = of_project.get(project.id, [])
        decisions += _decide(policy, project, listed, facts.unfinished, now)
    if policy.reclaim_bytes > 0:
        decisions = _reclaim(policy, decisions)
    return PrunePlan(now, policy, facts.projects, tuple(decisions))


def over_limit(policy: Policy, facts: Facts, now: datetime) -> PrunePlan:
    """Decide by ``max_snapshots`` alone; what a keep rule keeps stays.

    This is what a take does, so that a limit holds at any time and nothing else happens then.
    """
    alone = replace(policy, retention_days=0, delete_orphans=False, reclaim_bytes=0)
    made = plan(alone, facts, now)
    ranks: dict[int, int] = defaultdict(int)
    decisions = []
    for decision in made.decisions:
        ranks[decision.project.id] += 1
        if decision.drop:
            over = 0 < policy.max_snapshots < ranks[decision.project.id]
            rule, reason = Rule.WITHIN_LIMITS, _WITHIN
            if over:
                rule, reason = Rule.OVER_LIMIT, _over(policy)
            decision = replace(decision, drop=over, rule=rule, reason=reason)  # noqa: PLW2901
        decisions.append(decision)
    return replace(made, decisions=tuple(decisions))


def requested(facts: Facts, wanted: Iterable[str], policy: Policy, now: datetime) -> PrunePlan:
    """Decide on what a person named by id; only pins, labels and unfinished restores keep it."""
    ids = frozenset(wanted)
    projects = {project.id: project for project in facts.projects}
    decisions = []
    for checkpoint in facts.checkpoints:
        kept = _protected(policy, checkpoint, facts.unfinished)
        drop = checkpoint.id in ids and kept is None
        if drop:
            kept = Rule.REQUESTED, "it was dropped by hand"
        rule, reason = kept or (Rule.WITHIN_LIMITS, "it was not named")
        decisions.append(Decision(checkpoint, projects[checkpoint.project_id], drop, rule, reason))
    return PrunePlan(now, policy, facts.projects, tuple(decisions))


# --- one project -----------------------------------------------------------------------------

_WITHIN = "it is within all limits"


def _decide(
    policy: Policy,
    project: ProjectFacts,
    newest_first: Sequence[Candidate],
    unfinished: frozenset[int],
    now: datetime,
) -> list[Decision]:
    gone = _orphan(policy, project, now)
    stale = _stale(policy, project, now)
    kept = kept_by_rules(policy.keep, newest_first, now, policy.zone)
    result = []
    for rank, checkpoint in enumerate(newest_first, 1):
        protected = _protected(policy, checkpoint, unfinished)
        drop = False
        if protected is not None:
            rule, reason = protected
        elif project.state is ProjectState.UNREACHABLE:
            rule = Rule.UNREACHABLE
            reason = "its directory cannot be seen, which does not prove that it is gone"
        elif project.state is ProjectState.ORPHAN and gone[0]:
            drop, rule, reason = True, Rule.ORPHAN, gone[1]
        elif rank == 1:
            rule = Rule.NEWEST
            reason = gone[1] or "it is the newest of its project"
        elif checkpoint.id in kept:
            rule, reason = Rule.KEEP_RULE, kept[checkpoint.id]
        elif policy.keep:
            drop, rule, reason = True, Rule.NO_KEEP_RULE, "no keep rule keeps it"
        elif stale:
            drop, rule, reason = True, Rule.STALE, stale
        elif 0 < policy.max_snapshots < rank:
            drop, rule, reason = True, Rule.OVER_LIMIT, _over(policy)
        else:
            rule, reason = Rule.WITHIN_LIMITS, _WITHIN
        result.append(Decision(checkpoint, project, drop, rule, reason))
    return result


def _protected(
    policy: Policy, checkpoint: Candidate, unfinished: frozenset[int]
) -> tuple[Rule, str] | None:
    if checkpoint._row in unfinished:
        return Rule.UNFINISHED, "an unfinished restore needs it"
    if checkpoint.id in policy.protect:
        return Rule.PROTECTED, "it is in use just now"
    if checkpoint.pinned and not policy.include_pinned:
        return Rule.PINNED, "it is pinned"
    if checkpoint.label is not None and not policy.include_pinned:
        return Rule.LABELLED, f"it has the label {checkpoint.label}"
    return None


def _orphan(policy: Policy, project: ProjectFacts, now: datetime) -> tuple[bool, str]:
    """Return whether a project goes because its directory is gone, and why or why not."""
    if project.state is not ProjectState.ORPHAN:
        return False, ""
    since = project.missing_since or now
    seen = f"its directory is gone, as seen first on {_day(since, policy.zone)}"
    if not policy.delete_orphans:
        return False, f"{seen}, and orphans are kept"
    if policy.orphan_grace is not None and now - since < policy.orphan_grace:
        until = _day(since + policy.orphan_grace, policy.zone)
        return False, f"{seen}, and orphans are kept until {until} unless somebody agrees"
    return True, seen


def _stale(policy: Policy, project: ProjectFacts, now: datetime) -> str:
    """Return why a project is stale, or nothing."""
    untouched = now - project.last_touch
    if policy.retention_days <= 0 or untouched < timedelta(days=policy.retention_days):
        return ""
    return (
        f"its project was not touched for {untouched.days} days "
        f"(retention_days: {policy.retention_days})"
    )


def _over(policy: Policy) -> str:
    return f"its project has more than {policy.max_snapshots} (max_snapshots)"


def _day(moment: datetime, zone: tzinfo | None) -> str:
    return moment.astimezone(zone).date().isoformat()


# --- keep rules ----------------------------------------------------------------------------

_Period = Callable[[datetime], tuple[int, ...]]

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
    rules: KeepRules, newest_first: Sequence[Candidate], now: datetime, zone: tzinfo | None
) -> Mapping[str, str]:
    """Return by id what keeps the checkpoints of one project that some rule keeps.

    A period counts if it has a checkpoint, and its newest is kept; so one that is kept by a
    rule today is kept by it again at the next prune.
    """
    kept: dict[str, str] = {}
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
            key = period(checkpoint.created_at.astimezone(zone))
            if key not in seen:
                seen.add(key)
                kept.setdefault(checkpoint.id, f"it is the newest of its period (keep_{name})")
    return kept


# --- the size cap ------------------------------------------------------------------------------


def _reclaim(policy: Policy, decisions: list[Decision]) -> list[Decision]:
    left = policy.reclaim_bytes
    chosen: set[str] = set()
    for victim in victims(decisions):
        if left <= 0:
            break
        chosen.add(victim.id)
        left -= victim.freed_bytes
    reason = (
        f"the store was over its size cap of {policy.cap_bytes / MB:.0f} MB"
        if policy.cap_bytes
        else "space was asked back"
    )
    return [
        replace(d, drop=True, rule=Rule.SIZE_CAP, reason=reason) if d.checkpoint.id in chosen else d
        for d in decisions
    ]


def victims(decisions: Iterable[Decision]) -> list[Candidate]:
    """Return what the size cap may drop, in the order in which it would."""
    of_project: dict[int, list[Decision]] = defaultdict(list)
    for decision in decisions:
        if decision.rule is Rule.WITHIN_LIMITS:
            of_project[decision.project.id].append(decision)
    ranked = [
        (not d.project.disposable, turn, d.checkpoint.created_at, d.checkpoint._row, d.checkpoint)
        for of_one in of_project.values()
        for turn, d in enumerate(sorted(of_one, key=lambda d: d.checkpoint._row))
    ]
    ranked.sort(key=lambda entry: entry[:4])
    return [entry[-1] for entry in ranked]
