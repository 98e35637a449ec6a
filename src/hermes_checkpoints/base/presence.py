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
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from hermes_checkpoints.base.opened import Base
from hermes_checkpoints.errors import BaseUnwritable, CatalogBusy, NoSpace
from hermes_checkpoints.fs.system import identity, identity_of, shared_temporary_roots
from hermes_checkpoints.model import ProjectState

if TYPE_CHECKING:
    from hermes_checkpoints.model import FileIdentity, ProjectFacts


_MOST_NAMED = 1000
"""How many projects a statement names one by one; of more, all are read."""

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
    except OSError:
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
    except OSError:
        pass
    return ProjectState.UNREACHABLE


def look(base: Base, *, places: bool = False) -> None:
    """Look at the directory of every project, and record what was seen and when.

    Identities of those that are there are recorded again where they differ, as after a reboot.
    With ``places``, it is recorded as well which are in a temporary place or a git worktree.

    Raises:
        CheckpointError: when it cannot be recorded: nothing may be deleted for an absence then.
    """
    projects = base.catalog.retention.projects()
    _record(base, _see(projects), base.now())
    if places:
        roots = shared_temporary_roots()
        found = {p.hash: _disposable(Path(p.working_dir), roots) for p in projects}
        changed = {p.hash: found[p.hash] for p in projects if found[p.hash] != p.disposable}
        with base.catalog.together(durable=False):  # it is seen again
            base.catalog.retention.set_disposable(changed)


def look_at(base: Base, hashes: Collection[str] | None) -> dict[str, ProjectState]:
    """Look at the directories of a few projects, of all where ``hashes`` is None, and return their
    states by hash.

    What was seen is recorded with the time; where the catalog takes nothing, as on a disk that
    is full or in a busy moment, the answer is the same.
    """
    some = None if hashes is None or len(hashes) > _MOST_NAMED else hashes
    found = base.catalog.retention.projects(some)
    if hashes is not None:
        wanted = frozenset(hashes)
        found = tuple(project for project in found if project.hash in wanted)
    seen = _see(found)
    with contextlib.suppress(BaseUnwritable, CatalogBusy, NoSpace):
        _record(base, seen, base.now())
    return {hash_: one.state for hash_, one in seen.items()}


@dataclass(frozen=True)
class _Seen:
    """What a look at one directory found: its state, and identities that are to be recorded."""

    state: ProjectState
    identities: tuple[FileIdentity, FileIdentity] | None = None


_SEEN_LIVE = _Seen(ProjectState.LIVE)


def _see(projects: Iterable[ProjectFacts]) -> dict[str, _Seen]:
    """Look at the directories of projects, each folder that they lie in once; return what was
    seen, by hash."""
    parents: dict[str, FileIdentity | None] = {}
    return {project.hash: _see_one(project, parents) for project in projects}


def _see_one(project: ProjectFacts, parents: dict[str, FileIdentity | None]) -> _Seen:
    try:
        info = os.stat(project.working_dir)
    except OSError:
        info = None
    if info is None or not stat.S_ISDIR(info.st_mode):
        working_dir = Path(project.working_dir)
        return _Seen(state_of(working_dir, project.identity, project.parent))
    folder = project.working_dir.rpartition(os.sep)[0]
    if folder not in parents:
        parents[folder] = identity(Path(project.working_dir).parent)
    own, parent = identity_of(info), parents[folder]
    if parent is None or (own == project.identity and parent == project.parent):
        return _SEEN_LIVE
    return _Seen(ProjectState.LIVE, (own, parent))


def _record(base: Base, seen: Mapping[str, _Seen], now: datetime) -> None:
    base.catalog.projects.set_states({hash_: one.state for hash_, one in seen.items()}, now)
    new = {hash_: one.identities for hash_, one in seen.items() if one.identities}
    base.catalog.retention.set_identities(new)


def _disposable(working_dir: Path, roots: frozenset[Path]) -> bool:
    temporary = not roots.isdisjoint(working_dir.parents)
    worktree = not _WORKTREE_FOLDERS.isdisjoint(working_dir.parts)
    return temporary or worktree or os.path.isfile(working_dir / ".git")
