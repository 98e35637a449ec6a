"""The entered project: what whoever looks at or changes a working directory works with.

All enter here, so that no two processes work on one project, no gc runs meanwhile, and a look
leaves nothing behind. What is captured is decided by one survey and one staging for all.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from hermes_checkpoints.base.opened import Base, Target
from hermes_checkpoints.config import Config
from hermes_checkpoints.errors import BadDirectory, StoreDamaged, base_errors
from hermes_checkpoints.fs.handles import Directory
from hermes_checkpoints.fs.inspect import require_readable_directory, small_contents
from hermes_checkpoints.fs.locks import shared
from hermes_checkpoints.fs.repository import enclosing
from hermes_checkpoints.git import Git
from hermes_checkpoints.layout import former_locks
from hermes_checkpoints.model import Checkpoint
from hermes_checkpoints.object_store import (
    Excludes,
    Rules,
    Staged,
    Survey,
    UsualModes,
    keep_within,
    patterns_for,
    stage,
)
from hermes_checkpoints.object_store.renewal import OUTSPOKEN, restage
from hermes_checkpoints.object_store.survey import surveying


@dataclass(frozen=True)
class Workspace:
    """A project while it is worked on.

    ``root`` is its directory, held open: what is looked at or written goes through it, while the
    processes of git go by its path. ``git`` works on its index, and its processes inherit the
    locks, so that these outlive a kill. ``settings`` are those of this project, and ``rules`` say
    what is left out. ``started`` is when it was entered, in UTC, before any wait for a lock.

    Stage the working directory into the project's index, as a take does:

        with Workspace.enter(base, target, "take") as workspace:
            last = base.catalog.checkpoints.last(target.hash)
            staged = workspace.stage(workspace.survey(), last)
    """

    base: Base
    target: Target
    root: Directory
    git: Git
    settings: Config
    rules: Rules
    started: datetime

    @classmethod
    @contextlib.contextmanager
    def enter(cls, base: Base, target: Target, purpose: str) -> Iterator[Workspace]:
        """Make sure that the directory can be read and the store exists, and hold the project's
        lock while the block lasts. ``purpose`` is what a process that waits is told.

        Raises:
            BaseUnwritable: when nothing can be kept in the base.
            BadDirectory: when the directory cannot be read, or another stands in its place.
            LockHeld: when another process works on the project, or a gc on the store.
            CheckpointError: when the store can be neither used nor made.
        """
        base.require_kept()
        with cls._entered(base, target, purpose) as workspace:
            yield workspace

    @classmethod
    @contextlib.contextmanager
    def _entered(cls, base: Base, target: Target, purpose: str) -> Iterator[Workspace]:
        started = base.now()
        require_readable_directory(target.path)
        _require_same_place(target)
        excludes = base.store.ensure(base.config.exclude)
        with contextlib.ExitStack() as stack:
            git = stack.enter_context(base.locked(target, purpose))
            if not base.store.exists():  # it was cleared while this one waited
                stack.close()
                excludes = base.store.ensure(base.config.exclude)
                git = stack.enter_context(base.locked(target, purpose))
            settings = base.settings(target)
            rules = _rules(base, target, settings, excludes)
            root = stack.enter_context(contextlib.closing(_opened(target)))
            git = stack.enter_context(git.reading())
            yield cls(base, target, root, git, settings, rules, started)

    @classmethod
    @contextlib.contextmanager
    def scratch(cls, base: Base, target: Target, purpose: str) -> Iterator[Workspace]:
        """Enter to look only: ``git`` works on a copy of the index, with an object folder of its
        own, and both are gone when the block ends. The project's lock is held while the copy is
        made. The store is held, together with others, to the end: what was seen borrows objects of
        it that no ref may reach.

        Raises:
            CheckpointError: as ``enter``.
        """
        with contextlib.ExitStack() as stack:
            with cls._entered(base, target, purpose) as entered:
                lock, limit = base.layout.store_lock, base.lock_timeout
                together = stack.enter_context(shared(lock, timeout=limit))
                git = stack.enter_context(base.store.scratch(entered.git))
            root = stack.enter_context(contextlib.closing(_opened(target)))
            yield replace(entered, root=root, git=replace(git, locks=(together,)))

    @contextlib.contextmanager
    def surveying(self) -> Iterator[Callable[[], Survey]]:
        """Begin to find what changed in the working directory since its index was written: git
        compares while the caller does other work. Yields what waits for the end; it returns what
        was found, or raises as ``survey``."""
        if self.git.progress is not None:
            self.git.progress("looking at files")
        with surveying(self.git) as finish:

            def ended() -> Survey:
                with base_errors(self.base.layout.base):
                    return finish(self.rules)

            yield ended

    def survey(self) -> Survey:
        """Find what changed in the working directory since its index was written.

        Raises:
            GitFailed.
            BaseUnwritable, NoSpace: when what lies beside the index cannot be written.
        """
        with self.surveying() as ended:
            return ended()

    def keep_within(self, found: Survey, last: Checkpoint | None) -> None:
        """Leave out of a survey what is more than the bytes that a take may add; ``last`` is the
        project's last checkpoint.

        Raises:
            GitFailed.
            BaseUnwritable, NoSpace.
        """
        with base_errors(self.base.layout.base):
            keep_within(self.git, found, known=last is not None or found.entries_before > 0)

    def stage(self, found: Survey, last: Checkpoint | None) -> Staged:
        """Bring the index up to date with a survey, as far as the budget of bytes allows, and
        write the tree.

        ``last`` is the project's last checkpoint, whose usual modes stay where nothing is known
        beside the index.

        Raises:
            GitFailed: when git cannot stage or write; the index is then as it was, or gone.
            StoreDamaged: when what was staged is not in the store though git reported success.
            BadDirectory: when another directory was put in its place meanwhile.
            BaseUnwritable, NoSpace: when what lies beside the index cannot be written.
        """
        usual = None
        if last is not None and found.state is None:
            usual = self._usual_modes(last)
        self.keep_within(found, last)
        tell, files = self.git.progress, len(found.stage)
        if tell is not None and files:
            tell("storing files", 0, files)
        with base_errors(self.base.layout.base):
            staged = stage(self.git, found, usual)
        if tell is not None and files:
            tell("storing files", files, files)
        if not self.root.is_in_place():  # git goes by its path
            raise BadDirectory(f"{self.target.path} was replaced while it was read; try again")
        return staged

    def restage(self, last: Checkpoint | None) -> tuple[Workspace, Survey, Staged]:
        """Stage the whole working directory anew, and write all its objects into the store where
        they are missing or damaged there. Returns a workspace whose git tells of every object
        that it cannot write, and what ``survey`` and ``stage`` return.

        Raises:
            GitFailed: when git cannot stage or write.
            BaseUnwritable, NoSpace: when an object cannot be put into its place, and why.
        """
        usual = None if last is None else self._usual_modes(last)
        base = self.base.layout.base
        with base_errors(base):
            found, staged = restage(self.git, self.rules, usual, base)
        self.git.read_anew()
        return replace(self, git=replace(self.git, variables=OUTSPOKEN)), found, staged

    def _usual_modes(self, checkpoint: Checkpoint) -> UsualModes | None:
        """Return the usual modes of a checkpoint, or None where the store lost it."""
        try:
            return self.base.store.meta(checkpoint.id).usual
        except StoreDamaged:
            return None


def _require_same_place(target: Target) -> None:
    """Refuse a path that leads to another directory by a link that was made since it was
    resolved: what lies there is another project, or none that may be touched."""
    there = target.path.resolve()
    if there != target.path:
        raise BadDirectory(f"{target.path} is now a link to {there}; name that directory instead")


def _opened(target: Target) -> Directory:
    """Open a working directory.

    Raises:
        BadDirectory: when another thing was put in its place just now.
    """
    try:
        return Directory.root(target.path)
    except OSError as error:
        raise BadDirectory(
            f"{target.path} was replaced while it was entered ({error.strerror}); try again"
        ) from error


def _rules(base: Base, target: Target, settings: Config, excludes: Excludes) -> Rules:
    """Return what a take of a working directory leaves out: what patterns name, and the base, if
    it lies inside."""
    try:
        inside = base.layout.base.relative_to(target.path).as_posix()
        barred = frozenset(
            {inside, former_locks(base.layout.base).relative_to(target.path).as_posix()}
        )
    except ValueError:
        barred = frozenset()
    own = tuple(base.config.own_of(target.path).get("exclude", ()))
    excludes = replace(excludes, project=own)
    repository = enclosing(target.path)
    if repository is not None:
        below = repository.subdirectory(target.path)
        clone = patterns_for(small_contents(repository.excludes), below)
        excludes = replace(excludes, clone=clone)
    limits = settings.max_file_bytes, settings.max_take_bytes
    return Rules(excludes, settings.include, barred, *limits, repository)
