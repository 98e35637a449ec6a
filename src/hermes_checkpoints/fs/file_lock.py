"""Locks an open file, on every system: for this process and the children that inherit it."""

from __future__ import annotations

import errno
import sys

_TAKEN = (errno.EAGAIN, errno.EACCES)

if sys.platform == "win32":
    import portalocker

    def try_lock(descriptor: int, *, shared: bool) -> bool:
        """Lock an open file if that can be done at once, and tell whether it was.

        Raises:
            OSError: when its file system has no locks, among others.
        """
        kind = portalocker.LockFlags.SHARED if shared else portalocker.LockFlags.EXCLUSIVE
        try:
            portalocker.lock(descriptor, kind | portalocker.LockFlags.NON_BLOCKING)
        except portalocker.AlreadyLocked:
            return False
        return True

    def unlock(descriptor: int) -> None:
        """Let go of the lock on an open file."""
        portalocker.unlock(descriptor)

else:
    import fcntl

    def try_lock(descriptor: int, *, shared: bool) -> bool:
        """Lock an open file if that can be done at once, and tell whether it was.

        Raises:
            OSError: when its file system has no locks, among others.
        """
        kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
        try:
            fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in _TAKEN:
                return False
            raise
        return True

    def unlock(descriptor: int) -> None:
        """Let go of the lock on an open file."""
        fcntl.flock(descriptor, fcntl.LOCK_UN)
