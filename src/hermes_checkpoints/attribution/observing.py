"""Gathers what is known of a look at a working directory, and attributes what it found.

The catalog tells which sessions were at work and what their tools told, the disk when a path
changed last; ``looks`` decides.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from hermes_checkpoints.attribution.conversations import settled
from hermes_checkpoints.attribution.looks import (
    GRANULE_NS,
    LEFT_OUT,
    AtWork,
    Interval,
    attribute,
    lasted,
    since_the_last_look,
)
from hermes_checkpoints.base.workspace import Workspace
from hermes_checkpoints.catalog.recorded import LastLook, Recorded
from hermes_checkpoints.errors import CheckpointError
from hermes_checkpoints.fs.forks import once
from hermes_checkpoints.fs.inspect import Inspector
from hermes_checkpoints.fs.processes import still_runs
from hermes_checkpoints.fs.system import changed_ns, nanoseconds
from hermes_checkpoints.model import (
    DIRECTORIES,
    Actor,
    AgentWrite,
    Change,
    ChangeStatus,
    Checkpoint,
    Kind,
    PathEvent,
    Turn,
)
from hermes_checkpoints.model.paths import parents, within
from hermes_checkpoints.object_store import TreeMeta, TreeState, compare_states, matching_rules

_RULES = ".gitignore"


@dataclass(frozen=True)
class Look:
    """A look at a working directory: what differs from the last checkpoint.

    ``changes`` are of files and links, from ``last``, whose state is ``before``, to the state
    ``after``. ``at_ns`` is when it began, in nanoseconds since 1970.
    """

    workspace: Workspace
    last: Checkpoint
    before: TreeState
    after: TreeState
    changes: Mapping[str, Change]
    at_ns: int

    @classmethod
    def of(
        cls, workspace: Workspace, last: Checkpoint, after: TreeState, state_id: str, at_ns: int
    ) -> Look:
        """Compare the present state with the last checkpoint.

        Raises:
            GitFailed, StoreDamaged: when the last checkpoint cannot be read.
        """
        if last.state_id == state_id:
            return cls(workspace, last, after, after, {}, at_ns)
        before = workspace.base.store.state(last.id, last.tree_id, workspace.git)
        changes = compare_states(workspace.git, before, after, lines=False).changes
        return cls(workspace, last, before, after, changes, at_ns)

    @property
    def root(self) -> Path:
        return self.workspace.target.path

    @once
    def found(self) -> dict[str, Change]:
        """What differs from the last checkpoint, the directories included. A path that is there
        and not captured any more is no deletion: its contents are ``LEFT_OUT``. So are those of one
        that came since and is left out by itself, as a file over the size cap is."""
        found: dict[str, Change] = {}
        for path, change in self.changes.items():
            mode = None if change.new_mode is not None else self._mode(path)
            if mode is None:
                found[path] = change
            else:
                found[path] = replace(
                    change, status=ChangeStatus.MODIFIED, new_blob=LEFT_OUT, new_mode=mode
                )
        old, new = self.before.meta, self.after.meta
        for path in {one.path for one in new.skipped} - self._was_left_out - found.keys():
            mode = self._mode(path)
            if mode is not None:
                found[path] = Change(path, ChangeStatus.ADDED, None, LEFT_OUT, None, mode)
        if old.recorded and new.recorded and dict(old.directories) != dict(new.directories):
            bits = stat.S_IFDIR
            digests = _digest(old), _digest(new)
            found[DIRECTORIES] = Change(DIRECTORIES, ChangeStatus.MODIFIED, *digests, bits, bits)
        return found

    def _mode(self, path: str) -> int | None:
        found = self._stat(path)
        return None if found is None or stat.S_ISDIR(found.st_mode) else found.st_mode

    def changed_ns(self, path: str, since_ns: int) -> list[int]:
        """Return when a path changed since the look before, in nanoseconds since 1970, as far as
        the disk tells: the times of the path itself, else those of directories above it. For one
        that was deleted that is the nearest that changed; one that came along with its directory
        came when that or one above it changed, down from the first that was there before."""
        if path == DIRECTORIES:
            old, new = self.before.meta.directories, self.after.meta.directories
            other = [name for name in {*old, *new} if old.get(name) != new.get(name)]
            times = [self._times(name, since_ns) for name in other]
            return [at for found in times for at in found] if all(times) else []
        return self._times(path, since_ns)

    def _times(self, path: str, since_ns: int) -> list[int]:
        there = self._stat(path)
        if there is not None and changed_ns(there) >= since_ns:
            at, written = changed_ns(there), there.st_mtime_ns
            file = not stat.S_ISDIR(there.st_mode)
            return [at, written] if file and since_ns <= written < at else [at]
        times: list[int] = []
        for name in (*parents(path), "."):
            above = self._stat(name)
            if above is not None and changed_ns(above) >= since_ns:
                times.append(changed_ns(above))
            if times and (there is None or name in self.before.meta.directories):
                break
        return times

    def _stat(self, path: str) -> os.stat_result | None:
        try:
            return self._inspector.spot(path).lstat()
        except OSError:
            return None

    @once
    def _inspector(self) -> Inspector:
        return Inspector(str(self.root))

    @once
    def _was_left_out(self) -> frozenset[str]:
        meta = self.before.meta
        return frozenset(
            [path.rstrip("/") for path in meta.ignored_paths] + [one.path for one in meta.skipped]
        )

    @once
    def _newly_captured(self) -> frozenset[str]:
        """The paths that the rules of the last checkpoint would have left out: those that match
        a file of rules that has changed since."""
        rules = {
            path: change.old_blob
            for path, change in self.changes.items()
            if path.rpartition("/")[2] == _RULES and change.old_blob
        }
        added = [path for path, change in self.changes.items() if change.old_mode is None]
        if not rules or not added:
            return frozenset()
        try:
            return frozenset(matching_rules(self.workspace.git, rules, added))
        except CheckpointError:
            return frozenset(added)  # which of them is not known

    def left_out_before(self, path: str) -> bool:
        """Tell whether a path may have been there, not captured, when the look before was."""
        if within(path, self._was_left_out):
            return True
        return path in self._newly_captured


@dataclass(frozen=True)
class Seen:
    """What a look saw: the events since the look before, and the open turns, with those of gone
    processes apart. ``reports`` says that tools had told of something."""

    events: Sequence[PathEvent]
    turns: Sequence[Turn]
    gone: Sequence[Turn]
    reports: bool


def observe(look: Look, project_id: int, now: datetime, interrupted: Collection[int] = ()) -> Seen:
    """Attribute what has changed since the look before. Nothing is written. ``interrupted`` are the
    turns that were over before this look, at a time that nobody told."""
    catalog = look.workspace.base.catalog
    turns = catalog.turns.open(project_id)
    writes = catalog.turns.writes(project_id)
    recorded = by_path(catalog.events.since(project_id, look.last._row))
    known = {path: named(found) for path, found in recorded.items()}
    found = look.found
    before = catalog.events.last_look(project_id) if found or known else LastLook()
    before_ns = before.at_ns or 0
    changes = [
        change
        for change in since_the_last_look(found, known)
        if change.new_blob != LEFT_OUT or look.changed_ns(change.path, before_ns)
    ]
    sessions, gone = at_work(look.workspace, turns, writes, interrupted)
    nobody = next((t for t in turns if t.actor is not Actor.AGENT), None)
    by_hand = look.last.kind is Kind.MANUAL
    planned: dict[str, list[tuple[str | None, int | None]]] = {}
    if changes and before.restores_since:
        for plan in catalog.events.cut_short(project_id):
            planned.setdefault(plan.path, []).append((plan.blob, plan.mode))
    added = {change.path for change in changes if change.old_mode is None}
    lost = {path for path, events in known.items() if events[-1].blob == LEFT_OUT}

    def left_out(path: str) -> bool:
        return path in lost or (path in added and look.left_out_before(path))

    interval = Interval(
        now,
        sessions,
        nobody.actor if nobody else Actor.SINCE if by_hand else Actor.PERSON,
        nobody.session_id if nobody else None,
        {write.path: write for write in writes if not write.seen},
        planned,
        left_out,
        lambda path: look.changed_ns(path, before_ns - GRANULE_NS),
        time.time_ns(),
    )
    events = [
        event if event.blob != LEFT_OUT else replace(event, at=_time_of(look.at_ns))
        for event in attribute(changes, interval)
    ]
    return Seen(events, turns, gone, bool(writes))


def at_work(
    workspace: Workspace,
    turns: Iterable[Turn],
    writes: Sequence[AgentWrite],
    interrupted: Collection[int] = (),
) -> tuple[list[AtWork], list[Turn]]:
    """Return the sessions that are at work, and the turns whose process is proven to be gone."""
    sessions: list[AtWork] = []
    gone: list[Turn] = []
    for turn in turns:
        if turn.actor is not Actor.AGENT:
            continue
        runs = still_runs(turn.owner) if turn.owner is not None else False
        if runs is False:
            gone.append(turn)
        cut = turn.id in interrupted
        asked = turn.tools_told or cut
        told = settled(workspace.base.catalog.turns.tool_runs(turn.id)) if asked else None
        if told is not None and not turn.tools_told:
            told = lasted(nanoseconds(turn.started_at), told)
        reported = {write.path: write for write in writes if write.turn_id == turn.id}
        sessions.append(AtWork(turn.session_id, turn.turn, runs, told, reported, cut))
    return sessions, gone


def by_path(recorded: Iterable[Recorded]) -> dict[str, list[Recorded]]:
    """Return events by path, oldest first."""
    found: dict[str, list[Recorded]] = {}
    for one in recorded:
        found.setdefault(one.event.path, []).append(one)
    return found


def named(recorded: Sequence[Recorded]) -> list[PathEvent]:
    """Return the events of one path, oldest first, with the contents named where only permissions
    changed: then an event has those of the last checkpoint before it. None stays for those of
    the checkpoint before the first one."""
    then: str | None = None
    now: str | None = None
    after: int | None = None
    found: list[PathEvent] = []
    for one in recorded:
        event = one.event
        if after not in (None, one.after):
            then = now
        after = one.after
        if event.old_blob is None and event.old_mode is not None:
            event = replace(event, old_blob=then)
        if event.blob is None and event.mode is not None:
            event = replace(event, blob=then)
        now = event.blob
        found.append(event)
    return found


def _time_of(ns: int) -> datetime:
    return datetime.fromtimestamp(ns / 1e9, UTC)


def _digest(meta: TreeMeta) -> str:
    text = json.dumps(sorted(meta.directories.items()))
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:40]
