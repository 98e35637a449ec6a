"""Writes into a working directory on behalf of a restore, one path at a time.

Each step goes from the root, which is held open, through open directories (``fs/handles.py``): no
link is followed, and nothing outside is reached, whatever is put in the place of a directory
meanwhile. Nothing under a ``.git`` is touched, and only those closed directories are opened that it
was told of.

What is replaced or deleted is what was expected there, or it stays. A look beforehand cannot
promise that, since something else may be moved there right after it. So a path is first exchanged
with the new file (or renamed aside, where the system cannot exchange, and to delete it), then
looked at where nobody else reaches for it, and put back if it is another; what is as expected is
deleted then (``fs/removals.py``). Where nothing was expected, nothing is replaced at all. What
cannot be put back, since its name is taken by a third thing meanwhile, is kept beside it as
``NAME.kept-xxxxxxxx``.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TypeVar

from hermes_checkpoints.errors import PathRefused
from hermes_checkpoints.fs import system
from hermes_checkpoints.fs.handles import (
    BeyondLink,
    Directory,
    Spot,
    Tree,
    change_mode,
    exchange,
    rename,
    rename_new,
)
from hermes_checkpoints.fs.inspect import SET_ID
from hermes_checkpoints.fs.leftovers import (
    CHANGED,
    exchange_back,
    half_written_name,
    moved_name,
    numbers,
    put_back,
)
from hermes_checkpoints.fs.removals import Removals
from hermes_checkpoints.fs.stamp import (
    Stamp,
    blob_of,
    blob_of_file,
    content_id,
    look,
    stamp_of,
)
from hermes_checkpoints.fs.system import set_owner
from hermes_checkpoints.model.paths import GIT_NAME

_PIECE = 1 << 20
_LARGE = 1 << 20
"""A file of more bytes is deleted before anything else is written: its room may be needed."""
_TOO_MUCH = (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC), errno.EMFILE, errno.ENFILE)
"""What the system says where there is no room, or too many files are open."""
_OWNER = 0o700
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL
WITHOUT_POWERS = "set-id bits are given only to the user and group that had them"
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

    What was replaced or deleted may go a little later than the function returns. Where that fails,
    the path is as it was, or the error says where its former version lies; ``stayed`` has it with
    the error of the system once ``finish`` has returned.

    What root makes gets the owner of the project, or of what it replaces. ``owners`` are the user
    and group that had the set-id bits of a file: nobody else is given them.
    """

    def __init__(
        self,
        root: Directory,
        closed: Mapping[str, int] | None = None,
        barred: Path | None = None,
        owners: Mapping[str, tuple[int, int]] | None = None,
    ) -> None:
        self._root = root
        self._owners = owners or {}
        self._barred = _directories_of(barred) if barred is not None else frozenset()
        self._closed = dict(closed or {})
        self._opened: dict[str, tuple[int, tuple[int, int]]] = {}
        self._removals = Removals()
        self._numbers = numbers()
        self._makes_room = False
        self._here: tuple[str, Directory] | None = None
        self.stayed: dict[str, OSError] = {}

    def write(self, path: str, mode: int, copy: Copy, expected: Stamp | None) -> None:
        """Put a file or symbolic link in place. ``mode`` is the full one; ``copy`` is asked for
        the contents (the target, for a link): once more where what waits to be deleted is in the
        way of new files.

        A file that cannot be replaced, since it is mounted there, is written in place.

        Raises:
            OSError, PathRefused: then the path is as it was, unless the disk failed while a file
                was written in place.
        """
        self._have_room()
        try:
            self._try_to_write(path, mode, copy, expected)
        except OSError as error:
            if error.errno not in _TOO_MUCH or not self._removals:
                raise
            self._removals.settle()
            try:
                self._try_to_write(path, mode, copy, expected)
            except PathRefused:  # the file was written in place, as far as there was room
                raise error from None

    def _try_to_write(self, path: str, mode: int, copy: Copy, expected: Stamp | None) -> None:
        with self._at(path, make_parents=True) as (spot, found):
            if spot is None:
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), path)
            self._require_as(spot, self._stamp(spot, found), expected)
            self._write(path, spot, mode, copy, found, expected)

    def change_mode(self, path: str, mode: int, expected: Stamp | None) -> None:
        """Set the permission bits of a file or directory. A file with more names than this one
        is replaced by a copy, so that the others, which may lie anywhere, stay as they are.

        Raises:
            OSError, PathRefused.
        """
        with self._at(path) as (spot, _):
            if spot is None:
                raise PathRefused(CHANGED)
            self._change_mode(path, spot, mode, expected)

    def make_directory(self, path: str) -> None:
        """Make a directory where nothing lies.

        Raises:
            OSError, PathRefused: the latter where something does.
        """
        self._have_room()
        with self._at(path, make_parents=True) as (spot, _):
            if spot is None:
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), path)
            try:
                self._in(spot.folder, lambda: _mkdir(spot, self._root))
            except FileExistsError:
                raise PathRefused(CHANGED) from None

    def delete(self, path: str, expected: Stamp | None) -> None:
        """Delete a file, a link or an empty directory; a path that is gone already is no error.

        Raises:
            OSError: when a directory is not empty, among others.
            PathRefused.
        """
        with self._at(path) as (spot, found):
            if spot is not None and found is not None:
                self._delete(path, spot, found, expected)

    def look(self, path: str) -> Stamp | None:
        """Return the stamp of a path, the root's by ``""``, as if no directory had been opened;
        None where nothing lies, or only behind a link.

        Raises:
            OSError: when it cannot be seen.
        """
        if not path:
            return self._unopened("", stamp_of(self._root.stat()))
        try:
            return self._look(Tree(self._root).spot(path))
        except (FileNotFoundError, NotADirectoryError):
            return None

    def finish(self) -> list[tuple[str, OSError]]:
        """Wait until what was replaced or deleted is gone, and give opened directories their
        permission bits back; return those, by path, that could not be closed. One that somebody
        else has put there meanwhile is not touched."""
        self._removals.settle()
        self._here = None
        failed: list[tuple[str, OSError]] = []
        for path, (bits, identity) in sorted(self._opened.items(), reverse=True):
            try:
                opened = Tree(self._root).directory(path)
                if opened.identity == identity:
                    opened.set_mode(bits)
            except FileNotFoundError:
                continue
            except OSError as error:
                failed.append((path or ".", error))
        self._opened.clear()
        return failed

    # --- acting on a path ----------------------------------------------------------------

    def _change_mode(self, path: str, spot: Spot, mode: int, expected: Stamp | None) -> None:
        self._require(spot, expected)
        found = spot.lstat()
        if stat.S_ISLNK(found.st_mode):
            raise PathRefused(f"{path!r} is a symbolic link now")
        if stat.S_ISREG(found.st_mode) and found.st_nlink > 1:
            full = stat.S_IFREG | mode
            self._write(path, spot, full, _copy_of(spot), found, expected, copied=True)
            return
        if stat.S_ISREG(found.st_mode):
            self._require_own_powers(path, mode, found, found)
        else:
            self._removals.settle()  # what goes from a directory must go before it is closed
        if (expected and expected.blob and blob_of(spot) != expected.blob) or not change_mode(
            spot, stat.S_IMODE(mode), lambda seen: self._same(spot, expected, seen)
        ):
            raise PathRefused(CHANGED)
        self._opened.pop(spot.path, None)

    def _delete(self, path: str, spot: Spot, found: os.stat_result, expected: Stamp | None) -> None:
        self._require_as(spot, self._stamp(spot, found), expected)
        if expected is not None and stat.S_ISDIR(expected.mode):
            self._delete_directory(path, spot, expected)
            return
        away = self._in(spot.folder, lambda: _rename_away(path, spot))
        if not self._is(spot, away, expected):
            raise PathRefused(put_back(away, spot))
        self._makes_room = True
        self._remove(path, away, found.st_size, lambda: put_back(away, spot))

    def _delete_directory(self, path: str, spot: Spot, expected: Stamp) -> None:
        self._removals.settle()
        _require_empty(spot)
        away = self._in(spot.folder, lambda: _rename_away(path, spot))
        if not self._is(spot, away, expected):
            raise PathRefused(put_back(away, spot))
        try:
            away.rmdir()
        except OSError:
            put_back(away, spot)
            raise
        self._opened.pop(spot.path, None)

    def _have_room(self) -> None:
        """Wait for what is deleted before anything new may take its name, so that it can be put
        back until then."""
        if self._makes_room:
            self._removals.settle()
            self._makes_room = False

    def _remove(self, path: str, away: Spot, size: int, back: Callable[[], str]) -> None:
        """Delete what was put aside and is as expected; where that fails, it goes ``back``, which
        says what became of it."""

        def refused(error: OSError) -> None:
            self.stayed[path] = error
            words = back()
            if words != CHANGED:
                self.stayed[path] = OSError(error.errno, f"{error.strerror}; {words}")

        if size <= _LARGE:
            self._removals.add(away, size, refused)
            return
        try:
            away.unlink()
        except OSError:
            back()
            raise

    # --- putting in place ----------------------------------------------------------------

    def _write(
        self,
        path: str,
        spot: Spot,
        mode: int,
        copy: Copy,
        found: os.stat_result | None,
        expected: Stamp | None,
        *,
        copied: bool = False,
    ) -> None:
        """Make the new file beside its place, and give it that. ``found`` is what lies there; one
        that is a copy of it has its times."""
        new, ours = self._made(path, spot, mode, copy, found, copied=copied)
        try:
            self._put(path, spot, new, ours, expected)
        except BaseException:
            _unlink_if_at(new, ours)
            raise

    def _made(
        self,
        path: str,
        spot: Spot,
        mode: int,
        copy: Copy,
        found: os.stat_result | None,
        *,
        copied: bool,
    ) -> tuple[Spot, os.stat_result]:
        """Make the new file beside its place; return where it is, and what it is."""
        replaced = None if found is not None and stat.S_ISDIR(found.st_mode) else found
        owner = system.owner_to_set(self._root.stat, replaced)
        half = spot.beside(half_written_name(next(self._numbers)))
        whole = spot.beside(moved_name(path, next(self._numbers)))
        try:
            if stat.S_ISLNK(mode):
                parts: list[bytes] = []
                copy(parts.append)
                self._in(spot.folder, lambda: half.symlink(os.fsdecode(b"".join(parts))))
                set_owner(half.place, owner)
                made = half.lstat()
            else:
                descriptor = self._in(spot.folder, lambda: half.open(_NEW))
                try:
                    copy(lambda piece: _write_all(descriptor, piece))
                    made = system.set_owner_of_open(descriptor, owner)
                    self._require_own_powers(path, mode, made, found if copied else None)
                    is_set = system.set_mode_of_open(descriptor, stat.S_IMODE(mode))
                finally:
                    os.close(descriptor)
                if not is_set and not change_mode(
                    half, stat.S_IMODE(mode), lambda seen: os.path.samestat(seen, made)
                ):
                    raise PathRefused(CHANGED)
            if copied and found is not None:
                half.set_times((found.st_atime_ns, found.st_mtime_ns))
                made = half.lstat()
            rename(half, whole)
        except BaseException:
            _unlink_if_there(half)
            raise
        return whole, made

    def _require_own_powers(
        self, path: str, mode: int, file: os.stat_result, now: os.stat_result | None
    ) -> None:
        """Refuse to give a file set-id bits that its owner did not have when it was captured, nor
        has ``now`` for the same contents."""
        given = mode & SET_ID
        owner = file.st_uid, file.st_gid
        if now is not None and owner == (now.st_uid, now.st_gid):
            given &= ~now.st_mode
        if given and self._owners.get(path) != owner:
            raise PathRefused(f"nothing was done: {WITHOUT_POWERS}")

    def _put(
        self, path: str, spot: Spot, new: Spot, ours: os.stat_result, expected: Stamp | None
    ) -> None:
        """Give a complete new file its place."""
        if expected is None:
            try:
                rename_new(new, spot)
            except FileExistsError:
                raise PathRefused(CHANGED) from None
            return
        self._require(spot, expected)  # right before, since a rename gives a new ctime
        try:
            exchanged = exchange(new, spot)
            away = new if exchanged else _rename_away(path, spot)
        except FileNotFoundError:
            raise PathRefused(CHANGED) from None
        except OSError as error:
            if error.errno != errno.EBUSY or not self._overwrite(spot, new, expected):
                raise
            _unlink_if_at(new, ours)
            return
        if exchanged:
            if not self._is(spot, new, expected):
                raise PathRefused(exchange_back(new, spot, ours))
            self._remove(path, new, expected.size, lambda: exchange_back(new, spot, ours))
            return
        if not self._is(spot, away, expected):
            raise PathRefused(put_back(away, spot))
        try:
            rename_new(new, spot)
        except FileExistsError:
            away.unlink()  # what was expected; the safety checkpoint holds it
            raise PathRefused(CHANGED) from None
        except OSError:
            put_back(away, spot)
            raise
        away.unlink()

    def _overwrite(self, spot: Spot, new: Spot, expected: Stamp) -> bool:
        """Write the contents of a new file into the one that lies at ``spot``; False where
        either is no file."""
        ours = new.lstat()
        if not (stat.S_ISREG(expected.mode) and stat.S_ISREG(ours.st_mode)):
            return False
        with open(spot.open(os.O_RDWR), "r+b") as file:
            found = os.fstat(file.fileno())
            if not self._same(spot, expected, found) or (
                expected.blob and blob_of_file(os.dup(file.fileno())) != expected.blob
            ):
                raise PathRefused(CHANGED)
            file.seek(0)
            _copy_of(new)(file.write)
            file.truncate()
        mode = stat.S_IMODE(ours.st_mode)
        change_mode(spot, mode, lambda seen: os.path.samestat(seen, found))
        return True

    # --- looking --------------------------------------------------------------------------

    def _require(self, spot: Spot, expected: Stamp | None) -> None:
        """Refuse a path that is another than expected."""
        self._require_as(spot, self._look(spot), expected)

    def _require_as(self, spot: Spot, found: Stamp | None, expected: Stamp | None) -> None:
        if found is not None:
            found = self._unopened(spot.path, found)
        if not (found is None if expected is None else expected.matches(found)):
            raise PathRefused(CHANGED)

    def _is(self, spot: Spot, away: Spot, expected: Stamp | None) -> bool:
        """Tell whether what was renamed from ``spot`` to ``away`` is what was expected,
        contents included where its times do not prove them."""
        try:
            found = look(away)
        except OSError:
            return False
        if found is None or expected is None:
            return False
        if not expected.matches(self._unopened(spot.path, found), renamed=True):
            return False
        if expected.blob is None:
            return True
        try:
            return content_id(away, found.mode) == expected.blob
        except OSError:
            return False

    def _same(self, spot: Spot, expected: Stamp | None, found: os.stat_result) -> bool:
        return expected is not None and expected.matches(self._unopened(spot.path, stamp_of(found)))

    def _look(self, spot: Spot) -> Stamp | None:
        found = self._in(spot.folder, lambda: look(spot))
        return None if found is None else self._unopened(spot.path, found)

    def _stamp(self, spot: Spot, found: os.stat_result | None) -> Stamp | None:
        """Return the stamp of what was seen at a spot just now."""
        if found is not None and stat.S_ISLNK(found.st_mode):
            return self._look(spot)
        return None if found is None else stamp_of(found)

    def _unopened(self, path: str, found: Stamp) -> Stamp:
        """Return a stamp with the permission bits that the path had before it was opened."""
        if path not in self._opened:
            return found
        bits, identity = self._opened[path]
        is_ours = identity == (found.device, found.inode)
        if not is_ours or stat.S_IMODE(found.mode) != bits | _OWNER:
            return found
        return found._replace(mode=stat.S_IFMT(found.mode) | bits)

    # --- inside ---------------------------------------------------------------------------

    @contextlib.contextmanager
    def _at(
        self, path: str, *, make_parents: bool = False
    ) -> Iterator[tuple[Spot | None, os.stat_result | None]]:
        """Yield the spot of a path, in the open directory that was looked at, and what lies there;
        no spot where no directory is on the way, and none is to be made. Where another thing was
        put in the place of that directory or of one above it meanwhile, the path is refused in the
        end.

        Raises:
            OSError, PathRefused.
        """
        folder = self._folder(path, make_parents)
        if folder is None:
            yield None, None
            return
        spot = folder.spot(path.rpartition("/")[2])
        try:
            found = self._in(folder, spot.lstat)
        except (FileNotFoundError, NotADirectoryError):
            found = None
        if found is not None and stat.S_ISDIR(found.st_mode):
            self._require_not_barred(path, (found.st_dev, found.st_ino))
        yield spot, found
        if not folder.is_in_place():
            raise PathRefused(MOVED)
        self._here = folder.relative, folder

    def _folder(self, path: str, make: bool) -> Directory | None:
        """Return the open directory of a path: that of the path before, which has been in its
        place until just now, or one that is reached from the root."""
        *above, name = path.split("/")
        if any(part in ("", ".", "..") or part.lower() == GIT_NAME for part in (*above, name)):
            raise PathRefused(f"{path!r} is not written: it leaves the project or is git's own")
        here, self._here = self._here, None
        if here is not None and here[0] == "/".join(above):
            return here[1]
        folder: Directory | None = self._root
        for part in above:
            if folder is not None:
                folder = self._enter(path, folder, part, make)
        return folder

    def _enter(self, path: str, folder: Directory, name: str, make: bool) -> Directory | None:
        """Open a directory on the way to a path; ``make`` it if nothing lies there. None where
        nothing does, or what is no directory."""
        try:
            below = self._open(folder, name)
        except BeyondLink:
            raise PathRefused(f"{path!r} is not written: a parent is a symbolic link") from None
        except NotADirectoryError:
            return None
        except FileNotFoundError:
            if not make:
                return None
            try:
                self._in(folder, lambda: _mkdir(folder.spot(name), self._root))
                below = self._open(folder, name)
            except (FileExistsError, FileNotFoundError, NotADirectoryError):
                raise PathRefused(CHANGED) from None
        self._require_not_barred(path, below.identity)
        return below

    def _open(self, folder: Directory, name: str) -> Directory:
        """Open a directory in another. Where the system must read it for that, and it is one of
        the closed ones, it is opened to its owner."""
        try:
            return self._in(folder, lambda: folder.enter(name))
        except PermissionError:
            spot = folder.spot(name)
            found = spot.lstat()
            bits = self._closed_bits(spot.path, found)
            if bits is None or not change_mode(
                spot, bits | _OWNER, lambda seen: os.path.samestat(seen, found)
            ):
                raise
            self._opened[spot.path] = bits, (found.st_dev, found.st_ino)
            return folder.enter(name)

    def _require_not_barred(self, path: str, identity: tuple[int, int]) -> None:
        if identity in self._barred:
            raise PathRefused(f"{path!r} is not written: the checkpoints themselves lie there")

    def _in(self, folder: Directory, action: Callable[[], T]) -> T:
        """Act in a directory, opening it to its owner if it is one of the closed ones."""
        try:
            return action()
        except PermissionError:
            bits = self._closed_bits(folder.relative, folder.stat())
            if bits is None:
                raise
            folder.set_mode(bits | _OWNER)
            self._opened[folder.relative] = bits, folder.identity
            return action()

    def _closed_bits(self, path: str, found: os.stat_result) -> int | None:
        """Return the permission bits of a directory that is to be opened, None of any other."""
        bits = self._closed.get(path)
        is_closed = bits is not None and stat.S_IMODE(found.st_mode) == bits
        return bits if is_closed and path not in self._opened else None


def _directories_of(folder: Path) -> frozenset[tuple[int, int]]:
    """Return device and inode of a folder and of the folders in it."""
    found = set()
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        inside = [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
        for path in (str(folder), *inside):
            info = os.stat(path)
            found.add((info.st_dev, info.st_ino))
    return frozenset(found)


def _write_all(descriptor: int, piece: bytes) -> None:
    written = os.write(descriptor, piece)
    rest = memoryview(piece)[written:]
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _rename_away(path: str, spot: Spot) -> Spot:
    """Rename to a new name that tells of the path, and return it."""
    away = spot.beside(moved_name(path))
    rename(spot, away)
    return away


def owner_of_new(spot: Spot, project: Directory) -> tuple[int, int]:
    """Return the user and group that a file or link gets which is made at a spot of a project."""
    replaced: os.stat_result | None = None
    with contextlib.suppress(OSError):
        replaced = spot.lstat()
    is_directory = replaced is not None and stat.S_ISDIR(replaced.st_mode)
    return system.owner_of_new(
        spot.folder.stat(), project.stat(), None if is_directory else replaced
    )


def _mkdir(spot: Spot, project: Directory) -> None:
    """Make a directory that its owner can write in, whatever the umask."""
    spot.mkdir()
    set_owner(spot.place, system.owner_to_set(project.stat, None))
    found = spot.lstat()
    if found.st_mode & _OWNER != _OWNER:
        bits = stat.S_IMODE(found.st_mode) | _OWNER
        change_mode(spot, bits, lambda seen: os.path.samestat(seen, found))


def _copy_of(source: Spot) -> Copy:
    def copy(write: Callable[[bytes], object]) -> None:
        with open(source.open(os.O_RDONLY), "rb") as file:
            while piece := file.read(_PIECE):
                write(piece)

    return copy


def _require_empty(spot: Spot) -> None:
    with contextlib.suppress(PermissionError):
        if spot.folder.enter(spot.name).names():
            raise OSError(errno.ENOTEMPTY, os.strerror(errno.ENOTEMPTY), spot.path)


def _unlink_if_at(spot: Spot, ours: os.stat_result) -> None:
    """Delete what lies at a spot, if it is ours."""
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        if os.path.samestat(spot.lstat(), ours):
            spot.unlink()


def _unlink_if_there(spot: Spot) -> None:
    with contextlib.suppress(FileNotFoundError):
        spot.unlink()
