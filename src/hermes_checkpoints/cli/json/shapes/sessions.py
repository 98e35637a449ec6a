"""Session checkpoints."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypedDict

from hermes_checkpoints.cli.json.shapes.checkpoints import Checkpoint
from hermes_checkpoints.cli.json.shapes.values import Directory, Path, SessionId


class SessionState(TypedDict):
    """One state of a session, without its document."""

    session_id: str
    """The session."""
    version: int
    """Which state, 1 the first."""
    status: str | None
    """What the document says of how far it is."""
    task: str | None
    """What the document says it is about."""
    created_at: str
    """When the session was written first."""
    updated_at: str
    """When this state was written."""
    bytes: int
    """The size of the document."""


class ListedSession(SessionState):
    """The newest state of a session, with what belongs to it."""

    checkpoints: int
    """How many checkpoints."""
    turns: int
    """How many turns are known."""


class Sessions(TypedDict):
    """The sessions, those written last first."""

    sessions: list[ListedSession]
    """The sessions."""


class Session(TypedDict):
    """A session in full."""

    session_id: str
    """The session."""
    state: SessionState | None
    """Its state; null where only checkpoints have it."""
    yaml: str | None
    """Its document as YAML; null where only checkpoints have it."""
    checkpoints: list[Checkpoint]
    """Its checkpoints, newest first."""
    turns: list[int]
    """Its turns that are known."""


class SessionHistory(TypedDict):
    """The states of a session, newest first."""

    versions: list[SessionState]
    """The states."""


class SessionExport(SessionState):
    """One state of a session with its document."""

    yaml: str
    """The document as YAML."""


class ExportedSession(Path):
    """An unreadable document that was written to a file; its path is absolute."""

    session_id: str
    """The session."""


class RemovedSessions(TypedDict):
    """Sessions that were removed, or would be."""

    dry_run: bool
    """Whether nothing was changed."""
    removed: list[SessionState]
    """The sessions."""
    exported: list[ExportedSession]
    """The files with those documents that could not be read."""


class ImportedFile(Path, SessionId):
    """What became of a file; its path is absolute."""

    outcome: Literal["imported", "kept", "failed"]
    """Imported, or the catalog's state is not older, or the reason says why not."""
    version: int | None
    """The version of the session that it is now."""
    reason: str | None
    """Why it was not imported."""


class ImportedSessions(Directory):
    """Session files that were read."""

    files: list[ImportedFile]
    """The files."""
