"""Tells who holds the advisory locks on the files of a folder, without locking anything.

Linux tells it in two places: of a process that may be looked into, each open file with the lock on
it, so that a child that inherited one is seen, and a file that was removed or replaced meanwhile;
of all others, ``/proc/locks`` has the number of the process that took it. Elsewhere nobody tells.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hermes_checkpoints.fs.system import LINUX

_PROC = Path("/proc")
_DELETED = " (deleted)"
_FLOCK = re.compile(
    r"\d+: FLOCK +\w+ +(?P<mode>\w+) +(?P<pid>-?\d+) "
    r"(?P<major>[0-9a-f]+):(?P<minor>[0-9a-f]+):(?P<inode>\d+) "
)
"""A lock as Linux writes it; who waits for one is written with ``->`` behind the number."""


@dataclass(frozen=True)
class Holding:
    """A lock that is held just now: the ``name`` of its file, and the process that holds it, None
    where that cannot be seen from here. ``at_path`` is false where another file, or none, is at
    the path by now."""

    name: str
    pid: int | None
    alone: bool
    inode: int
    at_path: bool = True


def holdings(folder: Path) -> list[Holding] | None:
    """Return the locks that are held on files of a folder, by name; None where the system does not
    tell."""
    listed = _listed()
    if listed is None:
        return None
    found = list(_seen(folder))
    explained = {(one.inode, one.alone) for one in found if one.at_path}
    present = {(one.st_dev, one.st_ino): name for name, one in _files(folder).items()}
    for lock, alone, pid in listed:
        name = present.get(lock)
        if name is not None and (lock[1], alone) not in explained:
            found.append(Holding(name, pid if pid > 0 else None, alone, lock[1]))
    return sorted(found, key=lambda one: (one.name, one.pid or 0))


def runs(pid: int) -> bool | None:
    """Tell whether a process of this number runs; None where the system does not tell."""
    return (_PROC / str(pid)).is_dir() if LINUX else None


def _listed() -> list[tuple[tuple[int, int], bool, int]] | None:
    """Return device and inode of each locked file, whether it is locked alone, and by whom."""
    try:
        lines = (_PROC / "locks").read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return None
    matches = filter(None, map(_FLOCK.match, lines))
    return [
        (
            (os.makedev(int(one["major"], 16), int(one["minor"], 16)), int(one["inode"])),
            one["mode"] == "WRITE",
            int(one["pid"]),
        )
        for one in matches
    ]


def _files(folder: Path) -> dict[str, os.stat_result]:
    try:
        with os.scandir(folder) as entries:
            return {entry.name: entry.stat(follow_symlinks=False) for entry in entries}
    except OSError:
        return {}


def _seen(folder: Path) -> Iterator[Holding]:
    """Yield what processes hold that may be looked into."""
    above, files = f"{folder}{os.sep}", _files(folder)
    for process in _PROC.glob("[0-9]*"):
        with contextlib.suppress(OSError):
            for number in os.listdir(process / "fd"):
                with contextlib.suppress(OSError):
                    opened = process / "fd" / number
                    target = os.readlink(opened)
                    if not target.startswith(above):
                        continue
                    facts = (process / "fdinfo" / number).read_text(errors="replace")
                    for line in facts.splitlines():
                        match = _FLOCK.match(line.removeprefix("lock:").strip())
                        if match is None:
                            continue
                        name = target[len(above) :].removesuffix(_DELETED)
                        found = opened.stat()
                        here = name in files and os.path.samestat(files[name], found)
                        alone = match["mode"] == "WRITE"
                        yield Holding(name, int(process.name), alone, found.st_ino, here)
