"""Looks at a working directory, so that a take knows what git cannot tell: which directories
exist, which entries are no files, and whether a path can be read at all.

Nothing here follows a symbolic link below the root, writes, or reads contents. Paths are
relative to the root, with ``/``.
"""

from __future__ import annotations

import enum
import os
import stat
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

_RACY_NS = 2_000_000_000
"""A directory whose time is younger than this (the coarsest clock of a usual filesystem) when
it is listed may still change without a new time, so it is listed again."""

GIT_NAME = ".git"
_READ_BY_GIT = frozenset({".gitignore", ".gitattributes"})


def is_git_name(name: str) -> bool:
    """Whether git takes a name for its own, whatever its case, and refuses to hold it."""
    return name.lower() == GIT_NAME


@dataclass(frozen=True)
class DirectoryRecord:
    """A directory as it was last listed.

    ``mode`` has the permission bits, ``mtime`` is in nanoseconds, or -1 to have it listed
    again, and ``files`` counts the files and links directly in it.
    """

    mode: int
    mtime: int
    files: int


class EntryKind(enum.Enum):
    """What a path of a working directory is, as far as a checkpoint cares."""

    FILE = enum.auto()
    LINK = enum.auto()
    DIRECTORY = enum.auto()
    SPECIAL = enum.auto()
    MISSING = enum.auto()
    UNREADABLE = enum.auto()
    BEYOND_LINK = enum.auto()  # a parent is a symbolic link: not part of this tree


@dataclass(frozen=True)
class Entry:
    """A path with its kind, permission bits, size in bytes (0 unless file or link), and times
    of status and content change in nanoseconds."""

    kind: EntryKind
    mode: int = 0
    size: int = 0
    ctime: int = 0
    mtime: int = 0

    @property
    def stamp(self) -> tuple[int, int, int, int]:
        """What changes when the entry does, however short the time between."""
        return (self.ctime, self.mtime, self.size, self.mode)


class Inspector:
    """Tells what paths under ``root`` are. Remembers the parents that it has seen, so use one
    for one survey only."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._links: dict[str, bool] = {"": False}

    def absolute(self, path: str) -> str:
        return os.path.join(self._root, path) if path else self._root

    def beyond_link(self, path: str) -> bool:
        """Whether a parent of ``path`` is a symbolic link."""
        parent = path.rpartition("/")[0]
        known = self._links.get(parent)
        if known is None:
            known = self.beyond_link(parent) or os.path.islink(self.absolute(parent))
            self._links[parent] = known
        return known

    def look(self, path: str, *, try_reading: bool = True) -> Entry:
        """Return what ``path`` is now. ``try_reading`` opens a file to see if it may be read."""
        if self.beyond_link(path):
            return Entry(EntryKind.BEYOND_LINK)
        absolute = self.absolute(path)
        try:
            found = os.lstat(absolute)
        except (FileNotFoundError, NotADirectoryError):
            return Entry(EntryKind.MISSING)
        except OSError:
            return Entry(EntryKind.UNREADABLE)
        mode = stat.S_IMODE(found.st_mode)
        if stat.S_ISLNK(found.st_mode):
            return Entry(EntryKind.LINK, mode, found.st_size, *_times(found))
        if stat.S_ISDIR(found.st_mode):
            return Entry(EntryKind.DIRECTORY, mode)
        if not stat.S_ISREG(found.st_mode):
            return Entry(EntryKind.SPECIAL, mode)
        if try_reading and not _can_open(absolute):
            return Entry(EntryKind.UNREADABLE, mode, found.st_size)
        return Entry(EntryKind.FILE, mode, found.st_size, *_times(found))


def _times(found: os.stat_result) -> tuple[int, int]:
    return found.st_ctime_ns, found.st_mtime_ns


def _can_open(absolute: str) -> bool:
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)
    try:
        os.close(os.open(absolute, flags))
    except OSError:
        return False
    return True


def end_blocked_reads(root: str) -> bool:
    """Let go whoever waits to read a pipe that has a name which git reads; tell whether anyone
    did. He finds the pipe empty."""
    found = False
    for folder, directories, names in os.walk(root):
        if GIT_NAME in directories:
            directories.remove(GIT_NAME)
        for name in _READ_BY_GIT.intersection(names):
            path = os.path.join(folder, name)
            try:
                if stat.S_ISFIFO(os.lstat(path).st_mode):
                    os.close(os.open(path, os.O_WRONLY | getattr(os, "O_NONBLOCK", 0)))
                    found = True
            except OSError:
                continue  # nobody waits there
    return found


@dataclass
class DirectoryScan:
    """Finds the directories of a tree by listing only those whose time has changed.

    ``known`` are the records of the last scan and ``ignored`` the directories that a rule
    excludes, which are never entered, nor is any of ``barred``. After ``refresh``, ``unknown``
    names directories that are neither; the caller, who knows the rules, passes those to enter
    to ``enter``, until none is left.
    """

    root: str
    known: Mapping[str, DirectoryRecord]
    ignored: frozenset[str]
    barred: frozenset[str]
    found: dict[str, DirectoryRecord] = field(default_factory=dict)
    listed: dict[str, int | None] = field(default_factory=dict)
    unknown: list[str] = field(default_factory=list)
    specials: set[str] = field(default_factory=set)
    unreadable: set[str] = field(default_factory=set)
    gone: set[str] = field(default_factory=set)
    seen_ignored: set[str] = field(default_factory=set)

    def refresh(self, specials: Iterable[str]) -> None:
        """Look at every known directory, and list those that have changed.

        ``specials`` are the entries that no checkpoint can hold, as the last scan found them.
        """
        self._now = time.time_ns()
        relist: list[tuple[str, int]] = []
        for path in sorted(self.known):
            record = self.known[path]
            mode, mtime = self._stat(path)
            if mode is None:
                self.gone.add(path)
            elif mtime == record.mtime and mode == record.mode and not self._closed(path):
                self.found[path] = record
            else:
                relist.append((path, mode))
        for path, mode in relist:
            self._list(path, mode)
        for path in specials:
            parent = path.rpartition("/")[0]
            if parent in self.found and parent not in self.listed:
                self.specials.add(path)

    def follow(self, ignored: frozenset[str]) -> None:
        """Let other directories be the ignored ones: forget what lies in the new ones, and put
        those that are no longer ignored among ``unknown``."""
        before, self.ignored = self.ignored, ignored
        for path in [path for path in self.found if self._is_ignored(path)]:
            del self.found[path]
            self.listed.pop(path, None)
        for paths in (self.specials, self.unreadable):
            paths -= {path for path in paths if self._is_ignored(path)}
        self.unknown = [path for path in self.unknown if not self._is_ignored(path)]
        for path in sorted(before - ignored):
            if path.rpartition("/")[0] in self.found and not self._is_ignored(path):
                self.unknown.append(path)

    def enter(self, paths: Iterable[str]) -> None:
        """List directories that were unknown; theirs are appended to ``unknown``."""
        for path in paths:
            mode, _ = self._stat(path)
            if mode is not None:
                self._list(path, mode)

    def shape_changed(self, appeared: Mapping[str, int], vanished: Mapping[str, int]) -> bool:
        """Whether a listed directory holds more or fewer files than the captured ones explain.

        ``appeared`` and ``vanished`` count the captured files by directory. If it does, the
        set of ignored entries has changed.
        """
        for path, before in self.listed.items():
            if before is None:
                return True
            expected = before + appeared.get(path, 0) - vanished.get(path, 0)
            if expected != self.found[path].files:
                return True
        parents = {path.rpartition("/")[0] for path in self.ignored - self.seen_ignored}
        return bool(parents & self.listed.keys())

    # --- inside --------------------------------------------------------------------------

    def _is_ignored(self, path: str) -> bool:
        while path:
            if path in self.ignored:
                return True
            path = path.rpartition("/")[0]
        return False

    def _stat(self, path: str) -> tuple[int | None, int]:
        parent = path.rpartition("/")[0]
        if path and (parent in self.gone or parent in self.unreadable):
            # Below an unreadable directory nothing can be known, so nothing is given up.
            if parent in self.unreadable and path in self.known:
                self.found[path] = self.known[path]
                self.unreadable.add(path)
                return self.known[path].mode, self.known[path].mtime
            return None, 0
        try:
            found = os.lstat(f"{self.root}/{path}")
        except PermissionError:
            if path not in self.known:
                return None, 0
            self.unreadable.update((parent, path))
            self.found[path] = self.known[path]
            return self.known[path].mode, self.known[path].mtime
        except (FileNotFoundError, NotADirectoryError):
            return None, 0
        except OSError:  # a path that is too long for the system, among others
            self.unreadable.add(path)
            return None, 0
        if not stat.S_ISDIR(found.st_mode) and path:
            return None, 0
        return stat.S_IMODE(found.st_mode), found.st_mtime_ns

    def _closed(self, path: str) -> bool:
        return not os.access(f"{self.root}/{path}", os.R_OK | os.X_OK)

    def _list(self, path: str, mode: int) -> None:
        if path in self.unreadable:
            return
        before = self.known[path].files if path in self.known else None
        absolute = os.path.join(self.root, path)
        files = 0
        try:
            if self._closed(path):
                raise PermissionError(absolute)
            mtime = os.lstat(absolute).st_mtime_ns
            with os.scandir(absolute) as entries:
                for entry in entries:
                    if entry.name == GIT_NAME:
                        continue
                    name = f"{path}/{entry.name}" if path else entry.name
                    if is_git_name(entry.name):
                        self.specials.add(name)
                    elif entry.is_dir(follow_symlinks=False):
                        self._child(name)
                    elif entry.is_file(follow_symlinks=False) or entry.is_symlink():
                        files += 1
                    else:
                        self.specials.add(name)
        except OSError:
            self.unreadable.add(path)
            self.found[path] = DirectoryRecord(mode, -1, before or 0)
            return
        if self._now - mtime < _RACY_NS:
            mtime = -1
        self.listed[path] = before
        self.found[path] = DirectoryRecord(mode, mtime, files)

    def _child(self, name: str) -> None:
        if name in self.ignored:
            self.seen_ignored.add(name)
        elif name not in self.known and name not in self.barred:
            self.unknown.append(name)
