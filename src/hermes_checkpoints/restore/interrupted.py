"""Settles a restore that was cut short: what it came to do is recorded as its doing.

The plan is in the catalog before the first write. What lies there now as planned, the restore put
there: nobody has to guess later whose change that was.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hermes_checkpoints.attribution.turns import note_restore
from hermes_checkpoints.base.opened import Base
from hermes_checkpoints.errors import PROGRAM, GitFailed, StoreDamaged
from hermes_checkpoints.fs.inspect import SET_ID
from hermes_checkpoints.model import Action, Checkpoint, PlannedPath, RecordedStep, RestoreRecord
from hermes_checkpoints.restore.leftovers import sweep
from hermes_checkpoints.restore.recorded import as_left
from hermes_checkpoints.restore.stamps import Held

INTERRUPTED = (
    "the process ended while it wrote; some paths may be restored and some not: "
    f"`{PROGRAM} undo` in {{directory}} brings the former state back"
)
"""What the journal says of such a restore."""


def settle(
    base: Base, found: RestoreRecord, operation_id: int, closed: Mapping[str, int]
) -> tuple[list[str], list[str]]:
    """Put in order what the restore of an operation left beside the paths, mark it as interrupted,
    and its steps that were done as done. ``closed`` are the directories that it may have opened.

    Return the paths of the files that were done, and what became of those that could not be given
    their place again, in words.

    Raises:
        CheckpointError: when the catalog cannot be written; the next opening tries again.
    """
    steps = base.catalog.restores.steps(found.id)
    before: Mapping[str, tuple[int, str]] = {}
    try:
        state = base.store.state(found.safety.id, found.safety.tree_id)
        before = Held.by(base.store.git, state, {step.path for step in steps}).files
    finally:  # also where the store cannot be read
        told = sweep(found.safety.working_dir, steps, closed, before)
    positions = set(as_left(found.safety.working_dir, steps))
    done = [
        _done(step, *before.get(step.path, (None, None)))
        for step in steps
        if step.position in positions
    ]
    row = found._target_row  # None where the checkpoint was fetched from a remote
    target = None if row is None else base.catalog.checkpoints.get(row)
    chosen = _chosen(base, target, done)
    now = base.now()
    project = base.catalog.projects.get(found.safety.project_hash)
    with base.catalog.together():
        base.catalog.restores.interrupt(operation_id, now)
        base.catalog.restores.mark_done(found.id, positions)
        if project is not None:
            own = target is not None and target.project_hash == project.hash
            note_restore(base, project.id, row if own else None, done, now, chosen)
    return [step.path for step in done if step.is_file], told


def _chosen(base: Base, target: Checkpoint | None, done: Sequence[PlannedPath]) -> set[str]:
    """Return which files a restore left otherwise than its checkpoint has them, as somebody chose:
    those of parts and merges. Where the checkpoint cannot be read, nobody can tell."""
    written = [step for step in done if step.is_file and step.action is not Action.DELETE]
    if not written or target is None or target.pruned_at is not None:
        return set()
    try:
        state = base.store.state(target.id, target.tree_id)
        held = Held.by(base.store.git, state, {step.path for step in written}).files
    except (StoreDamaged, GitFailed):
        return set()
    return {step.path for step in written if _other(step, *held.get(step.path, (0, "")))}


def _other(step: PlannedPath, mode: int, blob: str) -> bool:
    """Tell whether a step leaves another thing than a checkpoint has; set-id bits are not always
    given back."""
    return step.blob != blob or bool(((step.mode or 0) ^ mode) & ~SET_ID)


def _done(step: RecordedStep, old_mode: int | None, old_blob: str | None) -> PlannedPath:
    return PlannedPath(
        step.path,
        step.action,
        "",
        blob=step.blob,
        mode=step.mode,
        old_blob=old_blob,
        old_mode=old_mode,
    )
