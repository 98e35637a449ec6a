"""A restore from its plan to its result, and how the catalog records it."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from hermes_checkpoints.model.checkpoints import Checkpoint


class RestoreRole(enum.StrEnum):
    """What a restore was for."""

    RESTORE = "restore"
    UNDO = "undo"
    REDO = "redo"


class RestoreState(enum.StrEnum):
    """How far a restore came."""

    WRITING = "writing"
    DONE = "done"
    PARTIAL = "partial"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True)
class RestoreRecord:
    """A restore as the catalog has it; ``safety`` brings the state before it back."""

    id: int
    role: RestoreRole
    state: RestoreState
    whole: bool
    started_at: datetime
    safety: Checkpoint


class Mode(enum.StrEnum):
    """How far a restore goes; none ever falls back to a wider one."""

    KEEP_EDITS = "keep-edits"  # bring back what the agent changed, keep what the user changed
    OVERLAY = "overlay"  # bring every captured file back, delete nothing
    EXACT = "exact"  # the tree becomes the checkpoint


class Action(enum.StrEnum):
    """What a restore does to one path."""

    WRITE = "write"
    DELETE = "delete"
    CHMOD = "chmod"
    MKDIR = "mkdir"
    KEEP = "keep"


@dataclass(frozen=True)
class PlannedPath:
    """One line of a restore plan: what would be done to a path, and why.

    ``mode`` is the full mode that the checkpoint has (type and permission bits), ``blob`` its
    contents, ``bytes`` the size to be written.
    """

    path: str
    action: Action
    reason: str
    blob: str | None = None
    mode: int | None = None
    bytes: int | None = None
    insertions: int | None = None
    deletions: int | None = None


@dataclass(frozen=True)
class RestorePlan:
    """What a restore would do; executing it does this and nothing else.

    ``now_state`` names the state of the working directory that the plan was made for.
    """

    checkpoint: Checkpoint
    working_dir: Path
    restore_mode: Mode
    paths: tuple[str, ...] | None
    steps: tuple[PlannedPath, ...]
    now_state: str
    session_id: str | None = None

    def of(self, *actions: Action) -> tuple[PlannedPath, ...]:
        """Return the steps with one of these actions, in order."""
        return tuple(step for step in self.steps if step.action in actions)


@dataclass(frozen=True)
class FailedPath:
    """A path that could not be restored, and the reason of the system."""

    path: str
    action: Action
    error: str


@dataclass(frozen=True)
class Restored:
    """A restore that ran. ``safety`` brings the former state back."""

    checkpoint: Checkpoint
    safety: Checkpoint
    working_dir: Path
    done: tuple[PlannedPath, ...]
    kept: tuple[PlannedPath, ...]
    failed: tuple[FailedPath, ...] = ()
    role: RestoreRole = RestoreRole.RESTORE

    @property
    def complete(self) -> bool:
        return not self.failed
