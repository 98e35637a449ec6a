"""Changes of files that are planned first, then made together: all of them or none."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from hermes_checkpoints.errors import BadRequest, BaseUnwritable
from hermes_checkpoints.fs.system import owner_to_set, place_of, set_owner, write_atomically


def contents(path: Path) -> bytes | None:
    """Return what is in a file; None where there is none.

    Raises:
        OSError: when it cannot be read.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # a pipe would be waited for
            raise OSError(errno.EINVAL, "it is no regular file")
        return path.read_bytes()
    except FileNotFoundError:
        return None


@dataclass(frozen=True)
class Change:
    """A file as it was read and as it is to be; None is no file. One that is ``optional`` may stay
    as it is where it cannot be written."""

    path: Path
    before: bytes | None
    after: bytes | None
    mode: int = 0o644
    optional: bool = False

    @classmethod
    def of(
        cls, path: Path, after: bytes | None, mode: int = 0o644, *, optional: bool = False
    ) -> Change:
        """Plan what a file is to be; one that is made anew gets the ``mode``.

        Raises:
            BaseUnwritable: when it cannot be read.
        """
        try:
            return cls(path, contents(path), after, mode, optional)
        except OSError as error:
            raise BaseUnwritable(f"{path} cannot be read ({error.strerror})") from error

    @property
    def changes(self) -> bool:
        """Whether anything would change."""
        return self.before != self.after

    def make(self) -> None:
        """Write or remove the file, if it is still what was read.

        Raises:
            BadRequest: when it is another one by now.
            BaseUnwritable: when it cannot be written.
        """
        try:
            if contents(self.path) != self.before:
                raise BadRequest(f"{self.path} has changed meanwhile; try again")
            self._put(self.after)
        except OSError as error:
            what = "removed" if self.after is None else "written"
            raise BaseUnwritable(f"{self.path} cannot be {what} ({error.strerror})") from error

    def take_back(self) -> None:
        """Put the former contents back, unless somebody else has changed the file since."""
        with contextlib.suppress(OSError):
            if contents(self.path) == self.after:
                self._put(self.before)

    def _put(self, content: bytes | None) -> None:
        if content is None:
            self.path.unlink(missing_ok=True)
            return
        self.path.parent.mkdir(parents=True, exist_ok=True)
        found = self.path.stat() if self.path.exists() else None
        mode = self.mode if found is None else found.st_mode & 0o7777 | self.mode & 0o111
        owner = owner_to_set(self.path.parent.stat, found)
        write_atomically(self.path, content, mode)
        os.chmod(self.path, mode)
        set_owner(place_of(self.path), owner)


@contextlib.contextmanager
def together(changes: Sequence[Change]) -> Iterator[list[Change]]:
    """Make changes, and take all of them back where one fails, or what follows in the block. Yields
    those that were left out."""
    made: list[Change] = []
    left: list[Change] = []
    try:
        for change in changes:
            try:
                change.make()
            except BaseUnwritable:
                if not change.optional:
                    raise
                left.append(change)
            else:
                made.append(change)
        yield left
    except BaseException:
        for change in reversed(made):
            change.take_back()
        raise
