"""The operations journal: every take, restore, prune and migration, and how it ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from datetime import datetime
from typing import Any

from hermes_checkpoints.model.kinds import OperationKind, OperationOutcome


@dataclass(frozen=True)
class JournalEntry:
    """What the journal is told of one operation, when it begins, ends, or both at once.

    ``started_at`` is in UTC. ``working_dir`` is left out where the project tells it.
    ``project_id`` and ``checkpoint_id`` are row numbers of the catalog; ``code`` is stable,
    ``message`` for people; ``detail`` is kept as JSON. While the operation runs, ``outcome``
    stays ``running``; say how it ended with ``replace``:

    >>> from dataclasses import replace
    >>> from datetime import UTC, datetime
    >>> begun = JournalEntry(OperationKind.GC, datetime(2026, 1, 31, tzinfo=UTC), "/base")
    >>> ended = replace(begun, outcome=OperationOutcome.FAILED, code="git-failed")
    >>> ended.kind, ended.outcome
    (<OperationKind.GC: 'gc'>, <OperationOutcome.FAILED: 'failed'>)
    """

    kind: OperationKind
    started_at: datetime
    working_dir: str | None = None
    _: KW_ONLY
    session_id: str | None = None
    turn: int | None = None
    project_id: int | None = None
    checkpoint_id: int | None = None
    outcome: OperationOutcome = OperationOutcome.RUNNING
    code: str | None = None
    message: str | None = None
    detail: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Operation:
    """An operation that began and has not ended: it runs, or was killed."""

    id: int
    kind: OperationKind
    working_dir: str | None
    started_at: datetime
    detail: Mapping[str, Any]
