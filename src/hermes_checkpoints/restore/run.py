"""Brings a working directory back to a checkpoint: planned, secured, journaled, reported.

The order is: the safety checkpoint is taken (no safety checkpoint, no restore); the paths of the
plan are looked at; the journal names both checkpoints and every step; then paths are written, and
deleted last. Whatever fails is reported by path, and an undo takes it all back.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from hermes_checkpoints.attribution.observing import Look
from hermes_checkpoints.attribution.turns import note_restore, others_since, verdicts_since
from hermes_checkpoints.attribution.verdict import Verdict
from hermes_checkpoints.base.opened import Base, Target
from hermes_checkpoints.base.sizes import measured
from hermes_checkpoints.base.workspace import Workspace
from hermes_checkpoints.capture.compare import present
from hermes_checkpoints.capture.take import TakeRequest, take_in
from hermes_checkpoints.errors import (
    BadRequest,
    CheckpointError,
    CheckpointForeign,
    GitFailed,
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
from hermes_checkpoints.restore.nested import projects_inside
from hermes_checkpoints.restore.plan import plan_steps
from hermes_checkpoints.restore.readable import name_unreadable
from hermes_checkpoints.restore.situation import Situation
from hermes_checkpoints.restore.stamps import Expected, Held
from hermes_checkpoints.restore.steps import execute
from hermes_checkpoints.retention.delete import trim


@dataclass(frozen=True)
class RestoreRequest:
    """What a restore is told.

    ``paths`` limits it to these and what lies below them; ``session_id`` keeps what agents of other
    sessions changed. ``nested`` takes in the projects inside this one, which mode exact does, too.
    ``foreign`` allows a checkpoint of another project;
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
    nested: bool = False

    @property
    def leaves_inner_alone(self) -> bool:
        """Whether projects inside this one are left alone unless they are named."""
        wider = self.nested or self.foreign or self.mode is Mode.EXACT
        return self.role is RestoreRole.RESTORE and not wider

    def chosen(self) -> list[str] | None:
        """Return the paths in their plain form.

        Raises:
            BadRequest, PathRefused.
        """
        return None if self.paths is None else [clean_path(path) for path in self.paths]


def plan_restore(base: Base, target: Target, request: RestoreRequest) -> RestorePlan:
    """Return what a restore would do now; nothing is changed.

    Raises:
        CheckpointForeign, PathRefused, PathUnknown, BadDirectory, GitFailed.
    """
    _check(target, request)
    chosen = request.chosen()
    at_ns = time.time_ns()
    with present(base, target) as now:
        _require_known(now.workspace, request)
        last = base.catalog.checkpoints.last(target.hash)
        look = None
        if last is not None:
            look = Look.of(now.workspace, last, now.state, now.state_id, at_ns)
        steps = _steps(now.workspace, request, now.state, look)
        return RestorePlan(
            request.checkpoint,
            target.path,
            request.mode,
            tuple(chosen) if chosen is not None else None,
            steps,
            now.state_id,
            request.session_id,
            request.role,
            Held.by(now.workspace.git, now.state).touched(steps),
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
        StoreDamaged: when the checkpoint's list of files cannot be read; nothing was changed. A
            file whose contents cannot be read fails alone.
        CheckpointError: for wrong arguments, locks and the like; nothing was changed.
    """
    _check(target, request)
    with Workspace.enter(base, target, "restore") as workspace:
        if request.undo_of is not None and base.catalog.restores.is_undone(request.undo_of):
            # by another process, while this one waited for the lock
            raise TreeChanged("another undo or redo came first; look at a new plan")
        _require_known(workspace, request)
        looked = time.time_ns()
        safety = _take_safety(workspace, request)
        now = base.store.state(safety.id, safety.tree_id)
        held = Held.by(workspace.git, now)
        if plan is not None and not held.fits(plan):
            raise TreeChanged(
                f"{target.path} changed after the plan was made; look at a new plan first"
            )
        steps = plan.steps if plan else _steps(workspace, request, now, None)
        expected = Expected.of(workspace.git, target.path, held, steps, looked)
        restored = _write(workspace, request, safety, steps, expected)
        trim(workspace, protect=[request.checkpoint.id, safety.id])
        return restored


def _write(
    workspace: Workspace,
    request: RestoreRequest,
    safety: Checkpoint,
    steps: Sequence[PlannedPath],
    expected: Expected,
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
        detail={"target": request.checkpoint.id, "safety": safety.id, "closed": expected.closed},
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
                whole=request.paths is None,
                target=request.checkpoint,
                safety=safety,
                undo_of=request.undo_of,
                steps=steps,
                now=started,
            )
    done, failed = execute(workspace.git, target.path, steps, expected)
    now = base.now()
    ended = replace(
        entry,
        outcome=OperationOutcome.PARTIAL if failed else OperationOutcome.DONE,
        checkpoint_id=request.checkpoint._row,
        message="; ".join(f"{f.path}: {f.error}" for f in failed[:20]) or None,
    )
    with base.catalog.together():
        last = base.catalog.checkpoints.last(target.hash) or safety
        note_restore(base, project.id, last, request.checkpoint, done, now)
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


def _check(target: Target, request: RestoreRequest) -> None:
    checkpoint = request.checkpoint
    request.chosen()
    if request.session_id is not None and request.mode is Mode.EXACT:
        raise BadRequest(
            "mode exact is for the work of everyone; choose keep-edits or overlay to take back "
            "that of one session"
        )
    if checkpoint.project_hash == target.hash:
        return
    if not request.foreign:
        raise CheckpointForeign(
            f"checkpoint {checkpoint.short_id} belongs to {checkpoint.working_dir}, "
            f"not to {target.path}; to write it elsewhere on purpose, `restore` it with --into"
        )
    if request.mode is Mode.KEEP_EDITS or request.session_id is not None:
        raise BadRequest(
            "nobody's changes are known between two projects; choose mode overlay or exact, and "
            "no session"
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
    workspace: Workspace, request: RestoreRequest, now: TreeState, look: Look | None
) -> tuple[PlannedPath, ...]:
    """Decide the steps that lead from the present to the checkpoint. ``look`` is of the present,
    or None where the safety checkpoint has recorded it."""
    base, git, checkpoint = workspace.base, workspace.git, request.checkpoint
    then = base.store.state(checkpoint.id, checkpoint.tree_id)
    try:
        compared = compare_states(git, now, then, lines=True)
    except GitFailed:  # lines cannot be counted of contents that cannot be read
        compared = compare_states(git, now, then, lines=False)
    changes = {c.path: c for c in measured(base, git, [*compared.changes.values()])}
    verdicts: dict[str, Verdict] = {}
    others: dict[str, str] = {}
    directories = True
    if request.mode is Mode.KEEP_EDITS:
        verdicts, directories = verdicts_since(
            base, look, checkpoint, changes, session_id=request.session_id
        )
    elif request.session_id is not None:
        others = others_since(base, look, checkpoint, changes, request.session_id)
    inner: frozenset[str] = frozenset()
    if request.leaves_inner_alone:
        other = now.meta.directories.keys() ^ then.meta.directories.keys()
        inner = projects_inside(workspace, [*changes, *other])
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
        others,
        inner,
    )
    steps = plan_steps(situation, request.mode, request.chosen(), exactly=request.exactly)
    return name_unreadable(git, steps)
