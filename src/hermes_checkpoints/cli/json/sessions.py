"""Session checkpoints as JSON."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from hermes_checkpoints.cli.json.checkpoints import of_checkpoint
from hermes_checkpoints.cli.json.values import exact, instant, words
from hermes_checkpoints.model import (
    Checkpoint,
    ImportedFile,
    SessionCheckpoint,
    SessionListed,
    SessionSummary,
)

if TYPE_CHECKING:
    from hermes_checkpoints.cli.json.shapes import sessions as shapes


def of_session_state(summary: SessionSummary | SessionCheckpoint) -> shapes.SessionState:
    """Return one state of a session, without its document."""
    return {
        "session_id": summary.session_id,
        "version": summary.version,
        "status": words(summary.status),
        "task": words(summary.task),
        "created_at": instant(summary.created_at),
        "updated_at": instant(summary.updated_at),
        "bytes": summary.size_bytes,
    }


def of_listed_session(listed: SessionListed) -> shapes.ListedSession:
    """Return a session with how many checkpoints and turns it has."""
    return {
        **of_session_state(listed.summary),
        "checkpoints": listed.checkpoints,
        "turns": listed.turns,
    }


def of_session(
    session_id: str,
    state: SessionCheckpoint | None,
    yaml: str | None,
    checkpoints: Iterable[Checkpoint],
    turns: Iterable[int],
) -> shapes.Session:
    """Return a session in full; ``state`` and ``yaml`` are null where only checkpoints have it."""
    return {
        "session_id": session_id,
        "state": None if state is None else of_session_state(state),
        "yaml": yaml,
        "checkpoints": [of_checkpoint(checkpoint) for checkpoint in checkpoints],
        "turns": list(turns),
    }


def of_removed_sessions(
    sessions: Iterable[SessionSummary],
    exported: Mapping[str, str | os.PathLike[str]],
    *,
    dry_run: bool,
) -> shapes.RemovedSessions:
    """Return what was removed, or would be; ``exported`` are the files of unreadable documents."""
    return {
        "dry_run": dry_run,
        "removed": [of_session_state(session) for session in sessions],
        "exported": [
            {"session_id": name, **exact("path", path)} for name, path in exported.items()
        ],
    }


def of_imported_files(folder: Path, files: Iterable[ImportedFile]) -> shapes.ImportedSessions:
    """Return what became of each file of an import."""
    return {
        **exact("directory", folder),
        "files": [
            {
                **exact("path", file.path),
                **exact("session_id", file.session_id),
                "outcome": outcome_of(file),
                "version": file.version,
                "reason": words(file.reason),
            }
            for file in files
        ],
    }


def outcome_of(file: ImportedFile) -> Literal["imported", "kept", "failed"]:
    """Return ``imported``, ``kept`` (the catalog's is not older) or ``failed``."""
    if file.reason is not None:
        return "failed"
    return "kept" if file.kept else "imported"
