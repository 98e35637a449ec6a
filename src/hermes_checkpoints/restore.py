"""Brings a working directory back to a checkpoint: planned, secured, journaled, reported.

The order is: every object that is needed is read and checked; the safety checkpoint is taken
(no safety checkpoint, no restore); the journal names both; then paths are written, and deleted
last. Whatever fails is reported by path, and restoring the safety checkpoint undoes it all.
"""

from __future__ import annotations

import stat
from collections.abc import Sequence
from pathlib import Path

from hermes_checkpoints.accounting import measured
from hermes_checkpoints.base import Base, Target
from hermes_checkpoints.comparing import present, within
from hermes_checkpoints.errors import (
    CheckpointError,
    CheckpointForeign,
    NoSafetyCheckpoint,
    PathRefused,
    PathUnknown,
    StoreDamaged,
    TreeChanged,
)
from hermes_checkpoints.git import BlobReader, Git
from hermes_checkpoints.lookup import clean_path
from hermes_checkpoints.model import (
    Action,
    Checkpoint,
    FailedPath,
    Kind,
    Mode,
    OperationKind,
    OperationOutcome,
    PlannedPath,
    Restored,
    RestorePlan,
    Skipped,
    Taken,
    Unchanged,
)
from hermes_checkpoints.object_store import TreeState, compare_states, list_tree
from hermes_checkpoints.restore_plan import Situation, plan_steps
from hermes_checkpoints.system import require_readable_directory
from hermes_checkpoints.take import TakeRequest, take_locked
from hermes_checkpoints.writer import TreeWriter


def plan_restore(
    base: Base, target: Target, checkpoint: Checkpoint, paths: Sequence[str] | None, mode: Mode
) -> RestorePlan:
    """Return what a restore would do now; nothing is changed.

    Raises:
        CheckpointForeign, PathRefused, PathUnknown, BadDirectory, GitFailed.
    """
    _require_own(target, checkpoint)
    chosen = None if paths is None else [clean_path(path) for path in paths]
    with present(base, target) as now:
        steps = _steps(base, now.git, target, checkpoint, now.state, chosen, mode)
        return RestorePlan(
            checkpoint,
            target.path,
            mode,
            tuple(chosen) if chosen is not None else None,
            steps,
            now.state_id,
        )


def restore(
    base: Base,
    target: Target,
    checkpoint: Checkpoint,
    paths: Sequence[str] | None,
    mode: Mode,
    plan: RestorePlan | None = None,
) -> Restored:
    """Restore a whole working directory, or some paths of it.

    With a ``plan``, that very plan is executed, and refused if the tree has changed since.

    Raises:
        NoSafetyCheckpoint: when the present state cannot be saved; nothing was changed.
        TreeChanged: when the plan no longer fits; nothing was changed.
        StoreDamaged: when a needed object cannot be read; nothing was changed.
        CheckpointError: for wrong arguments, locks and the like; nothing was changed.
    """
    _require_own(target, checkpoint)
    require_readable_directory(target.path)
    chosen = None if paths is None else [clean_path(path) for path in paths]
    started = base.now()
    digest = base.store.ensure(base.config.exclude)
    with base.locked(target, "restore") as git:
        if chosen is not None:
            _require_held(git, checkpoint, chosen)
        safety = _take_safety(base, target, checkpoint, git, digest)
        now = base.store.state(safety.commit_id, safety.tree_id)
        if plan is not None and plan.now_state != safety.state_id:
            raise TreeChanged(
                f"{target.path} changed after the plan was made; look at a new plan first"
            )
        steps = plan.steps if plan is not None else None
        if steps is None:
            steps = _steps(base, git, target, checkpoint, now, chosen, mode)
        _check_readable(git, steps)
        project = base.catalog.projects.get(target.hash)
        operation = base.catalog.operations.begin(
            OperationKind.RESTORE,
            now=started,
            workdir=target.name,
            project_id=project.id if project else None,
            detail={
                "target": checkpoint.commit_id,
                "safety": safety.commit_id,
                "mode": mode.value,
                "paths": chosen,
            },
        )
        done, failed = _execute(git, target.path, steps)
        base.catalog.operations.finish(
            operation,
            OperationOutcome.PARTIAL if failed else OperationOutcome.DONE,
            now=base.now(),
            checkpoint_id=checkpoint.id,
            message="; ".join(f"{f.path}: {f.error}" for f in failed[:20]) or None,
        )
    kept = tuple(step for step in steps if step.action is Action.KEEP)
    return Restored(checkpoint, safety, target.path, done, kept, failed)


def _require_own(target: Target, checkpoint: Checkpoint) -> None:
    if checkpoint.project_hash != target.hash:
        raise CheckpointForeign(
            f"checkpoint {checkpoint.short_id} belongs to {checkpoint.workdir}, "
            f"not to {target.path}"
        )


def _require_held(git: Git, checkpoint: Checkpoint, chosen: Sequence[str]) -> None:
    held = list_tree(git, checkpoint.tree_id)
    for name in chosen:
        if not any(within(path, [name]) for path in held):
            raise PathUnknown(
                f"checkpoint {checkpoint.short_id} holds no path {name!r}; "
                "paths are taken literally, relative to the project"
            )


def _take_safety(
    base: Base, target: Target, checkpoint: Checkpoint, git: Git, digest: str
) -> Checkpoint:
    request = TakeRequest(
        target.name,
        f"pre-rollback snapshot (restoring to {checkpoint.short_id})",
        Kind.SAFETY,
    )
    try:
        outcome = take_locked(base, request, target, git, digest, base.now())
    except CheckpointError as error:
        raise NoSafetyCheckpoint(
            f"nothing was restored, because the present state could not be saved: {error}"
        ) from error
    match outcome:
        case Taken(safety) | Unchanged(safety):
            return safety
        case Skipped(_, reason):
            raise NoSafetyCheckpoint(
                f"nothing was restored, because the present state could not be saved: {reason}"
            )
        case _:
            raise NoSafetyCheckpoint("nothing was restored: no safety checkpoint")


def _steps(
    base: Base,
    git: Git,
    target: Target,
    checkpoint: Checkpoint,
    now: TreeState,
    chosen: Sequence[str] | None,
    mode: Mode,
) -> tuple[PlannedPath, ...]:
    if chosen is not None:
        _require_held(git, checkpoint, chosen)
    then = base.store.state(checkpoint.commit_id, checkpoint.tree_id)
    compared = compare_states(git, now, then, lines=True)
    changes = {c.path: c for c in measured(base, git, compared.changes.values())}
    writer = TreeWriter(target.path)
    situation = Situation(
        changes, now.meta, then.meta, writer.exists, writer.is_directory, writer.inside
    )
    return plan_steps(situation, mode, chosen)


def _check_readable(git: Git, steps: Sequence[PlannedPath]) -> None:
    with git.blobs() as reader:
        for step in steps:
            if step.action is Action.WRITE and step.blob:
                try:
                    reader.copy(step.blob, lambda piece: None)
                except StoreDamaged as error:
                    raise StoreDamaged(
                        f"nothing was restored: the contents of {step.path!r} cannot be read "
                        f"({error})"
                    ) from error


def _execute(
    git: Git, root: Path, steps: Sequence[PlannedPath]
) -> tuple[tuple[PlannedPath, ...], tuple[FailedPath, ...]]:
    done: list[PlannedPath] = []
    failed: list[FailedPath] = []
    writer = TreeWriter(root)
    modes: list[PlannedPath] = []
    with git.blobs() as reader:
        for step in steps:
            if step.action is Action.KEEP:
                continue
            try:
                _do(writer, reader, step)
            except (OSError, PathRefused, StoreDamaged) as error:
                failed.append(FailedPath(step.path, step.action, _words(error)))
            else:
                done.append(step)
                if step.action is Action.MKDIR:
                    modes.append(step)
    writer.finish()
    for step in reversed(modes):
        try:
            writer.change_mode(step.path, step.mode or 0)
        except (OSError, PathRefused) as error:
            failed.append(FailedPath(step.path, step.action, _words(error)))
    return tuple(done), tuple(failed)


def _do(writer: TreeWriter, reader: BlobReader, step: PlannedPath) -> None:
    mode = step.mode or 0
    if step.action is Action.WRITE:
        blob = step.blob
        if blob is None:
            raise StoreDamaged("the plan names no contents")
        writer.write(step.path, mode, lambda write: reader.copy(blob, write))
    elif step.action is Action.MKDIR:
        writer.make_directory(step.path)
    elif step.action is Action.CHMOD:
        writer.change_mode(step.path, mode)
    elif stat.S_ISDIR(mode):
        writer.delete_directory(step.path)
    else:
        writer.delete(step.path)


def _words(error: Exception) -> str:
    return (error.strerror or str(error)) if isinstance(error, OSError) else str(error)
