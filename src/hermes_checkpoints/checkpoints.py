"""The typed API: one object over one home, with a method for each thing that one can do.

It starts no thread and keeps no global state; two homes in one process stay apart. Errors are
``CheckpointError``; a take answers with a typed outcome instead.
"""

from __future__ import annotations

import builtins
import os
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from hermes_checkpoints import comparing, recovery
from hermes_checkpoints import restore as restoring
from hermes_checkpoints import status as reporting
from hermes_checkpoints import take as taking
from hermes_checkpoints.base import Base, Target
from hermes_checkpoints.config import Config
from hermes_checkpoints.errors import CheckpointForeign
from hermes_checkpoints.layout import Layout, resolve_working_dir
from hermes_checkpoints.lookup import find_checkpoint
from hermes_checkpoints.model import (
    Change,
    Checkpoint,
    Diff,
    Kind,
    Mode,
    Project,
    Restored,
    RestorePlan,
    SkippedPath,
    StoreStatus,
    TakeOutcome,
)
from hermes_checkpoints.project_roots import project_root

PathLike = str | os.PathLike[str]


class Checkpoints:
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
    ) -> Checkpoints:
        """Open the checkpoints under ``home`` (default: HERMES_HOME, else ``~/.hermes``).

        ``base`` names the checkpoint folder itself instead. What an earlier process left
        unfinished is mended. ``config`` replaces what ``config.yaml`` says.

        Raises:
            BaseUnwritable, CatalogNewer, CatalogDamaged, CatalogBusy, LockHeld, NoSpace.
        """
        layout = Layout.of(home) if base is None else Layout.of_base(base)
        opened = Base.open(layout, config)
        try:
            recovery.recover(opened)
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
        request = taking.TakeRequest(
            os.fspath(working_dir), reason, kind, session_id, turn, message_count, label
        )
        return taking.take(self._base, request)

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
        return self._base.catalog.checkpoints.changes(checkpoint.id)

    def skipped(self, checkpoint: Checkpoint) -> builtins.list[SkippedPath]:
        """Return the paths that a checkpoint does not hold, with the reasons."""
        return self._base.catalog.checkpoints.skipped(checkpoint.id)

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
        target = self._target(checkpoint.workdir)
        if against is None:
            return comparing.diff_with_present(self._base, checkpoint, target, paths)
        other = self.get(against, target.path)
        return comparing.diff_between(self._base, checkpoint, other, paths)

    def plan_restore(
        self,
        working_dir: PathLike,
        reference: str | int,
        paths: Sequence[str] | None = None,
        mode: Mode = Mode.OVERLAY,
    ) -> RestorePlan:
        """Return, for every path that differs, what ``restore`` would do and why.

        Raises:
            CheckpointError: as for ``restore``.
        """
        target = self._target(working_dir)
        checkpoint = find_checkpoint(self._base, reference, target)
        return restoring.plan_restore(self._base, target, checkpoint, paths, mode)

    def restore(
        self,
        working_dir: PathLike,
        reference: str | int,
        paths: Sequence[str] | None = None,
        *,
        mode: Mode = Mode.OVERLAY,
        plan: RestorePlan | None = None,
    ) -> Restored:
        """Bring a working directory, or some paths of it, back to a checkpoint.

        A safety checkpoint of the present state comes first; without it nothing is restored.
        The result lists what was done, kept and failed. With ``plan``, that plan is executed,
        and refused if the tree changed since it was made.

        Raises:
            CheckpointError: nothing was changed then.
        """
        target = self._target(working_dir)
        checkpoint = find_checkpoint(self._base, reference, target)
        if plan is not None:
            if plan.checkpoint.commit_id != checkpoint.commit_id:
                raise CheckpointForeign(f"the plan is for checkpoint {plan.checkpoint.short_id}")
            paths, mode = plan.paths, plan.restore_mode
        return restoring.restore(self._base, target, checkpoint, paths, mode, plan)

    # --- the whole ------------------------------------------------------------------------------

    def status(self, limit: int | None = None) -> StoreStatus:
        """Return what the base holds; ``limit`` bounds the listed projects, newest first."""
        return reporting.status(self._base, limit)

    def project_of(self, path: PathLike | None = None) -> Path:
        """Return the project that a path (default: the current directory) belongs to: the
        nearest directory above it that has checkpoints or a project marker."""
        registered = {project.workdir for project in self._base.catalog.projects.all()}
        return project_root(os.fspath(path) if path is not None else ".", registered)

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

    @staticmethod
    def _target(working_dir: PathLike) -> Target:
        return Target.of(resolve_working_dir(working_dir))
