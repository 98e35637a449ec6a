"""Who changed what: turns of an agent, what its tools reported, and each change of a path."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from datetime import datetime

from hermes_checkpoints.model.checkpoints import ChangeStatus


class Actor(enum.StrEnum):
    """Who changed a path.

    >>> taken = project.take()
    >>> _ = Path("notes.txt").write_text("changed by hand")
    >>> again = project.take()
    >>> project.who("notes.txt")[0].actor
    <Actor.SINCE: 'since'>
    """

    AGENT = "agent"  # in a turn of an agent, by its tools or through the shell
    PERSON = "person"  # between the end of a turn and the next checkpoint
    SINCE = "since"  # after a checkpoint that a person or script took by hand
    RESTORE = "restore"  # by a restore, an undo or a redo
    UNRECORDED = "unrecorded"  # after an imported checkpoint, or before the first turn
    UNKNOWN = "unknown"  # the record is lost with the catalog, or was not brought along


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

    >>> taken = project.take(kind="auto", session_id="session-1", turn=3)
    >>> _ = Path("notes.txt").write_text("by the agent")
    >>> project.record_agent_write("notes.txt", session_id="session-1", turn=3, tool="write_file")
    >>> ended = project.end_turn(session_id="session-1")
    >>> event = project.who("notes.txt")[0]
    >>> event.actor.value, event.session_id, event.turn, event.tool
    ('agent', 'session-1', 3, 'write_file')
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
