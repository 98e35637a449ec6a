"""The shapes of ``--json``: what scripts may rely on.

Times are RFC 3339 in UTC, sizes are integer bytes. A path is the exact string where its bytes
are valid UTF-8; otherwise U+FFFD stands for what is not, and a second member with the suffix
``_base64`` holds the exact bytes.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from hermes_checkpoints.model import (
    Change,
    Checkpoint,
    Diff,
    FailedPath,
    PathEvent,
    PlannedPath,
    ProjectStatus,
    Restored,
    RestorePlan,
    SkippedPath,
    StoreStatus,
)

Document = dict[str, Any]


def instant(moment: datetime | None) -> str | None:
    """Return a time as ``2026-11-28T10:00:00.123456Z``."""
    if moment is None:
        return None
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def exact(name: str, value: str | os.PathLike[str]) -> Document:
    """Return the member ``name``, and ``name_base64`` where a JSON string cannot be exact."""
    raw = os.fspath(value).encode("utf-8", "surrogateescape")
    text = raw.decode("utf-8", "replace")
    if "\ufffd" in text and text.encode() != raw:
        return {name: text, f"{name}_base64": base64.b64encode(raw).decode("ascii")}
    return {name: text}


def _readable(value: str | None) -> str | None:
    """Return words of a person or an agent as valid Unicode."""
    return None if value is None else value.encode("utf-8", "replace").decode("utf-8")


def of_checkpoint(checkpoint: Checkpoint, number: int | None = None) -> Document:
    """A checkpoint. ``number`` is its place in the list of its project, 1 the newest."""
    return {
        **({} if number is None else {"number": number}),
        "id": checkpoint.id,
        "short_id": checkpoint.short_id,
        **exact("working_dir", checkpoint.working_dir),
        "kind": str(checkpoint.kind),
        "reason": _readable(checkpoint.reason),
        "label": _readable(checkpoint.label),
        "created_at": instant(checkpoint.created_at),
        "session_id": _readable(checkpoint.session_id),
        "turn": checkpoint.turn,
        "pinned": checkpoint.pinned,
        "complete": checkpoint.complete,
        "file_count": checkpoint.file_count,
        "bytes": checkpoint.logical_bytes,
        "added_bytes": checkpoint.added_bytes,
        "files_changed": checkpoint.files_changed,
        "insertions": checkpoint.insertions,
        "deletions": checkpoint.deletions,
        "skipped_count": checkpoint.skipped_count,
        "ignored_count": checkpoint.ignored_count,
    }


def of_changes(changes: Iterable[Change]) -> list[Document]:
    """Changed paths; modes are git's six octal digits."""
    return [
        {
            **exact("path", change.path),
            "status": str(change.status),
            "old_mode": _mode(change.old_mode),
            "new_mode": _mode(change.new_mode),
            "old_bytes": change.old_bytes,
            "new_bytes": change.new_bytes,
            "insertions": change.insertions,
            "deletions": change.deletions,
        }
        for change in changes
    ]


def of_skipped(skipped: Iterable[SkippedPath]) -> list[Document]:
    """Paths that a checkpoint does not hold."""
    return [
        {**exact("path", path.path), "reason": str(path.reason), "bytes": path.bytes}
        for path in skipped
    ]


def of_diff(diff: Diff, *, text: bool) -> Document:
    """A comparison; ``text`` says whether git's patch is part of it."""
    return {
        "checkpoint": of_checkpoint(diff.checkpoint),
        "against": None if diff.against is None else of_checkpoint(diff.against),
        "changes": of_changes(diff.changes),
        "skipped": of_skipped(diff.skipped),
        **exact("stat", diff.stat),
        **(exact("text", diff.text) if text else {}),
    }


def of_plan(plan: RestorePlan) -> Document:
    """What a restore would do."""
    return {
        "dry_run": True,
        "checkpoint": of_checkpoint(plan.checkpoint),
        **exact("working_dir", plan.working_dir),
        "mode": str(plan.restore_mode),
        "session_id": _readable(plan.session_id),
        "paths": None if plan.paths is None else [exact("path", path) for path in plan.paths],
        "steps": _of_steps(plan.steps),
    }


def of_restored(restored: Restored) -> Document:
    """What a restore did; ``safety`` is the checkpoint of the state before it."""
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


def of_nothing(plan: RestorePlan) -> Document:
    """A restore that had nothing to do and therefore took no safety checkpoint."""
    return {
        "dry_run": False,
        "checkpoint": of_checkpoint(plan.checkpoint),
        "safety": None,
        **exact("working_dir", plan.working_dir),
        "complete": True,
        "done": [],
        "kept": _of_steps(plan.steps),
        "failed": [],
    }


def of_events(path: str, events: Iterable[PathEvent]) -> Document:
    """What happened to a path; ``tool`` is null where no tool reported the write."""
    return {
        **exact("path", path),
        "events": [
            {
                "at": instant(event.at),
                "actor": str(event.actor),
                "tool": _readable(event.tool),
                "status": str(event.status),
                "session_id": _readable(event.session_id),
                "turn": event.turn,
                "overlaps": _readable(event.overlaps),
                "blob": event.blob,
                "mode": _mode(event.mode),
            }
            for event in events
        ],
    }


def of_status(status: StoreStatus) -> Document:
    """The store as a whole, and its listed projects."""
    return {
        **exact("base", status.base),
        "total_bytes": status.total_bytes,
        "store_bytes": status.store_bytes,
        "legacy_bytes": status.legacy_bytes,
        "measured_at": instant(status.measured_at),
        "journal_mode": status.journal_mode,
        "project_count": status.project_count,
        "checkpoint_count": status.checkpoint_count,
        "last_success_at": instant(status.last_success_at),
        "interrupted": status.interrupted,
        "notes": list(status.notes),
        "failures": [
            {
                **exact("working_dir", failure.working_dir),
                "count": failure.count,
                "since": instant(failure.since),
                "last_error": _readable(failure.last_error),
            }
            for failure in status.failures
        ],
        "projects": [_of_project(project) for project in status.projects],
        "legacy_archives": [
            {
                **exact("name", archive.name),
                "bytes": archive.size_bytes,
                "modified_at": instant(datetime.fromtimestamp(archive.mtime, UTC)),
                "imported_checkpoints": archive.checkpoints,
                "not_imported": [_readable(text) for text in archive.not_imported],
            }
            for archive in status.archives
        ],
    }


def _of_project(status: ProjectStatus) -> Document:
    return {
        "hash": status.project.hash,
        **exact("working_dir", status.project.working_dir),
        "state": str(status.project.state),
        "checkpoints": status.checkpoints,
        "added_bytes": status.added_bytes,
        "created_at": instant(status.project.created_at),
        "last_touch": instant(status.project.last_touch),
        "last_checkpoint_at": instant(status.last_checkpoint_at),
    }


def _of_steps(steps: Iterable[PlannedPath]) -> list[Document]:
    return [
        {
            **exact("path", step.path),
            "action": str(step.action),
            "reason": step.reason,
            "mode": _mode(step.mode),
            "bytes": step.bytes,
            "insertions": step.insertions,
            "deletions": step.deletions,
        }
        for step in steps
    ]


def _of_failed(path: FailedPath) -> Document:
    return {**exact("path", path.path), "action": str(path.action), "error": _readable(path.error)}


def _mode(mode: int | None) -> str | None:
    return None if mode is None else f"{mode:06o}"
