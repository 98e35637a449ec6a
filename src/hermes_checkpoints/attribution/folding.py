"""Folds what happened around checkpoints that are pruned into what the live ones need.

A restore asks what happened to a path since a checkpoint that is still there. So of all that
happened between two live checkpoints one event a path is enough: the last that was seen, with the
actor who has the most to say: nobody knows, a person, an agent, a restore.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace

from hermes_checkpoints.attribution.looks import status_of
from hermes_checkpoints.base.opened import Base
from hermes_checkpoints.catalog.events import Recorded
from hermes_checkpoints.model import Actor, PathEvent

_RANK = {
    Actor.UNKNOWN: 5,
    Actor.PERSON: 4,
    Actor.SINCE: 3,
    Actor.AGENT: 2,
    Actor.UNRECORDED: 1,
    Actor.RESTORE: 0,
}


def fold(base: Base) -> int:
    """Fold the record of every project whose checkpoints were pruned; return how many events
    went. Each project is one transaction."""
    gone = 0
    for project_id in base.catalog.events.unfolded():
        with base.catalog.together():
            gone += _fold_project(base, project_id)
    return gone


def _fold_project(base: Base, project_id: int) -> int:
    live = base.catalog.events.live(project_id)
    rows = base.catalog.events.since(project_id, None)
    groups: dict[tuple[int, str], list[Recorded]] = {}
    for row in rows:
        groups.setdefault((bisect_right(live, row.after), row.event.path), []).append(row)
    there = set(live)
    outdated: list[int] = []
    folded: list[Recorded] = []
    for (place, _), group in groups.items():
        if all(row.after in there for row in group):
            continue
        outdated += [row.id for row in group]
        if place:
            folded += merged(group, live[place - 1])
    base.catalog.events.replace(project_id, outdated, folded)
    base.catalog.turns.fold(project_id, live)
    return len(outdated) - len(folded)


def merged(group: Sequence[Recorded], start: int) -> list[Recorded]:
    """Return what is left of the events of one path between the checkpoint ``start`` and the next
    live one: one event, after that of a restore that brought something from before ``start``."""
    crossing: Recorded | None = None
    past: list[tuple[int, list[Recorded]]] = []
    current: list[Recorded] = []
    for row in group:
        if row.event.actor is Actor.RESTORE and row.target is not None:
            if row.target <= start:
                crossing, past, current = row, [], []
                continue
            earlier = [events for after, events in past if after < row.target]
            current = list(earlier[-1]) if earlier else []
        current = [*current, row]
        past.append((row.after, current))
    kept = [] if crossing is None else [replace(crossing, after=start)]
    if current:
        event = _one([row.event for row in current])
        kept.append(Recorded(event, start, None, current[-1].id))
    return kept


def _one(events: Sequence[PathEvent]) -> PathEvent:
    first, last = events[0], events[-1]
    strongest = max(reversed(events), key=lambda event: _RANK[event.actor])
    others = [
        event.session_id
        for event in events
        if event.actor is Actor.AGENT and event.session_id != strongest.session_id
    ]
    overlaps = strongest.overlaps
    if strongest.actor is Actor.AGENT and others:
        strongest, overlaps = replace(strongest, tool=None), others[-1] or "of no name"
    return replace(
        strongest,
        status=status_of((first.old_blob, first.old_mode), (last.blob, last.mode)),
        old_blob=first.old_blob,
        old_mode=first.old_mode,
        blob=last.blob,
        mode=last.mode,
        at=last.at,
        overlaps=overlaps,
    )
