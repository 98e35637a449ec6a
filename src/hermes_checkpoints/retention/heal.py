"""Brings a store with broken objects back to where git can work in it, losing nothing of it.

What is broken is moved aside. The contents that it had are written again where a file of some
project still has them: the catalog says where such files were.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from pathlib import Path

from hermes_checkpoints.base.opened import Base
from hermes_checkpoints.errors import base_error
from hermes_checkpoints.git import Git
from hermes_checkpoints.object_store import healing
from hermes_checkpoints.object_store.git_objects import object_id
from hermes_checkpoints.object_store.wholeness import missing_objects
from hermes_checkpoints.retention.rewriting import write_trees_again
from hermes_checkpoints.text import counted

_LINK = 0o120000


def heal(base: Base, git: Git, *, deep: bool = False) -> list[str]:
    """Move aside what of the objects is broken, and write again what can be had; return what was
    done, in words for people. The caller has the store alone.

    Without ``deep`` only what is seen at first sight is looked for: empty objects, and halves of
    packs. With it every object is read.

    Raises:
        GitTimedOut.
        CheckpointError: when the store cannot be written.
    """
    try:
        packs = healing.mend_packs(git)
        objects = healing.set_aside_empty(git.repository)
        if deep:
            damaged = healing.set_aside_damaged(git)
            packs += [name for name in damaged if name.startswith("pack-")]
            objects += [name for name in damaged if not name.startswith("pack-")]
        told = []
        if packs:
            told.append(f"{counted(len(packs), 'broken pack')} mended or moved aside")
        if objects:
            told.append(f"{counted(len(objects), 'broken object')} moved aside")
        wanted = set(objects)
        if deep or packs:
            partly = [one.id for one in base.catalog.agreement.partly_lost()]
            wanted |= missing_objects(git, [*base.store.refs("refs/").values(), *partly])
        written = _write_again(base, git.repository, wanted) if wanted else 0
        if wanted:
            written += write_trees_again(base, git, wanted)
    except OSError as error:
        raise base_error(error, base.layout.store) from error
    if written:
        told.append(f"{written} of the contents written again from what else has them")
    return told


def _write_again(base: Base, store: Path, wanted: Collection[str]) -> int:
    """Write those of the blobs that a file of a project has now; return how many."""
    left = set(wanted)
    for blob, working_dir, path, mode in base.catalog.agreement.places(wanted):
        if blob in left:
            data = _contents(Path(working_dir, path), mode)
            if data is not None and object_id("blob", data) == blob:
                healing.write_object(store, "blob", data)
                left.discard(blob)
    return len(set(wanted)) - len(left)


def _contents(path: Path, mode: int) -> bytes | None:
    try:
        if mode == _LINK:
            return os.fsencode(os.readlink(path))
        if path.is_symlink() or not path.is_file():
            return None
        return path.read_bytes()
    except OSError:
        return None


def join(parts: Iterable[str]) -> str:
    """Return what was done as one text."""
    return ", ".join(parts)
