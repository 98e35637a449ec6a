"""Tells what a checkpoint costs: the space that its new objects take on disk, and the space of
those that it no longer needs. Sums of these are estimates, since git packs objects later."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from hermes_checkpoints.base.opened import Base
from hermes_checkpoints.git import Git
from hermes_checkpoints.model import Change, Checkpoint, CheckpointFacts, ProjectRecord
from hermes_checkpoints.object_store import Comparison


def measured(base: Base, git: Git, changes: Sequence[Change]) -> list[Change]:
    """Return changes with the sizes of their contents and the space that new ones take."""
    return Sizes(base, git, changes).of(changes)


def measure(
    base: Base, git: Git, changes: dict[str, Change], sizes: Mapping[str, int]
) -> list[Change]:
    """Put the sizes of their contents, and the space that new ones take, into changes by path, and
    return them. In place: a first checkpoint has as many as files, and none is held twice.

    ``sizes`` are those that are known by path, in bytes.
    """
    found = Sizes(base, git, changes.values())
    for path, change in changes.items():
        changes[path] = found.of_one(change, sizes.get(path))
    return [*changes.values()]


class Sizes:
    """The sizes of all contents that some changes name, asked for at once.

    A content that only tombstones name may have left the store since, so that it takes space again;
    what the changes are from is there."""

    def __init__(self, base: Base, git: Git, changes: Iterable[Change]) -> None:
        changes = [*changes]
        old = {change.old_blob for change in changes if change.old_blob}
        ids = old | {change.new_blob for change in changes if change.new_blob}
        known = base.catalog.checkpoints.blob_sizes(ids)
        self._known = {blob: size for blob, size in known.items() if size.needed or blob in old}
        self._fresh = base.store.sizes([one for one in ids if one not in self._known], git)

    def of(self, changes: Iterable[Change], *, stored: bool = True) -> list[Change]:
        """Return some of the changes with their sizes; unless they are not to be ``stored``,
        each content that is new in the store takes space in the first change that names it."""
        return [self.of_one(change, stored=stored) for change in changes]

    def of_one(self, change: Change, size: int | None = None, *, stored: bool = True) -> Change:
        """Return one of the changes, as ``of`` does; ``size`` is that of a new content which the
        store does not have."""
        old, new = self._size(change.old_blob), self._size(change.new_blob)
        space = 0
        if stored and change.new_blob in self._fresh:
            content, space = self._fresh[change.new_blob]
            self._fresh[change.new_blob] = content, 0  # for what else names it
        return Change(
            change.path,
            change.status,
            change.old_blob,
            change.new_blob,
            change.old_mode,
            change.new_mode,
            old[0] if old else None,
            new[0] if new else size if change.new_blob else None,
            space,
            change.insertions,
            change.deletions,
        )

    def _size(self, blob: str | None) -> tuple[int, ...] | None:
        if blob is None:
            return None
        return self._known.get(blob) or self._fresh.get(blob)


def add_checkpoint(
    base: Base,
    project: ProjectRecord,
    facts: CheckpointFacts,
    comparison: Comparison,
    changes: Sequence[Change],
    *,
    previous: int | None,
    now: datetime,
    operation_id: int | None = None,
    row: int | None = None,
    grown: int = 0,
    move_label: bool = False,
) -> Checkpoint:
    """Add the row of a checkpoint whose commit is written, with the space that it adds and that
    of the contents which it replaces. The arguments are those of ``Checkpoints.add``; ``changes``
    are those of the comparison, measured. ``grown`` is what the store grew by on the disk, in
    bytes; 0 where the caller measures it as a whole afterwards.

    Raises:
        CheckpointError: when the catalog cannot be written; nothing was added then.
    """
    others = base.store.loose_sizes([*comparison.new_trees, facts.id])
    replaced = {c.old_blob for c in changes if c.old_blob and c.old_blob != c.new_blob}
    superseded = base.catalog.checkpoints.blob_sizes(replaced).values()
    return base.catalog.checkpoints.add(
        project,
        facts,
        changes=changes,
        added_bytes=sum(c.stored_bytes for c in changes) + sum(others.values()),
        superseded_bytes=sum(size.stored for size in superseded),
        previous_id=previous,
        operation_id=operation_id,
        now=now,
        row=row,
        grown_bytes=grown,
        move_label=move_label,
    )
