"""Compares what an agent did to the files of a project: in a session, or in one turn of it.

The record of who changed what tells each path's contents before and after each change, so that
what others did in between is left out. A *stretch* is what the agent did to a path between two
changes of others. Each stretch is compared by itself: several of one path are never merged, since
that would make the agent's what is another's.
"""

from __future__ import annotations

import contextlib
import stat
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from hermes_checkpoints.attribution.looks import LEFT_OUT, State, status_of
from hermes_checkpoints.attribution.observing import Look, by_path, named, observe
from hermes_checkpoints.base.lookup import require_project
from hermes_checkpoints.base.opened import Base, Target
from hermes_checkpoints.capture.compare import present
from hermes_checkpoints.catalog import Recorded
from hermes_checkpoints.errors import BadDirectory, BadRequest, SessionUnknown
from hermes_checkpoints.git import Git
from hermes_checkpoints.model import DIRECTORIES, Actor, AgentDiff, Change, PathEvent
from hermes_checkpoints.model.paths import clean_path, parents, within
from hermes_checkpoints.object_store import entries_at, patching
from hermes_checkpoints.object_store.aside import Aside, missing
from hermes_checkpoints.object_store.compare import compare_many
from hermes_checkpoints.object_store.git_objects import (
    EMPTY_BLOB,
    EXECUTABLE_MODE,
    FILE_MODE,
    LINK_MODE,
)
from hermes_checkpoints.object_store.raw_tree import TreeEntry


@dataclass(frozen=True)
class _Work:
    """Whose work is asked for: a session, None for one without a name, and a turn or all."""

    session_id: str | None
    turn: int | None

    def has(self, event: PathEvent) -> bool:
        return (
            event.actor is Actor.AGENT
            and event.session_id == self.session_id
            and self.turn in (None, event.turn)
        )


@dataclass(frozen=True)
class _Stretch:
    """What the agent made of a path, from one state to another."""

    path: str
    old: State
    new: State


@dataclass
class _Path:
    """What the agent did to a path, and what others did to it in between."""

    stretches: list[_Stretch] = field(default_factory=list)
    between: list[PathEvent] = field(default_factory=list)
    shared: list[PathEvent] = field(default_factory=list)


def work_of(
    base: Base,
    target: Target,
    session_id: str | None,
    turn: int | None,
    paths: Sequence[str] | None,
) -> AgentDiff:
    """Return what an agent did in a session, in one turn of it, or in the newest turn of a number.

    Raises:
        BadRequest: when neither is given.
        SessionUnknown: when nothing is on record of it.
        ProjectUnknown, PathRefused, GitFailed, LockHeld.
    """
    if session_id is None and turn is None:
        raise BadRequest("name a session or a turn whose work is to be compared")
    chosen = None if paths is None else frozenset(map(clean_path, paths))
    project = require_project(base, target)
    catalog = base.catalog
    if session_id is None and turn is not None:
        found = catalog.turns.newest_of_number(project.id, turn)
        if found is None:
            raise SessionUnknown(
                f"no agent had a turn {turn} in {target.path}, as far as is on record; "
                "`log --json` tells session and turn of each checkpoint"
            )
        session_id = found[0]
    work = _Work(session_id, turn)
    spans = catalog.turns.work(project.id, session_id, turn)
    changed = catalog.events.paths_by_agent(project.id, session_id, turn)
    if not spans and not changed:
        what = "was at work" if turn is None else f"had a turn {turn}"
        raise SessionUnknown(
            f"no agent of session {session_id!r} {what} in {target.path}, as far as is on record; "
            "`log --json` tells session and turn of each checkpoint"
        )
    is_open = any(span.ended_at is None for span in spans)
    with _seen(base, target, project.id, is_open) as (git, observed, unseen):
        new = [one.event.path for one in observed if work.has(one.event)]
        recorded = by_path(catalog.events.of_paths(project.id, {*changed, *new}))
        for one in observed:
            if one.event.path in recorded or work.has(one.event):
                recorded.setdefault(one.event.path, []).append(one)
        recorded.pop(DIRECTORIES, None)
        if chosen is not None:
            recorded = {path: rows for path, rows in recorded.items() if within(path, chosen)}
        done = {path: _done(base, git, work, rows) for path, rows in sorted(recorded.items())}
        with Aside.lent(git, base.layout.scratch) as aside:
            changes, stat_, text, lost = _differences(aside, done)
    mine = [one for rows in recorded.values() for one in rows if work.has(one.event)]
    own = [one.event.at for one in mine]
    since = [span.start for span in spans if span.start is not None]
    since += [one.after for one in mine]
    folded = bool(since) and catalog.checkpoints.gone_since(project.id, min(since))
    began = [span.started_at for span in spans] or own
    ended = [span.ended_at for span in spans if span.ended_at is not None] or own
    return AgentDiff(
        session_id,
        turn,
        min(began, default=None),
        None if is_open else max(ended, default=None),
        tuple(changes),
        stat_,
        text,
        tuple(event for one in done.values() if one.stretches for event in one.between),
        tuple(event for one in done.values() if one.stretches for event in one.shared),
        tuple(lost),
        unseen,
        folded,
    )


@contextlib.contextmanager
def _seen(
    base: Base, target: Target, project_id: int, is_open: bool
) -> Iterator[tuple[Git, list[Recorded], bool]]:
    """Yield git, what a look at the directory sees that is not on record, and whether there should
    have been a look and could not be. Only while a turn is open there is a look."""
    last = base.catalog.checkpoints.last(target.hash)
    with contextlib.ExitStack() as stack:
        unseen = False
        if is_open and last is not None:
            at_ns = time.time_ns()
            try:
                now = stack.enter_context(present(base, target))
            except BadDirectory:
                unseen = True
            else:
                look = Look.of(now.workspace, last, now.state, now.state_id, at_ns)
                events = observe(look, project_id, base.now()).events
                yield now.workspace.git, [Recorded(one, last._row) for one in events], False
                return
        yield stack.enter_context(base.store_together()), [], unseen


def _done(base: Base, git: Git, work: _Work, rows: Sequence[Recorded]) -> _Path:
    """Return what the agent did to a path of which all events are given, oldest first."""
    found = _Path()
    waiting: list[PathEvent] = []
    events = _with_contents(base, git, rows)
    for event in events:
        if not work.has(event):
            waiting.append(event)
            continue
        if event.overlaps is not None:
            found.shared.append(event)
        old, new = (event.old_blob, event.old_mode), (event.blob, event.mode)
        if not found.stretches:
            waiting.clear()
        found.between += waiting
        waiting.clear()
        if found.stretches and found.stretches[-1].new == old:
            found.stretches[-1] = replace(found.stretches[-1], new=new)
        else:
            found.stretches.append(_Stretch(event.path, old, new))
    found.stretches = [one for one in found.stretches if one.old != one.new]
    return found


def _with_contents(base: Base, git: Git, rows: Sequence[Recorded]) -> list[PathEvent]:
    """Return the events of a path with all contents named. Where permissions alone changed first,
    the contents are those of the checkpoint before, as far as it is there."""
    events = named(rows)
    unnamed = any(
        blob is None and mode is not None
        for one in events
        for blob, mode in ((one.old_blob, one.old_mode), (one.blob, one.mode))
    )
    if not unnamed:
        return events
    then = None
    checkpoint = base.catalog.checkpoints.get(rows[0].after)
    if checkpoint is not None and checkpoint.pruned_at is None and checkpoint.tree_id:
        path = events[0].path
        entry = entries_at(git, checkpoint.tree_id, [path]).get(path)
        then = None if entry is None else entry.object_id
    return [
        replace(
            one,
            old_blob=then if one.old_blob is None and one.old_mode is not None else one.old_blob,
            blob=then if one.blob is None and one.mode is not None else one.blob,
        )
        for one in events
    ]


def _differences(aside: Aside, done: dict[str, _Path]) -> tuple[list[Change], str, str, list[str]]:
    """Return the changes by path, git's texts of all stretches, and the paths of which the store
    lacks contents."""
    stretches = [one for path in done.values() for one in path.stretches]
    away = missing(aside.git, filter(None, (blob for one in stretches for blob in _blobs(one))))
    away |= {LEFT_OUT}
    lost = {one.path for one in stretches if not away.isdisjoint(_blobs(one)) or _unknown(one)}
    stats, texts = list[str](), list[str]()
    lines: dict[str, list[tuple[int, int] | None]] = {}
    for group in _groups(one for one in stretches if one.path not in lost):
        pair = [
            aside.tree_of({one.path: entry for one in group if (entry := _entry(one, side))})
            for side in (False, True)
        ]
        with patching(aside.git, pair[0], pair[1], None) as patch:
            [comparison] = compare_many(aside.git, [(pair[0], pair[1])], lines=True)
            for one in group:
                counted = comparison.changes.get(one.path)
                lines.setdefault(one.path, []).append(
                    (0, 0)
                    if counted is None
                    else None
                    if counted.insertions is None or counted.deletions is None
                    else (counted.insertions, counted.deletions)
                )
            stat_, text = patch()
        stats.append(stat_)
        texts.append(text)
    texts += [f"{path}: differs; the object store lacks its contents\n" for path in sorted(lost)]
    changes = [
        _change(path, one.stretches, lines.get(path)) for path, one in done.items() if one.stretches
    ]
    return changes, "".join(stats), "".join(texts), sorted(lost)


def _groups(stretches: Iterable[_Stretch]) -> list[list[_Stretch]]:
    """Return the stretches in as few groups as there can be trees of: of each path one, and none
    whose path lies below another's on the same side. Later ones of a path are in later groups."""
    groups: list[list[_Stretch]] = []
    taken: list[tuple[set[tuple[str, bool]], set[tuple[str, bool]]]] = []
    first: dict[str, int] = {}
    for one in stretches:
        sides = [s for s, mode in ((False, one.old[1]), (True, one.new[1])) if mode is not None]
        files = {(one.path, side) for side in sides}
        folders = {(folder, side) for folder in parents(one.path) for side in sides}
        number = first.get(one.path, 0)
        while number < len(groups) and (taken[number][1] & files or taken[number][0] & folders):
            number += 1
        if number == len(groups):
            groups.append([])
            taken.append((set(), set()))
        groups[number].append(one)
        taken[number][0].update(files)
        taken[number][1].update(folders)
        first[one.path] = number + 1
    return groups


def _blobs(one: _Stretch) -> Collection[str]:
    return {blob for blob, mode in (one.old, one.new) if mode is not None and blob is not None}


def _unknown(one: _Stretch) -> bool:
    """Tell whether the contents of one side alone are not known; where neither are, they did not
    change."""
    (old, old_mode), (new, new_mode) = one.old, one.new
    known = [blob is not None for blob, mode in ((old, old_mode), (new, new_mode)) if mode]
    return not all(known) and (len(known) == 1 or any(known))


def _entry(one: _Stretch, after: bool) -> TreeEntry | None:
    """Return what git has of a side of a stretch. Contents that are not known did not change, and
    git prints nothing of them then."""
    blob, mode = one.new if after else one.old
    if mode is None:
        return None
    git_mode = EXECUTABLE_MODE if mode & 0o100 else FILE_MODE
    if stat.S_ISLNK(mode):
        git_mode = LINK_MODE
    return TreeEntry(git_mode, one.path, blob or EMPTY_BLOB)


def _change(
    path: str, stretches: Sequence[_Stretch], lines: Sequence[tuple[int, int] | None] | None
) -> Change:
    old, new = stretches[0].old, stretches[-1].new
    counted = None if lines is None or None in lines else [one for one in lines if one]
    return Change(
        path,
        status_of(old, new),
        old[0] if old[1] is not None else None,
        new[0] if new[1] is not None else None,
        old[1],
        new[1],
        insertions=None if counted is None else sum(one[0] for one in counted),
        deletions=None if counted is None else sum(one[1] for one in counted),
    )
