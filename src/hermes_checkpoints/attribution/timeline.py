"""Tells what happened to each path since a checkpoint, and by whom, from the rows. No I/O.

Every checkpoint is walked, also one that no turn began at: what it saw and no turn had left so,
a person did. So is what it saw put back, to what the checkpoint before it has.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property

from hermes_checkpoints.model import Actor, AgentWrite, Change, ChangeStatus, PathEvent, Turn

Timeline = dict[str, list[PathEvent]]


@dataclass(frozen=True)
class Record:
    """What the catalog knows of the time since a checkpoint: its turns, oldest first, what each
    changed, what each later checkpoint changed, when each was taken, what tools reported, and
    the states of the checkpoints, that of the first included.

    ``unrecorded`` says that nobody could record anything before the first of the turns."""

    turns: Sequence[Turn]
    of_turns: Mapping[int, Sequence[Change]]
    of_checkpoints: Mapping[int, Sequence[Change]]
    times: Mapping[int, datetime]
    writes: Sequence[AgentWrite]
    states: Mapping[int, str] = field(default_factory=dict)
    unrecorded: bool = False

    @property
    def open_turn(self) -> Turn | None:
        """The turn that has not ended, if any."""
        last = self.turns[-1] if self.turns else None
        return last if last is not None and last.ended_at is None else None

    @cached_property
    def reported(self) -> Mapping[str, Sequence[AgentWrite]]:
        """What tools reported, by path."""
        found: dict[str, list[AgentWrite]] = {}
        for write in self.writes:
            found.setdefault(write.path, []).append(write)
        return found

    @cached_property
    def looks(self) -> Sequence[datetime]:
        """When the whole directory was looked at, oldest first."""
        turns = [turn for turn in self.turns if turn.actor is not Actor.RESTORE]
        ends = {turn.ended_at for turn in turns if turn.ended_at is not None}
        return sorted({*self.times.values(), *(turn.started_at for turn in turns), *ends})

    @cached_property
    def agents(self) -> bool:
        """Whether an agent had a turn, or may have had one."""
        return any(turn.actor in (Actor.AGENT, Actor.UNKNOWN) for turn in self.turns)

    def is_persons(self, event: PathEvent) -> bool:
        """Tell whether an event counts as a person's edit. What follows a checkpoint by hand does
        so where agents have turns of their own."""
        if event.actor is Actor.SINCE:
            return self.agents and event.session_id is None
        return event.actor is Actor.PERSON


def with_contents(
    record: Record, changes: Mapping[str, Change]
) -> tuple[Record, dict[str, Change]]:
    """Name the contents in changes of permissions alone, so that an edit between two of them is
    seen. ``changes`` lead from the present to the checkpoint, by path.

    What stays without a name has the contents of the checkpoint.
    """
    then = _contents_then(record, changes)
    current = dict(then)
    left = sorted(record.of_checkpoints, reverse=True)
    of_checkpoints: dict[int, Sequence[Change]] = {}
    of_turns: dict[int, Sequence[Change]] = {}

    def see(until: int | None) -> None:
        while left and (until is None or left[-1] <= until):
            id_ = left.pop()
            named = [_named(change, current) for change in record.of_checkpoints[id_]]
            of_checkpoints[id_] = named
            current.update((change.path, change.new_blob) for change in named)

    for turn in record.turns:
        see(turn.start_checkpoint_id or 0)
        found = record.of_turns.get(turn.id, ())
        of_turns[turn.id] = [_named(change, current) for change in found]
    see(None)
    return (
        replace(record, of_turns=of_turns, of_checkpoints=of_checkpoints),
        {path: _named(change, then) for path, change in changes.items()},
    )


def _contents_then(record: Record, changes: Mapping[str, Change]) -> dict[str, str | None]:
    """Return the contents that paths had at the checkpoint, None where they were missing."""
    turns = [turn for turn in record.turns if turn.actor is not Actor.RESTORE]
    seen = [record.of_checkpoints[id_] for id_ in sorted(record.of_checkpoints)]
    seen += [record.of_turns.get(turn.id, ()) for turn in turns]
    then: dict[str, str | None] = {
        path: change.new_blob for path, change in changes.items() if not _of_bits(change)
    }
    for change in (change for found in seen for change in found):
        if not _of_bits(change):
            then.setdefault(change.path, change.old_blob)
    return then


def _of_bits(change: Change) -> bool:
    """Tell whether permissions alone have changed."""
    return change.old_blob is None and change.new_blob is None and change.new_mode is not None


def _named(change: Change, contents: Mapping[str, str | None]) -> Change:
    if not _of_bits(change):
        return change
    blob = contents.get(change.path)
    return replace(change, old_blob=blob, new_blob=blob)


def timeline(record: Record) -> Timeline:
    """Return what happened to each path, oldest first."""
    events: Timeline = {}
    left = sorted({*record.times, *record.of_checkpoints}, reverse=True)
    by_the_last_turn: list[Change] = []

    def look(found: Sequence[Change], at: datetime) -> None:
        """See the directory as the checkpoint before has it, but for what is ``found``."""
        paths = {change.path for change in found}
        for change in by_the_last_turn:
            if change.path not in paths:
                known = events[change.path]
                known += gap(record, known, turned(change), at, at)
        by_the_last_turn.clear()
        for change in found:
            _add_gap(events, record, change, at)

    def gaps(until: int | None) -> None:
        while left and (until is None or left[-1] <= until):
            id_ = left.pop()
            look(record.of_checkpoints.get(id_, ()), record.times[id_])

    gaps(record.turns[0].start_checkpoint_id or 0 if record.turns else None)
    if record.unrecorded:
        for known in events.values():
            known[:] = [as_unrecorded(event) for event in known]
    for turn in record.turns:
        if turn.start_checkpoint_id is not None:
            gaps(turn.start_checkpoint_id)
        look((), turn.started_at)  # where nothing had changed, no checkpoint was added
        for change in record.of_turns.get(turn.id, ()):
            by_the_last_turn.append(_add_turn(events, record, turn, change))
    gaps(None)
    return events


def refined(event: PathEvent, reported: Sequence[AgentWrite]) -> list[PathEvent]:
    """Name the tool of an event, and add a person's where the contents are not what the tool
    last wrote."""
    if not reported:
        return [event]
    last = reported[-1]
    mine = _by_tool(event, last)
    if _differs(event, last):
        return [
            replace(mine, blob=last.blob, at=last.written_at),
            replace(event, actor=Actor.PERSON, session_id=None, turn=None, overlaps=None),
        ]
    return [mine]


def _by_tool(event: PathEvent, write: AgentWrite) -> PathEvent:
    """Return an event as the doing of the tool that reported a write."""
    return replace(
        event,
        actor=Actor.AGENT,
        tool=write.tool or "tool",
        session_id=write.session_id or event.session_id,
        turn=write.turn if write.turn is not None else event.turn,
    )


def _differs(event: PathEvent, last: AgentWrite) -> bool:
    """Tell whether a path is otherwise than a tool said last; a report without contents is of a
    path that was missing, or held what no checkpoint captures."""
    if event.mode is None:
        return last.blob is not None
    # Without a name are the contents of the checkpoint, whatever they are.
    return event.blob is not None and event.blob != last.blob


def _add_gap(events: Timeline, record: Record, change: Change, at: datetime) -> None:
    known = events.setdefault(change.path, [])
    if known and is_same(known[-1], change.new_blob, change.new_mode):
        return  # the end of the turn had it so already
    known += gap(record, known, change, at, at)


def gap(
    record: Record,
    known: Sequence[PathEvent],
    change: Change,
    at: datetime,
    seen: datetime | None,
) -> list[PathEvent]:
    """Return what happened outside of turns to a path that was then as ``new_*``: a person's
    edit, unless a tool reported to have written that very thing, or deleted it, since the look
    before the one that saw it. ``seen`` is the time of that one, or None if none has yet."""
    person = PathEvent(
        change.path,
        change.status,
        Actor.PERSON,
        None,
        None,
        None,
        change.new_blob,
        change.new_mode,
        at,
    )
    earlier = len(record.looks) if seen is None else bisect_left(record.looks, seen)
    before = [*record.looks[:earlier][-1:], *(event.at for event in known[-1:])]
    after = max(before, default=None)
    reported = [
        write
        for write in record.reported.get(change.path, ())
        if (after is None or write.written_at > after)
        and (seen is None or write.written_at <= seen)
        and write.blob == change.new_blob
        and (write.blob is None) == (change.new_mode is None)
    ]
    return [_by_tool(person, reported[-1]) if reported else person]


def as_unrecorded(event: PathEvent) -> PathEvent:
    """Return an event that nobody could record: whose it was is not known, unless a tool said."""
    return replace(event, actor=Actor.UNRECORDED) if event.actor is Actor.PERSON else event


def _add_turn(events: Timeline, record: Record, turn: Turn, change: Change) -> Change:
    """Add what a turn changed, and return it with what was before, which a restore leaves out."""
    known = events.setdefault(change.path, [])
    reported: Sequence[AgentWrite] = ()
    if turn.actor is not Actor.RESTORE:
        reported = of_turn(turn, record.reported.get(change.path, ()))
    elif known:
        change = replace(change, old_blob=known[-1].blob, old_mode=known[-1].mode)
    known += refined(event_of(turn, change, turn.ended_at or turn.started_at), reported)
    return change


def event_of(turn: Turn, change: Change, at: datetime) -> PathEvent:
    """Return what a turn did to a path that it left as ``new_*``."""
    return PathEvent(
        change.path,
        change.status,
        turn.actor,
        turn.session_id,
        turn.turn,
        None,
        change.new_blob,
        change.new_mode,
        at,
        turn.overlaps,
    )


def of_turn(turn: Turn, writes: Sequence[AgentWrite]) -> list[AgentWrite]:
    end = turn.ended_at
    return [
        w for w in writes if w.written_at >= turn.started_at and (not end or w.written_at <= end)
    ]


_TURNED = {ChangeStatus.ADDED: ChangeStatus.DELETED, ChangeStatus.DELETED: ChangeStatus.ADDED}


def turned(change: Change) -> Change:
    """Return a change as seen from its end."""
    return replace(
        change,
        status=_TURNED.get(change.status, change.status),
        old_blob=change.new_blob,
        new_blob=change.old_blob,
        old_mode=change.new_mode,
        new_mode=change.old_mode,
    )


def is_same(event: PathEvent, blob: str | None, mode: int | None) -> bool:
    """Tell whether a path with these contents and this mode is as an event left it."""
    return (event.blob, event.mode) == (blob, mode)
