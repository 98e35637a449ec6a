"""An opened checkpoint base: catalog, object store, configuration and locks of one home.

The use cases share it. A project is worked on under its own lock, with the store's lock held
together with others, so that no gc can run meanwhile.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from hermes_checkpoints.base import clearing
from hermes_checkpoints.base.existing import base_exists, require_own_base, why_unwritable
from hermes_checkpoints.base.plain import require_plain, require_plain_store
from hermes_checkpoints.base.projects import require_place_for_base
from hermes_checkpoints.config import Config, git_timeout, load_config
from hermes_checkpoints.errors import BaseUnwritable, CatalogBusy, LockHeld, NoSpace
from hermes_checkpoints.fs.locks import exclusive, shared
from hermes_checkpoints.fs.system import identity, temporary_root
from hermes_checkpoints.layout import Layout, project_hash

if TYPE_CHECKING:
    import tempfile

    from hermes_checkpoints.catalog import Catalog, Collect
    from hermes_checkpoints.git import Git
    from hermes_checkpoints.model import JournalEntry, OperationKind, Origin, ProjectRecord
    from hermes_checkpoints.object_store import ObjectStore

_PATIENCE = 1.0
"""How many seconds an opening waits to write settings down; the next one does it otherwise."""

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

    ``temporary`` is a folder that goes at the end: with an empty base, where there is none and
    somebody only looks, so that each question has one way to its answer and the home stays as it
    is; with locks and scratch, where the base cannot be written. ``refusal`` then says to whoever
    wants to write why not, and what to do. ``settings_kept`` says that the catalog has the settings
    of ``config.yaml``.
    """

    layout: Layout
    config: Config
    catalog: Catalog
    store: ObjectStore
    now: Clock = utc_now
    lock_timeout: float = 30.0
    temporary: tempfile.TemporaryDirectory[str] | None = None
    refusal: str | None = None
    settings_kept: bool = False

    @classmethod
    def open(
        cls,
        layout: Layout,
        config: Config | None = None,
        *,
        create: bool = True,
        collect: Collect | None = None,
        directly: bool = False,
    ) -> Base:
        """Open the base of a layout, creating what is missing in it. ``collect`` reads, before the
        catalog is upgraded, what earlier versions left there. ``directly``, or without ``create``,
        the catalog is asked without SQLAlchemy for as long as that answers.

        Without ``create`` a base that does not exist is not made: an empty one in a temporary
        folder stands in for it until ``close``, and takes nothing that is to be kept. A base that
        cannot be written is opened to be read, with or without ``create``.

        What ``config.yaml`` says of retention is written into the catalog where that has other
        values. ``config`` replaces the file for this process, and is not written.

        Raises:
            CheckpointError: BaseUnwritable, CatalogNewer, CatalogDamaged and the like.
        """
        from hermes_checkpoints.base.adopting import adopt
        from hermes_checkpoints.catalog.direct.opening import open_catalog
        from hermes_checkpoints.object_store import ObjectStore
        from hermes_checkpoints.object_store.ref_files import any_checkpoint

        cause = why_unwritable(layout)
        if cause is not None:
            return cls._open_to_read(layout, config, cause)
        stand_in = catalog = None
        if not create and not base_exists(layout):
            stand_in, layout = _stand_in(layout)
        if stand_in is None:
            require_own_base(layout)
        require_place_for_base(layout)
        try:
            layout.create_base()
            require_plain(layout)
            timeout = git_timeout()
            clearing.resume(layout, timeout)
            adopt(layout, timeout)
            require_plain_store(layout)
            configured = load_config(layout.config)
            catalog = open_catalog(
                layout.catalog,
                layout.catalog_lock,
                collect=collect,
                expected=partial(any_checkpoint, layout.store),
                directly=directly or not create,
            )
            return cls(
                layout,
                config or configured,
                catalog,
                ObjectStore(layout, timeout),
                lock_timeout=timeout,
                temporary=stand_in,
                refusal=None if stand_in is None else _NO_BASE.format(base=layout.named),
                settings_kept=_keep_settings(catalog, configured),
            )
        except BaseException:
            if catalog is not None:
                catalog.close()
            if stand_in is not None:
                stand_in.cleanup()
            raise

    @classmethod
    def _open_to_read(cls, layout: Layout, config: Config | None, cause: str) -> Base:
        """Open a base that cannot be written, as it is: nothing is mended, upgraded or locked."""
        from hermes_checkpoints.catalog import Catalog
        from hermes_checkpoints.object_store import ObjectStore

        folder = _temporary(f"the checkpoint base {layout.base} cannot be written ({cause})")
        refusal = _READ_ONLY.format(base=layout.base, cause=cause)
        try:
            aside = Path(folder.name).resolve()
            layout = layout._replace(aside=aside)
            require_plain(layout)
            require_plain_store(layout)
            catalog = Catalog.open_to_read(layout.catalog, aside, refusal=refusal)
            timeout = git_timeout()
            return cls(
                layout,
                config or load_config(layout.config),
                catalog,
                ObjectStore(layout, timeout),
                lock_timeout=timeout,
                temporary=folder,
                refusal=refusal,
            )
        except BaseException:
            folder.cleanup()
            raise

    @property
    def can_be_kept(self) -> bool:
        """Tell whether the opening did all that it should, so that it can serve other uses."""
        return self.temporary is None and self.settings_kept

    @property
    def read_only(self) -> bool:
        """Tell whether there is a base and it cannot be written."""
        return self.layout.aside is not None

    def close(self) -> None:
        """Close the catalog, and remove the temporary folder, if there is one."""
        self.catalog.close()
        if self.temporary is not None:
            self.temporary.cleanup()

    def require_kept(self) -> None:
        """Refuse to be given something to keep, where there is no base and none is to be made, or
        where it cannot be written.

        Raises:
            BaseUnwritable: with the cause and what to do.
        """
        if self.refusal is not None:
            raise BaseUnwritable(self.refusal)

    def require_writable(self) -> None:
        """Refuse to change a base that can only be read; one that does not exist has nothing that
        could be changed.

        Raises:
            BaseUnwritable: with the cause and what to do.
        """
        if self.read_only:
            self.require_kept()

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
        from hermes_checkpoints.git import end_blocked_reads

        limit = self.lock_timeout
        lock = self.layout.project_lock(target.hash)
        purpose = f"{purpose} of {target.path}"
        with contextlib.ExitStack() as stack:
            try:
                own = stack.enter_context(exclusive(lock, purpose=purpose, timeout=limit))
            except LockHeld:
                # The git of a process that was killed may read from a pipe in the directory.
                if not end_blocked_reads(str(target.path)):
                    raise
                own = stack.enter_context(exclusive(lock, purpose=purpose, timeout=limit))
            together = stack.enter_context(shared(self.layout.store_lock, timeout=limit))
            clearing.require_not_begun(self.layout)
            yield self.store.project(target.hash, target.path, (own, together))

    @contextlib.contextmanager
    def store_alone(self, purpose: str, timeout: float | None = None) -> Iterator[Git]:
        """Hold the store alone; yields git for it, which inherits the lock, so that it outlives a
        kill. ``timeout`` is the longest wait in seconds; None is the usual one.

        Raises:
            LockHeld: when others go on for longer.
        """
        limit = self.lock_timeout if timeout is None else timeout
        with exclusive(self.layout.store_lock, purpose=purpose, timeout=limit) as own:
            yield replace(self.store.git, locks=(own,))

    @contextlib.contextmanager
    def store_together(self, timeout: float | None = None) -> Iterator[Git]:
        """Hold the store together with others, so that nothing is collected; yields git for it.
        ``timeout`` is as for ``store_alone``.

        Raises:
            LockHeld: when somebody has the store alone for longer.
        """
        limit = self.lock_timeout if timeout is None else timeout
        with shared(self.layout.store_lock, timeout=limit) as together:
            yield replace(self.store.git, locks=(together,))

    def register(
        self, target: Target, now: datetime, origin: Origin | None = None
    ) -> ProjectRecord:
        """Add the project of a working directory, or touch it, with the identities that prove
        later whether it is gone. An ``origin`` replaces the recorded one.

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
            origin=origin,
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
        from hermes_checkpoints.model import JournalEntry, OperationOutcome

        outcome = OperationOutcome.PARTIAL if problems else OperationOutcome.DONE
        message = "; ".join([done, *problems])
        base = str(self.layout.base)
        self.journal(JournalEntry(kind, started, base, outcome=outcome, message=message))


Opening = Callable[[Layout], Base]
"""Opens the base of a layout, as ``Base.open`` does."""

_NO_BASE = (
    "there is no checkpoint base at {base}, and it was opened without making one; open it with "
    "`create` to keep something in it"
)
_READ_ONLY = (
    "the checkpoint base {base} can only be read ({cause}), as by `log`, `diff` and `cat`; to do "
    "more, make it writable for this user, or copy the whole folder to a place that can be written "
    "and name the folder above the copy with --home or HERMES_HOME"
)


def _keep_settings(catalog: Catalog, configured: Config) -> bool:
    """Write settings into the catalog where it has others; tell whether it has them. Where it is
    busy or closed, the next opening does it."""
    try:
        catalog.settings.keep(configured.settings(), utc_now(), patience=_PATIENCE)
        catalog.projects.keep_limits(_own_limits(configured))
    except (CatalogBusy, BaseUnwritable, NoSpace):
        return False
    return True


def _own_limits(config: Config) -> Callable[[str], int | None] | None:
    """Return what tells how many checkpoints are kept of a project by its own settings; None where
    no project has any."""
    if not config.projects:
        return None
    return lambda working_dir: config.own_limit(Path(working_dir))


def _temporary(why: str) -> tempfile.TemporaryDirectory[str]:
    import tempfile

    try:
        return tempfile.TemporaryDirectory(prefix="hermes-checkpoints-", dir=temporary_root())
    except OSError as error:
        raise BaseUnwritable(
            f"{why}, and no temporary folder can be made in its place ({error.strerror}); set "
            "TMPDIR to a folder that can be written"
        ) from error


def _stand_in(layout: Layout) -> tuple[tempfile.TemporaryDirectory[str], Layout]:
    """Make a temporary folder, and return it with the layout of a base in it."""
    folder = _temporary(f"there is no checkpoint base at {layout.base}")
    inside = Path(folder.name).resolve() / layout.base.name
    return folder, layout._replace(base=inside, stands_for=layout.base)
