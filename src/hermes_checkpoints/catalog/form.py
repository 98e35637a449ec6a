"""What whoever keeps a catalog open must know before each use of it, asked of the driver.

The statements are sent as they stand here, since they are asked before each call of a host.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from hermes_checkpoints.catalog.keys import REFS_SIGN

_FORM = (
    "SELECT schema_version, (SELECT version_num FROM alembic_version) FROM pragma_schema_version"
)
_LEFT = (
    "SELECT EXISTS (SELECT 1 FROM operations WHERE outcome = 'running'),"
    " EXISTS (SELECT 1 FROM checkpoints WHERE state = 'pruning'),"
    " EXISTS (SELECT 1 FROM legacy_archives WHERE state IN ('found', 'imported')"
    " AND path NOT LIKE '/%'),"  # what lies elsewhere is imported when somebody asks for it
    " (SELECT value FROM settings WHERE name = ?)"
)


@dataclass(frozen=True)
class Form:
    """The tables that a catalog has: a number that each change of them makes another one, and the
    revision that it names."""

    version: int
    revision: str | None


@dataclass(frozen=True)
class Left:
    """What a catalog lists as unfinished, by whatever process: an operation that runs or was
    killed, checkpoints that are marked to be deleted, history of earlier versions that is not
    imported yet. ``refs_sign`` is the sign of the refs as they were when rows and refs agreed."""

    running: bool
    pruning: bool
    importing: bool
    refs_sign: str | None

    @property
    def anything(self) -> bool:
        """Tell whether there is something to be finished."""
        return self.running or self.pruning or self.importing


def form_of(driver: sqlite3.Connection) -> Form:
    """Return the form of the tables, as they are now."""
    version, revision = driver.execute(_FORM).fetchone()
    return Form(int(version), None if revision is None else str(revision))


def left_in(driver: sqlite3.Connection) -> Left:
    """Return what is listed as unfinished."""
    running, pruning, importing, sign = driver.execute(_LEFT, (REFS_SIGN,)).fetchone()
    return Left(bool(running), bool(pruning), bool(importing), sign)
