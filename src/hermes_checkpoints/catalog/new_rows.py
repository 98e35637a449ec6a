"""What new rows hold that is worked out of what the catalog is told, with or without SQLAlchemy."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hermes_checkpoints.model import Change, CheckpointFacts, FileIdentity, JournalEntry, Owner

TRIM_EVERY = 500
"""The journal is trimmed whenever so many rows were added."""


def operation_of(entry: JournalEntry, finished_at: datetime | None) -> dict[str, Any]:
    """Return the columns of an operation of this process, which has ended where it says when."""
    values: dict[str, Any] = {**vars(entry), "pid": os.getpid()}
    values["workdir"] = values.pop("working_dir")
    if finished_at is not None:
        values["finished_at"] = finished_at
        values["duration_ms"] = milliseconds(entry.started_at, finished_at)
    return values


def owner_of(owner: Owner | None) -> str | None:
    """Return the process of an agent as a turn has it; ``encoding.read_turn`` reads it."""
    return None if owner is None else json.dumps(dataclasses.asdict(owner))


def places_of(identity: FileIdentity | None, parent: FileIdentity | None) -> dict[str, object]:
    """Return the columns of a project with device and inode of its directory and of the one above,
    as far as they are known."""
    found: dict[str, object] = {}
    for prefix, seen in (("", identity), ("parent_", parent)):
        if seen is not None:
            found |= {f"{prefix}device": seen.device, f"{prefix}inode": seen.inode}
    return found


def milliseconds(start: datetime, end: datetime) -> int:
    """Return the milliseconds between two moments, 0 where the clock went back."""
    return max(0, round((end - start).total_seconds() * 1000))


_ELSEWHERE = frozenset(
    {
        *("id", "project_hash", "working_dir", "label", "skipped", "former_id", "former_layout"),
        *("replaces", "machine", "repository", "subdirectory"),
    }
)
"""What a commit tells that its row does not hold, or not under that name."""

_COUNTS = ("file_count", "logical_bytes", "ignored_count")


def facts_values(facts: CheckpointFacts) -> dict[str, object]:
    """Return the columns of a checkpoint that a commit alone tells."""
    counts = {name: max(0, getattr(facts, name)) for name in _COUNTS}  # a commit may say anything
    told = {name: value for name, value in vars(facts).items() if name not in _ELSEWHERE}
    return {**told, **counts, "commit_id": facts.id, "skipped_count": len(facts.skipped)}


def figures_of(changes: Sequence[Change]) -> dict[str, int]:
    """Return the columns of a checkpoint that count its changes."""
    return {
        "files_changed": len(changes),
        "insertions": sum(change.insertions or 0 for change in changes),
        "deletions": sum(change.deletions or 0 for change in changes),
    }


def checkpoint_of(
    project_id: int, facts: CheckpointFacts, changes: Sequence[Change]
) -> dict[str, object]:
    """Return the columns of a new checkpoint that its commit and its changes tell."""
    return {
        **facts_values(facts),
        "project_id": project_id,
        "stored_bytes": sum(change.stored_bytes for change in changes),
        **figures_of(changes),
    }


def held_of(before: int | None, stored: int, superseded: int) -> int:
    """Return the stored size of all contents of a new checkpoint: those of the one ``before`` it,
    with what came, without what was replaced."""
    return max(0, (before or 0) + stored - superseded)
