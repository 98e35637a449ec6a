"""Keeps the record of who changed what: when turns begin and end, and what their tools tell.

A turn is open from a look until the host ends it, its session begins another, or its process is
seen to be gone. Any process may begin, tell and end one, by the session's id. The end of a turn
costs no more than an unchanged or small take: the working directory is staged into the hot index,
which the next take then finds up to date, and only rows are written.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from hermes_checkpoints.attribution.looks import (
    CHANGED_UNSEEN,
    LEFT_OUT,
    RECORD_LOST,
    event_of,
)
from hermes_checkpoints.attribution.observing import Look, by_path, observe
from hermes_checkpoints.attribution.verdict import Record, Verdict, anothers, judge, lineage
from hermes_checkpoints.base.lookup import require_project
from hermes_checkpoints.base.opened import Base, Target
from hermes_checkpoints.base.workspace import Workspace
from hermes_checkpoints.catalog import BY_GONE, BY_HOST, BY_NEXT, Recorded
from hermes_checkpoints.errors import PathUnknown
from hermes_checkpoints.fs.inspect import Inspector
from hermes_checkpoints.fs.processes import name_process, still_runs
from hermes_checkpoints.fs.system import changed_ns, nanoseconds
from hermes_checkpoints.model import (
    Action,
    Actor,
    Change,
    ChangeStatus,
    Checkpoint,
    Kind,
    Owner,
    PathEvent,
    Turn,
)
from hermes_checkpoints.model.paths import clean_path
from hermes_checkpoints.object_store import TreeState

if TYPE_CHECKING:
    from hermes_checkpoints.model import PlannedPath


@dataclass(frozen=True)
class Work:
    """A session's work, as the caller of a take or of ``begin_turn`` names it. ``owner`` is the
    process of the agent; None is this one. ``title`` is the first line of what was asked for."""

    session_id: str | None = None
    turn: int | None = None
    owner: Owner | None = None
    title: str | None = None

    def process(self) -> Owner | None:
        """Return the process of the agent."""
        return self.owner or name_process()


# --- looks ----------------------------------------------------------------------------------------


def note_look(
    base: Base,
    project_id: int,
    look: Look,
    now: datetime,
    *,
    before: int | None = None,
    interrupted: Collection[int] = (),
) -> list[Turn]:
    """Record what a look has seen, and end the turns whose process is gone; return those that
    are open. ``before`` is the row of the checkpoint that the look has led to, if it has, and
    ``interrupted`` are the turns that were over before, at a time that nobody told. It is a part
    of the caller's transaction."""
    seen = observe(look, project_id, now, interrupted)
    if seen.events:  # a partial checkpoint may have come after the last whole one
        last = base.catalog.checkpoints.newest_row(project_id, before=before) or look.last._row
        base.catalog.events.add(project_id, last, seen.events)
    base.catalog.events.looked(project_id, look.at_ns, reports=seen.reports)
    _end(base, seen.gone, BY_GONE, look.last, now)
    gone = {turn.id for turn in seen.gone}
    return [turn for turn in seen.turns if turn.id not in gone]


def note_take(
    base: Base,
    project_id: int,
    kind: Kind,
    at: Checkpoint,
    look: Look | None,
    work: Work,
    now: datetime,
) -> None:
    """Record what a take has seen, and begin the turn that an agent's take begins at ``at``.

    There is no ``look`` for the first checkpoint of a project. A take by hand begins a turn only
    for a session that it names. It is a part of the caller's transaction.
    """
    last = at if look is None else look.last
    if look is None:
        open_ = base.catalog.turns.open(project_id)
        base.catalog.events.looked(project_id, time.time_ns(), reports=True)
    else:
        new = at._row > look.last._row
        open_ = note_look(base, project_id, look, now, before=at._row if new else None)
    if kind is Kind.AUTO:
        _follow(base, project_id, open_, last, at, work, now)
    elif kind is Kind.MANUAL and not any(turn.actor is Actor.AGENT for turn in open_):
        _end(base, open_, BY_NEXT, last, now)
        if work.session_id is not None:
            _begin(base, project_id, at, work, Actor.SINCE, now)


def note_alone_taken(
    base: Base, project_id: int, kind: Kind, at: Checkpoint, work: Work, now: datetime
) -> None:
    """Record that an agent was at work when a partial checkpoint was taken, and which process it
    is: a turn that is over at once, since nobody looks when it ends. One that is open in its
    session says the same. It is a part of the caller's transaction."""
    if kind is Kind.AUTO and not _of(base.catalog.turns.open(project_id), work.session_id):
        _begin(base, project_id, at, work, Actor.AGENT, now)
        _end(base, _of(base.catalog.turns.open(project_id), work.session_id), BY_HOST, at, now)


def note_read_back(
    base: Base,
    project_id: int,
    checkpoint: Checkpoint,
    previous: Checkpoint | None,
    changes: Sequence[Change],
    *,
    newest: bool = True,
) -> None:
    """Record a checkpoint that was read back from the store, or came from elsewhere: whose the
    changes since the ``previous`` one are, and those after the ``newest``, is not on record."""
    now = checkpoint.created_at
    if previous is not None:
        note_lost(base, project_id, previous, changes, now)
    if newest:
        _end(base, base.catalog.turns.open(project_id), BY_NEXT, checkpoint, now)
        if checkpoint.kind is not Kind.MANUAL:
            actor = _FOLLOWS.get(checkpoint.kind, Actor.UNKNOWN)
            _begin(base, project_id, checkpoint, Work(), actor, now)


def note_lost(
    base: Base, project_id: int, previous: Checkpoint, changes: Sequence[Change], now: datetime
) -> None:
    """Record changes that followed the ``previous`` checkpoint, and whose they are is not on
    record."""
    actor = _FOLLOWS.get(previous.kind, Actor.UNKNOWN)
    events = [event_of(change, actor, now) for change in changes]
    if actor is Actor.UNKNOWN:
        events = [replace(event, reason=RECORD_LOST) for event in events]
    base.catalog.events.add(project_id, previous._row, events)


_FOLLOWS = {Kind.IMPORTED: Actor.UNRECORDED, Kind.MANUAL: Actor.SINCE}
"""What is known of the changes after a checkpoint of a kind, where there is no record."""


def note_restore(
    base: Base,
    project_id: int,
    target: int | None,
    done: Sequence[PlannedPath],
    now: datetime,
    chosen: Collection[str] = (),
) -> None:
    """Record what a restore has changed since the look of its safety checkpoint. ``target`` is the
    row of what was brought back, None where that is of another project. Paths that are ``chosen``
    were left otherwise than it has them: a person said how, and it is that person's edit. It is a
    part of the caller's transaction."""
    events: dict[str, PathEvent] = {}
    for step in done:
        if step.is_file:
            change = _done(step)
            first = events.get(step.path)
            if first is not None:  # deleted to make room, and then written
                change = replace(change, old_blob=first.old_blob, old_mode=first.old_mode)
            actor = Actor.PERSON if step.path in chosen else Actor.RESTORE
            events[step.path] = event_of(change, actor, now)
    last = base.catalog.checkpoints.newest_row(project_id)
    if last is not None:
        restored = [event for event in events.values() if event.actor is Actor.RESTORE]
        edited = [event for event in events.values() if event.actor is Actor.PERSON]
        base.catalog.events.add(project_id, last, restored, target=target)
        base.catalog.events.add(project_id, last, edited)


def _done(step: PlannedPath) -> Change:
    if step.action is Action.DELETE:
        return Change(step.path, ChangeStatus.DELETED, step.old_blob, None, step.old_mode, None)
    status = ChangeStatus.ADDED if step.old_mode is None else ChangeStatus.MODIFIED
    return Change(step.path, status, step.old_blob, step.blob, step.old_mode, step.mode)


# --- turns ----------------------------------------------------------------------------------------


def begin_turn(base: Base, target: Target, work: Work, *, tools_told: bool = False) -> bool:
    """Begin a turn of a session at the present state, without a checkpoint; False where the
    project has none yet. ``tools_told`` says that the host will tell of each tool.

    Raises:
        CheckpointError: when the directory cannot be looked at; nothing is recorded.
    """
    project = base.catalog.projects.get(target.hash)
    last = base.catalog.checkpoints.last(target.hash)
    if project is None or last is None:
        return False
    with Workspace.enter(base, target, "begin of a turn") as workspace:
        look = look_at(workspace, last)

        def begin() -> None:
            now = base.now()
            open_ = note_look(base, project.id, look, now)
            _follow(base, project.id, open_, last, last, work, now, tools_told=tools_told)

        base.catalog.do_together(begin)
    return True


def end_turn(
    base: Base, target: Target, session_id: str | None, *, interrupted: bool = False
) -> bool:
    """Record what a session's turn has changed, and end it; False if none of it is open. One that
    was ``interrupted`` had ended with its last tool.

    Raises:
        CheckpointError: when the directory cannot be looked at; the turn stays open.
    """
    project = base.catalog.projects.get(target.hash)
    last = base.catalog.checkpoints.last(target.hash)
    if project is None or last is None:
        return False
    known = frozenset(t.id for t in _of(base.catalog.turns.open(project.id), session_id))
    if not known:
        return False
    with Workspace.enter(base, target, "end of a turn") as workspace:
        look = look_at(workspace, base.catalog.checkpoints.last(target.hash) or last)

        def end() -> bool:
            cut = known if interrupted else frozenset()
            open_ = note_look(base, project.id, look, base.now(), interrupted=cut)
            mine = _of(open_, session_id)
            _end(base, mine, BY_HOST, look.last, base.now())
            return bool(mine)

        # The next take brings it to the disk. A power cut before takes it back, and with it the
        # process: the turn is open then, of a process that is gone, and nothing is lost by that.
        return base.catalog.do_together(end, durable=False)


def look_at(workspace: Workspace, last: Checkpoint) -> Look:
    """Stage the working directory and compare it with the last checkpoint.

    Raises:
        GitFailed, StoreDamaged, BaseUnwritable, NoSpace.
    """
    at_ns = time.time_ns()
    staged = workspace.stage(workspace.survey(), last)
    return Look.of(workspace, last, TreeState(staged.tree_id, staged.meta), staged.state_id, at_ns)


def _of(open_: Sequence[Turn], session_id: str | None) -> list[Turn]:
    return [
        turn
        for turn in open_
        if turn.session_id == session_id and turn.actor in (Actor.AGENT, Actor.SINCE)
    ]


def _follow(
    base: Base,
    project_id: int,
    open_: Sequence[Turn],
    last: Checkpoint,
    at: Checkpoint,
    work: Work,
    now: datetime,
    *,
    tools_told: bool = False,
) -> None:
    """End the open turn of an agent's session, and what is nobody's, and begin another one."""
    over = [t for t in open_ if t.actor is not Actor.AGENT or t.session_id == work.session_id]
    _end(base, over, BY_NEXT, last, now)
    _begin(base, project_id, at, work, Actor.AGENT, now, tools_told=tools_told)


def _begin(
    base: Base,
    project_id: int,
    at: Checkpoint,
    work: Work,
    actor: Actor,
    now: datetime,
    *,
    tools_told: bool = False,
) -> None:
    base.catalog.turns.begin(
        project_id,
        start_checkpoint_id=at._row,
        session_id=work.session_id,
        turn=work.turn,
        actor=actor,
        now=now,
        owner=work.process() if actor is Actor.AGENT else None,
        tools_told=tools_told,
        title=work.title if actor is Actor.AGENT else None,
    )


def _end(base: Base, turns: Sequence[Turn], by: str, last: Checkpoint, now: datetime) -> None:
    base.catalog.turns.end(turns, by=by, checkpoint_id=last._row, now=now)


# --- whose is it ----------------------------------------------------------------------------------


def verdicts_since(
    base: Base,
    look: Look | None,
    checkpoint: Checkpoint,
    changes: Mapping[str, Change],
    *,
    session_id: str | None,
) -> tuple[dict[str, Verdict], bool]:
    """Return of each changed path whether it may be brought back to a checkpoint of its project,
    and whether directories, which have one record together, may be.

    ``changes`` lead from the present to the checkpoint; ``look`` is of the present, or None where
    it is recorded already. With ``session_id``, what another session's agent changed is kept.
    """
    record = _record_since(base, look, checkpoint, session_id)
    if record is None:
        return {}, True
    verdicts = {path: judge(change, record, session_id) for path, change in changes.items()}
    return verdicts, session_id is None and _agents_alone(record)


def others_since(
    base: Base,
    look: Look | None,
    checkpoint: Checkpoint,
    changes: Mapping[str, Change],
    session_id: str,
) -> dict[str, str]:
    """Return of each changed path that an agent of another session changed why it stays, where
    nothing else is kept. The arguments are those of ``verdicts_since``."""
    record = _record_since(base, look, checkpoint, session_id)
    if record is None:
        return {}
    found = {path: anothers(record, path, session_id) for path in changes}
    return {path: reason for path, reason in found.items() if reason is not None}


def since(base: Base, look: Look | None, checkpoint: Checkpoint) -> dict[str, list[Recorded]]:
    """Return what happened to each path since a checkpoint of its project, oldest first, with what
    a ``look`` at the present sees; that is None where it is recorded already."""
    project = base.catalog.projects.get(checkpoint.project_hash)
    if project is None:
        return {}
    recorded = by_path(base.catalog.events.since(project.id, checkpoint._row))
    if look is not None:
        for event in observe(look, project.id, base.now()).events:
            recorded.setdefault(event.path, []).append(Recorded(event, look.last._row))
    return recorded


def is_folded_since(base: Base, checkpoint: Checkpoint) -> bool:
    """Tell whether the events since a checkpoint may be fewer than there were, since some in
    between were pruned: verdicts stay the same, but what came after what is no longer told."""
    project = base.catalog.projects.get(checkpoint.project_hash)
    return project is not None and base.catalog.checkpoints.pruned_after(
        project.id, checkpoint._row
    )


def _record_since(
    base: Base, look: Look | None, checkpoint: Checkpoint, session_id: str | None
) -> Record | None:
    project = base.catalog.projects.get(checkpoint.project_hash)
    if project is None:
        return None
    recorded = since(base, look, checkpoint)
    root = Path(checkpoint.working_dir)
    events = {path: _with_the_unseen(root, lineage(found)) for path, found in recorded.items()}
    return Record(
        events,
        base.catalog.turns.agent_since(project.id, checkpoint._row),
        checkpoint.kind is Kind.IMPORTED,
        frozenset() if session_id is None else over_in(base, project.id, events),
    )


def over_in(
    base: Base, project_id: int, events: Mapping[str, Sequence[PathEvent]]
) -> frozenset[str]:
    """Return the sessions of some events whose processes are gone."""
    named = {
        name for found in events.values() for e in found for name in (e.session_id, e.overlaps)
    }
    owners = base.catalog.turns.owners(project_id, sorted(name for name in named if name))
    return frozenset(name for name, owner in owners.items() if still_runs(owner) is False)


def _agents_alone(record: Record) -> bool:
    """Tell whether nothing at all was a person's, or may have been, so that even what has no
    record of its own, as each directory, was the agent's."""
    happened = [event for events in record.events.values() for event in events]
    theirs = {Actor.AGENT, Actor.RESTORE} | (set() if record.agents else {Actor.SINCE})
    return not record.imported and all(event.actor in theirs for event in happened)


def _with_the_unseen(root: Path, events: list[PathEvent]) -> list[PathEvent]:
    """Add that a path which no checkpoint captures any more has changed since it was seen."""
    last = events[-1] if events else None
    if last is None or last.blob != LEFT_OUT:
        return events
    try:
        found = Inspector(str(root)).spot(last.path).lstat()
    except OSError:
        return events
    if changed_ns(found) <= nanoseconds(last.at):
        return events
    return [*events, replace(last, actor=Actor.UNKNOWN, reason=CHANGED_UNSEEN)]


def who(base: Base, target: Target, path: str) -> list[PathEvent]:
    """Return what happened to a path, newest first, as far back as is on record: at least since
    the oldest checkpoint that can be restored.

    Raises:
        ProjectUnknown, PathRefused.
        PathUnknown: when no checkpoint ever saw the path change.
    """
    relative = clean_path(path)
    project = require_project(base, target)
    events = [one.event for one in base.catalog.events.since(project.id, None, relative)]
    if not events and not base.catalog.checkpoints.history(target.hash, relative):
        raise PathUnknown(f"no checkpoint of {target.path} ever saw {path!r}")
    return sorted(events, key=lambda event: event.at)[::-1]
