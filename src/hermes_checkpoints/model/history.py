"""The words of earlier storage layouts: what was found of them, and how far its import came.

Needed by whoever has a base that version 1 or 2 of the checkpoint manager wrote. Nothing here
does I/O.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TypedDict

from hermes_checkpoints.model.kinds import LegacyLayout, LegacyState


@dataclass(frozen=True)
class FoundLegacy:
    """Something of an earlier layout that lies on the disk. ``path`` is absolute."""

    path: Path
    layout: LegacyLayout
    project_hash: str | None = None
    working_dir: str | None = None


class FormerEntry(TypedDict):
    """A commit of an earlier version, in plain values: ``created_at`` is ISO 8601 in UTC, with
    microseconds that keep the order of commits of one second."""

    former_id: str
    tree_id: str
    message: str
    created_at: str
    utc_offset_minutes: int


class FormerDocument(TypedDict):
    """What one history of an earlier version holds, in plain values, for a revision of the catalog.

    ``path`` is that of the repository or store as ``legacy_archives`` has it, ``name`` that of
    the history in it. ``project_hash`` and ``working_dir`` are None where nothing says of which
    directory it is. ``commits`` come parents first; ``problems`` say what cannot be read, and why.
    """

    path: str
    layout: str
    name: str
    project_hash: str | None
    working_dir: str | None
    commits: list[FormerEntry]
    problems: list[str]


@dataclass(frozen=True)
class LegacyRecord:
    """Something of an earlier layout as the catalog has it.

    ``path`` is relative to the base for what lies in it, and absolute for what does not.
    ``size_bytes`` is the space that only it takes, ``imported_checkpoints`` how many of its
    commits are checkpoints, and ``error`` says what was not imported or moved, and why.

    >>> Path("old").mkdir()
    >>> _ = Path("old", "20261120_ab12.yaml").write_text("task: port the parser")
    >>> [record] = checkpoints.import_legacy("old").records
    >>> record.name, record.state.value, record.whole
    ('20261120_ab12.yaml', 'imported', True)
    """

    id: int
    name: str
    path: str
    layout: LegacyLayout
    project_hash: str | None
    working_dir: str | None
    state: LegacyState
    size_bytes: int
    imported_checkpoints: int
    error: str | None
    imported_at: datetime | None
    archived_at: datetime | None

    @property
    def whole(self) -> bool:
        """Whether all of it was imported, so that the original may go."""
        return self.imported_at is not None and self.error is None


@dataclass(frozen=True)
class KnownFormer:
    """A checkpoint that was imported: the tree and reason that a copy of it would have."""

    former_id: str
    checkpoint_id: int
    tree_id: str
    reason: str
