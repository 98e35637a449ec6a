"""Looks at the paths of a working directory, so that a take knows what git cannot tell: what a
path is, whether it is too large, and whether it can be read at all.

An ``Inspector`` follows no symbolic link below the root, writes nothing and reads no contents;
its paths are relative to the root, with ``/``.
"""

from __future__ import annotations

import enum
import os
import stat
from pathlib import Path
from typing import NamedTuple

from hermes_checkpoints.errors import BadDirectory
from hermes_checkpoints.fs.handles import BeyondLink, Directory, Spot, Tree
from hermes_checkpoints.fs.system import owner_may_read

SET_ID = stat.S_ISUID | stat.S_ISGID
"""The permission bits by which whoever runs a file gets the powers of its user or group."""


class EntryKind(enum.Enum):
    """What a path of a working directory is, as far as a checkpoint cares."""

    FILE = enum.auto()
    OVERSIZE = enum.auto()  # a file over the size limit, whether or not it can be read
    LINK = enum.auto()
    DIRECTORY = enum.auto()
    SPECIAL = enum.auto()
    MISSING = enum.auto()
    UNREADABLE = enum.auto()
    BEYOND_LINK = enum.auto()  # a parent is a symbolic link: not part of this tree


class Entry(NamedTuple):
    """A path with its kind, permission bits, size in bytes (0 unless file or link), and times
    of status and content change in nanoseconds. ``owner`` is the user and group of a file that
    lends their powers to whoever runs it (set-id bits), None of any other."""

    kind: EntryKind
    mode: int = 0
    size: int = 0
    ctime: int = 0
    mtime: int = 0
    owner: tuple[int, int] | None = None

    @property
    def stamp(self) -> tuple[int, int, int, int]:
        """What changes when the entry does, however short the time between."""
        return (self.ctime, self.mtime, self.size, self.mode)


_KINDS = {stat.S_IFREG: EntryKind.FILE, stat.S_IFLNK: EntryKind.LINK}


class Inspector:
    """Tells what paths under ``root``, a path or an open directory, are; files over ``limit`` bytes
    are oversize. Keeps directories open that it has seen, so use one for one survey only."""

    def __init__(self, root: str | Directory, limit: int | None = None) -> None:
        self._root = root
        self._limit = limit
        self._tree: Tree | None = None

    def spot(self, path: str) -> Spot:
        """Return the spot of a path.

        Raises:
            BeyondLink: when a directory on the way is a link.
            OSError: when one is missing, no directory, or closed.
        """
        return self._opened().spot(path)

    def open(self, path: str) -> int:
        """Open the file at a path to read it, and return its descriptor; a pipe is not waited for.

        Raises:
            OSError: as ``spot``; also when a link lies there.
        """
        return self._opened().open(path)

    def exists(self, path: str) -> bool:
        """Tell whether anything can be seen at a path, not counting what lies behind a link."""
        try:
            self._opened().lstat(path)
        except OSError:
            return False
        return True

    def is_directory(self, path: str) -> bool:
        """Tell whether a directory can be seen at a path; a link to one is none."""
        try:
            return stat.S_ISDIR(self._opened().lstat(path).st_mode)
        except OSError:
            return False

    def inside(self, path: str) -> list[str] | None:
        """Return the names in a directory, or None where they cannot be listed."""
        try:
            return self._opened().directory(path).names()
        except OSError:
            return None

    def look(self, path: str, *, try_reading: bool = True) -> Entry:
        """Return what ``path`` is now. With ``try_reading`` it is found out whether a file may be
        read that is not oversize: where owner and permission bits do not say so, by opening it.
        Whoever reads it afterwards may still be refused."""
        try:
            tree = self._opened()
            found = tree.lstat(path) if path else tree.directory("").stat()
        except BeyondLink:
            return Entry(EntryKind.BEYOND_LINK)
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
        if self._limit is not None and found.st_size > self._limit:
            return Entry(EntryKind.OVERSIZE, mode, found.st_size, *_times(found))
        if try_reading and not (owner_may_read(found) or _can_open(tree, path)):
            return Entry(EntryKind.UNREADABLE, mode, found.st_size)
        owner = (found.st_uid, found.st_gid) if mode & SET_ID else None
        return Entry(EntryKind.FILE, mode, found.st_size, *_times(found), owner)

    def is_as(self, path: str, entry: Entry) -> bool:
        """Tell whether ``path`` is still the file or link that it was when it was looked at, as far
        as its times, size and permission bits tell. It costs less than another look."""
        try:
            found = self._opened().lstat(path)
        except OSError:
            return False
        return (
            _KINDS.get(stat.S_IFMT(found.st_mode)) is entry.kind
            and found.st_ctime_ns == entry.ctime
            and found.st_mtime_ns == entry.mtime
            and found.st_size == entry.size
            and stat.S_IMODE(found.st_mode) == entry.mode
        )

    def _opened(self) -> Tree:
        if self._tree is None:
            self._tree = Tree(self._root)
        return self._tree


def _times(found: os.stat_result) -> tuple[int, int]:
    return found.st_ctime_ns, found.st_mtime_ns


def _can_open(tree: Tree, path: str) -> bool:
    try:
        os.close(tree.open(path))
    except OSError:
        return False
    return True


_MORE = 1 << 12
"""Bytes that a file may have become longer by since it was looked at, for one read of it."""


def small_contents(file: str | Path, most: int = 1 << 24) -> bytes:
    """Return the bytes of a regular file, also at the end of a link; none where it cannot be read,
    has more than ``most`` bytes (16 MB), or is another thing: a pipe would be waited for."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        descriptor = os.open(file, flags)
    except (OSError, ValueError):  # a name with a NUL, among others
        return b""
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or found.st_size > most:
            return b""
        # No buffer as large as ``most``, which takes longer than what is read into it.
        read = b""
        while piece := os.read(descriptor, min(most - len(read), found.st_size + _MORE)):
            read += piece
        return read
    except OSError:
        return b""
    finally:
        os.close(descriptor)


def require_readable_directory(path: Path) -> None:
    """Refuse a path that is no directory, or one whose names this user cannot list.

    Raises:
        BadDirectory: with the remedy.
    """
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        raise BadDirectory(f"{path} does not exist; give an existing directory") from None
    except OSError as error:
        raise BadDirectory(f"{path} cannot be read ({error.strerror}); check its owner") from error
    if not stat.S_ISDIR(mode):
        raise BadDirectory(f"{path} is not a directory; give the directory that holds it")
    if not os.access(path, os.R_OK | os.X_OK):
        raise BadDirectory(f"{path} is not readable for this user; check its permissions")
