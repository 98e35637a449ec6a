"""Writes into a working directory on behalf of a restore, one path at a time.

It never follows a symbolic link below the root, never touches anything under a ``.git``, and
opens only the directories that it was told to be closed.

What is replaced or deleted is what was expected there, or it stays. A look beforehand cannot
promise that, since something else may be moved there right after it. So a path is first exchanged
with the new file (or renamed aside, where the system cannot exchange, and to delete it), then
looked at where nobody else reaches for it, and put back if it is another. Where nothing was
expected, nothing is replaced at all. What cannot be put back, since its name is taken by a third
thing meanwhile, is kept beside it as ``NAME.kept-xxxxxxxx``.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, TypeVar

from hermes_checkpoints.errors import PathRefused
from hermes_checkpoints.fs.leftovers import (
    CHANGED,
    exchange_back,
    half_written_name,
    moved_name,
    put_back,
)
from hermes_checkpoints.fs.pins import Pins
from hermes_checkpoints.fs.stamp import Stamp, blob_of, blob_of_file, look, stamp_of
from hermes_checkpoints.fs.system import change_mode, exchange, rename_new
from hermes_checkpoints.model.paths import GIT_NAME, parents

_PIECE = 1 << 20
_OWNER = 0o700
MOVED = "a directory above it was moved while the restore ran"

T = TypeVar("T")

Copy = Callable[[Callable[[bytes], object]], object]
"""Passes contents in pieces to the function that it is given."""


class TreeWriter:
    """Writes below ``root``. A directory of ``closed``, which gives their permission bits by path
    (``""`` for the root), is opened to its owner when something has to be done in it, and closed
    again by ``finish``; whoever makes the writer has written these down before. Nothing is written
    in ``barred`` or what lies directly in it, whatever path or mount leads there.

    ``expected`` is the stamp that a path must still have, None for one where nothing lay. A path
    that is another raises ``PathRefused`` and stays.
    """

    def __init__(
        self,
        root: Path,
        closed: Mapping[str, int] | None = None,
        barred: Path | None = None,
    ) -> None:
        self._root = str(root)
        self._barred = _directories_of(barred) if barred is not None else frozenset()
        self._closed = {self._absolute(path): bits for path, bits in (closed or {}).items()}
        self._opened: dict[str, tuple[int, int]] = {}
        self._pins = Pins()

    def write(self, path: str, mode: int, copy: Copy, expected: Stamp | None) -> None:
        """Put a file or symbolic link in place. ``mode`` is the full one; ``copy`` is asked for
        the contents (the target, for a link).

        A file that cannot be replaced, since it is mounted there, is written in place.

        Raises:
            OSError, PathRefused: then the path is as it was, unless the disk failed while a file
                was written in place.
        """
        with self._at(path, make_parents=True) as absolute:
            self._require(absolute, expected)
            with self._made(path, absolute, mode, copy) as new:
                self._put(path, absolute, new, expected)

    def change_mode(self, path: str, mode: int, expected: Stamp | None) -> None:
        """Set the permission bits of a file or directory. A file with more names than this one
        is replaced by a copy, so that the others, which may lie anywhere, stay as they are.

        Raises:
            OSError, PathRefused.
        """
        with self._at(path) as absolute:
            self._change_mode(path, absolute, mode, expected)

    def make_directory(self, path: str) -> None:
        """Make a directory where nothing lies.

        Raises:
            OSError, PathRefused: the latter where something does.
        """
        with self._at(path, make_parents=True) as absolute:
            try:
                self._in(os.path.dirname(absolute), lambda: _mkdir(absolute))
            except FileExistsError:
                raise PathRefused(CHANGED) from None

    def delete(self, path: str, expected: Stamp | None) -> None:
        """Delete a file, a link or an empty directory; a path that is gone already is no error.

        Raises:
            OSError: when a directory is not empty, among others.
            PathRefused.
        """
        with self._at(path) as absolute:
            self._delete(path, absolute, expected)

    def look(self, path: str) -> Stamp | None:
        """Return the stamp of a path, as if no directory had been opened.

        Raises:
            OSError: when it cannot be seen.
        """
        return self._look(self._absolute(path))

    def exists(self, path: str) -> bool:
        """Tell whether anything lies at a path, not counting what a link leads to."""
        if any(os.path.islink(self._absolute(parent)) for parent in parents(path)):
            return False
        return os.path.lexists(self._absolute(path))

    def is_directory(self, path: str) -> bool:
        """Tell whether a directory lies at a path; a link to one is none."""
        absolute = self._absolute(path)
        return self.exists(path) and os.path.isdir(absolute) and not os.path.islink(absolute)

    def inside(self, path: str) -> list[str] | None:
        """Return the names in a directory, or None where they cannot be listed."""
        try:
            return os.listdir(self._absolute(path))
        except OSError:
            return None

    def finish(self) -> list[tuple[str, OSError]]:
        """Give opened directories their permission bits back; return those, by path, that could
        not be closed. One that somebody else has put there meanwhile is not touched."""
        failed: list[tuple[str, OSError]] = []
        for absolute, (bits, inode) in sorted(self._opened.items(), reverse=True):
            try:
                change_mode(absolute, bits, lambda seen, own=inode: seen.st_ino == own)  # type: ignore[misc]
            except FileNotFoundError:
                continue
            except OSError as error:
                failed.append((os.path.relpath(absolute, self._root), error))
        self._opened.clear()
        return failed

    # --- acting on a path ----------------------------------------------------------------

    def _change_mode(self, path: str, absolute: str, mode: int, expected: Stamp | None) -> None:
        self._require(absolute, expected)
        found = os.lstat(absolute)
        if stat.S_ISLNK(found.st_mode):
            raise PathRefused(f"{path!r} is a symbolic link now")
        if stat.S_ISREG(found.st_mode) and found.st_nlink > 1:
            times = found.st_atime_ns, found.st_mtime_ns
            copy = _copy_of(absolute)
            with self._made(path, absolute, stat.S_IFREG | mode, copy, times) as new:
                self._put(path, absolute, new, expected)
        elif (expected and expected.blob and blob_of(absolute) != expected.blob) or not change_mode(
            absolute, stat.S_IMODE(mode), lambda seen: self._same(absolute, expected, seen)
        ):
            raise PathRefused(CHANGED)
        self._opened.pop(self._pins.real(absolute), None)

    def _delete(self, path: str, absolute: str, expected: Stamp | None) -> None:
        if self._look(absolute) is None:
            return
        self._require(absolute, expected)
        is_directory = expected is not None and stat.S_ISDIR(expected.mode)
        if is_directory:
            _require_empty(absolute)
        away = self._in(os.path.dirname(absolute), lambda: _rename_away(path, absolute))
        if not self._is(absolute, away, expected):
            raise PathRefused(put_back(away, absolute))
        try:
            os.rmdir(away) if is_directory else os.unlink(away)
        except OSError:
            put_back(away, absolute)
            raise
        self._opened.pop(self._pins.real(absolute), None)

    # --- putting in place ----------------------------------------------------------------

    @contextlib.contextmanager
    def _made(
        self, path: str, absolute: str, mode: int, copy: Copy, times: tuple[int, int] | None = None
    ) -> Iterator[str]:
        """Make the new file beside its place and yield its name. If it is still there at the end
        of the block, it goes."""
        parent = os.path.dirname(absolute)
        half, whole = half_written_name(parent), moved_name(path, absolute)
        try:
            if stat.S_ISLNK(mode):
                parts: list[bytes] = []
                copy(parts.append)
                self._in(parent, lambda: os.symlink(os.fsdecode(b"".join(parts)), half))
            else:
                with self._in(parent, lambda: _create(half)) as file:
                    copy(file.write)
                os.chmod(half, stat.S_IMODE(mode))
            if times is not None:
                os.utime(half, ns=times)
            ours = os.lstat(half)
            os.rename(half, whole)
        except BaseException:
            _unlink_if_there(half)
            raise
        try:
            yield whole
        finally:
            if _is_at(whole, ours):
                os.unlink(whole)

    def _put(self, path: str, absolute: str, new: str, expected: Stamp | None) -> None:
        """Give a complete new file its place."""
        if expected is None:
            try:
                rename_new(new, absolute)
            except FileExistsError:
                raise PathRefused(CHANGED) from None
            return
        self._require(absolute, expected)  # right before, since a rename gives a new ctime
        ours = os.lstat(new)
        try:
            exchanged = exchange(new, absolute)
            away = new if exchanged else _rename_away(path, absolute)
        except FileNotFoundError:
            raise PathRefused(CHANGED) from None
        except OSError as error:
            if error.errno != errno.EBUSY or not self._overwrite(absolute, new, expected):
                raise
            return
        if exchanged:
            if not self._is(absolute, new, expected):
                raise PathRefused(exchange_back(new, absolute, ours))
            try:
                os.unlink(new)
            except OSError:
                exchange_back(new, absolute, ours)
                raise
            return
        if not self._is(absolute, away, expected):
            raise PathRefused(put_back(away, absolute))
        try:
            rename_new(new, absolute)
        except FileExistsError:
            os.unlink(away)  # what was expected; the safety checkpoint holds it
            raise PathRefused(CHANGED) from None
        except OSError:
            put_back(away, absolute)
            raise
        os.unlink(away)

    def _overwrite(self, absolute: str, new: str, expected: Stamp) -> bool:
        """Write the contents of a new file into the one that lies at ``absolute``; False where
        either is no file."""
        ours = os.lstat(new)
        if not (stat.S_ISREG(expected.mode) and stat.S_ISREG(ours.st_mode)):
            return False
        flags = os.O_RDWR | getattr(os, "O_NOFOLLOW", 0)
        with open(os.open(absolute, flags), "r+b") as file:
            found = os.fstat(file.fileno())
            if not self._same(absolute, expected, found) or (
                expected.blob and blob_of_file(os.dup(file.fileno())) != expected.blob
            ):
                raise PathRefused(CHANGED)
            file.seek(0)
            _copy_of(new)(file.write)
            file.truncate()
        mode = stat.S_IMODE(ours.st_mode)
        change_mode(absolute, mode, lambda seen: os.path.samestat(seen, found))
        return True

    # --- looking --------------------------------------------------------------------------

    def _require(self, absolute: str, expected: Stamp | None) -> None:
        """Refuse a path that is another than expected."""
        found = self._look(absolute)
        if not (found is None if expected is None else expected.matches(found)):
            raise PathRefused(CHANGED)

    def _is(self, absolute: str, away: str, expected: Stamp | None) -> bool:
        """Tell whether what was renamed from ``absolute`` to ``away`` is what was expected,
        contents included where its times do not prove them."""
        try:
            found = look(away)
        except OSError:
            return False
        if found is None or expected is None:
            return False
        if not expected.matches(self._unopened(absolute, found), renamed=True):
            return False
        return expected.blob is None or blob_of(away) == expected.blob

    def _same(self, absolute: str, expected: Stamp | None, found: os.stat_result) -> bool:
        return expected is not None and expected.matches(self._unopened(absolute, stamp_of(found)))

    def _look(self, absolute: str) -> Stamp | None:
        found = self._in(os.path.dirname(absolute), lambda: look(absolute))
        return None if found is None else self._unopened(absolute, found)

    def _unopened(self, absolute: str, found: Stamp) -> Stamp:
        """Return a stamp with the permission bits that the path had before it was opened."""
        bits, inode = self._opened.get(self._pins.real(absolute), (0, 0))
        if inode != found.inode or stat.S_IMODE(found.mode) != bits | _OWNER:
            return found
        return replace(found, mode=stat.S_IFMT(found.mode) | bits)

    # --- inside ---------------------------------------------------------------------------

    def _absolute(self, path: str) -> str:
        return os.path.join(self._root, path) if path else self._root

    @contextlib.contextmanager
    def _at(self, path: str, *, make_parents: bool = False) -> Iterator[str]:
        """Yield the name by which to act on a path. Where the system can, it goes on to mean what
        lies in the directory that was looked at, also when a link is put in the place of that or
        of one above it; then the path is refused in the end.

        Raises:
            OSError, PathRefused.
        """
        parts = path.split("/")
        if any(part in ("", ".", "..") or part.lower() == GIT_NAME for part in parts):
            raise PathRefused(f"{path!r} is not written: it leaves the project or is git's own")
        folder = self._pin(self._root)
        try:
            while len(parts) > 1 and self._enter(path, folder, parts[0], make_parents):
                above, folder = folder, self._pin(os.path.join(folder, parts.pop(0)))
                self._pins.unpin(above)
            absolute = os.path.join(folder, *parts)
            with contextlib.suppress(OSError):
                self._require_not_barred(path, os.lstat(absolute))
            yield absolute
            if folder in self._pins and not _is_at(self._pins.real(folder), os.stat(folder)):
                raise PathRefused(MOVED)
        finally:
            self._pins.unpin(folder)

    def _enter(self, path: str, folder: str, name: str, make: bool) -> bool:
        """Tell whether there is a directory of a name on the way to a path; ``make`` it if nothing
        is."""
        below = os.path.join(folder, name)
        try:
            found = self._in(folder, lambda: os.lstat(below))
        except FileNotFoundError:
            if make:
                self._in(folder, lambda: _mkdir(below))
            return make
        if stat.S_ISLNK(found.st_mode):
            raise PathRefused(f"{path!r} is not written: a parent is a symbolic link")
        self._require_not_barred(path, found)
        return stat.S_ISDIR(found.st_mode)

    def _pin(self, directory: str) -> str:
        try:
            return self._pins.pin(directory)
        except (FileNotFoundError, NotADirectoryError):
            raise PathRefused(CHANGED) from None

    def _require_not_barred(self, path: str, found: os.stat_result) -> None:
        if (found.st_dev, found.st_ino) in self._barred and stat.S_ISDIR(found.st_mode):
            raise PathRefused(f"{path!r} is not written: the checkpoints themselves lie there")

    def _in(self, directory: str, action: Callable[[], T]) -> T:
        """Act in a directory, opening it if it is one of the closed ones."""
        try:
            return action()
        except PermissionError:
            real = self._pins.real(directory)
            bits = self._closed.get(real)
            if bits is None or real in self._opened:
                raise
            found = os.stat(directory) if directory in self._pins else os.lstat(directory)
            if stat.S_IMODE(found.st_mode) != bits:
                raise
            if directory in self._pins:
                os.chmod(directory, bits | _OWNER)
            elif not change_mode(
                directory, bits | _OWNER, lambda seen: os.path.samestat(seen, found)
            ):
                raise
            self._opened[real] = bits, found.st_ino
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


def _rename_away(path: str, absolute: str) -> str:
    """Rename to a new name that tells of the path, and return it."""
    away = moved_name(path, absolute)
    os.rename(absolute, away)
    return away


def _mkdir(path: str) -> None:
    """Make a directory that its owner can write in, whatever the umask."""
    os.mkdir(path)
    mode = os.lstat(path).st_mode
    if mode & _OWNER != _OWNER:
        os.chmod(path, stat.S_IMODE(mode) | _OWNER)


def _copy_of(source: str) -> Copy:
    def copy(write: Callable[[bytes], object]) -> None:
        with open(source, "rb") as file:
            while piece := file.read(_PIECE):
                write(piece)

    return copy


def _require_empty(directory: str) -> None:
    with contextlib.suppress(PermissionError), os.scandir(directory) as entries:
        if next(entries, None) is not None:
            raise OSError(errno.ENOTEMPTY, os.strerror(errno.ENOTEMPTY), directory)


def _is_at(path: str, found: os.stat_result) -> bool:
    try:
        return os.path.samestat(os.lstat(path), found)
    except (FileNotFoundError, NotADirectoryError):
        return False


def _unlink_if_there(path: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)
