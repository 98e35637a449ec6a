"""Restores, planned and done, as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from hermes_checkpoints.cli.json.checkpoints import of_checkpoint, of_head, of_left_out
from hermes_checkpoints.cli.json.values import exact, octal, words

if TYPE_CHECKING:
    from hermes_checkpoints.cli.json.shapes import restores as shapes
    from hermes_checkpoints.model import (
        FailedPath,
        FileParts,
        Part,
        PlannedPath,
        Restored,
        RestorePlan,
        SkipReason,
    )


def of_restore_plan(
    plan: RestorePlan,
    left_out: Mapping[SkipReason, int],
    choices: Iterable[tuple[PlannedPath, FileParts | None]] | None = None,
) -> shapes.RestorePlan:
    """Return what a restore would do, and how many paths the checkpoint lacks, by reason; of a plan
    that is to choose from, the ``choices``: each step that is asked about, with its parts."""
    return {
        "dry_run": True,
        "role": plan.role,
        "checkpoint": of_checkpoint(plan.checkpoint),
        **exact("working_dir", plan.working_dir),
        "mode": plan.restore_mode,
        "replaced": plan.replaced,
        **_of_head(plan),
        "missing": plan.missing,
        "session_id": words(plan.session_id),
        "paths": None if plan.paths is None else [exact("path", path) for path in plan.paths],
        "steps": _of_steps(plan.steps),
        "conflicts": [
            {**exact("path", path), "places": conflict.places}
            for path, conflict in plan.conflicts.items()
        ],
        "choices": None if choices is None else [_of_choice(*choice) for choice in choices],
        "left_out": of_left_out(left_out),
    }


def of_restored(restored: Restored, left_out: Mapping[SkipReason, int]) -> shapes.Restore:
    """Return what a restore did; ``safety`` is the checkpoint of the state before it."""
    return {
        "dry_run": False,
        "role": restored.role,
        "checkpoint": of_checkpoint(restored.checkpoint),
        "safety": of_checkpoint(restored.safety),
        **exact("working_dir", restored.working_dir),
        **_of_head(restored),
        "complete": restored.complete,
        "done": _of_steps(restored.done),
        "kept": _of_steps(restored.kept),
        "failed": [_of_failed(path) for path in restored.failed],
        "left_out": of_left_out(left_out),
    }


def of_nothing_restored(plan: RestorePlan, left_out: Mapping[SkipReason, int]) -> shapes.Restore:
    """Return a restore that had nothing to do and therefore took no safety checkpoint. Where files
    differ and all are kept, it is not complete."""
    return {
        "dry_run": False,
        "role": plan.role,
        "checkpoint": of_checkpoint(plan.checkpoint),
        "safety": None,
        **exact("working_dir", plan.working_dir),
        **_of_head(plan),
        "complete": not plan.keeps_all,
        "done": [],
        "kept": _of_steps(plan.steps),
        "failed": [],
        "left_out": of_left_out(left_out),
    }


def _of_head(restore: RestorePlan | Restored) -> shapes.MovedHead:
    """Return where the repository stands now, and whether that is another place than at the
    checkpoint."""
    moved = restore.checkpoint.stood_at.moved_to(restore.head)
    return {**of_head(restore.head), "head_moved": moved}


def _of_steps(steps: Iterable[PlannedPath]) -> list[shapes.Step]:
    return [
        {
            **exact("path", step.path),
            "action": step.action,
            "reason": step.reason,
            "mode": octal(step.mode),
            "bytes": step.bytes,
            "insertions": step.insertions,
            "deletions": step.deletions,
        }
        for step in steps
    ]


def _of_choice(step: PlannedPath, parts: FileParts | None) -> shapes.Choice:
    return {
        **exact("path", step.path),
        "action": step.action,
        "reason": step.reason,
        "parts": None if parts is None else [_of_part(parts, part) for part in parts.parts],
    }


def _of_part(parts: FileParts, part: Part) -> shapes.Part:
    agents, others = part in parts.agents, part in parts.others
    return {
        "line_now": part.now + 1,
        "lines_gone": part.gone,
        "line_then": part.then + 1,
        "lines_back": part.back,
        "whose": "agent" if agents else "others" if others else None,
    }


def _of_failed(path: FailedPath) -> shapes.Failed:
    return {**exact("path", path.path), "action": path.action, "error": words(path.error)}
