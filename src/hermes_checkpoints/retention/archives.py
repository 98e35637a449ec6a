"""Lets the originals of imported history go with time: only those that were imported as a whole,
and of which every checkpoint is still there or was let go by a person."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta

from hermes_checkpoints.base.inside import inside
from hermes_checkpoints.base.measures import forget_archives
from hermes_checkpoints.base.opened import Base
from hermes_checkpoints.errors import CheckpointError, LockHeld
from hermes_checkpoints.fs.disk import directory_bytes, remove_tree
from hermes_checkpoints.fs.locks import exclusive
from hermes_checkpoints.model import LegacyRecord, LegacyState

_MOST_DAYS = 36_500


def expired(base: Base, retention_days: int) -> tuple[tuple[LegacyRecord, ...], tuple[str, ...]]:
    """Return what lies in archives for more than ``retention_days`` days and may go, and why the
    rest of that age stays, a sentence each. Where the number is 0, nothing expires."""
    if retention_days <= 0:
        return (), ()
    limit = base.now() - timedelta(days=min(retention_days, _MOST_DAYS))
    going: list[LegacyRecord] = []
    staying: list[str] = []
    for record, why in base.catalog.archives.expired(limit):
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


def remove_archives(
    base: Base, records: Iterable[LegacyRecord]
) -> tuple[tuple[LegacyRecord, ...], list[str]]:
    """Remove what a plan lists and may still go; return that and what could not be removed."""
    done: list[LegacyRecord] = []
    errors: list[str] = []
    try:
        lock, timeout = base.layout.legacy_lock, base.lock_timeout
        with exclusive(lock, purpose="prune", timeout=timeout) as held:
            planned = {record.id: record.path for record in records}
            for record in base.catalog.archives.that_may_go(planned).values():
                if record.path != planned[record.id]:
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
