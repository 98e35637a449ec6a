"""Finds objects in packs without a process, by the index that git writes beside each pack.

An index of version 2 has, behind 8 bytes of header, a table of 256 counts by the first byte of
an id (how many ids begin with it or with a lesser one), then all ids in order; its last 40 bytes
are the checksums of the pack and of itself. The pack ends with the same checksum. One of version
1, which old repositories have, lacks the header, and has four bytes before each id.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterator
from pathlib import Path

from hermes_checkpoints.object_store.loose import is_filled_file

_HEADER = b"\377tOc\0\0\0\2"
_TABLE_BYTES = 4 * 256
_ID_BYTES = 20
_PACK_HEADER_BYTES = 12


def in_pack(store: Path, object_id: str) -> bool:
    """Tell whether a pack of the store has an object, by its index.

    The contents of the pack are not read: only that it is there and ends as its index says, so a
    pack that is missing or was cut short counts as nothing. What is no id is in none.
    """
    folder = store / "objects" / "pack"
    try:
        wanted = bytes.fromhex(object_id)
    except ValueError:
        return False
    try:
        names = [name for name in os.listdir(folder) if name.endswith(".idx")]
    except OSError:
        return False
    return any(_names(folder / name, wanted) for name in names)


def halved(store: Path) -> Iterator[tuple[Path, Path]]:
    """Yield the pack and the index of each name of which one is missing, empty or no file."""
    folder = store / "objects" / "pack"
    names = {p.stem for kind in ("*.pack", "*.idx") for p in folder.glob(f"pack-{kind}")}
    for name in sorted(names):
        pack, index = folder / f"{name}.pack", folder / f"{name}.idx"
        if not (is_filled_file(pack) and is_filled_file(index)):
            yield pack, index


def count(index: Path) -> int:
    """Return how many objects a pack has, by its index; 0 where that cannot be read."""
    try:
        with index.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return _count(data)
    except (OSError, ValueError):
        return 0


def names(index: Path, object_id: str) -> bool:
    """Tell whether a pack has an object, as ``in_pack`` does of all packs."""
    return _names(index, bytes.fromhex(object_id))


def ends_as_index_says(pack: Path) -> bool:
    """Tell whether a pack and its index are of one another, begin as such files do, and have the
    sizes and ends that they say of themselves; what is in them is not read.

    Raises:
        PermissionError: when this user may not read them; that is no damage.
    """
    index = pack.with_suffix(".idx")
    try:
        with index.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return _is_index(data) and _begins(pack, data) and _ends_as(pack, data)
    except PermissionError:
        raise
    except (OSError, ValueError):
        return False


def _is_index(data: mmap.mmap) -> bool:
    """Tell whether an index is as large as the number of its ids says."""
    table, before = (len(_HEADER), 0) if data[: len(_HEADER)] == _HEADER else (0, 4)
    objects = _count(data)
    each = before + _ID_BYTES if table == 0 else _ID_BYTES + 2 * 4
    least = table + _TABLE_BYTES + each * objects + 2 * _ID_BYTES
    large = len(data) - least  # in version 2, eight bytes for each offset behind 2 GiB
    return large == 0 or (table > 0 and large > 0 and large % 8 == 0)


def _begins(pack: Path, index: mmap.mmap) -> bool:
    """Tell whether a pack has a header with the number of objects that its index has."""
    with pack.open("rb") as file:
        header = file.read(_PACK_HEADER_BYTES)
    version = int.from_bytes(header[4:8], "big")
    return (
        header[:4] == b"PACK"
        and version in (2, 3)
        and int.from_bytes(header[8:], "big") == _count(index)
    )


def _count(index: mmap.mmap) -> int:
    table = len(_HEADER) if index[: len(_HEADER)] == _HEADER else 0
    end = table + _TABLE_BYTES
    return int.from_bytes(index[end - 4 : end], "big")


def _names(index: Path, wanted: bytes) -> bool:
    try:
        with index.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return _has(data, wanted) and _ends_as(index.with_suffix(".pack"), data)
    except (OSError, ValueError):
        return False


def _has(data: mmap.mmap, wanted: bytes) -> bool:
    table, before = (len(_HEADER), 0) if data[: len(_HEADER)] == _HEADER else (0, 4)

    def count(first: int) -> int:
        start = table + 4 * first
        return int.from_bytes(data[start : start + 4], "big") if first >= 0 else 0

    low, high = count(wanted[0] - 1), count(wanted[0])
    while low < high:
        middle = (low + high) // 2
        start = table + _TABLE_BYTES + (before + _ID_BYTES) * middle + before
        found = data[start : start + _ID_BYTES]
        if found == wanted:
            return True
        low, high = (middle + 1, high) if found < wanted else (low, middle)
    return False


def _ends_as(pack: Path, index: mmap.mmap) -> bool:
    with pack.open("rb") as file:
        file.seek(-_ID_BYTES, os.SEEK_END)
        return file.read() == index[-2 * _ID_BYTES : -_ID_BYTES]
