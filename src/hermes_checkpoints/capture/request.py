"""What a take is told, and what the journal is told of one that leaves nothing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from hermes_checkpoints.attribution.turns import Work
from hermes_checkpoints.base.opened import Base
from hermes_checkpoints.errors import (
    CheckpointError,
)
from hermes_checkpoints.model import (
    Failed,
    JournalEntry,
    Kind,
    OperationKind,
    OperationOutcome,
    Owner,
    Skipped,
)


@dataclass(frozen=True)
class TakeRequest:
    """What a take is told: why it happens, and in which session and turn of an agent.
    ``message_count`` is how many messages its conversation has.
    ``working_dir`` is resolved. ``owner`` is the process of that agent; None is this one. With
    ``move_label`` the label leaves the checkpoint that has it, if any does.

    ``about`` are the paths that are about to be written, in their plain form: where the directory
    as a whole is refused, these alone are captured. ``alone`` says that it was just refused, so
    that nothing but these paths is looked at. ``title`` is the first line of what the agent was
    asked for. With ``once_a_turn`` nothing is taken where a turn of the session is open."""

    working_dir: str
    reason: str
    kind: Kind = Kind.MANUAL
    session_id: str | None = None
    turn: int | None = None
    message_count: int | None = None
    label: str | None = None
    owner: Owner | None = None
    move_label: bool = False
    about: tuple[str, ...] = ()
    alone: bool = False
    title: str | None = None
    once_a_turn: bool = False

    @property
    def work(self) -> Work:
        """The session's work that the take is a part of."""
        return Work(self.session_id, self.turn, self.owner, self.title)


def entry_of(request: TakeRequest, working_dir: str, started: datetime) -> JournalEntry:
    """Return what the journal is told of every take."""
    return JournalEntry(
        OperationKind.TAKE,
        started,
        working_dir,
        session_id=request.session_id,
        turn=request.turn,
    )


def skip(base: Base, entry: JournalEntry, refused: Skipped) -> Skipped:
    base.journal(
        replace(
            entry,
            outcome=OperationOutcome.SKIPPED,
            code=refused.code,
            message=refused.reason,
        )
    )
    return refused


def fail(base: Base, entry: JournalEntry, error: CheckpointError) -> Failed:
    failed = replace(entry, outcome=OperationOutcome.FAILED, code=error.code, message=str(error))
    try:
        base.journal(failed)
    except CheckpointError as second:
        error.add_note(f"the failure could not be recorded either: {second}")
    return Failed(error)
