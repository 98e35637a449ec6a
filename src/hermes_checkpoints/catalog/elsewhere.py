"""What is on remotes, as the last pull found it, and whose it is.

It is a list to choose from and nothing else: the rows are in a table of their own, which no rule,
sum or look at this base reads, and a pull fills them again. What they say comes from others, who
may write anything into a commit.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    and_,
    case,
    delete,
    func,
    or_,
    select,
    update,
)

from hermes_checkpoints.catalog.engine import Records
from hermes_checkpoints.catalog.operations import Operations
from hermes_checkpoints.catalog.remotes import agree, forget_machines, in_scope, known_remote, meet
from hermes_checkpoints.catalog.rows import columns_of
from hermes_checkpoints.catalog.schema import (
    checkpoints,
    fetched_checkpoints,
    machines,
    pushes,
    remote_checkpoints,
    remotes,
)
from hermes_checkpoints.catalog.sqlite import chunks
from hermes_checkpoints.model import (
    JournalEntry,
    ProjectKey,
    Pushed,
    PushState,
    Remote,
    RemoteCheckpoint,
    RemoteMachine,
    RemoteScope,
)

FIND_LIMIT = 20
_HEX = re.compile(r"[0-9a-f]{1,64}")
_its = remote_checkpoints.c
_NOT_WRITTEN = frozenset({"machine_name", "is_here", "fetched_at", "_remote"})


class Pulled(NamedTuple):
    """How many checkpoints a pull has ``added`` to the list, and how many are ``gone`` from it."""

    added: int
    gone: int


class Elsewhere(Records):
    """The tables ``remote_checkpoints`` and ``machines``. Every method is one transaction."""

    def refs(self, remote: Remote, scope: RemoteScope | None = None) -> dict[str, str]:
        """Return the commits of the refs that are listed of a remote, or of a part of it: what a
        pull need not read again."""
        query = select(_its.ref_name, _its.commit_id).where(
            _its.remote_id == remote._row, *in_scope(remote_checkpoints, scope or RemoteScope())
        )
        return {row[0]: row[1] for row in self._rows(query)}

    def record_pull(
        self,
        remote: Remote,
        refs: Mapping[str, str],
        found: Iterable[RemoteCheckpoint],
        entry: JournalEntry | None,
        *,
        scope: RemoteScope | None = None,
        machine: str | None = None,
        names: Mapping[str, str | None] | None = None,
        now: datetime,
        began: datetime | None = None,
    ) -> Pulled:
        """Record what a pull has found that worked and ended ``now``, with its row of the journal,
        if this is the last part of it.

        ``refs`` are all that the remote has, or that a part of it (``scope``) has, with their
        commits; of those that are not listed yet ``found`` has what their commits tell. What is
        listed and not among ``refs`` goes from the list; what was fetched of it stays in the store
        until a prune. ``machine`` is this base, ``names`` what machines are called, and the pull
        ``began`` then, if not now. What is in ``found`` has been looked at: its ids are hex digits,
        as many as they must be.

        The same once more changes nothing but the time of the pull.
        """
        part = scope or RemoteScope()
        with self._transactions.writing() as connection:
            remote = known_remote(connection, remote.url, now)
            query = select(_its.ref_name, _its.commit_id).where(
                _its.remote_id == remote._row, *in_scope(remote_checkpoints, part)
            )
            listed = {row[0]: row[1] for row in connection.execute(query)}
            gone = [name for name, commit in listed.items() if refs.get(name) != commit]
            for some in chunks(gone):
                its = _its.remote_id == remote._row, _its.ref_name.in_(some)
                connection.execute(delete(remote_checkpoints).where(*its))
            new = {
                one.ref_name: one
                for one in found
                if refs.get(one.ref_name) == one.id and listed.get(one.ref_name) != one.id
            }
            active = {one.machine for one in new.values()}
            meet(connection, names or {}, active, now)
            if new:
                connection.execute(
                    remote_checkpoints.insert(), [_values(remote, one) for one in new.values()]
                )
            agree(connection, remote, refs, part, machine, now, began)
            forget_machines(connection)
            connection.execute(
                update(remotes).where(remotes.c.id == remote._row).values(pulled_at=now)
            )
            if entry is not None:
                Operations(self._transactions).record(entry, now=now)
            return Pulled(len(new), len(gone))

    def record_look(
        self,
        remote: Remote,
        refs: Mapping[str, str],
        *,
        scope: RemoteScope,
        machine: str,
        now: datetime,
        began: datetime,
    ) -> _Removed:
        """Record what a look at the refs of a remote, or of a part of it (``scope``), has found,
        which ``began`` then and has read no commits; return what was sent and is not there any
        more, as was not known before. ``refs`` are all that there is, with their commits. What is
        listed and not there goes from the list."""
        with self._transactions.writing() as connection:
            query = select(_its.ref_name, _its.commit_id).where(
                _its.remote_id == remote._row, *in_scope(remote_checkpoints, scope)
            )
            listed = connection.execute(query).all()
            for some in chunks([name for name, commit in listed if refs.get(name) != commit]):
                its = _its.remote_id == remote._row, _its.ref_name.in_(some)
                connection.execute(delete(remote_checkpoints).where(*its))
            known = set(connection.scalars(_removed_from(remote)))
            agree(connection, remote, refs, scope, machine, now, began)
            forget_machines(connection)
            found = set(connection.scalars(_removed_from(remote))) - known
            return [] if not found else _told_of(connection, remote, found)

    def list(
        self,
        key: ProjectKey | None = None,
        *,
        remote: Remote | None = None,
        machine: str | None = None,
        session_id: str | None = None,
        limit: int | None = None,
    ) -> list[RemoteCheckpoint]:
        """Return the checkpoints on remotes, newest first by the clocks of those who took them,
        each once however many refs lead to it.

        Of one project (``key``), of one remote, of one machine, of one session: of all where that
        is not given.
        """
        conditions: _Conditions = []
        if key is not None:
            conditions.append(_of_project(key))
        if remote is not None:
            conditions.append(_its.remote_id == remote._row)
        if machine is not None:
            conditions.append(_its.machine_id == machine)
        if session_id is not None:
            conditions.append(_its.session_id == session_id)
        return self._found(conditions, limit)

    def find(self, prefix: str) -> _Found:
        """Return the checkpoints on remotes whose id begins so, newest first and at most 20, each
        once. Anything but lower-case hex digits finds nothing."""
        if not _HEX.fullmatch(prefix):
            return []
        return self._found([_its.commit_id >= prefix, _its.commit_id < f"{prefix}g"], FIND_LIMIT)

    def machines(self, remote: Remote | None = None) -> _Machines:
        """Return the machines that are known, with what they have on a remote, or on any; who took
        the newest checkpoint comes first."""
        rows = remote_checkpoints if remote is None else _of_remote(remote)
        commit = rows.c.commit_id
        query = (
            select(
                *(machines.c[name] for name in ("id", "name", "first_seen", "last_seen")),
                func.count(commit.distinct()),
                func.max(rows.c.created_at).label("newest_at"),
            )
            .outerjoin(rows, rows.c.machine_id == machines.c.id)
            .group_by(machines.c.id)
            .order_by(func.max(rows.c.created_at).desc(), machines.c.id)
        )
        return [RemoteMachine(*row) for row in self._rows(query)]

    # --- inside ----------------------------------------------------------------------------------

    def _found(self, conditions: _Conditions, limit: int | None) -> _Found:
        first = _first_of_each(conditions)
        query = (
            select(*_CHECKPOINT)
            .join(machines, machines.c.id == _its.machine_id)
            .join(
                first,
                and_(first.c.remote_id == _its.remote_id, first.c.ref_name == _its.ref_name),
            )
            .where(first.c.place == 1)
            .order_by(_its.created_at.desc(), _its.commit_id)
            .limit(limit)
        )
        return [RemoteCheckpoint(*row) for row in self._rows(query)]


_Found = list[RemoteCheckpoint]  # inside the class, `list` is a method
_Machines = list[RemoteMachine]
_Removed = list[Pushed]
_Conditions = list[ColumnElement[bool]]


def is_here() -> ColumnElement[bool]:
    """Tell whether this base has the checkpoint of a row of ``remote_checkpoints``, too."""
    own = select(checkpoints.c.id).where(
        checkpoints.c.commit_id == _its.commit_id, checkpoints.c.state == "live"
    )
    return own.correlate(remote_checkpoints).exists()


def _fetched_at() -> ColumnElement[datetime | None]:
    """Return when the contents of the checkpoint of a row were brought here, NULL for never."""
    found = select(fetched_checkpoints.c.fetched_at).where(
        fetched_checkpoints.c.commit_id == _its.commit_id
    )
    return found.correlate(remote_checkpoints).scalar_subquery()


_CHECKPOINT = columns_of(
    RemoteCheckpoint,
    remote_checkpoints,
    machine=_its.machine_id,
    working_dir=_its.workdir,
    id=_its.commit_id,
    machine_name=machines.c.name,
    is_here=is_here(),
    fetched_at=_fetched_at(),
    _remote=_its.remote_id,
)


def _removed_from(remote: Remote) -> Select[Any]:
    return select(pushes.c.commit_id).where(
        pushes.c.remote_id == remote._row, pushes.c.state == PushState.REMOVED
    )


def _told_of(connection: Connection, remote: Remote, commits: Iterable[str]) -> _Removed:
    """Return what became of some commits on a remote."""
    names = ("commit_id", "project_hash", "state", "ref_name", "reason")
    found: _Removed = []
    for some in chunks(sorted(commits)):
        query = select(*(pushes.c[name] for name in names)).where(
            pushes.c.remote_id == remote._row, pushes.c.commit_id.in_(some)
        )
        found += [Pushed(*row) for row in connection.execute(query.order_by(pushes.c.ref_name))]
    return found


def remote_list() -> Select[Any]:
    """Return the query of what each machine has on each remote, by project."""
    whose = (_its.repository, _its.subdirectory, _its.workdir, _its.machine_id, _its.project_hash)
    here = case((is_here(), 1), else_=0).label("here")
    rows = select(
        *whose,
        *(_its.remote_id, _its.commit_id, _its.created_at),
        *(_fetched_at().label("fetched_at"), here),
    ).subquery("listed")
    group = [rows.c[column.name] for column in whose]
    return (
        select(
            remotes.c.url_shown.label("remote"),
            rows.c.repository.label("repository"),
            rows.c.subdirectory.label("subdirectory"),
            rows.c.workdir.label("working_directory"),
            rows.c.machine_id.label("machine"),
            machines.c.name.label("machine_name"),
            func.count().label("checkpoints"),
            func.sum(rows.c.here).label("here"),
            func.count(rows.c.fetched_at).label("fetched"),
            func.min(rows.c.created_at).label("oldest_at"),
            func.max(rows.c.created_at).label("newest_at"),
            machines.c.last_seen.label("last_seen"),
            rows.c.project_hash.label("project"),
        )
        .select_from(
            rows.join(remotes, remotes.c.id == rows.c.remote_id).join(
                machines, machines.c.id == rows.c.machine_id
            )
        )
        .group_by(remotes.c.id, *group, machines.c.name, machines.c.last_seen)
        .order_by(rows.c.repository, rows.c.subdirectory, rows.c.workdir, rows.c.machine_id)
    )


def _of_project(key: ProjectKey) -> ColumnElement[bool]:
    """Return the condition that a checkpoint is of the project of a key."""
    here = _its.project_hash == key.project_hash
    own = and_(_its.machine_id == key.machine, here)
    if key.repository is None:
        return or_(own, and_(here, _its.repository.is_(None)))
    same = _its.repository == key.repository, _its.subdirectory == (key.subdirectory or "")
    return or_(own, and_(*same))


def _of_remote(remote: Remote) -> Any:
    return select(remote_checkpoints).where(_its.remote_id == remote._row).subquery("of_remote")


def _first_of_each(conditions: Sequence[ColumnElement[bool]]) -> Any:
    """Return the refs of rows that meet the conditions, with their places among those of the same
    commit: where a base was copied, two machines may have sent it."""
    order = _its.remote_id, _its.ref_name
    place = func.row_number().over(partition_by=_its.commit_id, order_by=order).label("place")
    return select(_its.remote_id, _its.ref_name, place).where(*conditions).subquery("places")


def _values(remote: Remote, one: RemoteCheckpoint) -> dict[str, Any]:
    """Return the columns of a checkpoint on a remote."""
    values = {name: value for name, value in vars(one).items() if name not in _NOT_WRITTEN}
    for field, column in (("machine", "machine_id"), ("working_dir", "workdir")):
        values[column] = values.pop(field)
    return {**values, "commit_id": values.pop("id"), "remote_id": remote._row}
