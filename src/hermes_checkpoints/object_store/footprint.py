"""What a take of one project makes the store grow by, on the disk.

A take adds loose objects, or a pack where there are many; folders for them; a ref; and it writes
the project's index with its cache anew. Objects are looked at by name, the rest before and after:
a few hundred looks at files of known places, no walk and no process.
"""

from __future__ import annotations

import os
from pathlib import Path

from hermes_checkpoints.fs.disk import allocated_at
from hermes_checkpoints.object_store.index_cache import state_file
from hermes_checkpoints.object_store.listings import excludes_file

_FAN_OUT = 2
"""Loose objects lie in folders that are named by the first two digits of their ids."""


def footprint(store: Path, index: Path, refs: Path, most_refs: int = 0) -> int:
    """Return the bytes on disk of what changes with each take of a project beside loose objects:
    packs, the folders of objects, the project's ``index`` with its cache, and its ``refs``.

    Of its refs at most ``most_refs`` count (0: all), because the trim that follows a take
    deletes those that are over the limit.
    """
    objects = store / "objects"
    folders = [name for name in _names(objects) if len(name) == _FAN_OUT]
    size = len(folders) * (allocated_at(objects / folders[0]) if folders else 0)
    size += sum(allocated_at(objects / "pack" / name) for name in _names(objects / "pack"))
    size += (
        allocated_at(index) + allocated_at(state_file(index)) + allocated_at(excludes_file(index))
    )
    loose_refs = _names(refs)
    if loose_refs:
        count = min(len(loose_refs), most_refs) if most_refs else len(loose_refs)
        size += allocated_at(refs) + count * allocated_at(refs / loose_refs[0])
    return size


def _names(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []
