"""What an import of earlier layouts did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hermes_checkpoints.model.history import LegacyRecord


@dataclass(frozen=True)
class LegacyImport:
    """What an import did: ``records`` are those that it worked on, as they then are.

    ``checkpoints`` counts those that are new here, ``sessions`` the files of sessions that are
    in the catalog now, and ``shared`` the checkpoints of another base of this version that are
    here now.

    >>> Path("old").mkdir()
    >>> _ = Path("old", "20261120_ab12.yaml").write_text("task: port the parser")
    >>> done = checkpoints.import_legacy("old")
    >>> done.sessions, done.checkpoints, done.errors
    (1, 0, ())
    """

    records: tuple[LegacyRecord, ...] = ()
    checkpoints: int = 0
    sessions: int = 0
    shared: int = 0
    errors: tuple[str, ...] = ()
