"""Finds what of a store is broken by names and sizes alone: without git, and without reading an
object. It is what power cuts and full disks leave: empty objects, halves of packs, torn refs.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from hermes_checkpoints.object_store import ref_files
from hermes_checkpoints.object_store.loose import unfilled
from hermes_checkpoints.object_store.packs import halved
from hermes_checkpoints.object_store.store import ObjectStore

EMPTY_OBJECT = "object-empty"
HALF_PACK = "pack-half"
BROKEN_REF = "ref-broken"
BROKEN_PACKED = "packed-refs-broken"
FRAME = "store-frame"


class Sight(NamedTuple):
    """One thing that is broken: its kind, as ``Finding.kind`` has it, and the path in the store."""

    kind: str
    where: str


def broken_at_sight(store: ObjectStore) -> Iterator[Sight]:
    """Yield what is broken at first sight.

    Raises:
        OSError: when a file of refs cannot be read.
    """
    path = store.git.repository
    yield from (Sight(FRAME, name) for name in store.frame_faults())
    yield from empty_objects(path)
    yield from half_packs(path)
    for name in ref_files.read(path).broken:
        yield Sight(BROKEN_PACKED if name == ref_files.PACKED else BROKEN_REF, name)


def empty_objects(store: Path) -> Iterator[Sight]:
    """Yield the loose objects without contents, and what is no file in the place of one."""
    for path, _ in unfilled(store):
        yield Sight(EMPTY_OBJECT, path.relative_to(store).as_posix())


def half_packs(store: Path) -> Iterator[Sight]:
    """Yield the packs that lack their index, the indexes that lack their pack, and empty ones of
    both: by the name of what is there."""
    for halves in halved(store):
        there = next(half for half in halves if os.path.lexists(half))
        yield Sight(HALF_PACK, there.relative_to(store).as_posix())
