"""Says who holds a lock.

Linux knows it: ``/proc`` tells of each open file of a process which locks it holds, also where the
process that took the lock was killed and a git that it started holds it on. What a process is doing
there is written in notes, by those that hold a lock alone; they lie beside the locks. Elsewhere
the notes are all that is known.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from hermes_checkpoints.fs.processes import host_name
from hermes_checkpoints.fs.system import LINUX, write_atomically

NOTE_SUFFIX = ".holder"
"""What the name of a lock ends with in that of the note which says who holds it."""

_PROC = Path("/proc")


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
class _Note:
    pid: int
    purpose: str
    since: str
    host: str


def holders(path: Path) -> list[Holder]:
    """Return who holds the lock at a path just now, those alone before those together, by number;
    nobody where it is free or no file is there. Nothing is locked or waited for.

    On Linux these are the processes that have it, as far as this user may look at them. Where none
    is seen, as with another user's or elsewhere, it is whom the lock's note names.
    """
    notes = {note.pid: note for note in _notes(path.parent) if note.host == host_name()}
    found = {}
    for pid, shared in _seen(path):
        note = notes.get(pid)
        purpose = _program(pid) if note is None else note.purpose
        found[pid] = Holder(pid, purpose, None if note is None else note.since, shared)
    if not found:
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            note = _read(note_of(path))
            return [Holder(note.pid, note.purpose, note.since, shared=False, proven=False)]
    return sorted(found.values(), key=lambda holder: (holder.shared, holder.pid))


def note_of(path: Path) -> Path:
    """Return the note that says who holds a lock alone."""
    return path.with_name(path.name + NOTE_SUFFIX)


def leave_note(path: Path, purpose: str) -> None:
    """Write down that this process holds a lock alone, and why, where that can be written."""
    note = {
        "pid": os.getpid(),
        "purpose": purpose,
        "since": datetime.now(UTC).isoformat(timespec="seconds"),
        "host": host_name(),
    }
    with contextlib.suppress(OSError):
        write_atomically(note_of(path), json.dumps(note).encode())


def _notes(folder: Path) -> Iterator[_Note]:
    for path in folder.glob(f"*{NOTE_SUFFIX}"):
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            yield _read(path)


def _read(path: Path) -> _Note:
    note = json.loads(path.read_bytes())
    return _Note(int(note["pid"]), str(note["purpose"]), str(note["since"]), str(note.get("host")))


def _seen(path: Path) -> Iterator[tuple[int, bool]]:
    """Yield the processes that have the file at a path open and locked, and whether together."""
    if not LINUX:
        return
    try:
        lock = path.stat()
        processes = [name for name in os.listdir(_PROC) if name.isdecimal()]
    except OSError:
        return
    for pid in processes:
        with contextlib.suppress(OSError):  # it ended, or is not to be looked at by this user
            for descriptor in os.listdir(_PROC / pid / "fd"):
                with contextlib.suppress(OSError):
                    opened = _PROC / pid / "fd" / descriptor
                    # Only what may be it is looked at: another file may be on a disk that is gone.
                    if path.name not in os.readlink(opened):
                        continue
                    if os.path.samestat(os.stat(opened), lock):
                        told = (_PROC / pid / "fdinfo" / descriptor).read_bytes()
                        for line in told.splitlines():
                            if b"FLOCK" in line:
                                yield int(pid), b"READ" in line.split()


def _program(pid: int) -> str:
    try:
        return (_PROC / str(pid) / "comm").read_text(errors="replace").strip() or "a process"
    except OSError:
        return "a process"
