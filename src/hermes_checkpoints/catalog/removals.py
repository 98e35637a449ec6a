"""The statement that decides which checkpoints are removed from a remote, and says why.

It is told what lies there just now, in a scratch table, and knows beside it what this base has:
pins and labels, which keep a checkpoint there, too. What is of this machine goes when it is older
than the limit, but for the newest of each project. What is of another machine goes with all that
is of it, once the newest of it is older than another limit, by the time that its name tells, or, as
clocks may be wrong, by that when this base has last found something new of it. Times in the future
are young. What tells no time stays.

A cursor that would keep what is removed within reach is emptied, or goes where it has nothing more
to lead to.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import (
    Boolean,
    Column,
    ColumnElement,
    Connection,
    MetaData,
    Select,
    String,
    Table,
    and_,
    bindparam,
    case,
    false,
    func,
    literal,
    not_,
    or_,
    select,
)
from sqlalchemy.schema import CreateTable

from hermes_checkpoints.catalog.engine import Records
from hermes_checkpoints.catalog.labels import is_labelled
from hermes_checkpoints.catalog.recorded import ListedRef, RemovalTerms
from hermes_checkpoints.catalog.schema import checkpoints, machines, projects, remote_checkpoints
from hermes_checkpoints.catalog.types import Member, PathText, UtcDateTime
from hermes_checkpoints.model import (
    CursorChange,
    CursorFate,
    Remote,
    RemoteKept,
    RemoteRemoval,
    RemoteRule,
)

_scratch = MetaData()
_listed = Table(
    "listed",
    _scratch,
    Column("ref_name", PathText, primary_key=True),
    Column("machine_id", String(12), nullable=False),
    Column("project_hash", String(16), nullable=False),
    Column("commit_id", String(64), nullable=False),
    Column("named_at", UtcDateTime),
    Column("is_cursor", Boolean, nullable=False),
    prefixes=["TEMPORARY"],
)
_judged = Table(
    "judged",
    _scratch,
    Column("ref_name", PathText, primary_key=True),
    Column("machine_id", String(12), nullable=False),
    Column("project_hash", String(16), nullable=False),
    Column("commit_id", String(64), nullable=False),
    Column("taken_at", UtcDateTime),
    Column("last_at", UtcDateTime),
    Column("workdir", PathText),
    Column("is_here", Boolean, nullable=False),
    Column("rule", Member(RemoteRule, 16)),
    prefixes=["TEMPORARY"],
)
_REMOVING = [one for one in RemoteRule if one.removes]


class Decided(NamedTuple):
    """What is removed, oldest first, what is kept by which rule, and what becomes of cursors."""

    remove: list[RemoteRemoval]
    kept: list[RemoteKept]
    cursors: list[CursorChange]


class Removals(Records):
    """What is to be removed from a remote. Every method is one transaction, which writes nothing
    but scratch tables."""

    def decide(self, remote: Remote, listed: Iterable[ListedRef], terms: RemovalTerms) -> Decided:
        """Return what is to be removed of the refs that a remote has, and why."""
        with self._transactions.reading() as connection:
            for table in _scratch.sorted_tables:  # they end with the transaction
                connection.execute(CreateTable(table))
            rows = [dict(zip(_listed.c.keys(), one, strict=True)) for one in listed]
            if rows:
                connection.execute(_listed.insert(), rows)
            judged = _judgement(remote, terms)
            connection.execute(_judged.insert().from_select(list(_judged.c.keys()), judged))
            return Decided(
                _removed(connection, terms), _kept(connection, terms), _cursors(connection, terms)
            )


def _judgement(remote: Remote, terms: RemovalTerms) -> Select[Any]:
    """Return the query of what decides about each checkpoint; NULL about one that is not meant."""
    facts = _facts(remote, terms)
    whole = facts.c.machine_id
    project = whole, facts.c.project_hash
    newest_first = facts.c.taken_at.desc().nulls_last(), facts.c.ref_name.desc()
    told = select(
        facts,
        func.row_number().over(partition_by=project, order_by=newest_first).label("place"),
        func.max(facts.c.taken_at).over(partition_by=whole).label("newest_at"),
        func.min(facts.c.is_dated).over(partition_by=whole).label("all_dated"),
    ).subquery("told")
    met_again = and_(
        machines.c.id == told.c.machine_id, machines.c.last_seen > machines.c.first_seen
    )
    newest, seen = told.c.newest_at, machines.c.last_seen
    last_at = case((or_(seen.is_(None), seen < newest), newest), else_=seen)
    rule = _rule(told, last_at, terms)
    if terms.ids is not None:
        rule = _named_rule(told, terms.ids, terms)
    names = ("ref_name", "machine_id", "project_hash", "commit_id", "taken_at")
    return select(
        *(told.c[name] for name in names), last_at, told.c.workdir, told.c.is_here, rule
    ).select_from(told.outerjoin(machines, met_again))


def _facts(remote: Remote, terms: RemovalTerms) -> Any:
    """Return what is known of each checkpoint that the remote has and that is meant."""
    named = projects.alias("named")
    place = select(named.c.workdir).where(named.c.hash == _listed.c.project_hash)
    place = place.correlate(_listed)
    taken_at = func.coalesce(
        checkpoints.c.created_at, remote_checkpoints.c.created_at, _listed.c.named_at
    )
    own = _listed.c.machine_id == terms.machine
    meant = or_(not_(own), _listed.c.project_hash == terms.project_hash)
    return (
        select(
            *(_listed.c[n] for n in ("ref_name", "machine_id", "project_hash", "commit_id")),
            taken_at.label("taken_at"),
            case((taken_at.is_(None), 0), else_=1).label("is_dated"),
            checkpoints.c.id.is_not(None).label("is_here"),
            func.coalesce(checkpoints.c.pinned, false()).label("pinned"),
            is_labelled(checkpoints.c.id).label("labelled"),
            func.coalesce(
                projects.c.workdir, remote_checkpoints.c.workdir, place.scalar_subquery()
            ).label("workdir"),
        )
        .select_from(
            _listed.outerjoin(
                checkpoints,
                and_(checkpoints.c.commit_id == _listed.c.commit_id, checkpoints.c.state == "live"),
            )
            .outerjoin(projects, projects.c.id == checkpoints.c.project_id)
            .outerjoin(
                remote_checkpoints,
                and_(
                    remote_checkpoints.c.remote_id == remote._row,
                    remote_checkpoints.c.ref_name == _listed.c.ref_name,
                    remote_checkpoints.c.commit_id == _listed.c.commit_id,
                ),
            )
        )
        .where(not_(_listed.c.is_cursor), *([] if terms.project_hash is None else [meant]))
        .subquery("facts")
    )


def _rule(told: Any, last_at: ColumnElement[Any], terms: RemovalTerms) -> ColumnElement[Any]:
    """Return what decides about a checkpoint by its age."""
    own = told.c.machine_id == terms.machine
    lines: list[tuple[ColumnElement[bool], RemoteRule]] = [
        (and_(own, told.c.pinned), RemoteRule.PINNED),
        (and_(own, told.c.labelled), RemoteRule.LABELLED),
        (and_(own, told.c.place == 1), RemoteRule.NEWEST),
    ]
    if terms.before is None:
        lines.append((own, RemoteRule.FOR_EVER))
    else:
        lines += [
            (and_(own, told.c.is_dated == 0), RemoteRule.UNDATED),
            (and_(own, told.c.taken_at < _moment(terms.before)), RemoteRule.OVER_AGE),
            (own, RemoteRule.YOUNG),
        ]
    if not terms.others:
        return _first(lines, RemoteRule.FOREIGN)
    if terms.dead_before is None:
        return _first(lines, RemoteRule.FOR_EVER)
    lines += [
        (told.c.all_dated == 0, RemoteRule.UNDATED),
        (last_at < _moment(terms.dead_before), RemoteRule.DEAD),
    ]
    return _first(lines, RemoteRule.ALIVE)


def _named_rule(told: Any, named_ids: Collection[str], terms: RemovalTerms) -> ColumnElement[Any]:
    """Return what decides about a checkpoint where some are named by their ids."""
    ids = func.json_each(bindparam(None, json.dumps(sorted(named_ids)), type_=String()))
    named = told.c.commit_id.in_(select(ids.table_valued("value").c.value))
    own = told.c.machine_id == terms.machine
    lines = [
        (and_(named, told.c.pinned), RemoteRule.PINNED),
        (and_(named, told.c.labelled), RemoteRule.LABELLED),
        (named if terms.others else and_(named, own), RemoteRule.NAMED),
        (named, RemoteRule.FOREIGN),
    ]
    return _first(lines, None)


def _first(
    lines: list[tuple[ColumnElement[bool], RemoteRule]], otherwise: RemoteRule | None
) -> ColumnElement[Any]:
    kind = _judged.c.rule.type
    return case(
        *((when, literal(rule, kind)) for when, rule in lines), else_=literal(otherwise, kind)
    )


def _moment(at: datetime) -> ColumnElement[Any]:
    return literal(at, UtcDateTime())


def _removed(connection: Connection, terms: RemovalTerms) -> list[RemoteRemoval]:
    names = ("ref_name", "commit_id", "machine_id", "project_hash", "rule")
    more = ("last_at", "taken_at", "workdir", "is_here")
    query = (
        select(*(_judged.c[name] for name in (*names, *more)))
        .where(_judged.c.rule.in_(_REMOVING))
        .order_by(_judged.c.taken_at, _judged.c.ref_name)
    )
    found = []
    for row in connection.execute(query):
        ref, id_, machine, hash_, rule, last_at, *more_of_it = row
        why = terms.reason(rule, last_at)
        found.append(RemoteRemoval(ref, id_, machine, hash_, rule, why, *more_of_it))
    return found


def _kept(connection: Connection, terms: RemovalTerms) -> list[RemoteKept]:
    its = _judged.c.machine_id, _judged.c.rule
    query = (
        select(*its, func.count())
        .where(_judged.c.rule.is_not(None), _judged.c.rule.not_in(_REMOVING))
        .group_by(*its)
        .order_by(case((_judged.c.machine_id == terms.machine, 0), else_=1), *its)
    )
    return [
        RemoteKept(machine, rule, terms.reason(rule), number)
        for machine, rule, number in connection.execute(query)
    ]


def _cursors(connection: Connection, terms: RemovalTerms) -> list[CursorChange]:
    """Return what becomes of the cursors of what is removed."""
    goes = case((_judged.c.rule.in_(_REMOVING), 1), else_=0)
    counts = func.sum(goes).label("going"), func.sum(1 - goes).label("staying")
    by_machine, by_project = (_judged.c.machine_id,), (_judged.c.machine_id, _judged.c.project_hash)
    whole = select(*by_machine, *counts).group_by(*by_machine).subquery("whole")
    part = select(*by_project, *counts).group_by(*by_project).subquery("part")
    its_machine = whole.c.machine_id == _listed.c.machine_id
    its_project = and_(
        part.c.machine_id == _listed.c.machine_id, part.c.project_hash == _listed.c.project_hash
    )
    own = _listed.c.machine_id == terms.machine
    loses = func.coalesce(part.c.going, 0) > 0
    lines = [
        (and_(loses, part.c.staying == 0), CursorFate.REMOVED),
        (and_(own, loses), CursorFate.EMPTIED),
    ]
    if terms.others and terms.dead_before is not None and terms.ids is None:
        seen = func.coalesce(machines.c.last_seen >= _moment(terms.dead_before), false())
        of_dead = func.coalesce(whole.c.staying == 0, not_(seen))
        lines.append((and_(not_(own), of_dead), CursorFate.REMOVED))
    kind = Member(CursorFate, 16)
    fate = case(*((when, literal(one, kind)) for when, one in lines), else_=literal(None, kind))
    names = ("ref_name", "commit_id", "machine_id", "project_hash")
    query = (
        select(*(_listed.c[name] for name in names), fate.label("fate"))
        .select_from(
            _listed.outerjoin(whole, its_machine)
            .outerjoin(part, its_project)
            .outerjoin(machines, machines.c.id == _listed.c.machine_id)
        )
        .where(_listed.c.is_cursor, fate.is_not(None))
        .order_by(_listed.c.ref_name)
    )
    rows = connection.execute(query)
    return [CursorChange(one[0], one[1], one[2], one[3], one[4]) for one in rows]
