"""Figures for status: per project and for the whole store, by a constant number of statements."""

from __future__ import annotations

from sqlalchemy import ColumnElement, and_, func, or_, select

from hermes_checkpoints.catalog.engine import Records
from hermes_checkpoints.catalog.rows import PROJECT
from hermes_checkpoints.catalog.schema import checkpoints, projects
from hermes_checkpoints.model import ProjectRecord, ProjectState, ProjectStatus


class Status(Records):
    """What status reads."""

    def projects(self, limit: int | None = None, *, only: str | None = None) -> list[ProjectStatus]:
        """Return the projects with their figures, newest touch first, by one statement; with
        ``only`` the one that has this hash.

        One whose directory is gone and whose checkpoints are all pruned is left out.
        """
        query = (
            select(
                *PROJECT,
                func.count(checkpoints.c.id),
                func.coalesce(func.sum(checkpoints.c.added_bytes), 0),
                func.max(checkpoints.c.created_at),
            )
            .outerjoin(
                checkpoints,
                and_(checkpoints.c.project_id == projects.c.id, checkpoints.c.state == "live"),
            )
            .where(_remembered())
            .group_by(projects.c.id)
            .order_by(projects.c.last_touch.desc(), projects.c.id.desc())
            .limit(limit)
        )
        if only is not None:
            query = query.where(projects.c.hash == only)
        split = len(PROJECT)
        return [
            ProjectStatus(ProjectRecord(*row[:split]), *row[split:]) for row in self._rows(query)
        ]

    def totals(self) -> tuple[int, int]:
        """Return how many projects there are, and how many live checkpoints, by one statement."""
        known = select(func.count()).select_from(projects).where(_remembered())
        live = select(func.count()).select_from(checkpoints).where(checkpoints.c.state == "live")
        query = select(known.scalar_subquery(), live.scalar_subquery())
        ((known_projects, live_checkpoints),) = self._rows(query)
        return known_projects, live_checkpoints


def _remembered() -> ColumnElement[bool]:
    """Tell whether a project still is one: its directory may be there, or it has checkpoints."""
    live = checkpoints.alias("remembered")
    return or_(
        projects.c.state != ProjectState.ORPHAN,
        projects.c.id.in_(select(live.c.project_id).where(live.c.state == "live")),
    )
