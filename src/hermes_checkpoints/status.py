"""Answers what the whole base holds, from the catalog and one look at the disk."""

from __future__ import annotations

import os
from pathlib import Path

from hermes_checkpoints.base import Base
from hermes_checkpoints.layout import LEGACY_PREFIX
from hermes_checkpoints.model import LegacyArchive, ProjectState, StoreStatus
from hermes_checkpoints.system import identity


def status(base: Base, limit: int | None = None) -> StoreStatus:
    """Return the figures of the base; sizes are bytes on disk as of now.

    ``limit`` bounds the projects that are listed, newest first. The states of the listed
    projects are looked at and recorded.

    Raises:
        CheckpointError: when the catalog cannot be read.
    """
    _refresh_states(base)
    projects = base.catalog.status.projects(limit)
    totals = base.catalog.status.totals()
    store = directory_bytes(base.layout.store)
    archives = tuple(_archives(base.layout.base))
    legacy = sum(archive.size_bytes for archive in archives)
    others = sum(
        directory_bytes(entry)
        for entry in base.layout.base.iterdir()
        if entry != base.layout.store and not entry.name.startswith(LEGACY_PREFIX)
    )
    return StoreStatus(
        base=base.layout.base,
        store_bytes=store,
        legacy_bytes=legacy,
        total_bytes=store + legacy + others,
        measured_at=base.now(),
        journal_mode=base.catalog.journal_mode,
        projects=tuple(projects),
        archives=archives,
        project_count=totals.projects,
        checkpoint_count=totals.checkpoints,
        last_success_at=base.catalog.operations.last_success(),
        failures=tuple(base.catalog.operations.failure_runs()),
        interrupted=len(base.catalog.operations.running()),
        notes=(*base.config.warnings, *_interrupted(base)),
    )


def _interrupted(base: Base) -> list[str]:
    """Tell of restores that were killed while they wrote and are not undone yet."""
    return [
        f"a restore of {found.safety.workdir} was interrupted at "
        f"{found.started_at:%Y-%m-%d %H:%M} UTC; `hermes checkpoints undo` there brings the "
        "former state back"
        for found in base.catalog.restores.interrupted()
    ]


def _refresh_states(base: Base) -> None:
    """Record which working directories are seen to exist, and which are not.

    A directory whose parent is the one that was known and does not contain it is an orphan;
    anything else that cannot be seen is unreachable.
    """
    changed: dict[str, ProjectState] = {}
    for project in base.catalog.projects.all():
        state = _state(base, Path(project.workdir), project.hash)
        if state is not project.state:
            changed[project.hash] = state
    if changed:
        base.catalog.projects.set_states(changed, base.now())


def _state(base: Base, workdir: Path, project: str) -> ProjectState:
    if workdir.is_dir():
        return ProjectState.LIVE
    _, parent = base.catalog.projects.identities(project)
    gone = parent is not None and identity(workdir.parent) == parent
    return ProjectState.ORPHAN if gone and not os.path.lexists(workdir) else (
        ProjectState.UNREACHABLE
    )


def _archives(folder: Path) -> list[LegacyArchive]:
    return [
        LegacyArchive(entry.name, directory_bytes(entry), entry.stat().st_mtime)
        for entry in sorted(folder.iterdir())
        if entry.is_dir() and entry.name.startswith(LEGACY_PREFIX)
    ]


def directory_bytes(path: Path) -> int:
    """Return the space that a file, or everything in a directory, takes on disk, in bytes."""
    total = 0
    try:
        info = path.lstat()
        total += _on_disk(info)
        if path.is_dir() and not path.is_symlink():
            pending = [str(path)]
            while pending:
                with os.scandir(pending.pop()) as entries:
                    for entry in entries:
                        total += _on_disk(entry.stat(follow_symlinks=False))
                        if entry.is_dir(follow_symlinks=False):
                            pending.append(entry.path)
    except OSError:
        pass  # a file that git removes while it is counted is not there any more
    return total


def _on_disk(info: os.stat_result) -> int:
    blocks: int | None = getattr(info, "st_blocks", None)
    return info.st_size if blocks is None else blocks * 512
