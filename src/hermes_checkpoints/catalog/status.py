"""Figures for status: per project and for the whole store, by a constant number of statements."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, and_, case, func, or_, select

from hermes_checkpoints.catalog.engine import Transactions
from hermes_checkpoints.catalog.rows import PROJECT, project_of
from hermes_checkpoints.catalog.schema import checkpoints, projects
from hermes_checkpoints.model import ProjectState, ProjectStatus


@dataclass(frozen=True)
class StoreTotals:
    """Sums over the catalog. Only live checkpoints count, except in ``pruned``.

    ``added_bytes`` is what the checkpoints added to the store, compressed.
    """

    projects: int
    orphaned_projects: int
    unreachable_projects: int
    checkpoints: int
    pinned: int
    pruned: int
    added_bytes: int
    superseded_bytes: int
    oldest_checkpoint_at: datetime | None
    newest_checkpoint_at: datetime | None


class Status:
    """What status reads."""

    def __init__(self, transactions: Transactions) -> None:
        self._transactions = transactions

    def projects(self, limit: int | None = None) -> list[ProjectStatus]:
        """Return the projects with their figures, newest touch first, by one statement.

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
        with self._transactions.reading() as connection:
            return [
                ProjectStatus(project_of(row), *row[len(PROJECT) :])
                for row in connection.execute(query)
            ]

    def totals(self) -> StoreTotals:
        """Return the sums over the whole catalog, of one state of it, by two statements."""
        by_state = select(
            func.count(),
            _count(projects.c.state == ProjectState.ORPHAN.value),
            _count(projects.c.state == ProjectState.UNREACHABLE.value),
        ).where(_remembered())
        live = checkpoints.c.state == "live"
        sums = select(
            _count(live),
            _count(and_(live, checkpoints.c.pinned)),
            _count(checkpoints.c.state == "pruned"),
            func.coalesce(func.sum(case((live, checkpoints.c.added_bytes))), 0),
            func.coalesce(func.sum(case((live, checkpoints.c.superseded_bytes))), 0),
            func.min(case((live, checkpoints.c.created_at))),
            func.max(case((live, checkpoints.c.created_at))),
        )
        with self._transactions.reading() as connection:
            return StoreTotals(*connection.execute(by_state).one(), *connection.execute(sums).one())


def _remembered() -> ColumnElement[bool]:
    """Whether a project still is one: its directory may be there, or it has checkpoints."""
    live = checkpoints.alias("remembered")
    return or_(
        projects.c.state != ProjectState.ORPHAN.value,
        projects.c.id.in_(select(live.c.project_id).where(live.c.state == "live")),
    )


def _count(condition: ColumnElement[bool]) -> ColumnElement[int]:
    return func.count(case((condition, 1)))
