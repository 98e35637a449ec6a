"""Finds the directories of a working directory, empty ones too, which git does not know.

Only those that have changed since the last take are listed. Nothing here writes, reads contents,
or lists what lies behind a symbolic link below the root. Paths are relative to the root, with
``/``.
"""

from __future__ import annotations

import os
import stat
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from hermes_checkpoints.fs.handles import Tree
from hermes_checkpoints.fs.stamp import COARSE_CLOCK_NS
from hermes_checkpoints.fs.system import changed_ns
from hermes_checkpoints.model.paths import GIT_NAME, is_git_name, within


def name_number(name: str) -> int:
    """Return a number that stands for a name; never 0."""
    return zlib.crc32(os.fsencode(name)) + 1


def names_by_directory(paths: Iterable[str]) -> Counter[str]:
    """Return the sum of ``name_number`` of some paths, by the directory that each lies in."""
    found: Counter[str] = Counter()
    for path in paths:
        above, _, name = path.rpartition("/")
        found[above] += name_number(name)
    return found


class DirectoryRecord(NamedTuple):
    """A directory as it was last listed.

    ``mode`` has the permission bits, and ``names`` is the sum of what ``name_number`` makes of
    each file and link directly in it: another one where other names are there, whatever their
    order. ``changed`` is when it changed last, in nanoseconds, and ``inode`` its number: no entry
    came or went while both are the same. ``changed`` is -1 where that would not be sure, so that it
    is listed again: it changed so shortly before the look that a later change may have got the same
    time, it lies on another device than the root, or it could not be listed.
    """

    mode: int
    changed: int
    names: int
    inode: int = 0


@dataclass
class DirectoryScan:
    """Finds the directories of a tree by listing only those whose time has changed.

    ``known`` are the records of the last scan and ``ignored`` the directories that a rule
    excludes, which are never entered, nor is any of ``barred``. ``began_ns`` is when whoever looks
    began to. After ``refresh``, ``unknown`` names directories that are neither; the caller, who
    knows the rules, passes those to enter to ``enter``, until none is left. ``repositories`` are
    the directories that have a ``.git``, the root apart.
    """

    root: str
    known: Mapping[str, DirectoryRecord]
    ignored: frozenset[str]
    barred: frozenset[str]
    began_ns: int
    found: dict[str, DirectoryRecord] = field(default_factory=dict)
    listed: dict[str, int | None] = field(default_factory=dict)
    unknown: list[str] = field(default_factory=list)
    specials: set[str] = field(default_factory=set)
    repositories: set[str] = field(default_factory=set)
    unreadable: set[str] = field(default_factory=set)
    gone: set[str] = field(default_factory=set)
    seen_ignored: set[str] = field(default_factory=set)

    def refresh(self, specials: Iterable[str], repositories: Iterable[str] = ()) -> None:
        """Look at every known directory, and list those that have changed.

        ``specials`` are the entries that no checkpoint can hold, and ``repositories`` the
        directories that have a ``.git``, as the last scan found them.
        """
        self._tree = Tree(self.root)
        self._device = self._tree.device
        relist: list[tuple[str, int]] = []
        for path, record in sorted(self.known.items()):
            if self._is_as_known(path, record):
                self.found[path] = record
                continue
            mode = self._mode(path)
            if mode is None:
                self.gone.add(path)
            else:
                relist.append((path, mode))
        for path, mode in relist:
            self._list(path, mode)
        for path in specials:
            parent = path.rpartition("/")[0]
            if parent in self.found and parent not in self.listed:
                self.specials.add(path)
        for path in repositories:
            if path in self.found and path not in self.listed:
                self.repositories.add(path)

    def follow(self, ignored: frozenset[str]) -> None:
        """Let other directories be the ignored ones: forget what lies in the new ones, and put
        those that are no longer ignored among ``unknown``."""
        before, self.ignored = self.ignored, ignored
        for path in [path for path in self.found if self._is_ignored(path)]:
            del self.found[path]
            self.listed.pop(path, None)
        for paths in (self.specials, self.unreadable, self.repositories):
            paths -= {path for path in paths if self._is_ignored(path)}
        self.unknown = [path for path in self.unknown if not self._is_ignored(path)]
        for path in sorted(before - ignored):
            if path.rpartition("/")[0] in self.found and not self._is_ignored(path):
                self.unknown.append(path)

    def enter(self, paths: Iterable[str]) -> None:
        """List directories that were unknown; theirs are appended to ``unknown``."""
        for path in paths:
            mode = self._mode(path)
            if mode is not None:
                self._list(path, mode)

    def shape_changed(self, appeared: Mapping[str, int], vanished: Mapping[str, int]) -> bool:
        """Tell whether a listed directory holds other files than the captured ones explain.

        ``appeared`` and ``vanished`` are the captured files, as ``names_by_directory`` has them. If
        it does, the set of ignored entries has changed. So it may have where a directory is gone.
        """
        if self.gone:
            return True
        for path, before in self.listed.items():
            if before is None:
                return True
            expected = before + appeared.get(path, 0) - vanished.get(path, 0)
            if expected != self.found[path].names:
                return True
        parents = {path.rpartition("/")[0] for path in self.ignored - self.seen_ignored}
        return bool(parents & self.listed.keys())

    # --- inside --------------------------------------------------------------------------

    def _is_ignored(self, path: str) -> bool:
        return within(path, self.ignored)

    def _is_as_known(self, path: str, record: DirectoryRecord) -> bool:
        """Tell whether a directory is the one that was listed, and nothing came or went in it.

        A look by the path alone is enough, as no directory on the way is gone: one behind a link
        that was made just now would have another number, or the same entries. It can be listed and
        entered as then: other permissions would be a change, too.
        """
        parent = path.rpartition("/")[0]
        if record.changed == -1 or parent in self.gone or parent in self.unreadable:
            return False
        try:
            found = self._tree.look(path)
        except OSError:
            return False
        now = changed_ns(found), found.st_ino, stat.S_IMODE(found.st_mode), found.st_dev
        return now == (record.changed, record.inode, record.mode, self._device)

    def _mode(self, path: str) -> int | None:
        """Return the permission bits of a directory; None where there is none at the path."""
        parent = path.rpartition("/")[0]
        if path and (parent in self.gone or parent in self.unreadable):
            # Below an unreadable directory nothing can be known, so nothing is given up.
            if parent in self.unreadable and path in self.known:
                self.found[path] = self.known[path]
                self.unreadable.add(path)
                return self.known[path].mode
            return None
        try:
            found = self._tree.spot(path).lstat() if path else self._tree.directory("").stat()
        except PermissionError:
            if path not in self.known:
                return None
            self.unreadable.update((parent, path))
            self.found[path] = self.known[path]
            return self.known[path].mode
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError:  # a path that is too long for the system, among others
            self.unreadable.add(path)
            return None
        if not stat.S_ISDIR(found.st_mode) and path:
            return None
        return stat.S_IMODE(found.st_mode)

    def _list(self, path: str, mode: int) -> None:
        before = self.known[path].names if path in self.known else None
        if path in self.unreadable:  # as what is known to be in it has told
            self.found[path] = DirectoryRecord(mode, -1, before or 0)
            return
        names = 0
        try:
            if self._closed(path):
                raise PermissionError(path)
            folder = self._tree.directory(path)
            seen = folder.stat()
            with folder.entries() as entries:
                for entry in entries:
                    if entry.name == GIT_NAME:
                        if path:
                            self.repositories.add(path)
                        continue
                    name = f"{path}/{entry.name}" if path else entry.name
                    if is_git_name(entry.name):
                        self.specials.add(name)
                    elif entry.is_dir(follow_symlinks=False):
                        self._child(name)
                    elif entry.is_file(follow_symlinks=False) or entry.is_symlink():
                        names += name_number(entry.name)
                    else:
                        self.specials.add(name)
        except OSError:
            self.unreadable.add(path)
            self.found[path] = DirectoryRecord(mode, -1, before or 0)
            return
        changed = changed_ns(seen)
        if changed > self.began_ns - COARSE_CLOCK_NS or seen.st_dev != self._device:
            changed = -1
        self.listed[path] = before
        self.found[path] = DirectoryRecord(mode, changed, names, seen.st_ino)

    def _child(self, name: str) -> None:
        if name in self.ignored:
            self.seen_ignored.add(name)
        elif name not in self.known and name not in self.barred:
            self.unknown.append(name)

    def _closed(self, path: str) -> bool:
        spot = self._tree.spot(path) if path else self._tree.directory("").spot(".")
        return not spot.may_enter()
