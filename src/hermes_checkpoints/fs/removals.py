"""Deletes files that a restore has put aside: many at once, on threads, and not between new ones.

A file system may wait for the disk at each file that it deletes (ext4 without a journal that
discards at once): several threads wait together. Such an ext4 also passes over each inode that was
freed in the last minutes, one by one, before it takes one for a new file: in between, 10,000
deletions make 10,000 new files three times as dear. So what is to go waits, within bounds.

Nothing is decided here: what is handed over was looked at, and is to go.
"""

from __future__ import annotations

import contextlib
import threading
from collections import deque
from collections.abc import Callable

from hermes_checkpoints.fs import system
from hermes_checkpoints.fs.handles import Directory, Spot

_THREADS = 8
_FEW = 4
"""So many files are deleted without a thread."""
_ROOM = 1 << 26
"""Files of so many bytes may wait: 64 MB."""
_FOLDERS = 256
"""So many directories may be held open for what waits, at most: those with files in them, and each
one above these that was opened on the way. It is also no more than the fourth part of the files
that this process may have open."""

Refused = Callable[[OSError], object]
"""Is told that a file could not be deleted, and why; called on any thread."""


class Removals:
    """Files that are to be deleted. One thread adds to them and settles them."""

    def __init__(self) -> None:
        self._waiting: deque[tuple[Spot, Refused]] = deque()
        self._folders: set[Directory] = set()
        self._room = 0
        self._most_folders = min(_FOLDERS, system.most_open_files() // 4)
        self._threads: list[threading.Thread] = []
        self._errors: list[BaseException] = []

    def __len__(self) -> int:
        """Return how many files wait."""
        return len(self._waiting)

    def add(self, spot: Spot, size: int, refused: Refused) -> None:
        """Delete the file or link at a spot, of ``size`` bytes, before ``settle`` returns; one that
        is gone by then is no failure. If much waits already, all of it is deleted now.

        Raises:
            BaseException: as ``settle``.
        """
        self._waiting.append((spot, refused))
        folder: Directory | None = spot.folder
        while folder is not None and folder not in self._folders:
            self._folders.add(folder)
            folder = folder.above
        self._room += size
        if self._room > _ROOM or len(self._folders) > self._most_folders:
            self.settle()

    def settle(self) -> None:
        """Delete everything that was added, or have it refused; no thread is left then. An
        interruption waits for that: nobody would delete later what is left.

        Raises:
            KeyboardInterrupt: one that came meanwhile.
            BaseException: what a ``refused`` raised first; the others were told all the same.
        """
        while self._waiting or self._threads:
            try:
                self._start_threads()
                self._join_threads()
                self._delete_here()
            except BaseException as error:  # noqa: BLE001 - raised below
                self._errors.append(error)
        self._folders.clear()
        self._room = 0
        if self._errors:
            first = self._errors[0]
            self._errors = []
            raise first

    def _start_threads(self) -> None:
        """Start threads for more than a few files, as many as the system gives."""
        while len(self._waiting) > _FEW and len(self._threads) < _THREADS:
            thread = threading.Thread(target=self._work, daemon=True)
            self._threads.append(thread)  # before its start, which an interruption may cut in two
            try:
                thread.start()
            except RuntimeError:  # the system has no more, or the interpreter is about to end
                return

    def _join_threads(self) -> None:
        while self._threads:
            with contextlib.suppress(RuntimeError):  # it was not started
                self._threads[-1].join()
            self._threads.pop()

    def _delete_here(self) -> None:
        """Delete what threads have left. Each is taken off when it is done, so that none is
        forgotten where this is interrupted."""
        while self._waiting:
            spot, refused = self._waiting[0]
            error = _delete(spot)
            self._waiting.popleft()
            if error is not None:
                refused(error)

    def _work(self) -> None:
        while True:
            try:
                spot, refused = self._waiting.popleft()
            except IndexError:
                return
            try:
                error = _delete(spot)
                if error is not None:
                    refused(error)
            except BaseException as other:  # noqa: BLE001 - raised by ``settle``
                self._errors.append(other)


def _delete(spot: Spot) -> OSError | None:
    """Delete a file or link; return why it could not be deleted, if so."""
    try:
        spot.unlink()
    except FileNotFoundError:
        return None
    except OSError as error:
        return error
    return None
