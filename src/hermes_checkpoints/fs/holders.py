"""Says who holds the advisory locks on the files of a folder, without locking anything.

Linux tells it in two places: of a process that may be looked into, each open file with the lock on
it, so that a child that inherited one is seen (a git whose parent was killed, say), and a file that
was removed or replaced meanwhile; of all others, ``/proc/locks`` has the number of the process that
took it. What a process is doing there is written in notes, by those that hold a lock alone; they
lie beside the locks. Elsewhere the notes are all that is known.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from hermes_checkpoints.fs.processes import host_name
from hermes_checkpoints.fs.system import LINUX

NOTE_SUFFIX = ".holder"
"""What the name of a lock ends with in that of the note which says who holds it."""

_LONGEST_NOTE = 1 << 16
_NEW_NOTE = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
_NEW_NOTE |= getattr(os, "O_CLOEXEC", 0)
_NEW_NOTE |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
"""How a note is opened: no link is followed, and no pipe that lies there is waited for."""
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


@dataclass(frozen=True)
class Holder:
    """A process that holds a lock: its number, what it does (``take of /home/me/project``), since
    when in UTC as ISO 8601 text, None where no note says so, and whether others may hold it, too.

    ``proven`` is false where only a note names it, which a killed process leaves behind.
    """

    pid: int
    purpose: str
    since: str | None
    shared: bool
    proven: bool = True

    def __str__(self) -> str:
        since = "" if self.since is None else f", since {self.since}"
        return f"process {self.pid} ({self.purpose}{since})"


@dataclass(frozen=True)
class Note:
    """What the holder of a lock wrote down of itself: its process, what it does, since when, and
    on which machine, None where it did not say."""

    pid: int
    purpose: str
    since: str
    host: str | None


def holders(path: Path, held: Sequence[Holding] | None = None) -> list[Holder]:
    """Return who holds the lock at a path just now, those alone before those together, by number;
    nobody where it is free or no file is there. Nothing is locked or waited for. ``held`` are the
    ``holdings`` of its folder, where they are known.

    On Linux these are the processes that have it, as far as this user may look at them. Where none
    is seen, as with another user's or elsewhere, it is whom the lock's note names.
    """
    beside = map(read_note, path.parent.glob(f"*{NOTE_SUFFIX}"))
    notes = {note.pid: note for note in beside if note and note.host == host_name()}
    found = {}
    for one in (holdings(path.parent) or []) if held is None else held:
        if one.name == path.name and one.at_path and one.pid is not None:
            note = notes.get(one.pid)
            purpose = _program(one.pid) if note is None else note.purpose
            since = None if note is None else note.since
            found[one.pid] = Holder(one.pid, purpose, since, not one.alone)
    if not found and (note := read_note(note_of(path))) is not None:
        return [Holder(note.pid, note.purpose, note.since, shared=False, proven=False)]
    return sorted(found.values(), key=lambda holder: (holder.shared, holder.pid))


def note_of(path: Path) -> Path:
    """Return the note that says who holds a lock alone."""
    return path.with_name(path.name + NOTE_SUFFIX)


def leave_note(path: Path, purpose: str) -> None:
    """Write down that this process holds a lock alone, and why, where that can be written."""
    import json

    note = {
        "pid": os.getpid(),
        "purpose": purpose,
        "since": datetime.now(UTC).isoformat(timespec="seconds"),
        "host": host_name(),
    }
    # One short write: whoever reads in between sees no note, and names the program instead.
    with contextlib.suppress(OSError):
        descriptor = os.open(note_of(path), _NEW_NOTE, 0o600)
        try:
            os.write(descriptor, json.dumps(note).encode())
        finally:
            os.close(descriptor)


def read_note(path: Path) -> Note | None:
    """Return what a note says; None where there is none, or it cannot be read."""
    import json

    from hermes_checkpoints.fs.inspect import small_contents  # whoever locks needs no more of it

    try:
        note = json.loads(small_contents(path, _LONGEST_NOTE))
        pid, purpose, since = int(note["pid"]), str(note["purpose"]), str(note["since"])
        host = note.get("host")
        return Note(pid, purpose, since, None if host is None else str(host))
    except (OSError, ValueError, TypeError, KeyError, OverflowError, RecursionError):
        return None


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


def _program(pid: int) -> str:
    try:
        return (_PROC / str(pid) / "comm").read_text(errors="replace").strip() or "a process"
    except OSError:
        return "a process"
