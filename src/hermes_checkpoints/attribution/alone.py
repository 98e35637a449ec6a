"""Tells who changed files that are captured alone, in a directory that no take captures as a whole.

Nobody looks at such a directory between two checkpoints, so no turn says who was at work there.
Known is what a tool reported and what a restore wrote; of all else there is no record, and a
restore that keeps edits keeps it.
"""

from __future__ import annotations

import contextlib
import stat
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from hermes_checkpoints.attribution.looks import (
    RECORD_LOST,
    Interval,
    State,
    attribute,
    status_of,
)
from hermes_checkpoints.attribution.observing import by_path
from hermes_checkpoints.attribution.turns import over_in
from hermes_checkpoints.attribution.verdict import Record, Verdict, judge, lineage
from hermes_checkpoints.base.opened import Base, Target
from hermes_checkpoints.catalog import Recorded
from hermes_checkpoints.errors import GitFailed, StoreDamaged
from hermes_checkpoints.fs.inspect import Inspector
from hermes_checkpoints.git import Git
from hermes_checkpoints.model import Actor, Change, Checkpoint, PathEvent, ProjectRecord
from hermes_checkpoints.object_store import TreeState, list_entries
from hermes_checkpoints.object_store.named import told_of

_MISSING: State = (None, None)


def see_alone(
    base: Base, project: ProjectRecord, states: Mapping[str, State], now: datetime
) -> list[PathEvent]:
    """Return what happened to some paths since each was seen last. ``states`` are the contents and
    modes that they have now. Nothing is written."""
    recorded = by_path(base.catalog.events.of_paths(project.id, sorted(states)))
    changes = []
    for path, state in sorted(states.items()):
        before = _seen_last(base, project, path, recorded.get(path, []))
        if before != state:
            status = status_of(before, state)
            changes.append(Change(path, status, before[0], state[0], before[1], state[1]))
    if not changes:
        return []
    planned: dict[str, list[State]] = {}
    for plan in base.catalog.events.cut_short(project.id):
        planned.setdefault(plan.path, []).append((plan.blob, plan.mode))
    reports = {write.path: write for write in base.catalog.turns.writes(project.id)}
    interval = Interval(now, otherwise=Actor.UNKNOWN, fresh=reports, planned=planned)
    return [
        replace(event, reason=RECORD_LOST) if event.actor is Actor.UNKNOWN else event
        for event in attribute(changes, interval)
    ]


def note_alone(base: Base, project: ProjectRecord, after: int, states: Mapping[str, State]) -> None:
    """Record what happened to some paths since each was seen last, where ``after`` is the row of
    the last checkpoint before this look. What tools reported of them is seen now. It is a part of
    the caller's transaction."""
    base.catalog.events.add(project.id, after, see_alone(base, project, states, base.now()))
    base.catalog.turns.forget_writes(project.id, sorted(states))


def seen_as_a_whole(base: Base, git: Git, target: Target, now: TreeState) -> dict[str, State]:
    """Return the contents and modes that the first whole checkpoint has ``now`` of the paths that
    partial ones before it tell of: nothing is compared with these. What lies there and is not
    captured is not among them."""
    told: set[str] = set()
    for one in base.catalog.checkpoints.list(target.hash):
        if one.partial:
            with contextlib.suppress(StoreDamaged, GitFailed):  # it can no longer be restored
                told.update(told_of(git, base.store.state(one.id, one.tree_id)))
    if not told:
        return {}
    held = list_entries(git, now.tree_id)
    look = Inspector(str(target.path))
    states = {path: _MISSING for path in told if not look.exists(path)}
    for path in told & held.keys():
        mode = held[path].mode
        states[path] = held[path].object_id, stat.S_IFMT(mode) | now.meta.bits(path, mode)
    return states


def verdicts_alone(
    base: Base, checkpoint: Checkpoint, changes: Mapping[str, Change], session_id: str | None
) -> dict[str, Verdict]:
    """Return of each changed path of a partial checkpoint whether it may be brought back.
    ``changes`` lead from the present to the checkpoint."""
    project = base.catalog.projects.get(checkpoint.project_hash)
    if project is None:
        return {}
    events = by_path(base.catalog.events.since(project.id, checkpoint._row))
    states = {path: (change.old_blob, change.old_mode) for path, change in changes.items()}
    for event in see_alone(base, project, states, base.now()):
        events.setdefault(event.path, []).append(Recorded(event, checkpoint._row))
    told = {path: lineage(found) for path, found in events.items()}
    over = over_in(base, project.id, told) if session_id is not None else frozenset()
    record = Record(told, agents=True, over=over)
    return {path: judge(change, record, session_id) for path, change in changes.items()}


def _seen_last(
    base: Base, project: ProjectRecord, path: str, recorded: Sequence[Recorded]
) -> State:
    """Return how a path was found when it was seen last: by a checkpoint that tells of it, or by a
    look since."""
    told = base.catalog.checkpoints.history(project.hash, path)
    if recorded and (not told or recorded[-1].after >= told[0][0]._row):
        return recorded[-1].event.blob, recorded[-1].event.mode
    if told:
        return told[0][1].new_blob, told[0][1].new_mode
    return _MISSING
