"""The bytes of the store that live checkpoints hold, as one expression that a view can have.

``usage.py`` tells the same by project and file, with scratch tables; a test compares the two.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    ColumnElement,
    ScalarSelect,
    Select,
    and_,
    case,
    func,
    or_,
    select,
    true,
    union_all,
)

from hermes_checkpoints.catalog.left_behind import built_on
from hermes_checkpoints.catalog.packing import beside_contents, packed, whole_bytes
from hermes_checkpoints.catalog.schema import checkpoint_changes, checkpoints, projects
from hermes_checkpoints.catalog.usage import bits_alone


def held_bytes(*, of_project: bool) -> ColumnElement[int]:
    """Return what the live checkpoints hold in the store, in bytes: those of the project of the
    row, or all.

    A content counts once, however many of them hold it, and so do the trees and facts of each.
    What several projects share counts in each of them, and once in the store.
    """
    beside = select(func.sum(packed(beside_contents(), checkpoints.c.id))).where(
        checkpoints.c.state == "live", _of(checkpoints, of_project)
    )
    both = [_only(beside, of_project), _only(_contents(of_project), of_project)]
    total: ColumnElement[float] = func.coalesce(both[0], 0) + func.coalesce(both[1], 0)
    return whole_bytes(total)


def _of(table: Any, of_project: bool) -> ColumnElement[bool]:
    return table.c.project_id == projects.c.id if of_project else true()


def _only(query: Select[Any], of_project: bool) -> ScalarSelect[Any]:
    return (query.correlate(projects) if of_project else query).scalar_subquery()


def _contents(of_project: bool) -> Select[Any]:
    """Return the sum over the contents that are held. The row that says what a content takes is
    that of the checkpoint which brought it, which may be of another project."""
    change = checkpoint_changes.c
    brought = packed(change.stored_bytes, change.checkpoint_id)
    of_live = (
        select(change.new_blob.label("blob"), brought.label("bytes"))
        .join(checkpoints, checkpoints.c.id == change.checkpoint_id)
        .where(
            checkpoints.c.state == "live",
            _of(checkpoints, of_project),
            change.new_blob.is_not(None),
        )
    )
    parts = [of_live, _from_before(brought, of_project)]
    if of_project:
        parts = [part.correlate(projects) for part in parts]
    rows = union_all(*parts).subquery("held")
    once = (
        select(rows.c.blob, func.max(rows.c.bytes).label("bytes"))
        .group_by(rows.c.blob)
        .subquery("once")
    )
    other = checkpoint_changes.alias("other")
    elsewhere = (
        select(func.max(packed(other.c.stored_bytes, other.c.checkpoint_id)))
        .where(other.c.new_blob == once.c.blob)
        .scalar_subquery()
    )
    return select(func.sum(case((once.c.bytes > 0, once.c.bytes), else_=elsewhere)))


def _from_before(brought: ColumnElement[float], of_project: bool) -> Select[Any]:
    """Return the contents in rows of pruned checkpoints that the next live one has: no row of the
    path lies between."""
    change = checkpoint_changes.c
    gone_ = built_on(_of(checkpoints, of_project)).subquery("gone")
    spans = (
        select(
            gone_.c.until,
            change.path,
            change.new_blob,
            brought.label("bytes"),
            func.lead(change.checkpoint_id)
            .over(partition_by=(gone_.c.project_id, change.path), order_by=change.checkpoint_id)
            .label("next"),
        )
        .join(gone_, gone_.c.id == change.checkpoint_id)
        .where(~bits_alone(checkpoint_changes))
        .subquery("spans")
    )
    there = checkpoint_changes.alias("there")
    replaced = select(there.c.path).where(
        there.c.checkpoint_id == spans.c.until, there.c.path == spans.c.path, ~bits_alone(there)
    )
    return select(spans.c.new_blob, spans.c.bytes).where(
        and_(
            spans.c.new_blob.is_not(None),
            spans.c.until.is_not(None),
            or_(spans.c.next.is_(None), spans.c.next > spans.c.until),
            ~replaced.exists(),
        )
    )
