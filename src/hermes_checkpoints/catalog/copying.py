"""Reads the file of a catalog that others use, this process included."""

from __future__ import annotations

import os
from pathlib import Path
from threading import Lock

_PIECE = 1 << 20
_guard = Lock()
_open: dict[tuple[int, int], int] = {}
"""A descriptor of each file of a catalog that was copied, by device and inode. None is closed:
closing any descriptor of a file drops the locks that SQLite holds on it in this process
(https://sqlite.org/howtocorrupt.html, 2.2), and then another process damages it."""


def copy_file(path: Path, target: Path) -> None:
    """Copy the file of a catalog, whatever connections this process has to it.

    Raises:
        OSError: when it cannot be read or written.
    """
    with _guard, target.open("wb") as copy:
        source = _descriptor(path)
        position = 0
        while piece := os.pread(source, _PIECE, position):
            copy.write(piece)
            position += len(piece)


def first_bytes(path: Path, count: int) -> bytes:
    """Read the first bytes of the file of a catalog.

    Raises:
        OSError: when it cannot be read.
    """
    with _guard:
        return os.pread(_descriptor(path), count, 0)


def _descriptor(path: Path) -> int:
    found = path.stat()
    known = _open.get((found.st_dev, found.st_ino))
    if known is not None and os.fstat(known).st_ino == found.st_ino:
        return known
    new = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    found = os.fstat(new)
    _open[found.st_dev, found.st_ino] = new
    return new
