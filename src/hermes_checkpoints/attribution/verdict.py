"""Decides whether a restore that keeps edits may take a path back, and says why. No I/O.

The answer is a fold over what happened to the path since the checkpoint: the agent's work is taken
back, a person's stays, and what nobody can know stays with its reason. docs/attribution.md has the
rules and a table of histories with the answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from hermes_checkpoints.attribution.looks import RECORD_LOST
from hermes_checkpoints.catalog.recorded import Recorded
from hermes_checkpoints.model import Actor, Change, ChangeStatus, PathEvent
from hermes_checkpoints.model.whose import hand_of

NO_RECORD = RECORD_LOST
_BEFORE = "before any record"
_ANOTHERS = " session changed it"
_OVERLAPPING = " was at work, too"


@dataclass(frozen=True)
class Verdict:
    """Whether a path may be brought back, and the reason for people."""

    restore: bool
    reason: str


@dataclass(frozen=True)
class Record:
    """What the catalog knows of the time since a checkpoint: the events of each path, oldest
    first, whether an agent was at work since, or may have been, and whether the checkpoint was
    imported, from a time of which there is no record. The processes of the sessions ``over`` are
    gone."""

    events: Mapping[str, Sequence[PathEvent]]
    agents: bool
    imported: bool = False
    over: frozenset[str] = frozenset()


def lineage(recorded: Iterable[Recorded]) -> list[PathEvent]:
    """Return what made one path what it is, oldest first.

    A restore brought the path back to what it was at its target, with the past that it had then:
    what came between is in it no more. So an undo, whose target is the checkpoint before the
    restore, brings a person's edit back as a person's.
    """
    past: list[tuple[int, list[PathEvent]]] = []
    current: list[PathEvent] = []
    for one in recorded:
        if one.target is not None:
            earlier = [events for after, events in past if after < one.target]
            current = earlier[-1] if earlier else []
        current = [*current, one.event]
        past.append((one.after, current))
    return current


def judge(change: Change, record: Record, session: str | None) -> Verdict:
    """Decide on a path that differs between the present (``old_*``) and a checkpoint
    (``new_*``). In a ``session``, what the agent of another one changed is kept, unless the
    process of that one is gone. The first rule that fits is the answer."""
    events = record.events.get(change.path, ())
    created = change.status is ChangeStatus.DELETED  # the checkpoint lacks it

    # 1. Nobody can know who did it. Before there was a record, captured files come back.
    unknown = [event for event in events if event.actor is Actor.UNKNOWN]
    if unknown:
        return Verdict(False, unknown[-1].reason or NO_RECORD)
    if not events:
        come_back = record.imported and not created
        return Verdict(come_back, f"{_verb(change)} {_BEFORE}" if come_back else NO_RECORD)
    if created and any(event.actor is Actor.UNRECORDED for event in events):
        return Verdict(False, NO_RECORD)

    # 2. One edit of a person is enough. Where no agent was at work, it is what is to come back.
    persons = [event for event in events if is_persons(event)]
    if persons and record.agents:
        agent_before = any(event.actor is Actor.AGENT for event in events)
        after = " after the agent" if agent_before else ""
        return Verdict(False, f"you changed it{after}")
    if created and any(event.actor is Actor.PERSON for event in persons):
        return Verdict(False, "you created it")

    # 3. The work of another session stays.
    if session is not None:
        other = anothers(record, change.path, session)
        if other is not None:
            return Verdict(False, other)

    # 4. All else was the agent's, or a restore's.
    return Verdict(True, _reason(events[-1], change))


def anothers(record: Record, path: str, session: str) -> str | None:
    """Return why a path is the work of another session than ``session``, or may be, if so."""
    for event in record.events.get(path, ()):
        by_agent = event.actor is Actor.AGENT or event.session_id is not None
        if by_agent and event.session_id != session and event.session_id not in record.over:
            return f"{event.session_id or 'no'}{_ANOTHERS}"
        if event.overlaps not in (None, session, *record.over) and event.tool is None:
            return f"session {event.overlaps}{_OVERLAPPING}"
    return None


def is_anothers(reason: str) -> bool:
    """Tell whether a reason is that of another session's work."""
    return reason.endswith((_ANOTHERS, _OVERLAPPING))


def is_persons(event: PathEvent) -> bool:
    """Tell whether a change was a person's."""
    return hand_of(event.actor, event.session_id) is Actor.PERSON


def _reason(event: PathEvent, change: Change) -> str:
    verb = _verb(change)
    if event.actor is Actor.RESTORE:
        return f"{verb} by a restore"
    if event.actor in (Actor.SINCE, Actor.PERSON):
        return f"{verb} since the checkpoint"
    if event.actor is Actor.UNRECORDED:
        return f"{verb} {_BEFORE}"
    return f"agent {verb} ({event.tool})" if event.tool else f"shell {verb}"


def _verb(change: Change) -> str:
    verbs = {ChangeStatus.DELETED: "created", ChangeStatus.ADDED: "deleted"}
    return verbs.get(change.status, "changed")
