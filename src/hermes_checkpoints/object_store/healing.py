"""Puts broken files of objects out of git's way, and writes objects again whose contents are known.

One broken file makes every gc fail, also where nothing needs it. All of this needs the store's
lock alone: without writers, an empty object and half of a pack are damage and nothing else.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import stat
import tempfile
import zlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from hermes_checkpoints.errors import GitFailed, GitTimedOut, StoreDamaged
from hermes_checkpoints.git import Git
from hermes_checkpoints.object_store.quarantine import FOLDER, set_aside

_FOLDER = re.compile(r"[0-9a-f]{2}")
_LOOSE = re.compile(r"[0-9a-f]{38}")
_PIECE = 1 << 18
_PATIENCE = 40
_MOST_UNREADABLE = 1000
"""After how many unreadable objects nothing more is hoped for of a broken pack."""


# --- what is broken at first sight ------------------------------------------------------------


def set_aside_empty(store: Path) -> list[str]:
    """Move loose objects without contents, and what is no file in the place of one, aside; return
    their ids. Costs one look at each."""
    found = [(path, name) for path, name in loose(store / "objects") if not _is_filled_file(path)]
    for path, _ in found:
        set_aside(store, path)
    return [name for _, name in found]


def _is_filled_file(path: Path) -> bool:
    try:
        info = path.stat()
    except FileNotFoundError:  # a link that leads nowhere
        return False
    return stat.S_ISREG(info.st_mode) and info.st_size > 0


def mend_packs(git: Git) -> list[str]:
    """Make the index of each pack that has none, and move aside what is half of a pack only or
    empty; return the names of the packs that were broken. Without one it starts no process.

    Raises:
        GitTimedOut, OSError.
    """
    folder = git.repository / "objects" / "pack"
    names = sorted({p.stem for kind in ("*.pack", "*.idx") for p in folder.glob(f"pack-{kind}")})
    broken = []
    for name in names:
        pack, index = (folder / f"{name}.{kind}" for kind in ("pack", "idx"))
        if _filled(pack) and _filled(index):
            continue
        broken.append(name)
        if _filled(pack):
            if index.exists():
                set_aside(git.repository, index)
            if _indexed(git, pack):
                continue
        _set_aside_pack(git.repository, pack)
    return broken


def _filled(path: Path) -> bool:
    try:
        return path.stat().st_size > 0
    except OSError:
        return False


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
    for path, name in list(loose(store / "objects")):
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


def loose(objects: Path) -> Iterator[tuple[Path, str]]:
    """Yield the path and the id of each loose object of a folder, whatever lies there."""
    for folder in _entries(objects):
        if _FOLDER.fullmatch(folder.name):
            for entry in _entries(folder):
                if _LOOSE.fullmatch(entry.name):
                    yield Path(entry.path), folder.name + entry.name


def _entries(folder: os.DirEntry[str] | Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            return sorted(found, key=lambda entry: entry.name)
    except OSError:
        return []


def is_sound(path: Path, name: str) -> bool:
    """Tell whether a loose object can be read and is what its id ``name`` says.

    Raises:
        PermissionError: when this user may not read it; that is no damage.
    """
    if not _is_filled_file(path):
        return False
    digest = hashlib.sha1(usedforsecurity=False)
    inflate = zlib.decompressobj()
    try:
        with path.open("rb") as file:
            while piece := file.read(_PIECE):
                digest.update(inflate.decompress(piece))
    except PermissionError:
        raise
    except (OSError, zlib.error):
        return False
    return inflate.eof and digest.hexdigest() == name


# --- writing again -----------------------------------------------------------------------------


def object_id(kind: str, data: bytes) -> str:
    """Return the id that git gives to an object of a kind such as ``blob``."""
    header = b"%s %d\0" % (kind.encode(), len(data))
    return hashlib.sha1(header + data, usedforsecurity=False).hexdigest()


def write_object(store: Path, kind: str, data: bytes) -> str:
    """Write a loose object durably, unless there is one; return its id.

    Raises:
        OSError.
    """
    name = object_id(kind, data)
    place = store / "objects" / name[:2] / name[2:]
    if place.exists():
        return name
    place.parent.mkdir(exist_ok=True)
    descriptor, partial = tempfile.mkstemp(dir=place.parent, prefix="tmp_obj_")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(zlib.compress(b"%s %d\0" % (kind.encode(), len(data)) + data, 1))
            file.flush()
            os.fsync(file.fileno())
        os.chmod(partial, 0o444)
        os.replace(partial, place)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(partial)
        raise
    return name
