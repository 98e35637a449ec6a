"""Turns database rows into the frozen values of the model; no row goes further than here.

What is selected follows the fields of the model, in their order: a field without a column
fails at import, not in a report.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Select, Table, select

from hermes_checkpoints.catalog.schema import (
    checkpoint_changes,
    checkpoints,
    operations,
    projects,
)
from hermes_checkpoints.model import (
    Change,
    ChangeStatus,
    Checkpoint,
    Kind,
    Operation,
    OperationKind,
    OperationOutcome,
    ProjectRecord,
    ProjectState,
)

_Columns = tuple[ColumnElement[Any], ...]


def _names(value: type[Any]) -> tuple[str, ...]:
    return tuple(field.name for field in dataclasses.fields(value))


_PROJECT_FIELDS = _names(ProjectRecord)
_CHECKPOINT_FIELDS = _names(Checkpoint)
_CHANGE_FIELDS = _names(Change)
_OPERATION_FIELDS = _names(Operation)


def _columns(
    names: Sequence[str], table: Table, elsewhere: Mapping[str, ColumnElement[Any]]
) -> _Columns:
    return tuple(elsewhere[name] if name in elsewhere else table.c[name] for name in names)


_OF_CHECKPOINT: Mapping[str, ColumnElement[Any]] = {
    "_row": checkpoints.c.id,
    "id": checkpoints.c.commit_id,
    "_previous_row": checkpoints.c.previous_id,
    "project_hash": projects.c.hash,
    "working_dir": projects.c.workdir,
}

PROJECT = _columns(_PROJECT_FIELDS, projects, {"working_dir": projects.c.workdir})
CHECKPOINT = _columns(_CHECKPOINT_FIELDS, checkpoints, _OF_CHECKPOINT)
CHANGE = _columns(_CHANGE_FIELDS, checkpoint_changes, {})
OPERATION = _columns(
    _OPERATION_FIELDS,
    operations,
    {"project_hash": projects.c.hash, "working_dir": operations.c.workdir},
)


def select_checkpoints() -> Select[Any]:
    """Return a query of whole checkpoints, to be narrowed and ordered."""
    return select(*CHECKPOINT).join(projects, projects.c.id == checkpoints.c.project_id)


def select_operations() -> Select[Any]:
    """Return a query of whole operations, to be narrowed and ordered."""
    return (
        select(*OPERATION)
        .select_from(operations)
        .outerjoin(projects, projects.c.id == operations.c.project_id)
    )


def _values(names: Sequence[str], row: Sequence[Any]) -> dict[str, Any]:
    return dict(zip(names, row, strict=False))  # more columns may follow


def project_of(row: Sequence[Any]) -> ProjectRecord:
    """Return the project in a row that begins with ``PROJECT``."""
    values = _values(_PROJECT_FIELDS, row)
    values["state"] = ProjectState(values["state"])
    return ProjectRecord(**values)


def checkpoint_of(row: Sequence[Any]) -> Checkpoint:
    """Return the checkpoint in a row that begins with ``CHECKPOINT``."""
    values = _values(_CHECKPOINT_FIELDS, row)
    values["kind"] = Kind(values["kind"])
    return Checkpoint(**values)


def change_of(row: Sequence[Any]) -> Change:
    """Return the change in a row that begins with ``CHANGE``."""
    values = _values(_CHANGE_FIELDS, row)
    values["status"] = ChangeStatus(values["status"])
    return Change(**values)


def operation_of(row: Sequence[Any]) -> Operation:
    """Return the operation in a row that begins with ``OPERATION``."""
    values = _values(_OPERATION_FIELDS, row)
    values["kind"] = OperationKind(values["kind"])
    values["outcome"] = OperationOutcome(values["outcome"])
    return Operation(**values)
