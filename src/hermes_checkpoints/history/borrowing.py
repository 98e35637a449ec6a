"""Brings the objects of another repository into the store, each proven to be what its name says.

What lies in the base itself is linked where the file systems allow that, and takes no space twice.
What lies anywhere else is copied, or shares its space with the original by a reflink: whoever
overwrites a backup in place afterwards destroys nothing that was imported. What is brought is read
where it then lies, not where it came from, so that nothing can change between the two. Git is never
run in the other repository, whose configuration is not ours, and no link in it is followed.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from hermes_checkpoints.errors import GitFailed, base_error
from hermes_checkpoints.fs.scratch import scratch_folder
from hermes_checkpoints.fs.system import copy_contents, open_regular
from hermes_checkpoints.git import Git
from hermes_checkpoints.layout import SCRATCH_PREFIX
from hermes_checkpoints.model import MB
from hermes_checkpoints.object_store.loose import is_sound, loose_path
from hermes_checkpoints.text import counted

_FOLDER = re.compile(r"[0-9a-f]{2}")
_LOOSE = re.compile(r"[0-9a-f]{38}")
_PACK = re.compile(r"(pack-[0-9a-f]{40,64})\.idx")
_MOST_BYTES = 1024 * MB
"""An object of more than 1 GB is none that a checkpoint manager wrote: a small file can be inflated
to any size."""
_SLOWEST = MB
"""Bytes of a pack that are proven in a second at least; what takes longer is no honest pack."""
_NO_LINKS = {
    errno.EXDEV,
    errno.EPERM,
    errno.EMLINK,
    errno.EOPNOTSUPP,
    errno.EACCES,
    getattr(errno, "ENOTSUP", errno.EOPNOTSUPP),
}


@dataclass
class Borrowed:
    """What was not brought in: the names of ``damaged`` objects and packs, and ``odd`` things in
    the folder that are neither file nor directory, or links."""

    damaged: list[str] = field(default_factory=list)
    odd: list[str] = field(default_factory=list)

    @property
    def problems(self) -> list[str]:
        """The same in words."""
        found = []
        if self.damaged:
            count, first = len(self.damaged), self.damaged[0][:12]
            found.append(f"{counted(count, 'damaged object')}, the first {first}")
        if self.odd:
            count, first = len(self.odd), self.odd[0]
            found.append(f"links or pipes among its objects: {count}, the first {first}")
        return found


def can_link(source: Path, store: Path) -> bool:
    """Tell whether files of a folder are linked into the store, so that they take no space: those
    of the same base on the same file system."""
    if not _is_inside(source, store):
        return False
    try:
        with tempfile.NamedTemporaryFile(dir=store, prefix="link-") as probe:
            if os.stat(source).st_dev != os.fstat(probe.fileno()).st_dev:
                return False
            name = Path(f"{probe.name}-2")
            os.link(probe.name, name)
            name.unlink()
    except OSError:
        return False
    return True


def _is_inside(source: Path, store: Path) -> bool:
    return source.resolve().is_relative_to(store.parent.resolve())


def borrow(git: Git, objects: Path) -> Borrowed:
    """Bring in every sound object and pack of the folder ``objects`` of another repository;
    return what could not be.

    The caller holds the store's lock together with others, so that no gc removes what nothing
    refers to yet.

    Raises:
        NoSpace, BaseUnwritable: when the store cannot be written.
    """
    target = git.repository / "objects"
    found = Borrowed()
    inside = _is_inside(objects, git.repository)
    try:
        with scratch_folder(git.repository, SCRATCH_PREFIX) as scratch:
            for source, name in _loose(objects, found):
                place = loose_path(git.repository, name)
                if place.exists():
                    continue
                taken = scratch / "object"
                if _take(source, taken, inside) and is_sound(taken, name, _MOST_BYTES):
                    _settle(taken, place)
                else:
                    found.damaged.append(name)
                taken.unlink(missing_ok=True)
            for index in _packs(objects, found):
                if not (target / "pack" / index.name).exists():
                    _bring_pack(git, index, scratch, found, inside)
    except OSError as error:
        raise base_error(error, target) from error
    return found


def _bring_pack(git: Git, index: Path, scratch: Path, found: Borrowed, inside: bool) -> None:
    parts = [index.with_suffix(suffix) for suffix in (".pack", ".idx")]
    taken = [scratch / part.name for part in parts]
    whole = all(_take(part, place, inside) for part, place in zip(parts, taken, strict=True))
    if whole and _is_sound_pack(git, taken[1]):
        for place in taken:  # git looks for packs by their index, so that comes last
            _settle(place, git.repository / "objects" / "pack" / place.name)
    else:
        found.damaged.append(index.stem)
    for place in taken:
        place.unlink(missing_ok=True)


# --- what lies there ---------------------------------------------------------------------------


def _loose(objects: Path, found: Borrowed) -> Iterator[tuple[Path, str]]:
    """Yield the path and the id of each loose object, but of nothing that a link leads to."""
    for folder in _entries(objects, found):
        if _FOLDER.fullmatch(folder.name) and _is_plain(folder, found, directory=True):
            for entry in _entries(Path(folder.path), found):
                if _LOOSE.fullmatch(entry.name) and _is_plain(entry, found):
                    yield Path(entry.path), folder.name + entry.name


def _packs(objects: Path, found: Borrowed) -> Iterator[Path]:
    for entry in _entries(objects / "pack", found):
        if _PACK.fullmatch(entry.name) and _is_plain(entry, found):
            path = Path(entry.path)
            try:
                other = stat.S_ISREG(path.with_suffix(".pack").lstat().st_mode)
            except OSError:  # an index without a pack holds nothing
                continue
            if other:
                yield path
            else:
                found.odd.append(path.with_suffix(".pack").name)


def _is_plain(entry: os.DirEntry[str], found: Borrowed, *, directory: bool = False) -> bool:
    wanted = entry.is_dir if directory else entry.is_file
    if wanted(follow_symlinks=False):
        return True
    found.odd.append(entry.name)
    return False


def _entries(folder: Path, found: Borrowed) -> list[os.DirEntry[str]]:
    """Return what is in a folder, by name; nothing of a link, or where it cannot be listed."""
    try:
        if stat.S_ISLNK(folder.lstat().st_mode):
            found.odd.append(folder.name)
            return []
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return []


# --- bringing it ---------------------------------------------------------------------------------


def _take(source: Path, place: Path, inside: bool) -> bool:
    """Link or copy a file to a place in the store that nobody looks at; False where it cannot be
    read.

    A file with another name already is copied: that may be one in a backup.

    Raises:
        OSError: when the store cannot be written.
    """
    descriptor = open_regular(source)
    if descriptor is None:
        return False
    try:
        if inside and os.fstat(descriptor).st_nlink == 1:
            try:
                os.link(source, place, follow_symlinks=False)
                return os.path.samestat(os.fstat(descriptor), place.lstat())
            except OSError as error:
                if error.errno not in _NO_LINKS:
                    raise
        with place.open("xb") as copy:
            copy_contents(descriptor, copy.fileno())
            os.fsync(copy.fileno())
        os.chmod(place, 0o444)
    finally:
        os.close(descriptor)
    return True


def _settle(taken: Path, place: Path) -> None:
    place.parent.mkdir(exist_ok=True)
    if not place.exists():
        os.replace(taken, place)


def _is_sound_pack(git: Git, index: Path) -> bool:
    size = index.stat().st_size + index.with_suffix(".pack").stat().st_size
    patience = max(1.0, size / _SLOWEST / git.timeout)
    try:
        git.run("verify-pack", str(index), patience=patience)
    except GitFailed:
        return False
    return True
