"""The typed API: one object over one home, with a method for each thing that one can do.

It starts no thread and keeps no global state; two homes in one process stay apart. Errors are
``CheckpointError``; a take answers with a typed outcome instead.
"""

from __future__ import annotations

import builtins
import os
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from hermes_checkpoints.admin import recover as recovery
from hermes_checkpoints.admin import status as reporting
from hermes_checkpoints.attribution import turns as turnkeeping
from hermes_checkpoints.base.lookup import find_checkpoint
from hermes_checkpoints.base.opened import Base, Target
from hermes_checkpoints.base.projects import project_root
from hermes_checkpoints.capture import compare as comparing
from hermes_checkpoints.capture import take as taking
from hermes_checkpoints.config import Config
from hermes_checkpoints.errors import BadRequest, CheckpointForeign
from hermes_checkpoints.history import Legacy, Reporter, bring_in
from hermes_checkpoints.layout import Layout, resolve_working_dir
from hermes_checkpoints.model import (
    Change,
    Checkpoint,
    Coverage,
    Diff,
    Failed,
    Kind,
    Mode,
    PathEvent,
    Project,
    Restored,
    RestorePlan,
    SkippedPath,
    StoreStatus,
    TakeOutcome,
)
from hermes_checkpoints.restore import run as restoring
from hermes_checkpoints.restore import undo as undoing
from hermes_checkpoints.upkeep import Upkeep

if TYPE_CHECKING:
    from hermes_checkpoints.sessions.sessions import Sessions

PathLike = str | os.PathLike[str]


class Checkpoints(Upkeep, Legacy):
    """All checkpoints under one home. Use it as a context manager, or ``close`` it."""

    def __init__(self, base: Base) -> None:
        self._base = base

    @classmethod
    def open(
        cls,
        home: PathLike | None = None,
        *,
        base: PathLike | None = None,
        config: Config | None = None,
        reporter: Reporter | None = None,
    ) -> Checkpoints:
        """Open the checkpoints under ``home`` (default: HERMES_HOME, else ``~/.hermes``).

        ``base`` names the checkpoint folder itself instead. What an earlier process left
        unfinished is mended, and history of earlier versions in the base is imported:
        ``reporter`` is told how far that is. ``config`` replaces what ``config.yaml`` says.

        Raises:
            BaseUnwritable, CatalogNewer, CatalogDamaged, CatalogBusy, LockHeld, NoSpace.
        """
        layout = Layout.of(home) if base is None else Layout.of_base(base)
        opened = Base.open(layout, config)
        try:
            recovery.recover(opened)
            bring_in(opened, reporter)
        except BaseException:
            opened.catalog.close()
            raise
        return cls(opened)

    @property
    def home(self) -> Path:
        """The home directory, resolved."""
        return self._base.layout.home

    @property
    def config(self) -> Config:
        """The configuration in force."""
        return self._base.config

    @cached_property
    def sessions(self) -> Sessions:
        """The session checkpoints of the same base; they are closed with it."""
        from hermes_checkpoints.sessions.sessions import Sessions

        return Sessions(self._base)

    # --- taking and finding ------------------------------------------------------------------

    def take(
        self,
        working_dir: PathLike,
        reason: str = "manual",
        *,
        kind: Kind = Kind.MANUAL,
        session_id: str | None = None,
        turn: int | None = None,
        message_count: int | None = None,
        label: str | None = None,
    ) -> TakeOutcome:
        """Take a checkpoint of a working directory.

        Returns ``Taken``; ``Unchanged`` when it is as the last checkpoint has it; ``Skipped``
        when a guard refuses the directory; ``Failed`` with the error, which the journal has,
        too. Raises nothing of its own.
        """
        try:
            kind = Kind(kind)
        except ValueError:
            return Failed(BadRequest(f"{kind!r} is no kind of checkpoint: {', '.join(Kind)}"))
        request = taking.TakeRequest(
            os.fspath(working_dir), reason, kind, session_id, turn, message_count, label
        )
        return taking.take(self._base, request)

    def record_failure(self, working_dir: PathLike, error: Exception) -> None:
        """Record in the journal that a take failed for a reason that this package did not
        foresee."""
        taking.record_failure(self._base, os.fspath(working_dir), error)

    def list(
        self,
        working_dir: PathLike,
        *,
        limit: int | None = None,
        session_id: str | None = None,
    ) -> builtins.list[Checkpoint]:
        """Return the checkpoints of a working directory, newest first, by one query.

        Raises:
            CatalogBusy, CatalogDamaged.
        """
        return self._base.catalog.checkpoints.list(
            self._target(working_dir).hash, limit=limit, session_id=session_id
        )

    def list_all(self) -> builtins.list[Checkpoint]:
        """Return the checkpoints of every working directory, newest first, by one query.

        Raises:
            CatalogBusy, CatalogDamaged.
        """
        return self._base.catalog.checkpoints.live()[::-1]

    def get(self, reference: str | int, working_dir: PathLike | None = None) -> Checkpoint:
        """Return the checkpoint that an id, unique prefix, number, label or ``latest`` means.

        Numbers, labels and ``latest`` need ``working_dir``; with it, ids of other projects are
        refused.

        Raises:
            BadRequest, CheckpointUnknown, CheckpointAmbiguous, CheckpointForeign,
            CheckpointPruned, ProjectUnknown.
        """
        target = None if working_dir is None else self._target(working_dir)
        return find_checkpoint(self._base, reference, target)

    def changes(self, checkpoint: Checkpoint) -> builtins.list[Change]:
        """Return what a checkpoint changed against the one before it, by path."""
        return self._base.catalog.checkpoints.changes(checkpoint._row)

    def skipped(self, checkpoint: Checkpoint) -> builtins.list[SkippedPath]:
        """Return the paths that a checkpoint does not hold, with the reasons."""
        return self._base.catalog.checkpoints.skipped(checkpoint._row)

    def coverage(self, working_dir: PathLike) -> Coverage:
        """Return what the next checkpoint of a directory would leave out and why, without
        taking one.

        Raises:
            BadDirectory, GitFailed, LockHeld.
        """
        return comparing.coverage(self._base, self._target(working_dir))

    # --- comparing and restoring ----------------------------------------------------------------

    def diff(
        self,
        reference: str | int,
        working_dir: PathLike | None = None,
        *,
        against: str | int | None = None,
        paths: Sequence[str] | None = None,
    ) -> Diff:
        """Compare a checkpoint with its working directory, or with another checkpoint.

        ``paths`` are literal and relative to the project. Nothing is changed.

        Raises:
            CheckpointError: as for ``get``, and BadDirectory, PathRefused, GitFailed.
        """
        checkpoint = self.get(reference, working_dir)
        target = self._target(checkpoint.working_dir)
        if against is None:
            return comparing.diff_with_present(self._base, checkpoint, target, paths)
        other = self.get(against, target.path)
        return comparing.diff_between(self._base, checkpoint, other, paths)

    def plan_restore(
        self,
        working_dir: PathLike,
        reference: str | int,
        paths: Sequence[str] | None = None,
        mode: Mode = Mode.KEEP_EDITS,
        *,
        session_id: str | None = None,
        into: PathLike | None = None,
    ) -> RestorePlan:
        """Return, for every path that differs, what ``restore`` would do and why.

        Raises:
            CheckpointError: as for ``restore``.
        """
        target, request = self._request(working_dir, reference, paths, mode, session_id, into)
        return restoring.plan_restore(self._base, target, request)

    def restore(
        self,
        working_dir: PathLike,
        reference: str | int,
        paths: Sequence[str] | None = None,
        *,
        mode: Mode = Mode.KEEP_EDITS,
        session_id: str | None = None,
        into: PathLike | None = None,
        plan: RestorePlan | None = None,
    ) -> Restored:
        """Bring a working directory, or some paths of it, back to a checkpoint.

        A safety checkpoint of the present state comes first; without it nothing is restored.
        The result lists what was done, kept and failed. ``session_id`` takes back only what
        that session changed. ``into`` writes a checkpoint of ``working_dir`` to another
        directory. With ``plan``, that plan is executed, and refused if the tree changed since
        it was made.

        Raises:
            CheckpointError: nothing was changed then.
        """
        if plan is not None:
            paths, mode, session_id = plan.paths, plan.restore_mode, plan.session_id
        target, request = self._request(working_dir, reference, paths, mode, session_id, into)
        if plan is not None and (
            plan.checkpoint.id != request.checkpoint.id or plan.working_dir != target.path
        ):
            raise CheckpointForeign(f"the plan is for checkpoint {plan.checkpoint.short_id}")
        return restoring.restore(self._base, target, request, plan)

    def plan_undo(self, working_dir: PathLike, *, redo: bool = False) -> RestorePlan:
        """Return what ``undo`` (or ``redo``) would do.

        Raises:
            NothingToUndo, CheckpointError.
        """
        target = self._target(working_dir)
        request = (undoing.redo_request if redo else undoing.undo_request)(self._base, target)
        return undoing.plan(self._base, target, request)

    def undo(self, working_dir: PathLike, *, plan: RestorePlan | None = None) -> Restored:
        """Take the last restore of a directory back: also one that was killed or failed in
        part. Call it again for the one before.

        Raises:
            NothingToUndo: when no restore is left.
            CheckpointError: as for ``restore``; nothing was changed then.
        """
        target = self._target(working_dir)
        request = undoing.undo_request(self._base, target)
        return undoing.execute(self._base, target, request, plan)

    def redo(self, working_dir: PathLike, *, plan: RestorePlan | None = None) -> Restored:
        """Take the last undo of a directory back.

        Raises:
            NothingToUndo: when no undo is left, or a restore came after it.
            CheckpointError: as for ``restore``; nothing was changed then.
        """
        target = self._target(working_dir)
        request = undoing.redo_request(self._base, target)
        return undoing.execute(self._base, target, request, plan)

    def read_file(
        self, reference: str | int, path: str, working_dir: PathLike | None = None
    ) -> bytes:
        """Return the contents of one file of a checkpoint (the target, for a link).

        Raises:
            PathUnknown, PathRefused, StoreDamaged, CheckpointError: as for ``get``.
        """
        return comparing.read_file(self._base, self.get(reference, working_dir), path)

    # --- who changed what -------------------------------------------------------------------------

    def end_turn(self, working_dir: PathLike, session_id: str | None = None) -> bool:
        """Record that the agent's turn in a directory is over; what changes from now on is a
        person's. Returns False if no turn of this session is open.

        Raises:
            CheckpointError: when the directory cannot be looked at; the turn stays open.
        """
        return turnkeeping.end_turn(self._base, self._target(working_dir), session_id)

    def record_agent_write(
        self,
        working_dir: PathLike,
        path: str,
        *,
        session_id: str | None = None,
        turn: int | None = None,
        tool: str | None = None,
    ) -> None:
        """Record that a tool of the agent has just written ``path``, relative to the project.

        Raises:
            ProjectUnknown, PathRefused, CheckpointError.
        """
        turnkeeping.record_write(
            self._base,
            self._target(working_dir),
            path,
            session_id=session_id,
            turn=turn,
            tool=tool,
        )

    def who(self, working_dir: PathLike, path: str) -> builtins.list[PathEvent]:
        """Return who changed a path and when, newest first.

        Raises:
            ProjectUnknown, PathRefused, PathUnknown.
        """
        return turnkeeping.who(self._base, self._target(working_dir), path)

    # --- the whole ------------------------------------------------------------------------------

    def status(self, limit: int | None = None) -> StoreStatus:
        """Return what the base holds; ``limit`` bounds the listed projects, newest first."""
        found = reporting.status(self._base, limit)
        return replace(found, notes=(*found.notes, *self._legacy_notes()))

    def project_of(self, path: PathLike | None = None) -> Path:
        """Return the project that a path (default: the current directory) belongs to: the
        nearest directory above it that has checkpoints, else a project marker."""
        return project_root(os.fspath(path) if path is not None else ".", self.working_dirs())

    def working_dirs(self) -> frozenset[str]:
        """Return the working directories of all projects, as the catalog has them."""
        return frozenset(project.working_dir for project in self._base.catalog.projects.all())

    def related(self, working_dir: PathLike) -> builtins.list[Project]:
        """Return the projects above and below a directory that have checkpoints."""
        return self._base.catalog.projects.related(self._target(working_dir).name)

    def close(self) -> None:
        """Close the catalog."""
        self._base.catalog.close()

    def __enter__(self) -> Checkpoints:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _request(
        self,
        working_dir: PathLike,
        reference: str | int,
        paths: Sequence[str] | None,
        mode: Mode,
        session_id: str | None,
        into: PathLike | None,
    ) -> tuple[Target, restoring.RestoreRequest]:
        try:
            mode = Mode(mode)
        except ValueError:
            known = ", ".join(Mode)
            raise BadRequest(f"{mode!r} is no mode of restore; choose one of {known}") from None
        origin = self._target(working_dir)
        checkpoint = find_checkpoint(self._base, reference, origin)
        target = origin if into is None else self._target(into)
        foreign = into is not None
        return target, restoring.RestoreRequest(checkpoint, paths, mode, session_id, foreign)

    @staticmethod
    def _target(working_dir: PathLike) -> Target:
        return Target.of(resolve_working_dir(working_dir))
