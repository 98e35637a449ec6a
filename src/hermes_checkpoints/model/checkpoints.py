"""The words of this package as frozen values: what a checkpoint is, and how each use case ends.

Nothing here does I/O. Paths inside a project are relative, use ``/``, and are strings in the
form of ``os.fsdecode``, so that every byte sequence a disk can hold survives. Times are aware
and in UTC; sizes are bytes.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from hermes_checkpoints.errors import CheckpointError

SHORT_ID = 8
"""How many hex digits of a commit id are shown to people (v2's ``restored_to``)."""

MB = 1024 * 1024


class Kind(enum.StrEnum):
    """Why a checkpoint exists."""

    AUTO = "auto"  # the agent, before it changes files
    MANUAL = "manual"  # a person or script, by `take`
    SAFETY = "safety"  # before a restore
    IMPORTED = "imported"  # from an earlier storage layout


class SkipReason(enum.StrEnum):
    """Why a path is not in a checkpoint although it lies in the working directory."""

    OVERSIZE = "oversize"
    UNREADABLE = "unreadable"
    SPECIAL = "special"
    VANISHED = "vanished"
    UNSUPPORTED_NAME = "unsupported-name"
    IGNORED = "ignored-by-rule"


class ChangeStatus(enum.StrEnum):
    """What happened to a path, in git's letters."""

    ADDED = "A"
    MODIFIED = "M"
    DELETED = "D"
    TYPE_CHANGED = "T"


class ProjectState(enum.StrEnum):
    """Whether a project's working directory can be seen."""

    LIVE = "live"
    ORPHAN = "orphan"
    UNREACHABLE = "unreachable"


class OperationKind(enum.StrEnum):
    """What the operations journal records."""

    TAKE = "take"
    RESTORE = "restore"
    PRUNE = "prune"
    GC = "gc"
    MIGRATION = "migration"
    REBUILD = "rebuild"


class OperationOutcome(enum.StrEnum):
    """How an operation ended; ``running`` is one that has not ended, or was killed."""

    RUNNING = "running"
    DONE = "done"
    UNCHANGED = "unchanged"
    SKIPPED = "skipped"
    PARTIAL = "partial"
    FAILED = "failed"


@dataclass(frozen=True)
class FileIdentity:
    """Device and inode of a directory while it was seen, as decimal strings."""

    device: str
    inode: str


@dataclass(frozen=True)
class Project:
    """A working directory of which checkpoints are kept. ``id`` is the catalog's."""

    id: int
    hash: str
    workdir: str
    created_at: datetime
    last_touch: datetime
    state: ProjectState = ProjectState.LIVE


@dataclass(frozen=True)
class Change:
    """One path that differs between a checkpoint and the one before it.

    ``old_*`` are None for an added path and ``new_*`` for a deleted one. ``*_bytes`` are the
    sizes of the contents; ``stored_bytes`` is the space the new contents take on disk, 0 where
    the store had them already. Line counts are None for binary contents.
    """

    path: str
    status: ChangeStatus
    old_blob: str | None = None
    new_blob: str | None = None
    old_mode: int | None = None
    new_mode: int | None = None
    old_bytes: int | None = None
    new_bytes: int | None = None
    stored_bytes: int = 0
    insertions: int | None = None
    deletions: int | None = None


@dataclass(frozen=True)
class SkippedPath:
    """A path that a checkpoint does not hold. ``bytes`` is its size where it is known."""

    path: str
    reason: SkipReason
    bytes: int | None = None


@dataclass(frozen=True)
class CheckpointFacts:
    """All that a checkpoint's commit tells of it: enough to rebuild its catalog row.

    ``former_id`` is the commit that an imported one had in ``former_layout`` (``v1``, ``v2``).
    """

    project_hash: str
    workdir: str
    commit_id: str
    tree_id: str
    state_id: str
    ref_name: str
    kind: Kind
    reason: str
    created_at: datetime
    utc_offset_minutes: int = 0
    label: str | None = None
    session_id: str | None = None
    turn: int | None = None
    message_count: int | None = None
    file_count: int = 0
    logical_bytes: int = 0
    ignored_count: int = 0
    skipped: tuple[SkippedPath, ...] = ()
    former_id: str | None = None
    former_layout: str | None = None


@dataclass(frozen=True)
class Checkpoint:
    """A checkpoint as the catalog lists it. ``id`` is the catalog's, in the order of taking.

    The figures of change are against ``previous_id``, None for the first of a project.
    """

    id: int
    project_hash: str
    workdir: str
    commit_id: str
    tree_id: str
    state_id: str
    ref_name: str
    kind: Kind
    reason: str
    created_at: datetime
    utc_offset_minutes: int
    label: str | None
    session_id: str | None
    turn: int | None
    message_count: int | None
    pinned: bool
    file_count: int
    logical_bytes: int
    added_bytes: int
    superseded_bytes: int
    files_changed: int
    insertions: int
    deletions: int
    skipped_count: int
    ignored_count: int
    previous_id: int | None = None
    pruned_at: datetime | None = None
    prune_reason: str | None = None

    @property
    def short_id(self) -> str:
        return self.commit_id[:SHORT_ID]

    @property
    def complete(self) -> bool:
        """Whether every path that no rule ignores is in it."""
        return self.skipped_count == 0

    @property
    def local_time(self) -> datetime:
        """``created_at`` in the zone in which it was taken."""
        return self.created_at.astimezone(timezone(timedelta(minutes=self.utc_offset_minutes)))


# --- how a take ends --------------------------------------------------------------------------


@dataclass(frozen=True)
class Taken:
    """A new checkpoint exists."""

    checkpoint: Checkpoint


@dataclass(frozen=True)
class Unchanged:
    """The working directory is as the last checkpoint has it, so none was added."""

    checkpoint: Checkpoint


@dataclass(frozen=True)
class Skipped:
    """A guard refused the directory. ``code`` is stable; ``reason`` is for people."""

    code: str
    reason: str


@dataclass(frozen=True)
class Failed:
    """The take failed; the journal has it, too. Raise ``error`` to make it an exception."""

    error: CheckpointError


TakeOutcome = Taken | Unchanged | Skipped | Failed


# --- comparing ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Diff:
    """A checkpoint against the working directory, or against another checkpoint.

    ``stat`` and ``text`` are git's, decoded with surrogate escapes. ``skipped`` are the paths
    of the present working directory that could not be compared.
    """

    checkpoint: Checkpoint
    against: Checkpoint | None
    changes: tuple[Change, ...]
    stat: str
    text: str
    skipped: tuple[SkippedPath, ...] = ()


@dataclass(frozen=True)
class Coverage:
    """What the next checkpoint of a directory would hold and leave out.

    ``ignored`` are the entries that a rule leaves out; one that ends in ``/`` is a directory
    with all that is in it. ``file_count`` and ``directory_count`` are what would be captured.
    """

    working_dir: Path
    file_count: int
    directory_count: int
    skipped: tuple[SkippedPath, ...]
    ignored: tuple[str, ...]

    @property
    def complete(self) -> bool:
        """Whether every path that no rule ignores would be in it."""
        return not self.skipped


# --- restoring -----------------------------------------------------------------------------


class Actor(enum.StrEnum):
    """Who changed a path."""

    AGENT = "agent"  # in a turn of an agent, by its tools or through the shell
    PERSON = "person"  # between the end of a turn and the next checkpoint
    SINCE = "since"  # after a checkpoint that a person or script took by hand
    RESTORE = "restore"  # by a restore, an undo or a redo
    UNKNOWN = "unknown"  # the record is lost with the catalog, or was never made


@dataclass(frozen=True)
class Turn:
    """A stretch of work that began at a checkpoint. ``ended_by`` is ``host`` when the host said
    so, ``next`` when the next checkpoint ended it, and None while it is open. ``overlaps`` names
    another session that was at work when it began. ``end_state`` names the state of the working
    directory when the host ended it."""

    id: int
    session_id: str | None
    turn: int | None
    start_checkpoint_id: int | None
    actor: Actor
    started_at: datetime
    ended_at: datetime | None
    ended_by: str | None
    overlaps: str | None
    end_state: str | None = None


@dataclass(frozen=True)
class PathEvent:
    """One change of one path: who, in which session and turn, by which tool, and to what.

    ``blob`` and ``mode`` are what the path was afterwards; both None when it was deleted, and
    ``blob`` None when only the permissions changed. ``tool`` is None where no tool reported the
    write: then it was done through the shell, or by a person. ``at`` is when it was seen at the
    latest.
    """

    path: str
    status: ChangeStatus
    actor: Actor
    session_id: str | None
    turn: int | None
    tool: str | None
    blob: str | None
    mode: int | None
    at: datetime
    overlaps: str | None = None


@dataclass(frozen=True)
class AgentWrite:
    """A write that a tool of the agent reported. ``blob`` is the id of the contents then."""

    path: str
    session_id: str | None
    turn: int | None
    tool: str | None
    written_at: datetime
    blob: str | None


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
    target: Checkpoint
    safety: Checkpoint
    started_at: datetime
    undo_of: int | None
    undone_by: int | None


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
        """The steps with one of these actions, in order."""
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


# --- the journal ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Operation:
    """One line of the operations journal. ``code`` and ``message`` tell why it ended so."""

    id: int
    kind: OperationKind
    outcome: OperationOutcome
    workdir: str | None
    project_hash: str | None
    checkpoint_id: int | None
    session_id: str | None
    turn: int | None
    started_at: datetime
    finished_at: datetime | None
    duration_ms: int | None
    code: str | None
    message: str | None
    detail: Mapping[str, Any]


# --- status -------------------------------------------------------------------------------


@dataclass(frozen=True)
class ProjectStatus:
    """A project with its figures, as the view ``project_status`` has them."""

    project: Project
    checkpoints: int
    added_bytes: int
    last_checkpoint_at: datetime | None


@dataclass(frozen=True)
class FailureRun:
    """The takes that have failed since the last one that worked, store-wide or per project.

    ``since`` is the first of them, ``last_error`` the newest reason.
    """

    workdir: str
    count: int
    since: datetime
    last_error: str


@dataclass(frozen=True)
class LegacyArchive:
    """A ``legacy-*`` folder in the base.

    ``checkpoints`` is how many were imported from what lies in it; ``not_imported`` says what
    was not, and why.
    """

    name: str
    size_bytes: int
    mtime: float
    checkpoints: int = 0
    not_imported: tuple[str, ...] = ()


@dataclass(frozen=True)
class StoreStatus:
    """What `status` prints. Sizes are bytes on disk; ``measured_at`` says as of when."""

    base: Path
    store_bytes: int
    legacy_bytes: int
    total_bytes: int
    measured_at: datetime | None
    journal_mode: str
    projects: tuple[ProjectStatus, ...]
    archives: tuple[LegacyArchive, ...] = ()
    project_count: int = 0
    checkpoint_count: int = 0
    last_success_at: datetime | None = None
    failures: tuple[FailureRun, ...] = ()
    interrupted: int = 0
    notes: tuple[str, ...] = field(default=())
