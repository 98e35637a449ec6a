"""Finds objects in packs without a process, by the index that git writes beside each pack.

An index of version 2 has, behind 8 bytes of header, a table of 256 counts by the first byte of
an id (how many ids begin with it or with a lesser one), then all ids in order; its last 40 bytes
are the checksums of the pack and of itself. The pack ends with the same checksum. One of version
1, which old repositories have, lacks the header, and has four bytes before each id.
"""

from __future__ import annotations

import mmap
import os
from pathlib import Path

_HEADER = b"\377tOc\0\0\0\2"
_TABLE_BYTES = 4 * 256
_ID_BYTES = 20


def in_pack(store: Path, object_id: str) -> bool:
    """Tell whether a pack of the store has an object, by its index.

    The contents of the pack are not read: only that it is there and ends as its index says, so a
    pack that is missing or was cut short counts as nothing.
    """
    folder = store / "objects" / "pack"
    wanted = bytes.fromhex(object_id)
    try:
        names = [name for name in os.listdir(folder) if name.endswith(".idx")]
    except OSError:
        return False
    return any(_names(folder / name, wanted) for name in names)


def count(index: Path) -> int:
    """Return how many objects a pack has, by its index; 0 where that cannot be read."""
    try:
        with index.open("rb") as file:
            head = file.read(len(_HEADER) + _TABLE_BYTES)
    except OSError:
        return 0
    start = len(_HEADER) if head.startswith(_HEADER) else 0
    return int.from_bytes(head[start + _TABLE_BYTES - 4 : start + _TABLE_BYTES], "big")


def names(index: Path, object_id: str) -> bool:
    """Tell whether a pack has an object, as ``in_pack`` does of all packs."""
    return _names(index, bytes.fromhex(object_id))


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
