"""Brings the objects of another repository into the store without taking their space twice.

An object is one file that never changes, so the store links to it where the file systems allow
that, and copies it elsewhere. Each one is read and compared with its name first: what is damaged
stays outside. Git is never run in the other repository, whose configuration is not ours.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

from hermes_checkpoints.errors import GitFailed, base_error
from hermes_checkpoints.git import Git
from hermes_checkpoints.object_store.loose import (
    entries,
    is_sound,
    loose_files,
    loose_path,
    new_file,
)

_PACK = re.compile(r"(pack-[0-9a-f]{40,64})\.idx")
_PIECE = 1 << 18
_PATIENCE = 40
_NO_LINKS = {
    errno.EXDEV,
    errno.EPERM,
    errno.EMLINK,
    errno.EOPNOTSUPP,
    errno.EACCES,
    getattr(errno, "ENOTSUP", errno.EOPNOTSUPP),
}


def can_link(source: Path, store: Path) -> bool:
    """Tell whether files of a folder can be linked into the store, so that they take no space."""
    try:
        with tempfile.NamedTemporaryFile(dir=store, prefix="link-") as probe:
            if os.stat(source).st_dev != os.fstat(probe.fileno()).st_dev:
                return False
            name = Path(f"{probe.name}-2")
            os.link(probe.name, name)
            name.unlink()
    except OSError:
        return False
    return True


def borrow(git: Git, objects: Path) -> list[str]:
    """Bring in every sound object and pack of the folder ``objects`` of another repository;
    return the names of the objects and packs that are damaged.

    The caller holds the store's lock together with others, so that no gc removes what nothing
    refers to yet.

    Raises:
        NoSpace, BaseUnwritable: when the store cannot be written.
    """
    target = git.repository / "objects"
    damaged: list[str] = []
    try:
        for source, name in loose_files(objects):
            place = loose_path(git.repository, name)
            if place.exists():
                continue
            if not _is_readable(source, name):
                damaged.append(name)
                continue
            place.parent.mkdir(exist_ok=True)
            _bring(source, place)
        for index in _packs(objects):
            if not (target / "pack" / index.name).exists():
                if _is_sound_pack(git, index):
                    (target / "pack").mkdir(exist_ok=True)
                    for suffix in (".pack", ".idx"):  # git looks for packs by their index
                        part = index.with_suffix(suffix)
                        _bring(part, target / "pack" / part.name)
                else:
                    damaged.append(index.stem)
    except OSError as error:
        raise base_error(error, target) from error
    return damaged


def _is_readable(source: Path, name: str) -> bool:
    try:
        return _is_regular(source) and is_sound(source, name)
    except PermissionError:
        return False


def _packs(objects: Path) -> Iterator[Path]:
    for entry in entries(objects / "pack"):
        path = Path(entry.path)
        pair = (path, path.with_suffix(".pack"))
        if _PACK.fullmatch(entry.name) and all(_is_regular(part) for part in pair):
            yield path


def _is_regular(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False


def _is_sound_pack(git: Git, index: Path) -> bool:
    try:
        git.run("verify-pack", str(index), patience=_PATIENCE)
    except GitFailed:
        return False
    return True


def _bring(source: Path, place: Path) -> None:
    try:
        os.link(source, place, follow_symlinks=False)
        return
    except FileExistsError:
        return
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
    with new_file(place) as copy, source.open("rb") as original:
        shutil.copyfileobj(original, copy, _PIECE)
