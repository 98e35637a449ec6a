"""Rows of checkpoints that lose a content: the row stays what others refer to, and has a new
commit; the id that people know goes to a tombstone, which names the row that took its place.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, bindparam, delete, func, or_, select, update

from hermes_checkpoints.catalog.changes import insert_skipped
from hermes_checkpoints.catalog.checkpoints import free_ids
from hermes_checkpoints.catalog.engine import Records
from hermes_checkpoints.catalog.new_rows import facts_values
from hermes_checkpoints.catalog.schema import (
    checkpoint_changes,
    checkpoints,
    former_ids,
    projects,
    skipped_paths,
)
from hermes_checkpoints.catalog.sqlite import chunks
from hermes_checkpoints.model import ChangeStatus, CheckpointFacts, SkipReason

_change = checkpoint_changes.c
_NOTHING = ("file_count", "logical_bytes", "added_bytes", "superseded_bytes", "stored_bytes")
_COUNTED = (*_NOTHING, "held_bytes", "files_changed", "insertions", "deletions", "skipped_count")


class Forgetting(Records):
    """What a forget asks and writes. Every method is one transaction."""

    def blobs(self, path: str, project_hash: str | None) -> set[str]:
        """Return the contents that a path, or what lies below it, ever had as far as changes tell,
        in one project or in all."""
        old, new = (
            select(column)
            .join(checkpoints, checkpoints.c.id == _change.checkpoint_id)
            .join(projects, projects.c.id == checkpoints.c.project_id)
            .where(column.is_not(None), or_(_change.path == path, _below(path)))
            for column in (_change.old_blob, _change.new_blob)
        )
        if project_hash is not None:
            of_it = projects.c.hash == project_hash
            old, new = old.where(of_it), new.where(of_it)
        return {*self._column(old), *self._column(new)}

    def was_forgotten(self, path: str, project_hash: str | None) -> bool:
        """Tell whether a checkpoint, of one project or of any, says that the content of a path was
        forgotten, or that of a path below it."""
        query = (
            select(skipped_paths.c.checkpoint_id)
            .join(checkpoints, checkpoints.c.id == skipped_paths.c.checkpoint_id)
            .join(projects, projects.c.id == checkpoints.c.project_id)
            .where(
                skipped_paths.c.reason == SkipReason.FORGOTTEN,
                or_(skipped_paths.c.path == path, _below(path, skipped_paths.c.path)),
            )
            .limit(1)
        )
        if project_hash is not None:
            query = query.where(projects.c.hash == project_hash)
        return bool(self._column(query))

    def successor(self, row: int) -> str | None:
        """Return the id of the checkpoint that took the place of a tombstone, or None."""
        heir = checkpoints.alias("heir")
        query = (
            select(heir.c.commit_id)
            .join(checkpoints, checkpoints.c.replaced_by == heir.c.id)
            .where(checkpoints.c.id == row)
        )
        found = self._column(query)
        return found[0] if found else None

    def replaced(self, commits: Iterable[str]) -> set[str]:
        """Return those of the commits whose place another checkpoint took."""
        found: set[str] = set()
        for some in chunks(sorted(set(commits))):
            query = select(checkpoints.c.commit_id).where(
                checkpoints.c.commit_id.in_(some), checkpoints.c.replaced_by.is_not(None)
            )
            found.update(self._column(query))
        return found

    def replace(self, new: Sequence[CheckpointFacts], reason: str, now: datetime) -> int:
        """Let each of these commits take the place of the live checkpoint that it ``replaces``;
        return how many did. The tombstones are marked as ``pruning``: their refs are to go."""
        count = 0
        with self._transactions.writing() as connection:
            for facts in new:
                count += _replace(connection, facts, reason, now)
        return count

    def forget(self, going: Collection[str], path: str, hashes: Collection[str] | None) -> None:
        """Take contents out of all changes, and a path with what lies below it out of those of
        some projects, or of all; and correct the figures of the checkpoints."""
        its = or_(_change.path == path, _below(path))
        with self._transactions.writing() as connection:
            of_path = select(checkpoints.c.id)
            if hashes is not None:
                of_path = of_path.join(projects, projects.c.id == checkpoints.c.project_id).where(
                    projects.c.hash.in_(list(hashes))
                )
            touched = set(
                connection.scalars(
                    select(_change.checkpoint_id).where(its, _change.checkpoint_id.in_(of_path))
                )
            )
            connection.execute(
                delete(checkpoint_changes).where(its, _change.checkpoint_id.in_(of_path))
            )
            for some in chunks(sorted(going)):
                touched |= _take_out(connection, some)
            for id_ in touched:
                _count_again(connection, id_)


def _below(path: str, of: Any = _change.path) -> Any:
    """Return the condition that the path of a change, or another column, lies below a path."""
    above = f"{path}/"
    bound = bindparam(None, above, type_=of.type)
    return func.substr(of, 1, func.length(bound)) == bound


def _replace(connection: Connection, facts: CheckpointFacts, reason: str, now: datetime) -> int:
    query = select(checkpoints).where(
        checkpoints.c.commit_id == facts.replaces, checkpoints.c.state == "live"
    )
    old = connection.execute(query).mappings().first()
    if old is None:
        return 0
    row, project = old["id"], old["project_id"]
    first = connection.scalar(
        select(func.min(checkpoints.c.id)).where(checkpoints.c.project_id == project)
    )
    (number,) = free_ids(connection, [(None, first, old["created_at"])])
    kept = {"device", "inode", "generation"}
    values = {name: value for name, value in facts_values(facts).items() if name not in kept}
    connection.execute(update(checkpoints).where(checkpoints.c.id == row).values(values))
    connection.execute(delete(skipped_paths).where(skipped_paths.c.checkpoint_id == row))
    insert_skipped(connection, row, facts.skipped)
    tombstone: Mapping[str, Any] = {
        **old,
        **dict.fromkeys(_COUNTED, 0),
        "id": number,
        "pinned": False,
        "previous_id": None,
        "state": "pruning",
        "pruned_at": now,
        "prune_reason": reason,
        "replaced_by": row,
    }
    connection.execute(checkpoints.insert().values(tombstone))
    of_row = former_ids.c.checkpoint_id == row
    connection.execute(update(former_ids).where(of_row).values(checkpoint_id=number))
    return 1


def _take_out(connection: Connection, going: Sequence[str]) -> set[int]:
    """Take contents out of the rows of changes; return the checkpoints that had any."""
    query = select(_change.checkpoint_id, _change.path, _change.old_blob, _change.new_blob).where(
        or_(_change.old_blob.in_(going), _change.new_blob.in_(going))
    )
    touched = set()
    for id_, path, old, new in connection.execute(query).all():
        touched.add(id_)
        key = _change.checkpoint_id == id_, _change.path == path
        left = [blob for blob in (old, new) if blob is not None and blob not in going]
        if not left:
            connection.execute(delete(checkpoint_changes).where(*key))
            continue
        side, status = (
            ("new", ChangeStatus.DELETED) if new in going else ("old", ChangeStatus.ADDED)
        )
        values: dict[str, Any] = {
            "status": status,
            "insertions": None,
            "deletions": None,
            **{f"{side}_{what}": None for what in ("blob", "mode", "bytes")},
        }
        if side == "new":
            values["stored_bytes"] = 0
        connection.execute(update(checkpoint_changes).where(*key).values(values))
    return touched


def _count_again(connection: Connection, id_: int) -> None:
    """Write the figures of a checkpoint that are sums over its changes."""
    sums = select(
        func.count(),
        func.coalesce(func.sum(_change.insertions), 0),
        func.coalesce(func.sum(_change.deletions), 0),
        func.coalesce(func.sum(_change.stored_bytes), 0),
    ).where(_change.checkpoint_id == id_)
    count, insertions, deletions, stored = connection.execute(sums).one()
    less = checkpoints.c.stored_bytes - stored
    connection.execute(
        update(checkpoints)
        .where(checkpoints.c.id == id_)
        .values(
            files_changed=count,
            insertions=insertions,
            deletions=deletions,
            stored_bytes=stored,
            added_bytes=func.max(checkpoints.c.added_bytes - less, 0),
            held_bytes=func.max(checkpoints.c.held_bytes - less, 0),
        )
    )
