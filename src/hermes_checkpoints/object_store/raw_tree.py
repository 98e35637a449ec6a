"""Parses and writes trees as git stores them: ``mode SP name NUL id``, the id as 20 raw bytes."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from hermes_checkpoints.errors import StoreDamaged

_ID_BYTES = 20
_MODE = re.compile(rb"[0-7]{1,7}")


class TreeEntry(NamedTuple):
    """What a tree says of a path: git's mode, the path, and the id of the object there."""

    mode: int
    path: str
    object_id: str


def parse_tree(data: bytes) -> Iterator[TreeEntry]:
    """Yield the entries of one tree object, in git's order; each path is a single name.

    Raises:
        StoreDamaged: when it is no tree.
    """
    position = 0
    while position < len(data):
        end = data.find(b"\0", position)
        after = end + 1 + _ID_BYTES
        mode, _, name = data[position:end].partition(b" ")
        if end < 0 or after > len(data) or not _MODE.fullmatch(mode):
            raise StoreDamaged("a tree object of the store is damaged")
        yield TreeEntry(int(mode, 8), os.fsdecode(name), data[end + 1 : after].hex())
        position = after


def written_tree(entries: Iterable[TreeEntry]) -> bytes:
    """Return the tree object with these entries, which are in git's order."""
    return b"".join(
        b"%o %s\0" % (mode, os.fsencode(name)) + bytes.fromhex(object_id)
        for mode, name, object_id in entries
    )
