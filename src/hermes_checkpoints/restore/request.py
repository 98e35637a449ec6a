"""What a restore is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hermes_checkpoints.base.opened import Target
from hermes_checkpoints.model import Checkpoint, Mode, Moment, RestoreRole, RestoreState
from hermes_checkpoints.model.paths import clean_path


def is_foreign(checkpoint: Checkpoint, target: Target) -> bool:
    """Tell whether a checkpoint is none of the history of a directory here: nobody knows then whose
    the changes since are."""
    return checkpoint.is_fetched or checkpoint.project_hash != target.hash


@dataclass(frozen=True)
class RestoreRequest:
    """What a restore is told.

    ``paths`` limits it to these and what lies below them; ``session_id`` keeps what agents of other
    sessions changed. ``nested`` takes in the projects inside this one, which mode exact does, too.
    ``foreign`` allows a checkpoint of another project;
    ``to_choose`` asks for a step for every path, whoever changed it, for somebody to choose from;
    ``merge`` for the agent's changes to be taken out of files that others have changed, too.
    ``exactly`` leaves out what lies below the paths. ``role``, ``undo_of`` and ``undo_state`` are
    those of an undo or redo: which restore it takes back, and how far that came. ``moment`` of
    the conversation is recorded with the safety checkpoint.
    """

    checkpoint: Checkpoint
    paths: Sequence[str] | None = None
    mode: Mode = Mode.KEEP_EDITS
    session_id: str | None = None
    foreign: bool = False
    exactly: bool = False
    role: RestoreRole = RestoreRole.RESTORE
    undo_of: int | None = None
    undo_state: RestoreState | None = None
    moment: Moment | None = None
    nested: bool = False
    to_choose: bool = False
    merge: bool = False

    @property
    def leaves_inner_alone(self) -> bool:
        """Whether projects inside this one are left alone unless they are named."""
        wider = self.nested or self.foreign or self.mode is Mode.EXACT
        return self.role is RestoreRole.RESTORE and not wider

    @property
    def whole(self) -> bool:
        """Whether it goes for the whole directory, so that one which takes it back does."""
        return self.paths is None and not self.to_choose

    def chosen(self) -> list[str] | None:
        """Return the paths in their plain form.

        Raises:
            BadRequest, PathRefused.
        """
        return None if self.paths is None else [clean_path(path) for path in self.paths]
