"""Tells whether a project's directory is there, is gone, or cannot be seen.

This is the only definition of these words. A directory is gone (``orphan``) when its parent is
the very one that was known, by device and inode recorded while the directory lived, and does not
contain it. Everything else that is not seen is ``unreachable``: an unmounted volume, a parent
that was moved or closed, a network that is down. Only a proven orphan may ever be deleted.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from hermes_checkpoints.base.opened import Base
from hermes_checkpoints.fs.system import identity, shared_temporary_roots
from hermes_checkpoints.model import FileIdentity, ProjectState

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
    """Look at the directory of every project, and record what is new.

    Identities of those that are there are recorded again where they differ, as after a reboot.
    With ``places``, it is recorded as well which are in a temporary place or a git worktree.
    """
    states: dict[str, ProjectState] = {}
    identities: dict[str, tuple[FileIdentity, FileIdentity]] = {}
    disposable: dict[str, bool] = {}
    roots = shared_temporary_roots() if places else frozenset()
    for project in base.catalog.retention.projects():
        working_dir = Path(project.working_dir)
        state = state_of(working_dir, project.identity, project.parent)
        if state is not project.state:
            states[project.hash] = state
        if state is ProjectState.LIVE:
            own, parent = identity(working_dir), identity(working_dir.parent)
            if own and parent and (own, parent) != (project.identity, project.parent):
                identities[project.hash] = own, parent
        if places and (found := _disposable(working_dir, roots)) != project.disposable:
            disposable[project.hash] = found
    base.catalog.projects.set_states(states, base.now())
    base.catalog.retention.set_identities(identities)
    base.catalog.retention.set_disposable(disposable)


def _disposable(working_dir: Path, roots: frozenset[Path]) -> bool:
    temporary = not roots.isdisjoint(working_dir.parents)
    worktree = not _WORKTREE_FOLDERS.isdisjoint(working_dir.parts)
    return temporary or worktree or os.path.isfile(working_dir / ".git")
