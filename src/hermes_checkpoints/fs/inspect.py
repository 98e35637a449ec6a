"""Looks at the paths of a working directory, so that a take knows what git cannot tell: what a
path is, whether it is too large, and whether it can be read at all.

An ``Inspector`` follows no symbolic link below the root, writes nothing and reads no contents;
its paths are relative to the root, with ``/``.
"""

from __future__ import annotations

import enum
import os
import stat
from dataclasses import dataclass
from pathlib import Path

from hermes_checkpoints.errors import BadDirectory


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
    """Tells what paths under ``root`` are, where files over ``limit`` bytes are oversize.
    Remembers the parents that it has seen, so use one for one survey only."""

    def __init__(self, root: str, limit: int | None = None) -> None:
        self._root = root
        self._limit = limit
        self._links: dict[str, bool] = {"": False}

    def absolute(self, path: str) -> str:
        return os.path.join(self._root, path) if path else self._root

    def beyond_link(self, path: str) -> bool:
        """Tell whether a parent of ``path`` is a symbolic link."""
        parent = path.rpartition("/")[0]
        known = self._links.get(parent)
        if known is None:
            known = self.beyond_link(parent) or os.path.islink(self.absolute(parent))
            self._links[parent] = known
        return known

    def look(self, path: str, *, try_reading: bool = True) -> Entry:
        """Return what ``path`` is now. ``try_reading`` opens a file to see if it may be read,
        unless it is oversize."""
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
        if self._limit is not None and found.st_size > self._limit:
            return Entry(EntryKind.OVERSIZE, mode, found.st_size, *_times(found))
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


def small_contents(file: Path, most: int = 1 << 24) -> bytes:
    """Return the bytes of a regular file, also at the end of a link; none where it cannot be read,
    has more than ``most`` bytes (16 MB), or is another thing: a pipe would be waited for."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        with open(os.open(file, flags), "rb") as opened:
            found = os.fstat(opened.fileno())
            regular = stat.S_ISREG(found.st_mode) and found.st_size <= most
            return opened.read(most) if regular else b""
    except (OSError, ValueError):  # a name with a NUL, among others
        return b""


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
