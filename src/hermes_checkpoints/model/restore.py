"""A restore from its plan to its result, and how the catalog records it."""

from __future__ import annotations

import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from hermes_checkpoints.model.checkpoints import Checkpoint
from hermes_checkpoints.model.heads import Head
from hermes_checkpoints.model.kinds import Action, Mode, RestoreRole, RestoreState


@dataclass(frozen=True)
class RestoreOf:
    """A restore, undo or redo: when it began, and the id of the checkpoint that it went to.

    >>> taken = project.take()
    >>> Path("notes.txt").unlink()
    >>> restored = project.restore("latest")
    >>> [safety] = project.safety_checkpoints()
    >>> isinstance(safety.safety_of, RestoreOf), safety.safety_of.role.value
    (True, 'restore')
    """

    role: RestoreRole
    started_at: datetime
    checkpoint_id: str


@dataclass(frozen=True)
class SafetyCheckpoint:
    """A safety checkpoint, and the last restore, undo or redo before which it stands; None where
    that wrote nothing.

    >>> taken = project.take()
    >>> Path("notes.txt").unlink()
    >>> restored = project.restore("latest")
    >>> [safety] = project.safety_checkpoints()
    >>> safety.checkpoint == restored.safety, safety.safety_of.role.value
    (True, 'restore')
    >>> safety.safety_of.checkpoint_id == taken.checkpoint.id
    True
    """

    checkpoint: Checkpoint
    safety_of: RestoreOf | None


@dataclass(frozen=True)
class RestoreRecord:
    """A restore as the catalog has it; ``safety`` brings the state before it back."""

    id: int
    role: RestoreRole
    state: RestoreState
    whole: bool
    started_at: datetime
    safety: Checkpoint
    _target_row: int


@dataclass(frozen=True)
class RecordedStep:
    """A step of a restore as the catalog has it: what it planned, and what became of it
    (``planned`` while nobody knows, ``done``, ``kept`` or ``failed``). ``blob`` and ``mode`` are
    what a ``write``, ``chmod`` or ``mkdir`` leaves, and what a ``delete`` takes away."""

    position: int
    path: str
    action: Action
    blob: str | None
    mode: int | None
    outcome: str


@dataclass(frozen=True)
class PlannedPath:
    """One line of a restore plan: what would be done to a path, and why.

    ``mode`` is the full mode that the checkpoint has (type and permission bits), ``blob`` its
    contents, ``bytes`` the size to be written; ``old_mode`` and ``old_blob`` are of what lies there
    now.

    >>> taken = project.take()
    >>> Path("notes.txt").unlink()
    >>> [step] = project.plan_restore("latest", mode="exact").steps
    >>> step.path, step.action.value, step.reason, oct(step.mode), step.bytes
    ('notes.txt', 'write', 'missing now', '0o100644', 9)
    """

    path: str
    action: Action
    reason: str
    blob: str | None = None
    mode: int | None = None
    bytes: int | None = None
    insertions: int | None = None
    deletions: int | None = None
    old_blob: str | None = None
    old_mode: int | None = None

    @property
    def is_file(self) -> bool:
        """Whether it is a file or a link, and no directory."""
        return not stat.S_ISDIR(self.mode or 0)


@dataclass(frozen=True)
class RestorePlan:
    """What a restore would do; executing it does this and nothing else.

    ``now_state`` names the state of the working directory that the plan was made for, and
    ``found`` what lay at each path that it touches, which must still be so when it is executed;
    ``role`` says whether it is a plan of a restore, an undo or a redo. ``replaced`` says that this
    is not the directory that was captured: another one lies there since. ``missing`` says that
    none lies there, and that it is made again. ``head`` is where the repository of the directory
    stands; ``checkpoint.stood_at`` is where it stood.

    >>> taken = project.take()
    >>> Path("notes.txt").unlink()
    >>> plan = project.plan_restore("latest", mode="exact")
    >>> [step.path for step in plan.of(Action.WRITE)]
    ['notes.txt']
    >>> len(project.restore(plan.checkpoint, plan=plan).done)
    1
    """

    checkpoint: Checkpoint
    working_dir: Path
    restore_mode: Mode
    paths: tuple[str, ...] | None
    steps: tuple[PlannedPath, ...]
    now_state: str
    session_id: str | None = None
    role: RestoreRole = RestoreRole.RESTORE
    found: Mapping[str, str] = field(default_factory=dict)
    replaced: bool = False
    head: Head = field(default_factory=Head)
    missing: bool = False

    def of(self, *actions: Action) -> tuple[PlannedPath, ...]:
        """Return the steps with one of these actions, in order."""
        return tuple(step for step in self.steps if step.action in actions)

    @property
    def keeps_all(self) -> bool:
        """Whether files differ and every path is kept, so that nothing would be done."""
        kept = self.of(Action.KEEP)
        return kept == self.steps and any(step.is_file for step in kept)


@dataclass(frozen=True)
class FailedPath:
    """A path that could not be restored, and the reason of the system.

    >>> taken = project.take()
    >>> restored = project.restore("latest")
    >>> [(failed.path, failed.error) for failed in restored.failed]  # nothing failed
    []
    """

    path: str
    action: Action
    error: str


@dataclass(frozen=True)
class Restored:
    """A restore that ran. ``safety`` brings the former state back. ``head`` is where the
    repository of the directory stands, as in the plan.

    >>> taken = project.take()
    >>> Path("notes.txt").unlink()
    >>> restored = project.restore("latest", mode="exact")
    >>> restored.complete, [step.path for step in restored.done]
    (True, ['notes.txt'])
    >>> undone = project.undo()
    >>> Path("notes.txt").exists()
    False
    """

    checkpoint: Checkpoint
    safety: Checkpoint
    working_dir: Path
    done: tuple[PlannedPath, ...]
    kept: tuple[PlannedPath, ...]
    failed: tuple[FailedPath, ...] = ()
    role: RestoreRole = RestoreRole.RESTORE
    head: Head = field(default_factory=Head)

    @property
    def complete(self) -> bool:
        """Whether all was done that was planned: no path failed, and where files differ not every
        path was kept. Some may have been."""
        return not (self.failed or self.kept_all)

    @property
    def kept_all(self) -> bool:
        """Whether files differ and every path was kept, so that nothing was done."""
        return not (self.done or self.failed) and any(step.is_file for step in self.kept)


def safety_below(
    listed: Sequence[Checkpoint], safety: Sequence[SafetyCheckpoint]
) -> dict[str | None, list[SafetyCheckpoint]]:
    """Return which safety checkpoints stand below which of those ``listed``, by its id: below the
    one that was restored, also where a restore went to a safety checkpoint that stands there; where
    that is not listed, below the newest one before it. Those that stand below none are at None.

    Both lists are newest first.
    """
    ids = {one.id for one in listed}
    to = {s.checkpoint.id: s.safety_of.checkpoint_id for s in safety if s.safety_of is not None}
    below: dict[str | None, list[SafetyCheckpoint]] = {}
    for one in safety:
        at: str | None = one.checkpoint.id
        seen: set[str | None] = set()
        while at in to and at not in seen:
            seen.add(at)
            at = to[at]
        if at not in ids:
            older = (c.id for c in listed if c._row < one.checkpoint._row)
            at = next(older, None)
        below.setdefault(at, []).append(one)
    return below
