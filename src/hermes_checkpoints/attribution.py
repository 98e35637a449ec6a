"""Tells who changed a path, and whether a restore that keeps edits may take it back. No I/O.

What differs between the beginning and the end of a turn is the agent's, whether a tool or the
shell did it; what differs between an end and the next beginning is a person's. A path of which
nothing is known stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from hermes_checkpoints.model import (
    Actor,
    AgentWrite,
    Change,
    ChangeStatus,
    PathEvent,
    Turn,
)

Timeline = dict[str, list[PathEvent]]


@dataclass(frozen=True)
class Verdict:
    """Whether a path may be brought back, and the reason for people."""

    restore: bool
    reason: str


@dataclass(frozen=True)
class Record:
    """What the catalog knows of the time since a checkpoint: its turns, oldest first, what each
    changed, what each checkpoint changed and when it was taken, and what tools reported."""

    turns: Sequence[Turn]
    of_turns: Mapping[int, Sequence[Change]]
    of_checkpoints: Mapping[int, Sequence[Change]]
    times: Mapping[int, datetime]
    writes: Sequence[AgentWrite]

    @property
    def open_turn(self) -> Turn | None:
        """The turn that has not ended, if any."""
        last = self.turns[-1] if self.turns else None
        return last if last is not None and last.ended_at is None else None


def timeline(record: Record) -> Timeline:
    """Return what happened to each path, oldest first."""
    events: Timeline = {}
    writes = _by_path(record.writes)
    begun: set[int] = set()
    for turn in record.turns:
        start = turn.start_checkpoint_id
        if start is not None and start not in begun:
            begun.add(start)
            for change in record.of_checkpoints.get(start, ()):
                _add_gap(events, change, record.times[start])
        for change in record.of_turns.get(turn.id, ()):
            _add_turn(events, turn, change, writes.get(change.path, ()))
    return events


def judge(change: Change, record: Record, events: Timeline, session: str | None) -> Verdict:
    """Decide on a path that differs between the present (``old_*``) and a checkpoint
    (``new_*``). ``session`` limits what may be taken back to what that session changed."""
    known = list(events.get(change.path, ()))
    if not known or not _is_now(known[-1], change):
        known += _since_the_last(change, record, bool(known))
    if not known:
        return Verdict(False, "no record of who changed it")
    if any(event.actor is Actor.PERSON for event in known):
        agent_before = any(event.actor is Actor.AGENT for event in known)
        after = " after the agent" if agent_before else ""
        return Verdict(False, f"you changed it{after}")
    if session is not None:
        for event in known:
            if event.actor is not Actor.RESTORE and event.session_id != session:
                return Verdict(False, f"{event.session_id or 'no'} session changed it")
            if event.overlaps and event.tool is None:
                return Verdict(False, f"session {event.overlaps} was at work, too")
    return Verdict(True, _reason(known[-1], change))


def _reason(event: PathEvent, change: Change) -> str:
    verb = {ChangeStatus.DELETED: "created", ChangeStatus.ADDED: "deleted"}.get(
        change.status, "changed"
    )
    if event.actor is Actor.RESTORE:
        return f"{verb} by a restore"
    if event.actor is Actor.SINCE:
        return f"{verb} since the checkpoint"
    return f"agent {verb} ({event.tool})" if event.tool else f"shell {verb}"


def _since_the_last(change: Change, record: Record, earlier: bool) -> list[PathEvent]:
    """Return the events that no checkpoint or end of a turn has seen yet."""
    turn = record.open_turn
    if turn is None:
        known = earlier or bool(record.turns)
        return [_person(change.path, change, _last_time(record))] if known else []
    reported = _of_turn(turn, [w for w in record.writes if w.path == change.path])
    event = PathEvent(
        change.path,
        _flipped(change.status),
        turn.actor,
        turn.session_id,
        turn.turn,
        None,
        change.old_blob,
        change.old_mode,
        turn.started_at,
        turn.overlaps,
    )
    return _refined(event, reported)


def _refined(event: PathEvent, reported: Sequence[AgentWrite]) -> list[PathEvent]:
    """Name the tool of an event, and add a person's where the contents are not what the tool
    last wrote."""
    if not reported:
        return [event]
    last = reported[-1]
    mine = replace(
        event,
        actor=Actor.AGENT,
        tool=last.tool or "tool",
        session_id=last.session_id or event.session_id,
        turn=last.turn if last.turn is not None else event.turn,
    )
    if last.blob is not None and event.blob is not None and event.blob != last.blob:
        return [
            replace(mine, blob=last.blob, at=last.written_at),
            replace(event, actor=Actor.PERSON, session_id=None, turn=None, overlaps=None),
        ]
    return [mine]


def _add_gap(events: Timeline, change: Change, at: datetime) -> None:
    known = events.get(change.path)
    if known and _same(known[-1].blob, known[-1].mode, change.new_blob, change.new_mode, change):
        return  # the end of the turn had it so already
    events.setdefault(change.path, []).append(_person(change.path, _turned(change), at))


def _add_turn(events: Timeline, turn: Turn, change: Change, writes: Sequence[AgentWrite]) -> None:
    event = PathEvent(
        change.path,
        change.status,
        turn.actor,
        turn.session_id,
        turn.turn,
        None,
        change.new_blob,
        change.new_mode,
        turn.ended_at or turn.started_at,
        turn.overlaps,
    )
    reported = _of_turn(turn, writes) if turn.actor is not Actor.RESTORE else ()
    events.setdefault(change.path, []).extend(_refined(event, reported))


def _of_turn(turn: Turn, writes: Sequence[AgentWrite]) -> list[AgentWrite]:
    end = turn.ended_at
    return [
        w for w in writes if w.written_at >= turn.started_at and (not end or w.written_at <= end)
    ]


def _person(path: str, now: Change, at: datetime) -> PathEvent:
    status = _flipped(now.status)
    return PathEvent(path, status, Actor.PERSON, None, None, None, now.old_blob, now.old_mode, at)


def _turned(change: Change) -> Change:
    """Return a change as seen from its end."""
    return replace(
        change,
        status=_flipped(change.status),
        old_blob=change.new_blob,
        new_blob=change.old_blob,
        old_mode=change.new_mode,
        new_mode=change.old_mode,
    )


def _flipped(status: ChangeStatus) -> ChangeStatus:
    return {
        ChangeStatus.ADDED: ChangeStatus.DELETED,
        ChangeStatus.DELETED: ChangeStatus.ADDED,
    }.get(status, status)


def _is_now(event: PathEvent, change: Change) -> bool:
    """Whether a path is now as an event left it."""
    return _same(event.blob, event.mode, change.old_blob, change.old_mode, change)


def _same(
    blob: str | None, mode: int | None, other_blob: str | None, other_mode: int | None, by: Change
) -> bool:
    if (mode is None) != (other_mode is None):
        return False  # one of them is absent
    # A change of permissions alone names no blob; then the modes decide.
    only_bits = by.old_blob is None and by.new_blob is None
    blobs = blob is None or only_bits or blob == other_blob
    return blobs and mode == other_mode


def _by_path(writes: Iterable[AgentWrite]) -> dict[str, list[AgentWrite]]:
    found: dict[str, list[AgentWrite]] = {}
    for write in writes:
        found.setdefault(write.path, []).append(write)
    return found


def _last_time(record: Record) -> datetime:
    last = record.turns[-1]
    return last.ended_at or last.started_at
