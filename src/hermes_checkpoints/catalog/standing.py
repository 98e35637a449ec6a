"""Tells in one statement what whoever keeps a catalog open must know before each use of it.

Another process may have upgraded the catalog meanwhile, added to its tables, or been killed in the
middle of something that the next opening is to end.
"""

from __future__ import annotations

from hermes_checkpoints.catalog import sqlite
from hermes_checkpoints.catalog.engine import Records, driver_of
from hermes_checkpoints.catalog.failures import damaged, translated
from hermes_checkpoints.catalog.form import Form, Left, form_of, left_in
from hermes_checkpoints.catalog.opening import is_current
from hermes_checkpoints.catalog.upgrading import Scripts


class Standing(Records):
    """What is asked before each use of a catalog that was opened before."""

    def form(self) -> Form:
        """Return the form of the tables, as they are now."""
        with translated(self._transactions.path), self._transactions.bare() as driver:
            return form_of(driver)

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
            return form_of(driver)

    def left(self) -> Left:
        """Return what is listed as unfinished."""
        with translated(self._transactions.path), self._transactions.bare() as driver:
            return left_in(driver)
