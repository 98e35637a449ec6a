"""Sweeps what killed processes left in a base: scratch folders, half-written files, notes of who
held a lock, incomplete backups of the catalog, and what a git tells of why it ended.

Once a day at most, by the first opening of that day, and only what is older than a day: whatever
writes such a file is done long before. Folders are moved to what ``base.clearing`` deletes without
haste; nothing here waits for a lock.
"""

from __future__ import annotations

import contextlib
import os
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from hermes_checkpoints.base import clearing
from hermes_checkpoints.base.opened import Base
from hermes_checkpoints.errors import CheckpointError
from hermes_checkpoints.fs.locks import NOTE_SUFFIX, exclusive, is_held
from hermes_checkpoints.layout import SCRATCH_PREFIX, Layout

DAY = 86_400.0
_STAMP = "swept"
_TEMPORARY = re.compile(r"\..+\.\d+\.tmp")  # as `write_atomically` names them
_MOST = 1_000
"""How many things one opening removes."""


def sweep(base: Base) -> None:
    """Remove what is left, if nobody did so for a day. What cannot be removed stays.

    Costs one look otherwise.
    """
    layout = base.layout
    if base.temporary is not None or not _begin_day(layout):
        return
    limit = time.time() - DAY
    removed = 0
    for path in leftovers(layout):
        with contextlib.suppress(OSError, CheckpointError):
            if path.lstat().st_mtime < limit and not _is_in_use(path):
                _remove(layout, path)
                removed += 1
        if removed >= _MOST:
            break
    _sweep_backups(layout)


def is_due(layout: Layout) -> bool:
    """Tell whether a day has gone since the last sweep."""
    with contextlib.suppress(OSError):
        return not 0 <= time.time() - os.stat(f"{layout.locks}/{_STAMP}").st_mtime < DAY
    return True


def _begin_day(layout: Layout) -> bool:
    """Begin a new day, and tell so, if one has gone since the last sweep."""
    if not is_due(layout):
        return False
    stamp = layout.locks / _STAMP
    try:
        layout.locks.mkdir(mode=0o700, exist_ok=True)
        stamp.touch(mode=0o600)
        os.utime(stamp)
    except OSError:
        return False  # whoever cannot write here can remove nothing either
    return True


def leftovers(layout: Layout) -> Iterator[Path]:
    """Yield what killed processes may have left, and what others are at just now; backups aside."""
    for folder in (layout.base, layout.store):
        yield from _entries(folder, lambda name: name.startswith(SCRATCH_PREFIX))
    own = (layout.base, layout.locks, layout.store, layout.store / "info", layout.indexes)
    for folder in own:
        yield from _entries(folder, lambda name: _TEMPORARY.fullmatch(name) is not None)
    yield from _entries(layout.locks, lambda name: name.endswith(f".lock{NOTE_SUFFIX}"))
    yield from _entries(layout.store, lambda name: name.startswith("fast_import_crash_"))


def _entries(folder: Path, is_one: Callable[[str], bool]) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            return [Path(entry.path) for entry in entries if is_one(entry.name)]
    except OSError:
        return []


def _is_in_use(path: Path) -> bool:
    """Tell whether a note is that of a holder who lives."""
    return path.name.endswith(NOTE_SUFFIX) and is_held(path.with_name(path.stem))


def _remove(layout: Layout, path: Path) -> None:
    import secrets

    if path.is_dir() and not path.is_symlink():
        cleared = layout.base / clearing.CLEARED
        cleared.mkdir(mode=0o700, exist_ok=True)
        path.rename(cleared / secrets.token_hex(8))
    else:
        path.unlink(missing_ok=True)  # a note goes with the lock that was just looked at


def _sweep_backups(layout: Layout) -> None:
    """Remove the incomplete backups of killed upgrades, where no upgrade runs."""
    from hermes_checkpoints.catalog import backups

    with contextlib.suppress(OSError, CheckpointError):
        if all(found.complete for found in backups.backups(layout.catalog)):
            return
        with exclusive(layout.catalog_lock, purpose="sweeping backups", timeout=0, told=False):
            backups.sweep(layout.catalog)
