"""Deletes files that a restore has put aside, on threads of its own, while the restore goes on.

A file system may wait for the disk at each file that it deletes (ext4 without a journal that
discards at once); meanwhile the next path can be written. Nothing is decided here: what is handed
over was looked at, and is to go.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from queue import Queue

from hermes_checkpoints.fs.handles import Spot

_THREADS = 4
_TOGETHER = 4
"""So many files are handed to a thread at once."""
_WAITING = 4
"""So many such groups may wait: each holds its directories open, and takes room on the disk."""

Refused = Callable[[OSError], object]
"""Is told that a file could not be deleted, and why; called on any thread."""

_Group = list[tuple[Spot, Refused]]


class Removals:
    """Files that are being deleted. One thread adds to them and settles them; threads are only
    started for more than a few."""

    def __init__(self) -> None:
        self._group: _Group = []
        self._queue: Queue[_Group | None] = Queue(_WAITING)
        self._threads: list[threading.Thread] = []

    def add(self, spot: Spot, refused: Refused) -> None:
        """Delete the file or link at a spot before ``settle`` returns; one that is gone by then is
        no failure. If many wait already, this waits, too."""
        self._group.append((spot, refused))
        if len(self._group) < _TOGETHER:
            return
        if len(self._threads) < _THREADS:
            thread = threading.Thread(target=self._work, daemon=True)
            thread.start()
            self._threads.append(thread)
        self._queue.put(self._group)
        self._group = []

    def settle(self) -> None:
        """Wait until everything that was added is deleted or refused; no thread is left then."""
        group, self._group = self._group, []
        _delete(group)
        for _ in self._threads:
            self._queue.put(None)
        while self._threads:
            self._threads[-1].join()
            self._threads.pop()

    def _work(self) -> None:
        while (group := self._queue.get()) is not None:
            _delete(group)


def _delete(group: Sequence[tuple[Spot, Refused]]) -> None:
    for spot, refused in group:
        try:
            spot.unlink()
        except FileNotFoundError:
            continue
        except OSError as error:
            refused(error)
