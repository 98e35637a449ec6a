"""The catalog as its users hold it: one object, with one attribute for each kind of record."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Self

from hermes_checkpoints.catalog import sqlite
from hermes_checkpoints.catalog.archives import Archives
from hermes_checkpoints.catalog.arriving import Arriving
from hermes_checkpoints.catalog.checkpoints import Checkpoints
from hermes_checkpoints.catalog.engine import Transactions
from hermes_checkpoints.catalog.failures import translated
from hermes_checkpoints.catalog.opening import Collect, prepare
from hermes_checkpoints.catalog.operations import Operations
from hermes_checkpoints.catalog.plans import Plans
from hermes_checkpoints.catalog.projects import Projects
from hermes_checkpoints.catalog.restores import Restores
from hermes_checkpoints.catalog.retention import Retention
from hermes_checkpoints.catalog.sessions import Sessions
from hermes_checkpoints.catalog.settings import Settings
from hermes_checkpoints.catalog.status import Status
from hermes_checkpoints.catalog.turns import Turns
from hermes_checkpoints.catalog.upgrading import Scripts
from hermes_checkpoints.catalog.usage import Usage


class Catalog:
    """An open catalog. Safe to share between threads, and to use in a forked child.

    Every method of every attribute may raise ``CatalogBusy``, ``CatalogDamaged``,
    ``BaseUnwritable`` and ``NoSpace``.
    """

    def __init__(self, transactions: Transactions) -> None:
        self.path = transactions.path
        self._transactions = transactions
        self.projects = Projects(transactions)
        self.checkpoints = Checkpoints(transactions)
        self.operations = Operations(transactions)
        self.sessions = Sessions(transactions)
        self.status = Status(transactions)
        self.settings = Settings(transactions)
        self.turns = Turns(transactions)
        self.restores = Restores(transactions)
        self.retention = Retention(transactions)
        self.plans = Plans(transactions)
        self.usage = Usage(transactions)
        self.archives = Archives(transactions)
        self.arriving = Arriving(transactions)

    @classmethod
    def open(
        cls,
        path: Path,
        lock: Path,
        *,
        busy_timeout: float = sqlite.BUSY_TIMEOUT,
        scripts: Scripts | None = None,
        collect: Collect | None = None,
    ) -> Catalog:
        """Open the catalog at ``path``; create or upgrade it first, under the file lock ``lock``.

        ``busy_timeout`` is in seconds; ``scripts`` defaults to the revisions of this package.
        ``collect`` reads, before an upgrade, what earlier versions left beside the catalog.

        Raises:
            CatalogNewer: when a newer version of this package wrote it.
            CatalogDamaged: when it is no catalog, or lacks a table; the file is left as it is.
            CatalogBusy, LockHeld: when another process keeps it locked for too long.
            BaseUnwritable, NoSpace: when it cannot be written.
            SqliteTooOld: when the SQLite library of this Python is too old.
        """
        prepare(
            path, lock, scripts=scripts or Scripts(), busy_timeout=busy_timeout, collect=collect
        )
        return cls(Transactions(path, busy_timeout=busy_timeout))

    @property
    def journal_mode(self) -> str:
        """``wal``, or the rollback mode (``delete``) that is in force instead."""
        with translated(self.path), closing(sqlite.connect(self.path)) as connection:
            return sqlite.journal_mode(connection)

    def close(self) -> None:
        """Close the connections of this process; the catalog cannot be used afterwards."""
        self._transactions.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
