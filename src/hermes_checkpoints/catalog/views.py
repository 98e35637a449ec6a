"""The views that people read, made of the expressions that the program asks with.

A revision holds the text of each view as it was made then, since revisions import no live code. A
test compares that text with what is built here; so a change of an expression without a new
revision is found, and what people see is what runs.
"""

from __future__ import annotations

import enum
from typing import Any

from sqlalchemy import (
    CTE,
    ColumnElement,
    Select,
    String,
    and_,
    case,
    cast,
    column,
    false,
    func,
    literal,
    literal_column,
    null,
    or_,
    select,
    table,
    type_coerce,
)
from sqlalchemy.dialects.sqlite.base import SQLiteCompiler
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.types import BigInteger, Integer, TypeEngine

from hermes_checkpoints.catalog.decisions import decisions, is_safety
from hermes_checkpoints.catalog.operations import unresolved
from hermes_checkpoints.catalog.policy import POLICY
from hermes_checkpoints.catalog.schema import checkpoints, operations, projects, settings
from hermes_checkpoints.catalog.size_cap import size_cap_candidates
from hermes_checkpoints.catalog.status import known_projects, of_project, of_store, remembered
from hermes_checkpoints.catalog.types import UtcDateTime
from hermes_checkpoints.config import RETENTION_KEYS, Config
from hermes_checkpoints.model import MB, SHORT_ID, Kind, OperationOutcome, ProjectState

FAILURE_DAYS = 14
"""For how many days ``recent_failures`` lists a failure after which a take has worked."""

_OF_THE_HOST = ("auto_prune", "min_interval_hours")
"""They say when a host prunes, not what."""

_HOURS = {"h": 1, "d": 24, "w": 168}
_DAY_SECONDS = 86_400


def definitions() -> dict[str, str]:
    """Return the views that are made here: by name the statement that creates each."""
    made = {
        "retention_policy": _retention_policy(),
        "project_status": _project_status(),
        "checkpoint_list": _checkpoint_list(),
        "store_totals": _store_totals(),
        "stale_projects": _stale_projects(),
        "orphaned_projects": _orphaned_projects(),
        "recent_failures": _recent_failures(),
        "retention_decisions": _retention_decisions(),
        "prune_preview": _prune_preview(),
        "size_cap_candidates": _size_cap_candidates(),
    }
    return {name: f"CREATE VIEW {name} AS\n{_text(query)}" for name, query in made.items()}


class _Compiler(SQLiteCompiler):
    """Writes members of enumerations out as the text that they are bound as."""

    def render_literal_value(self, value: Any, type_: TypeEngine[Any]) -> str:
        if isinstance(value, enum.StrEnum):
            value, type_ = value.value, String()
        return super().render_literal_value(value, type_)


class _Dialect(SQLiteDialect_pysqlite):
    statement_compiler = _Compiler
    supports_statement_cache = False


def _text(query: Select[Any]) -> str:
    """Return a query as SQL that needs no values."""
    return str(query.compile(dialect=_Dialect(), compile_kwargs={"literal_binds": True}))


# --- the settings in force -----------------------------------------------------------------------


def _retention_policy() -> Select[Any]:
    """The retention rules that the settings make, now: one row with the columns of
    ``policy.POLICY``, as ``retention.delete.policy_of`` makes them for a run that nobody
    watches. A setting that the catalog lacks has the default of the configuration."""
    setting = _settings()
    days, grace = _number(setting, "retention_days"), _number(setting, "orphan_grace_days")
    within = _hours(setting.c.keep_within)
    off: ColumnElement[int] = literal_column("0")
    columns: dict[str, ColumnElement[Any]] = {
        "now": _moment(),
        "stale_before": case((days > 0, _moment(days, "days")), else_=null()),
        "delete_orphans": setting.c.delete_orphans == "true",
        "orphan_before": _moment(grace, "days"),
        "orphan_grace_seconds": grace * _DAY_SECONDS,
        "within_since": case((within > 0, _moment(within, "hours")), else_=null()),
        "include_pinned": off,
        "only_limit": off,
        "cap_bytes": cast(setting.c.max_total_size_mb, BigInteger) * MB,
        "reclaim_bytes": off,
        "own_limits": literal_column("1"),
    }
    numbers = {name: _number(setting, name) for name in POLICY if name not in columns}
    made = {**columns, **numbers}
    return select(*(made[name].label(name) for name in POLICY))


IN_FORCE = table("retention_policy", *(column(name, kind) for name, kind in POLICY.items()))
"""The view of these rules, from which the others read them."""


def _settings() -> CTE:
    """Return the settings that decide as one row of text, with the defaults."""
    defaults = Config().settings()
    deciding = [key for key in RETENTION_KEYS if key not in _OF_THE_HOST]

    def value(key: str) -> ColumnElement[str]:
        kept = func.max(case((settings.c.name == key, settings.c.value)))
        return func.coalesce(kept, literal(defaults[key], String)).label(key)

    return select(*map(value, deciding)).cte("setting")


def _number(setting: CTE, key: str) -> ColumnElement[int]:
    return cast(setting.c[key], Integer)


def _hours(age: ColumnElement[str]) -> ColumnElement[int]:
    """Return the hours of an age such as ``12h``, ``7d`` or ``2w``; 0 for the empty text."""
    unit = case(
        *((func.substr(age, -1) == letter, hours) for letter, hours in _HOURS.items()), else_=0
    )
    return cast(age, Integer) * unit


def _moment(back: ColumnElement[int] | None = None, unit: str = "") -> ColumnElement[Any]:
    """Return the present time as the catalog stores times, or one so many units before it."""
    shifts = [] if back is None else [literal("-").concat(cast(back, String)).concat(f" {unit}")]
    text = func.strftime("%Y-%m-%d %H:%M:%f", "now", *shifts, type_=String())
    return type_coerce(text.concat("000"), UtcDateTime())


# --- reports -------------------------------------------------------------------------------------


def _second(moment: ColumnElement[Any]) -> ColumnElement[str]:
    """Return a time cut to seconds."""
    return func.substr(moment, 1, 19, type_=String())


def _yes_or_no(condition: ColumnElement[Any]) -> ColumnElement[str]:
    return case((condition, "yes"), else_="no")


_CHECKPOINTS = of_project(func.count()).label("checkpoints")
_ADDED_BYTES = of_project(func.coalesce(func.sum(checkpoints.c.added_bytes), 0)).label(
    "added_bytes"
)


def _project_status() -> Select[Any]:
    return (
        select(
            projects.c.hash.label("project"),
            projects.c.workdir.label("working_directory"),
            projects.c.state.label("state"),
            _second(projects.c.state_checked_at).label("checked_at"),
            _CHECKPOINTS,
            _ADDED_BYTES,
            _second(of_project(func.max(checkpoints.c.created_at))).label("last_checkpoint_at"),
            _second(projects.c.last_touch).label("last_touch"),
            _second(projects.c.created_at).label("created_at"),
            _second(projects.c.missing_since).label("missing_since"),
        )
        .where(remembered())
        .order_by(projects.c.last_touch.desc(), projects.c.id.desc())
    )


def _checkpoint_list() -> Select[Any]:
    """A number counts what is newer and no safety checkpoint, which has none; a window function
    would keep the condition of whoever asks for one directory from reaching its index."""
    newer = checkpoints.alias("newer")
    number = (
        select(func.count())
        .select_from(newer)
        .where(
            newer.c.state == "live",
            newer.c.project_id == checkpoints.c.project_id,
            newer.c.id >= checkpoints.c.id,
            ~is_safety(newer),
        )
        .scalar_subquery()
    )
    same = ("kind", "reason", "label")
    figures = ("logical_bytes", "added_bytes", "files_changed", "insertions", "deletions")
    return (
        select(
            projects.c.workdir.label("working_directory"),
            case((~is_safety(), number)).label("number"),
            _short(checkpoints.c.commit_id).label("checkpoint"),
            _second(checkpoints.c.created_at).label("taken_at"),
            *(checkpoints.c[name].label(name) for name in same),
            _yes_or_no(checkpoints.c.pinned).label("pinned"),
            checkpoints.c.file_count.label("files"),
            *(checkpoints.c[name].label(name) for name in figures),
            checkpoints.c.skipped_count.label("skipped"),
            _yes_or_no(checkpoints.c.partial).label("partial"),
            _yes_or_no(
                and_(checkpoints.c.skipped_count == 0, checkpoints.c.partial.is_(False))
            ).label("complete"),
            checkpoints.c.session_id.label("session_id"),
            checkpoints.c.turn.label("turn"),
            projects.c.hash.label("project"),
            checkpoints.c.commit_id.label("commit_id"),
        )
        .select_from(checkpoints.join(projects, projects.c.id == checkpoints.c.project_id))
        .where(checkpoints.c.state == "live")
        .order_by(projects.c.workdir, checkpoints.c.id.desc())
    )


def _store_totals() -> Select[Any]:
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
        total(checkpoints.c.superseded_bytes).label("superseded_bytes"),
        _second(of_store(func.min(checkpoints.c.created_at), "live")).label("oldest_checkpoint_at"),
        _second(of_store(func.max(checkpoints.c.created_at), "live")).label("newest_checkpoint_at"),
    )


def _stale_projects() -> Select[Any]:
    policy = IN_FORCE
    now, touched = (
        cast(func.strftime("%s", _second(moment)), Integer)
        for moment in (policy.c.now, projects.c.last_touch)
    )
    return (
        select(
            projects.c.hash.label("project"),
            projects.c.workdir.label("working_directory"),
            projects.c.state.label("state"),
            _second(projects.c.last_touch).label("last_touch"),
            ((now - touched) // _DAY_SECONDS).label("days_untouched"),
            policy.c.retention_days.label("retention_days"),
            _CHECKPOINTS,
            _ADDED_BYTES,
        )
        .select_from(projects.join(policy, projects.c.last_touch <= policy.c.stale_before))
        .where(remembered())
        .order_by(projects.c.last_touch)
    )


def _orphaned_projects() -> Select[Any]:
    return (
        select(
            projects.c.hash.label("project"),
            projects.c.workdir.label("working_directory"),
            _second(projects.c.missing_since).label("missing_since"),
            _second(projects.c.last_seen_at).label("last_seen_at"),
            _second(projects.c.state_checked_at).label("checked_at"),
            _CHECKPOINTS,
            _ADDED_BYTES,
        )
        .where(projects.c.state == ProjectState.ORPHAN, remembered())
        .order_by(projects.c.missing_since)
    )


def _recent_failures() -> Select[Any]:
    failed = operations.c.outcome.in_([OperationOutcome.FAILED, OperationOutcome.PARTIAL])
    recent = operations.c.started_at >= _moment(literal_column(str(FAILURE_DAYS)), "days")
    return (
        select(
            _second(operations.c.started_at).label("started_at"),
            operations.c.kind.label("operation"),
            operations.c.outcome.label("outcome"),
            operations.c.workdir.label("working_directory"),
            *(
                operations.c[name].label(name)
                for name in ("code", "message", "duration_ms", "session_id", "turn")
            ),
            _yes_or_no(unresolved()).label("unresolved"),
        )
        .where(failed, or_(recent, unresolved()))
        .order_by(operations.c.id.desc())
    )


# --- decisions -----------------------------------------------------------------------------------


_DECISIONS = table(
    "retention_decisions",
    column("commit_id", String()),
    column("working_directory", String()),
    column("decision", String()),
    column("rule", String()),
    column("bytes", BigInteger()),
)


def _short(commit_id: ColumnElement[str]) -> ColumnElement[str]:
    return func.substr(commit_id, 1, SHORT_ID, type_=String())


def _retention_decisions() -> Select[Any]:
    """What a prune that nobody watches would decide now. Nothing is in use: what a restore needs
    that was killed is found by the decisions themselves."""
    decided = decisions(IN_FORCE, false()).subquery("decided")
    return (
        select(
            decided.c.commit_id.label("commit_id"),
            _short(decided.c.commit_id).label("checkpoint"),
            projects.c.workdir.label("working_directory"),
            _second(decided.c.created_at).label("taken_at"),
            decided.c.decision.label("decision"),
            decided.c.rule.label("rule"),
            decided.c.reason.label("reason"),
            decided.c.freed_bytes.label("bytes"),
        )
        .select_from(decided.join(projects, projects.c.id == decided.c.project_id))
        .order_by(projects.c.workdir, decided.c.id.desc())
    )


def _prune_preview() -> Select[Any]:
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


def _size_cap_candidates() -> Select[Any]:
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
    candidates = size_cap_candidates(decided).subquery("candidates")
    return (
        select(
            candidates.c.place.label("place"),
            candidates.c.commit_id.label("commit_id"),
            _short(candidates.c.commit_id).label("checkpoint"),
            projects.c.workdir.label("working_directory"),
            _second(checkpoints.c.created_at).label("taken_at"),
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
