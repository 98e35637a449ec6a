"""The catalog as its users hold it: one object, with one attribute for each kind of record."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Self, TypeVar

from hermes_checkpoints.catalog import sqlite
from hermes_checkpoints.catalog.engine import Transactions
from hermes_checkpoints.catalog.failures import translated
from hermes_checkpoints.catalog.founding import Collect
from hermes_checkpoints.catalog.opening import prepare
from hermes_checkpoints.catalog.reading import find_readable
from hermes_checkpoints.catalog.upgrading import Scripts
from hermes_checkpoints.fs import forks

if TYPE_CHECKING:
    from hermes_checkpoints.catalog.agreement import Agreement
    from hermes_checkpoints.catalog.archives import Archives
    from hermes_checkpoints.catalog.arriving import Arriving
    from hermes_checkpoints.catalog.checkpoints import Checkpoints
    from hermes_checkpoints.catalog.elsewhere import Elsewhere
    from hermes_checkpoints.catalog.events import Events
    from hermes_checkpoints.catalog.fetched import Fetched
    from hermes_checkpoints.catalog.forgetting import Forgetting
    from hermes_checkpoints.catalog.holdings import Holdings
    from hermes_checkpoints.catalog.hooks import Hooks
    from hermes_checkpoints.catalog.labels import Labels
    from hermes_checkpoints.catalog.operations import Operations
    from hermes_checkpoints.catalog.plans import Plans
    from hermes_checkpoints.catalog.projects import Projects
    from hermes_checkpoints.catalog.remotes import Remotes
    from hermes_checkpoints.catalog.removals import Removals
    from hermes_checkpoints.catalog.restores import Restores
    from hermes_checkpoints.catalog.retention import Retention
    from hermes_checkpoints.catalog.sessions import Sessions
    from hermes_checkpoints.catalog.settings import Settings
    from hermes_checkpoints.catalog.shrinking import Shrinking
    from hermes_checkpoints.catalog.standing import Standing
    from hermes_checkpoints.catalog.status import Status
    from hermes_checkpoints.catalog.times import Times
    from hermes_checkpoints.catalog.turns import Turns
    from hermes_checkpoints.catalog.usage import Usage

WRITTEN_ANEW = "catalog_written_anew"
"""The setting with the size in bytes that the catalog had when it was last written anew."""

Done = TypeVar("Done")

_GROWN = 1.02
_SMALL = 2 * 1024 * 1024


class Catalog:
    """An open catalog. Safe to share between threads, and to use in a forked child.

    Every method of every attribute may raise ``CatalogBusy``, ``CatalogDamaged``,
    ``BaseUnwritable`` and ``NoSpace``. Each is loaded with the module of its name when it is first
    used: making the statements of all takes longer than most processes ask.
    """

    projects: Projects
    checkpoints: Checkpoints
    labels: Labels
    operations: Operations
    hooks: Hooks
    sessions: Sessions
    status: Status
    standing: Standing
    settings: Settings
    times: Times
    turns: Turns
    events: Events
    restores: Restores
    retention: Retention
    plans: Plans
    usage: Usage
    shrinking: Shrinking
    archives: Archives
    arriving: Arriving
    agreement: Agreement
    forgetting: Forgetting
    holdings: Holdings
    remotes: Remotes
    removals: Removals
    elsewhere: Elsewhere
    fetched: Fetched

    asks_directly = False
    """Whether SQLAlchemy was not needed yet; see ``direct``."""

    def __init__(self, transactions: Transactions) -> None:
        self.path = transactions.path
        self._transactions = transactions

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> object:
            if name not in type(self).__annotations__:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            with forks.undivided():
                module = import_module(f"{__package__}.{name}")
            found = vars(self)[name] = getattr(module, name.capitalize())(self._transactions)
            return found

    @classmethod
    def open(
        cls,
        path: Path,
        lock: Path,
        *,
        busy_timeout: float = sqlite.BUSY_TIMEOUT,
        scripts: Scripts | None = None,
        collect: Collect | None = None,
        expected: Callable[[], bool] | None = None,
    ) -> Catalog:
        """Open the catalog at ``path``; create or upgrade it first, under the file lock ``lock``.

        ``busy_timeout`` is in seconds; ``scripts`` defaults to the revisions of this package.
        ``collect`` reads, before an upgrade, what earlier versions left beside the catalog.
        ``expected`` tells whether there are checkpoints that an empty file must have listed.

        Raises:
            CatalogNewer: when a newer version of this package wrote it.
            CatalogDamaged: when it is no catalog, or lacks a table; the file is left as it is.
            CatalogBusy, LockHeld: when another process keeps it locked for too long.
            BaseUnwritable, NoSpace: when it cannot be written.
            SqliteTooOld: when the SQLite library of this Python is too old.
        """
        with forks.undivided():  # a child must not have the connection
            prepared = prepare(
                path,
                lock,
                scripts=scripts or Scripts(),
                busy_timeout=busy_timeout,
                collect=collect,
                expected=expected,
            )
            return cls(Transactions(path, busy_timeout=busy_timeout, opened=prepared))

    @classmethod
    def open_to_read(
        cls, path: Path, folder: Path, *, refusal: str, scripts: Scripts | None = None
    ) -> Catalog:
        """Open the catalog at ``path``, which cannot be written, as it is: nothing is made beside
        it. Where its last changes are still in its log and SQLite cannot read them there, it is
        copied into ``folder`` with the log, and the copy is read. ``refusal`` is what is said to
        whoever is to write.

        Raises:
            BaseUnwritable: when it has an older revision, or cannot be read.
            CatalogNewer, CatalogDamaged: as ``open``.
        """
        where, how = find_readable(path, folder, scripts or Scripts(), refusal)
        return cls(Transactions(where, how=how, refusal=refusal))

    @contextlib.contextmanager
    def together(self, *, durable: bool = True) -> Iterator[None]:
        """Make all that this thread reads and writes in the block one transaction, which holds the
        write lock: no process may be started in it. If anything raises, nothing is written.

        Without ``durable`` it does not wait for the disk: that is for what a power cut may take
        back, because the next opening finds it out from the refs or does it again."""
        with self._transactions.writing(durable=durable):
            yield

    def do_together(self, work: Callable[[], Done], *, durable: bool = True) -> Done:
        """Do what a function reads and writes in one transaction, as in a block of ``together``;
        return what it returns. It may be called a second time, after nothing of the first one was
        written: where the catalog is asked directly, and that could not do all of it."""
        with self.together(durable=durable):
            return work()

    @contextlib.contextmanager
    def at_one_moment(self) -> Iterator[None]:
        """Let all that this thread reads in the block see one state of the catalog, whoever writes
        meanwhile. What it writes itself in the block is not seen there; without a log nothing can
        be written until the block is left."""
        with self._transactions.at_one_moment():
            yield

    @property
    def journal_mode(self) -> str:
        """``wal``, or the rollback mode (``delete``) that is in force instead."""
        with translated(self.path):
            if self._transactions.read_only:
                return sqlite.recorded_journal_mode(self.path)
            with self._transactions.bare() as connection:
                return sqlite.journal_mode(connection)

    def source(self) -> tuple[Path, str]:
        """Return the file that is read, and how whoever only reads opens it (``sqlite.connect``).

        Raises:
            CatalogDamaged: when it was moved away or replaced.
        """
        return self._transactions.source()

    def shrink(self) -> str | None:
        """Remove what only pruned checkpoints needed, and give the space back to the disk; return
        why it could not be given back, or None."""
        self.shrinking.shrink()
        with translated(self.path), self._transactions.bare() as connection:
            if not sqlite.can_give_back(connection) or self._has_gaps():
                sqlite.write_anew(connection, self.path)
            sqlite.give_back(connection)
            able = sqlite.can_give_back(connection)
        written = self.path.stat().st_size
        before = int(self.settings.get(WRITTEN_ANEW) or 0)
        if not before <= written <= before * _GROWN:
            self.settings.set(WRITTEN_ANEW, str(written), datetime.now(UTC), durable=False)
        if able:
            return None
        return (
            f"the free space in the catalog {self.path} stays there: once the catalog must be "
            "written anew, which needs three times its size on the disk and nobody who uses it"
        )

    def _has_gaps(self) -> bool:
        """Tell whether it grew since it was last written anew: rows that became shorter leave gaps
        which no page gives back."""
        before = int(self.settings.get(WRITTEN_ANEW) or 0)
        return self.path.stat().st_size > max(before * _GROWN, _SMALL)

    def write_back(self, *, busy_timeout: float | None = None) -> None:
        """Write the log back into the file, as far as nobody reads from it. ``busy_timeout``, in
        seconds, replaces that of the catalog; with 0 nobody is waited for."""
        bare = self._transactions.bare(busy_timeout=busy_timeout)
        with translated(self.path), bare as connection:
            sqlite.write_back(connection)

    @property
    def bytes(self) -> int:
        """The size of the catalog file; its log is a copy, which ends with who uses it."""
        with translated(self.path):
            return self.path.stat().st_size

    @property
    def capped_bytes(self) -> int:
        """What of the file counts under the size cap: neither free pages, which a prune gives back,
        nor the documents of sessions, which no rule of retention reaches."""
        with translated(self.path), self._transactions.bare() as connection:
            free = sqlite.free_bytes(connection)
        return max(0, self.bytes - free - self.sessions.bytes())

    def close(self) -> None:
        """Close the connections of this process; the catalog cannot be used afterwards."""
        self._transactions.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
