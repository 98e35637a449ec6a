"""An opened checkpoint base: catalog, object store, configuration and locks of one home.

The use cases share it. A project is worked on under its own lock, with the store's lock held
together with others, so that no gc can run meanwhile.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from hermes_checkpoints.base import clearing
from hermes_checkpoints.base.existing import base_exists
from hermes_checkpoints.base.projects import require_place_for_base
from hermes_checkpoints.catalog import Catalog, Collect
from hermes_checkpoints.config import Config, git_timeout, load_config
from hermes_checkpoints.errors import BaseUnwritable, CatalogBusy, NoSpace
from hermes_checkpoints.fs.locks import exclusive, shared
from hermes_checkpoints.fs.system import identity
from hermes_checkpoints.git import Git
from hermes_checkpoints.layout import Layout, project_hash
from hermes_checkpoints.model import JournalEntry, OperationKind, OperationOutcome, ProjectRecord
from hermes_checkpoints.object_store import ObjectStore
from hermes_checkpoints.object_store.ref_files import any_checkpoint

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
    """What the use cases need. ``lock_timeout`` is in seconds.

    ``stand_in`` is the temporary folder with an empty base, where there is none and somebody only
    looks: so each question has one way to its answer, and the home stays as it is.
    """

    layout: Layout
    config: Config
    catalog: Catalog
    store: ObjectStore
    now: Clock = utc_now
    lock_timeout: float = 30.0
    stand_in: tempfile.TemporaryDirectory[str] | None = None

    @classmethod
    def open(
        cls,
        layout: Layout,
        config: Config | None = None,
        *,
        create: bool = True,
        collect: Collect | None = None,
    ) -> Base:
        """Open the base of a layout, creating what is missing in it. ``collect`` reads, before the
        catalog is upgraded, what earlier versions left there.

        Without ``create`` a base that does not exist is not made: an empty one in a temporary
        folder stands in for it until ``close``, and takes nothing that is to be kept.

        What ``config.yaml`` says of retention is written into the catalog where that has other
        values. ``config`` replaces the file for this process, and is not written.

        Raises:
            CheckpointError: BaseUnwritable, CatalogNewer, CatalogDamaged and the like.
        """
        stand_in = None
        if not create and not base_exists(layout):
            stand_in, layout = _stand_in(layout)
        require_place_for_base(layout)
        try:
            layout.create_base()
            timeout = git_timeout()
            clearing.resume(layout, timeout)
            configured = load_config(layout.config)
            catalog = Catalog.open(
                layout.catalog,
                layout.catalog_lock,
                collect=collect,
                expected=partial(any_checkpoint, layout.store),
            )
            # Where that is busy or closed, the next opening does it.
            with contextlib.suppress(CatalogBusy, BaseUnwritable, NoSpace):
                catalog.settings.keep(configured.settings(), utc_now())
                catalog.projects.keep_limits(_own_limits(configured))
            return cls(
                layout,
                config or configured,
                catalog,
                ObjectStore(layout, timeout),
                lock_timeout=timeout,
                stand_in=stand_in,
            )
        except BaseException:
            if stand_in is not None:
                stand_in.cleanup()
            raise

    def close(self) -> None:
        """Close the catalog, and remove what stands in for a base that does not exist."""
        self.catalog.close()
        if self.stand_in is not None:
            self.stand_in.cleanup()

    def require_kept(self) -> None:
        """Refuse to be given something to keep, where there is no base and none is to be made.

        Raises:
            BaseUnwritable.
        """
        if self.stand_in is not None:
            raise BaseUnwritable(
                f"there is no checkpoint base at {self.layout.named}, and it was opened without "
                "making one; open it with `create` to keep something in it"
            )

    def settings(self, target: Target) -> Config:
        """Return the configuration in force for a project: the general one with its own."""
        return self.config.of_project(target.path)

    @contextlib.contextmanager
    def locked(self, target: Target, purpose: str) -> Iterator[Git]:
        """Hold a project alone and the store together with others; yields git for the project.

        Raises:
            LockHeld: when another process works on the project, or a gc on the store; or when a
                clear was killed.
        """
        limit = self.lock_timeout
        lock = self.layout.project_lock(target.hash)
        with (
            exclusive(lock, purpose=f"{purpose} of {target.path}", timeout=limit) as own,
            shared(self.layout.store_lock, timeout=limit) as together,
        ):
            clearing.require_not_begun(self.layout)
            yield self.store.project(target.hash, target.path, (own, together))

    def register(self, target: Target, now: datetime) -> ProjectRecord:
        """Add the project of a working directory, or touch it, with the identities that prove
        later whether it is gone.

        Raises:
            BaseUnwritable: when there is no base; or as the catalog does.
        """
        self.require_kept()
        own = identity(target.path)
        # A parent proves that the directory is gone only if it held the directory once.
        parent = None if own is None else identity(target.path.parent)
        return self.catalog.projects.ensure(
            target.hash,
            target.name,
            now,
            identity=own,
            parent=parent,
            max_snapshots=self.config.own_limit(target.path),
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


def _own_limits(config: Config) -> Callable[[str], int | None] | None:
    """Return what tells how many checkpoints are kept of a project by its own settings; None where
    no project has any."""
    if not config.projects:
        return None
    return lambda working_dir: config.own_limit(Path(working_dir))


def _stand_in(layout: Layout) -> tuple[tempfile.TemporaryDirectory[str], Layout]:
    """Make a temporary folder, and return it with the layout of a base in it."""
    try:
        folder = tempfile.TemporaryDirectory(prefix="hermes-checkpoints-")
    except OSError as error:
        raise BaseUnwritable(
            f"there is no checkpoint base at {layout.base}, and no temporary folder can be made "
            f"in its place ({error.strerror}); set TMPDIR to a folder that can be written"
        ) from error
    inside = Path(folder.name).resolve() / layout.base.name
    return folder, replace(layout, base=inside, stands_for=layout.base)
