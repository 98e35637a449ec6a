"""The states of sessions: the present one of each, and the newest of its former ones.

A write moves the present state to the former ones and puts the new one in its place, in one
transaction: readers see one or the other. The documents are opaque text here.
"""

from __future__ import annotations

import builtins
import dataclasses
from collections.abc import Callable, Collection
from datetime import datetime
from typing import Any

from sqlalchemy import (
    ColumnElement,
    LargeBinary,
    Select,
    Subquery,
    and_,
    bindparam,
    cast,
    delete,
    distinct,
    func,
    insert,
    or_,
    select,
    union,
    update,
)

from hermes_checkpoints.catalog.engine import Records
from hermes_checkpoints.catalog.rows import columns_of, select_checkpoints
from hermes_checkpoints.catalog.schema import (
    checkpoints,
    session_checkpoint_versions,
    session_checkpoints,
    turns,
)
from hermes_checkpoints.catalog.sqlite import chunks
from hermes_checkpoints.errors import SessionChanged
from hermes_checkpoints.model import (
    COMPLETED,
    Checkpoint,
    GcRule,
    SessionListed,
    SessionSummary,
    StoredSession,
)

_MISFITS = 500
_present = session_checkpoints.c
_former = session_checkpoint_versions.c
_WHOLE = columns_of(StoredSession, session_checkpoints)
_NAMES = [field.name for field in dataclasses.fields(StoredSession)]

# What runs at every turn of an agent is built once.
_of = bindparam("of", type_=_present.session_id.type)
_all_present = select(*_WHOLE)
_VERSION = select(_present.version, _present.created_at).where(_present.session_id == _of)
_READ = _all_present.where(_present.session_id == _of)
_READ_FORMER = select(*columns_of(StoredSession, session_checkpoint_versions)).where(
    _former.session_id == _of, _former.version == bindparam("number", type_=_former.version.type)
)
_INSERT = insert(session_checkpoints)
_UPDATE = (
    update(session_checkpoints)
    .where(_present.session_id == _of)
    .values({name: bindparam(name, type_=_present[name].type) for name in _NAMES[1:]})
)
_RETIRE = insert(session_checkpoint_versions).from_select(_NAMES, _READ)
_FORGET = delete(session_checkpoint_versions).where(
    _former.session_id == _of, _former.version <= bindparam("last", type_=_former.version.type)
)


class Sessions(Records):
    """The tables ``session_checkpoints`` and ``session_checkpoint_versions``."""

    def write(
        self,
        session_id: str,
        document: str,
        *,
        status: str | None,
        task: str | None,
        created_at: datetime | None,
        updated_at: datetime,
        keep: int,
        if_version: int | None = None,
    ) -> StoredSession:
        """Replace the state of a session, or make its first; keep ``keep`` former states.

        ``created_at`` None keeps the time of the first write. ``if_version`` is the version
        that must be there, 0 for none.

        Raises:
            SessionChanged: when another version is there.
        """
        with self._transactions.writing() as connection:
            found = connection.execute(_VERSION, {"of": session_id}).first()
            version, created = (0, updated_at) if found is None else found
            if if_version is not None and if_version != version:
                raise SessionChanged(_changed(session_id, if_version, version))
            new = StoredSession(
                session_id,
                version + 1,
                status,
                created_at or created,
                updated_at,
                len(document.encode()),
                task,
                document,
            )
            if found is None:
                connection.execute(_INSERT, vars(new))
            else:
                if keep > 0:
                    connection.execute(_RETIRE, {"of": session_id})
                oldest = version - keep
                connection.execute(_FORGET, {"of": session_id, "last": oldest})
                connection.execute(_UPDATE, {**vars(new), "of": session_id})
        return new

    def read(self, session_id: str) -> StoredSession | None:
        """Return the present state of a session, or None."""
        return self._one(_READ, {"of": session_id})

    def former(self, session_id: str, version: int) -> StoredSession | None:
        """Return a former state of a session, or None."""
        return self._one(_READ_FORMER, {"of": session_id, "number": version})

    def ids(self) -> builtins.list[str]:
        """Return the ids of all sessions, in the order of their characters."""
        query = select(_present.session_id).order_by(_present.session_id)
        return builtins.list(self._column(query))

    def times(self) -> dict[str, datetime]:
        """Return when each session was last written."""
        rows = self._rows(select(_present.session_id, _present.updated_at))
        return {row[0]: row[1] for row in rows}

    def list(
        self, *, status: str | None = None, limit: int | None = None
    ) -> builtins.list[SessionListed]:
        """Return the sessions, or those of one status, newest first, by three statements
        for the first 500."""
        query = select(*columns_of(SessionSummary, session_checkpoints)).order_by(
            _present.updated_at.desc(), _present.session_id
        )
        if status is not None:
            query = query.where(_present.status == status)
        files: dict[str, int] = {}
        of_turns: dict[str, int] = {}
        with self._transactions.reading() as connection:
            found = [SessionSummary(*row) for row in connection.execute(query.limit(limit))]
            for some in chunks(found):
                ids = [one.session_id for one in some]
                files |= {row[0]: row[1] for row in connection.execute(_count_files(ids))}
                of_turns |= {row[0]: row[1] for row in connection.execute(_count_turns(ids))}
        return [
            SessionListed(one, files.get(one.session_id, 0), of_turns.get(one.session_id, 0))
            for one in found
        ]

    def history(self, session_id: str) -> builtins.list[SessionSummary]:
        """Return the states that are kept of a session, the present one first."""
        queries = (
            select(*columns_of(SessionSummary, table))
            .where(table.c.session_id == session_id)
            .order_by(table.c.version.desc())
            for table in (session_checkpoints, session_checkpoint_versions)
        )
        with self._transactions.reading() as connection:
            return [SessionSummary(*row) for query in queries for row in connection.execute(query)]

    def checkpoints(self, session_id: str) -> builtins.list[Checkpoint]:
        """Return the live checkpoints of files of a session, of any project, newest first."""
        query = (
            select_checkpoints()
            .where(checkpoints.c.session_id == session_id, checkpoints.c.state == "live")
            .order_by(checkpoints.c.id.desc())
        )
        return [Checkpoint(*row) for row in self._rows(query)]

    def turns(self, session_id: str) -> builtins.list[int]:
        """Return the turns that are known of a session, from its checkpoints and its records."""
        known = _known_turns([session_id])
        query = select(known.c.turn).distinct().order_by(known.c.turn)
        return builtins.list(self._column(query))

    def delete(self, session_id: str) -> bool:
        """Remove a session with its former states; return whether there was one."""
        of_it = _present.session_id == session_id
        return self._write(delete(session_checkpoints).where(of_it)) > 0

    def bytes(self) -> int:
        """Return the size of all documents, those of former states too."""
        former = (
            select(func.coalesce(func.sum(_former.size_bytes), 0))
            .where(_former.session_id == _present.session_id)
            .scalar_subquery()
        )
        row = self._row(select(func.coalesce(func.sum(_present.size_bytes + former), 0)))
        return 0 if row is None else int(row[0])

    # --- garbage collection ---------------------------------------------------------------------

    def misfits(self) -> builtins.list[StoredSession]:
        """Return the sessions whose document is not as long as it was when it was written."""
        query = _all_present.where(_misfit()).limit(_MISFITS)
        return [StoredSession(*row) for row in self._rows(query)]

    def collectable(
        self, rule: GcRule, unreadable: Collection[str]
    ) -> builtins.list[StoredSession]:
        """Return the sessions that ``collect`` would remove, by id."""
        query = _all_present.where(_removable(rule, unreadable)).order_by(_present.session_id)
        return [StoredSession(*row) for row in self._rows(query)]

    def collect(
        self,
        rule: GcRule,
        unreadable: Collection[str],
        before_commit: Callable[[builtins.list[StoredSession]], None],
    ) -> None:
        """Remove stale sessions, and those of ``unreadable`` that nobody has written since.

        One statement decides and removes. ``before_commit`` is given what it removed, by id;
        where it raises, nothing is removed.
        """
        removable = _removable(rule, unreadable)
        statement = delete(session_checkpoints).where(removable).returning(*_WHOLE)
        with self._transactions.writing() as connection:
            removed = [StoredSession(*row) for row in connection.execute(statement)]
            removed.sort(key=lambda one: one.session_id)
            before_commit(removed)

    def _one(self, query: Select[Any], values: dict[str, Any]) -> StoredSession | None:
        row = self._row(query, values)
        return None if row is None else StoredSession(*row)


def _count_files(ids: Collection[str]) -> Select[Any]:
    """Count the live checkpoints of files of some sessions."""
    return (
        select(checkpoints.c.session_id, func.count())
        .where(checkpoints.c.state == "live", checkpoints.c.session_id.in_(ids))
        .group_by(checkpoints.c.session_id)
    )


def _count_turns(ids: Collection[str]) -> Select[Any]:
    """Count the turns that are known of some sessions."""
    known = _known_turns(ids)
    counted = func.count(distinct(known.c.turn))
    return select(known.c.session_id, counted).group_by(known.c.session_id)


def _known_turns(ids: Collection[str]) -> Subquery:
    return union(
        select(checkpoints.c.session_id, checkpoints.c.turn).where(
            checkpoints.c.state == "live",
            checkpoints.c.session_id.in_(ids),
            checkpoints.c.turn.is_not(None),
        ),
        select(turns.c.session_id, turns.c.turn).where(
            turns.c.session_id.in_(ids), turns.c.turn.is_not(None)
        ),
    ).subquery()


def _misfit() -> ColumnElement[bool]:
    return func.length(cast(_present.document, LargeBinary)) != _present.size_bytes


def _removable(rule: GcRule, unreadable: Collection[str]) -> ColumnElement[bool]:
    stale = or_(
        _present.updated_at < rule.stale_before,
        and_(_present.status == COMPLETED, _present.updated_at < rule.completed_before),
    )
    if not unreadable:
        return stale
    return or_(stale, and_(_present.session_id.in_(sorted(unreadable)), _misfit()))


def _changed(session_id: str, expected: int, version: int) -> str:
    there = f"is at version {version}" if version else "does not exist"
    wanted = f"version {expected}" if expected else "no such session"
    return (
        f"session {session_id} {there}, and the write was meant for {wanted}; "
        "read it again and write what is to be kept of both"
    )
