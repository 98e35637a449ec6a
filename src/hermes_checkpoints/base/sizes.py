"""Tells what a checkpoint costs: the space that its new objects take on disk, and the space of
those that it no longer needs. Sums of these are estimates, since git packs objects later."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from hermes_checkpoints.base.opened import Base
from hermes_checkpoints.git import Git
from hermes_checkpoints.model import Change
from hermes_checkpoints.object_store import Comparison


def measured(
    base: Base, git: Git, changes: Iterable[Change], sizes: Mapping[str, int] | None = None
) -> list[Change]:
    """Return changes with the sizes of their contents and the space that new ones take.

    ``sizes`` are those that are known by path, in bytes.
    """
    changes = list(changes)
    sizes = sizes or {}
    ids = {blob for c in changes for blob in (c.old_blob, c.new_blob) if blob}
    known = base.catalog.checkpoints.blob_sizes(ids)
    fresh = base.store.sizes(ids - known.keys(), git)
    counted: set[str] = set()
    result = []
    for change in changes:
        old = known.get(change.old_blob or "") or fresh.get(change.old_blob or "")
        new = known.get(change.new_blob or "") or fresh.get(change.new_blob or "")
        stored = 0
        if change.new_blob in fresh and change.new_blob not in counted:
            counted.add(change.new_blob)
            stored = fresh[change.new_blob][1]
        result.append(
            replace(
                change,
                old_bytes=old[0] if old else None,
                new_bytes=new[0] if new else sizes.get(change.path) if change.new_blob else None,
                stored_bytes=stored,
            )
        )
    return result


def added_bytes(
    base: Base, changes: Sequence[Change], comparison: Comparison, commit_id: str
) -> int:
    others = base.store.loose_sizes([*comparison.new_trees, commit_id])
    return sum(change.stored_bytes for change in changes) + sum(others.values())


def superseded_bytes(base: Base, changes: Sequence[Change]) -> int:
    ids = {c.old_blob for c in changes if c.old_blob and c.old_blob != c.new_blob}
    return sum(stored for _, stored in base.catalog.checkpoints.blob_sizes(ids).values())
