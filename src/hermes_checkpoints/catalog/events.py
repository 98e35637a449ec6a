"""What happened to each path of a project, as the looks at its directory saw it.

An event has the last checkpoint before the look that saw it. So those since a checkpoint are
known by its row, and so is what led to a later one.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any

from sqlalchemy import (
    CTE,
    BindParameter,
    ColumnElement,
    Executable,
    Select,
    String,
    and_,
    bindparam,
    delete,
    func,
    select,
    update,
)

from hermes_checkpoints.catalog.decisions import unfinished
from hermes_checkpoints.catalog.encoding import encode_path
from hermes_checkpoints.catalog.engine import Bulk, Records, insert_into
from hermes_checkpoints.catalog.recorded import LastLook, Planned, Recorded
from hermes_checkpoints.catalog.rows import columns_of
from hermes_checkpoints.catalog.schema import (
    THERE,
    agent_writes,
    checkpoints,
    path_events,
    projects,
    restore_paths,
    restores,
)
from hermes_checkpoints.catalog.sqlite import chunks
from hermes_checkpoints.model import DIRECTORIES, Action, Actor, PathEvent, RestoreState, SeenChange

_EVENT = columns_of(PathEvent, path_events)
_PLACE = (path_events.c.checkpoint_id, path_events.c.target_id, path_events.c.id)
_FIELDS = [field.name for field in fields(PathEvent)]
_EVENTS = Bulk(path_events, ["project_id", "checkpoint_id", "target_id"], _FIELDS)


_PROJECT_ID: BindParameter[Any] = bindparam("of_project")
_LAST_RESTORE = (
    select(func.max(restores.c.id)).where(restores.c.project_id == _PROJECT_ID).scalar_subquery()
)
_LOOKED = update(projects).where(projects.c.id == _PROJECT_ID).values(looked_restore=_LAST_RESTORE)
_REPORTED = agent_writes.c.project_id == _PROJECT_ID
_FORGET_REPORTS = delete(agent_writes).where(_REPORTED, agent_writes.c.turn_id.is_(None))
_REPORTS_SEEN = update(agent_writes).where(_REPORTED).values(seen=True)
_LAST_LOOK = select(
    projects.c.looked_ns,
    func.coalesce(func.coalesce(projects.c.looked_restore, 0) < _LAST_RESTORE, False),
).where(projects.c.id == _PROJECT_ID)


_CUT_SHORT = (
    select(restore_paths.c.path, restore_paths.c.action, restore_paths.c.blob)
    .add_columns(restore_paths.c.mode)
    .join(restores, restores.c.id == restore_paths.c.restore_id)
    .join(projects, projects.c.id == restores.c.project_id)
    .where(
        restores.c.project_id == _PROJECT_ID,
        restores.c.state.in_((RestoreState.INTERRUPTED, RestoreState.WRITING)),
        restores.c.id > func.coalesce(projects.c.looked_restore, 0),
        restore_paths.c.action != Action.KEEP,
    )
    .order_by(restores.c.id, restore_paths.c.position)
)


_PROJECTS: BindParameter[Any] = bindparam("projects", expanding=True)
_PLACES = func.json_each(bindparam("places")).table_valued("value").alias("places")
_OF_PLACES = (
    select(path_events.c.project_id, *_EVENT, *_PLACE)
    .join_from(
        _PLACES,
        path_events,
        and_(
            path_events.c.project_id == func.json_extract(_PLACES.c.value, "$[0]"),
            path_events.c.path == func.json_extract(_PLACES.c.value, "$[1]", type_=String),
        ),
    )
    .order_by(path_events.c.id)
)
"""Asked with the project and path of each place, as JSON: SQLite finds no pairs by an index that
are given in another way."""
_REMOVE = delete(path_events).where(path_events.c.id.in_(bindparam("ids", expanding=True)))


@functools.cache
def _since(checkpoint: bool, path: bool, until: bool) -> Select[Any]:
    """Return the statement of the events of a project: those since a checkpoint, those of a
    path, those before a later checkpoint."""
    query = select(*_EVENT, *_PLACE).where(path_events.c.project_id == _PROJECT_ID)
    if checkpoint:
        query = query.where(path_events.c.checkpoint_id >= bindparam("of_checkpoint"))
    if until:
        query = query.where(path_events.c.checkpoint_id < bindparam("until"))
    if path:
        query = query.where(path_events.c.path == bindparam("of_path"))
    return query.order_by(path_events.c.id)


_SEEN = (
    select(
        *columns_of(
            SeenChange,
            path_events,
            after=path_events.c.checkpoint_id,
            target=path_events.c.target_id,
        )
    )
    .join(projects, projects.c.id == path_events.c.project_id)
    .where(
        projects.c.hash == bindparam("of_hash"),
        path_events.c.checkpoint_id >= bindparam("since"),
        path_events.c.path != DIRECTORIES,
    )
    .order_by(path_events.c.checkpoint_id.desc(), path_events.c.id.desc())
    .limit(bindparam("most"))
)


class Events(Records):
    """The table ``path_events``. Every method is one transaction."""

    def seen(self, project_hash: str, since: int, most: int) -> list[SeenChange]:
        """Return what happened to the files of a project since a checkpoint, by its row, newest
        first; no more than ``most``."""
        its = {"of_hash": project_hash, "since": since, "most": most}
        return [SeenChange(*row) for row in self._rows(_SEEN, its)]

    def since(
        self,
        project_id: int,
        checkpoint_id: int | None,
        path: str | None = None,
        *,
        until: int | None = None,
    ) -> list[Recorded]:
        """Return what happened since a checkpoint, or ever, oldest first; to one path if it is
        given, and before the checkpoint ``until``."""
        given = {
            "of_project": project_id,
            "of_checkpoint": checkpoint_id,
            "of_path": path,
            "until": until,
        }
        values = {name: value for name, value in given.items() if value is not None}
        query = _since(checkpoint_id is not None, path is not None, until is not None)
        rows = self._rows(query, values)
        width = len(_EVENT)
        return [Recorded(PathEvent(*row[:width]), *row[width:]) for row in rows]

    def add(
        self,
        project_id: int,
        checkpoint_id: int,
        events: Iterable[PathEvent],
        *,
        target: int | None = None,
    ) -> None:
        """Add events that a look saw; ``target`` is the checkpoint that a restore brought back."""
        rows = [*events]
        if rows:
            with self._transactions.writing() as connection:
                _EVENTS.insert(connection, [project_id, checkpoint_id, target], rows)

    def of_paths(self, project_id: int, paths: Iterable[str]) -> list[Recorded]:
        """Return what happened to some paths, as far back as is on record, oldest first."""
        return self.of_projects({project_id: paths})[project_id]

    def of_projects(self, paths: Mapping[int, Iterable[str]]) -> dict[int, list[Recorded]]:
        """Return what happened to some paths of some projects, as ``of_paths``, by project."""
        width = 1 + len(_EVENT)
        found: dict[int, list[Recorded]] = {project: [] for project in paths}
        places = [
            (project, encode_path(path)) for project, its in paths.items() for path in set(its)
        ]
        for row in self._rows(_OF_PLACES, {"places": json.dumps(places)}):
            found[row[0]].append(Recorded(PathEvent(*row[1:width]), *row[width:]))
        return found

    def paths_by_agent(
        self, project_id: int, session_id: str | None, turn: int | None
    ) -> Sequence[str]:
        """Return the paths that a session's agent changed, as far as is on record; in one turn
        where its number is given."""
        session = bindparam("of_session", type_=path_events.c.session_id.type)
        query = select(path_events.c.path).where(
            path_events.c.project_id == _PROJECT_ID,
            path_events.c.actor == Actor.AGENT,
            path_events.c.session_id.is_not_distinct_from(session),
        )
        if turn is not None:
            query = query.where(path_events.c.turn == turn)
        its = {"of_project": project_id, "of_session": session_id}
        return self._column(query.distinct(), its)

    def unfolded(self) -> Sequence[int]:
        """Return the projects with events that a pruned checkpoint has."""
        seen = _checkpoints_with_events()
        query = (
            select(checkpoints.c.project_id)
            .join(seen, seen.c.id == checkpoints.c.id)
            .where(_gone())
            .distinct()
        )
        return self._column(query)

    def unfolded_paths(self, projects: Sequence[int]) -> dict[int, list[str]]:
        """Return the paths with events that a pruned checkpoint has, by project."""
        return self._by_project(_unfolded_paths(), projects)

    def live(self, projects: Sequence[int]) -> dict[int, list[int]]:
        """Return the rows of the checkpoints of each project to which somebody can go back, in
        order: those that are there, and those of restores that are not settled."""
        return self._by_project(_to_go_back_to(), projects)

    def _by_project(self, query: Executable, projects: Sequence[int]) -> dict[int, list[Any]]:
        """Return what a query of ``projects`` has, whose rows begin with their project."""
        found: dict[int, list[Any]] = {project: [] for project in projects}
        for some in chunks(projects):
            for project, one in self._rows(query, {"projects": some}):
                found[project].append(one)
        return found

    def replace(self, outdated: Sequence[int], by: Iterable[tuple[int, Recorded]]) -> None:
        """Put events, each with its project, in the place of others, under the number that each of
        them names; those with the number 0 come after all that are there, in their order."""
        old: list[dict[str, Any]] = []
        new: list[dict[str, Any]] = []
        for project_id, one in by:
            row = {
                "project_id": project_id,
                "checkpoint_id": one.after,
                "target_id": one.target,
                **{name: getattr(one.event, name) for name in _FIELDS},
            }
            if one.id:
                old.append({"id": one.id, **row})
            else:
                new.append(row)
        with self._transactions.writing() as connection:
            for some in chunks(outdated):
                connection.execute(_REMOVE, {"ids": some})
            for rows in (old, new):
                if rows:
                    connection.execute(insert_into(path_events), rows)

    def looked(self, project_id: int, at_ns: int, *, reports: bool) -> None:
        """Record that a look which began at ``at_ns`` has seen all that happened until then.
        ``reports`` says that tools had told of something: that is seen now, and goes unless its
        turn is open."""
        its = {"of_project": project_id}
        with self._transactions.writing() as connection:
            connection.execute(_LOOKED, {"looked_ns": at_ns, **its})
            if reports:
                connection.execute(_FORGET_REPORTS, its)
                connection.execute(_REPORTS_SEEN, its)

    def last_look(self, project_id: int) -> LastLook:
        """Return what is known of the last look at a project."""
        row = self._row(_LAST_LOOK, {"of_project": project_id})
        return LastLook() if row is None else LastLook(row[0], bool(row[1]))

    def cut_short(self, project_id: int) -> Sequence[Planned]:
        """Return what the restores were to do that were cut short since the last look."""
        return [
            Planned(path, None, None) if action == Action.DELETE else Planned(path, blob, mode)
            for path, action, blob, mode in self._rows(_CUT_SHORT, {"of_project": project_id})
        ]


@functools.cache
def _unfolded_paths() -> Select[Any]:
    """Return the query of the paths of ``projects`` with events that a pruned checkpoint has."""
    return (
        select(path_events.c.project_id, path_events.c.path)
        .join(checkpoints, checkpoints.c.id == path_events.c.checkpoint_id)
        .where(path_events.c.project_id.in_(_PROJECTS), _gone())
        .distinct()
    )


@functools.cache
def _to_go_back_to() -> Select[Any]:
    """Return the query of the checkpoints of ``projects`` to which somebody can go back."""
    there = checkpoints.c.state.in_(THERE)
    restoring = checkpoints.c.id.in_(select(unfinished().c.id))
    its = select(checkpoints.c.project_id, checkpoints.c.id).where(
        checkpoints.c.project_id.in_(_PROJECTS)
    )
    found = its.where(there).union(its.where(restoring)).subquery("found")
    return select(found).order_by(found.c.id)


def _gone() -> ColumnElement[bool]:
    """Return the condition of a checkpoint to which nobody can go back."""
    return and_(checkpoints.c.state == "pruned", checkpoints.c.id.not_in(select(unfinished().c.id)))


def _checkpoints_with_events() -> CTE:
    """Return the checkpoints that have events, each found by one step in the index."""
    first = select(func.min(path_events.c.checkpoint_id).label("id"))
    found = first.cte("with_events", recursive=True)
    following = (
        select(func.min(path_events.c.checkpoint_id))
        .where(path_events.c.checkpoint_id > found.c.id)
        .scalar_subquery()
    )
    return found.union_all(select(following).where(found.c.id.is_not(None)))
