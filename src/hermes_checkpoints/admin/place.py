"""Puts former commits into the history of their project, as checkpoints in the order of time.

Needed wherever an import meets checkpoints: a history that came earlier, or takes of today. Every
checkpoint is compared with the one that is then before it, those that were there before included.
Nobody recorded whose the changes between them are.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path

from hermes_checkpoints.attribution.turns import note_lost, note_read_back
from hermes_checkpoints.base.opened import Base, Target
from hermes_checkpoints.base.sizes import Sizes, add_checkpoint
from hermes_checkpoints.catalog.checkpoints import Place
from hermes_checkpoints.errors import CheckpointError
from hermes_checkpoints.git import Git
from hermes_checkpoints.model import Checkpoint, CheckpointFacts, ProjectRecord
from hermes_checkpoints.object_store import Comparison, TreeMeta, TreeState, compare_with_former

Published = tuple[CheckpointFacts, TreeMeta]
_Place = Checkpoint | Published
_NOTHING = Comparison({}, frozenset())


def place(base: Base, git: Git, project: ProjectRecord, new: Sequence[Published]) -> int:
    """Add rows for commits of one project that are published, oldest first; return how many.

    The caller holds the project's lock.

    Raises:
        CheckpointError: when the catalog cannot be written, or a tree cannot be read.
    """
    old = [one for one in base.catalog.checkpoints.list(project.hash)[::-1] if not one.partial]
    _add_partial(base, git, project, [item for item in new if item[0].partial])
    whole = [item for item in new if not item[0].partial]
    order = _planned(base, project, old, whole)
    rows: dict[str, int] = {}
    if not order:
        order = _merged(old, whole)
        rows = _rows(base, order)
        order.sort(key=lambda one: _row(one, rows))  # otherwise where there was no room
    compared = _compare(base, git, order)
    sizes = Sizes(base, git, [c for found in compared.values() for c in found.changes.values()])
    now = base.now()
    previous: Checkpoint | None = None
    for position, item in enumerate(order):
        comparison = compared.get(position, _NOTHING)
        if isinstance(item, Checkpoint):
            if position in compared and previous is not None:
                changes = sizes.of(comparison.changes.values(), stored=False)
                base.catalog.archives.relink(item._row, previous._row, changes)
                note_lost(base, project.id, previous, changes, item.created_at)
            previous = item
            continue
        changes = sizes.of(comparison.changes.values())
        following = any(isinstance(one, Checkpoint) for one in order[position + 1 :])
        added = add_checkpoint(
            base,
            project,
            item[0],
            comparison,
            changes,
            previous=None if previous is None else previous._row,
            now=now,
            row=rows.get(item[0].id),
        )
        note_read_back(base, project.id, added, previous, changes, newest=not following)
        previous = added
    return len(new)


def _add_partial(base: Base, git: Git, project: ProjectRecord, new: Sequence[Published]) -> None:
    """Add partial checkpoints: each is compared with nothing, and nothing with it."""
    for facts, meta in new:
        comparison = _one(git, None, TreeState(facts.tree_id, meta))
        changes = Sizes(base, git, comparison.changes.values()).of(comparison.changes.values())
        add_checkpoint(base, project, facts, comparison, changes, previous=None, now=base.now())


def record_changes(
    base: Base, git: Git, pairs: Sequence[tuple[Checkpoint | None, Checkpoint]]
) -> int:
    """Compare live checkpoints with those before them, and enter their changes anew, by a constant
    number of processes; return how many. ``pairs`` has what is before each first, as
    ``agreement.with_former`` returns them.

    Raises:
        CheckpointError: when the catalog cannot be written.
    """
    metas = base.store.metas(one.id for pair in pairs for one in pair if one is not None)
    states = {
        one.id: TreeState(one.tree_id, metas[one.id])
        for pair in pairs
        for one in pair
        if one is not None and one.id in metas
    }
    known = [(old, new) for old, new in pairs if new.id in states]
    asked = [(states.get(old.id) if old else None, states[new.id]) for old, new in known]
    try:
        compared = compare_with_former(git, asked)
    except CheckpointError:  # a tree is damaged: each by itself
        compared = [_one(git, *pair) for pair in asked]
    sizes = Sizes(base, git, [c for found in compared for c in found.changes.values()])
    for (old, new), comparison in zip(known, compared, strict=True):
        changes = sizes.of(comparison.changes.values(), stored=False)
        base.catalog.archives.relink(new._row, old._row if old else None, changes)
    return len(known)


def revive(base: Base, git: Git, published: Sequence[Published]) -> int:
    """Let those of some published checkpoints whose rows were pruned or lost be live again, each
    in its row; return how many. Their changes are recorded anew, since a prune may have put those
    of several together, and so are those of the ones that follow on them now. The caller holds the
    project's lock, or the store alone.

    Raises:
        CheckpointError: when the catalog cannot be written.
    """
    rows = base.catalog.agreement.of_commits(facts.id for facts, _ in published)
    revived = set()
    for facts, _ in published:
        row = rows.get(facts.id)
        if row is not None and row.pruned_at is not None:
            base.catalog.agreement.revive(row._row, facts)
            revived.add(facts.id)
    if revived:
        record_changes(base, git, base.catalog.agreement.with_former(revived, following=True))
    return len(revived)


def project_of(base: Base, working_dir: str, first: datetime) -> ProjectRecord:
    """Return the project of a directory, made with the time of its first checkpoint if needed,
    with what proves later whether it is gone."""
    target = Target.of(Path(working_dir))
    return base.register(target, first)


def _planned(
    base: Base, project: ProjectRecord, old: Sequence[Checkpoint], new: Sequence[Published]
) -> list[_Place]:
    """Return the order that the rows of arriving checkpoints have already, or nothing where some
    of the new ones have none: then no place of this project was planned with all of them."""
    rows = base.catalog.arriving.rows([facts.former_id or "" for facts, _ in new])
    if len(rows) < len(new):
        if base.catalog.arriving.count(project.hash):
            base.catalog.arriving.forget_project(project.hash)
        return []
    placed: list[tuple[int, _Place]] = [(one._row, one) for one in old]
    placed += [(rows[item[0].former_id or ""], item) for item in new]
    return [item for _, item in sorted(placed, key=lambda pair: pair[0])]


def _merged(old: Sequence[Checkpoint], new: Sequence[Published]) -> list[_Place]:
    """Old ones keep their order; a new one comes after what was taken before it."""
    order: list[_Place] = []
    rest = list(old)
    for item in new:
        earlier = [i for i, one in enumerate(rest) if one.created_at <= item[0].created_at]
        split = earlier[-1] + 1 if earlier else 0
        order += rest[:split]
        del rest[:split]
        order.append(item)
    return [*order, *rest]


def _rows(base: Base, order: Sequence[_Place]) -> dict[str, int]:
    """Return by id the numbers of the rows of new ones that come before an old one."""
    after: int | None = None
    waiting: list[CheckpointFacts] = []
    names: list[str] = []
    places: list[Place] = []
    for item in order:
        if not isinstance(item, Checkpoint):
            waiting.append(item[0])
            continue
        names += [one.id for one in waiting]
        places += [(after, item._row, one.created_at) for one in waiting]
        after, waiting = item._row, []
    return dict(zip(names, base.catalog.checkpoints.free_rows(places), strict=True))


def _row(item: _Place, rows: Mapping[str, int]) -> float:
    return item._row if isinstance(item, Checkpoint) else rows.get(item[0].id, math.inf)


def _compare(base: Base, git: Git, order: Sequence[_Place]) -> dict[int, Comparison]:
    """Compare what is new, and what follows on something new, with what is before it."""
    needed = [
        i
        for i, item in enumerate(order)
        if not isinstance(item, Checkpoint) or (i > 0 and not isinstance(order[i - 1], Checkpoint))
    ]
    asked = {i: order[i] for n in needed for i in (n - 1, n) if i >= 0}
    states = _states(base, asked)
    pairs = {i: (states.get(i - 1), new) for i in needed if (new := states[i]) is not None}
    try:
        found = compare_with_former(git, [*pairs.values()])
    except CheckpointError:  # something that was there before is damaged
        found = [_one(git, *pair) for pair in pairs.values()]
    return dict(zip(pairs, found, strict=True))


def _one(git: Git, old: TreeState | None, new: TreeState) -> Comparison:
    try:
        return compare_with_former(git, [(old, new)])[0]
    except CheckpointError:
        return compare_with_former(git, [(None, new)])[0]


def _states(base: Base, items: Mapping[int, _Place]) -> dict[int, TreeState | None]:
    """Return the state of each, None where that cannot be read, by one process."""
    metas = base.store.metas(one.id for one in items.values() if isinstance(one, Checkpoint))
    found: dict[int, TreeState | None] = {}
    for place, item in items.items():
        if not isinstance(item, Checkpoint):
            found[place] = TreeState(item[0].tree_id, item[1])
        else:
            meta = metas.get(item.id)
            found[place] = None if meta is None else TreeState(item.tree_id, meta)
    return found
