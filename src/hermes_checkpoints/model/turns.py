"""Who changed what: turns of an agent, what its tools reported, and each change of a path."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from hermes_checkpoints.model.kinds import Actor, ChangeStatus
from hermes_checkpoints.model.owners import Owner

DIRECTORIES = "."
"""The path under which a change of the directories of a project is recorded."""


FORGOTTEN_AFTER = timedelta(days=30)
"""How long a session that tells of itself by hooks is remembered after its last prompt, unless it
ends before."""


@dataclass(frozen=True)
class Turn:
    """A stretch of work that began at a checkpoint. ``ended_by`` is ``host`` when the host said
    so, ``next`` when the next one of its session began, ``gone`` when its process was seen to be
    gone, and None while it is open. ``owner`` is that process, where it is known. ``tools_told``
    says that the host tells when each tool begins and ends. Stretches of which nobody knows who
    worked are of the actors UNRECORDED and UNKNOWN."""

    id: int
    session_id: str | None
    turn: int | None
    actor: Actor
    started_at: datetime
    owner: Owner | None = None
    tools_told: bool = False


@dataclass(frozen=True)
class ToolRun:
    """When a tool ran, in nanoseconds since 1970; ``ended_ns`` is None while it runs, or where
    nobody told of its end. ``run`` is the name that the host gave this run, and ``record`` the file
    in which the agent writes the conversation."""

    tool: str | None
    began_ns: int
    ended_ns: int | None
    run: str | None = None
    record: str | None = None


@dataclass(frozen=True)
class PathEvent:
    """One change of one path: who, in which session and turn, by which tool, and to what.

    ``blob`` and ``mode`` are what the path was afterwards, ``old_blob`` and ``old_mode`` before;
    both None when it was missing, and both blobs None when only the permissions changed. ``tool``
    is None where no tool reported the write: then it was done through the shell, or by a person.
    ``overlaps`` names another session that was at work, too; ``reason`` says why it is not known
    who did it. ``at`` is when it was seen at the latest.

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
    reason: str | None = None
    old_blob: str | None = None
    old_mode: int | None = None

    @property
    def of_permissions(self) -> bool:
        """Whether the path was there before and after, and only its permissions changed."""
        if self.blob is None:
            return self.old_blob is None
        return self.blob == self.old_blob and self.mode != self.old_mode


@dataclass(frozen=True)
class AgentWrite:
    """A write that a tool of the agent reported. ``blob`` is the id of the contents then.
    ``turn_id`` is the open turn of its session, ``seen`` whether a look came after it."""

    path: str
    session_id: str | None
    turn: int | None
    tool: str | None
    written_at: datetime
    blob: str | None
    turn_id: int | None = None
    seen: bool = False


@dataclass(frozen=True)
class HookSession:
    """A session of an agent that tells of itself by hooks: the ``agent`` (``claude``, ``codex`` or
    ``gemini``), the number of its last turn with what was asked for and when, and what the person
    was told about checkpoints that are off, None where nothing was.

    >>> checkpoints.agent_sessions.prompted("session-1", "claude", "Fix the notes")
    1
    >>> session = checkpoints.agent_sessions.get("session-1")
    >>> session.agent, session.turn, session.title
    ('claude', 1, 'Fix the notes')
    """

    session_id: str
    agent: str
    turn: int
    title: str | None
    prompted_at: datetime
    told: str | None
