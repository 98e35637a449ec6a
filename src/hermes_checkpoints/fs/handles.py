"""Paths below a root that are reached through open directories, and through no link.

A path that is a string means what lies there by the time that the system reads it: whoever can
write in a directory on the way puts a link in its place, and the string leads elsewhere. So each
directory on the way is opened from the open one above it, and what is done is done to a name in an
open directory (a ``Spot``). Where something else is put in its place meanwhile, the open one stays
the one that was reached; ``Directory.is_in_place`` tells.

Windows can do nothing relative to an open directory: there each name is looked at on the way, and
what follows goes by its path.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from hermes_checkpoints.fs import system

_AS_IT_IS = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_READ = os.O_RDONLY | _AS_IT_IS


class BeyondLink(NotADirectoryError):
    """A directory on the way to a path is a symbolic link."""


class Directory:
    """A directory that is open while anything refers to it or to one in it.

    ``path`` is the one that it was reached by, and ``relative`` what that is below the root, with
    ``/`` (``""`` for the root itself): both are for words and tables, nothing is reached by them.
    """

    __slots__ = ("_identity", "above", "handle", "name", "path", "relative")

    def __init__(self, handle: system.Handle, path: str, above: Directory | None = None) -> None:
        self.handle = handle
        self.path = path
        self.above = above
        self.name = os.path.basename(path)
        self.relative = ""
        if above is not None:
            self.relative = f"{above.relative}/{self.name}" if above.relative else self.name
        self._identity: tuple[int, int] | None = None

    @classmethod
    def root(cls, path: str | os.PathLike[str]) -> Directory:
        """Open the directory of an absolute path that no link is part of.

        Raises:
            NotADirectoryError: when it is no directory, or a link is on the way.
            OSError: when it is missing or closed, among others.
        """
        name = os.fspath(path)
        return cls(system.open_from_top(name), name)

    def enter(self, name: str) -> Directory:
        """Open a directory in this one.

        Raises:
            BeyondLink: when it is a link.
            NotADirectoryError: when it is another thing.
            OSError: when it is missing or closed, among others.
        """
        try:
            handle = system.open_directory(name, self.handle)
        except NotADirectoryError:
            if stat.S_ISLNK(self.spot(name).lstat().st_mode):
                raise BeyondLink(errno.ENOTDIR, os.strerror(errno.ENOTDIR), name) from None
            raise
        return Directory(handle, os.path.join(self.path, name), self)

    def spot(self, name: str) -> Spot:
        """Return a name in this directory; nothing need lie there."""
        return Spot(self, name)

    @property
    def identity(self) -> tuple[int, int]:
        """Its device and inode."""
        if self._identity is None:
            found = self.stat()
            self._identity = found.st_dev, found.st_ino
        return self._identity

    def stat(self) -> os.stat_result:
        """Look at the directory itself."""
        return os.stat(self.handle)

    def set_mode(self, mode: int) -> None:
        """Set the permission bits of the directory itself.

        Raises:
            OSError.
        """
        system.set_directory_mode(self.handle, mode)

    def names(self) -> list[str]:
        """List what lies in it.

        Raises:
            OSError: when it cannot be read.
        """
        with system.readable(self.handle) as listing:
            return os.listdir(listing)

    @contextlib.contextmanager
    def entries(self) -> Iterator[Iterator[os.DirEntry[str]]]:
        """Lend the entries of the directory, of which the names and kinds mean something, and no
        path.

        Raises:
            OSError: when it cannot be read.
        """
        with system.readable(self.handle) as listing, os.scandir(listing) as entries:
            yield entries

    def is_in_place(self) -> bool:
        """Tell whether this directory, and each one above it, still has the name that it was
        reached by."""
        here = self
        try:
            while here.above is not None:
                name, where = system.at((here.above.handle, here.name))
                found = os.lstat(name, **where)
                if (found.st_dev, found.st_ino) != here.identity:
                    return False
                here = here.above
            found = os.lstat(here.path)
        except OSError:
            return False
        return (found.st_dev, found.st_ino) == here.identity

    def close(self) -> None:
        """Let it go now: it can be used no further."""
        handle, self.handle = self.handle, -1
        if handle != -1:
            system.close_directory(handle)

    def __del__(self) -> None:
        self.close()


@dataclass(frozen=True, slots=True)
class Spot:
    """A name in an open directory: where something lies, or may come to lie. No function of it
    follows a link at the name."""

    folder: Directory
    name: str

    @classmethod
    def of(cls, path: str | os.PathLike[str]) -> Spot:
        """Return the spot of an absolute path that no link is part of, but perhaps its last name.

        Raises:
            OSError: when the directory above it cannot be opened.
        """
        folder, name = os.path.split(os.fspath(path))
        return cls(Directory.root(folder), name)

    def __str__(self) -> str:
        return os.path.join(self.folder.path, self.name)

    @property
    def path(self) -> str:
        """The path below the root, for words and tables."""
        above = self.folder.relative
        return f"{above}/{self.name}" if above else self.name

    @property
    def place(self) -> system.Place:
        """What the functions of ``fs/system.py`` take."""
        return self.folder.handle, self.name

    def beside(self, name: str) -> Spot:
        """Return another name in the same directory."""
        return Spot(self.folder, name)

    def lstat(self) -> os.stat_result:
        """Look at what lies there.

        Raises:
            OSError: when nothing does, or it cannot be seen.
        """
        name, where = system.at(self.place)
        return os.lstat(name, **where)

    def may_enter(self) -> bool:
        """Tell whether the directory there can be listed and entered by this user."""
        name, where = system.at(self.place)
        follow = os.access not in os.supports_follow_symlinks
        return os.access(name, os.R_OK | os.X_OK, **where, follow_symlinks=follow)

    def readlink(self) -> str:
        """Return where a link leads."""
        name, where = system.at(self.place)
        return os.readlink(name, **where)

    def exists(self) -> bool:
        """Tell whether anything can be seen there."""
        try:
            self.lstat()
        except OSError:
            return False
        return True

    def open(self, flags: int, mode: int = 0o600) -> int:
        """Open the file there, and return its descriptor; a pipe is not waited for.

        Raises:
            OSError: also when a link lies there.
        """
        name, where = system.at(self.place)
        return os.open(name, flags | _AS_IT_IS, mode, **where)

    def mkdir(self, mode: int = 0o777) -> None:
        """Make a directory there."""
        name, where = system.at(self.place)
        os.mkdir(name, mode, **where)

    def symlink(self, target: str) -> None:
        """Make a link there.

        Raises:
            OSError: also where no link can lead to ``target``, whoever made that up.
        """
        name, where = system.at(self.place)
        if "\0" in target:
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), name)
        os.symlink(target, name, **where)

    def unlink(self) -> None:
        """Delete the file or link there."""
        name, where = system.at(self.place)
        os.unlink(name, **where)

    def rmdir(self) -> None:
        """Delete the empty directory there."""
        name, where = system.at(self.place)
        os.rmdir(name, **where)

    def set_times(self, times: tuple[int, int]) -> None:
        """Set the times of access and of contents, in nanoseconds, of what lies there."""
        name, where = system.at(self.place)
        if os.utime in os.supports_follow_symlinks:
            os.utime(name, ns=times, **where, follow_symlinks=False)
        else:
            os.utime(name, ns=times)


class Tree:
    """What lies below a root, for whoever only looks.

    The directories on the way to the path that was reached last stay open, so that looks at
    neighbours cost little. So use one for one survey only: of a directory that is replaced
    meanwhile, the first is seen.
    """

    def __init__(self, root: Directory | str | os.PathLike[str]) -> None:
        self._root = root if isinstance(root, Directory) else Directory.root(root)
        self._way: list[tuple[str, Directory]] = []
        self._reached = "", self._root
        self._longest = system.LONGEST_PATH - len(os.fsencode(self._root.path)) - 1

    @property
    def device(self) -> int:
        """The device of the root."""
        return self._root.identity[0]

    def look(self, path: str) -> os.stat_result:
        """Look at a path below the root, or at the root (``""``), in one call, which follows links
        on the way: compare what it returns with what is known to lie there.

        Raises:
            OSError: when nothing can be seen there.
        """
        if not path:
            return self._root.stat()
        name, where = system.at((self._root.handle, path))
        return os.lstat(name, **where)

    def spot(self, path: str) -> Spot:
        """Return the spot of a path below the root.

        Raises:
            BeyondLink: when a directory on the way is a link.
            OSError: when one is missing, no directory, or closed; or when the path is so long that
                no program, as git, could name it.
        """
        folder, name = self._place(path)
        return Spot(folder, name)

    def lstat(self, path: str) -> os.stat_result:
        """Look at what lies at a path below the root, as ``spot(path).lstat()`` does.

        Raises:
            OSError: as ``spot``; also when nothing lies there, or it cannot be seen.
        """
        folder, name = self._place(path)
        if isinstance(folder.handle, int):
            return os.lstat(name, dir_fd=folder.handle)
        return os.lstat(os.path.join(folder.handle, name))

    def open(self, path: str) -> int:
        """Open the file at a path below the root to read it, and return its descriptor, as
        ``spot(path).open(os.O_RDONLY)`` does.

        Raises:
            OSError: as ``spot``; also when a link lies there.
        """
        folder, name = self._place(path)
        if isinstance(folder.handle, int):
            return os.open(name, _READ, dir_fd=folder.handle)
        return os.open(os.path.join(folder.handle, name), _READ)

    def _place(self, path: str) -> tuple[Directory, str]:
        if 4 * len(path) > self._longest and len(os.fsencode(path)) >= self._longest:
            raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG), path)
        above, _, name = path.rpartition("/")
        return self._reached[1] if above == self._reached[0] else self.directory(above), name

    def directory(self, path: str) -> Directory:
        """Open the directory at a path below the root, which itself is ``""``.

        Raises:
            OSError: as ``spot``.
        """
        if path == self._reached[0]:
            return self._reached[1]
        names = path.split("/") if path else []
        known = 0
        for (name, _), wanted in zip(self._way, names, strict=False):
            if name != wanted:
                break
            known += 1
        del self._way[known:]
        folder = self._way[-1][1] if self._way else self._root
        for name in names[known:]:
            folder = folder.enter(name)
            self._way.append((name, folder))
        self._reached = path, folder
        return folder


def exchange(first: Spot, second: Spot) -> bool:
    """Exchange what lies at two spots, as ``system.exchange`` does."""
    return system.exchange(first.place, second.place)


def rename(source: Spot, target: Spot) -> None:
    """Rename, and replace what lies at ``target``, as ``system.rename`` does."""
    system.rename(source.place, target.place)


def rename_new(source: Spot, target: Spot) -> None:
    """Rename to a spot where nothing lies, as ``system.rename_new`` does."""
    system.rename_new(source.place, target.place)


def change_mode(spot: Spot, mode: int, is_meant: Callable[[os.stat_result], bool]) -> bool:
    """Set the permission bits of what lies at a spot, if it is meant, as ``system.change_mode``
    does."""
    return system.change_mode(spot.place, mode, is_meant)
