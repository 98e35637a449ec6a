"""Turns database rows into the frozen values of the model; no row goes further than here.

What is selected follows the fields of the model, in their order: a field without a column
fails at import, not in a report.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Select, Table, func, select

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
    Project,
    ProjectState,
)

_Columns = tuple[ColumnElement[Any], ...]


@functools.cache
def _names(value: type[Any]) -> tuple[str, ...]:
    return tuple(field.name for field in dataclasses.fields(value))


def _columns(
    value: type[Any], table: Table, elsewhere: Mapping[str, ColumnElement[Any]]
) -> _Columns:
    return tuple(elsewhere[name] if name in elsewhere else table.c[name] for name in _names(value))


_OF_PROJECT: Mapping[str, ColumnElement[Any]] = {
    "project_hash": projects.c.hash,
    "workdir": projects.c.workdir,
}
_OF_OPERATION = {
    "project_hash": projects.c.hash,
    "workdir": func.coalesce(
        operations.c.workdir, projects.c.workdir, type_=operations.c.workdir.type
    ),
}

PROJECT = _columns(Project, projects, {})
CHECKPOINT = _columns(Checkpoint, checkpoints, _OF_PROJECT)
CHANGE = _columns(Change, checkpoint_changes, {})
OPERATION = _columns(Operation, operations, _OF_OPERATION)


def select_checkpoints() -> Select[Any]:
    """A query of whole checkpoints, to be narrowed and ordered."""
    return select(*CHECKPOINT).join(projects, projects.c.id == checkpoints.c.project_id)


def select_operations() -> Select[Any]:
    """A query of whole operations, to be narrowed and ordered."""
    return (
        select(*OPERATION)
        .select_from(operations)
        .outerjoin(projects, projects.c.id == operations.c.project_id)
    )


def _build(value: type[Any], row: Sequence[Any], enums: Mapping[str, type[Any]]) -> Any:
    values = dict(zip(_names(value), row, strict=False))  # more columns may follow
    for name, enum in enums.items():
        values[name] = enum(values[name])
    return value(**values)


def project_of(row: Sequence[Any]) -> Project:
    """The project in a row that begins with ``PROJECT``."""
    project: Project = _build(Project, row, {"state": ProjectState})
    return project


def checkpoint_of(row: Sequence[Any]) -> Checkpoint:
    """The checkpoint in a row that begins with ``CHECKPOINT``."""
    checkpoint: Checkpoint = _build(Checkpoint, row, {"kind": Kind})
    return checkpoint


def change_of(row: Sequence[Any]) -> Change:
    """The change in a row that begins with ``CHANGE``."""
    change: Change = _build(Change, row, {"status": ChangeStatus})
    return change


def operation_of(row: Sequence[Any]) -> Operation:
    """The operation in a row that begins with ``OPERATION``."""
    enums = {"kind": OperationKind, "outcome": OperationOutcome}
    operation: Operation = _build(Operation, row, enums)
    return operation
