"""The names that people give to checkpoints: any number to one checkpoint, each once in a project.

A labelled checkpoint is not pruned. So where two come to have the same name (an import, a catalog
that is made anew, two histories that become one), none loses its protection: the newer one has the
name, and the older one has it with a number behind it.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Dialect,
    Select,
    Text,
    TypeDecorator,
    delete,
    func,
    or_,
    select,
    type_coerce,
    update,
)

from hermes_checkpoints.catalog.encoding import read_names
from hermes_checkpoints.catalog.engine import Records
from hermes_checkpoints.catalog.schema import checkpoints, labels, projects


class _Names(TypeDecorator[tuple[str, ...]]):
    """Texts in order, which SQL gives as a JSON array."""

    impl = Text
    cache_ok = True

    def process_result_value(self, value: str | None, _dialect: Dialect) -> tuple[str, ...]:
        return read_names(value)


def _of(checkpoint: ColumnElement[int], names: ColumnElement[Any]) -> ColumnElement[Any]:
    query = select(names).where(labels.c.checkpoint_id == checkpoint)
    return query.correlate(checkpoint.table).scalar_subquery()


def labels_of(checkpoint: ColumnElement[int]) -> ColumnElement[Any]:
    """Return the labels of the checkpoint with this id, as a tuple of texts in order."""
    return type_coerce(_of(checkpoint, func.json_group_array(labels.c.label)), _Names())


def joined_labels(checkpoint: ColumnElement[int]) -> ColumnElement[Any]:
    """Return the labels of the checkpoint with this id as one text, or NULL where it has none.
    They come in order, since the index that finds them has them so."""
    return _of(checkpoint, func.group_concat(labels.c.label, ", ", type_=Text()))


def is_labelled(checkpoint: ColumnElement[int]) -> ColumnElement[bool]:
    """Tell whether the checkpoint with this id has a label."""
    query = select(labels.c.label).where(labels.c.checkpoint_id == checkpoint)
    return query.correlate(checkpoint.table).exists()


class Labels(Records):
    """The table ``labels``. Every method is one transaction."""

    def give(self, checkpoint_id: int, label: str, *, move: bool = False) -> int | None:
        """Give a live or lost checkpoint a label. Where another live one of its project has it,
        that keeps it unless it is to ``move``, and its number is returned; else None.

        One that is pruned or lost loses the name to a live one.
        """
        project = select(checkpoints.c.project_id).where(
            checkpoints.c.id == checkpoint_id,
            or_(checkpoints.c.state == "live", checkpoints.c.lost_at.is_not(None)),
        )
        with self._transactions.writing() as connection:
            project_id = connection.scalar(project)
            if project_id is None:
                return None
            holder = _live_holder(connection, project_id, label)
            if holder is not None and holder != checkpoint_id and not move:
                return holder
            connection.execute(delete(labels).where(*_is(project_id, label)))
            _insert(connection, project_id, checkpoint_id, label)
        return None

    def take_away(self, checkpoint_id: int, label: str) -> None:
        """Take a label from a checkpoint."""
        its = labels.c.checkpoint_id == checkpoint_id, labels.c.label == label
        self._write(delete(labels).where(*its))


def name(connection: Connection, project_id: int, checkpoint_id: int, label: str) -> None:
    """Give a new checkpoint a label, as part of the caller's transaction. Where another one has
    it, the older of both has it with a number."""
    holder = connection.scalar(_held(project_id, label))
    if holder is None:
        _insert(connection, project_id, checkpoint_id, label)
    elif holder < checkpoint_id:
        other = _free(connection, [project_id], label)
        its = update(labels).where(*_is(project_id, label))
        connection.execute(its.values(label=other))
        _insert(connection, project_id, checkpoint_id, label)
    elif holder > checkpoint_id:
        _insert(connection, project_id, checkpoint_id, _free(connection, [project_id], label))


def move_away(connection: Connection, project_id: int, label: str) -> None:
    """Take a label from whatever checkpoint of a project has it, as part of the caller's
    transaction."""
    connection.execute(delete(labels).where(*_is(project_id, label)))


def make_apart(connection: Connection, project_ids: Sequence[int | None]) -> None:
    """Number the labels of the older of two checkpoints that have the same in two projects which
    become one, as part of the caller's transaction."""
    theirs = labels.alias("theirs")
    query = (
        select(labels.c.label, labels.c.checkpoint_id)
        .join(theirs, theirs.c.label == labels.c.label)
        .where(
            labels.c.project_id.in_(project_ids),
            theirs.c.project_id.in_(project_ids),
            labels.c.checkpoint_id < theirs.c.checkpoint_id,
        )
    )
    for label, older in connection.execute(query).all():
        free = _free(connection, project_ids, label)
        of_it = labels.c.checkpoint_id == older, labels.c.label == label
        connection.execute(update(labels).where(*of_it).values(label=free))


def _free(connection: Connection, project_ids: Sequence[int | None], label: str) -> str:
    for number in itertools.count(2):
        found = f"{label}-{number}"
        if all(connection.scalar(_held(one, found)) is None for one in project_ids):
            return found
    raise AssertionError


def _held(project_id: int | None, label: str) -> Select[Any]:
    return select(labels.c.checkpoint_id).where(*_is(project_id, label))


def _is(project_id: int | None, label: str) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    return labels.c.project_id == project_id, labels.c.label == label


def _live_holder(connection: Connection, project_id: int, label: str) -> int | None:
    live = select(checkpoints.c.id).where(checkpoints.c.state == "live")
    found: int | None = connection.scalar(
        _held(project_id, label).where(labels.c.checkpoint_id.in_(live))
    )
    return found


def _insert(connection: Connection, project_id: int, checkpoint_id: int, label: str) -> None:
    values = {"project_id": project_id, "checkpoint_id": checkpoint_id, "label": label}
    connection.execute(labels.insert().values(values))


def has_label(project_hash: str, label: str) -> ColumnElement[bool]:
    """Return the condition that a checkpoint has this label in the project with this hash."""
    found = (
        select(labels.c.checkpoint_id)
        .join(projects, projects.c.id == labels.c.project_id)
        .where(projects.c.hash == project_hash, labels.c.label == label)
    )
    return checkpoints.c.id.in_(found)
