"""The statement that decides which checkpoints are kept and which are dropped, and says why.

``decisions`` is the one place of these rules. What it is told comes as one row, the *policy*:
bound values where the program asks, subqueries on the settings in a view; so the text is the
same whatever the rules and the time are. Rules that keep come first: what an unfinished restore
needs, what is in use, pins and labels, everything of a project that cannot be seen or is an orphan
that nobody agreed to, and, of each project whose directory is not proven to be gone, the newest
checkpoint and the state before the last restore. No other rule, the size cap included, reaches
what these keep. Safety checkpoints have a limit of their own, and no keep rule is about them.

Times are compared as the text that the catalog stores, which is exact to the microsecond.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    FromClause,
    Integer,
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
    not_,
    or_,
    select,
    true,
    tuple_,
    union_all,
)
from sqlalchemy.sql.selectable import CTE, Subquery

from hermes_checkpoints.catalog.labels import is_labelled, joined_labels
from hermes_checkpoints.catalog.packing import beside_contents, packed, whole_bytes
from hermes_checkpoints.catalog.policy import Values, all_if, values_of
from hermes_checkpoints.catalog.schema import checkpoints, projects, restores
from hermes_checkpoints.catalog.types import UtcDateTime
from hermes_checkpoints.model import Kind, ProjectState, RestoreState, Rule
from hermes_checkpoints.model.retention import BY_HAND

DROPS = Rule.ORPHAN, Rule.NO_KEEP_RULE, Rule.STALE, Rule.OVER_LIMIT, Rule.REQUESTED
"""The rules by which a checkpoint goes, but for the size cap."""

_ALSO_THE_NEWEST = Rule.ORPHAN, Rule.REQUESTED
"""The rules by which the newest checkpoint of a project goes, too, and the state before its last
restore."""

_CALENDAR = ("hourly", "daily", "weekly", "monthly")


def decisions(
    policy: FromClause,
    protected: ColumnElement[bool],
    of_project: ColumnElement[int] | None = None,
    agreed: ColumnElement[bool] | None = None,
) -> Select[Any]:
    """Return the query of what becomes of each live checkpoint, and why.

    ``policy`` is one row with the columns of ``POLICY``; ``protected`` is a condition on the
    table ``checkpoints`` that tells what is in use; ``of_project`` is the id of the one project
    to decide about; ``agreed`` is a condition on the table ``projects`` that tells which orphans
    may lose anything, without it all. Columns: ``id``, ``project_id``, ``commit_id``,
    ``created_at``, ``decision`` (``keep`` or ``drop``), ``rule``, ``reason`` (words that end a
    sentence beginning with "because"), ``by_hand`` (whether a person or script took it), and
    ``freed_bytes``: an estimate of what the store loses with the checkpoint where the older ones
    go first. The size cap is decided on top of this.
    """
    told = values_of(policy)
    live = _placed(told, _ranked(protected, of_project))
    return _judged(
        live,
        [
            *_protections(told, live),
            *_rules_of_projects(told, live, agreed),
            *_keep_rules(told, live, of_project),
            *_limits(told, live),
        ],
        most_of_project(told),
    )


def requested(
    policy: FromClause, named: ColumnElement[bool], of_project: ColumnElement[int]
) -> Select[Any]:
    """Return the query of what becomes of the checkpoints of a project that a person names.

    They go but for what an unfinished restore needs, pins and labels; lost ones as well, which free
    nothing. ``named`` is a condition on the table ``checkpoints``; the columns are those of
    ``decisions``.
    """
    told = values_of(policy)
    asked = _asked(_ranked(named, of_project), named, of_project)
    rules = _protections(told, asked, used=False)
    rules += [_Line(asked.c.marked, Rule.REQUESTED, literal(BY_HAND))]
    return _judged(asked, rules, most_of_project(told), asked.c.marked)


def still_holds(decided: FromClause, agreed: ColumnElement[bool]) -> ColumnElement[bool]:
    """Tell whether a checkpoint that somebody decided to drop may still go, as the rows are now.

    ``decided`` says of the checkpoint of the row by which ``rule`` it goes, and whether it was
    ``pinned`` and ``labelled`` when that was decided. It stays where it has a pin or a label since,
    where an unfinished restore needs it, and where its directory has come back. Unless a person
    named it, it stays as well where it is ``is_spared`` by now; and unless its whole project may
    go, where it is the newest by now, or what the last restore is taken back with.
    """
    marked = or_(
        and_(checkpoints.c.pinned, not_(decided.c.pinned)),
        and_(is_labelled(checkpoints.c.id), not_(decided.c.labelled)),
    )
    needed = checkpoints.c.id.in_(select(unfinished().c.id))
    came_back = and_(decided.c.rule == Rule.ORPHAN, projects.c.state != ProjectState.ORPHAN)
    spared = and_(decided.c.rule != Rule.REQUESTED, is_spared(agreed))
    last = and_(
        decided.c.rule.not_in(_ALSO_THE_NEWEST),
        or_(_is_newest(), undoes_the_last(checkpoints)),
    )
    stays = or_(marked, needed, came_back, spared, last)
    return case(
        (stays, false()), else_=true()
    )  # NULL, as where there was no restore, keeps nothing


def unfinished() -> CTE:
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
    open_ = or_(restores.c.state == RestoreState.WRITING, killed)
    return union_all(
        select(restores.c.target_id.label("id")).where(open_, restores.c.target_id.is_not(None)),
        select(restores.c.safety_id).where(open_),
    ).cte("unfinished")


def undoes_the_last(
    live: FromClause, of_project: ColumnElement[int] | None = None
) -> ColumnElement[bool]:
    """Tell whether a checkpoint is what the last restore, undo or redo of its project is taken
    back with. Where ``of_project`` is given, ``live`` has checkpoints of that project alone."""
    last = (
        select(restores.c.safety_id)
        .where(restores.c.project_id == projects.c.id)
        .order_by(restores.c.id.desc())
        .limit(1)
        .scalar_subquery()
    )
    found = select(projects.c.id.label("project_id"), last.label("id"))
    found = found.where(true() if of_project is None else projects.c.id == of_project)
    undoable = found.cte("undoable")
    return tuple_(live.c.project_id, live.c.id).in_(select(undoable))


def is_spared(agreed: ColumnElement[bool]) -> ColumnElement[bool]:
    """Tell whether no rule drops anything of a project: it is an orphan, and none of those that
    are ``agreed`` to."""
    return and_(projects.c.state == ProjectState.ORPHAN, not_(agreed))


def is_safety(of: FromClause = checkpoints) -> ColumnElement[bool]:
    """Tell whether a checkpoint is a safety checkpoint, which no list number means."""
    return of.c.kind == Kind.SAFETY


def is_lost() -> ColumnElement[bool]:
    """Tell whether a checkpoint was found to be lost: the store lacks part of it."""
    return and_(checkpoints.c.state == "pruned", checkpoints.c.lost_at.is_not(None))


def is_live_or_lost() -> ColumnElement[bool]:
    """Tell whether a checkpoint is live, or was found to be lost."""
    return or_(checkpoints.c.state == "live", is_lost())


def most_of_project(told: Values) -> ColumnElement[int]:
    """Return how many checkpoints of a project are kept: its own number, where it has one and that
    is to count, else that of the policy."""
    own = and_(told["own_limits"], projects.c.max_snapshots.is_not(None))
    return case((own, projects.c.max_snapshots), else_=told["max_snapshots"])


# --- the rules, in their order -----------------------------------------------------------------


class _Line(NamedTuple):
    """A rule. The first one that ``applies`` decides; the reason is made of what is
    selected beside the number of the rule."""

    applies: ColumnElement[bool]
    rule: Rule
    reason: ColumnElement[str]


_LABELS = column("labels", String())
_LAST_TOUCH = column("last_touch", UtcDateTime())
_MOST = column("most", Integer())
_MISSING_SINCE = column("missing_since", UtcDateTime())


def _protections(told: Values, live: FromClause, *, used: bool = True) -> list[_Line]:
    """What is kept whatever the other rules say, and also if a person names it."""
    marks_hold = not_(told["include_pinned"])
    needed = live.c.id.in_(select(unfinished().c.id))
    lines = [_Line(needed, Rule.UNFINISHED, literal("an unfinished restore needs it"))]
    if used:
        lines.append(_Line(live.c.marked, Rule.PROTECTED, literal("it is in use just now")))
    return [
        *lines,
        _Line(and_(live.c.pinned, marks_hold), Rule.PINNED, literal("it is pinned")),
        _Line(
            and_(live.c.labels.is_not(None), marks_hold),
            Rule.LABELLED,
            case(
                (func.instr(_LABELS, literal(", ", String)) > 0, literal("it has the labels ")),
                else_=literal("it has the label "),
            )
            + _LABELS,
        ),
    ]


def _rules_of_projects(
    told: Values, live: FromClause, agreed: ColumnElement[bool] | None
) -> list[_Line]:
    """What the state of a project's directory decides, and that the newest stays, as does what
    the last restore can be taken back with."""
    unreachable = "its directory cannot be seen, which does not prove that it is gone"
    orphan = projects.c.state == ProjectState.ORPHAN
    since = func.coalesce(projects.c.missing_since, told["now"])
    limit = told["orphan_before"]
    long_enough = or_(limit.is_(None), since <= limit)
    newest = live.c.rank == 1
    seen = func.coalesce(_MISSING_SINCE, told["now"])
    gone = "its directory is gone, as seen first on " + _day(seen)
    grace = cast(told["orphan_grace_seconds"], String) + literal_column("' seconds'", String)
    until = gone + ", and orphans are kept until " + _day(seen, grace) + " unless somebody agrees"
    spared = gone + ", and nobody agreed that anything of it goes"
    lines = [
        _Line(projects.c.state == ProjectState.UNREACHABLE, Rule.UNREACHABLE, literal(unreachable)),
    ]
    if agreed is not None:
        lines.append(_Line(is_spared(agreed), Rule.PROTECTED, spared))
    return [
        *lines,
        _Line(and_(orphan, told["delete_orphans"], long_enough), Rule.ORPHAN, gone),
        _Line(
            and_(newest, orphan, not_(told["delete_orphans"])),
            Rule.NEWEST,
            gone + ", and orphans are kept",
        ),
        _Line(and_(newest, orphan), Rule.NEWEST, until),
        _Line(newest, Rule.NEWEST, literal("it is the newest of its project")),
        _Line(
            live.c.undoes,
            Rule.LAST_RESTORE,
            literal("the last restore is taken back with it"),
        ),
    ]


def _keep_rules(
    told: Values, live: FromClause, of_project: ColumnElement[int] | None
) -> list[_Line]:
    """What keep rules keep; where there are any, nothing else stays but safety checkpoints, which
    they are not about.

    A period counts if it has a checkpoint, and its newest is kept; so one that is kept by a rule
    today is kept by it again at the next prune. Times are the local ones of the checkpoints
    themselves. The offset belongs to an hour: it tells apart the two of a clock set back.
    """
    local = _local_times(told, of_project)
    hour, day, month = (func.substr(local.c.time, 1, length) for length in (13, 10, 7))
    monday = func.date(local.c.time, literal_column("'-6 days'"), literal_column("'weekday 1'"))
    periods = (hour, local.c.offset), (day,), (monday,), (month,)
    last = "it is one of the last " + cast(told["keep_last"], String) + " (keep_last)"
    listed = not_(live.c.safety)
    any_rule = or_(
        *(told[f"keep_{name}"] > 0 for name in ("last", *_CALENDAR)),
        told["within_since"].is_not(None),
    )
    return [
        _Line(and_(listed, live.c.rank <= told["keep_last"]), Rule.KEEP_RULE, last),
        _Line(
            and_(listed, live.c.created_at >= told["within_since"]),
            Rule.KEEP_RULE,
            literal("it is young enough (keep_within)"),
        ),
        *(
            _Line(
                live.c.id.in_(_newest_of_periods(local, key, told[f"keep_{name}"])),
                Rule.KEEP_RULE,
                literal(f"it is the newest of its period (keep_{name})"),
            )
            for name, key in zip(_CALENDAR, periods, strict=True)
        ),
        _Line(
            and_(listed, any_rule, not_(told["only_limit"])),
            Rule.NO_KEEP_RULE,
            literal("no keep rule keeps it"),
        ),
    ]


def _limits(told: Values, live: FromClause) -> list[_Line]:
    """What is too old or too much; all else stays."""
    touched = "its project was last touched on " + _day(_LAST_TOUCH)
    stale = touched + " (retention_days: " + cast(told["retention_days"], String) + ")"
    more = "its project has more than "
    over = more + cast(_MOST, String) + " (max_snapshots)"
    most, most_safety = most_of_project(told), told["max_safety_snapshots"]
    over_safety = more + cast(most_safety, String) + " safety checkpoints (max_safety_snapshots)"
    beyond = live.c.safety, most_safety > 0, live.c.place > most_safety
    return [
        _Line(projects.c.last_touch <= told["stale_before"], Rule.STALE, stale),
        _Line(and_(*beyond), Rule.OVER_LIMIT, over_safety),
        _Line(
            and_(not_(live.c.safety), most > 0, live.c.place > most),
            Rule.OVER_LIMIT,
            over,
        ),
        _Line(true(), Rule.WITHIN_LIMITS, literal("it is within all limits")),
    ]


# --- the parts ---------------------------------------------------------------------------------


def _judged(
    live: FromClause,
    rules: Sequence[_Line],
    most: ColumnElement[int],
    only: ColumnElement[bool] | None = None,
) -> Select[Any]:
    """Return what the first rule that applies decides about each live checkpoint."""
    number = case(*((line.applies, place) for place, line in enumerate(rules)))
    judged = (
        select(
            live.c.id,
            live.c.project_id,
            live.c.commit_id,
            live.c.created_at,
            live.c.labels,
            live.c.by_hand,
            live.c.freed_bytes,
            projects.c.last_touch,
            projects.c.missing_since,
            most.label("most"),
            number.label("number"),
        )
        .join_from(live, projects, projects.c.id == live.c.project_id)
        .where(true() if only is None else only)
        .limit(-1)  # all; but the number is a column then, not worked out at each mention
        .subquery("judged")
    )

    def by_number(values: Sequence[Any]) -> ColumnElement[str]:
        return case(dict(enumerate(values)), value=judged.c.number)

    decision = by_number(["drop" if line.rule in DROPS else "keep" for line in rules])
    return select(
        judged.c.id,
        judged.c.project_id,
        judged.c.commit_id,
        judged.c.created_at,
        decision.label("decision"),
        by_number([line.rule.value for line in rules]).label("rule"),
        by_number([line.reason for line in rules]).label("reason"),
        judged.c.by_hand,
        judged.c.freed_bytes,
    )


def _ranked(marked: ColumnElement[bool], of_project: ColumnElement[int] | None) -> Subquery:
    """Return live checkpoints with their rank in the project and their cost.

    Rank 1 is the newest; safety checkpoints come after all others. What goes with a checkpoint
    is what the next one replaced: contents, and about as much beside
    them as that one added. With the newest goes all that it holds. Sizes are what git has made of
    those that the takes measured.
    """
    beside = beside_contents()
    safety = is_safety()
    newest_first = checkpoints.c.id.desc()
    rank = func.row_number().over(
        partition_by=checkpoints.c.project_id, order_by=[safety, newest_first]
    )
    next_replaced = func.lag(checkpoints.c.superseded_bytes + beside).over(
        partition_by=checkpoints.c.project_id, order_by=newest_first
    )
    freed = func.coalesce(next_replaced, checkpoints.c.held_bytes + beside)
    return (
        select(
            checkpoints.c.id,
            checkpoints.c.project_id,
            checkpoints.c.commit_id,
            checkpoints.c.created_at,
            checkpoints.c.pinned,
            joined_labels(checkpoints.c.id).label("labels"),
            marked.label("marked"),
            safety.label("safety"),
            (checkpoints.c.kind == Kind.MANUAL).label("by_hand"),
            undoes_the_last(checkpoints, of_project).label("undoes"),
            rank.label("rank"),
            whole_bytes(packed(freed, checkpoints.c.id)).label("freed_bytes"),
        )
        .where(*_live(of_project))
        .subquery("ranked")
    )


def _asked(
    ranked: FromClause, named: ColumnElement[bool], of_project: ColumnElement[int]
) -> Subquery:
    """Return what ``_judged`` reads of the checkpoints that are ranked, and of the lost ones of the
    project that are ``named``, which are all ``marked``."""
    values: dict[str, ColumnElement[Any]] = {
        **{
            name: checkpoints.c[name]
            for name in ("id", "project_id", "commit_id", "created_at", "pinned")
        },
        "labels": joined_labels(checkpoints.c.id),
        "marked": true(),
        "by_hand": checkpoints.c.kind == Kind.MANUAL,
        "freed_bytes": literal_column("0", Integer),
    }
    live = select(*(ranked.c[name] for name in values))
    lost = select(*(value.label(name) for name, value in values.items()))
    lost = lost.where(named, is_lost(), checkpoints.c.project_id == of_project)
    return union_all(live, lost).subquery("asked")


def _is_newest() -> ColumnElement[bool]:
    """Tell whether no live checkpoint of its project is newer; safety checkpoints come after all
    others."""
    newer = checkpoints.alias("newer")
    of_it = newer.c.state == "live", newer.c.project_id == checkpoints.c.project_id
    later = *of_it, newer.c.id > checkpoints.c.id, or_(~is_safety(newer), is_safety())
    other = *of_it, ~is_safety(newer)
    return and_(
        ~select(newer.c.id).where(*later).exists(),
        not_(and_(is_safety(), select(newer.c.id).where(*other).exists())),
    )


def _placed(told: Values, ranked: FromClause) -> Subquery:
    """Return ranked checkpoints with the place at which a limit counts them, 1 for what goes last.

    Safety checkpoints are counted apart, and what a pin or label holds is not counted with the
    rest, unless it is the newest. The newest comes first, then what the last restore is taken back
    with, what has a pin or label that does not hold, what was taken by hand, and all else, each
    newest first.
    """
    marked = or_(ranked.c.pinned, ranked.c.labels.is_not(None))
    held = and_(marked, not_(told["include_pinned"]), ranked.c.rank > 1)
    place = func.row_number().over(
        partition_by=[ranked.c.project_id, ranked.c.safety, held],
        order_by=[
            (ranked.c.rank == 1).desc(),
            ranked.c.undoes.desc(),
            marked.desc(),
            ranked.c.by_hand.desc(),
            ranked.c.id.desc(),
        ],
    )
    return select(*ranked.c, place.label("place")).subquery("placed")


def _newest_of_periods(
    local: FromClause, key: Sequence[ColumnElement[Any]], wanted: ColumnElement[int]
) -> Select[tuple[int]]:
    """Return the newest checkpoint of each of the last ``wanted`` periods of every project."""
    newest = func.max(local.c.id)
    number = func.row_number().over(partition_by=local.c.project_id, order_by=newest.desc())
    found = (
        select(newest.label("id"), number.label("number"))
        .group_by(local.c.project_id, *key)
        .limit(all_if(wanted > 0))
        .subquery("newest")
    )
    return select(found.c.id).where(found.c.number <= wanted)


def _local_times(told: Values, of_project: ColumnElement[int] | None) -> CTE:
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
        .where(*_live(of_project), not_(is_safety()))
        .limit(all_if(or_(*(told[f"keep_{name}"] > 0 for name in _CALENDAR))))
        .cte("local_times")
    )


def _live(of_project: ColumnElement[int] | None) -> list[ColumnElement[bool]]:
    live = checkpoints.c.state == "live"
    return [live] if of_project is None else [live, checkpoints.c.project_id == of_project]


def _seconds(moment: ColumnElement[Any]) -> ColumnElement[str]:
    """Return the text of a time without the fraction, which SQLite would round."""
    return func.substr(moment, 1, 19, type_=String())


def _day(moment: ColumnElement[Any], later: ColumnElement[str] | None = None) -> ColumnElement[str]:
    """Return the date of a moment, or of one some time later, in this machine's zone."""
    shifts = [] if later is None else [later]
    return func.date(_seconds(moment), *shifts, literal_column("'localtime'"), type_=String())
