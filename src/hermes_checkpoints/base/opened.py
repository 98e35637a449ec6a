"""An opened checkpoint base: catalog, object store, configuration and locks of one home.

The use cases share it. A project is worked on under its own lock, with the store's lock held
together with others, so that no gc can run meanwhile.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from hermes_checkpoints.catalog import Catalog, Collect
from hermes_checkpoints.config import Config, git_timeout, load_config
from hermes_checkpoints.fs.locks import exclusive, shared
from hermes_checkpoints.fs.system import identity
from hermes_checkpoints.git import Git
from hermes_checkpoints.layout import Layout, project_hash
from hermes_checkpoints.model import JournalEntry, OperationKind, OperationOutcome, ProjectRecord
from hermes_checkpoints.object_store import ObjectStore

Clock = Callable[[], datetime]
"""Tells the time, aware and in UTC."""


def utc_now() -> datetime:
    """Return the present time in UTC."""
    return datetime.now(UTC)


@dataclass(frozen=True)
class Target:
    """A working directory: its resolved path, and the hash that names its project."""

    path: Path
    hash: str

    @classmethod
    def of(cls, path: Path) -> Target:
        return cls(path, project_hash(path))

    @property
    def name(self) -> str:
        """The path as the catalog has it."""
        return str(self.path)


@dataclass(frozen=True)
class Base:
    """What the use cases need. ``lock_timeout`` is in seconds."""

    layout: Layout
    config: Config
    catalog: Catalog
    store: ObjectStore
    now: Clock = utc_now
    lock_timeout: float = 30.0

    @classmethod
    def open(
        cls, layout: Layout, config: Config | None = None, collect: Collect | None = None
    ) -> Base:
        """Open the base of a layout, creating what is missing. ``collect`` reads, before the
        catalog is upgraded, what earlier versions left in it.

        Raises:
            CheckpointError: BaseUnwritable, CatalogNewer, CatalogDamaged and the like.
        """
        layout.create_base()
        catalog = Catalog.open(layout.catalog, layout.catalog_lock, collect=collect)
        timeout = git_timeout()
        return cls(
            layout,
            config or load_config(layout.config),
            catalog,
            ObjectStore(layout, timeout),
            lock_timeout=timeout,
        )

    @contextlib.contextmanager
    def locked(self, target: Target, purpose: str) -> Iterator[Git]:
        """Hold a project alone and the store together with others; yields git for the project.

        Raises:
            LockHeld: when another process works on the project, or a gc on the store.
        """
        limit = self.lock_timeout
        lock = self.layout.project_lock(target.hash)
        with (
            exclusive(lock, purpose=f"{purpose} of {target.path}", timeout=limit) as own,
            shared(self.layout.store_lock, timeout=limit) as together,
        ):
            yield self.store.project(target.hash, target.path, (own, together))

    def register(self, target: Target, now: datetime) -> ProjectRecord:
        """Add the project of a working directory, or touch it, with the identities that prove
        later whether it is gone."""
        own = identity(target.path)
        # A parent proves that the directory is gone only if it held the directory once.
        parent = None if own is None else identity(target.path.parent)
        return self.catalog.projects.ensure(
            target.hash, target.name, now, identity=own, parent=parent
        )

    def journal(self, entry: JournalEntry) -> None:
        """Record an operation that has just ended."""
        self.catalog.operations.record(entry, now=self.now())

    def journal_work(
        self, kind: OperationKind, started: datetime, done: str, problems: Sequence[str]
    ) -> None:
        """Record work on the whole base that has just ended, in part where it met problems.

        ``done`` says what was done; the problems stand behind it.
        """
        outcome = OperationOutcome.PARTIAL if problems else OperationOutcome.DONE
        message = "; ".join([done, *problems])
        base = str(self.layout.base)
        self.journal(JournalEntry(kind, started, base, outcome=outcome, message=message))
