"""Makes the plan of a prune, which users see before anything is deleted.

The catalog decides; git is asked only where the store is over its cap, since rows cannot tell
exactly what shared and packed contents take.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path

from hermes_checkpoints.base.measures import CAP_TRIED, capped_bytes, growth, own_bytes
from hermes_checkpoints.base.opened import Base
from hermes_checkpoints.base.presence import look
from hermes_checkpoints.errors import GitFailed, GitTimedOut
from hermes_checkpoints.fs.disk import directory_bytes, free_bytes
from hermes_checkpoints.model import CapOutlook, Decision, Policy, PrunePlan, Rule
from hermes_checkpoints.object_store import damage, maintenance
from hermes_checkpoints.retention import archives

FETCHED_FOR = timedelta(days=7)
"""How long the contents of checkpoints of remotes stay, unless ``keep_within`` says so."""

LOOSE_IS_MANY = 512
"""From how many loose objects on it pays to pack them while takes go on."""

_AIM = 0.9
"""What part of the cap a prune aims at, so that the next take does not exceed it again."""

_ROUNDS = 6

Report = Callable[[str], None]


@dataclass(frozen=True)
class PruneOptions:
    """How far a prune goes. ``lock_timeout``, the longest wait for others, is in seconds;
    ``patience`` multiplies the time limit of each git call. Without ``reclaim`` no gc runs, and
    the space comes back with the next prune. With ``purge``, what only the dropped checkpoints
    held leaves what is kept of damage as well. ``agreed`` says that a person saw the plan and
    agreed to it, so that no archive keeps what it drops. ``report`` is told each step, and
    ``free_bytes`` tells the free space of a disk.

    >>> taken = project.take()
    >>> result = project.drop("latest", options=PruneOptions(reclaim=False, report=print))
    deleting checkpoints
    >>> len(result.dropped)
    1
    """

    lock_timeout: float | None = None
    patience: float = 40
    reclaim: bool = True
    purge: bool = False
    agreed: bool = False
    report: Report = field(default=lambda _: None)
    free_bytes: Callable[[Path], int] = field(default=free_bytes)

    def wait(self, base: Base) -> float:
        """Return the longest wait for a lock in seconds."""
        return base.lock_timeout if self.lock_timeout is None else self.lock_timeout


def make_plan(
    base: Base,
    policy: Policy,
    *,
    only: str | None = None,
    reclaim: int = 0,
    options: PruneOptions | None = None,
) -> PrunePlan:
    """Return what a prune would do now; no checkpoint is changed.

    ``only`` is the hash of the one project to prune. ``reclaim`` are bytes that the store shall
    shrink by, whatever its cap. With an ``options``, a store over its cap is packed first, which
    may be all that is needed and makes the sizes exact; without, they are upper bounds.

    Raises:
        CheckpointError: when the catalog cannot be read, or git cannot tell sizes.
    """
    before = growth(base)
    plan = _plan(base, policy, only, reclaim, options)
    if plan.cap is not None:
        plan = replace(plan, cap=replace(plan.cap, growth=before))
    if only is not None:
        return plan
    going, staying = archives.expired(base, policy.retention_days)
    fetched = base.catalog.fetched.all(plan.made_at - (policy.keep.within or FETCHED_FOR))
    return replace(plan, archives=going, kept_archives=staying, fetched=tuple(fetched))


def _plan(
    base: Base, policy: Policy, only: str | None, reclaim: int, options: PruneOptions | None
) -> PrunePlan:
    look(base, places=True)
    rules = replace(policy, reclaim_bytes=0)
    plan = base.catalog.plans.plan(rules, base.now(), only)
    goal = policy.cap_bytes
    if not goal and not reclaim:
        return plan
    size = capped_bytes(base, own_bytes(base))
    if reclaim:
        wanted = max(0, size - reclaim)
        goal = min(goal, wanted) if goal else wanted
    if size <= goal:
        return replace(plan, cap=CapOutlook(goal, size, max(0, size - plan.freed_bytes)))
    if base.catalog.settings.get(CAP_TRIED) == situation(plan, goal):
        return replace(plan, cap=CapOutlook(goal, size, size, reachable=False, tried=True))
    if options is not None:
        _pack_first(base, options)
    return _plan_for_cap(base, plan, only, goal, size, exact=bool(reclaim))


def _pack_first(base: Base, options: PruneOptions) -> None:
    if maintenance.loose_objects(base.layout.store) <= LOOSE_IS_MANY:
        return
    objects = base.layout.store / "objects"
    if options.free_bytes(objects) <= directory_bytes(objects):
        return
    options.report("packing")
    with contextlib.suppress(GitFailed), base.store_together(options.wait(base)) as git:
        maintenance.pack(git, patience=options.patience)


def _plan_for_cap(
    base: Base, plan: PrunePlan, only: str | None, goal: int, size: int, *, exact: bool
) -> PrunePlan:
    """Let so many of the oldest go that git's own figures say that the cap is reached."""
    aim = goal if exact else int(goal * _AIM)
    beside = max(0, size - own_bytes(base, base.layout.store / "objects"))
    sizes = _Sizes(base)
    expected = sizes.without(plan.drop) + beside
    if expected <= goal:
        return replace(plan, cap=CapOutlook(goal, size, expected))
    before, reclaim = expected, expected - aim
    for _ in range(_ROUNDS):
        rules = replace(plan.policy, reclaim_bytes=reclaim)
        plan = base.catalog.plans.plan(rules, plan.made_at, only)
        expected = sizes.without(plan.drop) + beside
        if expected <= aim or not _more_may_go(plan):
            break
        # The estimate was too high by so much; a little more, so that the next round is enough.
        freed = max(1, before - expected)
        reclaim = max(reclaim * 21 // 20, reclaim * (before - aim) // freed * 51 // 50)
    return replace(plan, cap=CapOutlook(goal, size, expected, reachable=expected <= goal))


def _more_may_go(plan: PrunePlan) -> bool:
    return any(group.rule is Rule.WITHIN_LIMITS for group in plan.kept)


class _Sizes:
    """Asks git what the checkpoints take that stay, leaving out those that are damaged."""

    def __init__(self, base: Base) -> None:
        self._base = base
        self._refs = base.store.refs()
        self._bad: frozenset[str] = frozenset()

    def without(self, drop: Iterable[Decision]) -> int:
        """Return the bytes of all checkpoints of the store but those that go."""
        staying = self._refs.keys() - {decision.checkpoint.ref_name for decision in drop}
        try:
            return self._ask(staying)
        except GitTimedOut:
            raise
        except GitFailed:
            self._bad = frozenset(damage.incomplete(self._base.store.git, self._refs))
            return self._ask(staying)

    def _ask(self, names: Iterable[str]) -> int:
        sound = (self._refs[name] for name in names if name not in self._bad)
        return maintenance.disk_usage(self._base.store.git, sound)


def plan_drop(base: Base, project: str, ids: Iterable[str], policy: Policy) -> PrunePlan:
    """Return the plan that drops the checkpoints with these ids of the project with that hash.

    Raises:
        CheckpointError: when the catalog cannot be read.
    """
    return base.catalog.plans.requested(policy, base.now(), project, ids)


def situation(plan: PrunePlan, goal: int) -> str:
    """Name the cap and what may not be dropped for it: while that is the same, so is the end."""
    return f"{goal} {plan.kept_mark}"
