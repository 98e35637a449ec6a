"""The words of session checkpoints as frozen values: the state from which a session resumes.

Nothing here does I/O. Times are aware and in UTC; sizes are bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from pathlib import Path
from typing import Any

KEEP_VERSIONS = 5
"""How many former states of a session are kept beside the present one."""

GC_MAX_AGE_DAYS = 7
"""Days after which a session that is not completed is stale, as in the agent's YAML store."""

COMPLETED = "completed"
IN_PROGRESS = "in_progress"
"""The status of a document that names none, as in the agent's YAML store."""


@dataclass(frozen=True)
class SessionSummary:
    """A state of a session without its document, as lists show it.

    ``version`` counts the writes of the session; ``size_bytes`` is the length of the document's
    text in UTF-8. ``status`` and ``task`` are None where the document has no such text.

    >>> written = checkpoints.sessions.write("20261120_ab12", {"task": "port the parser"})
    >>> written.session_id, written.version, written.status, written.task
    ('20261120_ab12', 1, 'in_progress', 'port the parser')
    """

    session_id: str
    version: int
    status: str | None
    created_at: datetime
    updated_at: datetime
    size_bytes: int
    task: str | None


@dataclass(frozen=True)
class StoredSession(SessionSummary):
    """One state of a session as the catalog keeps it: the document is YAML text."""

    document: str

    @property
    def summary(self) -> SessionSummary:
        """It without its document."""
        return SessionSummary(*(getattr(self, field.name) for field in fields(SessionSummary)))


@dataclass(frozen=True)
class SessionCheckpoint(SessionSummary):
    """One state of a session with its document; ``document`` belongs to the caller.

    >>> written = checkpoints.sessions.write("20261120_ab12", {"task": "port the parser"})
    >>> found = checkpoints.sessions.read("20261120_ab12")
    >>> found.document["task"], found.version
    ('port the parser', 1)
    """

    document: dict[Any, Any]


@dataclass(frozen=True)
class SessionListed:
    """A session as ``sessions list`` shows it, with what else is known of it.

    ``checkpoints`` counts its live checkpoints of files, ``turns`` the turns known of it.

    >>> written = checkpoints.sessions.write("20261120_ab12", {"task": "port the parser"})
    >>> taken = project.take(session_id="20261120_ab12")
    >>> [(one.summary.task, one.checkpoints) for one in checkpoints.sessions.list()]
    [('port the parser', 1)]
    """

    summary: SessionSummary
    checkpoints: int
    turns: int


@dataclass(frozen=True)
class GcRule:
    """Which sessions a garbage collection removes; both times are exclusive upper bounds.

    The rule is that of the agent's YAML store: whatever was last written before
    ``stale_before``, and what is completed and was last written before ``completed_before``.
    """

    stale_before: datetime
    completed_before: datetime


@dataclass(frozen=True)
class Collected:
    """What a garbage collection removes, or removed. ``exported`` are the files to which
    unreadable documents were written first, by session id. A plan knows its own rule.

    >>> from datetime import timedelta
    >>> written = checkpoints.sessions.write("20261120_ab12", {"task": "port the parser"})
    >>> later = written.updated_at + timedelta(days=8)
    >>> plan = checkpoints.sessions.plan_gc(now=later)
    >>> [one.session_id for one in checkpoints.sessions.gc(plan=plan).sessions]
    ['20261120_ab12']
    """

    sessions: tuple[SessionSummary, ...]
    unreadable: frozenset[str]
    exported: Mapping[str, Path]
    _rule: GcRule | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True)
class ImportedFile:
    """What became of one file of an import.

    ``reason`` is None for a file that was imported, or that the catalog has already (``kept``).

    >>> Path("old").mkdir()
    >>> _ = Path("old", "20261120_ab12.yaml").write_text("task: port the parser")
    >>> [file] = checkpoints.sessions.import_folder("old")
    >>> file.session_id, file.version, file.kept, file.reason
    ('20261120_ab12', 1, False, None)
    """

    path: Path
    session_id: str
    version: int | None = None
    kept: bool = False
    reason: str | None = None
