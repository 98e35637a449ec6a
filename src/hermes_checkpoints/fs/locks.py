"""Locks between processes, so that no two of them write one project, or gc under a take.

A lock is an advisory lock on an open file, which the system drops when its holder dies: no
stale lock exists. An exclusive holder leaves its name beside the lock, for whoever waits in
vain. Order, to stay free of deadlocks: project, then store, then catalog.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path

import portalocker

from hermes_checkpoints.errors import LockHeld, base_error
from hermes_checkpoints.fs.system import write_atomically

_POLL_SECONDS = 0.005
_POLL_SECONDS_MAX = 0.1


@contextlib.contextmanager
def exclusive(path: Path, *, purpose: str, timeout: float = 30.0) -> Iterator[int]:
    """Hold a lock alone. Yields the descriptor, for children that must outlive this process.

    ``timeout`` is in seconds; 0 tries once. ``purpose`` is what a waiter is told.

    Raises:
        LockHeld: when another process kept it for longer than ``timeout``.
        BaseUnwritable: when the lock file cannot be made.
    """
    with _held(path, portalocker.LockFlags.EXCLUSIVE, timeout) as descriptor:
        note = {
            "pid": os.getpid(),
            "purpose": purpose,
            "since": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        with contextlib.suppress(OSError):
            write_atomically(_note(path), json.dumps(note).encode())
        yield descriptor


def shared(path: Path, *, timeout: float = 30.0) -> AbstractContextManager[int]:
    """Hold a lock together with other shared holders. Yields the descriptor.

    Raises:
        LockHeld: when a process kept it exclusively for longer than ``timeout`` seconds.
        BaseUnwritable: when the lock file cannot be made.
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
def _held(path: Path, kind: portalocker.LockFlags, timeout: float) -> Iterator[int]:
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise base_error(error, path.parent) from error
    try:
        _acquire(descriptor, kind, path, timeout)
        try:
            yield descriptor
        finally:
            portalocker.unlock(descriptor)
    finally:
        os.close(descriptor)


def _acquire(descriptor: int, kind: portalocker.LockFlags, path: Path, timeout: float) -> None:
    deadline = time.monotonic() + timeout
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
    return path.with_name(path.name + ".holder")


def _who_holds(path: Path, timeout: float) -> str:
    waited = f"waited {timeout:.0f} s" if timeout else "did not wait"
    try:
        note = json.loads(_note(path).read_bytes())
        holder = f"process {note['pid']} ({note['purpose']}, since {note['since']})"
    except (OSError, ValueError, KeyError, TypeError):
        holder = "another process"
    return f"{path.name} is held, last taken by {holder}; {waited}; try again when it is done"
