"""Records what tools tell: when they run, and what they wrote. Little is loaded for it: an agent
that starts a process for each event waits for it twice a tool.
"""

from __future__ import annotations

import time
from pathlib import Path

from hermes_checkpoints.base.lookup import require_project
from hermes_checkpoints.base.opened import Base, Target
from hermes_checkpoints.fs.inspect import EntryKind, Inspector
from hermes_checkpoints.fs.processes import still_runs
from hermes_checkpoints.fs.stamp import content_id
from hermes_checkpoints.model import Actor
from hermes_checkpoints.model.paths import clean_path


def has_turn(base: Base, target: Target, session_id: str | None) -> bool:
    """Tell whether a turn of an agent's session is open in a project; one whose process is gone
    is not."""
    project = base.catalog.projects.get(target.hash)
    return project is not None and any(
        turn.actor is Actor.AGENT and (turn.owner is None or still_runs(turn.owner) is not False)
        for turn in base.catalog.turns.open(project.id)
        if turn.session_id == session_id
    )


def record_write(
    base: Base,
    target: Target,
    path: str,
    *,
    session_id: str | None,
    turn: int | None,
    tool: str | None,
) -> None:
    """Record that a tool has just written a file of a project.

    Raises:
        ProjectUnknown: when no checkpoint of the project exists.
        PathRefused: when the path is none of the project's.
    """
    relative = clean_path(path)
    blob = _blob_id(target.path, relative, base.settings(target).max_file_bytes)
    base.catalog.turns.record_write(
        require_project(base, target).id,
        relative,
        session_id=session_id,
        turn=turn,
        tool=tool,
        blob=blob,
        now=base.now(),
    )


def begin_tool(
    base: Base,
    target: Target,
    session_id: str | None,
    run: str | None,
    tool: str | None,
    *,
    every_tool: bool = True,
    record: str | None = None,
) -> bool:
    """Record that a tool of a session's open turn begins now; False if none is open. ``run``
    names this run, for ``end_tool``, and ``every_tool`` says that every one is told. In ``record``,
    the agent's file of the conversation, the end of a run is read that nobody tells.

    Raises:
        ProjectUnknown: when no checkpoint of the project exists.
    """
    project = require_project(base, target)
    at_ns = time.time_ns()
    return base.catalog.turns.begin_tool(
        project.id, session_id, run, tool, at_ns, every_tool=every_tool, record=record
    )


def end_tool(base: Base, target: Target, session_id: str | None, run: str | None) -> bool:
    """Record that a tool of a session's open turn has ended; False if none runs.

    Raises:
        ProjectUnknown: when no checkpoint of the project exists.
    """
    project = require_project(base, target)
    return base.catalog.turns.end_tool(project.id, session_id, run, time.time_ns())


def _blob_id(root: Path, path: str, limit: int | None) -> str | None:
    """Return git's id of a file's contents, or None if it is missing, special or too large."""
    look = Inspector(str(root), limit)
    try:
        held = look.look(path, try_reading=False).kind in (EntryKind.FILE, EntryKind.LINK)
        return content_id(look.spot(path)) if held else None
    except OSError:
        return None
