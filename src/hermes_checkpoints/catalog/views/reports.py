"""The views that list projects, checkpoints and failures, and the sums over the store."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, Select, and_, case, cast, func, literal_column, or_, select
from sqlalchemy.types import Integer

from hermes_checkpoints.catalog.decisions import is_safety
from hermes_checkpoints.catalog.held import held_bytes
from hermes_checkpoints.catalog.labels import joined_labels
from hermes_checkpoints.catalog.operations import unresolved
from hermes_checkpoints.catalog.packing import packed, whole_bytes
from hermes_checkpoints.catalog.schema import checkpoints, operations, projects
from hermes_checkpoints.catalog.status import known_projects, of_project, of_store, remembered
from hermes_checkpoints.catalog.titles import title_of
from hermes_checkpoints.catalog.views.policy import IN_FORCE
from hermes_checkpoints.catalog.views.sql import moment, second, short, yes_or_no
from hermes_checkpoints.model import OperationOutcome, ProjectState

FAILURE_DAYS = 14
"""For how many days ``recent_failures`` lists a failure after which a take has worked."""

_DAY_SECONDS = 86_400

_CHECKPOINTS = of_project(func.count()).label("checkpoints")
_ADDED_BYTES = of_project(func.coalesce(func.sum(checkpoints.c.added_bytes), 0)).label(
    "added_bytes"
)
_HELD_BYTES = held_bytes(of_project=True).label("held_bytes")


def project_status() -> Select[Any]:
    return (
        select(
            projects.c.hash.label("project"),
            projects.c.workdir.label("working_directory"),
            projects.c.state.label("state"),
            second(projects.c.state_checked_at).label("checked_at"),
            _CHECKPOINTS,
            _ADDED_BYTES,
            _HELD_BYTES,
            second(of_project(func.max(checkpoints.c.created_at))).label("last_checkpoint_at"),
            second(projects.c.last_touch).label("last_touch"),
            second(projects.c.created_at).label("created_at"),
            second(projects.c.missing_since).label("missing_since"),
        )
        .where(remembered())
        .order_by(projects.c.last_touch.desc(), projects.c.id.desc())
    )


def checkpoint_list() -> Select[Any]:
    """A number counts what is newer and no safety checkpoint, which has none. It is counted within
    the columns by which people ask for one project, so that SQLite looks for that one alone."""
    number = func.sum(case((~is_safety(), 1), else_=0)).over(
        partition_by=[projects.c.workdir, projects.c.hash], order_by=checkpoints.c.id.desc()
    )
    same = ("kind", "reason")
    figures = ("logical_bytes", "added_bytes", "files_changed", "insertions", "deletions")
    return (
        select(
            projects.c.workdir.label("working_directory"),
            case((~is_safety(), number)).label("number"),
            short(checkpoints.c.commit_id).label("checkpoint"),
            second(checkpoints.c.created_at).label("taken_at"),
            *(checkpoints.c[name].label(name) for name in same),
            joined_labels(checkpoints.c.id).label("labels"),
            yes_or_no(checkpoints.c.pinned).label("pinned"),
            checkpoints.c.file_count.label("files"),
            *(checkpoints.c[name].label(name) for name in figures),
            whole_bytes(packed(checkpoints.c.added_bytes, checkpoints.c.id)).label("held_bytes"),
            checkpoints.c.skipped_count.label("skipped"),
            yes_or_no(checkpoints.c.partial).label("partial"),
            yes_or_no(
                and_(checkpoints.c.skipped_count == 0, checkpoints.c.partial.is_(False))
            ).label("complete"),
            checkpoints.c.session_id.label("session_id"),
            checkpoints.c.turn.label("turn"),
            title_of(checkpoints.c.id).label("turn_title"),
            checkpoints.c.head.label("head"),
            checkpoints.c.branch.label("branch"),
            projects.c.hash.label("project"),
            checkpoints.c.commit_id.label("commit_id"),
        )
        .select_from(checkpoints.join(projects, projects.c.id == checkpoints.c.project_id))
        .where(checkpoints.c.state == "live")
        .order_by(projects.c.workdir, checkpoints.c.id.desc())
    )


def store_totals() -> Select[Any]:
    orphans = projects.c.state == ProjectState.ORPHAN
    unreachable = projects.c.state == ProjectState.UNREACHABLE

    def total(column: ColumnElement[int]) -> ColumnElement[int]:
        return of_store(func.coalesce(func.sum(column), 0), "live")

    return select(
        known_projects().label("projects"),
        known_projects(orphans).label("orphaned_projects"),
        known_projects(unreachable).label("unreachable_projects"),
        of_store(func.count(), "live").label("checkpoints"),
        of_store(func.count(), "live", checkpoints.c.pinned).label("pinned"),
        of_store(func.count(), "arriving").label("arriving"),
        of_store(func.count(), "pruned").label("pruned"),
        total(checkpoints.c.added_bytes).label("added_bytes"),
        held_bytes(of_project=False).label("held_bytes"),
        total(checkpoints.c.superseded_bytes).label("superseded_bytes"),
        second(of_store(func.min(checkpoints.c.created_at), "live")).label("oldest_checkpoint_at"),
        second(of_store(func.max(checkpoints.c.created_at), "live")).label("newest_checkpoint_at"),
    )


def stale_projects() -> Select[Any]:
    policy = IN_FORCE
    now, touched = (
        cast(func.strftime("%s", second(time)), Integer)
        for time in (policy.c.now, projects.c.last_touch)
    )
    return (
        select(
            projects.c.hash.label("project"),
            projects.c.workdir.label("working_directory"),
            projects.c.state.label("state"),
            second(projects.c.last_touch).label("last_touch"),
            ((now - touched) // _DAY_SECONDS).label("days_untouched"),
            policy.c.retention_days.label("retention_days"),
            _CHECKPOINTS,
            _ADDED_BYTES,
            _HELD_BYTES,
        )
        .select_from(projects.join(policy, projects.c.last_touch <= policy.c.stale_before))
        .where(remembered())
        .order_by(projects.c.last_touch)
    )


def orphaned_projects() -> Select[Any]:
    return (
        select(
            projects.c.hash.label("project"),
            projects.c.workdir.label("working_directory"),
            second(projects.c.missing_since).label("missing_since"),
            second(projects.c.last_seen_at).label("last_seen_at"),
            second(projects.c.state_checked_at).label("checked_at"),
            _CHECKPOINTS,
            _ADDED_BYTES,
            _HELD_BYTES,
        )
        .where(projects.c.state == ProjectState.ORPHAN, remembered())
        .order_by(projects.c.missing_since)
    )


def recent_failures() -> Select[Any]:
    failed = operations.c.outcome.in_([OperationOutcome.FAILED, OperationOutcome.PARTIAL])
    recent = operations.c.started_at >= moment(literal_column(str(FAILURE_DAYS)), "days")
    return (
        select(
            second(operations.c.started_at).label("started_at"),
            operations.c.kind.label("operation"),
            operations.c.outcome.label("outcome"),
            operations.c.workdir.label("working_directory"),
            *(
                operations.c[name].label(name)
                for name in ("code", "message", "duration_ms", "session_id", "turn")
            ),
            yes_or_no(unresolved()).label("unresolved"),
        )
        .where(or_(and_(failed, recent), unresolved()))
        .order_by(operations.c.id.desc())
    )
