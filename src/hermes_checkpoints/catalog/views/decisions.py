"""The views of what a prune would do now, in rows and in sums, and of what the size cap takes."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Select, String, column, false, func, select, table
from sqlalchemy.types import BigInteger

from hermes_checkpoints.catalog.decisions import decisions
from hermes_checkpoints.catalog.schema import checkpoints, projects
from hermes_checkpoints.catalog.size_cap import size_cap_candidates as candidates_of
from hermes_checkpoints.catalog.views.policy import IN_FORCE
from hermes_checkpoints.catalog.views.sql import second, short
from hermes_checkpoints.model import Kind

_DECISIONS = table(
    "retention_decisions",
    column("commit_id", String()),
    column("working_directory", String()),
    column("decision", String()),
    column("rule", String()),
    column("bytes", BigInteger()),
)


def retention_decisions() -> Select[Any]:
    """What a prune that nobody watches would decide now. Nothing is in use: what a restore needs
    that was killed is found by the decisions themselves."""
    decided = decisions(IN_FORCE, false()).subquery("decided")
    return (
        select(
            decided.c.commit_id.label("commit_id"),
            short(decided.c.commit_id).label("checkpoint"),
            projects.c.workdir.label("working_directory"),
            second(decided.c.created_at).label("taken_at"),
            decided.c.decision.label("decision"),
            decided.c.rule.label("rule"),
            decided.c.reason.label("reason"),
            decided.c.freed_bytes.label("bytes"),
        )
        .select_from(decided.join(projects, projects.c.id == decided.c.project_id))
        .order_by(projects.c.workdir, decided.c.id.desc())
    )


def prune_preview() -> Select[Any]:
    parts = _DECISIONS.c.working_directory, _DECISIONS.c.decision, _DECISIONS.c.rule
    return (
        select(
            *parts,
            func.count().label("checkpoints"),
            func.sum(_DECISIONS.c.bytes).label("bytes"),
        )
        .group_by(*parts)
        .order_by(*parts)
    )


def size_cap_candidates() -> Select[Any]:
    of_it = checkpoints.c.commit_id == _DECISIONS.c.commit_id
    decided = (
        select(
            checkpoints.c.id,
            checkpoints.c.project_id,
            checkpoints.c.commit_id,
            checkpoints.c.created_at,
            _DECISIONS.c.rule,
            (checkpoints.c.kind == Kind.MANUAL).label("by_hand"),
            _DECISIONS.c.bytes.label("freed_bytes"),
        )
        .select_from(_DECISIONS.join(checkpoints, of_it))
        .subquery("decided")
    )
    candidates = candidates_of(decided).subquery("candidates")
    return (
        select(
            candidates.c.place.label("place"),
            candidates.c.commit_id.label("commit_id"),
            short(candidates.c.commit_id).label("checkpoint"),
            projects.c.workdir.label("working_directory"),
            second(checkpoints.c.created_at).label("taken_at"),
            candidates.c.freed_bytes.label("bytes"),
            (candidates.c.freed_before + candidates.c.freed_bytes).label("running_bytes"),
        )
        .select_from(
            candidates.join(projects, projects.c.id == candidates.c.project_id).join(
                checkpoints, checkpoints.c.id == candidates.c.id
            )
        )
        .order_by(candidates.c.place)
    )
