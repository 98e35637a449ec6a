"""Refuses a base in which a part that is written to is a link, a pipe or a device.

A base may have been handed over by somebody else: as a backup, on a stick, in a shared folder. A
link in it would lead every write out of the base, into files that nobody named; a pipe would be
waited for. This program makes neither, so such a base is refused as a whole, with the remedy, and
nothing is done in it. The base itself, or its home, may well be a link.
"""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path

from hermes_checkpoints.errors import BaseUnwritable
from hermes_checkpoints.layout import LOCKS, MACHINE, Layout

_PARTS = (
    *("catalog.db", "catalog.db-wal", "catalog.db-shm", "catalog.db-journal", MACHINE, LOCKS),
    *("store", ".clearing", ".clearing-checkpoints", ".cleared", ".held-back"),
    "unreadable-sessions",
)
_STORE_PARTS = (
    *("HEAD", "config", "packed-refs", "git-program.json", "info/exclude", "quarantine"),
    *("objects", "objects/info", "objects/pack", "refs", "refs/checkpoints", "info", "indexes"),
)
LEADS_AWAY = (
    "config.worktree",
    "commondir",
    "objects/info/alternates",
    "objects/info/http-alternates",
)
"""What leads git out of the store, or has a configuration beside the one that this program writes;
version 2 made none either."""


def require_plain(layout: Layout) -> None:
    """Refuse a base with a link or a pipe in the place of a file or a folder of ours.

    Raises:
        BaseUnwritable: with what that is, and what to do.
    """
    _require(layout.base, _PARTS)


def require_plain_store(layout: Layout) -> None:
    """Refuse the same in the store, and what leads git out of it.

    Raises:
        BaseUnwritable: with what that is, and what to do.
    """
    store = layout.store
    listed = _require(store, _STORE_PARTS)
    for name in LEADS_AWAY:
        seen = listed is None or "/" in name or name in listed
        if seen and os.path.lexists(f"{store}/{name}"):
            raise _refused(store / name, "leads git out of the store")


def _require(folder: Path, names: tuple[str, ...]) -> dict[str, os.DirEntry[str]] | None:
    """Look at parts of a folder; return its entries, None where it cannot be listed. One listing
    tells of all that lie in the folder itself; the others are looked at one by one."""
    listed = _listed(folder)
    for name in names:
        if listed is not None and "/" not in name:
            entry = listed.get(name)
            if (
                entry is None
                or entry.is_dir(follow_symlinks=False)
                or entry.is_file(follow_symlinks=False)
            ):
                continue
        try:
            mode = os.lstat(f"{folder}/{name}").st_mode
        except OSError:  # it is missing, or cannot be seen: whoever needs it says so
            continue
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):  # one for the other is plain damage
            kind = "a link" if stat.S_ISLNK(mode) else "a pipe or a device"
            raise _refused(folder / name, f"is {kind}")
    return listed


def _listed(folder: Path) -> dict[str, os.DirEntry[str]] | None:
    with contextlib.suppress(OSError), os.scandir(folder) as found:
        return {entry.name: entry for entry in found}
    return None


def _refused(path: Path, what: str) -> BaseUnwritable:
    return BaseUnwritable(
        f"{path} {what}, which this program never makes, so nothing is done in this base: if it "
        "comes from somebody else, look at who made it; if you made that, put the real thing in "
        "its place, or make the whole base a link or a mount"
    )
