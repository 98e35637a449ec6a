"""Decides whether a restore that keeps edits may take a path back, and says why. No I/O.

What differs between the beginning and the end of a turn is the agent's, whether a tool or the
shell did it; what differs between an end and the next beginning is a person's. What changed where
nothing could be recorded yet comes back, as it did before there was a record; a path whose record
is lost stays as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hermes_checkpoints.attribution.timeline import (
    Record,
    Timeline,
    as_unrecorded,
    event_of,
    gap,
    is_same,
    of_turn,
    refined,
    turned,
)
from hermes_checkpoints.model import Actor, Change, ChangeStatus, PathEvent, Turn

NO_RECORD = "no record of who changed it"


@dataclass(frozen=True)
class Verdict:
    """Whether a path may be brought back, and the reason for people."""

    restore: bool
    reason: str


def judge(change: Change, record: Record, events: Timeline, session: str | None) -> Verdict:
    """Decide on a path that differs between the present (``old_*``) and a checkpoint
    (``new_*``). Both ``change`` and ``record`` are ``with_contents``. ``session`` limits what
    may be taken back to what that session changed."""
    known = list(events.get(change.path, ()))
    if not known or not is_same(known[-1], change.old_blob, change.old_mode):
        known += _since_the_last(change, record, known)
    if not known or any(event.actor is Actor.UNKNOWN for event in known):
        return Verdict(False, NO_RECORD)
    if any(record.is_persons(event) for event in known):
        agent_before = any(event.actor is Actor.AGENT for event in known)
        after = " after the agent" if agent_before else ""
        return Verdict(False, f"you changed it{after}")
    created = change.status is ChangeStatus.DELETED  # the checkpoint lacks it
    if created and any(event.actor is Actor.UNRECORDED for event in known):
        return Verdict(False, NO_RECORD)
    if session is not None:
        for event in known:
            if event.actor is not Actor.RESTORE and event.session_id != session:
                return Verdict(False, f"{event.session_id or 'no'} session changed it")
            if event.overlaps and event.tool is None:
                return Verdict(False, f"session {event.overlaps} was at work, too")
    return Verdict(True, _reason(known[-1], change))


def only_turns(record: Record, then: str, now: str) -> bool:
    """Tell whether nothing at all happened between the states ``then`` and ``now`` outside of
    turns, so that even what has no record of its own, as directories, was the agent's."""
    end = then
    for turn in record.turns:
        start = record.states.get(turn.start_checkpoint_id or 0)
        if start != end or turn.actor in (Actor.RESTORE, Actor.UNRECORDED, Actor.UNKNOWN):
            return False
        if turn.actor is Actor.SINCE and record.agents:
            return False
        end = _end_state(turn, record, now)
    return bool(record.turns) and end == now


def _end_state(turn: Turn, record: Record, now: str) -> str:
    if turn.ended_at is None:
        return now
    if turn.ended_by == "host":
        return turn.end_state or ""
    start = turn.start_checkpoint_id or 0
    following = [t for t in record.turns if t.id > turn.id]
    if following and following[0].start_checkpoint_id == start:
        return record.states.get(start, "")
    later = [id_ for id_ in record.states if id_ > start]
    return record.states[min(later)] if later else record.states.get(start, "")


def _reason(event: PathEvent, change: Change) -> str:
    verb = {ChangeStatus.DELETED: "created", ChangeStatus.ADDED: "deleted"}.get(
        change.status, "changed"
    )
    if event.actor is Actor.RESTORE:
        return f"{verb} by a restore"
    if event.actor is Actor.SINCE:
        return f"{verb} since the checkpoint"
    if event.actor is Actor.UNRECORDED:
        return f"{verb} before any record"
    return f"agent {verb} ({event.tool})" if event.tool else f"shell {verb}"


def _since_the_last(change: Change, record: Record, known: Sequence[PathEvent]) -> list[PathEvent]:
    """Return the events that no checkpoint or end of a turn has seen yet."""
    turn = record.open_turn
    if turn is None and record.turns:
        last = record.turns[-1]
        return gap(record, known, turned(change), last.ended_at or last.started_at, None)
    if turn is None:
        if not record.unrecorded:
            return []
        at = max(record.times.values())
        return [as_unrecorded(event) for event in gap(record, known, turned(change), at, None)]
    event = event_of(turn, turned(change), turn.started_at)
    return refined(event, of_turn(turn, record.reported.get(change.path, ())))
