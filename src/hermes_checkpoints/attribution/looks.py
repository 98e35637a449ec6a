"""Tells who changed what, of all that one look at a working directory saw. No I/O.

A look is a take, the begin or end of a turn, or the plan of a restore: a moment at which the whole
directory is known. What is found to have changed since the look before is attributed then and
there, in the order of the looks; no clock is asked but that of a file against those of tools.
docs/attribution.md has the rules, and a table of histories with the answers.
"""

from __future__ import annotations

import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import pairwise

from hermes_checkpoints.model import Actor, AgentWrite, Change, ChangeStatus, PathEvent, ToolRun

LEFT_OUT = ""
"""The contents of a path that exists and that no checkpoint captures any more."""

GRANULE_NS = 10_000_000
"""How far the time of a file may lie behind the clock: the kernel takes it from its last tick."""

_AT_ONCE_NS = 30_000_000_000
"""How far apart tools may be told in another order than that in which they began."""

PROCESS_GONE = "the process of the agent was gone"
PROCESS_UNSEEN = "the process of the agent cannot be seen from here"
LEFT_OUT_BEFORE = "it was left out of the checkpoints when the turn began"
CLOCK_SET_BACK = "the clock was set back while the agent worked"
INTERRUPTED = "until when the agent worked is not known, and this may have come after it"
ALSO_WITHOUT_TOOL = "it changed while a tool ran, and while none did"
RECORD_LOST = "no record of who changed it"
CHANGED_UNSEEN = "it changed while no checkpoint captured it"

State = tuple[str | None, int | None]
"""The contents of a path and its mode; both None where it is missing. Contents of None are those
that the last checkpoint has."""


@dataclass(frozen=True)
class AtWork:
    """A session of an agent that was at work between two looks.

    ``alive`` says whether its process ran until the end, None where that cannot be seen. ``runs``
    are the tools that it ran, where the host tells of them, else None. ``reported`` are the paths
    that its tools reported in this turn, each with the last report. One that was ``interrupted``
    was over before the look, at a time that nobody told, and a tool of it that did not end, too.
    """

    session_id: str | None
    turn: int | None
    alive: bool | None = True
    runs: Sequence[ToolRun] | None = None
    reported: Mapping[str, AgentWrite] = field(default_factory=dict)
    interrupted: bool = False

    def clock_was_set_back(self, now_ns: int) -> bool:
        """Tell whether the clock was set back while the tools ran: a time lies behind ``now_ns``,
        or runs that were told one after the other began the other way round."""
        runs = self.runs or ()
        ahead = any(max(run.began_ns, run.ended_ns or 0) > now_ns + GRANULE_NS for run in runs)
        began = [run.began_ns for run in runs]
        back = any(earlier > later + _AT_ONCE_NS for earlier, later in pairwise(began))
        return ahead or back

    def may_have_changed(self, at_ns: int) -> bool:
        """Tell whether this session may have changed a path at ``at_ns``."""
        return self.runs is None or any(_covers(run, at_ns) for run in self.runs)

    def is_in_doubt(self, at_ns: int) -> bool:
        """Tell whether a path that changed at ``at_ns`` may be this session's, or of whoever came
        after it was interrupted."""
        covering = [run for run in self.runs or () if _covers(run, at_ns)]
        return self.interrupted and bool(covering) and all(r.ended_ns is None for r in covering)


def _covers(run: ToolRun, at_ns: int) -> bool:
    return run.began_ns - GRANULE_NS <= at_ns and (run.ended_ns is None or at_ns <= run.ended_ns)


def lasted(began_ns: int, runs: Sequence[ToolRun]) -> list[ToolRun]:
    """Return how long a turn lasted that was interrupted, and of which not every tool was told: as
    a run of all of it until its last tool ended, and those that did not end. Where no tool was
    told, its end is not known.

    >>> from hermes_checkpoints.attribution.looks import lasted
    >>> from hermes_checkpoints.model import ToolRun
    >>> [(run.began_ns, run.ended_ns) for run in lasted(10, [ToolRun("shell", 20, 30)])]
    [(10, 30)]
    """
    unended = [run for run in runs if run.ended_ns is None]
    known = [run.ended_ns if run.ended_ns is not None else run.began_ns for run in runs]
    return [ToolRun(None, began_ns, max(known, default=None)), *unended]


@dataclass(frozen=True)
class Interval:
    """What is known of the time between two looks.

    ``sessions`` were at work, oldest first; where none was, whoever changes something is
    ``otherwise``, in ``session_id``. ``fresh`` are the reports that came since the look before, by
    path; ``planned`` what a restore that was cut short was to leave. ``left_out`` tells whether a
    path may have been there unseen at the look before, and ``changed_ns`` when it changed since, in
    nanoseconds since 1970, as far as that is known; ``now_ns`` is the clock at this look.
    """

    at: datetime
    sessions: Sequence[AtWork] = ()
    otherwise: Actor = Actor.PERSON
    session_id: str | None = None
    fresh: Mapping[str, AgentWrite] = field(default_factory=dict)
    planned: Mapping[str, Sequence[State]] = field(default_factory=dict)
    left_out: Callable[[str], bool] = lambda _: False
    changed_ns: Callable[[str], Sequence[int]] = lambda _: ()
    now_ns: int = 2**63


def since_the_last_look(
    changes: Mapping[str, Change], known: Mapping[str, Sequence[PathEvent]]
) -> Iterator[Change]:
    """Yield what changed since the look before.

    ``changes`` lead from the last checkpoint to the present. ``known`` are the events since that
    checkpoint, of which the last says how the look before found the path.
    """
    for path in sorted(changes.keys() | known.keys()):
        change, events = changes.get(path), known.get(path)
        if not events:
            if change is not None:
                yield change
            continue
        first = events[0].old_blob, events[0].old_mode
        before = _plain((events[-1].blob, events[-1].mode), first[0])
        now = first if change is None else (change.new_blob, change.new_mode)
        now = _plain(now, first[0])
        if before != now:
            old, new = _named(before, first[0]), _named(now, first[0])
            yield Change(path, status_of(old, new), old[0], new[0], old[1], new[1])


def attribute(changes: Iterable[Change], interval: Interval) -> list[PathEvent]:
    """Return the event of each change that was made between two looks."""
    return [_event(change, interval) for change in changes]


def _event(change: Change, interval: Interval) -> PathEvent:
    """Decide who made a change. The first rule that fits is the answer."""
    path = change.path
    event = event_of(change, interval.otherwise, interval.at, session_id=interval.session_id)

    # 1. What a restore planned and wrote is the restore's, also where it was cut short.
    planned = interval.planned.get(path)
    if planned and any(_leaves(one, change) for one in planned):
        return replace(event, actor=Actor.RESTORE, session_id=None)

    # 2. A tool said that it left the path so.
    report = interval.fresh.get(path)
    if report is not None and _says(report, change):
        return by_tool(event, report)

    # 3. Nobody was at work.
    if not interval.sessions:
        return event

    # 4. Somebody was, whose process is gone: a person may have come after it.
    alive = [one for one in interval.sessions if one.alive]
    if not alive:
        unseen = any(one.alive is None for one in interval.sessions)
        return _unknown(event, PROCESS_UNSEEN if unseen else PROCESS_GONE)

    # 5. It may have been there before, unseen.
    if interval.left_out(path):
        return _unknown(event, LEFT_OUT_BEFORE)

    # 6. The times of the tools say nothing.
    if any(one.clock_was_set_back(interval.now_ns) for one in alive):
        return _unknown(event, CLOCK_SET_BACK)

    # 7. The sessions whose tools may have done it, the one that reported the path before others.
    suspects = alive
    if any(one.runs is not None for one in alive):
        times = interval.changed_ns(path)
        suspects = [o for o in alive if o.runs is None or any(map(o.may_have_changed, times))]
        if not suspects:
            return replace(event, actor=Actor.PERSON, session_id=None)
        if not all(any(one.may_have_changed(at) for one in suspects) for at in times):
            return _unknown(event, ALSO_WITHOUT_TOOL)
        if any(one.is_in_doubt(at) for one in suspects for at in times):
            return _unknown(event, INTERRUPTED)
    told = [one for one in suspects if path in one.reported]
    if len(told) == 1:
        return by_tool(_by_session(event, told[0]), told[0].reported[path])
    others = [one.session_id for one in suspects[:-1]]
    overlaps = (others[-1] or "of no name") if others else None
    by = _by_session(event, suspects[-1])
    return by if overlaps is None else replace(by, overlaps=overlaps)


def event_of(
    change: Change, actor: Actor, at: datetime, *, session_id: str | None = None
) -> PathEvent:
    """Return the event of a change."""
    return PathEvent(
        change.path,
        change.status,
        actor,
        session_id,
        None,
        None,
        change.new_blob,
        change.new_mode,
        at,
        old_blob=change.old_blob,
        old_mode=change.old_mode,
    )


def by_tool(event: PathEvent, report: AgentWrite) -> PathEvent:
    """Return an event as the doing of the tool that reported a write."""
    return replace(
        event,
        actor=Actor.AGENT,
        tool=report.tool or "tool",
        session_id=report.session_id,
        turn=report.turn if report.turn is not None else event.turn,
    )


def _by_session(event: PathEvent, session: AtWork) -> PathEvent:
    return replace(event, actor=Actor.AGENT, session_id=session.session_id, turn=session.turn)


def _unknown(event: PathEvent, reason: str) -> PathEvent:
    return replace(event, actor=Actor.UNKNOWN, session_id=None, reason=reason)


def _says(report: AgentWrite, change: Change) -> bool:
    """Tell whether a report is of what lies there now; one without contents is of a path that was
    missing, or held what no checkpoint captures. A report tells nothing of permissions."""
    if change.new_mode is None:
        return report.blob is None
    bits_alone = change.status is ChangeStatus.MODIFIED and change.old_blob == change.new_blob
    if bits_alone and change.new_blob != LEFT_OUT:
        return False
    return (report.blob or LEFT_OUT) == change.new_blob


def _leaves(planned: State, change: Change) -> bool:
    blob, mode = planned
    return mode == change.new_mode and (None in (blob, change.new_blob) or blob == change.new_blob)


def _plain(state: State, then: str | None) -> State:
    blob, mode = state
    return (None if blob == then else blob), mode


def _named(state: State, then: str | None) -> State:
    blob, mode = state
    return (then if blob is None and mode is not None else blob), mode


def status_of(old: State, new: State) -> ChangeStatus:
    """Return the letter of the change from one state of a path to another."""
    if new[1] is None:
        return ChangeStatus.DELETED
    if old[1] is None:
        return ChangeStatus.ADDED
    if stat.S_IFMT(old[1]) != stat.S_IFMT(new[1]):
        return ChangeStatus.TYPE_CHANGED
    return ChangeStatus.MODIFIED
