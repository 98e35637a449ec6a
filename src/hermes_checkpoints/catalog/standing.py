"""Tells in one statement what whoever keeps a catalog open must know before each use of it.

Another process may have upgraded the catalog meanwhile, added to its tables, or been killed in the
middle of something that the next opening is to end. The statements are sent to the driver as they
stand here, since they are asked before each call of a host.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from hermes_checkpoints.catalog import sqlite
from hermes_checkpoints.catalog.engine import Records, driver_of
from hermes_checkpoints.catalog.failures import damaged, translated
from hermes_checkpoints.catalog.keys import REFS_SIGN
from hermes_checkpoints.catalog.opening import is_current
from hermes_checkpoints.catalog.upgrading import Scripts

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


class Standing(Records):
    """What is asked before each use of a catalog that was opened before."""

    def form(self) -> Form:
        """Return the form of the tables, as they are now."""
        with translated(self._transactions.path), self._transactions.bare() as driver:
            return _form(driver)

    def proven_form(self) -> Form:
        """Return the form of tables that this program works with.

        Raises:
            CatalogNewer, CatalogDamaged: when they are others, as an opening says it.
        """
        path = self._transactions.path
        with self._transactions.reading() as connection:
            connection.exec_driver_sql("SELECT 1")  # one state of the file from here on
            driver = driver_of(connection)
            if not is_current(sqlite.inspect(driver), path, Scripts()):
                raise damaged(path, "its tables are those of an older revision")
            return _form(driver)

    def left(self) -> Left:
        """Return what is listed as unfinished."""
        with translated(self._transactions.path), self._transactions.bare() as driver:
            row = driver.execute(_LEFT, (REFS_SIGN,)).fetchone()
            running, pruning, importing, sign = row
            return Left(bool(running), bool(pruning), bool(importing), sign)


def _form(driver: sqlite3.Connection) -> Form:
    version, revision = driver.execute(_FORM).fetchone()
    return Form(int(version), None if revision is None else str(revision))
