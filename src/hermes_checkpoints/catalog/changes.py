"""What each checkpoint changed and could not capture, path by path.

Changes of pruned checkpoints stay as long as there is an older one: that a path appeared between
two checkpoints must remain provable when the one that recorded it is gone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields

from sqlalchemy import Connection, bindparam, case, func, select

from hermes_checkpoints.catalog.engine import Bulk, Records
from hermes_checkpoints.catalog.recorded import BlobSize
from hermes_checkpoints.catalog.rows import CHANGE, CHECKPOINT, columns_of, select_checkpoints
from hermes_checkpoints.catalog.schema import (
    checkpoint_changes,
    checkpoints,
    projects,
    skipped_paths,
)
from hermes_checkpoints.catalog.sqlite import chunks
from hermes_checkpoints.model import Change, Checkpoint, SkippedPath

_OF_CHECKPOINT = (
    select(*CHANGE)
    .where(checkpoint_changes.c.checkpoint_id == bindparam("of_id"))
    .order_by(checkpoint_changes.c.path)
)
_SKIPPED_OF_CHECKPOINT = (
    select(*columns_of(SkippedPath, skipped_paths))
    .where(skipped_paths.c.checkpoint_id == bindparam("of_id"))
    .order_by(skipped_paths.c.path)
)
_touching = (
    select(checkpoints.c.id, checkpoints.c.project_id)
    .join(checkpoints, checkpoints.c.id == checkpoint_changes.c.checkpoint_id)
    .join(projects, projects.c.id == checkpoints.c.project_id)
    .where(
        projects.c.hash == bindparam("of_hash"),
        func.instr(
            func.lower(checkpoint_changes.c.path),
            func.lower(bindparam("part", type_=checkpoint_changes.c.path.type)),
        )
        > 0,
    )
    .distinct()
    .subquery("touching")
)
_live = checkpoints.alias("live")
_before = (
    select(func.max(_live.c.id))
    .where(
        _live.c.state == "live",
        _live.c.project_id == _touching.c.project_id,
        _live.c.id < _touching.c.id,
    )
    .correlate(_touching)
    .scalar_subquery()
)
_CHANGED_AFTER = select(_before).select_from(_touching).distinct()
"""The live checkpoints before those, in whatever state, that changed a path."""
_BLOB = checkpoint_changes.c.new_blob
_SIZES = (
    select(
        _BLOB,
        func.max(checkpoint_changes.c.new_bytes),
        func.max(checkpoint_changes.c.stored_bytes),
        func.max(case((checkpoints.c.state == "pruned", 0), else_=1)),
    )
    .join(checkpoints, checkpoints.c.id == checkpoint_changes.c.checkpoint_id)
    .where(
        _BLOB.in_(bindparam("blobs", expanding=True)),
        checkpoint_changes.c.new_bytes.is_not(None),
    )
    .group_by(_BLOB)
)


class ChangeQueries(Records):
    """The tables ``checkpoint_changes`` and ``skipped_paths``."""

    def changes(self, checkpoint_id: int) -> list[Change]:
        """Return what differs between a checkpoint and the one before it, by path."""
        return [Change(*row) for row in self._rows(_OF_CHECKPOINT, {"of_id": checkpoint_id})]

    def skipped(self, checkpoint_id: int) -> list[SkippedPath]:
        """Return the paths that a checkpoint does not hold, by path."""
        rows = self._rows(_SKIPPED_OF_CHECKPOINT, {"of_id": checkpoint_id})
        return [SkippedPath(*row) for row in rows]

    def changed_after(self, project_hash: str, part: str) -> set[int]:
        """Return the rows of the live checkpoints after which, and before the next live one, a path
        changed with ``part`` somewhere in it, as checkpoints in whatever state have it; whether
        letters of ASCII are capital makes no difference."""
        found = self._column(_CHANGED_AFTER, {"of_hash": project_hash, "part": part})
        return {row for row in found if row is not None}

    def history(self, project_hash: str, path: str) -> list[tuple[Checkpoint, Change]]:
        """Return the checkpoints that changed a path, pruned ones too, newest first."""
        query = (
            select_checkpoints()
            .add_columns(*CHANGE)
            .join(checkpoint_changes, checkpoint_changes.c.checkpoint_id == checkpoints.c.id)
            .where(projects.c.hash == project_hash, checkpoint_changes.c.path == path)
            .order_by(checkpoints.c.id.desc())
        )
        split = len(CHECKPOINT)
        return [(Checkpoint(*row[:split]), Change(*row[split:])) for row in self._rows(query)]

    def blob_sizes(self, ids: Iterable[str]) -> dict[str, BlobSize]:
        """Return the sizes of those blobs that a change row knows."""
        wanted = sorted(set(ids))
        sizes: dict[str, BlobSize] = {}
        with self._transactions.reading() as connection:
            for some in chunks(wanted):
                found = connection.execute(_SIZES, {"blobs": some}).all()
                sizes |= {row[0]: BlobSize(row[1], row[2], bool(row[3])) for row in found}
        return sizes


_CHANGES = Bulk(checkpoint_changes, ["checkpoint_id"], [field.name for field in fields(Change)])
_SKIPPED = Bulk(skipped_paths, ["checkpoint_id"], [field.name for field in fields(SkippedPath)])


def insert_changes(connection: Connection, checkpoint_id: int, changes: Sequence[Change]) -> None:
    """Insert the changes of a new checkpoint, as part of the caller's transaction."""
    _CHANGES.insert(connection, [checkpoint_id], changes)


def insert_skipped(
    connection: Connection, checkpoint_id: int, skipped: Sequence[SkippedPath]
) -> None:
    """Insert the skipped paths of a new checkpoint, as part of the caller's transaction."""
    _SKIPPED.insert(connection, [checkpoint_id], skipped)
