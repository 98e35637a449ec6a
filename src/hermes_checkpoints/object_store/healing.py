"""Puts broken files of objects out of git's way, and writes objects again whose contents are known.

One broken file makes every gc fail, also where nothing needs it. All of this needs the store's
lock alone: without writers, an empty object and half of a pack are damage and nothing else.
"""

from __future__ import annotations

import contextlib
import os
from dataclasses import replace
from pathlib import Path

from hermes_checkpoints.errors import GitFailed, GitTimedOut, StoreDamaged
from hermes_checkpoints.git import Git
from hermes_checkpoints.object_store.git_objects import object_id
from hermes_checkpoints.object_store.loose import (
    is_filled_file,
    is_sound,
    loose_files,
    loose_path,
    put_loose,
    unfilled,
)
from hermes_checkpoints.object_store.packs import halved
from hermes_checkpoints.object_store.quarantine import FOLDER, set_aside

_PATIENCE = 40
_MOST_UNREADABLE = 1000
"""After how many unreadable objects nothing more is hoped for of a broken pack."""


# --- what is broken at first sight ------------------------------------------------------------


def set_aside_empty(store: Path) -> list[str]:
    """Move loose objects without contents, and what is no file in the place of one, aside; return
    their ids. Costs one look at each."""
    found = list(unfilled(store))
    for path, _ in found:
        set_aside(store, path)
    return [name for _, name in found]


def mend_packs(git: Git) -> list[str]:
    """Make the index of each pack that has none, and move aside what is half of a pack only or
    empty; return the names of the packs that were broken. Without one it starts no process.

    Raises:
        GitTimedOut, OSError.
    """
    broken = []
    for pack, index in list(halved(git.repository)):
        broken.append(pack.stem)
        if is_filled_file(pack):
            if os.path.lexists(index):
                set_aside(git.repository, index)
            if _indexed(git, pack):
                continue
        _set_aside_pack(git.repository, pack)
    return broken


def _indexed(git: Git, pack: Path) -> bool:
    try:
        git.run("index-pack", str(pack), patience=_PATIENCE)
    except GitTimedOut:
        raise
    except GitFailed:
        return False
    return True


def _set_aside_pack(store: Path, pack: Path) -> list[Path]:
    files = [path for path in pack.parent.glob(f"{pack.stem}.*") if path.suffix != ".keep"]
    return [set_aside(store, path) for path in files]


# --- what must be read to be seen ----------------------------------------------------------------


def set_aside_damaged(git: Git) -> list[str]:
    """Read every loose object and pack, and move aside what is damaged; return the ids and the
    names. What can still be read of a damaged pack is written as loose objects.

    Raises:
        GitTimedOut, OSError.
    """
    store = git.repository
    found = []
    for path, name in list(loose_files(store / "objects")):
        if not is_sound(path, name):
            set_aside(store, path)
            found.append(name)
    for index in sorted((store / "objects" / "pack").glob("pack-*.idx")):
        try:
            git.run("verify-pack", str(index), patience=_PATIENCE)
        except GitTimedOut:
            raise
        except GitFailed:
            found.append(index.stem)
            listed, pack = index.read_bytes(), index.with_suffix(".pack")
            set_aside(store, index)
            if not _indexed(git, pack):
                _set_aside_pack(store, pack)
                _salvage(git, store / FOLDER / "objects", listed)
    return found


def _salvage(git: Git, objects: Path, index: bytes) -> None:
    """Write what can be read of a pack that was moved aside into the store. ``objects`` is the
    folder of objects that has it now, ``index`` what its index says."""
    try:
        listed = git.run("show-index", stdin=index, patience=_PATIENCE)
    except GitTimedOut:
        raise
    except GitFailed:
        return
    waiting = [line.split()[1].decode() for line in listed.splitlines()]
    beside = replace(
        git, variables={**git.variables, "GIT_ALTERNATE_OBJECT_DIRECTORIES": str(objects)}
    )
    unreadable = 0
    while waiting and unreadable < _MOST_UNREADABLE:
        with beside.blobs() as reader, contextlib.suppress(StoreDamaged):
            while waiting:
                name = waiting.pop()
                unreadable += 1  # unless it can be read; git may end at one that cannot
                _, kind, data = reader.read(name)
                unreadable -= 1
                write_object(git.repository, kind, data)


# --- writing again -----------------------------------------------------------------------------


def write_object(store: Path, kind: str, data: bytes, *, durable: bool = True) -> str:
    """Write a loose object, unless there is one, and wait for the disk where it is to be
    ``durable``; return its id.

    Raises:
        OSError: when it cannot be written, with the folder.
    """
    name = object_id(kind, data)
    place = loose_path(store, name)
    if not place.exists():
        put_loose(place, kind, data, durable=durable)
    return name
