"""Finds what the object store cannot give, so that it costs the paths concerned and nothing else.

Nothing makes room for a file that cannot come: what stands in its way stays.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from types import TracebackType

from hermes_checkpoints.errors import GitFailed, GitTimedOut, StoreDamaged
from hermes_checkpoints.git import BlobReader, Git
from hermes_checkpoints.model import Action, PlannedPath
from hermes_checkpoints.model.paths import parents


class Contents:
    """Reads contents from the store. An object that cannot be read may end the git that reads, so
    that another one is started for the next. Once git gave no answer, nothing more is read: each
    path would wait as long."""

    def __init__(self, git: Git) -> None:
        self._git = git
        self._stack = ExitStack()
        self._reader: BlobReader | None = None
        self._silent: GitTimedOut | None = None
        self._coming: Sequence[str] = ()

    def __enter__(self) -> Contents:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()

    def expect(self, blobs: Sequence[str]) -> None:
        """Tell which contents will be copied from now on, in this order, so that git reads ahead.
        Those that are left out then are passed over."""
        self._coming = blobs
        if self._reader is not None:
            self._reader.expect(blobs)

    def copy(self, blob: str | None, write: Callable[[bytes], object]) -> None:
        """Pass contents, checked against their id, to ``write`` in pieces.

        Raises:
            StoreDamaged: when they cannot be read.
            GitTimedOut: when git gives no answer, as with a disk that does not.
            OSError: what ``write`` raised.
        """
        if blob is None:
            raise StoreDamaged("the plan names no contents")
        if self._silent is not None:
            raise self._silent
        try:
            if self._reader is not None and not self._reader.reaches(blob):
                self._start_anew()
        except GitTimedOut as error:
            self._silent = error
            raise
        if self._reader is None:
            self._reader = self._stack.enter_context(self._git.blobs())
            self._reader.expect(self._coming)
        try:
            self._reader.copy(blob, write)
        except StoreDamaged:
            self._start_anew()
            raise
        except GitTimedOut as error:
            self._silent = error
            raise

    def _start_anew(self) -> None:
        self._reader = None
        self._stack.close()


def name_unreadable(git: Git, steps: Sequence[PlannedPath]) -> tuple[PlannedPath, ...]:
    """Return the steps, with those named whose contents the store lacks.

    One process looks whether the objects are there, and reads none: a restore that meets others
    which cannot be read names those.
    """
    blobs = dict.fromkeys(s.blob for s in steps if s.action is Action.WRITE and s.blob)
    if not blobs:
        return tuple(steps)
    asked = "".join(f"{blob}\n" for blob in blobs).encode()
    try:
        output = git.run("cat-file", "--buffer", "--batch-check=%(objectname)", stdin=asked)
    except GitFailed:  # ended by one that is damaged
        return tuple(steps)
    known = set(output.decode("ascii", "replace").splitlines())
    return tuple(
        replace(step, reason=f"{step.reason}; the store lacks its contents")
        if step.action is Action.WRITE and step.blob and step.blob not in known
        else step
        for step in steps
    )


def room_for_nothing(contents: Contents, steps: Sequence[PlannedPath]) -> dict[str, str]:
    """Return the paths that would only be deleted to make room for files which cannot be read,
    each with the first of those files. What needs room is read in full.

    For example, where the file ``a`` is now, the directory ``a`` with ``a/b`` is to come back.
    Where ``a/b`` cannot be read, ``a`` stays.
    """
    writes = {step.path: step for step in steps if step.action is Action.WRITE}
    deleted = {step.path for step in steps if step.action is Action.DELETE}
    needing: dict[str, list[PlannedPath]] = {}
    for path, step in writes.items():
        for above in deleted.intersection((path, *parents(path))):
            needing.setdefault(above, []).append(step)
    for path in deleted:
        for above in writes.keys() & parents(path):
            needing.setdefault(path, []).append(writes[above])
    unreadable: set[str] = set()
    for step in {step.path: step for found in needing.values() for step in found}.values():
        try:
            contents.copy(step.blob, len)
        except (StoreDamaged, GitTimedOut):
            unreadable.add(step.path)
    return {
        path: found[0].path
        for path, found in needing.items()
        if all(step.path in unreadable for step in found)
    }
