"""Walks through folders of any depth. ``os.walk`` and ``shutil.rmtree`` of Python 3.11 call
themselves once a level, and end with a RecursionError below a thousand."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from hermes_checkpoints.fs.handles import Directory, change_mode, rename

_OWNER = 0o700
_DEEPEST = 100
"""So many levels of folders are open at once while they are removed."""


Listing = tuple[str, list[str], list[str]]
"""A folder, with the names of folders and of other things in it."""


def walk(top: str | Path) -> Iterator[Listing]:
    """Yield each folder with what is in it, as ``os.walk`` does: the upper one first, no link is
    followed, what cannot be read is passed over, and only those folders are entered that are still
    in the list afterwards."""
    pending = [os.fspath(top)]
    while pending:
        listing = _list(pending.pop())
        if listing is not None:
            yield listing
            folder, folders, _ = listing
            pending += [os.path.join(folder, name) for name in reversed(folders)]


def walk_up(top: str | Path) -> Iterator[Listing]:
    """Yield what ``walk`` does, each folder after those in it."""
    pending: list[str | Listing] = [os.fspath(top)]
    while pending:
        one = pending.pop()
        if not isinstance(one, str):
            yield one
        elif (listing := _list(one)) is not None:
            pending.append(listing)
            pending += [os.path.join(one, name) for name in reversed(listing[1])]


def _list(folder: str) -> Listing | None:
    folders: list[str] = []
    names: list[str] = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                (folders if entry.is_dir(follow_symlinks=False) else names).append(entry.name)
    except OSError:
        return None
    return folder, folders, names


def remove_folder(path: str | Path) -> None:
    """Remove a folder with all that is in it, through open folders: no link in it is followed. One
    that is closed to its owner is opened first.

    Raises:
        OSError: when something cannot be removed; the rest may be gone.
    """
    above, name = os.path.split(os.path.realpath(path))
    root = Directory.root(above)
    top = _opened(root, name)
    way: list[tuple[Directory, list[str]]] = [(top, _emptied(top))]
    moved = 0
    while way:
        folder, folders = way[-1]
        if not folders:
            way.pop()
            (way[-1][0] if way else root).spot(os.path.basename(folder.path)).rmdir()
            continue
        below = _opened(folder, folders.pop())
        if len(way) < _DEEPEST:
            way.append((below, _emptied(below)))
            continue
        while top.spot(f"{moved}.moved-up").exists():
            moved += 1
        rename(folder.spot(os.path.basename(below.path)), top.spot(f"{moved}.moved-up"))
        way[0][1].append(f"{moved}.moved-up")


def _opened(above: Directory, name: str) -> Directory:
    """Open a folder, to its owner as well if it is closed."""
    spot = above.spot(name)
    found = spot.lstat()
    if stat.S_ISDIR(found.st_mode) and found.st_mode & _OWNER != _OWNER:
        bits = stat.S_IMODE(found.st_mode) | _OWNER
        change_mode(spot, bits, lambda seen: os.path.samestat(seen, found))
    return above.enter(name)


def _emptied(folder: Directory) -> list[str]:
    """Delete what is no folder in a folder; return the names of those that are."""
    folders = []
    with folder.entries() as entries:
        for entry in list(entries):
            if entry.is_dir(follow_symlinks=False):
                folders.append(entry.name)
            else:
                folder.spot(entry.name).unlink()
    return folders
