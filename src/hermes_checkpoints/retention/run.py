"""Executes the plan of a prune, that very plan, and reclaims the space.

In this order: catalog marks, one transaction of refs, tombstones, then the gc. A process that
is killed at any arrow only leaks space, and the next prune, or the next opening, finishes the
job. Deleting and collecting have the store alone, so no take and no restore runs meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial

from hermes_checkpoints.attribution.folding import fold
from hermes_checkpoints.base import clearing
from hermes_checkpoints.base.fetched import drop_fetched
from hermes_checkpoints.base.measures import (
    CAP_TRIED,
    capped_bytes,
    note_pruned,
    own_bytes,
    record_measure,
    record_packed,
)
from hermes_checkpoints.base.opened import Base
from hermes_checkpoints.base.presence import look
from hermes_checkpoints.errors import (
    CheckpointError,
    GitFailed,
    GitTimedOut,
    LockHeld,
    base_error,
)
from hermes_checkpoints.fs.disk import directory_bytes
from hermes_checkpoints.fs.locks import exclusive
from hermes_checkpoints.git import Git
from hermes_checkpoints.model import (
    Decision,
    JournalEntry,
    LegacyRecord,
    OperationKind,
    OperationOutcome,
    PrunePlan,
    PruneResult,
    Rule,
)
from hermes_checkpoints.object_store import damage, maintenance, ref_files
from hermes_checkpoints.object_store.index_cache import forget
from hermes_checkpoints.object_store.purging import purge
from hermes_checkpoints.retention import archives
from hermes_checkpoints.retention.agree import (
    CONTENTS,
    LOST_FOR,
    Adopt,
    Agreed,
    agree,
    agrees,
    take_out,
    write_down,
)
from hermes_checkpoints.retention.delete import delete, finish_marked
from hermes_checkpoints.retention.forget import purge_pending
from hermes_checkpoints.retention.heal import heal
from hermes_checkpoints.retention.plan import LOOSE_IS_MANY, PruneOptions, situation
from hermes_checkpoints.retention.sight import look_before_gc
from hermes_checkpoints.text import counted

_MOST_NAMED = 20
"""How many damaged checkpoints are named one by one."""


def execute(
    base: Base, plan: PrunePlan, options: PruneOptions | None = None, *, adopt: Adopt
) -> PruneResult:
    """Delete what the plan drops, nothing that appeared since, and reclaim the space.

    Before anything is collected, rows and refs are made to agree; ``adopt`` makes rows of refs
    that have none. While they do not agree, nothing is collected.

    What may no longer be dropped (an orphan that came back or that nobody agreed to, a new pin, a
    restore that was killed) is skipped. What fails after the refs are gone is told in ``errors``.

    Raises:
        LockHeld: when another prune runs, or takes go on for longer than the lock timeout.
        CheckpointError: when catalog or refs cannot be written.
    """
    base.require_writable()
    options = options or PruneOptions()
    timeout = options.wait(base)
    started = base.now()
    with exclusive(base.layout.prune_lock, purpose="prune", timeout=timeout):
        clearing.require_not_begun(base.layout)
        before = capped_bytes(base, own_bytes(base))
        entry = JournalEntry(OperationKind.PRUNE, started, str(base.layout.base))
        with base.catalog.together(durable=False):  # the marks of what goes wait for the disk
            operation = base.catalog.operations.begin(entry)
        run = _Run(base, plan, options, timeout, adopt)
        try:
            run.delete()
            if options.reclaim:
                run.reclaim()
            run.remove_archives()
            run.shrink_catalog()
            run.errors += clearing.delete(base.layout)
        except BaseException as error:
            code = error.code if isinstance(error, CheckpointError) else "interrupted"
            if isinstance(error, KeyboardInterrupt):
                error.add_note("interrupted: what was to go and is not listed any more goes with")
                error.add_note("the next prune; nothing else is changed")
                for line in _deleted(base, plan):
                    error.add_note(line)
            failed = replace(
                entry,
                outcome=OperationOutcome.FAILED,
                code=code,
                message=str(error) or type(error).__name__,
            )
            base.catalog.operations.finish(operation, failed, now=base.now())
            raise
        measured = record_measure(base)
        if plan.cap is not None:
            note_pruned(base, plan.cap.growth)
        result = run.result(before, capped_bytes(base, measured))
        _remember_cap(base, result)
        partial = bool(result.errors) or result.over_cap
        ended = replace(
            entry,
            outcome=OperationOutcome.PARTIAL if partial else OperationOutcome.DONE,
            code="size-cap" if result.over_cap and not result.errors else None,
            message="; ".join(result.errors) or None,
            detail={
                "dropped": len(result.dropped),
                "freed_bytes": result.freed_bytes,
                "store_bytes": result.after_bytes,
            },
        )
        base.catalog.operations.finish(operation, ended, now=base.now())
    return result


def _deleted(base: Base, plan: PrunePlan) -> list[str]:
    """Return what of a plan is deleted, when it was interrupted."""
    if not plan.drop:
        return []
    try:
        looked = base.catalog.plans.standing(plan.drop)
    except CheckpointError:
        return []
    both = zip(plan.drop, looked, strict=True)
    gone = [one.checkpoint.short_id for one, now in both if now is None]
    named = f": {', '.join(gone[:_MOST_NAMED])}" if gone else ""
    more = f" and {len(gone) - _MOST_NAMED} more" if len(gone) > _MOST_NAMED else ""
    whole = counted(len(plan.drop), "checkpoint")
    return [f"{len(gone)} of {whole} deleted before that{named}{more}"]


@dataclass
class _Run:
    """One prune under its lock."""

    base: Base
    plan: PrunePlan
    options: PruneOptions
    timeout: float
    adopt: Adopt
    dropped: tuple[Decision, ...] = ()
    skipped: tuple[Decision, ...] = ()
    quarantined: list[str] = field(default_factory=list)
    mended: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    archives: tuple[LegacyRecord, ...] = ()
    swept: int = 0
    leaving: set[str] = field(default_factory=set)
    purged: list[str] = field(default_factory=list)

    def delete(self) -> None:
        """From the marks to the tombstones, with no take and no restore running."""
        base = self.base
        if not base.store.exists():
            return
        self.options.report("deleting checkpoints")
        self._look_again()
        with self.base.store_alone("prune", self.timeout) as git:
            sound = not look_before_gc(base).faults
            self.swept += maintenance.sweep(base.layout.store)
            self._set_aside_refs()
            finish_marked(base, git)
            self._agree(git, sound=sound)
            if self.options.purge:
                going = [d.checkpoint.id for d in self.plan.drop]
                self.leaving = damage.reached(git, going)
            self.dropped, self.skipped = delete(
                base,
                git,
                self.plan.drop,
                agreed=self.options.agreed,
                orphans=self.plan.policy.orphans,
            )
            drop_fetched(base, git, [one.ref_name for one in self.plan.fetched])
            dropping = {d.project.hash for d in self.dropped}
            for project in base.catalog.retention.emptied(dropping):
                forget(base.layout.index_of(project))

    def _set_aside_refs(self) -> None:
        """Move aside what git does not take for a ref: it can neither read nor delete that."""
        try:
            found = ref_files.set_aside_broken(self.base.layout.store)
        except OSError as error:
            raise base_error(error, self.base.layout.store) from error
        self._note(Agreed(aside=found))

    def _look_again(self) -> None:
        """A directory may have come back while somebody was asked, or have gone where only some
        orphans may lose anything."""
        some = self.plan.policy.orphans is not None
        if any(some or d.rule is Rule.ORPHAN for d in self.plan.drop):
            look(self.base)

    def reclaim(self) -> None:
        """Pack beside running takes, then drop what nothing refers to, alone."""
        base, options = self.base, self.options
        if not base.store.exists():
            return
        entry = JournalEntry(
            OperationKind.GC, base.now(), str(base.layout.base), outcome=OperationOutcome.DONE
        )
        try:
            store = base.layout.store
            many = maintenance.loose_objects(store) > LOOSE_IS_MANY
            at_once = many and maintenance.is_small(store)
            if many and not at_once:
                options.report("packing")
                self._pack()
            options.report("reclaiming space")
            with self.base.store_alone("gc", self.timeout) as git:
                if not agrees(base):
                    self._agree(git)
                before = base.store.sign()
                try:
                    self._collect(git, at_once)
                finally:
                    with base.catalog.together(durable=False):  # the end of the prune waits
                        base.catalog.agreement.follow(before, base.store.sign(), base.now())
        except (LockHeld, GitFailed) as error:
            entry = replace(
                entry, outcome=OperationOutcome.FAILED, code=error.code, message=str(error)
            )
            self.errors.append(f"no space was reclaimed: {error}")
        with base.catalog.together(durable=False):
            base.journal(entry)

    def _pack(self) -> None:
        """Pack beside running takes. What stops git here is met once more alone, and mended."""
        with self.base.store_together(self.timeout) as git:
            try:
                maintenance.pack(git, patience=self.options.patience)
            except GitTimedOut:
                raise
            except GitFailed:
                return

    def _collect(self, git: Git, at_once: bool) -> None:
        """Drop what nothing refers to; ``at_once`` says that much lies loose, and was not packed
        before."""
        trees = self.base.catalog.retention.live_trees()
        maintenance.forget_stale_indexes(self.base.layout.indexes, trees)
        if at_once:  # what is in a pack then need not be read from its own file
            packed, before = False, maintenance.look(git)
            try:
                packed = self._repack(git, deltas=True)
            finally:
                if packed:
                    maintenance.drop_unpacked(git, before, patience=self.options.patience)
                else:
                    self._drop_loose(git)
        else:
            self._drop_loose(git)
            self._repack(git, deltas=False)
        self._purge(git)
        self.purged += purge_pending(base=self.base, git=git).removed

    def _drop_loose(self, git: Git) -> None:
        patience = self.options.patience
        self._proceed(git, lambda: maintenance.drop_loose(git, patience=patience))

    def _repack(self, git: Git, *, deltas: bool) -> bool:
        """Put all that refs reach into one pack; tell whether it is there. With ``deltas`` the
        store is a small one."""
        free = self.options.free_bytes(self.base.layout.store / "objects")
        small = deltas and free > 2 * maintenance.SMALL_BYTES
        if not small and not self._room_to_repack(free):  # which may only be there by now
            return False
        packed = partial(maintenance.repack, git, deltas=deltas, patience=self.options.patience)
        self._proceed(git, packed)
        record_packed(self.base)
        return True

    def _purge(self, git: Git) -> None:
        """Remove what only the dropped checkpoints held from where no gc looks, and say where any
        of it is left."""
        if not self.leaving:
            return
        try:
            done = purge(git, self.leaving, self.base.store.refs("refs/").values())
        except OSError as error:
            raise base_error(error, self.base.layout.store) from error
        self.purged = done.removed
        if done.left:
            self.errors.append(
                f"{len(done.left)} objects of what was dropped are still in the store; drop or "
                "prune again once what is named above is mended"
            )

    def _agree(self, git: Git, *, sound: bool = False) -> None:
        """Make rows and refs agree; ``sound`` says that a look has just found nothing broken.

        Raises:
            CheckpointError: when they do not; nothing may be collected then.
        """
        self._note(agree(self.base, git, self.adopt, collecting=True, sound=sound))

    def _proceed(self, git: Git, action: Callable[[], None]) -> None:
        """Do it; where something broken stops git, put that out of its way and do it again."""
        try:
            action()
            return
        except GitTimedOut:
            raise
        except GitFailed:
            started, done = self.base.now(), Agreed()
            done.mended += heal(self.base, git, deep=True)
        try:
            action()
        except GitTimedOut:
            raise
        except GitFailed:
            refs = self.base.store.refs("refs/")
            bad = {name: refs[name] for name in damage.incomplete(git, refs)}
            take_out(self.base, git, bad, dict.fromkeys(bad, CONTENTS), done)
            if not bad:
                raise
            action()
        finally:
            write_down(self.base, started, done)
            self._note(done)

    def _note(self, done: Agreed) -> None:
        """Take over what was done so that rows and refs agree, and tell what is lost."""
        self.quarantined += [*done.lost, *done.partly, *done.aside]
        self.mended += done.mended
        self.errors += done.problems
        lost = [self.base.catalog.retention.of_ref(ref) for ref in done.lost[:_MOST_NAMED]]
        self.errors += [
            f"checkpoint {found.short_id} of {found.working_dir} is damaged, {found.prune_reason}; "
            "what is left of it is kept aside in the store"
            for found in lost
            if found is not None
        ]
        some = [self.base.catalog.retention.of_ref(ref) for ref in done.partly[:_MOST_NAMED]]
        self.errors += [
            f"checkpoint {found.short_id} of {found.working_dir} is partly lost: the object store "
            f"lacks the contents of some of its files, which `show {found.short_id}` names"
            for found in some
            if found is not None
        ]
        if len(done.partly) > len(some):
            self.errors.append(f"{len(done.partly) - len(some)} more checkpoints are partly lost")
        if len(done.lost) > len(lost):
            self.errors.append(f"{len(done.lost) - len(lost)} more checkpoints are damaged")
        self.errors += [f"{name} is broken; it was moved aside in the store" for name in done.aside]

    def _room_to_repack(self, free: int) -> bool:
        need = directory_bytes(self.base.layout.store / "objects")
        if free > need + need // 10:
            return True
        self.errors.append(
            f"the packs stay as they are: that needs up to {need} bytes and {free} are free"
        )
        return False

    def remove_archives(self) -> None:
        """Remove the originals of what was imported, where the plan says so."""
        if self.plan.archives:
            self.options.report("removing archives")
            self.archives, problems = archives.remove_archives(self.base, self.plan.archives)
            self.errors += problems

    def shrink_catalog(self) -> None:
        """Remove the rows that only pruned checkpoints needed; takes go on meanwhile."""
        if not self.options.reclaim:
            return
        self.options.report("shrinking the catalog")
        fold(self.base.catalog)
        self.base.catalog.agreement.forget_lost(self.base.now() - LOST_FOR)
        left = self.base.catalog.shrink()
        if left is not None:
            self.errors.append(left)

    def result(self, before: int, after: int) -> PruneResult:
        return PruneResult(
            self.plan,
            self.dropped,
            self.skipped,
            before,
            after,
            tuple(self.quarantined),
            self.swept,
            tuple(self.errors),
            self.archives,
            tuple(self.mended),
            tuple(self.purged),
        )


def _remember_cap(base: Base, result: PruneResult) -> None:
    """Write down a cap that cannot be reached, so that it is not tried in vain again."""
    cap = result.plan.cap
    if cap is None or cap.tried:
        return
    vain = result.over_cap and not cap.reachable
    tried = situation(result.plan, cap.goal_bytes) if vain else ""
    base.catalog.settings.set(CAP_TRIED, tried, base.now())
