"""Checkpoints, what they hold, comparisons, and who changed a path."""

from __future__ import annotations

from typing import Literal, NotRequired

from typing_extensions import TypedDict

from hermes_checkpoints.cli.json.shapes.values import (
    Branch,
    NewBranch,
    Path,
    Repository,
    Stat,
    WorkingDir,
)
from hermes_checkpoints.model.branches import WithheldReason
from hermes_checkpoints.model.kinds import Actor, ChangeStatus, Kind, RestoreRole, SkipReason


class Head(Branch):
    """Where the project's own git repository stands."""

    head: str | None
    """The commit of HEAD; null where that is not known."""


class Checkpoint(WorkingDir, Head):
    """A checkpoint."""

    id: str
    """The full id, 40 hexadecimal digits; it never changes."""
    short_id: str
    """The first 8 digits, as lists show it."""
    kind: Kind
    """Why it exists: by the agent, by hand, before a restore, or imported."""
    reason: str
    """Why it was taken, in words."""
    label: str | None
    """The first of its labels."""
    labels: list[str]
    """Its labels."""
    created_at: str
    """When it was taken."""
    session_id: str | None
    """The session of the agent in which it was taken."""
    turn: int | None
    """The turn in that session."""
    turn_title: str | None
    """The first line of what the agent was asked for in that turn."""
    pinned: bool
    """Whether it is kept from being pruned."""
    complete: bool
    """Whether it holds all that no rule ignores."""
    partial: bool
    """Whether only named paths were captured."""
    partly_lost: bool
    """Whether the store lacks the contents of some of its files."""
    file_count: int
    """How many files and links it holds."""
    bytes: int
    """How many bytes its files have."""
    added_bytes: int
    """How many bytes the store grew by."""
    files_changed: int
    """How many paths differ from the checkpoint before it."""
    insertions: int
    """How many lines were added since the checkpoint before it."""
    deletions: int
    """How many lines went since the checkpoint before it."""
    skipped_count: int
    """How many paths it lacks although no rule ignores them."""
    ignored_count: int
    """How many entries it lacks because a rule says so."""


class Take(TypedDict):
    """A take."""

    outcome: Literal["taken", "unchanged"]
    """Whether there is a new checkpoint, or the directory still is as the last one has it."""
    checkpoint: Checkpoint
    """The new checkpoint, or the last one."""
    left_out: dict[str, int]
    """How many paths it does not hold, by reason."""
    imported_dropped: int
    """How many imported checkpoints went for it, since there were more than `max_snapshots`."""


class SafetyOf(TypedDict):
    """The restore before which a safety checkpoint was taken."""

    role: RestoreRole
    """What the restore was for."""
    checkpoint: str
    """The id of the checkpoint that was restored."""
    started_at: str
    """When it began."""


Hand = Literal["agent", "person", "restore", "unknown"]


class WhatFollowed(TypedDict):
    who: list[Hand] | None
    """Whose changes followed, until the next checkpoint, as far as a look has seen them: `agent`,
    `person`, `restore`, and `unknown` where nobody can know; null where the record was not read,
    which is so before the newest 20,000 changes on it."""
    takes_back: int | None
    """How many files a restore of it would take back from the agent, as of the last look; null
    where `who` is."""
    files_after: int | None
    """How many files changed until the next checkpoint; null where that is not on record: after the
    newest, where checkpoints in between were pruned, and before a partial one."""
    insertions_after: int | None
    """How many lines were added meanwhile; null where `files_after` is."""
    deletions_after: int | None
    """How many lines went meanwhile; null where `files_after` is."""


class LogEntry(Checkpoint, WhatFollowed):
    """A checkpoint in the list of its project."""

    number: int | None
    """Its place in the list, 1 the newest; null for a safety checkpoint."""
    safety_of: SafetyOf | None
    """The last restore, undo or redo that it was taken before."""


class Lost(Checkpoint):
    """A checkpoint of which the store lacks part."""

    because: str | None
    """What is lost."""


class Failures(WorkingDir):
    """Takes of a project that failed, or were refused, since the last that worked."""

    count: int
    """How many."""
    since: str
    """When the first was."""
    last_error: str
    """Why the newest failed."""
    refused: bool
    """Whether the newest was refused: too many files, or a directory that is too broad."""


class Log(WorkingDir):
    """The checkpoints of a project, newest first."""

    checkpoints: list[LogEntry]
    """The checkpoints. A safety checkpoint stands behind what was restored, unless `--flat`."""
    related: list[WorkingDir]
    """Projects above and below that have checkpoints."""
    lost: list[Lost]
    """Checkpoints of which the store lacks part."""
    left_out: dict[str, int]
    """How many paths the newest does not hold, by reason."""
    failing: Failures | None
    """The takes that have failed since the last that worked."""


class Change(Path):
    """A path that differs between two states."""

    status: ChangeStatus
    """Git's letter: added, modified, deleted, or of another type."""
    old_mode: str | None
    """The mode before, as git's six octal digits; null where it was not there."""
    new_mode: str | None
    """The mode afterwards; null where it is not there."""
    old_bytes: int | None
    """The size before."""
    new_bytes: int | None
    """The size afterwards."""
    insertions: int | None
    """How many lines were added; null for what is no text, or where that is not known."""
    deletions: int | None
    """How many lines went."""


class Skipped(Path):
    """A path that a checkpoint does not hold."""

    reason: SkipReason
    """Why not."""
    bytes: int | None
    """Its size, where that is known."""


class Show(Checkpoint):
    """A checkpoint in full."""

    fetched: bool
    """Whether it was fetched from the remote: then its figures of change are 0, and say nothing."""
    former_ids: list[str]
    """The ids that it had in earlier versions."""
    changes: list[Change] | None
    """What differs from the checkpoint before it; null where that is not known here."""
    skipped: list[Skipped]
    """What it lacks although no rule ignores it."""
    left_out: dict[str, int]
    """How many paths it does not hold, by reason."""
    missing: list[Path]
    """Of a partial checkpoint: the named paths that were not there."""
    lost_paths: list[Path]
    """Files whose contents the store lacks."""


class Diff(Stat):
    """A checkpoint compared with the working directory, or with another checkpoint."""

    checkpoint: Checkpoint
    """The older side."""
    against: Checkpoint | None
    """The other checkpoint; null is the working directory."""
    changes: list[Change]
    """The paths that differ."""
    skipped: list[Skipped]
    """Paths that one side left out, so that they could not be compared."""
    text: NotRequired[str]
    """Git's patch; not there with `--stat`, `--name-status`, and of `export`."""
    text_base64: NotRequired[str]


class Archive(TypedDict):
    """A checkpoint that was written as an archive."""

    checkpoint: Checkpoint
    """The checkpoint."""
    files: int
    """How many files and links are in it."""
    bytes: int
    """How many bytes the files have."""
    skipped: list[Skipped]
    """What the checkpoint left out."""
    lost_paths: list[Path]
    """Files that are not in it, since the store lacks their contents."""


class Withheld(Path):
    """A path, or a directory with all below, that a commit does not have as the checkpoint does."""

    reason: WithheldReason
    """Why not."""
    skipped: SkipReason | None
    """Why the checkpoint itself left it out, where it did."""
    kept: bool
    """Whether what HEAD has there stands in the commit; else it has nothing there."""


class ExportedBranch(Repository, NewBranch, Head):
    """A checkpoint as a commit on a new branch of the project's own repository. `head` and `branch`
    are where HEAD stands, which the commit follows."""

    checkpoint: Checkpoint
    """The checkpoint."""
    commit: str | None
    """The id of the commit; null with `--dry-run`."""
    author: str
    """By whom it is: name and address."""
    own_author: bool
    """Whether git's settings name the author."""
    changes: list[Change]
    """What it changes against HEAD; paths are relative to the project."""
    withheld: list[Withheld]
    """What it has not as the checkpoint does."""


class HeadDiff(Head, Stat):
    """HEAD of the project's own repository compared with the working directory or a checkpoint."""

    checkpoint: Checkpoint | None
    """The checkpoint; null is the working directory."""
    changes: list[Change]
    """The paths that differ."""
    skipped: list[Skipped]
    """Paths that could not be compared."""
    submodules: list[Path]
    """Submodules, which have a HEAD of their own and were left out."""
    lost_paths: list[Path]
    """Paths of which one side lacks the contents."""
    text: NotRequired[str]
    """Git's patch; not there with `--stat` and `--name-status`."""
    text_base64: NotRequired[str]


class Event(TypedDict):
    """One change of a path."""

    at: str
    """When that was seen at the latest."""
    actor: Actor
    """Who it was."""
    tool: str | None
    """The tool of the agent that reported the write; null where none did."""
    status: ChangeStatus
    """What happened to the path, in git's letters."""
    session_id: str | None
    """The session of the agent."""
    turn: int | None
    """The turn in that session."""
    overlaps: str | None
    """Another session that was at work, too."""
    reason: str | None
    """Of the actor `unknown`: why nobody knows."""
    blob: str | None
    """The content afterwards, by git's id; null where the path went, or its mode alone changed."""
    mode: str | None
    """The mode afterwards, as git's six octal digits."""
    old_blob: str | None
    """The content before; null where the path was not there, or its mode alone changed."""
    old_mode: str | None
    """The mode before."""


class PathEvent(Path, Event):
    """One change of the path that it names."""


class AgentDiff(Stat):
    """What an agent did."""

    session_id: str | None
    """The session of the agent; null is one without a name."""
    turn: int | None
    """The turn; null is the whole session."""
    began_at: str | None
    """When it began."""
    ended_at: str | None
    """When it ended; null while it has not."""
    unseen: bool
    """Whether the directory could not be looked at meanwhile, so that the end may be missing."""
    folded: bool
    """Whether much of its record was pruned, so that earlier changes may be missing."""
    changes: list[Change]
    """What the agent changed."""
    between: list[PathEvent]
    """What others did meanwhile to the same paths."""
    shared: list[PathEvent]
    """What another session may have done."""
    lost_paths: list[Path]
    """Paths of which the store lacks a content."""
    text: NotRequired[str]
    """Git's patch; not there with `--stat` and `--name-status`."""
    text_base64: NotRequired[str]


class Contents(Path):
    """A file of a checkpoint."""

    checkpoint: Checkpoint
    """The checkpoint."""
    bytes: int
    """The size."""
    content_base64: str
    """The contents; of a link, where it leads."""


class Coverage(WorkingDir):
    """What the next checkpoint would hold and leave out."""

    complete: bool
    """Whether it would hold all that no rule ignores."""
    file_count: int
    """How many files and links it would hold."""
    directory_count: int
    """How many directories it would hold."""
    skipped: list[Skipped]
    """What it would lack although no rule ignores it."""
    ignored: list[Path]
    """What rules ignore; a path that ends in `/` is a folder."""
    worktrees: list[Path]
    """Of these, other checkouts of the repository that the directory belongs to."""
    notes: list[str]
    """What could not be found out, so that something may be missing."""


class Who(Path):
    """Who changed a path, newest first."""

    events: list[Event]
    """The changes that are on record."""
