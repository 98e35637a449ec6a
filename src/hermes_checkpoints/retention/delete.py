"""Deletes checkpoints: marks them in the catalog, deletes their refs, leaves tombstones.

In that order, so that whatever is killed in between, a checkpoint that is listed can be
restored; what was marked is deleted by whoever comes next. Space is reclaimed elsewhere and
later: nothing here runs a gc, so a take may use it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING

from hermes_checkpoints.base.opened import Base
from hermes_checkpoints.config import Config
from hermes_checkpoints.errors import CheckpointError, LockHeld
from hermes_checkpoints.fs.locks import exclusive, shared
from hermes_checkpoints.model import Rule

if TYPE_CHECKING:
    from hermes_checkpoints.base.workspace import Workspace
    from hermes_checkpoints.git import Git
    from hermes_checkpoints.model import Decision, JournalEntry, Policy


def policy_of(config: Config) -> Policy:
    """Return the retention rules that the configuration sets, for a run that nobody watches.

    This is the one place where settings become rules; the views of the catalog have its
    counterpart in SQL.
    """
    from hermes_checkpoints.model import KeepRules, Policy

    config = config.bounded()
    return Policy(
        max_snapshots=config.max_snapshots,
        max_safety_snapshots=config.max_safety_snapshots,
        retention_days=config.retention_days,
        delete_orphans=config.delete_orphans,
        orphan_grace=timedelta(days=config.orphan_grace_days),
        keep=KeepRules(
            config.keep_last,
            config.keep_hourly,
            config.keep_daily,
            config.keep_weekly,
            config.keep_monthly,
            config.keep_within_time,
        ),
        cap_bytes=config.max_total_bytes,
        own_limits=bool(config.projects),
    )


@dataclass(frozen=True)
class Trimmed:
    """How many checkpoints a take dropped, and how many of them were imported."""

    count: int = 0
    imported: int = 0


def delete(
    base: Base,
    git: Git,
    decisions: Sequence[Decision],
    *,
    agreed: bool = False,
    orphans: Collection[str] | None = None,
    entry: Callable[[Sequence[Decision]], JournalEntry] | None = None,
) -> tuple[tuple[Decision, ...], tuple[Decision, ...]]:
    """Delete checkpoints that may still go; return what went and what may no longer go.

    The caller holds the lock of their project, or that of the store. A pin, a label and a drop by
    hand wait for neither, so they are looked at in the transaction that marks. What was named, or
    was ``agreed`` to by a person, is let go: no archive stays for its sake. ``orphans`` are the
    hashes of those that may lose by a rule, None all. ``entry`` makes of what
    went the entry for the journal, which is written together with it.

    Raises:
        CheckpointError: then some may be marked; ``finish`` deletes those.
    """
    now = base.now()

    def mark() -> tuple[tuple[Decision, ...], tuple[Decision, ...]]:
        going, staying = _still_allowed(base, decisions, orphans)
        base.catalog.retention.unpin(d.checkpoint._row for d in going if d.checkpoint.pinned)
        base.catalog.checkpoints.mark_pruning({d.checkpoint._row: d.reason for d in going}, now)
        by_hand = [d.checkpoint._row for d in going if agreed or d.rule is Rule.REQUESTED]
        if by_hand:
            base.catalog.arriving.let_go(by_hand, now)
        return going, staying

    going, staying = base.catalog.do_together(mark)
    ids = [d.checkpoint._row for d in going]
    made = None if entry is None else partial(entry, going)
    _delete_marked(base, git, [d.checkpoint.ref_name for d in going], ids, made)
    return going, staying


def _delete_marked(
    base: Base,
    git: Git,
    refs: Sequence[str],
    ids: Sequence[int],
    entry: Callable[[], JournalEntry] | None = None,
) -> None:
    """Delete the refs of marked checkpoints, and leave tombstones; an ``entry`` for the journal is
    added."""
    from hermes_checkpoints.object_store.maintenance import delete_refs

    if not ids:
        return
    before = base.store.sign()
    delete_refs(git, refs)

    def mark() -> None:
        base.catalog.checkpoints.mark_pruned(ids)
        base.catalog.agreement.follow(before, base.store.sign(), base.now())
        if entry is not None:
            base.journal(entry())

    base.catalog.do_together(mark, durable=False)  # lost in a power cut, `finish` does it again


def _still_allowed(
    base: Base, decisions: Sequence[Decision], orphans: Collection[str] | None
) -> tuple[tuple[Decision, ...], tuple[Decision, ...]]:
    """Divide decisions into those that hold and those that do not; what is gone is in neither."""
    going: list[Decision] = []
    staying: list[Decision] = []
    looked = base.catalog.plans.standing(decisions, orphans)
    for decision, now in zip(decisions, looked, strict=True):
        if now is None:
            continue  # somebody else dropped it
        # As it is now: a catalog that was rebuilt has it in another row.
        found = replace(
            decision.checkpoint, _row=now._row, pinned=now.pinned, labelled=now.labelled
        )
        (going if now.holds else staying).append(replace(decision, checkpoint=found))
    return tuple(going), tuple(staying)


def trim(workspace: Workspace, protect: Iterable[str] = ()) -> Trimmed:
    """Drop what a project has over ``max_snapshots`` and ``max_safety_snapshots``, those taken
    by hand last, and else the oldest first; return how many went.

    ``protect`` are the ids of those that stay, such as those of the target and the safety
    checkpoint of a restore. A failure is journaled and never raised: what the caller did before
    stays done.
    """
    from hermes_checkpoints.model import JournalEntry, OperationKind, OperationOutcome

    base, target = workspace.base, workspace.target
    with contextlib.suppress(CheckpointError):  # said below, and journaled
        own = workspace.settings.bounded()
        limits = own.max_snapshots, own.max_safety_snapshots
        if base.catalog.plans.is_within(*limits, target.hash):
            return Trimmed()
    entry = JournalEntry(
        OperationKind.PRUNE, base.now(), target.name, outcome=OperationOutcome.DONE
    )
    done = Trimmed()

    def told(dropped: Sequence[Decision]) -> JournalEntry:
        nonlocal done
        imported = base.catalog.arriving.imported_among([d.checkpoint._row for d in dropped])
        done = Trimmed(len(dropped), imported)
        message = _told(policy, dropped)
        if imported:
            message += f", {imported} of them imported"
        return replace(entry, message=message)

    try:
        rules = policy_of(workspace.settings)
        policy = replace(rules, protect=frozenset(protect), own_limits=False)
        drop = base.catalog.plans.over_limit(policy, entry.started_at, target.hash)
        if drop:
            delete(base, workspace.git, drop, entry=told)
    except CheckpointError as error:
        done = Trimmed()
        failed = replace(
            entry, outcome=OperationOutcome.FAILED, code=error.code, message=str(error)
        )
        # Where the catalog failed, its next user sees it.
        with contextlib.suppress(CheckpointError), base.catalog.together(durable=False):
            base.journal(failed)
    return done


def _told(policy: Policy, drop: Sequence[Decision]) -> str:
    """Return how many went by which limit."""
    safety = sum("(max_safety_snapshots)" in decision.reason for decision in drop)
    counts = (
        (len(drop) - safety, f"max_snapshots ({policy.max_snapshots})"),
        (safety, f"max_safety_snapshots ({policy.max_safety_snapshots})"),
    )
    return ", ".join(f"{count} over {limit}" for count, limit in counts if count)


def finish(base: Base) -> None:
    """Delete what an earlier process marked and did not come to delete.

    What a process that lives works on is left to it. Costs one query when there is nothing.

    Raises:
        CheckpointError: when catalog or store cannot be written.
    """
    marked = base.catalog.checkpoints.pruning()
    if not marked or not base.store.exists():
        return
    purpose = "finishing a prune"
    with (
        contextlib.suppress(LockHeld),
        exclusive(base.layout.prune_lock, purpose=purpose, timeout=0, told=False),
        shared(base.layout.store_lock, timeout=0, told=False) as together,
    ):
        for project in dict.fromkeys(c.project_hash for c in marked):
            lock = base.layout.project_lock(project)
            with (
                contextlib.suppress(LockHeld),
                exclusive(lock, purpose=purpose, timeout=0, told=False) as own,
            ):
                finish_marked(base, replace(base.store.git, locks=(own, together)), project)


def finish_marked(base: Base, git: Git, project: str | None = None) -> None:
    """Delete what is marked now, of one project if it is named by its hash. The caller holds the
    lock of that project, or that of the store.

    Raises:
        CheckpointError: when catalog or store cannot be written.
    """
    from hermes_checkpoints.object_store.maintenance import unlock_refs

    # Looked up here: whoever held the lock before may just have finished.
    marked = base.catalog.checkpoints.pruning()
    left = [c for c in marked if project in (None, c.project_hash)]
    if left:
        unlock_refs(base.layout.store, [c.ref_name for c in left])
    _delete_marked(base, git, [c.ref_name for c in left], [c._row for c in left])
