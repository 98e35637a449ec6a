"""Tells large files that do not compress, such as archives and videos: compressing them all the
same is most of what a take of them costs, and saves nothing on the disk.

Whether git compresses an object does not change its id.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping

from hermes_checkpoints.fs.inspect import Entry, EntryKind, Inspector

LARGE = 1 << 22
"""From so many bytes on, compressing costs more than another process of git."""

AS_IT_IS = ("core.looseCompression=0", "pack.compression=0")
"""The settings by which git stores contents without compressing them."""

_STEP = 1 << 20
_BLOCK = 1 << 12
_MOST_BLOCKS = 1 << 10
_SPREAD = 158 * _BLOCK
"""By so much each block that is tried lies further behind the beginning of its MB than the one
before: many kinds of files have something of their own at even places."""
_SAVED = 1 / 1000
"""By no larger part of its size would a file get smaller that is stored as it is, as far as the
blocks show that are tried."""


def incompressible(look: Inspector, staged: Mapping[str, Entry]) -> set[str]:
    """Return the paths of the large files that do not compress. What cannot be read is not among
    them."""
    large = (
        path
        for path, entry in staged.items()
        if entry.size >= LARGE and entry.kind is EntryKind.FILE
    )
    return {path for path in large if not _compresses(look, path, staged[path].size)}


def _compresses(look: Inspector, path: str, size: int) -> bool:
    """Tell whether a file of so many bytes compresses, by one block of 4 kB in each MB of it."""
    step = max(_STEP, size // _MOST_BLOCKS)
    saved, most = 0, _SAVED * _BLOCK * (size // step)
    try:
        descriptor = look.open(path)
        with open(descriptor, "rb", buffering=0) as file:
            for number, start in enumerate(range(0, size - _BLOCK, step)):
                file.seek(min(start + number * _SPREAD % step, size - _BLOCK))
                block = file.read(_BLOCK)
                saved += max(0, len(block) - len(zlib.compress(block, 1)))
                if saved > most or len(block) < _BLOCK:
                    return True
    except OSError:
        return True
    return False
