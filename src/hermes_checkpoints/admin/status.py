"""Answers what the whole base holds, from the catalog and one look at each project."""

from __future__ import annotations

from pathlib import Path

from hermes_checkpoints.base.measures import CAP_TRIED, archive_bytes, store_size
from hermes_checkpoints.base.opened import Base
from hermes_checkpoints.base.presence import look
from hermes_checkpoints.fs.disk import directory_bytes
from hermes_checkpoints.layout import LEGACY_PREFIX, Layout
from hermes_checkpoints.model import MB, LegacyArchive, LegacyRecord, LegacyState, StoreStatus

_MOST_PENDING = 5


def status(base: Base, limit: int | None = None) -> StoreStatus:
    """Return the figures of the base, with no process and no walk over the store.

    ``store_bytes`` is as measured at ``measured_at`` plus what takes added since; where that is
    None it is only what takes added. ``limit`` bounds the projects that are listed, newest
    first. The states of all projects are looked at and recorded.

    Raises:
        CheckpointError: when the catalog cannot be read.
    """
    look(base)
    projects = base.catalog.status.projects(limit)
    project_count, checkpoint_count = base.catalog.status.totals()
    store = store_size(base)
    archives = tuple(legacy_archives(base))
    legacy = sum(archive.size_bytes for archive in archives)
    return StoreStatus(
        base=base.layout.base,
        store_bytes=store.bytes,
        legacy_bytes=legacy,
        total_bytes=store.bytes + legacy + _files_bytes(base),
        measured_at=store.at,
        journal_mode=base.catalog.journal_mode,
        projects=tuple(projects),
        archives=archives,
        project_count=project_count,
        checkpoint_count=checkpoint_count,
        last_success_at=base.catalog.operations.last_success(),
        failures=tuple(base.catalog.operations.failure_runs()),
        interrupted=len(base.catalog.operations.running()),
        notes=(
            *base.config.warnings,
            *_interrupted(base),
            *_over_cap(base, store.bytes + base.catalog.bytes),
            *_pending(base),
        ),
    )


def legacy_archives(base: Base) -> list[LegacyArchive]:
    """Return the folders that a migration moved aside, by name."""
    folders = archive_folders(base.layout)
    sizes = archive_bytes(base, [folder.name for folder in folders])
    records = base.catalog.archives.all() if folders else []
    archives = []
    for folder in folders:
        inside = [
            record
            for record in records
            if record.path.startswith(f"{folder.name}/") and record.state is not LegacyState.CLEARED
        ]
        archives.append(
            LegacyArchive(
                folder.name,
                sizes[folder.name],
                folder.stat().st_mtime,
                sum(record.imported_checkpoints for record in inside),
                tuple(_not_imported(record) for record in inside if not record.whole),
            )
        )
    return archives


def archive_folders(layout: Layout) -> list[Path]:
    """Return the folders of the base into which imports moved things, by name."""
    found = sorted(layout.base.glob(f"{LEGACY_PREFIX}*"))
    return [folder for folder in found if folder.is_dir()]


def _not_imported(record: LegacyRecord) -> str:
    return f"{record.name}: {record.error or 'not imported yet'}"


def _pending(base: Base) -> list[str]:
    """Tell what of earlier versions lies in the base and was not imported or moved aside."""
    pending = [r for r in base.catalog.archives.pending() if not Path(r.path).is_absolute()]
    notes = [_not_imported(record) for record in pending[:_MOST_PENDING]]
    if len(pending) > len(notes):
        notes.append(f"{len(pending) - len(notes)} more of earlier versions are not imported yet")
    return notes


def _files_bytes(base: Base) -> int:
    """Return what the files directly in the base take: the catalog and its backups."""
    return sum(directory_bytes(entry) for entry in base.layout.base.iterdir() if entry.is_file())


def _over_cap(base: Base, size: int) -> list[str]:
    cap = base.config.max_total_size_mb
    if not 0 < cap * MB < size:
        return []
    if base.catalog.settings.get(CAP_TRIED):
        why = "what is left is protected; `hermes checkpoints prune --dry-run` says by which rule"
        return [f"the store stays over its cap of {cap} MB: {why}"]
    return [f"the store is over its cap of {cap} MB; `hermes checkpoints prune` brings it below"]


def _interrupted(base: Base) -> list[str]:
    """Tell of restores that were killed while they wrote and are not undone yet."""
    return [
        f"a restore of {found.safety.working_dir} was interrupted at "
        f"{found.started_at:%Y-%m-%d %H:%M} UTC; `hermes checkpoints undo` there brings the "
        "former state back"
        for found in base.catalog.restores.interrupted()
    ]
