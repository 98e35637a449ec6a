"""Figures for status: per project and for the whole store, by a constant number of statements.

The views that people read are made of the same expressions, see ``catalog/views``.
"""

from __future__ import annotations

import functools
from datetime import datetime
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Integer,
    ScalarSelect,
    Select,
    Subquery,
    and_,
    bindparam,
    func,
    or_,
    select,
)
from sqlalchemy.sql.functions import Function

from hermes_checkpoints.catalog.engine import Records
from hermes_checkpoints.catalog.rows import LAST_LOOK, PROJECT
from hermes_checkpoints.catalog.schema import checkpoints, projects
from hermes_checkpoints.model import (
    HeldProject,
    LastLook,
    ProjectRecord,
    ProjectState,
    ProjectStatus,
)

_IS_LIVE = checkpoints.c.state == "live"


class Status(Records):
    """What status reads."""

    def projects(self, limit: int | None = None, *, only: str | None = None) -> list[ProjectStatus]:
        """Return the projects with their figures, newest touch first, by one statement; with
        ``only`` the one that has this hash.

        One whose directory is gone and whose checkpoints are all pruned is left out.
        """
        given = {"most": limit, "only": only}
        values = {name: value for name, value in given.items() if value is not None}
        rows = self._rows(_projects(limit is not None, only is not None), values)
        split = len(PROJECT)
        return [ProjectStatus(ProjectRecord(*row[:split]), *row[split:]) for row in rows]

    def held(self, fresh: tuple[datetime, datetime]) -> list[HeldProject]:
        """Return the same projects, newest touch first, with how many checkpoints each has, by one
        statement. Looks that were not recorded between the two moments are due to be recorded
        again."""
        rows = self._rows(_held(), {"since": fresh[0], "until": fresh[1]})
        return [HeldProject(row[0], row[1], row[2], LastLook(*row[3:])) for row in rows]

    def totals(self) -> tuple[int, int]:
        """Return how many projects there are, and how many live checkpoints, by one statement."""
        ((projects_, live),) = self._rows(_totals())
        return projects_, live


@functools.cache
def _projects(limit: bool, only: bool) -> Select[Any]:
    query = _some_with_figures() if limit or only else _all_with_figures()
    query = query.where(remembered())
    query = query.order_by(projects.c.last_touch.desc(), projects.c.id.desc())
    if only:
        query = query.where(projects.c.hash == bindparam("only"))
    return query.limit(bindparam("most", type_=Integer)) if limit else query


@functools.cache
def _held() -> Select[Any]:
    live = _live_by_project(func.count().label("count"))
    count = func.coalesce(live.c.count, 0)
    return (
        select(projects.c.created_at, projects.c.last_touch, count, *LAST_LOOK)
        .outerjoin(live, live.c.project_id == projects.c.id)
        .where(remembered())
        .order_by(projects.c.last_touch.desc(), projects.c.id.desc())
    )


def _some_with_figures() -> Select[Any]:
    return select(
        *PROJECT,
        of_project(func.count()),
        of_project(func.coalesce(func.sum(checkpoints.c.added_bytes), 0)),
        of_project(func.max(checkpoints.c.created_at)),
    )


def _all_with_figures() -> Select[Any]:
    """Return the same of every project, whose checkpoints are read once."""
    live = _live_by_project(
        func.count().label("count"),
        func.sum(checkpoints.c.added_bytes).label("bytes"),
        func.max(checkpoints.c.created_at).label("newest"),
    )
    figures = func.coalesce(live.c.count, 0), func.coalesce(live.c.bytes, 0), live.c.newest
    return select(*PROJECT, *figures).outerjoin(live, live.c.project_id == projects.c.id)


def _live_by_project(*figures: ColumnElement[Any]) -> Subquery:
    """Return figures over the live checkpoints of each project that has any, which are read once;
    ``project_id`` says whose they are."""
    query = select(checkpoints.c.project_id, *figures).where(_IS_LIVE)
    return query.group_by(checkpoints.c.project_id).subquery("of_all")


@functools.cache
def _totals() -> Select[Any]:
    return select(known_projects(), of_store(func.count(), "live"))


def remembered() -> ColumnElement[bool]:
    """Tell whether a project still is one: its directory may be there, or it has checkpoints."""
    live = checkpoints.alias("remembered")
    return or_(
        projects.c.state != ProjectState.ORPHAN,
        select(live.c.id)
        .where(live.c.project_id == projects.c.id, live.c.state == "live")
        .exists(),
    )


def of_project(figure: Function[Any]) -> ScalarSelect[Any]:
    """Return a figure over the live checkpoints of the project of the row.

    A subquery for each row and not one grouping for all: whoever asks for some projects reads
    the checkpoints of those alone.
    """
    return (
        select(figure)
        .select_from(checkpoints)
        .where(_IS_LIVE, checkpoints.c.project_id == projects.c.id)
        .correlate(projects)
        .scalar_subquery()
    )


def known_projects(*conditions: ColumnElement[bool]) -> ScalarSelect[int]:
    """Return how many projects there are, of those that meet the conditions."""
    counted = select(func.count()).select_from(projects).where(and_(remembered(), *conditions))
    return counted.scalar_subquery()


def of_store(
    figure: Function[Any], state: str, *conditions: ColumnElement[bool]
) -> ScalarSelect[Any]:
    """Return a figure over all checkpoints in a state, of those that meet the conditions."""
    of_state = and_(checkpoints.c.state == state, *conditions)
    return select(figure).select_from(checkpoints).where(of_state).scalar_subquery()
