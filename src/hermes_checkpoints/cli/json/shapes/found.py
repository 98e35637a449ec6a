"""Which checkpoints hold a path, and which changed it."""

from __future__ import annotations

from hermes_checkpoints.cli.json.shapes.checkpoints import Checkpoint, Event
from hermes_checkpoints.cli.json.shapes.values import (
    AnyCommand,
    AnyDir,
    Path,
    Pattern,
    Text,
    WorkingDir,
)
from hermes_checkpoints.model.found import PathNow
from hermes_checkpoints.model.kinds import ChangeStatus


class LastChange(Event):
    """What happened to a path last."""

    turn_title: str | None
    """The first line of what the agent was asked for in that turn."""


class Match(Text):
    """Where a content matched; the text is that line, cut after 200 characters."""

    line: int
    """The number of the line, from 1 on."""


class FoundPath(Path, AnyCommand):
    """A path, and the newest checkpoint that holds it, or whose content there matched."""

    now: PathNow
    """What lies at the path now."""
    number: int | None
    """The number of the checkpoint in the list; null for a safety checkpoint."""
    checkpoint: Checkpoint
    """The checkpoint."""
    bytes: int | None
    """The size of the content there."""
    blob: str
    """The content there, by git's id."""
    changed: LastChange | None
    """What happened to the path last, as far as is on record."""
    match: Match | None
    """Where the content matched; null where none was asked for."""
    lost: bool
    """Whether the object store has none of the contents that checkpoints held there."""


class NotSearched(Path, WorkingDir):
    """A content that was not searched."""

    checkpoint: str
    """The id of the checkpoint that holds it."""
    reason: str
    """`binary`, `large` or `damaged`."""


class Find(AnyDir, Pattern):
    """Which checkpoint holds which path last; those that were held last come first."""

    found: list[FoundPath]
    """The paths."""
    total: int
    """How many there are, of which a limit may have left some out."""
    unseen: int
    """How many were left out because nobody can see whether they are there."""
    not_searched: list[NotSearched]
    """The contents that were not searched."""
    notes: list[str]
    """What could not be read."""


class PathStep(Checkpoint):
    """A checkpoint that changed a path."""

    number: int | None
    """Its place in the list, 1 the newest; null for a safety checkpoint."""
    status: ChangeStatus | None
    """What it did to the path; null where it holds it and nothing tells since when."""
    paths: int
    """How many paths differ, where it is a directory."""
    of_permissions: bool
    """Whether no content differs."""
    path_bytes: int | None
    """The size of the content then."""
    path_insertions: int | None
    """How many lines were added to it."""
    path_deletions: int | None
    """How many lines went from it."""
    changed: LastChange | None
    """What happened last in the time since the checkpoint before."""
    others: bool
    """Whether that was not the only change in that time."""


class PathLog(WorkingDir, Path):
    """The checkpoints that changed a path, newest first."""

    checkpoints: list[PathStep]
    """The checkpoints."""
    lost: FoundPath | None
    """The newest content that lies no longer there."""
    notes: list[str]
    """What else there is to say."""
