"""Takes in what an older program writes to ``<session_id>.yaml`` in the base, whenever it does.

Such a program may run beside this one, and knows files only. One look at the file of the session
that is asked for tells whether it is newer than the catalog; a list looks at the folder once. The
file stays, since the older program reads it; what it holds becomes the newest state here, with the
states before it kept. It goes with its session.
"""

from __future__ import annotations

import contextlib
import logging
import os
import stat
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path

from hermes_checkpoints.base.opened import Base
from hermes_checkpoints.errors import BadRequest
from hermes_checkpoints.fs.system import nanoseconds
from hermes_checkpoints.sessions.fields import check_id
from hermes_checkpoints.sessions.files import SUFFIX, file_name
from hermes_checkpoints.sessions.importing import import_file
from hermes_checkpoints.sessions.mirror import Mirror

logger = logging.getLogger(__name__)

_Stamp = tuple[int, int]


class OlderPrograms:
    """The files of sessions in the base, as older programs leave them. ``mirror`` keeps them in
    step with the catalog where that is wanted."""

    def __init__(self, base: Base, mirror: Mirror | None) -> None:
        self._base = base
        self._mirror = mirror
        self._seen: dict[str, tuple[_Stamp, bool]] = {}  # by name; whether it was taken in

    def look(self, session_id: str) -> None:
        """Take in the file of one session, if it is newer than its state. Costs one look at the
        disk where there is no file.

        Raises:
            CheckpointError: when the catalog cannot be read or written.
        """
        name = file_name(session_id)
        stamp = self._unseen(name)
        if stamp is not None:
            stored = self._base.catalog.sessions.read(session_id)
            self._take_in(name, session_id, stamp, stored.updated_at if stored else None)

    def look_all(self) -> None:
        """Take in every file that is newer than the state of its session, by one look at the
        folder.

        Raises:
            CheckpointError: when the catalog cannot be read or written.
        """
        unseen = {name: stamp for name in self._names() if (stamp := self._unseen(name))}
        if not unseen:
            return
        times = self._base.catalog.sessions.times()
        ids = {file_name(one): one for one in times} if any("%" in name for name in unseen) else {}
        for name, stamp in unseen.items():
            session_id = ids.get(name, name)
            with contextlib.suppress(BadRequest):  # it is no id, so nobody asks for it
                check_id(session_id)
                self._take_in(name, session_id, stamp, times.get(session_id))

    def remove(self, session_id: str, updated_at: datetime | None) -> None:
        """Remove the file of a session that is about to be removed in the state of this time,
        unless another program has written it since, or it could not be read."""
        if self._mirror is not None:
            self._mirror.remove(session_id)
            return
        name = file_name(session_id)
        stamp = self._stamp(name)
        if stamp is None:
            return
        known, taken = self._seen.get(name, (None, False))
        if _is_newer(stamp, updated_at) and not (known == stamp and taken):
            return
        try:
            self._path(name).unlink(missing_ok=True)
        except OSError as error:
            logger.warning("the file of the removed session %s stays: %s", session_id, error)

    def locked(self) -> AbstractContextManager[None]:
        """Keep other processes from changing mirrored files.

        Raises:
            LockHeld: when another process keeps the lock for too long.
        """
        return contextlib.nullcontext() if self._mirror is None else self._mirror.locked()

    # --- inside ------------------------------------------------------------------------------

    def _path(self, name: str) -> Path:
        return self._base.layout.base / f"{name}{SUFFIX}"

    def _names(self) -> list[str]:
        try:
            with os.scandir(self._base.layout.base) as entries:
                found = [entry.name for entry in entries if entry.name.endswith(SUFFIX)]
        except OSError:
            return []
        return sorted(name.removesuffix(SUFFIX) for name in found)

    def _stamp(self, name: str) -> _Stamp | None:
        try:
            found = self._path(name).lstat()
        except (OSError, ValueError):
            return None
        return (found.st_mtime_ns, found.st_size) if stat.S_ISREG(found.st_mode) else None

    def _unseen(self, name: str) -> _Stamp | None:
        """Return what tells a file from its next state, None if there is none or it is known."""
        stamp = self._stamp(name)
        known = self._seen.get(name)
        return None if known is not None and known[0] == stamp else stamp

    def _take_in(
        self, name: str, session_id: str, stamp: _Stamp, updated_at: datetime | None
    ) -> None:
        if not _is_newer(stamp, updated_at):
            return
        if self._base.read_only:
            self._seen[name] = stamp, False
            logger.warning(
                "%s is newer than the state of session %s, and cannot be taken in, because %s",
                *(self._path(name), session_id, self._base.refusal),
            )
            return
        written = datetime.fromtimestamp(stamp[0] / 1_000_000_000, UTC)
        done = import_file(self._base, self._path(name), session_id, written_at=written)
        self._seen[name] = stamp, done.reason is None
        if done.reason is not None:
            logger.warning("%s cannot be taken in: %s", done.path, done.reason)


def _is_newer(stamp: _Stamp, updated_at: datetime | None) -> bool:
    return updated_at is None or stamp[0] > nanoseconds(updated_at)
