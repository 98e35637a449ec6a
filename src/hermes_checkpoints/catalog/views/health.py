"""The view that says whether takes work: of each directory the last success, what has failed since,
and how long takes last."""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    ColumnElement,
    FromClause,
    ScalarSelect,
    Select,
    Subquery,
    case,
    func,
    literal_column,
    select,
    union,
)

from hermes_checkpoints.catalog.operations import unresolved, worked
from hermes_checkpoints.catalog.schema import operations, projects
from hermes_checkpoints.catalog.status import remembered
from hermes_checkpoints.catalog.views.sql import moment, second
from hermes_checkpoints.model import OperationKind, OperationOutcome

HEALTH_DAYS = 7
"""Of how many days the takes are counted and timed."""

_IS_TAKE = operations.c.kind == OperationKind.TAKE
_FAILED = operations.c.outcome == OperationOutcome.FAILED


def take_health() -> Select[Any]:
    """Every project that is one, and every directory of which the journal has a take: one that a
    guard has always refused has no project."""
    tried = select(operations.c.workdir).where(_IS_TAKE, operations.c.workdir.is_not(None))
    place = union(select(projects.c.workdir).where(remembered()), tried).subquery("place")
    success, failure = operations.alias("success"), operations.alias("failure")
    timed = _timed()
    return (
        select(
            place.c.workdir.label("working_directory"),
            second(success.c.finished_at).label("last_success_at"),
            second(failure.c.started_at).label("last_failure_at"),
            failure.c.code.label("last_failure_code"),
            failure.c.message.label("last_failure_message"),
            _since_success(place, _FAILED).label("failures_since_success"),
            _since_success(place, ~_FAILED).label("refusals_since_success"),
            func.coalesce(timed.c.takes, literal_column("0")).label("takes_in_7_days"),
            timed.c.median_ms.label("median_ms"),
            timed.c.p95_ms.label("p95_ms"),
        )
        .select_from(
            place.outerjoin(success, success.c.id == _newest(place, worked()))
            .outerjoin(
                failure,
                failure.c.id == _newest(place, _IS_TAKE, _FAILED),
            )
            .outerjoin(timed, timed.c.workdir == place.c.workdir)
        )
        .order_by(place.c.workdir)
    )


def _newest(place: FromClause, *which: ColumnElement[bool]) -> ScalarSelect[int]:
    """Return the newest operation of a directory of those that meet the conditions."""
    newest = select(func.max(operations.c.id)).where(
        *which, operations.c.workdir == place.c.workdir
    )
    return newest.correlate(place).scalar_subquery()


def _since_success(place: FromClause, ended: ColumnElement[bool]) -> ScalarSelect[int]:
    """Return how many takes of a directory have ended so since the last that worked."""
    of_place = operations.c.workdir == place.c.workdir
    query = select(func.count()).select_from(operations)
    return query.where(unresolved(), ended, of_place).correlate(place).scalar_subquery()


def _timed() -> Subquery:
    """Return by directory how many takes worked of late, and how long they lasted: the shortest
    time within which half of them were done, and the shortest for 95 of a hundred."""
    each = (
        select(
            operations.c.workdir,
            operations.c.duration_ms,
            func.row_number()
            .over(partition_by=operations.c.workdir, order_by=operations.c.duration_ms)
            .label("place"),
            func.count().over(partition_by=operations.c.workdir).label("takes"),
        )
        .where(
            worked(),
            operations.c.duration_ms.is_not(None),
            operations.c.started_at >= moment(literal_column(str(HEALTH_DAYS)), "days"),
        )
        .subquery("each")
    )

    def done(percent: int) -> ColumnElement[int]:
        enough = each.c.place * 100 >= each.c.takes * percent
        return func.min(case((enough, each.c.duration_ms)))

    return (
        select(
            each.c.workdir,
            func.count().label("takes"),
            done(50).label("median_ms"),
            done(95).label("p95_ms"),
        )
        .group_by(each.c.workdir)
        .subquery("timed")
    )
