"""The copies of a catalog that its upgrades leave beside it: their names, and which may go.

The newest complete copy of each revision stays, as the only way back to it. The others are
removed under the catalog's file lock, so that none of them is just being written.
"""

from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from hermes_checkpoints.catalog import sqlite

_MADE_AT = "%Y%m%dT%H%M%S.%fZ"
_NAME = re.compile(
    r"\.backup-(?P<revision>.+)-(?P<made_at>\d{8}T\d{6}\.\d{6}Z)"
    rf"(?P<rest>({re.escape(sqlite.PARTIAL)}(-journal|-wal|-shm)?)?)"
)


@dataclass(frozen=True)
class Backup:
    """A copy of a catalog at a revision; not ``complete`` where its process was killed."""

    path: Path
    revision: str
    made_at: datetime
    complete: bool


def backups(path: Path) -> list[Backup]:
    """Return the backups of the catalog at ``path``, the newest first."""
    found = []
    for file in path.parent.iterdir():
        match = _NAME.fullmatch(file.name.removeprefix(path.name))
        if match is not None and file.name.startswith(path.name):
            try:
                made_at = datetime.strptime(match["made_at"], _MADE_AT).replace(tzinfo=UTC)
            except ValueError:
                continue  # a day that no calendar has: none of ours
            found.append(Backup(file, match["revision"], made_at, complete=not match["rest"]))
    return sorted(found, key=lambda backup: backup.made_at, reverse=True)


def backup_path(path: Path, revision: str) -> Path:
    """Return a new name beside ``path`` for a backup of this revision, with the time in UTC.

    It is later than that of every other backup there, also where the clock was set back, so that
    the newest by name is the newest.
    """
    made_at = datetime.now(UTC)
    for newest in backups(path)[:1]:
        made_at = max(made_at, newest.made_at + timedelta(microseconds=1))
    return path.with_name(f"{path.name}.backup-{revision}-{made_at.strftime(_MADE_AT)}")


def sweep(path: Path) -> None:
    """Remove what killed upgrades left: incomplete backups, and complete ones of a revision of
    which there is a newer one. What cannot be removed stays.

    The caller holds the file lock of the catalog.
    """
    kept: set[str] = set()
    for backup in backups(path):
        if backup.complete and backup.revision not in kept:
            kept.add(backup.revision)
            continue
        with contextlib.suppress(OSError):
            backup.path.unlink()
