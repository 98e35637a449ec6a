"""The plans of retention: what goes, and how much stays by which rule, by a constant number of
statements for any store. No row of a checkpoint that stays comes out of the catalog."""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import (
    Boolean,
    ColumnElement,
    CompoundSelect,
    Connection,
    Executable,
    Integer,
    Select,
    String,
    and_,
    bindparam,
    case,
    column,
    func,
    literal_column,
    not_,
    null,
    or_,
    select,
    union_all,
)
from sqlalchemy.sql.selectable import CTE
from sqlalchemy.types import TypeEngine

from hermes_checkpoints.catalog.decisions import (
    decisions,
    is_live_or_lost,
    is_safety,
    requested,
    still_holds,
)
from hermes_checkpoints.catalog.engine import Records
from hermes_checkpoints.catalog.labels import is_labelled
from hermes_checkpoints.catalog.policy import policy_of_parameters
from hermes_checkpoints.catalog.policy_values import (
    Found,
    in_order,
    judged_again,
    parameters,
    project_of,
    standings,
)
from hermes_checkpoints.catalog.retention import select_projects
from hermes_checkpoints.catalog.schema import checkpoints, projects
from hermes_checkpoints.catalog.size_cap import capped
from hermes_checkpoints.catalog.sqlite import MOST
from hermes_checkpoints.model import (
    Decision,
    KeptGroup,
    Policy,
    ProjectFacts,
    ProjectState,
    PrunePlan,
    Rule,
    Standing,
)

_OF_ANY = Rule.KEEP_RULE, Rule.WITHIN_LIMITS
_OF_THOSE_THERE = Rule.NEWEST, Rule.LAST_RESTORE
"""What stays by these rules is summed up over all projects, or over those that may be there."""
_OF_PROJECT = select(projects.c.id).where(projects.c.hash == bindparam("project")).scalar_subquery()
_WITH_CHECKPOINTS = select_projects().where(
    select(checkpoints.c.id)
    .where(checkpoints.c.state == "live", checkpoints.c.project_id == projects.c.id)
    .exists()
)
_ONE = select_projects().where(projects.c.hash == bindparam("project"))
_ONE_WITH_CHECKPOINTS = _WITH_CHECKPOINTS.where(projects.c.hash == bindparam("project"))


class Plans(Records):
    """Plans, and what became meanwhile of the checkpoints in one. Every method reads one state."""

    def plan(self, policy: Policy, now: datetime, project: str | None = None) -> PrunePlan:
        """Return what goes by the rules, and how many stay, of one state of the catalog.

        With ``reclaim_bytes`` in the policy, the size cap decides as well. ``project`` is the hash
        of the one project to decide about. What goes comes by project, newest touch first, and
        within it newest first.
        """
        told = parameters(policy, now, project=project)
        plan = _plan(one=project is not None, cap=policy.reclaim_bytes > 0)
        with self._transactions.reading() as connection:
            facts = _facts(connection, project)
            found = Found(facts)
            for row in connection.execute(plan, told):
                found.add(row)
        groups = found.groups
        groups.sort(key=lambda row: found.place.get(row.project_id, len(facts)))
        sums = [sum(row.id_sum for row in groups), max((row.id_max for row in groups), default=0)]
        mark = " ".join(map(str, [sum(row.number for row in groups), *sums]))
        kept = tuple(_group(row, facts) for row in groups)
        return PrunePlan(now, policy, found.in_order(), kept, len(facts), kept_mark=mark)

    def is_within(self, most: int, most_safety: int, project: str) -> bool:
        """Tell whether one project is within both limits, of which 0 is none, by one statement that
        counts."""
        if most <= 0 and most_safety <= 0:
            return True
        told = {"max_snapshots": min(most, MOST), "max_safety_snapshots": min(most_safety, MOST)}
        return bool(self._column(_within(), {**told, "project": project})[0])

    def over_limit(self, policy: Policy, now: datetime, project: str) -> tuple[Decision, ...]:
        """Return what one project has over ``max_snapshots`` or ``max_safety_snapshots`` and no
        keep rule keeps.

        This is what a take drops, so that a limit holds at any time and nothing else happens
        then. Where ``is_within`` holds it is nothing.
        """
        told = parameters(policy, now, project=project, only_limit=True)
        with self._transactions.reading() as connection:
            rows = connection.execute(_over_limit(), told).all()
            return in_order(rows, _facts(connection, project)) if rows else ()

    def requested(
        self, policy: Policy, now: datetime, project: str, ids: Iterable[str]
    ) -> PrunePlan:
        """Return the plan that drops the live and lost checkpoints of a project with these ids, but
        for what an unfinished restore needs, and pins and labels unless the policy includes
        them."""
        told = parameters(policy, now, project=project, named=ids)
        with self._transactions.reading() as connection:
            rows = connection.execute(_requested(), told).all()
            live, unnamed = connection.execute(_unnamed(), told).one()
            facts = {row.id: project_of(row) for row in connection.execute(_ONE, told)}
        drop = in_order([row for row in rows if row.decision == "drop"], facts)
        refused = in_order([row for row in rows if row.decision == "keep"], facts)
        kept = [KeptGroup(one.rule, one.reason, 1, one.project) for one in refused]
        if unnamed:
            kept.append(KeptGroup(Rule.WITHIN_LIMITS, "it was not named", unnamed))
        return PrunePlan(now, policy, drop, tuple(kept), int(live > 0), refused)

    def standing(
        self, decisions: Sequence[Decision], orphans: Collection[str] | None = None
    ) -> list[Standing | None]:
        """Return for each decision to drop a checkpoint how that stands now, and whether the
        decision still holds; None where it is neither live nor lost. ``orphans`` are the hashes of
        those that somebody agreed to, None all of them."""
        return standings(self._rows(_standing(), judged_again(decisions, orphans)))


def _facts(connection: Connection, project: str | None) -> dict[int, ProjectFacts]:
    """Return the projects that have live checkpoints by id, newest touch first, or only the one
    with that hash."""
    query = _WITH_CHECKPOINTS if project is None else _ONE_WITH_CHECKPOINTS
    told = None if project is None else {"project": project}
    return {row.id: project_of(row) for row in connection.execute(query, told)}


# --- the statements of a plan, made once -------------------------------------------------------


def _listed(name: str) -> Select[Any]:
    """Return the elements of a parameter that is a JSON array, so that any number fits one text
    of a statement."""
    return select(
        func.json_each(bindparam(name, type_=String())).table_valued("value", name=name).c.value
    )


def _is_agreed() -> ColumnElement[bool]:
    """Tell whether somebody agreed that a project goes if it is an orphan."""
    told = bindparam("orphans", type_=String())
    return or_(told.is_(None), projects.c.hash.in_(_listed("orphans")))


def decided(*, one: bool, cap: bool = False) -> CTE:
    """Return the decisions that the program makes, with the columns of ``decisions``, of ``one``
    project or of all, without or with the size cap. ``parameters`` go with it."""
    policy = policy_of_parameters()
    in_use = checkpoints.c.commit_id.in_(_listed("protected"))
    of_project = _OF_PROJECT if one else None
    found = decisions(policy, in_use, of_project, _is_agreed()).cte("decided")
    return capped(found, policy).cte("capped") if cap else found


@functools.cache
def _plan(*, one: bool, cap: bool) -> CompoundSelect[Any]:
    """Return the statement of a plan: a row for each checkpoint that goes, and one for each group
    of those that stay, which has no ``id``."""
    found = decided(one=one, cap=cap)
    return union_all(_details(found).where(found.c.decision == "drop"), _kept(found))


@functools.cache
def _within() -> Executable:
    most, most_safety = (
        bindparam(name, type_=Integer()) for name in ("max_snapshots", "max_safety_snapshots")
    )
    listed = func.count(case((~is_safety(), 1)))
    safety = func.count(case((is_safety(), 1)))
    over = or_(and_(most > 0, listed > most), and_(most_safety > 0, safety > most_safety))
    return select(not_(over)).where(
        checkpoints.c.state == "live", checkpoints.c.project_id == _OF_PROJECT
    )


@functools.cache
def _over_limit() -> Executable:
    found = decided(one=True)
    return _details(found).where(found.c.decision == "drop")


@functools.cache
def _requested() -> Executable:
    return _details(requested(policy_of_parameters(), _is_named(), _OF_PROJECT).cte("decided"))


@functools.cache
def _unnamed() -> Executable:
    """Return how many checkpoints of a project are live, and how many of these nobody named."""
    return select(func.count(), func.count(case((~_is_named(), 1)))).where(
        checkpoints.c.state == "live", checkpoints.c.project_id == _OF_PROJECT
    )


def _is_named() -> ColumnElement[bool]:
    return checkpoints.c.commit_id.in_(_listed("named"))


def _details(found: CTE) -> Select[Any]:
    """Return a row for each decision, with all that a ``Candidate`` needs."""
    return select(
        found.c.project_id,
        found.c.rule,
        found.c.reason.label("why"),
        found.c.decision,
        found.c.id,
        checkpoints.c.commit_id,
        checkpoints.c.ref_name,
        checkpoints.c.created_at,
        checkpoints.c.pinned,
        is_labelled(checkpoints.c.id).label("labelled"),
        checkpoints.c.reason,
        found.c.freed_bytes,
        literal_column("1", Integer).label("number"),
        literal_column("0", Integer).label("id_sum"),
        literal_column("0", Integer).label("id_max"),
    ).join(checkpoints, checkpoints.c.id == found.c.id)


def _kept(found: CTE) -> Select[Any]:
    """Return a row for each group of what stays. The project is null where it does not matter."""
    there = select(projects.c.id).where(projects.c.state != ProjectState.ORPHAN)
    summed = found.c.rule.in_(_OF_ANY) | (
        found.c.rule.in_(_OF_THOSE_THERE) & found.c.project_id.in_(there)
    )
    of_project = case((summed, null()), else_=found.c.project_id)
    nothing = [null() for _ in range(8)]
    return (
        select(
            of_project,
            found.c.rule,
            found.c.reason,
            literal_column("'keep'", String),
            *nothing,
            func.count(),
            func.sum(found.c.id),
            func.max(found.c.id),
        )
        .where(found.c.decision == "keep")
        .group_by(of_project, found.c.rule, found.c.reason)
    )


@functools.cache
def _standing() -> Executable:
    """Return the statement of the look before a deletion: a row for each of the ``decisions`` with
    its place among them, which has no ``id`` where its checkpoint is not there.

    Outer joins keep SQLite from reading the whole array for each live checkpoint."""
    each = func.json_each(bindparam("decisions", type_=String()))
    told = each.table_valued(column("key", Integer), column("value", String), name="told")

    def of(name: str, kind: TypeEngine[Any]) -> ColumnElement[Any]:
        return func.json_extract(told.c.value, f"$.{name}", type_=kind).label(name)

    flags = (of(name, Boolean()) for name in ("pinned", "labelled"))
    decided = select(told.c.key, of("id", String()), of("rule", String()), *flags).cte("decided")
    return (
        select(
            decided.c.key,
            checkpoints.c.id,
            checkpoints.c.pinned,
            is_labelled(checkpoints.c.id),
            still_holds(decided, _is_agreed()),
        )
        .select_from(decided)
        .outerjoin(checkpoints, and_(checkpoints.c.commit_id == decided.c.id, is_live_or_lost()))
        .outerjoin(projects, projects.c.id == checkpoints.c.project_id)
    )


def _group(row: Any, facts: Mapping[int, ProjectFacts]) -> KeptGroup:
    project = None if row.project_id is None else facts[row.project_id]
    return KeptGroup(Rule(row.rule), row.why, row.number, project)
