"""What is selected to make the frozen values of the model; no row goes further than the catalog.

The columns follow the fields of a value, in their order: a field without a column fails at
import, not in a report.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from sqlalchemy import ColumnElement, Select, Table, bindparam, func, or_, select

from hermes_checkpoints.catalog.labels import labels_of
from hermes_checkpoints.catalog.schema import (
    CHECKPOINT_STATES,
    checkpoint_changes,
    checkpoints,
    projects,
)
from hermes_checkpoints.catalog.titles import title_of
from hermes_checkpoints.model import Change, Checkpoint, ProjectRecord


def columns_of(
    value: type[Any], table: Table, **elsewhere: ColumnElement[Any]
) -> list[ColumnElement[Any]]:
    """Return the columns that make a value: those of ``table`` with the names of its fields, but
    for the fields of which another column is given."""
    names = (field.name for field in dataclasses.fields(value))
    return [elsewhere[name] if name in elsewhere else table.c[name] for name in names]


PROJECT = columns_of(ProjectRecord, projects, working_dir=projects.c.workdir)
LAST_LOOK = [
    *(projects.c[name] for name in ("hash", "workdir", "state")),
    *(projects.c[name] for name in ("device", "inode", "parent_device", "parent_inode")),
    or_(
        projects.c.state_checked_at.is_(None),
        projects.c.state_checked_at < bindparam("since", type_=projects.c.state_checked_at.type),
        projects.c.state_checked_at > bindparam("until", type_=projects.c.state_checked_at.type),
    ),
]
"""Those of a ``LastLook``; looks that were not recorded from ``since`` to ``until`` are due."""
CHANGE = columns_of(Change, checkpoint_changes)
CHECKPOINT = columns_of(
    Checkpoint,
    checkpoints,
    _row=checkpoints.c.id,
    id=checkpoints.c.commit_id,
    _previous_row=checkpoints.c.previous_id,
    project_hash=projects.c.hash,
    working_dir=projects.c.workdir,
    **{
        name: func.coalesce(checkpoints.c[name], "", type_=checkpoints.c[name].type).label(name)
        for name in ("tree_id", "state_id", "ref_name")
    },
    _arriving=checkpoints.c.state == "arriving",
    _device=checkpoints.c.device,
    _inode=checkpoints.c.inode,
    _generation=checkpoints.c.generation,
    labels=labels_of(checkpoints.c.id),
    turn_title=title_of(checkpoints.c.id),
)
"""What old tombstones no longer have is empty text."""


def of_project(project_id: int | ColumnElement[int]) -> tuple[ColumnElement[bool], ...]:
    """Return the conditions of the checkpoints of a project, in whatever state, from which the
    index finds those from some id on."""
    return checkpoints.c.state.in_(CHECKPOINT_STATES), checkpoints.c.project_id == project_id


def select_checkpoints() -> Select[Any]:
    """Return a query of whole checkpoints, to be narrowed and ordered."""
    return select(*CHECKPOINT).join(projects, projects.c.id == checkpoints.c.project_id)
