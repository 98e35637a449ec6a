"""Proves that objects are in the store, whole. Git's word is not enough: with
``core.fsyncMethod=batch`` git 2.39.5 ends with success although moving its objects into the
store failed, and it takes an empty or garbled file for the object that its name says.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from hermes_checkpoints.errors import StoreDamaged
from hermes_checkpoints.git import Git
from hermes_checkpoints.object_store.git_objects import EMPTY_TREE
from hermes_checkpoints.object_store.loose import is_loose, perhaps_loose
from hermes_checkpoints.object_store.packs import in_pack


def prove(git: Git, ids: Iterable[str]) -> None:
    """Read objects whole and compare their contents with their ids.

    Loose ones are read directly; one process reads all that are in packs. The empty tree is
    built into git, and always there.

    Raises:
        StoreDamaged: at the first that is missing or damaged, with what git had to say.
    """
    store, packed = git.repository, {*ids} - {EMPTY_TREE}
    try:
        packed -= {name for name in perhaps_loose(store, packed) if is_loose(store, name)}
        if packed:
            with git.blobs() as reader:
                reader.check([*packed])
    except StoreDamaged as error:
        said = f"; git said: {'; '.join(git.heard)}" if git.heard else ""
        raise StoreDamaged(f"{error}{said}") from error


def is_held(store: Path, object_id: str) -> bool:
    """Tell, without a process, whether the store has an object: whole where it lies loose, and
    by the index of a pack elsewhere. For example, an object in a pack that was garbled in the
    middle is held; an empty file in its place is not the object."""
    if object_id == EMPTY_TREE:
        return True
    try:
        return is_loose(store, object_id) or in_pack(store, object_id)
    except StoreDamaged:
        return False
