"""Reads many objects of a store that may be damaged: git ends at some, and is started again."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from typing import Self

from hermes_checkpoints.errors import StoreDamaged
from hermes_checkpoints.git import BlobReader, Git
from hermes_checkpoints.object_store.git_objects import EMPTY_TREE

_MOST_RESTARTS = 1000
"""After how many ends of git it is given up."""


class SteadyReader:
    """As ``git.blobs``, but it goes on behind an object at which git ends: it costs one process
    more for each such object. Use it as a context manager."""

    def __init__(self, git: Git) -> None:
        self._git = git
        self._open = contextlib.ExitStack()
        self._reader: BlobReader | None = None
        self._restarts = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def read(self, name: str) -> tuple[str, str, bytes]:
        """Return id, type and contents of an object; they were compared with the id.

        Raises:
            StoreDamaged: when the store lacks it or cannot read it.
        """
        try:
            return self._started().read(name)
        except StoreDamaged:
            self._look_after()
            raise

    def unreadable(self, ids: Iterable[str]) -> set[str]:
        """Read objects, and return those that the store lacks or cannot read."""
        found = set()
        for name in ids:
            try:
                self._started().copy(name, lambda _: None)
            except StoreDamaged:
                self._look_after()
                found.add(name)
        return found

    def _started(self) -> BlobReader:
        if self._reader is None:
            self._reader = self._open.enter_context(self._git.blobs())
        return self._reader

    def _look_after(self) -> None:
        """Start git anew for the next object, where it does not even tell of the empty tree."""
        with contextlib.suppress(StoreDamaged):
            if self._reader is not None and self._reader.read(EMPTY_TREE)[0] == EMPTY_TREE:
                return
        self._open.close()
        self._reader = None
        self._restarts += 1
        if self._restarts > _MOST_RESTARTS:
            raise StoreDamaged(
                f"more than {_MOST_RESTARTS} objects of the object store cannot be read; put a "
                "backup of it back"
            )
