"""Takes what ``clear`` removes out of a base, so that a kill at any moment leaves one that works.

Everything is moved before anything is deleted:

1. An empty folder is made in the base, ``.clearing``, or ``.clearing-checkpoints`` where session
   checkpoints stay. From here on the clear is decided: whoever opens the base carries it out.
2. What goes is moved into that folder, by renaming.
3. The folder is moved into ``.cleared``, by renaming. From here on the base is an empty one.
4. What lies in ``.cleared`` is deleted, without haste: by the clear itself, and if that was killed
   in small pieces by openings, and the rest by the next prune or clear.

It is all inside the base, because the folder around it may be closed, or another one for who sees
the base through a mount.
"""

from __future__ import annotations

import contextlib
import os
import stat
import time
from collections.abc import Iterator
from pathlib import Path

from hermes_checkpoints.errors import CheckpointError, LockHeld, base_error
from hermes_checkpoints.fs.disk import remove_tree
from hermes_checkpoints.fs.locks import exclusive
from hermes_checkpoints.fs.system import sync_directory
from hermes_checkpoints.fs.walking import walk_up
from hermes_checkpoints.layout import (
    CATALOG_LOCK,
    LOCKS,
    MACHINE,
    Layout,
    former_catalog_lock,
    former_locks,
)

ALL = ".clearing"
CHECKPOINTS = ".clearing-checkpoints"
CLEARED = ".cleared"

OPENING_SECONDS = 0.02
"""How long an opening deletes what a killed clear left."""

_CATALOG = "catalog.db"
_FILES = (f"{_CATALOG}-shm", f"{_CATALOG}-wal", _CATALOG)
"""The files of the catalog; its log goes first, so that no new catalog ever finds the old log."""

_OF_SESSIONS = ("*.yaml", "unreadable-sessions")
_OWN = (LOCKS, ALL, CHECKPOINTS, CLEARED)


def session_files(layout: Layout) -> list[Path]:
    """Return what lies in the base of session checkpoints, beside the catalog."""
    return [found for pattern in _OF_SESSIONS for found in layout.base.glob(pattern)]


def going(layout: Layout, *, sessions: bool) -> list[Path]:
    """Return what a clear moves away, in the order in which it does; without ``sessions``, all but
    what holds session checkpoints and the name of the base."""
    stay = set(_OWN)
    if not sessions:
        stay |= {MACHINE, *_FILES, *(entry.name for entry in session_files(layout))}
    entries = {entry.name: entry for entry in layout.base.iterdir() if entry.name not in stay}
    return [entries.pop(name) for name in _FILES if name in entries] + sorted(entries.values())


def begun(layout: Layout) -> Path | None:
    """Return the folder of a clear that has begun and not moved everything yet, or None."""
    for name in (ALL, CHECKPOINTS):
        if os.path.lexists(f"{layout.base}/{name}"):
            return layout.base / name
    return None


def is_left(layout: Layout) -> bool:
    """Tell whether a clear was killed and left something to be done."""
    return begun(layout) is not None or os.path.lexists(f"{layout.base}/{CLEARED}")


def require_not_begun(layout: Layout) -> None:
    """Refuse to work where a clear was killed: the next opening carries it out, and would remove
    what was added.

    Raises:
        LockHeld.
    """
    if begun(layout) is not None:
        raise LockHeld(
            f"a clear of {layout.base} was interrupted, and the next opening carries it out; "
            "open it again"
        )


def begin(layout: Layout, *, sessions: bool) -> Path:
    """Decide that everything goes, with ``sessions`` session checkpoints, too; return the folder
    that says so. The caller holds the locks of prunes and of the store.

    Raises:
        BaseUnwritable, NoSpace: nothing was removed then.
    """
    folder, present = layout.base / (ALL if sessions else CHECKPOINTS), begun(layout)
    try:
        if present is None:
            folder.mkdir(mode=0o700)
        elif present.name != ALL:  # one that was killed becomes a part of this one
            present.rename(folder)
        else:
            return present
    except OSError as error:
        raise base_error(error, layout.base) from error
    return folder


def carry_out(layout: Layout, folder: Path) -> list[str]:
    """Move everything that goes into the folder of a clear, and end that; return what could be
    neither moved nor removed. The caller holds the locks of prunes and of the store.

    Raises:
        BaseUnwritable, NoSpace: the next opening goes on.
    """
    import secrets

    problems: list[str] = []
    try:
        for entry in going(layout, sessions=folder.name == ALL):
            try:
                entry.rename(folder / entry.name)
            except OSError:  # a mount, for one, cannot be moved
                try:
                    remove_tree(entry)
                except CheckpointError as error:
                    problems.append(str(error))
        (layout.base / CLEARED).mkdir(mode=0o700, exist_ok=True)
        folder.rename(layout.base / CLEARED / secrets.token_hex(8))
    except OSError as error:
        raise base_error(error, layout.base) from error
    sync_directory(str(layout.base))
    return problems


def resume(layout: Layout, timeout: float) -> None:
    """Carry out a clear of everything that was killed, before the base is opened. Costs two looks
    where there is none.

    Raises:
        LockHeld: when another process carries it out for longer than ``timeout`` seconds.
        BaseUnwritable, NoSpace.
    """
    if begun(layout) is None:
        return
    with locked(layout, "clear", timeout):
        folder = begun(layout)
        if folder is not None and folder.name == ALL:
            carry_out(layout, folder)


@contextlib.contextmanager
def locked(layout: Layout, purpose: str, timeout: float) -> Iterator[None]:
    """Hold what a clear needs to itself: prunes, the making of a catalog, and the store.

    Raises:
        LockHeld, BaseUnwritable.
    """
    with (
        exclusive(layout.prune_lock, purpose=purpose, timeout=timeout) as first,
        exclusive(layout.catalog_lock, purpose=purpose, timeout=timeout) as second,
        exclusive(layout.store_lock, purpose=purpose, timeout=timeout) as third,
    ):
        for lock in (first, second, third):
            lock.require()
        yield


# --- deleting ------------------------------------------------------------------------------------


def delete(layout: Layout, *, seconds: float | None = None) -> list[str]:
    """Delete what was moved away; return what could not be deleted. With ``seconds``, stop then
    and leave the rest, and do nothing where another process is at it."""
    cleared = layout.base / CLEARED
    if not os.path.lexists(cleared):
        return []
    timeout = 30.0 if seconds is None else 0.0
    try:
        purpose, told = "deleting what was cleared", seconds is None
        with exclusive(layout.clear_lock, purpose=purpose, timeout=timeout, told=told):
            if seconds is None:
                remove_tree(cleared)
            else:
                _delete_some(cleared, time.monotonic() + seconds)
    except CheckpointError as error:
        return [str(error)] if seconds is None else []
    return []


def _delete_some(folder: Path, until: float) -> None:
    """Delete files, and folders that are empty, until a time of the monotonic clock."""
    for top, folders, files in walk_up(folder):
        for name in (*files, *folders):
            path = os.path.join(top, name)
            with contextlib.suppress(OSError):
                if stat.S_ISDIR(os.lstat(path).st_mode):
                    os.rmdir(path)
                else:
                    os.unlink(path)
            if time.monotonic() >= until:
                return
    with contextlib.suppress(OSError):
        os.rmdir(folder)


def remove_base(layout: Layout) -> None:
    """Remove the base where nothing is in it but locks, and nobody holds one of these; with it
    the locks of earlier programs beside it. What cannot be removed stays."""
    with contextlib.suppress(CheckpointError, OSError), contextlib.ExitStack() as stack:
        former = former_locks(layout.base)
        names = {CATALOG_LOCK}
        for folder in (layout.locks, former):
            if folder.is_dir():
                names |= {entry.name for entry in folder.glob("*.lock")}
        for name in sorted(names):
            purpose = "removing the base"
            lock = exclusive(layout.locks / name, purpose=purpose, timeout=0, told=False)
            stack.enter_context(lock)
        if any(entry.name != LOCKS for entry in layout.base.iterdir()):
            return
        _remove_locks(layout.locks)
        layout.base.rmdir()
        if former.is_dir():
            _remove_locks(former)
            former_catalog_lock(layout.base).unlink(missing_ok=True)


def _remove_locks(folder: Path) -> None:
    for entry in folder.iterdir():
        entry.unlink()
    folder.rmdir()
