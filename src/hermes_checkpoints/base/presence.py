"""Tells whether a project's directory is there, is gone, or cannot be seen.

This is the only definition of these words. A directory is gone (``orphan``) when its parent is
the very one that was known, by device and inode recorded while the directory lived, and does not
contain it. Everything else that is not seen is ``unreachable``: an unmounted volume, a parent
that was moved or closed, a network that is down. Only a proven orphan may ever be deleted.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Collection, Iterable
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from hermes_checkpoints.base.opened import Base
from hermes_checkpoints.errors import BaseUnwritable, CatalogBusy, NoSpace
from hermes_checkpoints.fs.system import identity, shared_temporary_roots
from hermes_checkpoints.model import FileIdentity, ProjectState

if TYPE_CHECKING:
    from hermes_checkpoints.model import LastLook


_MOST_NAMED = 1000
"""How many projects a statement names one by one; of more, all are read."""

_AS_FRESH = timedelta(minutes=1)
"""For how long a look that finds what the one before found is not recorded again."""

_WORKTREE_FOLDERS = frozenset({".worktrees", "worktrees"})


def state_of(
    working_dir: Path, known: FileIdentity | None, known_parent: FileIdentity | None
) -> ProjectState:
    """Look at a working directory. ``known`` and ``known_parent`` are the identities recorded
    while it lived; without that of the parent nothing is proven.

    A directory on another device than its parent was a mount point: that it is not there
    means that nothing is mounted.
    """
    try:
        mode = working_dir.stat().st_mode
    except (OSError, ValueError):  # the second for a name that this system cannot have
        mode = 0
    if stat.S_ISDIR(mode):
        return ProjectState.LIVE
    if known_parent is None or (known is not None and known.device != known_parent.device):
        return ProjectState.UNREACHABLE
    try:
        working_dir.lstat()
    except FileNotFoundError:
        if identity(working_dir.parent) == known_parent:
            return ProjectState.ORPHAN
    except (OSError, ValueError):
        pass
    return ProjectState.UNREACHABLE


def look(base: Base, *, places: bool = False) -> None:
    """Look at the directory of every project, and record what was seen and when.

    Identities of those that are there are recorded again where they differ, as after a reboot.
    With ``places``, it is recorded as well which are in a temporary place or a git worktree.

    Raises:
        CheckpointError: when it cannot be recorded: nothing may be deleted for an absence then.
    """
    now = base.now()
    _record(base, see(base.catalog.retention.last_looks((now, now))), now)
    if places:
        projects = base.catalog.retention.projects()
        roots = shared_temporary_roots()
        found = {p.hash: _disposable(Path(p.working_dir), roots) for p in projects}
        changed = {p.hash: found[p.hash] for p in projects if found[p.hash] != p.disposable}
        with base.catalog.together(durable=False):  # it is seen again
            base.catalog.retention.set_disposable(changed)


class Seen(NamedTuple):
    """What a look at directories found, by hash: their states, which of these are to be recorded,
    and new identities of directories and their parents."""

    states: dict[str, ProjectState]
    due: dict[str, ProjectState]
    identities: dict[str, tuple[FileIdentity, FileIdentity]]


def fresh(base: Base) -> tuple[datetime, datetime]:
    """Return between which moments a look must have been recorded that is not recorded again where
    the next one finds the same. A moment that has not come is of a clock that was wrong."""
    now = base.now()
    return now - _AS_FRESH, now


def look_at(base: Base, hashes: Collection[str] | None) -> Seen:
    """Look at the directories of a few projects, of all where ``hashes`` is None. The caller
    records what was seen, with ``record_if_possible``.

    Raises:
        CheckpointError: when the catalog cannot be read.
    """
    some = None if hashes is None or len(hashes) > _MOST_NAMED else hashes
    known = base.catalog.retention.last_looks(fresh(base), some)
    if hashes is not None:
        wanted = frozenset(hashes)
        known = [one for one in known if one.hash in wanted]
    return see(known)


def record_if_possible(base: Base, seen: Seen) -> None:
    """Record what was seen with the time, where it is news or the last record is a minute old.
    Where the catalog takes nothing, as on a disk that is full or in a busy moment, the next look
    sees it again."""
    with contextlib.suppress(BaseUnwritable, CatalogBusy, NoSpace):
        _record(base, seen, base.now())


def see(known: Iterable[LastLook]) -> Seen:
    """Look at the directories of projects, each folder that they lie in once."""
    parents: dict[str, FileIdentity | None] = {}
    seen = Seen({}, {}, {})
    for one in known:
        state = _see_one(one, parents, seen.identities)
        seen.states[one.hash] = state
        if one.is_due or state is not one.state:
            seen.due[one.hash] = state
    return seen


def _see_one(
    known: LastLook,
    parents: dict[str, FileIdentity | None],
    identities: dict[str, tuple[FileIdentity, FileIdentity]],
) -> ProjectState:
    place = known.working_dir
    try:
        info = os.stat(place)
    except (OSError, ValueError):
        info = None
    if info is None or not stat.S_ISDIR(info.st_mode):
        return state_of(Path(place), known.identity, known.parent)
    folder = place.rpartition(os.sep)[0]
    if folder not in parents:
        parents[folder] = identity(Path(place).parent)
    parent = parents[folder]
    if parent is not None:
        device, inode = str(info.st_dev), str(info.st_ino)
        before = known.device, known.inode, known.parent_device, known.parent_inode
        if (device, inode, parent.device, parent.inode) != before:
            identities[known.hash] = FileIdentity(device, inode), parent
    return ProjectState.LIVE


def _record(base: Base, seen: Seen, now: datetime) -> None:
    base.catalog.projects.set_states(seen.due, now)
    base.catalog.retention.set_identities(seen.identities)


def _disposable(working_dir: Path, roots: frozenset[Path]) -> bool:
    temporary = not roots.isdisjoint(working_dir.parents)
    worktree = not _WORKTREE_FOLDERS.isdisjoint(working_dir.parts)
    return temporary or worktree or os.path.isfile(working_dir / ".git")
