"""What the host agent embeds for its session state: the names and the calm of the store it knows.

A session that cannot be kept must not end it: what goes wrong is logged, the state that was there
stays, and the answer is that of the agent's own store of YAML files. The one exception is asked
for: a write that names the version it expects says so when it is not there.
"""

from __future__ import annotations

import contextlib
import logging
import os
import threading
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from hermes_checkpoints.agent.guard import guarded
from hermes_checkpoints.base.existing import base_exists, require_own_base
from hermes_checkpoints.errors import (
    BadRequest,
    BaseUnwritable,
    CatalogDamaged,
    SessionChanged,
    SessionUnknown,
)
from hermes_checkpoints.fs import forks
from hermes_checkpoints.layout import Layout
from hermes_checkpoints.model import GC_MAX_AGE_DAYS, Collected

if TYPE_CHECKING:
    from hermes_checkpoints.sessions.sessions import Sessions

logger = logging.getLogger(__name__)

T = TypeVar("T")

_NOTHING_TO_COLLECT = Collected((), frozenset(), {})


class CheckpointStore:
    """Session checkpoints in the catalog of a checkpoint folder.

    ``checkpoints_dir`` defaults to ``checkpoints`` below HERMES_HOME, else below ``~/.hermes``,
    looked up when the store is made; the folder is created. The catalog is opened at the first
    use and closed with ``close``, at the end of a ``with`` block, or when the store is no longer
    used. Safe to share between threads.

    >>> from hermes_checkpoints import CheckpointStore
    >>> with CheckpointStore() as store:
    ...     store.write("20261120_ab12", {"task": "port the parser"})
    ...     store.read("20261120_ab12")["task"], store.read("unknown")
    ('port the parser', None)
    """

    def __init__(self, checkpoints_dir: str | os.PathLike[str] | None = None) -> None:
        self._wanted = checkpoints_dir
        self._lock = threading.Lock()
        self._sessions: Sessions | None = None
        self._closing: Callable[[], object] | None = None
        self._layout = _layout(checkpoints_dir)
        self._create()

    @property
    def directory(self) -> Path:
        """The checkpoint folder, resolved."""
        return Path(str(self._wanted)) if self._layout is None else self._layout.base

    @guarded("failed to write checkpoint {session_id}", lambda _: None, passes=(SessionChanged,))
    def write(
        self, session_id: str, data: dict[str, Any], *, if_version: int | None = None
    ) -> None:
        """Write a checkpoint for the given session, in place of the one before.

        The kept copy has ``updated``, the present time; ``data`` itself is not modified. With
        ``if_version`` it is written only over that version (0: only where there is none).

        Raises:
            SessionChanged: when ``if_version`` is not the present version; nothing else.
        """
        done = self._do(lambda s: s.write(session_id, data, if_version=if_version))
        logger.debug("checkpoint written: %s (%d bytes)", session_id, done.size_bytes)

    @guarded("failed to read checkpoint {session_id}", lambda _: None)
    def read(self, session_id: str) -> dict[str, Any] | None:
        """Read a checkpoint; None if it is missing or corrupt. ``updated`` is local time."""
        try:
            return self._look(lambda s: s.document_in_local_time(session_id), None)
        except SessionUnknown:
            return None

    @guarded("failed to read checkpoint {session_id}", lambda _: 0)
    def version(self, session_id: str) -> int:
        """Return the version of a checkpoint, for ``if_version``; 0 if it is missing."""
        try:
            return self._look(lambda s: s.history(session_id)[0].version, 0)
        except SessionUnknown:
            return 0

    @guarded("failed to delete checkpoint {session_id}", lambda _: None)
    def delete(self, session_id: str) -> None:
        """Delete a checkpoint, with its former versions; no-op if missing."""
        with contextlib.suppress(BadRequest):  # nothing can be kept under such an id
            self._look(lambda s: s.delete(session_id), False)

    @guarded("failed to list checkpoints", lambda _: list[str]())
    def list_sessions(self) -> list[str]:
        """Return the ids of all sessions that have a checkpoint, sorted."""
        return self._look(lambda s: s.ids(), [])

    @guarded("failed to remove stale checkpoints", lambda _: list[str]())
    def garbage_collect(self, max_age_days: float = GC_MAX_AGE_DAYS) -> list[str]:
        """Remove stale checkpoints; return the ids of those removed, sorted.

        Stale is what was last written more than ``max_age_days`` days ago, and what is completed
        and was last written more than one day ago. What cannot be read is removed once its text
        is in a file in ``unreadable-sessions/``.
        """
        done = self._look(lambda s: s.gc(max_age_days=max_age_days), _NOTHING_TO_COLLECT)
        removed = [one.session_id for one in done.sessions]
        if removed:
            logger.info("checkpoint gc: removed %d stale session(s): %s", len(removed), removed)
        for session_id, path in done.exported.items():
            logger.warning("the unreadable checkpoint of %r was moved to %s", session_id, path)
        return removed

    @guarded("the catalog of the sessions cannot be closed", lambda _: None)
    def close(self) -> None:
        """Close the catalog; a later call opens it again."""
        with forks.undivided(), self._lock:
            closing, self._closing, self._sessions = self._closing, None, None
        if closing is not None:
            closing()

    def __enter__(self) -> CheckpointStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- inside ------------------------------------------------------------------------------

    @guarded("session checkpoints cannot be kept", lambda _: None)
    def _create(self) -> None:
        if self._layout is not None:
            require_own_base(self._layout)
            self._layout.create_base()

    def _look(self, action: Callable[[Sessions], T], none: T) -> T:
        """Do what needs no base to be made; the answer is ``none`` where there is none."""
        if self._sessions is None and self._layout is not None and not base_exists(self._layout):
            return none
        return self._do(action)

    def _do(self, action: Callable[[Sessions], T]) -> T:
        try:
            return action(self._opened())
        except CatalogDamaged:
            # A catalog that was moved away while open counts as damaged; the next may be sound.
            self.close()
            return action(self._opened())

    def _opened(self) -> Sessions:
        from hermes_checkpoints.sessions.sessions import Sessions

        if self._layout is None:
            raise BaseUnwritable(f"{self._wanted!r} names no folder")
        with forks.undivided(), self._lock:
            if self._sessions is None:
                self._sessions = Sessions.open(base=self._layout.base)
                self._closing = weakref.finalize(self, self._sessions.close)
            return self._sessions


@guarded("session checkpoints cannot be kept in {folder}", lambda _: None)
def _layout(folder: str | os.PathLike[str] | None) -> Layout | None:
    return Layout.of_base(folder) if folder else Layout.of()
