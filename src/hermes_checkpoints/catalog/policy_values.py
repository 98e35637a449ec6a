"""What a plan of retention is told, and what is made of the rows that come back, without
SQLAlchemy."""

from __future__ import annotations

import itertools
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from hermes_checkpoints.catalog.sqlite import MOST
from hermes_checkpoints.model import (
    Candidate,
    Decision,
    FileIdentity,
    ProjectFacts,
    Rule,
    Standing,
)

if TYPE_CHECKING:
    from hermes_checkpoints.model import Policy

_ID, _NUMBER = 4, 12  # what a ``Candidate`` is made of begins and ends there in a row of a plan
_RULES = {rule.value: rule for rule in Rule}


def values(policy: Policy, now: datetime, *, only_limit: bool = False) -> dict[str, Any]:
    """Return the bound values of ``policy_of_parameters``: the rules at this time."""
    keep, grace = policy.keep, policy.orphan_grace
    days = policy.retention_days
    numbers = {
        "max_snapshots": policy.max_snapshots,
        "max_safety_snapshots": policy.max_safety_snapshots,
        "retention_days": days,
        "keep_last": keep.last,
        "keep_hourly": keep.hourly,
        "keep_daily": keep.daily,
        "keep_weekly": keep.weekly,
        "keep_monthly": keep.monthly,
        "cap_bytes": policy.cap_bytes,
        "reclaim_bytes": policy.reclaim_bytes,
        "orphan_grace_seconds": int(grace.total_seconds()) if grace else 0,
    }
    return {
        **{name: min(number, MOST) for name, number in numbers.items()},
        "now": now,
        "stale_before": _before(now, days=days) if days > 0 and not only_limit else None,
        "delete_orphans": policy.delete_orphans and not only_limit,
        "orphan_before": None if grace is None else _before(now, grace),
        "within_since": _before(now, keep.within) if keep.within else None,
        "include_pinned": policy.include_pinned,
        "only_limit": only_limit,
        "own_limits": policy.own_limits,
    }


def _before(now: datetime, time: timedelta = timedelta(), days: int = 0) -> datetime:
    try:
        return now - time - timedelta(days=days)
    except OverflowError:
        return datetime.min.replace(tzinfo=now.tzinfo)


def parameters(
    policy: Policy,
    now: datetime,
    *,
    project: str | None = None,
    named: Iterable[str] = (),
    only_limit: bool = False,
) -> dict[str, Any]:
    """Return the parameters of a plan: the rules, the clock, and whom it is about."""
    return {
        **values(policy, now, only_limit=only_limit),
        "protected": listed(policy.protect),
        "orphans": listed(policy.orphans),
        "named": json.dumps(list(named)),
        "project": project,
    }


def judged_again(
    decisions: Iterable[Decision], orphans: Collection[str] | None
) -> dict[str, str | None]:
    """Return the parameters of the look before a deletion: what was decided, and of what it was
    told then, as one JSON array, and which orphans may go."""
    told = [
        {
            "id": one.checkpoint.id,
            "rule": one.rule,
            "pinned": one.checkpoint.pinned,
            "labelled": one.checkpoint.labelled,
        }
        for one in decisions
    ]
    return {"decisions": json.dumps(told), "orphans": listed(orphans)}


def standings(rows: Iterable[Sequence[Any]]) -> list[Standing | None]:
    """Return what the rows of that look say, in the order of the decisions."""
    ordered = sorted(rows, key=lambda row: int(row[0]))
    return [None if row[1] is None else Standing(*row[1:]) for row in ordered]


def listed(values: Collection[str] | None) -> str | None:
    """Return texts as one value of a statement, a JSON array; None for None."""
    return None if values is None else json.dumps(sorted(values))


def project_of(row: Sequence[Any]) -> ProjectFacts:
    """Return the project of a row of ``select_projects``."""
    id_, hash_, working_dir, state, last_touch, missing, disposable, *seen = row
    device, inode, parent_device, parent_inode = seen
    own = FileIdentity(device, inode) if device and inode else None
    parent = FileIdentity(parent_device, parent_inode) if parent_device and parent_inode else None
    return ProjectFacts(
        id_, hash_, working_dir, state, last_touch, missing, disposable, own, parent
    )


class Found:
    """Gathers the rows of a plan as they come, so that no more of them is held than is told."""

    def __init__(self, facts: Mapping[int, ProjectFacts]) -> None:
        self.groups: list[Any] = []
        self.place = {id_: number for number, id_ in enumerate(facts)}
        self._facts = facts
        self._of_project: dict[int, list[Decision]] = {id_: [] for id_ in facts}

    def add(self, row: Any) -> None:
        if row[_ID] is None:
            self.groups.append(row)
            return
        project, rule, why = row[0], row[1], row[2]
        decision = Decision(Candidate(*row[_ID:_NUMBER]), self._facts[project], _RULES[rule], why)
        self._of_project[project].append(decision)

    def in_order(self) -> tuple[Decision, ...]:
        """Return the decisions: projects as in the facts, and within one newest first."""
        for of_one in self._of_project.values():
            of_one.sort(key=lambda decision: -decision.checkpoint._row)
        return tuple(itertools.chain.from_iterable(self._of_project.values()))


def in_order(rows: Iterable[Any], facts: Mapping[int, ProjectFacts]) -> tuple[Decision, ...]:
    found = Found(facts)
    for row in rows:
        found.add(row)
    return found.in_order()
