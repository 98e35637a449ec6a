"""The operations journal: every take, restore, prune and migration, and how it ended."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any


class OperationKind(enum.StrEnum):
    """What the operations journal records."""

    TAKE = "take"
    RESTORE = "restore"
    PRUNE = "prune"
    GC = "gc"
    MIGRATION = "migration"
    REBUILD = "rebuild"


class OperationOutcome(enum.StrEnum):
    """How an operation ended; ``running`` is one that has not ended, or was killed."""

    RUNNING = "running"
    DONE = "done"
    UNCHANGED = "unchanged"
    SKIPPED = "skipped"
    PARTIAL = "partial"
    FAILED = "failed"


@dataclass(frozen=True)
class Operation:
    """One line of the operations journal. ``code`` and ``message`` tell why it ended so."""

    id: int
    kind: OperationKind
    outcome: OperationOutcome
    working_dir: str | None
    project_hash: str | None
    checkpoint_id: int | None
    session_id: str | None
    turn: int | None
    started_at: datetime
    finished_at: datetime | None
    duration_ms: int | None
    code: str | None
    message: str | None
    detail: Mapping[str, Any]
