"""Says what must lie at the paths of a plan, so that nothing else is replaced or deleted.

A restore may destroy what the safety checkpoint holds, and nothing else. So the stamp of a path is
that of what was captured there: what lies there after the safety checkpoint was taken, if it is
as old as the git index knows it, and else with the contents that the safety checkpoint holds, which
are then read at the last moment. What has changed meanwhile has a stamp that nothing matches.
"""

from __future__ import annotations

import stat
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from hermes_checkpoints.fs.handles import Directory, Tree
from hermes_checkpoints.fs.stamp import COARSE_CLOCK_NS, Stamp, look, stamp_of
from hermes_checkpoints.fs.system import POSIX
from hermes_checkpoints.git import Git
from hermes_checkpoints.model import Action, PlannedPath
from hermes_checkpoints.model.paths import parents
from hermes_checkpoints.object_store import TreeState, entries_at
from hermes_checkpoints.object_store.git_index import IndexTimes, index_times

_NEVER = Stamp(0, -1, -1, -1, -1, -1)
"""The stamp of nothing that there is."""

_OWNER = 0o700


@dataclass(frozen=True)
class Held:
    """What a state of a working directory holds at some paths: the full mode and git's id of each
    file and link there; and the permission bits of all its directories, by path."""

    files: Mapping[str, tuple[int, str]]
    directories: Mapping[str, int]

    @classmethod
    def by(cls, git: Git, state: TreeState, paths: Iterable[str]) -> Held:
        """Read what a state holds at some paths, in one process.

        Raises:
            StoreDamaged: when a tree above them cannot be read.
        """
        files = {}
        for path, entry in entries_at(git, state.tree_id, paths).items():
            kind = stat.S_IFMT(entry.mode)
            if not stat.S_ISDIR(kind):
                bits = 0 if stat.S_ISLNK(kind) else state.meta.bits(path, entry.mode)
                files[path] = kind | bits, entry.object_id
        return cls(files, state.meta.directories)

    @classmethod
    def touched_by(cls, git: Git, state: TreeState, steps: Iterable[PlannedPath]) -> Held:
        """Read what a state holds at the paths that steps touch, as ``by``."""
        return cls.by(git, state, _paths(steps))

    def touched(self, steps: Iterable[PlannedPath]) -> dict[str, str]:
        """Name what lies at each path that the steps touch: mode and contents, "" for nothing."""
        return {path: self._named(path) for path in _paths(steps)}

    def _named(self, path: str) -> str:
        mode, blob = self.files.get(path, (None, ""))
        if mode is None and (bits := self.directories.get(path)) is not None:
            mode = stat.S_IFDIR | bits
        return "" if mode is None else f"{mode:o} {blob}".rstrip()


@dataclass(frozen=True)
class Expected:
    """What a restore expects to find: the stamp of each path that it touches, None where nothing
    lay, and the permission bits of the directories above them that are ``closed`` to their owner.
    It opens no other, and whoever begins it writes these down first. ``owners`` had the set-id bits
    of files when these were captured."""

    stamps: Mapping[str, Stamp | None]
    closed: Mapping[str, int]
    owners: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        git: Git,
        root: Directory,
        held: Held,
        steps: Sequence[PlannedPath],
        since: int,
        owners: Mapping[str, tuple[int, int]],
    ) -> Expected:
        """Look at the paths that the steps touch; contents are not read.

        ``held`` is what the safety checkpoint holds, and ``since`` the time in nanoseconds at
        which it began to look.
        """
        tree = Tree(root)
        paths = _paths(steps)
        times = index_times(git.own_index, paths)
        old = since - COARSE_CLOCK_NS
        stamps = {path: _stamp(tree, held, path, times.get(path), old) for path in paths}
        return cls(stamps, _closed_above(tree, steps), owners)


def _closed_above(tree: Tree, steps: Iterable[PlannedPath]) -> dict[str, int]:
    """Return the directories that lie above the touched paths and are not open to their owner,
    with their permission bits; the root is ``""``."""
    above = {up for path in _paths(steps) for up in (*parents(path), "")}
    found: dict[str, int] = {}
    for path in sorted(above):  # below one that cannot be entered, nothing can be seen
        try:
            seen = _seen(tree, path)
        except OSError:
            continue
        if seen is not None and stat.S_ISDIR(seen.mode) and seen.mode & _OWNER != _OWNER:
            found[path] = stat.S_IMODE(seen.mode)
    return found


def _seen(tree: Tree, path: str) -> Stamp | None:
    """Return the stamp of a path, the root's by ``""``; None where nothing lies, or only behind a
    link.

    Raises:
        OSError: when it cannot be seen.
    """
    if not path:
        return stamp_of(tree.directory("").stat())
    try:
        return look(tree.spot(path))
    except (FileNotFoundError, NotADirectoryError):
        return None


def _paths(steps: Iterable[PlannedPath]) -> list[str]:
    return list(dict.fromkeys(step.path for step in steps if step.action is not Action.KEEP))


def _stamp(tree: Tree, held: Held, path: str, times: IndexTimes | None, old: int) -> Stamp | None:
    """Return the stamp of what ``held`` has at a path; ``old`` is the newest ctime that proves
    something."""
    mode, blob = held.files.get(path, (None, None))
    bits = held.directories.get(path)
    if mode is None and bits is None:
        return None
    try:
        found = _seen(tree, path)
    except OSError:
        found = None
    if found is None:
        return _NEVER
    if bits is not None:
        return found._replace(mode=stat.S_IFDIR | bits)
    if mode is not None:
        bits_known = POSIX and not stat.S_ISLNK(mode)
        bits = stat.S_IMODE(mode if bits_known else found.mode)
        if found.mode != (full := stat.S_IFMT(mode) | bits):
            found = found._replace(mode=full)
    proven = found.links == 1 and found.ctime < old
    if proven and times is not None and times.are_of(found) and times.blob == blob:
        return found
    return found._replace(blob=blob)
