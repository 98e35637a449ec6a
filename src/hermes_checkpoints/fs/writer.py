"""Writes into a working directory on behalf of a restore, one path at a time.

It never follows a symbolic link below the root, never touches anything under a ``.git``, and
replaces a file only by renaming a complete one over it.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, TypeVar

from hermes_checkpoints.errors import PathRefused
from hermes_checkpoints.fs.system import permission_bits
from hermes_checkpoints.model.paths import GIT_NAME, parents

TEMPORARY_PREFIX = ".hermes-restore-"
_PIECE = 1 << 20

T = TypeVar("T")

Copy = Callable[[Callable[[bytes], object]], object]
"""Passes contents in pieces to the function that it is given."""


class TreeWriter:
    """Writes below ``root``. Directories without write permission are opened for the time of
    the work and closed again by ``finish``. Nothing is written in ``barred`` or what lies directly
    in it, whatever path or mount leads there."""

    def __init__(self, root: Path, barred: Path | None = None) -> None:
        self._root = str(root)
        self._barred = _directories_of(barred) if barred is not None else frozenset()
        self._opened: dict[str, int] = {}

    def write(self, path: str, mode: int, copy: Copy) -> None:
        """Put a file or symbolic link in place. ``mode`` is the full one; ``copy`` is asked for
        the contents (the target, for a link).

        Raises:
            OSError, PathRefused: then the path is as it was.
        """
        absolute = self._checked(path, make_parents=True)
        parent = os.path.dirname(absolute)
        temporary = os.path.join(parent, f"{TEMPORARY_PREFIX}{secrets.token_hex(8)}")
        try:
            if stat.S_ISLNK(mode):
                parts: list[bytes] = []
                copy(parts.append)
                self._in(parent, lambda: os.symlink(os.fsdecode(b"".join(parts)), temporary))
            else:
                with self._in(parent, lambda: _create(temporary)) as file:
                    copy(file.write)
                os.chmod(temporary, stat.S_IMODE(mode))
            os.replace(temporary, absolute)
        except BaseException:
            if os.path.lexists(temporary):
                os.unlink(temporary)
            raise

    def change_mode(self, path: str, mode: int) -> None:
        """Set the permission bits of a file or directory. A file with more names than this one
        is replaced by a copy, so that the others, which may lie anywhere, stay as they are.

        Raises:
            OSError, PathRefused.
        """
        absolute = self._checked(path)
        parent = os.path.dirname(absolute)
        found = self._in(parent, lambda: os.lstat(absolute))
        if stat.S_ISLNK(found.st_mode):
            raise PathRefused(f"{path!r} is a symbolic link now")
        if stat.S_ISREG(found.st_mode) and found.st_nlink > 1:
            self._copy_with_mode(path, absolute, mode, found)
        else:
            self._in(parent, lambda: os.chmod(absolute, stat.S_IMODE(mode)))
        self._opened.pop(absolute, None)

    def make_directory(self, path: str) -> None:
        """Make a directory; one that exists is left as it is.

        Raises:
            OSError, PathRefused.
        """
        absolute = self._checked(path, make_parents=True)
        if not os.path.isdir(absolute) or os.path.islink(absolute):
            self._in(os.path.dirname(absolute), lambda: os.mkdir(absolute))

    def delete(self, path: str) -> None:
        """Delete a file or link; a path that is gone already is no error.

        Raises:
            OSError, PathRefused.
        """
        absolute = self._checked(path)
        if os.path.lexists(absolute):
            self._in(os.path.dirname(absolute), lambda: os.unlink(absolute))

    def delete_directory(self, path: str) -> None:
        """Delete an empty directory.

        Raises:
            OSError: when it is not empty, among others.
        """
        absolute = self._checked(path)
        if os.path.lexists(absolute):
            self._in(os.path.dirname(absolute), lambda: os.rmdir(absolute))
        self._opened.pop(absolute, None)

    def exists(self, path: str) -> bool:
        """Tell whether anything lies at a path, not counting what a link leads to."""
        if any(os.path.islink(os.path.join(self._root, parent)) for parent in parents(path)):
            return False
        return os.path.lexists(os.path.join(self._root, path))

    def is_directory(self, path: str) -> bool:
        """Tell whether a directory lies at a path; a link to one is none."""
        absolute = os.path.join(self._root, path)
        return self.exists(path) and os.path.isdir(absolute) and not os.path.islink(absolute)

    def inside(self, path: str) -> list[str] | None:
        """Return the names in a directory, or None where they cannot be listed."""
        try:
            return os.listdir(os.path.join(self._root, path))
        except OSError:
            return None

    def finish(self) -> None:
        """Give opened directories their permission bits back."""
        for absolute, mode in sorted(self._opened.items(), reverse=True):
            if os.path.isdir(absolute):
                os.chmod(absolute, mode)
        self._opened.clear()

    # --- inside ---------------------------------------------------------------------------

    def _copy_with_mode(self, path: str, absolute: str, mode: int, found: os.stat_result) -> None:
        def copy(write: Callable[[bytes], object]) -> None:
            with open(absolute, "rb") as source:
                while piece := source.read(_PIECE):
                    write(piece)

        self.write(path, mode, copy)
        os.utime(absolute, ns=(found.st_atime_ns, found.st_mtime_ns))

    def _checked(self, path: str, *, make_parents: bool = False) -> str:
        parts = path.split("/")
        if any(part in ("", ".", "..") or part.lower() == GIT_NAME for part in parts):
            raise PathRefused(f"{path!r} is not written: it leaves the project or is git's own")
        current = self._root
        for part in parts[:-1]:
            parent, current = current, os.path.join(current, part)
            try:
                found = self._in(parent, lambda seen=current: os.lstat(seen))  # type: ignore[misc]
            except FileNotFoundError:
                if make_parents:
                    self._in(parent, lambda new=current: os.mkdir(new))  # type: ignore[misc]
                continue
            if stat.S_ISLNK(found.st_mode):
                raise PathRefused(f"{path!r} is not written: a parent is a symbolic link")
            self._require_not_barred(path, found)
        absolute = os.path.join(self._root, path)
        with contextlib.suppress(OSError):
            self._require_not_barred(path, os.lstat(absolute))
        return absolute

    def _require_not_barred(self, path: str, found: os.stat_result) -> None:
        if (found.st_dev, found.st_ino) in self._barred and stat.S_ISDIR(found.st_mode):
            raise PathRefused(f"{path!r} is not written: the checkpoints themselves lie there")

    def _in(self, directory: str, action: Callable[[], T]) -> T:
        """Act in a directory, opening it if it is closed to this user."""
        try:
            return action()
        except PermissionError:
            before = permission_bits(os.lstat(directory).st_mode)
            if before & 0o700 == 0o700 or directory in self._opened:
                raise
            os.chmod(directory, before | 0o700)
            self._opened[directory] = before
            return action()


def _directories_of(folder: Path) -> frozenset[tuple[int, int]]:
    """Return device and inode of a folder and of the folders in it."""
    found = set()
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        inside = [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
        for path in (str(folder), *inside):
            info = os.stat(path)
            found.add((info.st_dev, info.st_ino))
    return frozenset(found)


def _create(path: str) -> BinaryIO:
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")
