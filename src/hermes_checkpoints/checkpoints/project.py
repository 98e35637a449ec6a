"""One working directory and its checkpoints, as an object: what one does with a project is a
method here, and no method names the directory again."""

from __future__ import annotations

import builtins
import os
from collections.abc import Iterable
from pathlib import Path

from hermes_checkpoints.attribution import turns
from hermes_checkpoints.base.lookup import (
    Reference,
    clean_label,
    find_checkpoint,
    require_project,
)
from hermes_checkpoints.base.opened import Base, Target
from hermes_checkpoints.capture import compare
from hermes_checkpoints.capture import take as taking
from hermes_checkpoints.errors import BadRequest, CheckpointForeign, CheckpointUnknown
from hermes_checkpoints.layout import resolve_working_dir
from hermes_checkpoints.model import (
    Change,
    Checkpoint,
    Coverage,
    Diff,
    Failed,
    Kind,
    Mode,
    PathEvent,
    Policy,
    PrunePlan,
    PruneResult,
    Restored,
    RestorePlan,
    SkippedPath,
    TakeOutcome,
)
from hermes_checkpoints.restore import run as restoring
from hermes_checkpoints.restore import undo as undoing
from hermes_checkpoints.retention import plan as planning
from hermes_checkpoints.retention import run as pruning
from hermes_checkpoints.retention.plan import PruneOptions

PathLike = str | os.PathLike[str]
"""A path of the system, or one inside a project."""

Paths = PathLike | Iterable[PathLike]
"""One path inside a project, or several."""

LATEST = "latest"


class Project:
    """A working directory of which checkpoints are taken; ``Checkpoints.project`` makes it.

    It can be made of any directory: that no checkpoint was taken of it yet is an error only for
    what needs one, and always ``ProjectUnknown``. A *reference* is the id of a checkpoint, a
    unique beginning of it (4 digits at least), ``latest``, a label, the number that ``log``
    shows, each as text, or a ``Checkpoint``. *Paths* are one path or several, relative to the
    working directory, and taken literally: ``*.py`` is a file of that name.

    >>> from hermes_checkpoints import Checkpoints
    >>> with Checkpoints.open() as checkpoints:
    ...     project = checkpoints.project(".")
    ...     taken = project.take("before the clean-up")
    ...     _ = Path("notes.txt").write_text("oops")
    ...     [change.path for change in project.diff("latest").changes]
    ...     restored = project.restore("latest", "notes.txt", mode="overlay")
    ...     Path("notes.txt").read_text()
    ['notes.txt']
    'as it was'
    """

    def __init__(self, base: Base, working_dir: PathLike) -> None:
        self._base = base
        self._target = Target.of(resolve_working_dir(working_dir))

    @property
    def working_dir(self) -> Path:
        """The working directory, with links resolved."""
        return self._target.path

    def __repr__(self) -> str:
        return f"Project({str(self.working_dir)!r})"

    # --- taking and finding ------------------------------------------------------------------

    def take(
        self,
        reason: str = "manual",
        *,
        kind: Kind = Kind.MANUAL,
        session_id: str | None = None,
        turn: int | None = None,
        message_count: int | None = None,
        label: str | None = None,
    ) -> TakeOutcome:
        """Take a checkpoint.

        Returns ``Taken``; ``Unchanged`` when the directory is as the last checkpoint has it;
        ``Skipped`` when a guard refuses it; ``Failed`` with the error, which the journal has,
        too. Raises nothing of its own.
        """
        try:
            kind = Kind(kind)
        except ValueError:
            return Failed(BadRequest(f"{kind!r} is no kind of checkpoint: {', '.join(Kind)}"))
        request = taking.TakeRequest(
            self._target.name, reason, kind, session_id, turn, message_count, label
        )
        return taking.take(self._base, request)

    def record_failure(self, error: Exception) -> None:
        """Record in the journal that a take failed for a reason that this package did not
        foresee."""
        taking.record_failure(self._base, self._target.name, error)

    def list(
        self, *, limit: int | None = None, session_id: str | None = None
    ) -> builtins.list[Checkpoint]:
        """Return the checkpoints, newest first, by one query; none where none was taken yet.

        Raises:
            CatalogBusy, CatalogDamaged.
        """
        return self._base.catalog.checkpoints.list(
            self._target.hash, limit=limit, session_id=session_id
        )

    def get(self, ref: Reference = LATEST) -> Checkpoint:
        """Return the checkpoint that a reference means, as it is now.

        Raises:
            BadRequest: when it is neither text nor a ``Checkpoint``, or of no known form.
            CheckpointUnknown, CheckpointAmbiguous, CheckpointForeign, CheckpointPruned.
            ProjectUnknown: when no checkpoint was taken of this directory.
        """
        return find_checkpoint(self._base, ref, self._target)

    def changes(self, ref: Reference = LATEST) -> builtins.list[Change]:
        """Return what a checkpoint changed against the one before it, by path.

        Raises:
            CheckpointError: as for ``get``.
        """
        return self._base.catalog.checkpoints.changes(self.get(ref)._row)

    def skipped(self, ref: Reference = LATEST) -> builtins.list[SkippedPath]:
        """Return the paths that a checkpoint does not hold, with the reasons.

        Raises:
            CheckpointError: as for ``get``.
        """
        return self._base.catalog.checkpoints.skipped(self.get(ref)._row)

    def former_ids(self, ref: Reference = LATEST) -> builtins.list[str]:
        """Return the ids that a checkpoint had before it was imported, oldest layout first.

        Raises:
            CheckpointError: as for ``get``.
        """
        row = self.get(ref)._row
        return self._base.catalog.archives.former_ids([row]).get(row, [])

    def related(self) -> builtins.list[Project]:
        """Return the projects above and below this directory that have checkpoints, the nearest
        first."""
        found = self._base.catalog.projects.related(self._target.name)
        return [Project(self._base, one.working_dir) for one in found]

    def coverage(self) -> Coverage:
        """Return what the next checkpoint would hold and leave out and why, without taking one.

        Raises:
            BadDirectory, GitFailed, LockHeld.
        """
        return compare.coverage(self._base, self._target)

    # --- comparing -----------------------------------------------------------------------------

    def diff(
        self,
        ref: Reference = LATEST,
        other: Reference | None = None,
        *,
        paths: Paths | None = None,
    ) -> Diff:
        """Compare a checkpoint with the working directory, or with ``other``, a later or an
        earlier checkpoint. Nothing is changed.

        Raises:
            PathUnknown: when neither side has one of ``paths``.
            CheckpointError: as for ``get``, and BadDirectory, PathRefused, GitFailed.
        """
        checkpoint, chosen = self.get(ref), several(paths)
        if other is None:
            return compare.diff_with_present(self._base, checkpoint, self._target, chosen)
        return compare.diff_between(self._base, checkpoint, self.get(other), chosen)

    def holds(self, ref: Reference, path: PathLike) -> bool:
        """Tell whether a checkpoint holds a path: a file, a link or a directory.

        Raises:
            PathRefused.
            CheckpointError: as for ``get``.
        """
        return compare.holds(self._base, self.get(ref), one_path(path))

    def read_file(self, ref: Reference, path: PathLike) -> bytes:
        """Return the contents of one file of a checkpoint (the target, for a link).

        Raises:
            PathUnknown, PathRefused, StoreDamaged.
            CheckpointError: as for ``get``.
        """
        return compare.read_file(self._base, self.get(ref), one_path(path))

    # --- restoring -------------------------------------------------------------------------------

    def plan_restore(
        self,
        ref: Reference,
        paths: Paths | None = None,
        *,
        mode: Mode | str = Mode.KEEP_EDITS,
        session_id: str | None = None,
        into: PathLike | None = None,
    ) -> RestorePlan:
        """Return, for every path that differs, what ``restore`` would do and why.

        Raises:
            CheckpointError: as for ``restore``.
        """
        target, request = self._request(ref, paths, mode, session_id, into)
        return restoring.plan_restore(self._base, target, request)

    def restore(
        self,
        ref: Reference,
        paths: Paths | None = None,
        *,
        mode: Mode | str = Mode.KEEP_EDITS,
        session_id: str | None = None,
        into: PathLike | None = None,
        plan: RestorePlan | None = None,
    ) -> Restored:
        """Bring the working directory, or some paths of it, back to a checkpoint.

        A safety checkpoint of the present state comes first; without it nothing is restored.
        The result lists what was done, kept and failed. ``session_id`` takes back only what
        that session changed. ``into`` writes a checkpoint of this project to another directory.
        With ``plan``, that plan is executed, and refused if the tree changed since it was made.

        Raises:
            CheckpointError: nothing was changed then.
        """
        if plan is not None:
            paths, mode, session_id = plan.paths, plan.restore_mode, plan.session_id
        target, request = self._request(ref, paths, mode, session_id, into)
        if plan is not None and (
            plan.checkpoint.id != request.checkpoint.id or plan.working_dir != target.path
        ):
            raise CheckpointForeign(f"the plan is for checkpoint {plan.checkpoint.short_id}")
        return restoring.restore(self._base, target, request, plan)

    def plan_undo(self) -> RestorePlan:
        """Return what ``undo`` would do.

        Raises:
            CheckpointError: as for ``undo``.
        """
        return undoing.plan(self._base, self._target, self._undo())

    def undo(self, *, plan: RestorePlan | None = None) -> Restored:
        """Take the last restore back: also one that was killed or failed in part. Call it again
        for the one before.

        Raises:
            NothingToUndo: when no restore is left.
            ProjectUnknown: when no checkpoint was taken of this directory.
            CheckpointError: as for ``restore``; nothing was changed then.
        """
        return undoing.execute(self._base, self._target, self._undo(), plan)

    def plan_redo(self) -> RestorePlan:
        """Return what ``redo`` would do.

        Raises:
            CheckpointError: as for ``redo``.
        """
        return undoing.plan(self._base, self._target, self._redo())

    def redo(self, *, plan: RestorePlan | None = None) -> Restored:
        """Take the last undo back.

        Raises:
            NothingToUndo: when no undo is left, or a restore came after it.
            ProjectUnknown: when no checkpoint was taken of this directory.
            CheckpointError: as for ``restore``; nothing was changed then.
        """
        return undoing.execute(self._base, self._target, self._redo(), plan)

    # --- who changed what -------------------------------------------------------------------------

    def who(self, path: PathLike) -> builtins.list[PathEvent]:
        """Return who changed a path and when, newest first.

        Raises:
            ProjectUnknown, PathRefused, PathUnknown.
        """
        require_project(self._base, self._target)
        return turns.who(self._base, self._target, one_path(path))

    def end_turn(self, session_id: str | None = None) -> bool:
        """Record that the agent's turn is over; what changes from now on is a person's. Returns
        False if no turn of this session is open.

        Raises:
            CheckpointError: when the directory cannot be looked at; the turn stays open.
        """
        return turns.end_turn(self._base, self._target, session_id)

    def record_agent_write(
        self,
        path: PathLike,
        *,
        session_id: str | None = None,
        turn: int | None = None,
        tool: str | None = None,
    ) -> None:
        """Record that a tool of the agent has just written ``path``.

        Raises:
            ProjectUnknown, PathRefused, CheckpointError.
        """
        require_project(self._base, self._target)
        turns.record_write(
            self._base,
            self._target,
            one_path(path),
            session_id=session_id,
            turn=turn,
            tool=tool,
        )

    # --- keeping and dropping -------------------------------------------------------------------

    def pin(self, ref: Reference) -> Checkpoint:
        """Pin a checkpoint, so that no rule prunes it; return it as it then is.

        Raises:
            CheckpointError: as for ``get``.
        """
        return self._pinned(ref, pinned=True)

    def unpin(self, ref: Reference) -> Checkpoint:
        """Take the pin from a checkpoint; return it as it then is.

        Raises:
            CheckpointError: as for ``get``.
        """
        return self._pinned(ref, pinned=False)

    def label(self, ref: Reference, name: str) -> Checkpoint:
        """Give a checkpoint a name by which it is found and which keeps it from being pruned;
        return the checkpoint as it then is.

        Raises:
            BadRequest: when the name has a form that could not be looked up.
            CheckpointError: as for ``get``.
        """
        return self._labelled(ref, clean_label(name))

    def unlabel(self, ref: Reference) -> Checkpoint:
        """Take the name from a checkpoint; return it as it then is.

        Raises:
            CheckpointError: as for ``get``.
        """
        return self._labelled(ref, None)

    def plan_drop(
        self, refs: Reference | Iterable[Reference], *, include_pinned: bool = False
    ) -> PrunePlan:
        """Return the plan that drops just these checkpoints.

        Pinned and labelled ones are kept unless ``include_pinned``; what an unfinished restore
        needs always is.

        Raises:
            CheckpointError: as for ``get``.
        """
        wanted = [refs] if isinstance(refs, str | Checkpoint) else refs
        ids = [self.get(ref).id for ref in wanted]
        return planning.plan_drop(self._base, ids, Policy(include_pinned=include_pinned))

    def drop(
        self,
        refs: Reference | Iterable[Reference],
        *,
        include_pinned: bool = False,
        plan: PrunePlan | None = None,
        options: PruneOptions | None = None,
    ) -> PruneResult:
        """Delete single checkpoints, and reclaim the space. With ``plan``, that one is executed.

        Raises:
            LockHeld: when a prune runs, or takes go on for too long.
            CheckpointError: as for ``get``, or when catalog or refs cannot be written.
        """
        made = plan or self.plan_drop(refs, include_pinned=include_pinned)
        return pruning.execute(self._base, made, options)

    # --- inside ---------------------------------------------------------------------------

    def _request(
        self,
        ref: Reference,
        paths: Paths | None,
        mode: Mode | str,
        session_id: str | None,
        into: PathLike | None,
    ) -> tuple[Target, restoring.RestoreRequest]:
        try:
            mode = Mode(mode)
        except ValueError:
            known = ", ".join(Mode)
            raise BadRequest(f"{mode!r} is no mode of restore; choose one of {known}") from None
        checkpoint = self.get(ref)
        target = self._target if into is None else Target.of(resolve_working_dir(into))
        return target, restoring.RestoreRequest(
            checkpoint, several(paths), mode, session_id, foreign=into is not None
        )

    def _undo(self) -> restoring.RestoreRequest:
        require_project(self._base, self._target)
        return undoing.undo_request(self._base, self._target)

    def _redo(self) -> restoring.RestoreRequest:
        require_project(self._base, self._target)
        return undoing.redo_request(self._base, self._target)

    def _pinned(self, ref: Reference, *, pinned: bool) -> Checkpoint:
        found = self.get(ref)
        self._base.catalog.checkpoints.set_pinned(found._row, pinned)
        return self._again(found)

    def _labelled(self, ref: Reference, name: str | None) -> Checkpoint:
        found = self.get(ref)
        self._base.catalog.checkpoints.set_label(found._row, name)
        return self._again(found)

    def _again(self, checkpoint: Checkpoint) -> Checkpoint:
        found = self._base.catalog.checkpoints.get(checkpoint._row)
        if found is None:
            raise CheckpointUnknown(f"checkpoint {checkpoint.short_id} is gone")
        return found


def one_path(path: PathLike) -> str:
    """Return a path as text.

    Raises:
        BadRequest: when it is neither text nor a path object.
    """
    if not isinstance(path, str | os.PathLike):
        raise BadRequest(f"{path!r} is no path; give text or a path object")
    return os.fsdecode(path)


def several(paths: Paths | None) -> builtins.list[str] | None:
    """Return one path or several as a list of texts; None stays None, which means all.

    Raises:
        BadRequest: when something is neither text nor a path object.
    """
    if paths is None:
        return None
    if isinstance(paths, str | os.PathLike):
        return [one_path(paths)]
    if not isinstance(paths, Iterable):
        raise BadRequest(f"{paths!r} is no path and no list of paths")
    return [one_path(path) for path in paths]
