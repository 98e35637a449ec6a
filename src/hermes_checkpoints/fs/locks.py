"""Locks between processes, so that no two of them write one project, or gc under a take.

A lock is an advisory lock on an open file, which the system drops when its holder dies: no
stale lock exists. An exclusive holder leaves its name beside the lock, for whoever waits in
vain. Order, to stay free of deadlocks: project, then catalog, then store.

A lock counts only while its file is at its path. Whoever gets one looks at the path again: if
another file is there, it was locked in vain, and is taken anew. A holder looks before it does
what cannot be undone (``Held.require``).
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import portalocker

from hermes_checkpoints.errors import BaseUnwritable, LockHeld, LockLost, base_error
from hermes_checkpoints.fs.system import write_atomically
from hermes_checkpoints.layout import CATALOG_LOCK, LOCKS, former_catalog_lock, former_locks

NOTE_SUFFIX = ".holder"
"""What the name of a lock ends with in that of the note which says who holds it."""

_CLOSED = (errno.EACCES, errno.EPERM, errno.EROFS)
_POLL_SECONDS = 0.005
_POLL_SECONDS_MAX = 0.1


@dataclass(frozen=True)
class Held:
    """A lock while it is held. Children that inherit ``descriptors`` hold it, too, also when this
    process is killed."""

    path: Path
    descriptors: tuple[int, ...]

    def require(self) -> None:
        """Refuse to go on where the lock file was removed or replaced: whoever comes next locks
        another file, and would work at the same time.

        Raises:
            LockLost.
        """
        if not _is_at(self.descriptors[-1], self.path):
            raise LockLost(
                f"the lock file {self.path} was removed or replaced while it was held, so that "
                "another process may work here, too; nothing more was done. Try again"
            )


@contextlib.contextmanager
def exclusive(path: Path, *, purpose: str, timeout: float = 30.0) -> Iterator[Held]:
    """Hold a lock alone.

    ``timeout`` is in seconds; 0 tries once. ``purpose`` is what a waiter is told.

    Raises:
        LockHeld: when another process kept it for longer than ``timeout``.
        BaseUnwritable: when the lock file cannot be made, or the base is gone.
    """
    with _held(path, portalocker.LockFlags.EXCLUSIVE, timeout) as held:
        note = {
            "pid": os.getpid(),
            "purpose": purpose,
            "since": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        with contextlib.suppress(OSError):
            write_atomically(_note(path), json.dumps(note).encode())
        try:
            yield held
        finally:
            with contextlib.suppress(OSError):
                os.unlink(_note(path))


def shared(path: Path, *, timeout: float = 30.0) -> AbstractContextManager[Held]:
    """Hold a lock together with other shared holders.

    Raises:
        LockHeld: when a process kept it exclusively for longer than ``timeout`` seconds.
        BaseUnwritable: when the lock file cannot be made, or the base is gone.
    """
    return _held(path, portalocker.LockFlags.SHARED, timeout)


def is_held(path: Path) -> bool:
    """Tell whether another process holds a lock just now."""
    try:
        with exclusive(path, purpose="looking", timeout=0):
            return False
    except LockHeld:
        return True


@contextlib.contextmanager
def _held(path: Path, kind: portalocker.LockFlags, timeout: float) -> Iterator[Held]:
    """Hold a lock, and before it the one that an earlier program takes instead."""
    deadline = time.monotonic() + timeout
    descriptors: list[int] = []
    with contextlib.ExitStack() as stack:
        former = _former(path)
        if former is not None:
            try:
                descriptors.append(_take(stack, former, kind, deadline, timeout))
            except BaseUnwritable as error:
                # What this user cannot lock, no earlier program of this user works under.
                if getattr(error.__cause__, "errno", None) not in _CLOSED:
                    raise
        descriptors.append(_take(stack, path, kind, deadline, timeout))
        yield Held(path, tuple(descriptors))


def _former(path: Path) -> Path | None:
    """Return the file that an earlier program locks instead of this one, in the folder beside the
    base that it makes before it does anything; None where no such program was ever here."""
    base = path.parent.parent
    if path.parent.name != LOCKS or not former_locks(base).is_dir():
        return None
    return (
        former_catalog_lock(base) if path.name == CATALOG_LOCK else former_locks(base) / path.name
    )


def _take(
    stack: contextlib.ExitStack,
    path: Path,
    kind: portalocker.LockFlags,
    deadline: float,
    timeout: float,
) -> int:
    """Lock the file that is at a path, until the stack ends; return its descriptor."""
    while True:
        descriptor = _opened(path)
        with contextlib.ExitStack() as attempt:
            attempt.callback(_close, descriptor)
            _acquire(descriptor, kind, path, deadline, timeout)
            attempt.callback(portalocker.unlock, descriptor)
            if _is_at(descriptor, path):
                stack.enter_context(attempt.pop_all())
                return descriptor
        # The file was replaced while this one waited, as when the base was cleared.


def _opened(path: Path) -> int:
    try:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        return os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
    except FileNotFoundError as error:
        raise BaseUnwritable(
            f"{path.parent.parent} was removed meanwhile, as `clear` does; open it again"
        ) from error
    except OSError as error:
        raise base_error(error, path.parent) from error


def _close(descriptor: int) -> None:
    """Close a lock file: it is closed, and the lock given back, whatever a broken disk says."""
    with contextlib.suppress(OSError):
        os.close(descriptor)


def _is_at(descriptor: int, path: Path) -> bool:
    """Tell whether an open file is still the one at a path."""
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except OSError:
        return False


def _acquire(
    descriptor: int, kind: portalocker.LockFlags, path: Path, deadline: float, timeout: float
) -> None:
    pause = _POLL_SECONDS
    while True:
        try:
            portalocker.lock(descriptor, kind | portalocker.LockFlags.NON_BLOCKING)
            return
        except portalocker.AlreadyLocked:
            if time.monotonic() >= deadline:
                raise LockHeld(_who_holds(path, timeout)) from None
        time.sleep(pause)
        pause = min(pause * 2, _POLL_SECONDS_MAX)


def _note(path: Path) -> Path:
    return path.with_name(path.name + NOTE_SUFFIX)


def _who_holds(path: Path, timeout: float) -> str:
    waited = f"waited {timeout:.0f} s" if timeout else "did not wait"
    try:
        note = json.loads(_note(path).read_bytes())
        holder = f"process {note['pid']} ({note['purpose']}, since {note['since']})"
    except (OSError, ValueError, KeyError, TypeError):
        holder = "another process"
    return f"{path.name} is held, last taken by {holder}; {waited}; try again when it is done"
