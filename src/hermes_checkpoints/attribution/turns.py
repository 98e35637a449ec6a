"""Keeps the record of turns: where each began and ended, and what the agent's tools reported.

The end of a turn costs no more than an unchanged or small take: the working directory is staged
into the hot index, which the next take then finds up to date, and only rows are written.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from hermes_checkpoints.attribution.timeline import Record, timeline, with_contents
from hermes_checkpoints.attribution.verdict import Verdict, judge, only_turns
from hermes_checkpoints.base.lookup import require_project
from hermes_checkpoints.base.opened import Base, Target
from hermes_checkpoints.base.workspace import Workspace
from hermes_checkpoints.catalog import BY_HOST, BY_NEXT
from hermes_checkpoints.errors import PathUnknown
from hermes_checkpoints.model import Actor, Change, Checkpoint, Kind, PathEvent, Turn
from hermes_checkpoints.model.paths import clean_path
from hermes_checkpoints.object_store import TreeState, compare_states

_ACTORS = {Kind.AUTO: Actor.AGENT, Kind.MANUAL: Actor.SINCE}
"""Whose the changes after a checkpoint are; after one of another kind, no turn begins."""


def note_take(
    base: Base,
    project_id: int,
    checkpoint: Checkpoint,
    changes: Sequence[Change],
    *,
    now: datetime,
    known: bool = True,
) -> None:
    """End the open turn at a checkpoint and, unless it is a safety checkpoint, begin another.

    ``changes`` are those since the checkpoint before, if there was one. Not ``known`` is when
    the turn ended, and so who made the changes that follow, where an agent's checkpoint was read
    back from the store long after it was taken.
    """
    kind = checkpoint.kind
    actor = _ACTORS.get(kind) if known or kind is Kind.MANUAL else Actor.UNKNOWN
    if checkpoint.is_first:
        changes = ()
    if actor is None:
        base.catalog.turns.end(project_id, by=BY_NEXT, changes=changes, now=now)
        return
    base.catalog.turns.begin(
        project_id,
        start_checkpoint_id=checkpoint._row,
        session_id=checkpoint.session_id,
        turn=checkpoint.turn,
        actor=actor,
        changes_before=changes,
        now=now,
    )


def end_turn(base: Base, target: Target, session_id: str | None) -> bool:
    """Record what the open turn of a project has changed; False if none of this session is open.

    Raises:
        CheckpointError: when the directory cannot be looked at; the turn stays open.
    """
    project = base.catalog.projects.get(target.hash)
    turn = base.catalog.turns.open(project.id) if project else None
    last = base.catalog.checkpoints.last(target.hash)
    if project is None or turn is None or last is None or turn.session_id != session_id:
        return False
    with Workspace.enter(base, target, "end of a turn") as workspace:
        staged = workspace.stage(workspace.survey(), last)
        changes: Sequence[Change] = ()
        if staged.state_id != last.state_id:
            before = base.store.state(last.id, last.tree_id)
            after = TreeState(staged.tree_id, staged.meta)
            compared = compare_states(workspace.git, before, after, lines=False)
            changes = list(compared.changes.values())
        return base.catalog.turns.end(
            project.id,
            by=BY_HOST,
            changes=changes,
            now=base.now(),
            state_id=staged.state_id,
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
    blob = _blob_id(target.path / relative, base.config.max_file_bytes)
    with base.catalog.together():
        base.catalog.turns.record_write(
            require_project(base, target).id,
            relative,
            session_id=session_id,
            turn=turn,
            tool=tool,
            blob=blob,
            now=base.now(),
        )


def record_since(base: Base, project_id: int, checkpoint_id: int, path: str | None) -> Record:
    """Return what the catalog knows of the time since a checkpoint, of one path if given.

    Nobody could record whose the changes after an imported checkpoint were, nor those before
    the first turn of the project.
    """
    turns = base.catalog.turns.since(project_id, checkpoint_id)
    of_turns, of_checkpoints = base.catalog.turns.rows_since(project_id, checkpoint_id, path)
    since = turns[0].started_at if turns else None
    seen = base.catalog.turns.checkpoints_since(project_id, checkpoint_id)
    imported = {id_ for id_, (_, _, kind) in seen.items() if kind is Kind.IMPORTED}
    return Record(
        [_as_recorded(turn, imported) for turn in turns],
        of_turns,
        of_checkpoints,
        {id_: at for id_, (at, _, _) in seen.items()},
        base.catalog.turns.writes(project_id, since, path),
        {id_: state for id_, (_, state, _) in seen.items()},
        unrecorded=checkpoint_id in imported
        or not base.catalog.turns.any_before(project_id, checkpoint_id),
    )


def _as_recorded(turn: Turn, imported: Container[int]) -> Turn:
    """Tell a turn that an import stands for from one whose record is lost."""
    if turn.actor is Actor.UNKNOWN and turn.start_checkpoint_id in imported:
        return replace(turn, actor=Actor.UNRECORDED)
    return turn


def verdicts_since(
    base: Base,
    checkpoint: Checkpoint,
    changes: Mapping[str, Change],
    *,
    session_id: str | None,
    now_state: str,
) -> tuple[dict[str, Verdict], bool]:
    """Return of each changed path whether it may be brought back to a checkpoint of its project,
    and whether directories, which have no record of their own, may be.

    ``changes`` lead from the present, whose state id is ``now_state``, to the checkpoint.
    With ``session_id``, only what that session changed may be brought back.
    """
    project = base.catalog.projects.get(checkpoint.project_hash)
    if project is None:
        return {}, True
    record = record_since(base, project.id, checkpoint._row, None)
    record, named = with_contents(record, changes)
    events = timeline(record)
    verdicts = {path: judge(change, record, events, session_id) for path, change in named.items()}
    alone = session_id is None and only_turns(record, checkpoint.state_id, now_state)
    return verdicts, alone


def who(base: Base, target: Target, path: str) -> list[PathEvent]:
    """Return what happened to a path, newest first, as far back as turns are on record: at least
    since the oldest checkpoint that can be restored.

    Raises:
        ProjectUnknown, PathRefused.
        PathUnknown: when no checkpoint ever saw the path change.
    """
    relative = clean_path(path)
    project = require_project(base, target)
    first = base.catalog.shrinking.first_on_record(project.id)
    record, _ = with_contents(record_since(base, project.id, first, relative), {})
    events = timeline(record).get(relative, [])
    if not events and not base.catalog.checkpoints.history(target.hash, relative):
        raise PathUnknown(f"no checkpoint of {target.path} ever saw {path!r}")
    return events[::-1]


def _blob_id(path: Path, limit: int | None) -> str | None:
    """Return git's id of a file's contents, or None if it is missing, special or too large."""
    try:
        if path.is_symlink():
            data = os.fsencode(os.readlink(path))
        elif not path.is_file() or (limit is not None and path.stat().st_size > limit):
            return None
        else:
            data = path.read_bytes()
    except OSError:
        return None
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
