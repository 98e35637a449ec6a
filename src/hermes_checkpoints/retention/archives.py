"""Lets the originals of imported history go with time: only those that were imported as a whole."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta

from hermes_checkpoints.base.measures import forget_archives
from hermes_checkpoints.base.opened import Base
from hermes_checkpoints.errors import CheckpointError, LockHeld
from hermes_checkpoints.fs.disk import directory_bytes, remove_tree
from hermes_checkpoints.fs.locks import exclusive
from hermes_checkpoints.layout import LEGACY_PREFIX
from hermes_checkpoints.model import LegacyRecord, LegacyState

_MOST_DAYS = 36_500


def expired(base: Base, retention_days: int) -> tuple[LegacyRecord, ...]:
    """Return what lies in archives, was imported as a whole and archived more than
    ``retention_days`` days ago. Where that is 0, nothing expires; and what was not imported
    never does."""
    if retention_days <= 0:
        return ()
    limit = base.now() - timedelta(days=min(retention_days, _MOST_DAYS))
    return tuple(
        replace(record, size_bytes=directory_bytes(base.layout.base / record.path, alone=True))
        for record in base.catalog.archives.all()
        if _may_go(record) and record.archived_at is not None and record.archived_at < limit
    )


def _may_go(record: LegacyRecord) -> bool:
    archived = record.state is LegacyState.ARCHIVED and record.path.startswith(LEGACY_PREFIX)
    return archived and "/" in record.path and record.whole


def remove_archives(
    base: Base, records: Iterable[LegacyRecord]
) -> tuple[tuple[LegacyRecord, ...], list[str]]:
    """Remove what a plan lists and may still go; return that and what could not be removed."""
    done: list[LegacyRecord] = []
    errors: list[str] = []
    try:
        with exclusive(base.layout.legacy_lock, purpose="prune", timeout=base.lock_timeout):
            for planned in records:
                record = base.catalog.archives.get(planned.id)
                if record is None or record.path != planned.path or not _may_go(record):
                    continue
                path = base.layout.base / record.path
                size = directory_bytes(path, alone=True)
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
