"""Settles what an earlier process left unfinished: takes, restores, prunes and clears that were
killed.

A take that was killed between its ref and its row is read back from its commit; one that was
killed before is marked so. Of a killed restore the journal says how far it came.
"""

from __future__ import annotations

import contextlib
from dataclasses import replace
from pathlib import Path

from hermes_checkpoints.admin.clear import finish as finish_clear
from hermes_checkpoints.admin.leftovers import sweep as sweep_leftovers
from hermes_checkpoints.admin.rebuild import fill, read_back
from hermes_checkpoints.base.opened import Base
from hermes_checkpoints.errors import CheckpointError, GitMissing, GitTooOld
from hermes_checkpoints.fs.locks import is_held
from hermes_checkpoints.layout import project_hash
from hermes_checkpoints.model import (
    JournalEntry,
    Operation,
    OperationKind,
    OperationOutcome,
    RestoreState,
)
from hermes_checkpoints.restore.steps import sweep
from hermes_checkpoints.retention.delete import finish


def recover(base: Base) -> None:
    """Mend what an earlier process left unfinished. Called at each opening; costs a few
    queries when there is nothing to mend. Where git cannot be run, what needs it waits for the
    next opening.

    Raises:
        CheckpointError: when the catalog cannot be read or written.
    """
    sweep_leftovers(base)
    finish_clear(base)
    with contextlib.suppress(CheckpointError):  # whoever needs the store then says what is wrong
        base.store.mend(base.config.exclude)
    with contextlib.suppress(GitMissing, GitTooOld):
        if fill(base):
            return
        for operation in base.catalog.operations.running():
            if not _is_busy(base, operation):
                _settle(base, operation)
        finish(base)


def _is_busy(base: Base, operation: Operation) -> bool:
    """Tell whether the process that began an operation may still work on it."""
    if operation.kind is OperationKind.PRUNE:
        return is_held(base.layout.prune_lock)
    return is_held(base.layout.project_lock(project_hash(Path(operation.working_dir or ""))))


def _settle(base: Base, operation: Operation) -> None:
    """End an operation whose process is gone."""
    entry = JournalEntry(
        operation.kind,
        operation.started_at,
        outcome=OperationOutcome.FAILED,
        code="interrupted",
        message="the process ended before it was done; nothing was added",
    )
    ref = operation.detail.get("ref")
    if operation.kind is OperationKind.TAKE and ref and base.store.has_ref(ref):
        added, problems = read_back(base, [ref])
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
    base.catalog.operations.finish(operation.id, entry, now=base.now())


def _settle_restore(base: Base, operation: Operation, entry: JournalEntry) -> JournalEntry:
    """Say how far a killed restore came, and delete its half-written files."""
    found = base.catalog.restores.of_operation(operation.id)
    if found is None:
        message = "the process ended before the first path was restored; nothing was changed"
        return replace(entry, message=message)
    if found.state is RestoreState.DONE:
        return replace(entry, outcome=OperationOutcome.DONE, code=None, message=None)
    entry = replace(entry, outcome=OperationOutcome.PARTIAL)
    if found.state is RestoreState.PARTIAL:
        return replace(entry, code=None, message="some paths could not be restored")
    sweep(Path(found.safety.working_dir), base.catalog.restores.paths(found.id))
    base.catalog.restores.interrupt(operation.id, base.now())
    message = (
        "the process ended while it wrote; some paths may be restored and some not: "
        f"`hermes checkpoints undo` in {operation.working_dir} brings the former state back"
    )
    return replace(entry, message=message)
