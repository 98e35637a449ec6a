"""Tells what agents did to a path in between what others did, so that it can be taken out alone.

A *stretch* is what an agent made of a path between two changes of others, or one change of others,
as it was seen. Done again without those of agents, the others' are what is left. That needs the
contents before and after each, and a record without a gap from the checkpoint to the present. No
I/O.
"""

from __future__ import annotations

import stat
from collections.abc import Sequence
from dataclasses import dataclass, replace

from hermes_checkpoints.attribution.looks import LEFT_OUT, RECORD_LOST, State
from hermes_checkpoints.attribution.observing import named
from hermes_checkpoints.attribution.verdict import is_persons, lineage
from hermes_checkpoints.catalog.recorded import Recorded
from hermes_checkpoints.model import Actor, PathEvent

GAP = "the record of who changed it has a gap"
NO_FILE = "it was no file, or not captured, in between"


@dataclass(frozen=True)
class Stretch:
    """What an agent, or somebody else, made of a path: its contents and full mode ``before`` and
    ``after``."""

    before: State
    after: State
    agents: bool


def stretches_of(recorded: Sequence[Recorded], now: State, then: State) -> list[Stretch] | str:
    """Return what agents and others did to a file since a checkpoint, oldest first, or why that
    cannot be told apart. ``recorded`` is what happened to it since, ``now`` and ``then`` are how it
    is and how the checkpoint has it.

    For example, of an agent in two turns, and of a person who edits twice, it returns three: of
    the agent's, one that leads over both.
    """
    rows = [replace(row, event=event) for row, event in zip(recorded, named(recorded), strict=True)]
    found: list[Stretch] = []
    at = then
    agents_before = False
    for event in lineage(rows):
        old, new = _named(event, then)
        if event.actor is Actor.RESTORE:  # back to what it was after the event before
            if new[0] != at[0]:
                return GAP
            continue
        if event.actor in (Actor.UNKNOWN, Actor.UNRECORDED):
            return event.reason or RECORD_LOST
        if old[0] != at[0]:
            return GAP
        if not all(stat.S_ISREG(mode or 0) for _, mode in (old, new)) or LEFT_OUT in (
            old[0],
            new[0],
        ):
            return NO_FILE
        agents = not is_persons(event)
        if agents and agents_before:
            found[-1] = replace(found[-1], after=new)
        else:
            found.append(Stretch(old, new, agents))
        at, agents_before = new, agents
    return found if at[0] == now[0] else GAP


def _named(event: PathEvent, then: State) -> tuple[State, State]:
    """Return the states before and after an event; contents without a name are the checkpoint's."""

    def state(blob: str | None, mode: int | None) -> State:
        return (then[0] if blob is None and mode is not None else blob), mode

    return state(event.old_blob, event.old_mode), state(event.blob, event.mode)
