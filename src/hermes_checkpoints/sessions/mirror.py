"""The files ``<session_id>.yaml`` in the base, for older programs that look for them.

The mirror follows the catalog. Under one lock each file is made what the catalog says at that
moment, so whoever writes last leaves it right. The time of a file says for which state it was
written; one with another time was written by somebody else, and is taken into the catalog before
it is replaced.
"""

from __future__ import annotations

import contextlib
import logging
import os
import stat
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from hermes_checkpoints.base.opened import Base
from hermes_checkpoints.errors import CheckpointError
from hermes_checkpoints.fs.locks import exclusive
from hermes_checkpoints.fs.system import nanoseconds, write_atomically
from hermes_checkpoints.sessions.files import SUFFIX, file_name, set_aside, yaml_file
from hermes_checkpoints.sessions.importing import import_file

logger = logging.getLogger(__name__)


class Mirror:
    """The files ``<session_id>.yaml`` in the base. What goes wrong is logged: the state of a
    session is in the catalog, and the next opening brings the files in step."""

    def __init__(self, base: Base) -> None:
        self._base = base
        self._lock = base.layout.locks / "sessions-mirror.lock"

    def path(self, session_id: str) -> Path:
        """Return where the file of a session is."""
        return self._base.layout.base / f"{file_name(session_id)}{SUFFIX}"

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes from changing the mirror.

        Raises:
            LockHeld: when another process keeps it for too long.
        """
        with exclusive(self._lock, purpose="mirroring", timeout=self._base.lock_timeout):
            yield

    def is_foreign(self, session_id: str, updated_at: datetime | None) -> bool:
        """Tell whether a file is there that this mirror did not write for that state."""
        try:
            found = self.path(session_id).lstat()
        except OSError:
            return False
        ours = updated_at is not None and found.st_mtime_ns == nanoseconds(updated_at)
        return stat.S_ISREG(found.st_mode) and not ours

    def refresh(self, session_id: str) -> None:
        """Make the file what the catalog says now."""
        path = self.path(session_id)
        try:
            with self.locked():
                stored = self._base.catalog.sessions.read(session_id)
                if stored is None:
                    path.unlink(missing_ok=True)
                    return
                write_atomically(path, yaml_file(stored).encode("utf-8", "surrogatepass"))
                moment = nanoseconds(stored.updated_at)
                os.utime(path, ns=(moment, moment))
        except (OSError, CheckpointError) as error:
            logger.warning("the file %s is not in step with its session: %s", path, error)

    def remove(self, session_id: str) -> None:
        """Remove the file of a session that is about to be removed. The lock must be held."""
        path = self.path(session_id)
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            logger.warning("the file %s of a removed session stays: %s", path, error)

    def take_over(self, session_id: str) -> None:
        """Take over what another program has written to the file, before it is replaced."""
        stored = self._base.catalog.sessions.read(session_id)
        if not self.is_foreign(session_id, stored.updated_at if stored else None):
            return
        path = self.path(session_id)
        try:
            done = import_file(self._base, path, session_id)
            if done.reason is not None:
                kept = set_aside(self._base, session_id, path.read_bytes(), "found")
                logger.warning("%s was copied to %s: %s", path, kept, done.reason)
        except (OSError, CheckpointError) as error:
            logger.warning("%s could not be taken over: %s", path, error)

    def catch_up(self) -> None:
        """Bring every file in step, after a crash or after the mirror was off."""
        for session_id, updated_at in self._base.catalog.sessions.times().items():
            there = os.path.lexists(self.path(session_id))
            if not there or self.is_foreign(session_id, updated_at):
                self.take_over(session_id)
                self.refresh(session_id)
