"""What each checkpoint changed and could not capture, path by path.

Changes of pruned checkpoints stay: that a path appeared between two checkpoints must remain
provable when the one that recorded it is gone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import Connection, func, select

from hermes_checkpoints.catalog.engine import Transactions
from hermes_checkpoints.catalog.rows import (
    CHANGE,
    CHECKPOINT,
    change_of,
    checkpoint_of,
    select_checkpoints,
)
from hermes_checkpoints.catalog.schema import (
    checkpoint_changes,
    checkpoints,
    projects,
    skipped_paths,
)
from hermes_checkpoints.model import Change, Checkpoint, SkippedPath, SkipReason

CHUNK = 500
"""How many values one statement is given; every SQLite takes 999."""


class ChangeQueries:
    """The tables ``checkpoint_changes`` and ``skipped_paths``."""

    def __init__(self, transactions: Transactions) -> None:
        self._transactions = transactions

    def changes(self, checkpoint_id: int) -> list[Change]:
        """Return what differs between a checkpoint and the one before it, by path."""
        query = (
            select(*CHANGE)
            .where(checkpoint_changes.c.checkpoint_id == checkpoint_id)
            .order_by(checkpoint_changes.c.path)
        )
        with self._transactions.reading() as connection:
            return [change_of(row) for row in connection.execute(query)]

    def skipped(self, checkpoint_id: int) -> list[SkippedPath]:
        """Return the paths that a checkpoint does not hold, by path."""
        query = (
            select(skipped_paths.c.path, skipped_paths.c.reason, skipped_paths.c.bytes)
            .where(skipped_paths.c.checkpoint_id == checkpoint_id)
            .order_by(skipped_paths.c.path)
        )
        with self._transactions.reading() as connection:
            return [
                SkippedPath(path, SkipReason(reason), size)
                for path, reason, size in connection.execute(query)
            ]

    def history(self, project_hash: str, path: str) -> list[tuple[Checkpoint, Change]]:
        """Return the checkpoints that changed a path, pruned ones too, newest first."""
        query = (
            select_checkpoints()
            .add_columns(*CHANGE)
            .join(checkpoint_changes, checkpoint_changes.c.checkpoint_id == checkpoints.c.id)
            .where(projects.c.hash == project_hash, checkpoint_changes.c.path == path)
            .order_by(checkpoints.c.id.desc())
        )
        with self._transactions.reading() as connection:
            return [
                (checkpoint_of(row), change_of(row[len(CHECKPOINT) :]))
                for row in connection.execute(query)
            ]

    def blob_sizes(self, ids: Iterable[str]) -> dict[str, tuple[int, int]]:
        """Return (content bytes, stored bytes) of those blobs that a change row knows."""
        wanted = sorted(set(ids))
        sizes: dict[str, tuple[int, int]] = {}
        blob = checkpoint_changes.c.new_blob
        with self._transactions.reading() as connection:
            for start in range(0, len(wanted), CHUNK):
                query = (
                    select(
                        blob,
                        func.max(checkpoint_changes.c.new_bytes),
                        func.max(checkpoint_changes.c.stored_bytes),
                    )
                    .where(
                        blob.in_(wanted[start : start + CHUNK]),
                        checkpoint_changes.c.new_bytes.is_not(None),
                    )
                    .group_by(blob)
                )
                for id_, size, stored in connection.execute(query):
                    sizes[id_] = (size, stored)
        return sizes


def insert_changes(connection: Connection, checkpoint_id: int, changes: Sequence[Change]) -> None:
    """Insert the changes of a new checkpoint, as part of the caller's transaction."""
    rows = [
        {
            "checkpoint_id": checkpoint_id,
            "path": change.path,
            "status": change.status.value,
            "old_blob": change.old_blob,
            "new_blob": change.new_blob,
            "old_mode": change.old_mode,
            "new_mode": change.new_mode,
            "old_bytes": change.old_bytes,
            "new_bytes": change.new_bytes,
            "stored_bytes": change.stored_bytes,
            "insertions": change.insertions,
            "deletions": change.deletions,
        }
        for change in changes
    ]
    if rows:
        connection.execute(checkpoint_changes.insert(), rows)


def insert_skipped(
    connection: Connection, checkpoint_id: int, skipped: Sequence[SkippedPath]
) -> None:
    """Insert the skipped paths of a new checkpoint, as part of the caller's transaction."""
    rows = [
        {
            "checkpoint_id": checkpoint_id,
            "path": one.path,
            "reason": one.reason.value,
            "bytes": one.bytes,
        }
        for one in skipped
    ]
    if rows:
        connection.execute(skipped_paths.insert(), rows)
