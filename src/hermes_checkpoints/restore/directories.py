"""Decides what a restore does to directories, which no file of the checkpoint speaks for.

A directory is made where something that comes back needs it, or where it is taken back for its
own sake. It is removed only once nothing is left in it, so that what no checkpoint knows never
goes with its directory.
"""

from __future__ import annotations

import stat
from collections.abc import Iterable, Mapping, Sequence

from hermes_checkpoints.attribution.verdict import NO_RECORD
from hermes_checkpoints.model import Action, Mode, PlannedPath
from hermes_checkpoints.model.paths import folders_above
from hermes_checkpoints.restore.obstacles import Way, way_to_directory
from hermes_checkpoints.restore.situation import Basis, nearest


def bring_back(basis: Basis, written: Sequence[str]) -> tuple[list[PlannedPath], list[Way]]:
    """Return a step for each directory that is made or must stay away, the highest first, and
    the ways to them. ``written`` are the files that come back.

    A missing directory is made where it is chosen and directories are taken back, or where it
    lies above such a directory or above a file that comes back. For example, ``a/b`` is missing
    with its file and an empty ``a/c``: where only the file comes back, ``a/b`` is made and
    ``a/c`` is not.
    """
    now, then = basis.situation.now.directories, basis.situation.then.directories
    missing = [path for path in sorted(then) if path not in now]
    wanted = {path for path in missing if basis.takes_directories and basis.is_chosen(path)}
    needed = wanted | folders_above((*written, *wanted))
    steps: list[PlannedPath] = []
    ways: list[Way] = []
    for path in missing:
        if path not in needed or basis.uncaptured_now(path) is not None:
            continue
        way = way_to_directory(basis, path)
        ways.append(way)
        is_file = path in basis.present_only
        if way.obstacle is None and (is_file or not basis.situation.exists(path)):
            steps.append(_step(path, Action.MKDIR, "missing now", then[path]))
        elif way.obstacle is not None and not is_file:  # a file has a step of its own
            steps.append(_step(path, Action.KEEP, way.obstacle, then[path]))
    return steps, ways


def make_room(basis: Basis, in_the_way: Mapping[str, str]) -> list[PlannedPath]:
    """Return a step for each directory that goes to make room for a file, the deepest first."""
    now = basis.situation.now.directories
    return [
        _step(path, Action.DELETE, f"in the way of {in_the_way[path]}", now[path])
        for path in sorted(in_the_way, reverse=True)
        if path in now
    ]


def remove(
    basis: Basis, in_the_way: Mapping[str, str], deleted: Iterable[str]
) -> list[PlannedPath]:
    """Return a step for each directory made since that becomes empty, the deepest first, and,
    where the restore is to be exact, for each that stays. ``deleted`` are the files that go;
    what is ``in_the_way`` has its step."""
    if basis.mode is Mode.OVERLAY:
        return []
    now, then = basis.situation.now.directories, basis.situation.then.directories
    gone = set(deleted)
    steps: list[PlannedPath] = []
    for path in sorted(now.keys() - in_the_way.keys(), reverse=True):
        if path in then or not basis.is_chosen(path):
            continue
        reason = _stays(basis, path, gone)
        if reason is None:
            gone.add(path)
            steps.append(_step(path, Action.DELETE, "created since", now[path]))
        elif basis.mode is Mode.EXACT and path not in basis.situation.changes:
            steps.append(_step(path, Action.KEEP, reason, now[path]))
    return steps


def _stays(basis: Basis, path: str, gone: set[str]) -> str | None:
    """Return why a directory that the checkpoint lacks stays once ``gone`` is gone, if so."""
    reason = basis.unknown_then(path)
    if reason is not None:
        return reason
    if path in basis.skipped_now:
        return basis.uncaptured_now(path)
    inside = basis.inside(path)
    if inside is None or not gone.issuperset(inside):
        return "paths that stay are in it"
    return None if inside or basis.takes_directories else NO_RECORD


def change_modes(basis: Basis) -> list[PlannedPath]:
    """Return a step for each directory whose permissions differ, the deepest first, so that one
    that becomes closed is closed last.

    Those of a directory that cannot be listed, now or then, are known all the same; what lies in
    it is left alone.
    """
    if not basis.takes_directories:
        return []
    now, then = basis.situation.now.directories, basis.situation.then.directories
    return [
        _step(path, Action.CHMOD, "permissions changed since", bits)
        for path, bits in sorted(then.items(), reverse=True)
        if path in now
        and now[path] != bits
        and basis.is_chosen(path)
        and nearest(path, basis.skipped_then) in (None, path)
        and nearest(path, basis.skipped_now) in (None, path)
    ]


def _step(path: str, action: Action, reason: str, bits: int) -> PlannedPath:
    return PlannedPath(path, action, reason, mode=stat.S_IFDIR | bits)
