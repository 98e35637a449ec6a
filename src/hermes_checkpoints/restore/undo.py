"""Takes restores back, and takes that back, to any depth.

Each restore saved the state before it, and recorded what it planned and did. An undo takes back
what it wrote, and keeps what came after: a path that is no longer as the restore left it stays.
``exact`` brings the whole former state back; after a narrow restore, that of the paths that it
touched.
"""

from __future__ import annotations

from hermes_checkpoints.base.opened import Base, Target
from hermes_checkpoints.errors import BadRequest, CheckpointPruned, NothingToUndo, TreeChanged
from hermes_checkpoints.model import (
    Mode,
    Restored,
    RestorePlan,
    RestoreRecord,
    RestoreRole,
    RestoreState,
)
from hermes_checkpoints.model.paths import folders_above
from hermes_checkpoints.restore.request import RestoreRequest
from hermes_checkpoints.restore.run import plan_restore, restore


def undo_request(base: Base, target: Target, *, exact: bool = False) -> RestoreRequest:
    """Return the restore that takes the last one of a project back; ``exact``, with what came
    after it.

    Raises:
        NothingToUndo: when there is none.
        CheckpointPruned: when the state before it is no longer kept.
    """
    found = base.catalog.restores.to_undo(target.hash)
    if found is None:
        raise NothingToUndo(f"no restore of {target.path} is left to undo")
    return _request(base, found, RestoreRole.UNDO, exact)


def redo_request(base: Base, target: Target, *, exact: bool = False) -> RestoreRequest:
    """Return the restore that takes the last undo of a project back; ``exact``, with what came
    after it.

    Raises:
        NothingToUndo: when there is none, or a newer restore came after it.
        CheckpointPruned: when the state before it is no longer kept.
    """
    found = base.catalog.restores.to_redo(target.hash)
    if found is None:
        raise NothingToUndo(f"no undo of {target.path} is left to redo")
    return _request(base, found, RestoreRole.REDO, exact)


def plan(base: Base, target: Target, request: RestoreRequest) -> RestorePlan:
    """Return what an undo or redo would do now; nothing is changed."""
    return plan_restore(base, target, request)


def execute(
    base: Base, target: Target, request: RestoreRequest, plan: RestorePlan | None = None
) -> Restored:
    """Undo or redo; with a ``plan``, that very one.

    Raises:
        BadRequest: when the plan is of something else.
        TreeChanged: when the plan is for another restore, among others.
        CheckpointError: as a restore; nothing was changed then.
    """
    if plan is not None and plan.role is not request.role:
        raise BadRequest(f"this is a plan of {plan.role}; give it to `{plan.role}`")
    paths = None if request.paths is None else tuple(request.paths)
    asked = request.checkpoint.id, paths, request.mode
    if plan is not None and (plan.checkpoint.id, plan.paths, plan.restore_mode) != asked:
        raise TreeChanged("another undo or redo came first; look at a new plan")
    return restore(base, target, request, plan)


def _request(base: Base, found: RestoreRecord, role: RestoreRole, exact: bool) -> RestoreRequest:
    safety = found.safety
    if safety.pruned_at is not None:
        raise CheckpointPruned(
            f"checkpoint {safety.short_id}, the state before the last {found.role}, was pruned on "
            f"{safety.pruned_at:%Y-%m-%d} because {safety.prune_reason or 'it was no longer kept'}"
        )
    whole = exact and found.whole and not safety.partial
    paths = None if whole else base.catalog.restores.paths(found.id)
    if paths is not None and found.state is RestoreState.INTERRUPTED:
        # It may have opened directories that were closed, and not come to close them again.
        paths = list(dict.fromkeys([*paths, *sorted(folders_above(paths))]))
    return RestoreRequest(
        safety,
        paths,
        Mode.EXACT if exact else Mode.KEEP_EDITS,
        exactly=not whole,
        role=role,
        undo_of=found.id,
        undo_state=found.state,
    )
