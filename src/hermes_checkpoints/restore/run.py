"""Brings a working directory back to a checkpoint: planned, secured, journaled, reported.

The order is: the safety checkpoint is taken (no safety checkpoint, no restore); every object
that is needed is read and checked; the journal names both checkpoints and every step; then paths
are written, and deleted last. Whatever fails is reported by path, and an undo takes it all back.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from hermes_checkpoints.attribution.turns import verdicts_since
from hermes_checkpoints.attribution.verdict import Verdict
from hermes_checkpoints.base.opened import Base, Target
from hermes_checkpoints.base.projects import require_own_place
from hermes_checkpoints.base.sizes import measured
from hermes_checkpoints.base.workspace import Workspace
from hermes_checkpoints.capture.compare import present
from hermes_checkpoints.capture.take import TakeRequest, take_in
from hermes_checkpoints.errors import (
    BadRequest,
    CheckpointError,
    CheckpointForeign,
    NoSafetyCheckpoint,
    PathUnknown,
    TreeChanged,
)
from hermes_checkpoints.fs.writer import TreeWriter
from hermes_checkpoints.model import (
    Action,
    Checkpoint,
    JournalEntry,
    Kind,
    Mode,
    Moment,
    OperationKind,
    OperationOutcome,
    PlannedPath,
    Restored,
    RestorePlan,
    RestoreRole,
    Skipped,
    Taken,
    Unchanged,
)
from hermes_checkpoints.model.paths import clean_path, within
from hermes_checkpoints.object_store import TreeState, compare_states, list_tree
from hermes_checkpoints.restore.plan import plan_steps
from hermes_checkpoints.restore.situation import Situation
from hermes_checkpoints.restore.steps import check_readable, execute, outcome_changes
from hermes_checkpoints.retention.delete import trim


@dataclass(frozen=True)
class RestoreRequest:
    """What a restore is told.

    ``paths`` limits it to these and what lies below them, ``session_id`` to what that session
    changed (only where edits are kept). ``foreign`` allows a checkpoint of another project;
    ``exactly`` leaves out what lies below the paths. ``role`` and ``undo_of`` are those of an
    undo or redo. ``moment`` of the conversation is recorded with the safety checkpoint.
    """

    checkpoint: Checkpoint
    paths: Sequence[str] | None = None
    mode: Mode = Mode.KEEP_EDITS
    session_id: str | None = None
    foreign: bool = False
    exactly: bool = False
    role: RestoreRole = RestoreRole.RESTORE
    undo_of: int | None = None
    moment: Moment | None = None

    def chosen(self) -> list[str] | None:
        """Return the paths in their plain form.

        Raises:
            BadRequest, PathRefused.
        """
        return None if self.paths is None else [clean_path(path) for path in self.paths]


def plan_restore(base: Base, target: Target, request: RestoreRequest) -> RestorePlan:
    """Return what a restore would do now; nothing is changed.

    Raises:
        CheckpointForeign, PathRefused, PathUnknown, GitFailed.
        BadDirectory: also when nothing may be written there, as in the home directory.
    """
    _check(base, target, request)
    chosen = request.chosen()
    with present(base, target) as now:
        _require_known(now.workspace, request)
        steps = _steps(now.workspace, request, now.state, now.state_id)
        return RestorePlan(
            request.checkpoint,
            target.path,
            request.mode,
            tuple(chosen) if chosen is not None else None,
            steps,
            now.state_id,
            request.session_id,
            request.role,
        )


def restore(
    base: Base, target: Target, request: RestoreRequest, plan: RestorePlan | None = None
) -> Restored:
    """Restore a whole working directory, or some paths of it.

    With a ``plan``, that very plan is executed, and refused if the tree has changed since.
    Where the project then has more than ``max_snapshots``, the oldest go, but neither the target
    nor the safety checkpoint.

    Raises:
        NoSafetyCheckpoint: when the present state cannot be saved; nothing was changed.
        TreeChanged: when the plan no longer fits; nothing was changed.
        StoreDamaged: when a needed object cannot be read; nothing was changed.
        CheckpointError: for wrong arguments, locks and the like; nothing was changed.
    """
    _check(base, target, request)
    with Workspace.enter(base, target, "restore") as workspace:
        if request.undo_of is not None and base.catalog.restores.is_undone(request.undo_of):
            # by another process, while this one waited for the lock
            raise TreeChanged("another undo or redo came first; look at a new plan")
        _require_known(workspace, request)
        seen_until = time.time_ns()
        safety = _take_safety(workspace, request)
        if plan is not None and plan.now_state != safety.state_id:
            raise TreeChanged(
                f"{target.path} changed after the plan was made; look at a new plan first"
            )
        now = base.store.state(safety.id, safety.tree_id)
        steps = plan.steps if plan else _steps(workspace, request, now, safety.state_id)
        check_readable(workspace.git, steps)
        restored = _write(workspace, request, safety, steps, seen_until)
        trim(workspace, protect=[request.checkpoint.id, safety.id])
        return restored


def _write(
    workspace: Workspace,
    request: RestoreRequest,
    safety: Checkpoint,
    steps: Sequence[PlannedPath],
    seen_until: int,
) -> Restored:
    """Write the steps between the two journal rows that tell of them."""
    base, target = workspace.base, workspace.target
    started = base.now()
    project = base.catalog.projects.get(target.hash)
    if project is None:
        raise NoSafetyCheckpoint(
            "nothing was restored: the safety checkpoint is not in the catalog"
        )
    entry = JournalEntry(
        OperationKind.RESTORE,
        started,
        target.name,
        session_id=request.session_id,
        project_id=project.id,
        detail={"target": request.checkpoint.id, "safety": safety.id},
    )
    with base.catalog.together():
        operation = base.catalog.operations.begin(entry)
        record = None
        if not _leaves_nothing_to_undo(request, steps):
            record = base.catalog.restores.begin(
                project.id,
                operation,
                role=request.role,
                mode=request.mode,
                whole=request.paths is None and request.session_id is None,
                target=request.checkpoint,
                safety=safety,
                undo_of=request.undo_of,
                steps=steps,
                now=started,
            )
    done, failed = execute(workspace.git, target.path, steps, seen_until)
    now = base.now()
    ended = replace(
        entry,
        outcome=OperationOutcome.PARTIAL if failed else OperationOutcome.DONE,
        checkpoint_id=request.checkpoint._row,
        message="; ".join(f"{f.path}: {f.error}" for f in failed[:20]) or None,
    )
    with base.catalog.together():
        base.catalog.turns.add_restore(project.id, safety._row, outcome_changes(done), now)
        if record is not None:
            base.catalog.restores.finish(record, failed, now)
        base.catalog.operations.finish(operation, ended, now=now)
    kept = tuple(step for step in steps if step.action is Action.KEEP)
    return Restored(request.checkpoint, safety, target.path, done, kept, failed, request.role)


def _leaves_nothing_to_undo(request: RestoreRequest, steps: Sequence[PlannedPath]) -> bool:
    """Tell whether a restore touches no path and moves no conversation.

    The next undo is not of such a restore: it would take back what was edited since, and leave
    what the person means.
    """
    if request.role is not RestoreRole.RESTORE:
        return False
    if any(step.action is not Action.KEEP for step in steps):
        return False
    follows = request.moment is not None and request.moment.follows
    return not follows or any(step.is_file for step in steps)


def _check(base: Base, target: Target, request: RestoreRequest) -> None:
    checkpoint = request.checkpoint
    foreign = checkpoint.project_hash != target.hash
    require_own_place(target.path, base.layout, foreign=foreign)
    request.chosen()
    if request.session_id is not None and request.mode is not Mode.KEEP_EDITS:
        raise BadRequest("one session's changes can only be taken back in mode keep-edits")
    if not foreign:
        return
    if not request.foreign:
        raise CheckpointForeign(
            f"checkpoint {checkpoint.short_id} belongs to {checkpoint.working_dir}, "
            f"not to {target.path}; to write it elsewhere on purpose, `restore` it with --into"
        )
    if request.mode is Mode.KEEP_EDITS:
        raise BadRequest(
            "nobody's changes are known between two projects; choose mode overlay or exact"
        )


def _require_known(workspace: Workspace, request: RestoreRequest) -> None:
    """Refuse a path that the checkpoint does not hold, unless the restore may delete it."""
    chosen = request.chosen()
    if chosen is None or request.role is not RestoreRole.RESTORE:
        return
    checkpoint = request.checkpoint
    then = workspace.base.store.state(checkpoint.id, checkpoint.tree_id)
    held = [*list_tree(workspace.git, then.tree_id), *then.meta.directories]
    exists = TreeWriter(workspace.target.path).exists
    for name in chosen:
        if any(within(path, [name]) for path in held):
            continue
        if request.mode is Mode.OVERLAY or not exists(name):
            raise PathUnknown(
                f"checkpoint {checkpoint.short_id} holds no path {name!r}; "
                "paths are taken literally, relative to the project"
            )


def _take_safety(workspace: Workspace, restore: RestoreRequest) -> Checkpoint:
    """Take the checkpoint that brings everything back.

    Raises:
        NoSafetyCheckpoint: when there is none; then nothing may be written.
    """
    what = {
        RestoreRole.RESTORE: "pre-rollback snapshot (restoring to",
        RestoreRole.UNDO: "pre-undo checkpoint (going back to",
        RestoreRole.REDO: "pre-redo checkpoint (going back to",
    }[restore.role]
    reason = f"{what} {restore.checkpoint.short_id})"
    at = restore.moment or Moment()
    request = TakeRequest(
        workspace.target.name, reason, Kind.SAFETY, at.session_id, at.turn, at.message_count
    )
    now = workspace.base.now()  # this take did not wait for the lock
    try:
        outcome = take_in(replace(workspace, started=now), request)
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
    workspace: Workspace, request: RestoreRequest, now: TreeState, now_state: str
) -> tuple[PlannedPath, ...]:
    """Decide the steps that lead from the present to the checkpoint."""
    base, git, checkpoint = workspace.base, workspace.git, request.checkpoint
    then = base.store.state(checkpoint.id, checkpoint.tree_id)
    compared = compare_states(git, now, then, lines=True)
    changes = {c.path: c for c in measured(base, git, [*compared.changes.values()])}
    verdicts: dict[str, Verdict] = {}
    directories = True
    if request.mode is Mode.KEEP_EDITS:
        verdicts, directories = verdicts_since(
            base, checkpoint, changes, session_id=request.session_id, now_state=now_state
        )
    writer = TreeWriter(workspace.target.path)
    situation = Situation(
        changes,
        now.meta,
        then.meta.assuming(now.meta),
        writer.exists,
        writer.is_directory,
        writer.inside,
        verdicts,
        directories,
    )
    return plan_steps(situation, request.mode, request.chosen(), exactly=request.exactly)
