"""What new rows hold that is worked out of what the catalog is told, with or without SQLAlchemy."""

from __future__ import annotations

import dataclasses
import json
import os
from datetime import datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hermes_checkpoints.model import FileIdentity, JournalEntry, Owner

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
