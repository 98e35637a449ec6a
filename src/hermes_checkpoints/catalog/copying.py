"""Reads the file of a catalog that others use, this process included."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from threading import Lock

from hermes_checkpoints.catalog.failures import damaged
from hermes_checkpoints.errors import CatalogBusy

_LOGS = ("", "-wal", "-journal")
_PIECE = 1 << 20
_TRIES = 5
_guard = Lock()
_open: dict[tuple[int, int], int] = {}
"""A descriptor of each file of a catalog that was copied, by device and inode. None is closed:
closing any descriptor of a file drops the locks that SQLite holds on it in this process
(https://sqlite.org/howtocorrupt.html, 2.2), and then another process damages it."""


def stamp(path: Path) -> tuple[tuple[int, int, int] | None, ...]:
    """Return what changes when somebody writes into a catalog: inode, size and time, in
    nanoseconds, of the file and its logs; None for one that is not there."""
    return tuple(_of(path.with_name(path.name + ending)) for ending in _LOGS)


def _of(path: Path) -> tuple[int, int, int] | None:
    try:
        info = path.stat()
    except FileNotFoundError:
        return None
    return info.st_ino, info.st_size, info.st_mtime_ns


def copied(path: Path, folder: Path) -> Path:
    """Copy a catalog with its log into a folder, and return the copy.

    Raises:
        CatalogBusy: when it is written to all the time.
        CatalogDamaged: when it is no file.
        OSError: when it cannot be read or copied.
    """
    if not path.is_file():
        raise damaged(path, "it is not a regular file")
    copy = folder / path.name
    for _ in range(_TRIES):
        before = stamp(path)
        for ending, known in zip(_LOGS, before, strict=True):
            target = copy.with_name(copy.name + ending)
            target.unlink(missing_ok=True)
            if known is not None and known[1]:
                source = path.with_name(path.name + ending)
                (shutil.copyfile if ending else copy_file)(source, target)
        if stamp(path) == before:
            return copy
    raise CatalogBusy(f"the catalog {path} is written to all the time; look again later")


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
