"""The statement that decides which checkpoints are kept and which are dropped, and says why.

``decisions`` is the one place of these rules. What it is told comes as one row, the *policy*:
bound values where the program asks, subqueries on the settings in a view; so the text is the
same whatever the rules and the time are. Rules that keep come first: what an unfinished restore
needs, what is in use, pins and labels, everything of a project that cannot be seen, and the
newest checkpoint of each project whose directory is not proven to be gone. No other rule, the
size cap included, reaches what these keep.

Times are compared as the text that the catalog stores, which is exact to the microsecond.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    ColumnElement,
    FromClause,
    Integer,
    Select,
    String,
    and_,
    bindparam,
    case,
    cast,
    func,
    literal,
    literal_column,
    not_,
    or_,
    select,
    union_all,
)
from sqlalchemy.sql.selectable import CTE, Subquery
from sqlalchemy.types import TypeEngine

from hermes_checkpoints.catalog.schema import checkpoints, projects, restores
from hermes_checkpoints.catalog.types import UtcDateTime
from hermes_checkpoints.model import ProjectState, RestoreState, Rule

POLICY: dict[str, TypeEngine[Any]] = {
    "now": UtcDateTime(),
    "max_snapshots": Integer(),
    "retention_days": Integer(),
    "stale_before": UtcDateTime(),
    "delete_orphans": Boolean(),
    "orphan_before": UtcDateTime(),
    "orphan_grace_seconds": BigInteger(),
    "keep_last": Integer(),
    "keep_hourly": Integer(),
    "keep_daily": Integer(),
    "keep_weekly": Integer(),
    "keep_monthly": Integer(),
    "within_since": UtcDateTime(),
    "include_pinned": Boolean(),
    "only_limit": Boolean(),
    "cap_bytes": BigInteger(),
    "reclaim_bytes": BigInteger(),
}
"""The columns of a policy.

Numbers are off at 0. A project is stale if it was not touched after ``stale_before`` (null:
never), which is ``retention_days`` before ``now``; the days themselves stand in reasons only. An
orphan goes if its absence was first seen at ``orphan_before`` or earlier, which is
``orphan_grace_seconds`` before ``now``; where a person agreed both are null, and it goes at once.
What was taken at ``within_since`` or later is kept (null: nothing is, for that reason).
``only_limit`` is a take's trim: what no keep rule keeps goes by ``max_snapshots`` alone.
``cap_bytes`` is named in reasons, ``reclaim_bytes`` is what the size cap has to find.
"""

LIVE: ColumnElement[bool] = checkpoints.c.state == literal_column("'live'")
"""Whether a checkpoint is live; written out, so that SQLite finds the index of just these."""

DROPS = Rule.ORPHAN, Rule.STALE, Rule.OVER_LIMIT, Rule.NO_KEEP_RULE
"""The rules by which a checkpoint goes, but for the size cap and what a person names."""

_CALENDAR = ("hourly", "daily", "weekly", "monthly")
_Values = Mapping[str, ColumnElement[Any]]


def policy_of_parameters() -> CTE:
    """Return the policy whose every column is a bound value of that name."""
    columns = (bindparam(name, type_=kind).label(name) for name, kind in POLICY.items())
    return select(*columns).cte("policy")


def values_of(policy: FromClause) -> _Values:
    """Return the columns of a policy as values by name. SQLite reads each once a statement, which
    costs less than to join the policy to every row."""
    return {name: select(policy.c[name]).scalar_subquery() for name in POLICY}


def decisions(
    policy: FromClause,
    protected: ColumnElement[bool],
    of_project: ColumnElement[int] | None = None,
) -> Select[Any]:
    """Return the query of what becomes of each live checkpoint, and why.

    ``policy`` is one row with the columns of ``POLICY``; ``protected`` is a condition on the
    table ``checkpoints`` that tells what is in use; ``of_project`` is the id of the one project
    to decide about. Columns: ``id``, ``project_id``, ``commit_id``, ``created_at``, ``decision``
    (``keep`` or ``drop``), ``rule``, ``reason`` (words that end a sentence beginning with
    "because"), and ``freed_bytes``: an estimate of what the store loses with the checkpoint where
    the older ones go first. The size cap is decided on top of this.
    """
    told = values_of(policy)
    ruled = _ruled(told, protected, of_project)
    return select(
        ruled.c.id,
        ruled.c.project_id,
        ruled.c.commit_id,
        ruled.c.created_at,
        case(dict.fromkeys(DROPS, "drop"), value=ruled.c.rule, else_="keep").label("decision"),
        ruled.c.rule,
        _reason(told, ruled).label("reason"),
        ruled.c.freed_bytes,
    )


def all_if(condition: ColumnElement[bool]) -> ColumnElement[int]:
    """Return a limit that lets all rows through, or none, and then none is read."""
    return case((condition, -1), else_=0)


def held_off(
    protected: ColumnElement[bool],
    include_pinned: ColumnElement[bool],
    id_: ColumnElement[int],
    pinned: ColumnElement[bool],
    label: ColumnElement[str],
) -> list[tuple[ColumnElement[bool], Rule]]:
    """Return what keeps a checkpoint whatever else is asked: conditions in their order, each with
    its rule. A person who names it cannot drop it either."""
    return [
        (id_.in_(select(_unfinished().c.id)), Rule.UNFINISHED),
        (protected, Rule.PROTECTED),
        (and_(pinned, not_(include_pinned)), Rule.PINNED),
        (and_(label.is_not(None), not_(include_pinned)), Rule.LABELLED),
    ]


def why_held_off(label: ColumnElement[str]) -> dict[Rule, ColumnElement[str]]:
    """Return the reason of each rule of ``held_off``."""
    return {
        Rule.UNFINISHED: literal("an unfinished restore needs it"),
        Rule.PROTECTED: literal("it is in use just now"),
        Rule.PINNED: literal("it is pinned"),
        Rule.LABELLED: literal("it has the label ") + label,
    }


# --- the parts, from the inside out ------------------------------------------------------------


def _ruled(
    told: _Values, protected: ColumnElement[bool], of_project: ColumnElement[int] | None
) -> Subquery:
    """Return each live checkpoint with the rule that decides, and what its reason needs."""
    ranked = _ranked(protected, of_project)
    kept = _newest_of_periods(told, of_project)
    over = and_(told["max_snapshots"] > 0, ranked.c.rank > told["max_snapshots"])
    rule = case(
        *held_off(
            ranked.c.in_use,
            told["include_pinned"],
            ranked.c.id,
            ranked.c.pinned,
            ranked.c.label,
        ),
        (projects.c.state == ProjectState.UNREACHABLE, Rule.UNREACHABLE),
        (and_(projects.c.state == ProjectState.ORPHAN, _orphans_go(told)), Rule.ORPHAN),
        (ranked.c.rank == 1, Rule.NEWEST),
        (ranked.c.rank <= told["keep_last"], Rule.KEEP_RULE),
        (ranked.c.created_at >= told["within_since"], Rule.KEEP_RULE),
        (kept.c.place.is_not(None), Rule.KEEP_RULE),
        (and_(_any_keep_rule(told), not_(told["only_limit"])), Rule.NO_KEEP_RULE),
        (projects.c.last_touch <= told["stale_before"], Rule.STALE),
        (over, Rule.OVER_LIMIT),
        else_=Rule.WITHIN_LIMITS,
    )
    return (
        select(
            ranked.c.id,
            ranked.c.project_id,
            ranked.c.commit_id,
            ranked.c.created_at,
            ranked.c.label,
            ranked.c.rank,
            ranked.c.freed_bytes,
            projects.c.state,
            projects.c.missing_since,
            projects.c.last_touch,
            kept.c.place,
            rule.label("rule"),
        )
        .select_from(
            ranked.join(projects, projects.c.id == ranked.c.project_id).outerjoin(
                kept, kept.c.id == ranked.c.id
            )
        )
        .limit(-1)  # all, but the rule is a column then and not worked out at each mention
        .subquery("ruled")
    )


def _ranked(protected: ColumnElement[bool], of_project: ColumnElement[int] | None) -> Subquery:
    """Return live checkpoints with their rank in the project, 1 for the newest, and their cost.

    What goes with a checkpoint is what the next one replaced: contents, and about as much beside
    them as that one added. With the newest goes all that it holds.
    """
    rest = checkpoints.c.added_bytes - checkpoints.c.stored_bytes
    beside = case((rest > 0, rest), else_=0)
    newest_first: Any = {
        "partition_by": checkpoints.c.project_id,
        "order_by": checkpoints.c.id.desc(),
    }
    next_replaced = func.lag(checkpoints.c.superseded_bytes + beside).over(**newest_first)
    return (
        select(
            checkpoints.c.id,
            checkpoints.c.project_id,
            checkpoints.c.commit_id,
            checkpoints.c.created_at,
            checkpoints.c.pinned,
            checkpoints.c.label,
            protected.label("in_use"),
            func.row_number().over(**newest_first).label("rank"),
            func.coalesce(next_replaced, checkpoints.c.held_bytes + beside).label("freed_bytes"),
        )
        .where(*_live(of_project))
        .subquery("ranked")
    )


def _newest_of_periods(told: _Values, of_project: ColumnElement[int] | None) -> Subquery:
    """Return what the rules of calendar periods keep: ``id``, and ``place``, the first of these
    rules that does, by its place among them.

    A period counts if it has a checkpoint, and its newest is kept; so one that is kept by a rule
    today is kept by it again at the next prune. Times are the local ones of the checkpoints
    themselves. The offset belongs to an hour: it tells apart the two of a clock set back.
    """
    local = _local_times(told, of_project)
    hour, day, month = (func.substr(local.c.time, 1, length) for length in (13, 10, 7))
    monday = func.date(local.c.time, literal_column("'-6 days'"), literal_column("'weekday 1'"))
    periods = (hour, local.c.offset), (day,), (monday,), (month,)
    newest = cast(func.max(local.c.id), Integer)  # of that type, SQLite joins it by an index
    number = func.row_number().over(partition_by=local.c.project_id, order_by=newest.desc())
    kept = []
    for place, (name, key) in enumerate(zip(_CALENDAR, periods, strict=True)):
        wanted = told[f"keep_{name}"]
        found = (
            select(newest.label("id"), number.label("number"))
            .group_by(local.c.project_id, *key)
            .limit(all_if(wanted > 0))
            .subquery(name)
        )
        kept.append(
            select(found.c.id, literal_column(str(place), Integer).label("place")).where(
                found.c.number <= wanted
            )
        )
    every = union_all(*kept).subquery("every")
    first = func.min(every.c.place).label("place")
    return select(every.c.id, first).group_by(every.c.id).subquery("kept")


def _local_times(told: _Values, of_project: ColumnElement[int] | None) -> CTE:
    """Return live checkpoints with their local times; none where no calendar rule is on."""
    offset = checkpoints.c.utc_offset_minutes
    shift = cast(offset, String) + literal_column("' minutes'", String)
    return (
        select(
            checkpoints.c.id,
            checkpoints.c.project_id,
            offset.label("offset"),
            func.datetime(_seconds(checkpoints.c.created_at), shift).label("time"),
        )
        .where(*_live(of_project))
        .limit(all_if(or_(*(told[f"keep_{name}"] > 0 for name in _CALENDAR))))
        .cte("local_times")
    )


def _any_keep_rule(told: _Values) -> ColumnElement[bool]:
    counts = [told[f"keep_{name}"] > 0 for name in ("last", *_CALENDAR)]
    return or_(*counts, told["within_since"].is_not(None))


def _missing_since(told: _Values, of: FromClause) -> ColumnElement[Any]:
    """Return when the absence of a directory was first seen."""
    return func.coalesce(of.c.missing_since, told["now"])


def _orphans_go(told: _Values) -> ColumnElement[bool]:
    limit = told["orphan_before"]
    return and_(
        told["delete_orphans"],
        or_(limit.is_(None), _missing_since(told, projects) <= limit),
    )


def _unfinished() -> CTE:
    """Return the targets and safety checkpoints (``id``) of restores that were killed while they
    wrote, until they are undone or another restore of the project comes after them."""
    later = restores.alias("later")
    superseded = (
        select(later.c.id)
        .where(later.c.project_id == restores.c.project_id, later.c.id > restores.c.id)
        .exists()
    )
    killed = and_(
        restores.c.state == RestoreState.INTERRUPTED, restores.c.undone_by.is_(None), ~superseded
    )
    unfinished = or_(restores.c.state == RestoreState.WRITING, killed)
    return union_all(
        select(restores.c.target_id.label("id")).where(unfinished),
        select(restores.c.safety_id).where(unfinished),
    ).cte("unfinished")


def _reason(told: _Values, ruled: Subquery) -> ColumnElement[str]:
    seen = "its directory is gone, as seen first on " + _day(_missing_since(told, ruled))
    reasons = {
        Rule.WITHIN_LIMITS: literal("it is within all limits"),
        **why_held_off(ruled.c.label),
        Rule.UNREACHABLE: literal(
            "its directory cannot be seen, which does not prove that it is gone"
        ),
        Rule.ORPHAN: seen,
        Rule.NEWEST: case(
            (ruled.c.state != ProjectState.ORPHAN, "it is the newest of its project"),
            else_=seen + _why_orphans_stay(told, ruled),
        ),
        Rule.KEEP_RULE: _which_keep_rule(told, ruled),
        Rule.NO_KEEP_RULE: literal("no keep rule keeps it"),
        Rule.STALE: "its project was last touched on "
        + _day(ruled.c.last_touch)
        + " (retention_days: "
        + cast(told["retention_days"], String)
        + ")",
        Rule.OVER_LIMIT: "its project has more than "
        + cast(told["max_snapshots"], String)
        + " (max_snapshots)",
    }
    return case(reasons, value=ruled.c.rule)


def _why_orphans_stay(told: _Values, ruled: Subquery) -> ColumnElement[str]:
    grace = cast(told["orphan_grace_seconds"], String) + literal_column("' seconds'", String)
    return case(
        (not_(told["delete_orphans"]), ", and orphans are kept"),
        else_=", and orphans are kept until "
        + _day(_missing_since(told, ruled), grace)
        + " unless somebody agrees",
    )


def _which_keep_rule(told: _Values, ruled: Subquery) -> ColumnElement[str]:
    last = "it is one of the last " + cast(told["keep_last"], String) + " (keep_last)"
    return case(
        (ruled.c.rank <= told["keep_last"], last),
        (ruled.c.created_at >= told["within_since"], "it is young enough (keep_within)"),
        *(
            (ruled.c.place == place, f"it is the newest of its period (keep_{name})")
            for place, name in enumerate(_CALENDAR)
        ),
    )


def _live(of_project: ColumnElement[int] | None) -> list[ColumnElement[bool]]:
    return [LIVE] if of_project is None else [LIVE, checkpoints.c.project_id == of_project]


def _seconds(moment: ColumnElement[Any]) -> ColumnElement[str]:
    """Return the text of a time without the fraction, which SQLite would round."""
    return func.substr(moment, 1, 19, type_=String())


def _day(moment: ColumnElement[Any], later: ColumnElement[str] | None = None) -> ColumnElement[str]:
    """Return the date of a moment, or of one some time later, in this machine's zone."""
    shifts = [] if later is None else [later]
    return func.date(_seconds(moment), *shifts, literal_column("'localtime'"), type_=String())
