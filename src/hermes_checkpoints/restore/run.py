"""Brings a working directory back to a checkpoint: planned, secured, journaled, reported.

The order is: the present is looked at and the plan made; the safety checkpoint holds what the plan
overwrites or deletes (no safety checkpoint, no restore); the paths of the plan are looked at; the
journal names both checkpoints and every step; then paths are written, and deleted last. Whatever
fails is reported by path, and an undo takes it all back.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace

from hermes_checkpoints.attribution.turns import note_restore
from hermes_checkpoints.base.lookup import still_kept
from hermes_checkpoints.base.opened import Base, Target
from hermes_checkpoints.base.projects import require_own_place
from hermes_checkpoints.base.workspace import Workspace
from hermes_checkpoints.capture.compare import require_told
from hermes_checkpoints.errors import (
    BadRequest,
    CheckpointError,
    CheckpointForeign,
    DirectoryReplaced,
    GitFailed,
    LockHeld,
    NoSafetyCheckpoint,
    PathUnknown,
    StoreDamaged,
    TreeChanged,
    base_error,
)
from hermes_checkpoints.fs.inspect import Inspector
from hermes_checkpoints.fs.repository import head_of
from hermes_checkpoints.fs.system import generation, identity
from hermes_checkpoints.model import (
    Action,
    Checkpoint,
    FailedPath,
    Head,
    JournalEntry,
    Mode,
    OperationKind,
    OperationOutcome,
    PlannedPath,
    Restored,
    RestorePlan,
    RestoreRole,
    RestoreState,
)
from hermes_checkpoints.model.paths import at_or_above
from hermes_checkpoints.object_store import TreeState, entries_at
from hermes_checkpoints.object_store.healing import write_object
from hermes_checkpoints.object_store.index_cache import forget
from hermes_checkpoints.restore.gone import empty_place, for_gone, is_gone, made_again
from hermes_checkpoints.restore.interrupted import INTERRUPTED, settle
from hermes_checkpoints.restore.look import Look, Reach, look_at
from hermes_checkpoints.restore.planning import Planned, found_at, planned_for, reach_of
from hermes_checkpoints.restore.request import RestoreRequest, is_foreign
from hermes_checkpoints.restore.stamps import Expected, Held
from hermes_checkpoints.restore.steps import execute
from hermes_checkpoints.retention.delete import trim
from hermes_checkpoints.text import counted

_CHANGED = "it changed after the plan was made; it was left as it is"

_NAMED = 20
"""How many paths are named of a restore that was interrupted."""


def plan_restore(base: Base, target: Target, request: RestoreRequest) -> RestorePlan:
    """Return what a restore would do now; nothing is changed.

    Raises:
        CheckpointForeign, PathRefused, PathUnknown, GitFailed.
        BadDirectory: also when nothing may be written there, as in the home directory, and when
            it is gone and cannot be made again.
    """
    _check(base, target, request)
    chosen, missing = request.chosen(), is_gone(target)
    place: AbstractContextManager[Target] = contextlib.nullcontext(target)
    if missing:
        request = for_gone(base, target, request)
        place = empty_place(target)
    with (
        still_kept(base, request.checkpoint),
        place as there,
        Workspace.scratch(base, there, "comparison") as entered,
        entered.git.reading() as git,
    ):
        workspace = replace(entered, git=git)
        reach = _reach(workspace, request)
        with look_at(workspace, reach, planning=True) as look:
            planned = planned_for(workspace, request, reach, look, shown=True)
            found = found_at(look, [*planned.steps, *_conflicting(planned)])
    return RestorePlan(
        request.checkpoint,
        target.path,
        request.mode,
        tuple(chosen) if chosen is not None else None,
        planned.steps,
        planned.now_state,
        request.session_id,
        request.role,
        found.names,
        _is_replaced(base, target, request.checkpoint),
        _head(target, request.checkpoint),
        missing,
        planned.contents,
        planned.conflicts,
        request.to_choose,
        planned.without_agent,
    )


def _conflicting(planned: Planned) -> list[PlannedPath]:
    """Return the steps of files whose conflicts may still be chosen to be written."""
    kept = (step for step in planned.steps if step.path in planned.conflicts)
    return [replace(step, action=Action.WRITE) for step in kept]


def restore(
    base: Base, target: Target, request: RestoreRequest, plan: RestorePlan | None = None
) -> Restored:
    """Restore a whole working directory, or some paths of it; one that is gone is made again.

    With a ``plan``, that very plan is executed, and refused if the tree has changed since.
    Where the project then has more than ``max_snapshots``, the oldest go, but neither the target
    nor the safety checkpoint.

    Raises:
        DirectoryReplaced: when another directory lies in the place of the one that was captured,
            and edits are to be kept there; a plan that says so is executed.
        NoSafetyCheckpoint: when the present state cannot be saved; nothing was changed.
        TreeChanged: when the plan no longer fits; nothing was changed.
        StoreDamaged: when the checkpoint's list of files cannot be read; nothing was changed. A
            file whose contents cannot be read fails alone.
        CheckpointError: for wrong arguments, locks and the like; nothing was changed.
    """
    _check(base, target, request)
    base.require_writable()
    if is_gone(target):
        request = for_gone(base, target, request)
    if not (plan is not None and plan.replaced):
        require_same_directory(base, target, request)
    with (
        still_kept(base, request.checkpoint),
        made_again(target) as made,
        Workspace.enter(base, target, "restore") as entered,
        entered.git.reading() as git,
    ):
        workspace = replace(entered, git=git)
        if request.undo_of is not None and base.catalog.restores.is_undone(request.undo_of):
            # by another process, while this one waited for the lock
            raise TreeChanged("another undo or redo came first; look at a new plan")
        looked = time.time_ns()
        reach = _reach(workspace, request)
        with contextlib.ExitStack() as stack, _staged_anew_next_time(workspace):
            with _saving():
                look = stack.enter_context(look_at(workspace, reach))
            planned, changed = _fitting(workspace, request, reach, look, plan)
            with _saving():
                safety = look.save(
                    _reason(request), request.moment, planned.steps, planned.uncaptured
                )
        steps = _with_stored(base, planned)
        held = Held.touched_by(git, _state_of(workspace, safety, look), steps)
        owners = reach.then.meta.owners
        expected = Expected.of(workspace.git, workspace.root, held, steps, looked, owners)
        own = identity(target.path)
        if made and own is not None:
            base.catalog.retention.made_again(target.hash, own, generation(target.path))
        chosen = frozenset(planned.contents)
        restored = _write(workspace, request, safety, steps, expected, chosen, changed)
        try:
            trim(workspace, protect=[request.checkpoint.id, safety.id])
        except KeyboardInterrupt as stop:
            stop.add_note(f"interrupted when all of it was restored in {target.path}")
            raise
        return restored


def require_same_directory(base: Base, target: Target, request: RestoreRequest) -> None:
    """Refuse to tell edits from the agent's changes in a directory that is not the one that was
    captured. An undo tells them by contents, and needs no history.

    Raises:
        DirectoryReplaced.
    """
    keeps_edits = request.role is RestoreRole.RESTORE and request.mode is Mode.KEEP_EDITS
    if not keeps_edits or not _is_replaced(base, target, request.checkpoint):
        return
    raise DirectoryReplaced(
        f"nothing was restored: {target.path} is not the directory that was captured, it was "
        f"replaced since checkpoint {request.checkpoint.short_id}, so that nobody knows whose its "
        "files are; choose mode overlay, which deletes nothing, or exact, or restore it into "
        "another directory"
    )


def _is_replaced(base: Base, target: Target, checkpoint: Checkpoint) -> bool:
    """Tell whether another directory lies in the place of the one that was captured: one with
    another inode, or with a number that was given anew. The device alone may be another after a
    reboot or in a container."""
    if is_foreign(checkpoint, target):
        return False
    known, now = checkpoint.identity, identity(target.path)
    if known is None:
        known = next((one.identity for one in base.catalog.retention.projects([target.hash])), None)
    if known is None or now is None:
        return False
    number, at_present = checkpoint._generation, generation(target.path)
    anew = None not in (number, at_present) and number != at_present
    return known.inode != now.inode or anew


def _head(target: Target, checkpoint: Checkpoint) -> Head:
    """Return where the repository of a directory stands; for a checkpoint of another directory,
    which may be of another repository, that says nothing."""
    return Head() if is_foreign(checkpoint, target) else head_of(target.path)


def _write(
    workspace: Workspace,
    request: RestoreRequest,
    safety: Checkpoint,
    steps: Sequence[PlannedPath],
    expected: Expected,
    chosen: Collection[str],
    changed: Sequence[FailedPath],
) -> Restored:
    """Write the steps between the two journal rows that tell of them. ``chosen`` are the paths that
    get other contents than the checkpoint has, ``changed`` those that the plan does not fit any
    more."""
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

    def begin() -> tuple[int, int | None]:
        operation = base.catalog.operations.begin(entry)
        record = None
        if not _leaves_nothing_to_undo(request, steps):
            record = base.catalog.restores.begin(
                project.id,
                operation,
                role=request.role,
                mode=request.mode,
                whole=request.whole,
                target=request.checkpoint,
                safety=safety,
                undo_of=request.undo_of,
                steps=steps,
                now=started,
            )
        return operation, record

    operation, record = base.catalog.do_together(begin)
    try:
        done, failed = execute(workspace.git, workspace.root, steps, expected)
        failed = (*changed, *failed)
        now = base.now()
        ended = replace(
            entry,
            outcome=OperationOutcome.PARTIAL if failed else OperationOutcome.DONE,
            checkpoint_id=None if request.checkpoint.is_fetched else request.checkpoint._row,
            message="; ".join(f"{f.path}: {f.error}" for f in failed[:20]) or None,
        )

        def end() -> None:
            own = not (request.foreign or request.checkpoint.is_fetched)
            brought = request.checkpoint._row if own else None
            note_restore(base, project.id, brought, done, now, chosen)
            if record is not None:
                base.catalog.restores.finish(record, failed, now)
            base.catalog.operations.finish(operation, ended, now=now)

        base.catalog.do_together(end)
    except BaseException as stop:
        if record is not None:
            stop.add_note(f"interrupted while it wrote in {target.path}")
            for line in _cut_short(base, operation, entry, steps, expected.closed):
                stop.add_note(line)
        raise
    kept = tuple(step for step in steps if step.action is Action.KEEP)
    head = _head(target, request.checkpoint)
    return Restored(request.checkpoint, safety, target.path, done, kept, failed, request.role, head)


def _cut_short(
    base: Base,
    operation: int,
    entry: JournalEntry,
    steps: Sequence[PlannedPath],
    closed: Mapping[str, int],
) -> list[str]:
    """Record how far a restore came that is interrupted, as by Ctrl-C, and put in order what it
    left; return that in words. Where the catalog cannot be written, the next opening records it."""
    done: list[str] = []
    with contextlib.suppress(CheckpointError):
        found = base.catalog.restores.of_operation(operation)
        if found is None or found.state is not RestoreState.WRITING:
            return ["it had ended, and was recorded"]
        done, told = settle(base, found, operation, closed)
        ended = replace(
            entry,
            outcome=OperationOutcome.PARTIAL,
            code="interrupted",
            message="; ".join([INTERRUPTED.format(directory=entry.working_dir), *told]),
        )
        base.catalog.operations.finish(operation, ended, now=base.now())
        files = [step.path for step in steps if step.action is not Action.KEEP and step.is_file]
        lines = [f"  {path}" for path in done[:_NAMED]]
        lines += [f"  … and {len(done) - _NAMED} more"] if len(done) > _NAMED else []
        lines += [f"  {words}" for words in told]
        return [f"{len(done)} of {counted(len(files), 'path')} done before that:", *lines]
    return ["how far it came could not be recorded now; the next command does it"]


def _leaves_nothing_to_undo(request: RestoreRequest, steps: Sequence[PlannedPath]) -> bool:
    """Tell whether a restore touches no path and moves no conversation.

    The next undo is not of such a restore: it would take back what was edited since, and leave
    what the person means. Nor is an undo recorded that takes nothing back, since all of it changed
    after the restore.
    """
    if request.role is not RestoreRole.RESTORE:
        kept = [step for step in steps if step.action is Action.KEEP]
        return len(kept) == len(steps) and any(step.is_file for step in kept)
    if any(step.action is not Action.KEEP for step in steps):
        return False
    follows = request.moment is not None and request.moment.follows
    return not follows or any(step.is_file for step in steps)


def _check(base: Base, target: Target, request: RestoreRequest) -> None:
    checkpoint = request.checkpoint
    foreign = is_foreign(checkpoint, target)
    if foreign:  # in its own place, the look says what can be restored there
        require_own_place(target.path, base.layout, foreign=True)
    request.chosen()
    if request.session_id is not None and request.mode is Mode.EXACT:
        raise BadRequest(
            "mode exact is for the work of everyone; choose keep-edits or overlay to take back "
            "that of one session"
        )
    if not foreign:
        return
    if not (request.foreign or checkpoint.is_fetched):
        raise CheckpointForeign(
            f"checkpoint {checkpoint.short_id} belongs to {checkpoint.working_dir}, "
            f"not to {target.path}; to write it elsewhere on purpose, `restore` it with --into"
        )
    _require_one_history(request)


def _require_one_history(request: RestoreRequest) -> None:
    """Refuse to tell changes apart where the checkpoint is none of the history of the directory.

    Raises:
        BadRequest.
    """
    if request.mode is Mode.KEEP_EDITS or request.session_id is not None:
        raise BadRequest(
            "nobody's changes are known between two projects or machines; choose the mode overlay "
            "or exact (`--mode overlay`), and no session"
        )


def _reach(workspace: Workspace, request: RestoreRequest) -> Reach:
    """Return how far a restore goes.

    Raises:
        PathUnknown: when the checkpoint does not hold a chosen path, unless the restore may delete
            it.
        StoreDamaged: when what the checkpoint holds cannot be read.
    """
    checkpoint = request.checkpoint
    then = workspace.base.store.state(checkpoint.id, checkpoint.tree_id, workspace.git)
    if checkpoint.is_fetched:  # the users of another machine, or whom a remote names, are not ours
        then = replace(then, meta=replace(then.meta, owners={}))
    chosen = request.chosen()
    if chosen is not None and request.role is RestoreRole.RESTORE:
        _require_known(workspace, request, chosen, then)
    return reach_of(workspace, request, then)


def _require_known(
    workspace: Workspace, request: RestoreRequest, chosen: Sequence[str], then: TreeState
) -> None:
    checkpoint = request.checkpoint
    if checkpoint.partial:
        for name in chosen:
            require_told(workspace.git, checkpoint, then, name)
    held = entries_at(workspace.git, then.tree_id, chosen)
    folders = at_or_above(then.meta.directories)
    exists = Inspector(workspace.root).exists
    for name in chosen:
        if name in held or name in folders:
            continue
        if request.mode is Mode.OVERLAY or not exists(name):
            there = "; it lies there now, and mode exact deletes it" if exists(name) else ""
            raise PathUnknown(
                f"checkpoint {checkpoint.short_id} holds no path {name!r}; "
                f"paths are taken literally, relative to the project{there}",
                name,
            )


def _state_of(workspace: Workspace, safety: Checkpoint, look: Look) -> TreeState:
    """Return what a safety checkpoint holds: what the look saw, if it is of that state."""
    if safety.state_id == look.staged.state_id:
        return look.state
    return workspace.base.store.state(safety.id, safety.tree_id, workspace.git)


@contextlib.contextmanager
def _staged_anew_next_time(workspace: Workspace) -> Iterator[None]:
    """Forget the index of the project where git fails: it may name trees that git could not write
    and said nothing of (a full disk, 2.39.5), and each further restore would fail on them. What the
    system refuses in the base, such as a scratch folder, is an error of the base."""
    try:
        yield
    except (GitFailed, StoreDamaged):
        forget(workspace.git.own_index)
        raise
    except OSError as error:
        raise base_error(error, workspace.base.layout.base) from error


@contextlib.contextmanager
def _saving() -> Iterator[None]:
    """Let what goes wrong inside be told as the reason why nothing may be written.

    Raises:
        NoSafetyCheckpoint.
    """
    try:
        yield
    except (LockHeld, NoSafetyCheckpoint):
        raise
    except CheckpointError as error:
        raise NoSafetyCheckpoint(
            f"nothing was restored, because the present state could not be saved: {error}"
        ) from error


def _reason(restore: RestoreRequest) -> str:
    """Return why the checkpoint is taken that brings everything back."""
    what = {
        RestoreRole.RESTORE: "pre-rollback snapshot (restoring to",
        RestoreRole.UNDO: "pre-undo checkpoint (going back to",
        RestoreRole.REDO: "pre-redo checkpoint (going back to",
    }[restore.role]
    return f"{what} {restore.checkpoint.short_id})"


def _fitting(
    workspace: Workspace,
    request: RestoreRequest,
    reach: Reach,
    look: Look,
    plan: RestorePlan | None,
) -> tuple[Planned, tuple[FailedPath, ...]]:
    """Return the steps of a plan whose paths are as they were when it was made, or of a new one.
    From a plan that somebody chose from, what has changed since is left out, and returned as well.

    Raises:
        TreeChanged: when something changed that the plan touches; of what was chosen, all of it.
    """
    if plan is None:
        return planned_for(workspace, request, reach, look), ()
    found = found_at(look, plan.steps)
    changed = {path for path, name in found.names.items() if plan.found.get(path) != name}
    if changed and not (plan.to_choose and changed < found.names.keys()):
        raise TreeChanged(
            f"{workspace.target.path} changed after the plan was made; look at a new plan first"
        )
    steps = tuple(step for step in plan.steps if step.path not in changed)
    contents = {path: data for path, data in plan.contents.items() if path not in changed}
    left = [step for step in plan.steps if step.path in changed and step.action is not Action.KEEP]
    failed = tuple(FailedPath(step.path, step.action, _CHANGED) for step in left)
    return Planned(steps, plan.now_state, found.uncaptured - changed, contents), failed


def _with_stored(base: Base, planned: Planned) -> tuple[PlannedPath, ...]:
    """Write contents that no checkpoint has into the store, and name them in their steps. No ref
    leads there: the next take holds them, by what lies at the path then."""
    if not planned.contents:
        return planned.steps
    blobs = {
        path: write_object(base.layout.store, "blob", data, durable=False)
        for path, data in planned.contents.items()
    }
    return tuple(
        replace(step, blob=blobs[step.path])
        if step.action is Action.WRITE and step.path in blobs
        else step
        for step in planned.steps
    )
