"""Settles what an earlier process left unfinished: takes, restores, prunes and clears that were
killed.

A take that was killed between its ref and its row is read back from its commit; one that was
killed before is marked so. Of a killed restore the journal says how far it came.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from hermes_checkpoints.admin.leftovers import is_due as sweep_is_due
from hermes_checkpoints.admin.leftovers import sweep as sweep_leftovers
from hermes_checkpoints.base import clearing
from hermes_checkpoints.base.opened import Base
from hermes_checkpoints.errors import CheckpointError, GitMissing, GitTooOld, LockHeld, StoreDamaged
from hermes_checkpoints.fs.locks import exclusive
from hermes_checkpoints.layout import Layout, project_hash

if TYPE_CHECKING:
    from hermes_checkpoints.model import Checkpoint, JournalEntry, Operation


def recover(base: Base, report: Callable[[str], object] = lambda _: None) -> None:
    """Mend what an earlier process left unfinished, and compare rows and refs where somebody else
    changed the store or the catalog. Called at each opening; costs a few queries when there is
    nothing to mend. ``report`` is told of what takes long. Where git cannot be run, what needs it
    waits for the next opening, and in a base that can only be read all does.

    Raises:
        CheckpointError: when the catalog cannot be read or written.
    """
    from hermes_checkpoints.admin.rebuild import agree_if_changed
    from hermes_checkpoints.retention.delete import finish

    if base.read_only:
        return
    sweep_leftovers(base)
    if clearing.is_left(base.layout):
        from hermes_checkpoints.admin.clear import finish as finish_clear

        finish_clear(base)
    with contextlib.suppress(CheckpointError):  # whoever needs the store then says what is wrong
        base.store.mend(base.config.exclude)
    with contextlib.suppress(GitMissing, GitTooOld):
        for operation in base.catalog.operations.running():
            with (
                contextlib.suppress(LockHeld),
                exclusive(
                    lock_of(base.layout, operation), purpose="recovery", timeout=0, told=False
                ),
            ):
                if any(o.id == operation.id for o in base.catalog.operations.running()):
                    _settle(base, operation)  # nobody else has, before the lock was free
        finish(base)
        agree_if_changed(base, report)


def is_settled(base: Base) -> bool:
    """Tell whether ``recover``, and the import that follows it, would find nothing to do in a base
    that was opened before. Costs some looks at files, and a statement.

    Raises:
        CheckpointError: when the catalog cannot be read.
    """
    if base.read_only:
        return True
    if clearing.is_left(base.layout) or sweep_is_due(base.layout) or base.store.needs_mending():
        return False
    left = base.catalog.standing.left()
    return not left.anything and left.refs_sign == base.store.sign()


def lock_of(layout: Layout, operation: Operation) -> Path:
    """Return the lock that the process which began an operation holds while it works on it."""
    from hermes_checkpoints.model import OperationKind

    if operation.kind in (OperationKind.PRUNE, OperationKind.FORGET):
        return layout.prune_lock
    return layout.project_lock(project_hash(Path(operation.working_dir or "")))


def _settle(base: Base, operation: Operation) -> None:
    """End an operation whose process is gone."""
    from hermes_checkpoints.model import JournalEntry, OperationKind, OperationOutcome

    entry = JournalEntry(
        operation.kind,
        operation.started_at,
        outcome=OperationOutcome.FAILED,
        code="interrupted",
        message="the process ended before it was done; nothing was added",
    )
    ref = operation.detail.get("ref")
    if operation.kind is OperationKind.TAKE and ref and base.store.has_ref(ref):
        added, problems = _read_back(base, ref)
        if added:
            entry = replace(
                entry,
                checkpoint_id=added[0]._row,
                outcome=OperationOutcome.DONE,
                code="read-back",
                message="read back from the store",
            )
        else:
            entry = replace(entry, message="; ".join(problems))
    elif operation.kind is OperationKind.RESTORE:
        entry = _settle_restore(base, operation, entry)
    elif operation.kind is OperationKind.PRUNE:
        message = "the process ended before it was done; the next prune does the rest"
        entry = replace(entry, message=message)
    elif operation.kind is OperationKind.FORGET:
        message = "the process ended before it was done; forget the path once more"
        entry = replace(entry, message=message)
    base.catalog.operations.finish(operation.id, entry, now=base.now())


def _read_back(base: Base, ref: str) -> tuple[list[Checkpoint], list[str]]:
    """Add the checkpoint of a killed take, as ``read_back`` does, if the store has all of it;
    else its ref goes: the take had proven nothing yet."""
    from hermes_checkpoints.admin.rebuild import read_back
    from hermes_checkpoints.object_store.maintenance import delete_refs, unlock_refs

    try:
        base.store.require_whole(ref)
    except StoreDamaged as error:
        unlock_refs(base.layout.store, [ref])
        delete_refs(base.store.git, [ref])
        return [], [f"the process ended before it was done; nothing was added: {error}"]
    return read_back(base, [ref])


def _settle_restore(base: Base, operation: Operation, entry: JournalEntry) -> JournalEntry:
    """Say how far a killed restore came, and put in order what it left beside the paths."""
    from hermes_checkpoints.model import OperationOutcome, RestoreState
    from hermes_checkpoints.restore.interrupted import INTERRUPTED, settle

    found = base.catalog.restores.of_operation(operation.id)
    if found is None:
        message = "the process ended before the first path was restored; nothing was changed"
        return replace(entry, message=message)
    if found.state is RestoreState.DONE:
        return replace(entry, outcome=OperationOutcome.DONE, code=None, message=None)
    entry = replace(entry, outcome=OperationOutcome.PARTIAL)
    if found.state is RestoreState.PARTIAL:
        return replace(entry, code=None, message="some paths could not be restored")
    _, told = settle(base, found, operation.id, operation.detail.get("closed", {}))
    message = INTERRUPTED.format(directory=operation.working_dir)
    return replace(entry, message="; ".join([message, *told]))
