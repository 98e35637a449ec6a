"""Lists the checkpoints of a project in their order, and what followed each.

A few statements answer, however many checkpoints there are: what each one changed is on record, and
what changed after one until the next was seen by a look that the record has at the former.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hermes_checkpoints.base.lookup import require_project
from hermes_checkpoints.base.opened import Base, Target
from hermes_checkpoints.model import (
    DIRECTORIES,
    Checkpoint,
    Kind,
    PathEvent,
    RestoreOf,
    TimelineEntry,
    Whose,
)
from hermes_checkpoints.model.timeline import figures_after
from hermes_checkpoints.model.whose import MOST, whose


def timeline(
    base: Base, target: Target, *, limit: int | None, touching: str | None
) -> list[TimelineEntry]:
    """Return the entries, newest first: the newest alone up to ``limit``, and of all but the newest
    those after which a path changed that has ``touching`` in it.

    Raises:
        CatalogBusy, CatalogDamaged.
    """
    catalog = base.catalog
    with catalog.at_one_moment():
        every = limit if touching is None else None
        listed = catalog.checkpoints.list(target.hash, limit=every)
        if not listed:
            return []
        followed = whose_by_row(base, target, [one._row for one in listed])
        safety = []
        if any(one.kind is Kind.SAFETY for one in listed):
            safety = catalog.restores.safety_of(target.hash)
        if touching is not None:
            changed = catalog.checkpoints.changed_after(target.hash, touching)
    restores = {one.checkpoint.id: one.safety_of for one in safety}
    found = _entries(listed, followed, restores)
    if touching is not None:  # of the newest nobody has looked
        found = [one for one in found if one.until is None or one.checkpoint._row in changed]
    return found[:limit]


def whose_by_row(base: Base, target: Target, rows: Sequence[int]) -> dict[int, Whose]:
    """Return, by row, whose changes followed each of the checkpoints of those rows, which are the
    newest live ones of a project; those before the newest changes that are read have no answer.

    Raises:
        CatalogBusy, CatalogDamaged.
    """
    if not rows:
        return {}
    return whose(base.catalog.events.seen(target.hash, min(rows), MOST + 1), rows, MOST)


def who_between(
    base: Base, target: Target, checkpoint: Checkpoint, until: Checkpoint | None
) -> list[PathEvent]:
    """Return what happened to paths after a checkpoint, and before a later one if it is given,
    newest first.

    Raises:
        ProjectUnknown, CatalogBusy, CatalogDamaged.
    """
    project = require_project(base, target)
    row = None if until is None else until._row
    recorded = base.catalog.events.since(project.id, checkpoint._row, until=row)
    return [one.event for one in reversed(recorded) if one.event.path != DIRECTORIES]


def _entries(
    listed: Sequence[Checkpoint],
    followed: Mapping[int, Whose],
    restores: Mapping[str, RestoreOf | None],
) -> list[TimelineEntry]:
    """Return an entry for each checkpoint, newest first."""
    after = figures_after(listed)
    found, number, until = [], 0, None
    for one in listed:
        is_safety = one.kind is Kind.SAFETY
        number += not is_safety
        found.append(
            TimelineEntry(
                one,
                None if is_safety else number,
                until,
                after[one.id].files_changed if one.id in after else None,
                followed.get(one._row),
                restores.get(one.id),
            )
        )
        until = one
    return found
