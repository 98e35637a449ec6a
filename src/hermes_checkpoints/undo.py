"""Takes restores back, and takes that back, to any depth.

Each restore saved the state before it. An undo of a restore of the whole directory brings that
very state back; one of a narrow restore touches only the paths that the restore touched.
"""

from __future__ import annotations

import contextlib
from pathlib import Path

from hermes_checkpoints.base import Base, Target
from hermes_checkpoints.errors import NothingToUndo
from hermes_checkpoints.model import Mode, Restored, RestorePlan, RestoreRecord, RestoreRole
from hermes_checkpoints.restore import RestoreRequest, plan_restore, restore
from hermes_checkpoints.writer import TEMPORARY_PREFIX


def undo_request(base: Base, target: Target) -> RestoreRequest:
    """Return the restore that takes the last one of a project back.

    Raises:
        NothingToUndo: when there is none.
    """
    found = base.catalog.restores.to_undo(target.hash)
    if found is None:
        raise NothingToUndo(f"no restore of {target.path} is left to undo")
    return _request(base, found, RestoreRole.UNDO)


def redo_request(base: Base, target: Target) -> RestoreRequest:
    """Return the restore that takes the last undo of a project back.

    Raises:
        NothingToUndo: when there is none, or a newer restore came after it.
    """
    found = base.catalog.restores.to_redo(target.hash)
    if found is None:
        raise NothingToUndo(f"no undo of {target.path} is left to redo")
    return _request(base, found, RestoreRole.REDO)


def plan(base: Base, target: Target, request: RestoreRequest) -> RestorePlan:
    """Return what an undo or redo would do now; nothing is changed."""
    return plan_restore(base, target, request)


def execute(
    base: Base, target: Target, request: RestoreRequest, plan: RestorePlan | None = None
) -> Restored:
    """Undo or redo; what a killed restore left behind is cleared away first.

    Raises:
        CheckpointError: as a restore; nothing was changed then.
    """
    if request.undo_of is not None:
        _sweep(target.path, base.catalog.restores.paths(request.undo_of))
    return restore(base, target, request, plan)


def _request(base: Base, found: RestoreRecord, role: RestoreRole) -> RestoreRequest:
    paths = None if found.whole else base.catalog.restores.paths(found.id)
    return RestoreRequest(
        found.safety,
        paths,
        Mode.EXACT,
        exactly=True,
        role=role,
        undo_of=found.id,
    )


def _sweep(root: Path, paths: list[str]) -> None:
    """Delete the half-written files of a killed restore, beside the paths that it was to write."""
    for folder in {(root / path).parent for path in paths}:
        with contextlib.suppress(OSError):
            if folder.resolve() != folder or not folder.is_relative_to(root):
                continue  # a link leads elsewhere
            for left in folder.glob(f"{TEMPORARY_PREFIX}*"):
                left.unlink()
