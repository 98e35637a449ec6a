"""Lets the originals of imported history go with time: only those that were imported as a whole,
and of which every checkpoint is still there or was let go by a person."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import timedelta

from hermes_checkpoints.base.inside import inside
from hermes_checkpoints.base.measures import forget_archives
from hermes_checkpoints.base.opened import Base
from hermes_checkpoints.errors import CheckpointError, LockHeld
from hermes_checkpoints.fs.disk import directory_bytes, remove_tree
from hermes_checkpoints.fs.locks import exclusive
from hermes_checkpoints.layout import LEGACY_PREFIX
from hermes_checkpoints.model import LegacyRecord, LegacyState
from hermes_checkpoints.text import counted

_MOST_DAYS = 36_500


def expired(base: Base, retention_days: int) -> tuple[tuple[LegacyRecord, ...], tuple[str, ...]]:
    """Return what lies in archives for more than ``retention_days`` days and may go, and why the
    rest of that age stays, a sentence each. Where the number is 0, nothing expires."""
    if retention_days <= 0:
        return (), ()
    limit = base.now() - timedelta(days=min(retention_days, _MOST_DAYS))
    alone = base.catalog.arriving.only_in_archives()
    going: list[LegacyRecord] = []
    staying: list[str] = []
    for record in base.catalog.archives.all():
        if not _is_archived(record) or record.archived_at is None or record.archived_at >= limit:
            continue
        why = _why_it_stays(record, alone)
        if why is not None:
            staying.append(f"{record.path} stays: {why}")
            continue
        try:
            size = directory_bytes(inside(base.layout.base, record.path), alone=True)
        except CheckpointError as error:
            staying.append(str(error))
            continue
        going.append(replace(record, size_bytes=size))
    return tuple(going), tuple(staying)


def _is_archived(record: LegacyRecord) -> bool:
    archived = record.state is LegacyState.ARCHIVED and record.path.startswith(LEGACY_PREFIX)
    return archived and "/" in record.path


def _why_it_stays(record: LegacyRecord, alone: Mapping[int, int]) -> str | None:
    """Return why no rule removes an archive, or None. ``alone`` counts by archive the checkpoints
    that are nowhere else."""
    if not record.whole:
        return "not all of it was imported"
    if count := alone.get(record.id, 0):
        only_there = counted(count, "imported checkpoint", "is")
        return f"{only_there} nowhere else, and no person let them go"
    return None


def remove_archives(
    base: Base, records: Iterable[LegacyRecord]
) -> tuple[tuple[LegacyRecord, ...], list[str]]:
    """Remove what a plan lists and may still go; return that and what could not be removed."""
    done: list[LegacyRecord] = []
    errors: list[str] = []
    try:
        lock, timeout = base.layout.legacy_lock, base.lock_timeout
        with exclusive(lock, purpose="prune", timeout=timeout) as held:
            alone = base.catalog.arriving.only_in_archives()
            for planned in records:
                record = base.catalog.archives.get(planned.id)
                if record is None or record.path != planned.path or not _is_archived(record):
                    continue
                if _why_it_stays(record, alone) is not None:
                    continue
                try:
                    path = inside(base.layout.base, record.path)
                except CheckpointError as error:
                    errors.append(str(error))
                    continue
                size = directory_bytes(path, alone=True)
                held.require()
                try:
                    remove_tree(path)
                except CheckpointError as error:
                    errors.append(str(error))
                    continue
                with contextlib.suppress(OSError):  # something else is still in the archive
                    path.parent.rmdir()
                cleared = base.catalog.archives.set_state(record, LegacyState.CLEARED, base.now())
                done.append(replace(cleared, size_bytes=size))
            forget_archives(base)
    except LockHeld as error:
        errors.append(str(error))
    return tuple(done), errors
