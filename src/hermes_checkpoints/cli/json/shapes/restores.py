"""Restores, planned and done."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypedDict

from hermes_checkpoints.cli.json.shapes.checkpoints import Checkpoint, Head
from hermes_checkpoints.cli.json.shapes.values import Path, WorkingDir
from hermes_checkpoints.model.kinds import Action, Mode, RestoreRole


class Step(Path):
    """What is done to one path."""

    action: Action
    """What is done; `keep` is nothing."""
    reason: str
    """Why, in words."""
    mode: str | None
    """The mode that it gets, as git's six octal digits."""
    bytes: int | None
    """The size of what is written."""
    insertions: int | None
    """How many lines come."""
    deletions: int | None
    """How many lines go."""


class Failed(Path):
    """A path that could not be restored."""

    action: Action
    """What was to be done."""
    error: str
    """Why it could not be."""


class Conflict(Path):
    """A file that is not merged, since the agent's changes and others touch."""

    places: int
    """In how many places."""


class Part(TypedDict):
    """Lines of a file that differ, with nothing equal in between."""

    line_now: int
    """The line of the present file at which it begins, from 1; of none, the one before which they
    are missing."""
    lines_gone: int
    """How many lines would go."""
    line_then: int
    """The line of the checkpoint's file, likewise."""
    lines_back: int
    """How many lines would come back."""
    whose: Literal["agent", "others"] | None
    """Whose change it takes back; null for both, or where that is not known."""


class Choice(Path):
    """A path that `--patch` asks about."""

    action: Action
    """What would be done."""
    reason: str
    """Why it differs, in words."""
    parts: list[Part] | None
    """Its parts; null where it goes as a whole."""


class MovedHead(Head):
    head_moved: bool
    """Whether the project's own repository stands elsewhere than at the checkpoint."""


class RestorePlan(WorkingDir, MovedHead):
    """What a restore, an undo or a redo would do."""

    dry_run: Literal[True]
    """That nothing was changed."""
    role: RestoreRole
    """What it would be for."""
    checkpoint: Checkpoint
    """The checkpoint that would be restored."""
    mode: Mode
    """How far it would go."""
    replaced: bool
    """Whether another directory lies in the place of the one that was captured."""
    missing: bool
    """Whether the directory is gone and would be made again."""
    session_id: str | None
    """The session to which it is limited; null where it is to none."""
    paths: list[Path] | None
    """The paths to which it is limited; null for the whole directory."""
    steps: list[Step]
    """What would be done, path by path."""
    conflicts: list[Conflict]
    """The files that `--merge` leaves as they are."""
    choices: list[Choice] | None
    """What `--patch` asks about; null without it."""
    left_out: dict[str, int]
    """How many paths the checkpoint does not hold, by reason."""


class Restore(WorkingDir, MovedHead):
    """What a restore, an undo or a redo did."""

    dry_run: Literal[False]
    """That this was done."""
    role: RestoreRole
    """What it was for."""
    checkpoint: Checkpoint
    """The checkpoint that was restored."""
    safety: Checkpoint | None
    """The checkpoint of the state before; null where nothing had to be done."""
    complete: bool
    """Whether no path failed, and, where files differ, not all were kept."""
    done: list[Step]
    """What was done, path by path."""
    kept: list[Step]
    """What was left as it is."""
    failed: list[Failed]
    """What could not be done."""
    left_out: dict[str, int]
    """How many paths the checkpoint does not hold, by reason."""
