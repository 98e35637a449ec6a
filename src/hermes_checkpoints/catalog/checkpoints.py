"""The checkpoints: what was taken, in which order, and what became of it.

A row is added with all that belongs to it in one transaction, and never deleted: a pruned
checkpoint stays as a tombstone, so that its id can be answered with when and why it was pruned.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import (
    BindParameter,
    Connection,
    Integer,
    Select,
    Update,
    and_,
    bindparam,
    func,
    or_,
    select,
    union,
    update,
)

from hermes_checkpoints.catalog.changes import ChangeQueries, insert_changes, insert_skipped
from hermes_checkpoints.catalog.decisions import is_live_or_lost, is_safety
from hermes_checkpoints.catalog.engine import insert_into, insert_row
from hermes_checkpoints.catalog.keys import REFS_SIGN, STORE_GROWTH
from hermes_checkpoints.catalog.labels import has_label, move_away, name
from hermes_checkpoints.catalog.new_rows import checkpoint_of, held_of
from hermes_checkpoints.catalog.operations import finish_operation
from hermes_checkpoints.catalog.projects import touched
from hermes_checkpoints.catalog.recorded import last_two_of
from hermes_checkpoints.catalog.rows import of_project, select_checkpoints
from hermes_checkpoints.catalog.schema import checkpoints, former_ids, projects, settings
from hermes_checkpoints.catalog.settings import increase
from hermes_checkpoints.catalog.types import UtcDateTime
from hermes_checkpoints.errors import BadRequest
from hermes_checkpoints.model import (
    Change,
    Checkpoint,
    CheckpointFacts,
    OperationOutcome,
    ProjectRecord,
    ProjectState,
)

FIND_LIMIT = 20
_HEX = re.compile(r"[0-9a-f]{1,64}")
_Found = list[Checkpoint]  # inside the class, `list` is a method
_Ids = list[int]

Place = tuple[int | None, int, datetime]
"""Where a checkpoint belongs in its project: after which row (None: before all), before which row,
and when it was taken."""


def _live_of_project(*, include_pruned: bool = False) -> Select[Any]:
    """Return the query of the checkpoints of the project with the hash ``of_hash``, newest
    first."""
    query = select_checkpoints().where(projects.c.hash == bindparam("of_hash"))
    listed = checkpoints.c.state != "arriving" if include_pruned else checkpoints.c.state == "live"
    return query.where(listed).order_by(checkpoints.c.id.desc())


@functools.cache
def _listed(include_pruned: bool, safety: bool, session: bool, limit: bool) -> Select[Any]:
    query = _live_of_project(include_pruned=include_pruned)
    if not safety:
        query = query.where(~is_safety())
    if session:
        query = query.where(checkpoints.c.session_id == bindparam("of_session"))
    return query.limit(bindparam("most", type_=Integer)) if limit else query


def _last_two() -> Select[Any]:
    live = _live_of_project().with_only_columns(checkpoints.c.id).limit(1)
    whole = live.where(checkpoints.c.partial.is_(False)).scalar_subquery()
    first = live.where(~is_safety()).scalar_subquery()
    return _live_of_project().where(checkpoints.c.id.in_([whole, first]))


def _held_and_partly() -> Select[Any]:
    held = select(checkpoints.c.held_bytes).where(checkpoints.c.id == bindparam("of_previous"))
    lost = checkpoints.alias("lost")
    is_partly = (lost.c.lost_at.is_not(None), lost.c.project_id == bindparam("of_project"))
    partly = select(lost.c.id).where(*is_partly, lost.c.state == "live").exists()
    return select(held.scalar_subquery(), partly)


_LAST = _live_of_project().where(checkpoints.c.partial.is_(False)).limit(1)
_LAST_TWO = _last_two()
_AS_OF = (
    _live_of_project()
    .where(~is_safety(), checkpoints.c.created_at <= bindparam("until", type_=UtcDateTime))
    .order_by(None)
    .order_by(checkpoints.c.created_at.desc(), checkpoints.c.id.desc())
    .limit(1)
)
_OF_STATE = _live_of_project().where(checkpoints.c.state_id == bindparam("of_state"))
_OF_ID = select_checkpoints().where(checkpoints.c.id == bindparam("of_id"))
_OF_COMMIT = select_checkpoints().where(checkpoints.c.commit_id == bindparam("of_commit"))
_IN_STATE = select_checkpoints().where(checkpoints.c.state == bindparam("of_state"))
_SAFETY_COUNT = (
    select(func.count(checkpoints.c.id))
    .join(projects, projects.c.id == checkpoints.c.project_id)
    .where(projects.c.hash == bindparam("of_hash"), checkpoints.c.state == "live", is_safety())
)
_NEWEST_ROW = select(func.max(checkpoints.c.id)).where(*of_project(bindparam("of_project")))
_NEWEST_ROW_BEFORE = _NEWEST_ROW.where(checkpoints.c.id < bindparam("before"))
_MARK_PRUNED = (
    update(checkpoints)
    .where(checkpoints.c.id == bindparam("of_id"), checkpoints.c.state == "pruning")
    .values(state="pruned")
)
_HELD = _held_and_partly()
_TOUCH = (
    update(projects)
    .where(projects.c.id == bindparam("of_project"))
    .values(last_touch=touched, state=ProjectState.LIVE, missing_since=None)
)


class Checkpoints(ChangeQueries):
    """The table ``checkpoints``. Every method is one transaction."""

    def add(
        self,
        project: ProjectRecord,
        facts: CheckpointFacts,
        *,
        changes: Sequence[Change],
        added_bytes: int,
        superseded_bytes: int,
        previous_id: int | None,
        operation_id: int | None,
        now: datetime,
        row: int | None = None,
        grown_bytes: int = 0,
        move_label: bool = False,
    ) -> Checkpoint:
        """Add a checkpoint with its changes and skipped paths, touch its project, and end the
        operation as done; all or nothing.

        A commit that is listed already is not added again: its checkpoint is returned as it is,
        and only the operation ends. ``added_bytes`` is what its new objects take,
        ``superseded_bytes`` the stored size of the contents that this checkpoint replaces, and
        ``grown_bytes`` what the store grew by on the disk, whatever it is that came.
        Where another has the label of the facts, it loses it with ``move_label``; else the older of
        both has it with a number. ``row`` is its id, as ``free_rows`` gives them, where it belongs
        before others of its project. An imported one that is listed as arriving takes the place of
        that row.

        Raises:
            BadRequest: when the facts are of another project.
        """
        if facts.project_hash != project.hash:
            raise BadRequest(f"{facts.id} belongs to another project than {project.hash}")
        with self._transactions.writing() as connection:
            found = _by_commit(connection, facts.id)
            if found is None:
                values = checkpoint_of(project.id, facts, changes)
                held, partly = _held(connection, project.id, previous_id, values, superseded_bytes)
                values |= {
                    "added_bytes": added_bytes,
                    "superseded_bytes": superseded_bytes,
                    "previous_id": previous_id,
                    "held_bytes": held,
                }
                key = _arrive(connection, facts, values)
                if key is None:
                    if row is not None:
                        values["id"] = row
                    key = _insert(connection, facts, values)
                insert_changes(connection, key, changes)
                insert_skipped(connection, key, facts.skipped)
                if facts.label is not None:
                    if move_label:
                        move_away(connection, project.id, facts.label)
                    name(connection, project.id, key, facts.label)
                _touch(connection, project.id, now)
                if partly and changes:
                    _compare_again(connection)
                if grown_bytes:
                    increase(connection, STORE_GROWTH, grown_bytes, now)
                found = _by_commit(connection, facts.id)
                assert found is not None  # noqa: S101 - it was inserted above
            if operation_id is not None:
                finish_operation(
                    connection,
                    operation_id,
                    OperationOutcome.DONE,
                    checkpoint_id=found._row,
                    project_id=project.id,
                    now=now,
                )
        return found

    def free_rows(self, places: Sequence[Place]) -> _Ids:
        """Return ids for checkpoints of one project that belong before others of it, oldest first.
        They stay free while the caller holds the lock of imports.

        Raises:
            BadRequest: when there are no more ids.
        """
        with self._transactions.reading() as connection:
            return free_ids(connection, places)

    def last(self, project_hash: str) -> Checkpoint | None:
        """Return the newest live checkpoint of a whole project, or None: what the next take is
        compared with."""
        return self._first(_LAST, {"of_hash": project_hash})

    def last_two(self, project_hash: str) -> tuple[Checkpoint | None, Checkpoint | None]:
        """Return the last whole checkpoint of a project and the one that the list number 1 means,
        by one statement; None for one that there is not."""
        return last_two_of(self._many(_LAST_TWO, {"of_hash": project_hash}))

    def list(
        self,
        project_hash: str,
        *,
        limit: int | None = None,
        session_id: str | None = None,
        include_pruned: bool = False,
        safety: bool = True,
    ) -> _Found:
        """Return checkpoints of a project, newest first, by one statement.

        Without ``include_pruned`` only those that can be restored, without ``safety`` only those
        that list numbers mean.
        """
        given = {"of_hash": project_hash, "of_session": session_id, "most": limit}
        query = _listed(include_pruned, safety, session_id is not None, limit is not None)
        return self._many(query, {name: one for name, one in given.items() if one is not None})

    def as_of(self, project_hash: str, until: datetime) -> Checkpoint | None:
        """Return the live checkpoint of a project, no safety checkpoint, that was taken last of
        those until a moment, or None; of several of one moment the one that the list has first."""
        return self._first(_AS_OF, {"of_hash": project_hash, "until": until})

    def gone_since(self, project_id: int, row: int) -> bool:
        """Tell whether a checkpoint of a project was pruned of those from a row on, or all before
        it were: then the record since is folded, or perhaps begins later than what it tells of."""
        return any(self._column(_gone_since(), {"of_project": project_id, "since": row}))

    def pruned_after(self, project_id: int, row: int) -> bool:
        """Tell whether a checkpoint of a project was pruned that came after a row: then what
        happened to a path since is perhaps told in fewer events than there were."""
        return any(self._column(_pruned_after(), {"of_project": project_id, "after": row}))

    def newest_row(self, project_id: int, *, before: int | None = None) -> int | None:
        """Return the row of the newest checkpoint of a project, in whatever state, of those
        ``before`` a row if it is given; None where there is none."""
        values = {"of_project": project_id}
        if before is None:
            return next(iter(self._column(_NEWEST_ROW, values)), None)
        return next(iter(self._column(_NEWEST_ROW_BEFORE, {"before": before, **values})), None)

    def of_state(self, project_hash: str, state_id: str) -> _Found:
        """Return the live checkpoints of a project that hold this very state, newest first."""
        return self._many(_OF_STATE, {"of_hash": project_hash, "of_state": state_id})

    def safety_count(self, project_hash: str) -> int:
        """Return how many live safety checkpoints a project has."""
        return sum(self._column(_SAFETY_COUNT, {"of_hash": project_hash}))

    def find(self, prefix: str) -> _Found:
        """Return the checkpoints of any project, pruned and arriving ones too, whose commit id, or
        the one that they had before they were imported, begins so.

        Newest first and at most 20. Anything but lower-case hex digits finds nothing.
        """
        if not _HEX.fullmatch(prefix):
            return []
        end = prefix + "g"
        found = union(
            select(checkpoints.c.id).where(
                checkpoints.c.commit_id >= prefix, checkpoints.c.commit_id < end
            ),
            select(former_ids.c.checkpoint_id).where(
                former_ids.c.former_id >= prefix, former_ids.c.former_id < end
            ),
        ).subquery("found")
        newest = select(found.c.id).order_by(found.c.id.desc()).limit(FIND_LIMIT)
        query = select_checkpoints().where(checkpoints.c.id.in_(newest))
        return sorted(self._many(query), key=lambda one: -one._row)

    def by_label(self, project_hash: str, label: str) -> Checkpoint | None:
        """Return the live checkpoint of a project with this label, or None."""
        query = _live_of_project().where(has_label(project_hash, label)).limit(1)
        return self._first(query, {"of_hash": project_hash})

    def get(self, checkpoint_id: int) -> Checkpoint | None:
        """Return the checkpoint with this catalog id, live or pruned, or None."""
        return self._first(_OF_ID, {"of_id": checkpoint_id})

    def of_commit(self, commit_id: str) -> Checkpoint | None:
        """Return the checkpoint of this whole commit id, live or pruned, or None."""
        return self._first(_OF_COMMIT, {"of_commit": commit_id})

    def live(self) -> _Found:
        """Return every live checkpoint of every project, oldest first, by one statement."""
        return self._in_state("live")

    def ref_names(self) -> set[str]:
        """Return the refs that must exist: those of live checkpoints of which nothing is lost."""
        whole = and_(checkpoints.c.state == "live", checkpoints.c.lost_at.is_(None))
        query = select(checkpoints.c.ref_name).where(whole)
        return set(self._column(query))

    def known_commits(self) -> set[str]:
        """Return the commit ids of all checkpoints, pruned ones too."""
        return set(self._column(select(checkpoints.c.commit_id)))

    def set_pinned(self, checkpoint_id: int, pinned: bool) -> None:
        """Pin a live or lost checkpoint, which keeps it from being pruned, or unpin it."""
        self._update(checkpoint_id, {"pinned": pinned})

    # --- pruning: marked, then the refs are deleted, then tombstones ----------------------

    def mark_pruning(self, reasons: Mapping[int, str], now: datetime) -> None:
        """Mark live and lost checkpoints, by id with the reason, as about to lose their refs.

        They are listed no more. Pinned ones are left alone.
        """
        rows = [{"of_id": id_, "because": why, "now": now} for id_, why in reasons.items()]
        self._write(_mark_pruning(), rows)

    def live_rows(self, project_hash: str) -> dict[int, str]:
        """Return the rows of the live checkpoints of a project, each with its id."""
        query = (
            select(checkpoints.c.id, checkpoints.c.commit_id)
            .join(projects, projects.c.id == checkpoints.c.project_id)
            .where(projects.c.hash == project_hash, checkpoints.c.state == "live")
        )
        return {row[0]: row[1] for row in self._rows(query)}

    def pruning(self) -> _Found:
        """Return the checkpoints that are marked and not yet tombstones, oldest first."""
        return self._in_state("pruning")

    def mark_pruned(self, ids: Iterable[int]) -> None:
        """Turn marked checkpoints, whose refs are gone, into tombstones."""
        self._write(_MARK_PRUNED, [{"of_id": id_} for id_ in ids])

    def _update(self, checkpoint_id: int, values: dict[str, Any]) -> None:
        live = checkpoints.c.id == checkpoint_id, is_live_or_lost()
        self._write(update(checkpoints).where(*live).values(values))

    def _first(self, query: Select[Any], values: Mapping[str, Any]) -> Checkpoint | None:
        row = self._row(query, values)
        return None if row is None else Checkpoint(*row)

    def _in_state(self, state: str) -> _Found:
        """Return the checkpoints in a state, oldest first. They are put in order here: asked for
        that, SQLite would read all rows in this order instead of those of the state."""
        found = self._many(_IN_STATE, {"of_state": state})
        return sorted(found, key=lambda one: one._row)

    def _many(self, query: Select[Any], values: Mapping[str, Any] | None = None) -> _Found:
        return [Checkpoint(*row) for row in self._rows(query, values)]


@functools.cache
def _gone_since() -> Select[Any]:
    its = checkpoints.c.project_id == bindparam("of_project")
    since: BindParameter[int] = bindparam("since", type_=Integer)
    there = checkpoints.alias("there")
    before = select(there.c.id).where(
        there.c.project_id == checkpoints.c.project_id, there.c.state == "live", there.c.id < since
    )
    gone = its, checkpoints.c.state == "pruned", or_(checkpoints.c.id >= since, ~before.exists())
    return select(checkpoints.c.id).where(*gone).limit(1)


@functools.cache
def _pruned_after() -> Select[Any]:
    its = checkpoints.c.project_id == bindparam("of_project")
    after: BindParameter[int] = bindparam("after", type_=Integer)
    pruned = its, checkpoints.c.state == "pruned", checkpoints.c.id > after
    return select(checkpoints.c.id).where(*pruned).limit(1)


@functools.cache
def _mark_pruning() -> Update:
    return (
        update(checkpoints)
        .where(
            checkpoints.c.id == bindparam("of_id"),
            is_live_or_lost(),
            checkpoints.c.pinned.is_(False),
        )
        .values(
            state="pruning",
            lost_at=None,
            pruned_at=bindparam("now", type_=UtcDateTime),
            prune_reason=bindparam("because", type_=checkpoints.c.prune_reason.type),
        )
    )


def _by_commit(connection: Connection, commit_id: str) -> Checkpoint | None:
    row = connection.execute(_OF_COMMIT, {"of_commit": commit_id}).first()
    return None if row is None else Checkpoint(*row)


def _arrive(
    connection: Connection, facts: CheckpointFacts, values: Mapping[str, Any]
) -> int | None:
    """Make the arriving row of an imported checkpoint, if there is one, the checkpoint itself;
    return its number."""
    if facts.former_id is None:
        return None
    arriving = checkpoints.c.state == "arriving"
    query = select(checkpoints.c.id).where(arriving, checkpoints.c.commit_id == facts.former_id)
    key: int | None = connection.scalar(query)
    if key is not None:
        of_it = checkpoints.c.id == key
        connection.execute(update(checkpoints).where(of_it).values(**values, state="live"))
    return key


def _insert(connection: Connection, facts: CheckpointFacts, values: Mapping[str, Any]) -> int:
    key = insert_row(connection, checkpoints, values)
    if facts.former_id is not None:
        former = {"former_id": facts.former_id, "layout": facts.former_layout}
        connection.execute(insert_into(former_ids), {"checkpoint_id": key, **former})
    return key


_FIRST_ID = -(2**31)


def free_ids(connection: Connection, places: Sequence[Place]) -> list[int]:
    """Return an id for each place, oldest first, that no checkpoint has. The ids grow as the
    places do.

    Where nothing comes before it, the id is a negative number that grows with the time, one a
    second, so that what is imported later finds room on both sides. Where there is no room between
    two rows, the ids go on below the first of them.

    Raises:
        BadRequest: when there are no more ids.
    """
    taken = select(checkpoints.c.id).where(checkpoints.c.id == bindparam("wanted"))
    found: list[int] = []
    for after, before, at in reversed(places):
        end = min([before, *found[-1:]])
        least = _FIRST_ID if after is None else after + 1
        wanted = _FIRST_ID + int(at.timestamp())
        first = wanted if least <= wanted < end else end - 1
        candidates = itertools.chain(range(first, end), range(first - 1, _FIRST_ID, -1))
        free = (c for c in candidates if connection.scalar(taken, {"wanted": c}) is None)
        candidate = next(free, None)
        if candidate is None:
            raise BadRequest("there is no room for another imported checkpoint")
        found.append(candidate)
    return found[::-1]


def _held(
    connection: Connection,
    project_id: int,
    previous_id: int | None,
    values: Mapping[str, Any],
    superseded: int,
) -> tuple[int, bool]:
    """Return the stored size of all contents of a new checkpoint, and whether one of its project is
    partly lost."""
    values_of_it = {"of_previous": previous_id, "of_project": project_id}
    before, found = connection.execute(_HELD, values_of_it).one()
    return held_of(before, values["stored_bytes"], superseded), bool(found)


def _compare_again(connection: Connection) -> None:
    """Let the next opening compare rows and refs: the contents that a partly lost checkpoint lacks
    may have come back with a new one."""
    sign = settings.c.name == REFS_SIGN
    connection.execute(update(settings).where(sign).values(value=""))


def _touch(connection: Connection, project_id: int, now: datetime) -> None:
    connection.execute(_TOUCH, {"of_project": project_id, "now": now})
