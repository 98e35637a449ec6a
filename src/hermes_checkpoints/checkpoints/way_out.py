"""Finds what to ask for where a restore kept all that differs, so that it comes back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hermes_checkpoints.checkpoints.project import Project
from hermes_checkpoints.model import Action, Checkpoint, Mode
from hermes_checkpoints.model.paths import within


@dataclass(frozen=True)
class Asked:
    """How a restore is limited: by its mode, to the work of a session, and to the project without
    those inside it."""

    mode: Mode
    session_id: str | None = None
    nested: bool = False


def way_out(
    project: Project,
    checkpoint: Checkpoint,
    kept: Sequence[str],
    asked: Asked,
    paths: Sequence[str] | None = None,
) -> Asked | None:
    """Return the least that is wider than what was asked for and restores or deletes something of
    what was kept; None where nothing would. Each is tried as a plan; nothing is changed.

    Raises:
        CheckpointError: as for ``Project.restore``.
    """
    names = frozenset(kept)
    for wider in _wider(asked):
        plan = project.plan_restore(
            checkpoint,
            paths,
            mode=wider.mode,
            session_id=wider.session_id,
            nested=wider.nested,
        )
        steps = (step for step in plan.steps if step.action is not Action.KEEP)
        if any(within(step.path, names) for step in steps):
            return wider
    return None


def _wider(asked: Asked) -> list[Asked]:
    mode, session, nested = asked.mode, asked.session_id, asked.nested
    overlay = Mode.OVERLAY if mode is Mode.KEEP_EDITS else mode
    found = [
        Asked(overlay, session, nested),
        Asked(mode, None, nested),
        Asked(mode, session, True),
        Asked(overlay, None, nested),
        Asked(overlay, None, True),
        Asked(Mode.EXACT),
    ]
    return [one for one in dict.fromkeys(found) if one != asked]
