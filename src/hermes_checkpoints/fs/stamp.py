"""Tells whether what lies at a path is what was seen there before.

A stamp has all that would differ if it were another thing: kind, permission bits, size, times,
device, inode, where a link leads. None is the stamp of a path where nothing lies.
"""

from __future__ import annotations

import hashlib
import os
import stat
from typing import NamedTuple

from hermes_checkpoints.fs.handles import Spot

_PIECE = 1 << 20

COARSE_CLOCK_NS = 2_000_000_000
"""What changed so shortly before it was looked at, in nanoseconds, may have changed again without
new times: the coarsest clock of a usual filesystem and git compare whole seconds, and a second more
allows for clocks of other machines."""


class Stamp(NamedTuple):
    """What was seen at a path. ``mode`` is the full one, ``mtime`` and ``ctime`` are in
    nanoseconds, ``links`` counts the names of a file, ``target`` is where a link leads.

    ``blob`` is set where the times do not prove that the contents are still the same: it is
    git's id of the contents, and they have to be read to be sure.
    """

    mode: int
    size: int
    mtime: int
    ctime: int
    device: int
    inode: int
    links: int = 1
    target: str | None = None
    blob: str | None = None

    def matches(self, found: Stamp | None, *, renamed: bool = False) -> bool:
        """Tell whether ``found`` is the same thing, unchanged as far as a look can tell.

        A rename gives a new ctime; ``renamed`` leaves that out. So does a rename of another name
        of the same file. Of a directory, size and times tell of what lies in it, and say nothing
        about itself.

        Example: ``look(spot)`` before and after ``os.utime(path)`` do not match, nor do they
        before and after ``mv other path``, whatever the times of the other file.
        """
        if found is None:
            return False
        one, other = (self.mode, self.device, self.inode), (found.mode, found.device, found.inode)
        if one != other or stat.S_ISDIR(self.mode):
            return one == other
        if (self.size, self.mtime, self.target) != (found.size, found.mtime, found.target):
            return False
        return renamed or self.links > 1 or self.ctime == found.ctime


def look(spot: Spot) -> Stamp | None:
    """Return the stamp of what lies at a spot, or None where nothing does.

    Raises:
        OSError: when it cannot be seen.
    """
    try:
        found = spot.lstat()
        target = spot.readlink() if stat.S_ISLNK(found.st_mode) else None
    except (FileNotFoundError, NotADirectoryError):
        return None
    return stamp_of(found, target)


def stamp_of(found: os.stat_result, target: str | None = None) -> Stamp:
    """Return the stamp that a look at the system gave."""
    return Stamp(
        found.st_mode,
        found.st_size,
        found.st_mtime_ns,
        found.st_ctime_ns,
        found.st_dev,
        found.st_ino,
        found.st_nlink,
        target,
    )


def blob_of(spot: Spot) -> str | None:
    """Return git's id of the contents of a file, or of where a link leads; None for what has no
    contents, or cannot be read."""
    try:
        mode = spot.lstat().st_mode
        return content_id(spot, mode) if stat.S_IFMT(mode) in (stat.S_IFREG, stat.S_IFLNK) else None
    except OSError:
        return None


def content_id(spot: Spot, mode: int | None = None) -> str:
    """Return git's id of the contents of a file, or of where a link leads; ``mode`` is the full one
    of what was seen there, if it was looked at.

    Raises:
        OSError: when it cannot be read.
    """
    if stat.S_ISLNK(spot.lstat().st_mode if mode is None else mode):
        target = os.fsencode(spot.readlink())
        return _digest(len(target), target).hexdigest()
    return blob_of_file(spot.open(os.O_RDONLY))


def blob_of_file(descriptor: int) -> str:
    """Return git's id of the contents of an open file, and close it.

    Raises:
        OSError: when they cannot be read.
    """
    try:
        size = os.fstat(descriptor).st_size
        if size <= _PIECE:
            data = os.read(descriptor, size + 1)
            if len(data) != size:  # it grows, or is a pipe or a file of the system
                data += b"".join(iter(lambda: os.read(descriptor, _PIECE), b""))
            return _digest(len(data), data).hexdigest()
        digest = _digest(size, b"")
        while piece := os.read(descriptor, _PIECE):
            digest.update(piece)
        return digest.hexdigest()
    finally:
        os.close(descriptor)


def _digest(size: int, data: bytes) -> hashlib._Hash:
    return hashlib.sha1(b"blob %d\0%b" % (size, data), usedforsecurity=False)
