"""Folds what happened around checkpoints that are pruned into what the live ones need.

A verdict asks what made a path what it is since a checkpoint that is there. So of all that happened
to a path between two live checkpoints, what made it what it is at the second one is enough, and of
that the last event of each kind: every verdict stays the same.

A restore takes a path back to its past at its target. Where that checkpoint is pruned, what
happened before it and what happened after it stay apart, as if somebody could still go back to it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import NamedTuple

from hermes_checkpoints.attribution.looks import status_of
from hermes_checkpoints.attribution.observing import by_path, named
from hermes_checkpoints.catalog import Catalog
from hermes_checkpoints.catalog.events import Events
from hermes_checkpoints.catalog.recorded import Recorded
from hermes_checkpoints.model import Actor, PathEvent

_PATHS = 500
"""How many paths are folded in one transaction."""


def fold(catalog: Catalog) -> int:
    """Fold the record of every project with events at pruned checkpoints; return how many events
    went. Each transaction is short, and many small projects share one; a kill in between costs
    nothing but the rest."""
    events, gone = catalog.events, 0
    waiting = deque(_pieces(events))
    while waiting:
        together, room = [], _PATHS
        while waiting and room > 0:
            together.append(waiting.popleft())
            room -= len(together[-1].paths) + 1
        with catalog.together(durable=False):  # what a power cut takes back is folded again
            gone += _fold(events, {piece.project_id: piece.paths for piece in together})
            catalog.turns.fold([piece.project_id for piece in together if piece.is_last])
    return gone


class _Piece(NamedTuple):
    """Some paths of a project that are folded together; ``is_last`` after all others of it."""

    project_id: int
    paths: Sequence[str]
    is_last: bool


def _pieces(events: Events) -> Iterator[_Piece]:
    for project_id, paths in events.unfolded_paths(events.unfolded()).items():
        for start in range(0, max(len(paths), 1), _PATHS):
            end = start + _PATHS
            yield _Piece(project_id, paths[start:end], end >= len(paths))


def _fold(events: Events, paths: Mapping[int, Sequence[str]]) -> int:
    """Fold some paths of some projects; return how many events went."""
    live = events.live([*paths])
    outdated: list[int] = []
    added: list[tuple[int, Recorded]] = []
    for project_id, recorded in events.of_projects(paths).items():
        for rows in by_path(recorded).values():
            kept = folded(rows, live[project_id])
            before = {row.id: row for row in rows}
            same = {row.id for row in kept if before.get(row.id) == row}
            outdated += [id_ for id_ in before if id_ not in same]
            added += [(project_id, row) for row in kept if row.id not in same]
    events.replace(outdated, added)
    return len(outdated) - len(added)


@dataclass(frozen=True, eq=False)
class _Past:
    """What made a path what it is: the past ``before`` and then an ``event``. The first of them has
    no event, but the past that the path had at a checkpoint, ``jump``, or that it has at the last
    point, if None."""

    jump: int | None = None
    before: _Past | None = None
    event: PathEvent | None = None

    def then(self, event: PathEvent) -> _Past:
        return _Past(self.jump, self, event)

    def backwards(self) -> Iterator[PathEvent]:
        """Yield the events, newest first."""
        past: _Past | None = self
        while past is not None and past.event is not None:
            yield past.event
            past = past.before


class _Path:
    """Follows the events of one path, oldest first, with what made it what it is after each.

    ``points`` are the checkpoints between which all that happened is folded, in order.
    """

    def __init__(self, points: Sequence[int]) -> None:
        self.points = points
        self.seen: dict[int, list[tuple[int, _Past]]] = {}

    def place(self, checkpoint: int) -> int:
        """Return how many points are not after a checkpoint."""
        return bisect_right(self.points, checkpoint)

    def follow(self, row: Recorded, event: PathEvent) -> _Past:
        place = self.place(row.after)
        past = self._before(row, place).then(event)
        self.seen.setdefault(place, []).append((row.after, past))
        return past

    def _before(self, row: Recorded, place: int) -> _Past:
        target = row.target
        if target is None or self.place(target) >= place:
            return self._last(place, target)
        if self.place(target) == 0:  # nobody asks for the time before
            return _Past(self.points[0])
        return _Past(target)

    def _last(self, place: int, before: int | None) -> _Past:
        """Return the past at a checkpoint, or now, as that since the point before it."""
        for after, past in reversed(self.seen.get(place, ())):
            if before is None or after < before:
                return past
        return _Past()


def folded(rows: Sequence[Recorded], live: Sequence[int]) -> list[Recorded]:
    """Return the events that are left of those of one path, oldest first.

    ``live`` are the checkpoints to which somebody can go back, in order. Events with the number 0
    come after all that the catalog has.
    """
    points = list(live)
    while True:
        kept = _between(rows, points)
        targets = {row.target for row in kept if row.target is not None and live}
        apart = {target for target in targets if target > live[0]}.difference(points)
        if not apart:
            return list(_in_order(kept))
        points = sorted([*points, *apart])


def _between(rows: Sequence[Recorded], points: Sequence[int]) -> list[Recorded]:
    """Return what is left of the events of a path between each two points."""
    path, there = _Path(points), set(points)
    kept: list[Recorded] = []
    for place, group in groupby(rows, lambda row: path.place(row.after)):
        its = list(group)
        events = named(its)
        pasts = [path.follow(row, event) for row, event in zip(its, events, strict=True)]
        if place == 0:
            continue
        if all(row.after in there for row in its):
            kept += its
        else:
            kept += _written(its, events, pasts[-1], points[place - 1])
    return kept


def _written(
    rows: Sequence[Recorded], events: Sequence[PathEvent], past: _Past, after: int
) -> list[Recorded]:
    """Return the events that say the same as ``rows``, which are the last ones of a ``past``."""
    left = _telling(past.backwards())
    first, last = events[0], events[-1]
    left[0] = replace(left[0], old_blob=first.old_blob, old_mode=first.old_mode)
    left[-1] = replace(left[-1], blob=last.blob, mode=last.mode)
    left = [
        replace(one, status=status_of((one.old_blob, one.old_mode), (one.blob, one.mode)))
        for one in left
    ]
    new = max(len(left) - len(rows), 0)
    ids = [0] * new + [row.id for row in rows[-len(left) :]]
    found = [Recorded(event, after, None, id_) for event, id_ in zip(left, ids, strict=True)]
    found[0] = replace(found[0], target=past.jump)
    return found


def _telling(backwards: Iterable[PathEvent]) -> list[PathEvent]:
    """Return the last event of each kind, oldest first: no verdict tells more of them apart. Each
    session is a kind of its own, since nobody knows which of them will be over."""
    kept: dict[_Kind, PathEvent] = {}
    for event in backwards:
        if not kept or event.actor is not Actor.RESTORE:
            kept.setdefault(_kind(event), event)
    return [*kept.values()][::-1]


_Kind = tuple[Actor, str | None, str | None]


def _kind(event: PathEvent) -> _Kind:
    return event.actor, event.session_id, event.overlaps if event.tool is None else None


def _in_order(rows: Iterable[Recorded]) -> Iterator[Recorded]:
    """Yield events under numbers that grow: all after a new one are new, too."""
    new = False
    for row in rows:
        new = new or row.id == 0
        yield replace(row, id=0) if new else row
