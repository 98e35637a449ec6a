"""Locks between processes, so that no two of them write one project, or gc under a take.

A lock is an advisory lock on an open file, which the system drops when its holder dies: no
stale lock exists. An exclusive holder leaves its name beside the lock, for whoever waits in
vain. Order, to stay free of deadlocks: project, then catalog, then store.

A lock counts only while its file is at its path. Whoever gets one looks at the path again: if
another file is there, it was locked in vain, and is taken anew. A holder looks before it does
what cannot be undone (``Held.require``).

Who wants a lock alone that others hold together gets its turn: it holds the queue beside the lock
while it waits, and whoever wants to hold the lock together with others passes through there first.
A forked child holds none of the locks of its parent.
"""

from __future__ import annotations

import contextlib
import errno
import os
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hermes_checkpoints.errors import BaseUnwritable, LockHeld, LockLost, base_error
from hermes_checkpoints.fs import forks
from hermes_checkpoints.fs.file_lock import try_lock, unlock
from hermes_checkpoints.fs.holders import (
    NOTE_SUFFIX,
    Holder,
    holders,
    holdings,
    leave_note,
    note_of,
)
from hermes_checkpoints.layout import CATALOG_LOCK, LOCKS, former_catalog_lock, former_locks

__all__ = [
    "NOTE_SUFFIX",
    "QUEUE_SUFFIX",
    "Held",
    "Holder",
    "exclusive",
    "holders",
    "is_held",
    "shared",
]

QUEUE_SUFFIX = ".queue"
"""What the name of a lock ends with in that of the file by which one waits for one's turn."""

_CLOSED = (errno.EACCES, errno.EPERM, errno.EROFS)
_POLL_SECONDS = 0.005
_POLL_SECONDS_MAX = 0.1
_MOST_NAMED = 5


@dataclass(frozen=True)
class Held:
    """A lock while it is held. Children that inherit ``descriptors`` hold it, too, also when this
    process is killed; a fork of this process does not."""

    path: Path
    descriptors: tuple[int, ...]

    def require(self) -> None:
        """Refuse to go on where the lock file was removed or replaced: whoever comes next locks
        another file, and would work at the same time.

        Raises:
            LockLost: and in a fork of the process that took the lock.
        """
        if self.descriptors[-1] not in _open:
            raise LockLost(
                f"the lock {self.path} is held by the process that this one was forked from; "
                "nothing was done here. Take it anew in this process"
            )
        if not _is_at(self.descriptors[-1], self.path):
            raise LockLost(
                f"the lock file {self.path} was removed or replaced while it was held, so that "
                "another process may work here, too; nothing more was done. Try again"
            )


@contextlib.contextmanager
def exclusive(
    path: Path, *, purpose: str, timeout: float = 30.0, told: bool = True
) -> Iterator[Held]:
    """Hold a lock alone.

    ``timeout`` is in seconds; 0 tries once. ``purpose`` is what a waiter is told. Without ``told``
    nobody asks who holds the lock, which takes a look at all processes: for a caller who goes on
    without it.

    Raises:
        LockHeld: when another process kept it for longer than ``timeout``.
        BaseUnwritable: when the lock file cannot be made, or the base is gone.
    """
    deadline = time.monotonic() + timeout
    with contextlib.ExitStack() as stack:
        with _told(path, timeout, told):
            try:
                held = stack.enter_context(_all(path, shared=False, deadline=0))
            except _Busy:
                if timeout <= 0:
                    raise
                with _queued(path, deadline, shared=False):
                    held = stack.enter_context(_all(path, shared=False, deadline=deadline))
        owner = os.getpid()
        leave_note(path, purpose)
        try:
            yield held
        finally:
            if owner == os.getpid():
                with contextlib.suppress(OSError):
                    os.unlink(note_of(path))


@contextlib.contextmanager
def shared(path: Path, *, timeout: float = 30.0, told: bool = True) -> Iterator[Held]:
    """Hold a lock together with other shared holders. ``told`` is as for ``exclusive``.

    Raises:
        LockHeld: when a process kept it exclusively, or waited to, for longer than ``timeout``
            seconds.
        BaseUnwritable: when the lock file cannot be made, or the base is gone.
    """
    deadline = time.monotonic() + timeout
    with contextlib.ExitStack() as stack:
        with _told(path, timeout, told):
            # Whoever waits in the queue waits for a thread that holds the lock already.
            if path not in _mine.shared:
                with _queued(path, deadline, shared=True):
                    pass
            held = stack.enter_context(_all(path, shared=True, deadline=deadline))
        _mine.shared.append(path)
        try:
            yield held
        finally:
            if path in _mine.shared:  # a fork holds nothing
                _mine.shared.remove(path)


def is_held(path: Path) -> bool:
    """Tell whether another process holds a lock just now."""
    try:
        with _all(path, shared=False, deadline=0):
            return False
    except _Busy:
        return True


# --- inside -----------------------------------------------------------------------------------


class _Busy(Exception):
    """A lock is held by others until the deadline."""


class _Mine(threading.local):
    """The locks that this thread holds together with others."""

    def __init__(self) -> None:
        self.shared: list[Path] = []


_mine = _Mine()
_open: set[int] = set()
"""The descriptors of this process that may hold a lock."""


@contextlib.contextmanager
def _told(path: Path, timeout: float, told: bool) -> Iterator[None]:
    """Say that a lock could not be taken, and who holds it where that is to be told.

    Raises:
        LockHeld.
    """
    try:
        yield
    except _Busy:
        waited = f"waited {timeout:.0f} s" if timeout else "did not wait"
        held = _who_holds(path) if told else "held by others"
        raise LockHeld(f"{path.name} is {held}; {waited}; try again when it is done") from None


def _who_holds(path: Path) -> str:
    held = holdings(path.parent) or []
    found = holders(path, held)
    if found and not found[0].proven:
        return f"held, last taken by {found[0]}"
    waiting = holders(_queue(path), held)
    next_one = [one for one in waiting if not one.shared and one.pid != os.getpid()]
    if next_one and not found:
        return (
            f"held by nobody that can be seen, and {next_one[0]}, who waited for it, is to get it"
        )
    named = ", ".join(map(str, found[:_MOST_NAMED])) or "another process"
    more = f" and {len(found) - _MOST_NAMED} more" if len(found) > _MOST_NAMED else ""
    is_next = f"; {next_one[0]} gets it next" if next_one else ""
    return f"held by {named}{more}{is_next}"


def _queue(path: Path) -> Path:
    return path.with_name(path.name + QUEUE_SUFFIX)


@contextlib.contextmanager
def _queued(path: Path, deadline: float, *, shared: bool) -> Iterator[None]:
    """Hold the queue of a lock: alone, so that nobody new holds the lock together with others."""
    with contextlib.ExitStack() as stack:
        _take(stack, _queue(path), shared=shared, deadline=deadline)
        yield


@contextlib.contextmanager
def _all(path: Path, *, shared: bool, deadline: float) -> Iterator[Held]:
    """Hold a lock, and before it the one that an earlier program takes instead."""
    descriptors: list[int] = []
    with contextlib.ExitStack() as stack:
        former = _former(path)
        if former is not None:
            try:
                descriptors.append(_take(stack, former, shared=shared, deadline=deadline))
            except BaseUnwritable as error:
                # What this user cannot lock, no earlier program of this user works under.
                if getattr(error.__cause__, "errno", None) not in _CLOSED:
                    raise
        descriptors.append(_take(stack, path, shared=shared, deadline=deadline))
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


def _take(stack: contextlib.ExitStack, path: Path, *, shared: bool, deadline: float) -> int:
    """Lock the file that is at a path, until the stack ends; return its descriptor.

    Raises:
        _Busy: when others hold it until ``deadline``, a time of the monotonic clock.
        BaseUnwritable.
    """
    while True:
        descriptor = _opened(path)
        with contextlib.ExitStack() as attempt:
            attempt.callback(_close, descriptor)
            _acquire(descriptor, path, shared=shared, deadline=deadline)
            attempt.callback(unlock, descriptor)
            if _is_at(descriptor, path):
                stack.enter_context(attempt.pop_all())
                return descriptor
        # The file was replaced while this one waited, as when the base was cleared.


def _opened(path: Path) -> int:
    try:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        with forks.undivided():
            flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0)
            descriptor = os.open(path, flags, 0o600)
            _open.add(descriptor)
        return descriptor
    except FileNotFoundError as error:
        raise BaseUnwritable(
            f"{path.parent.parent} was removed meanwhile, as `clear` does; open it again"
        ) from error
    except OSError as error:
        raise base_error(error, path.parent) from error


def _close(descriptor: int) -> None:
    """Close a lock file: it is closed, and the lock given back, whatever a broken disk says."""
    with forks.undivided():
        _open.discard(descriptor)
        with contextlib.suppress(OSError):
            os.close(descriptor)


def _leave_to_parent() -> None:
    forks.lead_nowhere(_open)
    _open.clear()
    _mine.shared.clear()


forks.at_fork(in_child=_leave_to_parent)


def _is_at(descriptor: int, path: Path) -> bool:
    """Tell whether an open file is still the one at a path."""
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except OSError:
        return False


def _acquire(descriptor: int, path: Path, *, shared: bool, deadline: float) -> None:
    pause = _POLL_SECONDS
    while True:
        try:
            if try_lock(descriptor, shared=shared):
                return
        except OSError as error:
            raise BaseUnwritable(
                f"{path} cannot be locked ({error.strerror}); the base needs a file system with "
                "file locks: choose another home with --home or HERMES_HOME"
            ) from error
        if time.monotonic() >= deadline:
            raise _Busy
        time.sleep(pause)
        pause = min(pause * 2, _POLL_SECONDS_MAX)
