"""Puts former commits into the history of their project, as checkpoints in the order of time.

Needed wherever an import meets checkpoints: a history that came earlier, or takes of today. Every
checkpoint is compared with the one that is then before it, those that were there before included.
Whose the changes are is not known, so a restore that keeps edits keeps them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from hermes_checkpoints.attribution.turns import note_take
from hermes_checkpoints.base.opened import Base, Target
from hermes_checkpoints.base.sizes import added_bytes, superseded_bytes
from hermes_checkpoints.errors import CheckpointError
from hermes_checkpoints.fs.system import identity
from hermes_checkpoints.git import Git
from hermes_checkpoints.model import Change, Checkpoint, CheckpointFacts, ProjectRecord
from hermes_checkpoints.object_store import Comparison, TreeMeta, TreeState, compare_all_states

Published = tuple[CheckpointFacts, TreeMeta]


@dataclass(frozen=True)
class _Old:
    """A checkpoint that the project has already."""

    checkpoint: Checkpoint


_Place = _Old | Published
_NOTHING = Comparison({}, frozenset())


def place(base: Base, git: Git, project: ProjectRecord, new: Sequence[Published]) -> int:
    """Add rows for commits of one project that are published, oldest first; return how many.

    The caller holds the project's lock.

    Raises:
        CheckpointError: when the catalog cannot be written, or a tree cannot be read.
    """
    old = [_Old(c) for c in reversed(base.catalog.checkpoints.list(project.hash))]
    order = _merged(old, new)
    compared = _compare(base, git, order)
    sizes = _Sizes(base, git, compared.values())
    now = base.now()
    previous: int | None = None
    for position, item in enumerate(order):
        comparison = compared.get(position, _NOTHING)
        if isinstance(item, _Old):
            if position in compared and previous is not None:
                base.catalog.archives.relink(
                    item.checkpoint._row, previous, sizes.of(comparison, stored=False)
                )
            previous = item.checkpoint._row
            continue
        changes = sizes.of(comparison, stored=True)
        following = next((o for o in order[position + 1 :] if isinstance(o, _Old)), None)
        added = base.catalog.checkpoints.add(
            project,
            item[0],
            changes=changes,
            added_bytes=added_bytes(base, changes, comparison, item[0].id),
            superseded_bytes=superseded_bytes(base, changes),
            previous_id=previous,
            operation_id=None,
            now=now,
            between=None if following is None else (previous, following.checkpoint._row),
        )
        if following is None:
            note_take(
                base,
                project.id,
                added,
                kind=added.kind,
                session_id=added.session_id,
                turn=added.turn,
                changes=[] if previous is None else changes,
                now=added.created_at,
                known=False,
            )
        previous = added._row
    return len(new)


def project_of(base: Base, working_dir: str, first: datetime) -> ProjectRecord:
    """Return the project of a directory, made with the time of its first checkpoint if needed."""
    target = Target.of(Path(working_dir))
    return base.catalog.projects.get(target.hash) or base.catalog.projects.ensure(
        target.hash,
        working_dir,
        first,
        identity=identity(target.path),
        parent=identity(target.path.parent),
    )


def _merged(old: Sequence[_Old], new: Sequence[Published]) -> list[_Place]:
    """Old ones keep their order; a new one comes after what was taken before it."""
    order: list[_Place] = []
    rest = list(old)
    for item in new:
        earlier = [
            i for i, one in enumerate(rest) if one.checkpoint.created_at <= item[0].created_at
        ]
        split = earlier[-1] + 1 if earlier else 0
        order += rest[:split]
        del rest[:split]
        order.append(item)
    return [*order, *rest]


def _compare(base: Base, git: Git, order: Sequence[_Place]) -> dict[int, Comparison]:
    """Compare what is new, and what follows on something new, with what is before it."""
    needed = [
        i
        for i, item in enumerate(order)
        if not isinstance(item, _Old) or (i > 0 and not isinstance(order[i - 1], _Old))
    ]
    states = {i: _state(base, order[i]) for n in needed for i in (n - 1, n) if i >= 0}
    result: dict[int, Comparison] = {}
    for lines in (False, True):  # lines are counted only where there is something before
        chosen = [i for i in needed if (i > 0) == lines and states[i] is not None]
        pairs = [(states.get(i - 1) or TreeState(), states[i] or TreeState()) for i in chosen]
        try:
            found = compare_all_states(git, pairs, lines=lines) if pairs else []
        except CheckpointError:  # something that was there before is damaged
            found = [_one(git, pair, lines) for pair in pairs]
        result |= dict(zip(chosen, found, strict=True))
    return result


def _one(git: Git, pair: tuple[TreeState, TreeState], lines: bool) -> Comparison:
    try:
        return compare_all_states(git, [pair], lines=lines)[0]
    except CheckpointError:
        return compare_all_states(git, [(TreeState(), pair[1])], lines=False)[0]


def _state(base: Base, item: _Place) -> TreeState | None:
    if not isinstance(item, _Old):
        return TreeState(item[0].tree_id, item[1])
    try:
        return base.store.state(item.checkpoint.id, item.checkpoint.tree_id)
    except CheckpointError:
        return None


class _Sizes:
    """The sizes of all contents that some comparisons name, asked for at once."""

    def __init__(self, base: Base, git: Git, compared: Iterable[Comparison]) -> None:
        ids = {
            blob
            for comparison in compared
            for change in comparison.changes.values()
            for blob in (change.old_blob, change.new_blob)
            if blob
        }
        self._known = base.catalog.checkpoints.blob_sizes(ids)
        self._fresh = base.store.sizes(ids - self._known.keys(), git)
        self._counted: set[str] = set()

    def of(self, comparison: Comparison, *, stored: bool) -> list[Change]:
        """Return the changes with their sizes; each content is ``stored`` by its first."""
        return [self._measured(change, stored) for change in comparison.changes.values()]

    def _measured(self, change: Change, stored: bool) -> Change:
        old, new = self._size(change.old_blob), self._size(change.new_blob)
        space = 0
        if stored and change.new_blob in self._fresh and change.new_blob not in self._counted:
            self._counted.add(change.new_blob)
            space = self._fresh[change.new_blob][1]
        return replace(
            change,
            old_bytes=old[0] if old else None,
            new_bytes=new[0] if new else None,
            stored_bytes=space,
        )

    def _size(self, blob: str | None) -> tuple[int, int] | None:
        return self._known.get(blob or "") or self._fresh.get(blob or "")
