"""Restores, planned and done, as JSON."""

from __future__ import annotations

from collections.abc import Iterable

from hermes_checkpoints.cli.json.checkpoints import of_checkpoint
from hermes_checkpoints.cli.json.values import Document, exact, octal, words
from hermes_checkpoints.model import FailedPath, PlannedPath, Restored, RestorePlan


def of_restore_plan(plan: RestorePlan) -> Document:
    """Return what a restore would do."""
    return {
        "dry_run": True,
        "checkpoint": of_checkpoint(plan.checkpoint),
        **exact("working_dir", plan.working_dir),
        "mode": str(plan.restore_mode),
        "replaced": plan.replaced,
        "missing": plan.missing,
        "session_id": words(plan.session_id),
        "paths": None if plan.paths is None else [exact("path", path) for path in plan.paths],
        "steps": _of_steps(plan.steps),
    }


def of_restored(restored: Restored) -> Document:
    """Return what a restore did; ``safety`` is the checkpoint of the state before it."""
    return {
        "dry_run": False,
        "role": str(restored.role),
        "checkpoint": of_checkpoint(restored.checkpoint),
        "safety": of_checkpoint(restored.safety),
        **exact("working_dir", restored.working_dir),
        "complete": restored.complete,
        "done": _of_steps(restored.done),
        "kept": _of_steps(restored.kept),
        "failed": [_of_failed(path) for path in restored.failed],
    }


def of_nothing_restored(plan: RestorePlan) -> Document:
    """Return a restore that had nothing to do and therefore took no safety checkpoint. Where files
    differ and all are kept, it is not complete."""
    return {
        "dry_run": False,
        "checkpoint": of_checkpoint(plan.checkpoint),
        "safety": None,
        **exact("working_dir", plan.working_dir),
        "complete": not plan.keeps_all,
        "done": [],
        "kept": _of_steps(plan.steps),
        "failed": [],
    }


def _of_steps(steps: Iterable[PlannedPath]) -> list[Document]:
    return [
        {
            **exact("path", step.path),
            "action": str(step.action),
            "reason": step.reason,
            "mode": octal(step.mode),
            "bytes": step.bytes,
            "insertions": step.insertions,
            "deletions": step.deletions,
        }
        for step in steps
    ]


def _of_failed(path: FailedPath) -> Document:
    return {**exact("path", path.path), "action": str(path.action), "error": words(path.error)}
