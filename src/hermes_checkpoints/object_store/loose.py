"""Looks at loose objects without a process: one file each, named by the id of what is in it.

Git takes a file of that name for the object, whatever is in it: an empty or garbled one keeps
git from writing the object anew. So what is here to be relied on is read whole, and compared
with its name.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
import stat
import tempfile
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, TypeVar

from hermes_checkpoints.errors import StoreDamaged
from hermes_checkpoints.fs.disk import allocated, allocated_at
from hermes_checkpoints.fs.system import open_regular
from hermes_checkpoints.object_store.git_objects import object_id

Made = TypeVar("Made")

_FOLDER = re.compile(r"[0-9a-f]{2}")
_LOOSE = re.compile(r"[0-9a-f]{38}")
_FAN_OUT = 2
_PIECE = 1 << 18
_TRIES = 2
_MANY = 256
"""From so many objects on, listing the folders costs less than a look for each object."""


def loose_path(store: Path, object_id: str) -> Path:
    """Return where an object of the store lies if it lies loose."""
    return store / "objects" / object_id[:_FAN_OUT] / object_id[_FAN_OUT:]


def perhaps_loose(store: Path, ids: Collection[str]) -> Collection[str]:
    """Return those of the objects that may lie loose. Of few objects that is all of them; where
    many are asked for, each folder of the store is listed once, and what has no file of its name
    is left out: after a large take nearly all lie in a pack."""
    if len(ids) < _MANY:
        return ids
    listed = {name: _listed(store, name) for name in {one[:_FAN_OUT] for one in ids}}
    return [
        one for one in ids if (names := listed[one[:_FAN_OUT]]) is None or one[_FAN_OUT:] in names
    ]


def _listed(store: Path, folder: str) -> frozenset[str] | None:
    """Return the names in a folder of loose objects; None where it cannot be listed."""
    try:
        return frozenset(os.listdir(f"{store}/objects/{folder}"))
    except FileNotFoundError:
        return frozenset()
    except OSError:
        return None


def loose_size(store: Path, object_id: str) -> tuple[int, int] | None:
    """Return the size of the contents of an object that lies loose, and its space on the disk, in
    bytes, by the beginning of its file; None where it does not lie loose or cannot be read."""
    descriptor = open_regular(_loose_name(store, object_id))
    if descriptor is None:
        return None
    try:
        with open(descriptor, "rb") as file:
            header = zlib.decompressobj().decompress(file.read(128), 64)
            info = os.fstat(file.fileno())
        size = int(header.partition(b"\0")[0].partition(b" ")[2])
    except (OSError, ValueError, zlib.error):
        return None
    return size, allocated(info) or info.st_size


def loose_bytes(store: Path, ids: Iterable[str]) -> int:
    """Return the bytes on disk of those of the objects that lie loose."""
    return sum(allocated_at(_loose_name(store, one)) for one in perhaps_loose(store, {*ids}))


def _loose_name(store: Path, object_id: str) -> str:
    """Return ``loose_path`` as a text, which costs a tenth: many are asked for."""
    return f"{store}/objects/{object_id[:_FAN_OUT]}/{object_id[_FAN_OUT:]}"


def is_loose(store: Path, object_id: str) -> bool:
    """Tell whether an object lies loose, having read and checked all of it.

    False where no file has its name: the object may be in a pack, or nowhere.

    Raises:
        StoreDamaged: when the file cannot be read, or is not what its name says.
    """
    try:
        found = _inflated_id(_loose_name(store, object_id))
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise StoreDamaged(
            f"object {object_id} of the object store cannot be read ({error.strerror})"
        ) from error
    except zlib.error as error:
        raise StoreDamaged(f"object {object_id} of the object store is damaged") from error
    if found != object_id:
        raise StoreDamaged(f"object {object_id} of the object store is damaged")
    return True


def is_sound(path: Path, name: str, most: int | None = None) -> bool:
    """Tell whether a file holds the whole object of the id ``name``, in no more than ``most``
    bytes where that is given.

    Raises:
        PermissionError: when this user may not read it; that is no damage.
    """
    try:
        return is_filled_file(path) and _inflated_id(path, most) == name
    except PermissionError:
        raise
    except (OSError, zlib.error):
        return False


def _inflated_id(path: str | Path, most: int | None = None) -> str | None:
    """Return the id of the object in a file; None where that ends too early or too late, or holds
    more than ``most`` bytes. It takes little memory, whatever is in it: a small file can be
    inflated to any size.

    Raises:
        OSError, zlib.error: when it cannot be read.
    """
    digest, inflate, size = hashlib.sha1(usedforsecurity=False), zlib.decompressobj(), 0
    with open(path, "rb", opener=_at_once) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            return None
        while not inflate.eof:
            piece = inflate.unconsumed_tail or file.read(_PIECE)
            found = inflate.decompress(piece, _PIECE)
            digest.update(found)
            size += len(found)
            if not (piece or found) or (most is not None and size > most):
                return None
        if inflate.unused_data or file.read(1):
            return None
    return digest.hexdigest()


def _at_once(path: str, flags: int) -> int:
    """Open what may be a pipe, without waiting for who writes it."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def is_filled_file(path: Path) -> bool:
    """Tell whether a file with something in it lies at a path."""
    try:
        info = path.stat()
    except FileNotFoundError:  # a link that leads nowhere
        return False
    except OSError as error:
        if error.errno == errno.ELOOP:  # a link that leads to itself
            return False
        raise
    return stat.S_ISREG(info.st_mode) and info.st_size > 0


def loose_files(objects: Path) -> Iterator[tuple[Path, str]]:
    """Yield the path and the id of each loose object of a folder, whatever lies there."""
    return ((Path(entry.path), name) for entry, name in _loose_entries(objects))


def _loose_entries(objects: Path) -> Iterator[tuple[os.DirEntry[str], str]]:
    for folder in entries(objects):
        if _FOLDER.fullmatch(folder.name):
            for entry in entries(folder):
                if _LOOSE.fullmatch(entry.name):
                    yield entry, folder.name + entry.name


def unfilled(store: Path) -> Iterator[tuple[Path, str]]:
    """Yield those of the loose objects of a store that are empty, or no file."""
    for entry, name in _loose_entries(store / "objects"):
        path = Path(entry.path) if _is_odd(entry) else None
        if path is not None and not is_filled_file(path):
            yield path, name


def _is_odd(entry: os.DirEntry[str]) -> bool:
    """Tell whether something may be anything else than a file with something in it."""
    try:
        return not entry.is_file() or entry.stat().st_size == 0
    except OSError:
        return True


def entries(folder: os.DirEntry[str] | Path) -> list[os.DirEntry[str]]:
    """Return what is in a folder, by name; nothing where it cannot be listed."""
    try:
        with os.scandir(folder) as found:
            return sorted(found, key=lambda entry: entry.name)
    except OSError:
        return []


def write_loose(store: Path, kind: str, data: bytes) -> str:
    """Write an object of a kind, such as ``commit``, as a file of its own, durable, unless it lies
    there; return its id. One that lies there is as young as a new one then: a ``git gc`` that
    somebody runs beside deletes what is old and has no ref yet.

    Raises:
        StoreDamaged: when a damaged file has its name.
        OSError: when it cannot be written, with the folder.
    """
    name = object_id(kind, data)
    place = loose_path(store, name)
    if is_loose(store, name):
        with contextlib.suppress(OSError):  # such as one of another user
            os.utime(place)
        return name
    put_loose(place, kind, data)
    return name


def put_loose(place: Path, kind: str, data: bytes, *, durable: bool = True) -> None:
    """Write an object of a kind into a file at its place; where it is to be ``durable``, wait for
    the disk.

    Raises:
        OSError: when it cannot be written, with the folder.
    """
    packed = zlib.compress(f"{kind} {len(data)}\0".encode() + data, 1)

    def write() -> None:
        with new_file(place, durable=durable) as file:
            file.write(packed)

    try:
        in_folder(place.parent, write)
    except OSError as error:  # it names the temporary file, if any
        raise OSError(error.errno, error.strerror, str(place.parent)) from error


def in_folder(folder: Path, make: Callable[[], Made], *, parents: bool = False) -> Made:
    """Make a folder, if there is none, with those above it where ``parents`` says so, then
    something in it, and return that. A git beside removes an empty folder, also between these two;
    then both are tried again, as git itself does.

    Raises:
        OSError: what ``make`` raises, or where the folder cannot be made.
    """
    for _ in range(_TRIES):
        folder.mkdir(parents=parents, exist_ok=True)
        with contextlib.suppress(FileNotFoundError):
            return make()
    folder.mkdir(parents=parents, exist_ok=True)
    return make()


@contextlib.contextmanager
def new_file(place: Path, *, durable: bool = True) -> Iterator[BinaryIO]:
    """Yield a file to write an object or a pack into; at the end of the block it is at its place,
    and durable unless that is not wanted. Where the block fails nothing is left of it.

    Raises:
        OSError.
    """
    descriptor, partial = tempfile.mkstemp(dir=place.parent, prefix="tmp_obj_")
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            if durable:
                os.fsync(file.fileno())
        os.chmod(partial, 0o444)
        os.replace(partial, place)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(partial)
        raise
