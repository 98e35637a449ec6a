"""Tells which files of a working directory the project's own git tracks.

They are captured whatever rule matches their name: they are in a repository already. Their paths
come from the index of the repository that the directory belongs to, and from those of the
repositories inside of it. An index is read only when it has changed since it was read last.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from hermes_checkpoints.fs.inspect import Entry, EntryKind, Inspector
from hermes_checkpoints.fs.repository import Repository, repository_at
from hermes_checkpoints.model.paths import is_plain, within
from hermes_checkpoints.object_store.foreign_index import IndexUnreadable, tracked_files

IndexStamp = tuple[int, int, int, int]
"""Inode, size, time of contents and time of status of an index; all 0 where there is none."""

_NONE: IndexStamp = (0, 0, 0, 0)
_CLOSED: IndexStamp = (-1, -1, -1, -1)


@dataclass(frozen=True)
class TrackedState:
    """What is remembered of the indexes of a project. ``stamps`` are theirs, by the directory that
    each belongs to ("" for the project), and ``digest`` names what they track.

    ``held`` are tracked paths that a rule would leave out and that our index has, ``absent`` those
    that it lacks: they are missing on the disk, or no checkpoint can hold them. ``unread`` says
    which index could not be read, and why.
    """

    stamps: Mapping[str, IndexStamp] = field(default_factory=dict)
    digest: str = ""
    held: frozenset[str] = frozenset()
    absent: frozenset[str] = frozenset()
    unread: tuple[str, ...] = ()


class TrackedFiles:
    """What the repository of a project, and those inside of it, track.

    ``root`` is the project, ``repository`` the one that it belongs to, ``inside`` are the
    directories of the others, and ``known`` is what the last take remembered. ``changed`` tells
    whether other files are tracked than then. Where an index cannot be read, ``unread`` says so,
    and what was known of it then still counts.
    """

    def __init__(
        self,
        root: Path,
        repository: Repository | None,
        inside: Iterable[str],
        known: TrackedState | None,
    ) -> None:
        self._root = root
        self._known = known or TrackedState()
        self._unread: list[str] = []
        self._indexes: dict[str, tuple[Path, str]] = {}
        if repository is not None:
            self._indexes[""] = repository.index, repository.subdirectory(root)
        for path in sorted(inside):
            found = repository_at(root / path)
            if found is not None:
                self._indexes[path] = found.index, ""
        self.stamps = {path: _stamp(index) for path, (index, _) in self._indexes.items()}
        self.unread = self._known.unread
        self.digest = self._known.digest
        if known is None or self.stamps != known.stamps or known.unread:
            self.digest = self._digest()
            self.unread = tuple(self._unread)
        self.changed = known is None or self.digest != known.digest

    def held_of(self, paths: Collection[str]) -> set[str]:
        """Return those of some paths of our index that are tracked."""
        if not self.changed and self._known.held.issuperset(paths):
            return set(paths)
        found = {path for path in paths if path in self.paths}
        return found | (self._known.held.intersection(paths) if self.unread else set())

    def absent_from(self, held: Collection[str], closed: Collection[str]) -> set[str]:
        """Return the tracked paths that are not among ``held`` nor in a closed directory. What a
        sparse checkout leaves out is none, unless it is there."""
        look = Inspector(str(self._root))
        found = {
            path
            for path, away in self.paths.items()
            if path not in held
            and is_plain(path)
            and not within(path, closed)
            and not (away and not look.exists(path))
        }
        return found | (self._known.absent.difference(held) if self.unread else set())

    def only_inside(self, paths: Iterable[str]) -> set[str]:
        """Return those of some paths that the repository of the project does not track itself."""
        outer = self._read.get("", {})
        return {path for path in paths if os.fsencode(path) not in outer}

    @cached_property
    def paths(self) -> dict[str, bool]:
        """The tracked paths, each with whether a sparse checkout leaves it out."""
        found: dict[str, bool] = {}
        for folder, files in self._read.items():
            away = list(files.values())
            text = b"\0".join(files).decode("utf-8", "surrogateescape")
            names = text.split("\0") if files else []
            prefix = f"{folder}/" if folder else ""
            found.update(zip([prefix + name for name in names], away, strict=True))
        return found

    @cached_property
    def _read(self) -> dict[str, dict[bytes, bool]]:
        found: dict[str, dict[bytes, bool]] = {}
        for folder, (index, below) in self._indexes.items():
            if self.stamps[folder] == _NONE:
                continue
            try:
                files = tracked_files(index)
            except IndexUnreadable as error:
                self._unread.append(f"what {index} tracks is not known: {error}")
                continue
            if below:
                start = os.fsencode(below) + b"/"
                length = len(start)
                files = {p[length:]: away for p, away in files.items() if p.startswith(start)}
            found[folder] = files
        return found

    def _digest(self) -> str:
        digest = hashlib.sha256()
        for folder, files in self._read.items():
            digest.update(os.fsencode(folder) + b"\0\0" + b"\0".join(files) + b"\0\0")
            digest.update(bytes(files.values()))
        return digest.hexdigest()


def present_of(look: Inspector, paths: Iterable[str]) -> Iterator[tuple[str, Entry]]:
    """Yield those of some paths whose directory is there, with what lies at the path."""
    folders: dict[str, bool] = {}
    for path in paths:
        folder = path.rpartition("/")[0]
        if folder not in folders:
            folders[folder] = look.look(folder).kind is EntryKind.DIRECTORY
        if folders[folder]:
            yield path, look.look(path)


def _stamp(index: Path) -> IndexStamp:
    try:
        found = index.stat()
    except (FileNotFoundError, NotADirectoryError):
        return _NONE
    except OSError:
        return _CLOSED
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
