"""The remotes, and what became of the checkpoints of this base on each.

Nothing here is on the way of a take: a checkpoint without a row in ``pushes`` is unsent, so none is
written before a push. A row names a commit, and not the row of a checkpoint, whose commit changes
when a content is forgotten, and it stays when the checkpoint is pruned here: that removes nothing
from a remote. What is waiting or refused says something of live checkpoints alone, so such rows go
with them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    and_,
    bindparam,
    case,
    delete,
    func,
    or_,
    select,
    true,
    update,
)

from hermes_checkpoints.catalog.encoding import storable
from hermes_checkpoints.catalog.engine import Records, insert_row
from hermes_checkpoints.catalog.operations import Operations
from hermes_checkpoints.catalog.recorded import LeftUnsent
from hermes_checkpoints.catalog.rows import columns_of, select_checkpoints
from hermes_checkpoints.catalog.schema import (
    checkpoints,
    machines,
    operations,
    projects,
    pushes,
    refused_paths,
    remote_checkpoints,
    remotes,
)
from hermes_checkpoints.catalog.sqlite import chunks
from hermes_checkpoints.model import (
    Checkpoint,
    JournalEntry,
    OperationOutcome,
    Pushed,
    PushState,
    PushStatus,
    RefusedPath,
    Remote,
    RemoteScope,
)

_HASH_DIGITS = 16
_ANSWERED = (OperationOutcome.DONE, OperationOutcome.UNCHANGED, OperationOutcome.PARTIAL)
_REMOTE = columns_of(Remote, remotes, _row=remotes.c.id, url=remotes.c.url_shown)
_IS_LIVE = checkpoints.c.state == "live"
_IS_WHOLE = checkpoints.c.lost_at.is_(None)
_IS_UNTRIED = pushes.c.state.is_(None)
_IS_UNSENT = or_(_IS_UNTRIED, pushes.c.state == PushState.WAITING)
"""What a push would send, of live checkpoints that the store has whole."""
_OF_COMMIT = and_(
    pushes.c.commit_id == bindparam("of_commit"), pushes.c.remote_id == bindparam("of_remote")
)
_FORGET_PATHS = delete(refused_paths).where(
    refused_paths.c.commit_id == bindparam("of_commit"),
    refused_paths.c.remote_id == bindparam("of_remote"),
)
_FORGET = delete(pushes).where(_OF_COMMIT)


class Remotes(Records):
    """The tables ``remotes``, ``pushes`` and ``refused_paths``. Every method is one transaction."""

    def register(self, shown: str, now: datetime) -> Remote:
        """Return the remote with an address, which is added where it is not known yet. ``shown`` is
        that without what gives access: the catalog is never told a password, and another password
        makes no other remote."""
        with self._transactions.writing() as connection:
            return known_remote(connection, shown, now)

    def find(self, shown: str) -> Remote | None:
        """Return the remote with an address, or None where nothing was ever sent to it or read from
        it."""
        row = self._row(_shown_as(shown))
        return None if row is None else Remote(*row)

    def all(self) -> list[Remote]:
        """Return the remotes in the order in which they were first used."""
        return [Remote(*row) for row in self._rows(select(*_REMOTE).order_by(remotes.c.id))]

    # --- what is to be sent ----------------------------------------------------------------------

    def unsent(
        self,
        remote: Remote,
        project_hash: str | None = None,
        *,
        also: Collection[PushState] = (),
        lost: bool = False,
        after: Checkpoint | None = None,
        limit: int | None = None,
    ) -> list[Checkpoint]:
        """Return the live checkpoints, of one project or of all, that are to be sent: those that
        were never tried and those that are waiting, oldest first. One that the store has lost in
        part cannot be sent; with ``lost`` it is these that are returned.

        ``also`` names states that are to be tried again, as refused ones where secrets are allowed.
        ``after`` is the last of those that were returned before, where ``limit`` cut them off.
        """
        state = or_(_IS_UNSENT, pushes.c.state.in_(list(also))) if also else _IS_UNSENT
        query = (
            select_checkpoints()
            .outerjoin(pushes, _on(remote._row))
            .where(_IS_LIVE, ~_IS_WHOLE if lost else _IS_WHOLE, state)
            .order_by(checkpoints.c.id)
            .limit(limit)
        )
        if project_hash is not None:
            query = query.where(projects.c.hash == project_hash)
        if after is not None:
            query = query.where(checkpoints.c.id > after._row)
        return [Checkpoint(*row) for row in self._rows(query)]

    def projects_unsent(self, shown: str, *, tried: bool = True) -> list[str]:
        """Return the hashes of the projects of which checkpoints are to be sent, in the order of
        the oldest ones; without ``tried`` only where one of them was never tried. ``shown`` is the
        address of the remote, with ``{project}`` where each project has one of its own."""
        query = (
            select(projects.c.hash)
            .select_from(_in_use(shown))
            .where(_IS_LIVE, _IS_WHOLE, _IS_UNSENT if tried else _IS_UNTRIED)
            .group_by(projects.c.id)
            .order_by(func.min(checkpoints.c.id))
        )
        return [str(row[0]) for row in self._rows(query)]

    def left_unsent(self, shown: str, before: datetime) -> LeftUnsent:
        """Return what should have been sent and was not, by one statement: checkpoints that were
        taken ``before`` a time, and those that are refused. ``shown`` is as for
        ``projects_unsent``."""
        late = and_(_IS_WHOLE, checkpoints.c.created_at < before, _IS_UNSENT)
        query = (
            select(
                func.coalesce(func.sum(case((late, 1), else_=0)), 0),
                func.min(case((late, checkpoints.c.created_at))),
                func.coalesce(func.sum(case((pushes.c.state == PushState.REFUSED, 1), else_=0)), 0),
                func.max(case((remotes.c.failures > 0, remotes.c.last_error))),
            )
            .select_from(_in_use(shown))
            .where(_IS_LIVE)
        )
        [row] = self._rows(query)
        return LeftUnsent(*row)

    def last_sent(self, remote: Remote, project_hash: str) -> Checkpoint | None:
        """Return the newest live checkpoint of a project that a remote has: what a push of the next
        ones builds on."""
        query = (
            select_checkpoints()
            .join(pushes, _on(remote._row))
            .where(_IS_LIVE, _IS_WHOLE, pushes.c.state == PushState.SENT)
            .where(projects.c.hash == project_hash)
            .order_by(checkpoints.c.id.desc())
            .limit(1)
        )
        row = self._row(query)
        return None if row is None else Checkpoint(*row)

    def cursor(self, remote: Remote, machine: str, project_hash: str) -> str:
        """Return the commit at the cursor of a project below the id of a machine, as the last push
        left it; "" where there was none."""
        query = (
            select(pushes.c.cursor_id)
            .where(pushes.c.remote_id == remote._row, pushes.c.machine_id == machine)
            .where(pushes.c.project_hash == project_hash, pushes.c.cursor_id.is_not(None))
            .order_by(pushes.c.at.desc())
            .limit(1)
        )
        row = self._row(query)
        return "" if row is None else str(row[0])

    def status(
        self, remote: Remote | None = None, project_hash: str | None = None
    ) -> list[PushStatus]:
        """Return how far each remote, or one, has the checkpoints of each project, or of one, by
        one statement. A remote is told with every project that has live checkpoints."""
        query = push_status()
        if remote is not None:
            query = query.where(remotes.c.id == remote._row)
        if project_hash is not None:
            query = query.where(projects.c.hash == project_hash)
        return [PushStatus(*row) for row in self._rows(query)]

    def pushed(
        self,
        remote: Remote,
        states: Collection[PushState],
        *,
        project_hash: str | None = None,
        machine: str | None = None,
    ) -> list[Pushed]:
        """Return what became of checkpoints on a remote, as far as it is one of ``states``, in the
        order in which it did. ``machine`` asks for those that lie below its id alone, which are
        those that a base may remove. ``working_dir`` is None where no checkpoint of it is left.
        """
        query = (
            select(
                *(pushes.c[name] for name in ("commit_id", "project_hash", "state", "ref_name")),
                *(pushes.c.reason, pushes.c.machine_id, projects.c.workdir, pushes.c.at),
            )
            .outerjoin(checkpoints, checkpoints.c.commit_id == pushes.c.commit_id)
            .outerjoin(projects, projects.c.id == checkpoints.c.project_id)
            .where(pushes.c.remote_id == remote._row, pushes.c.state.in_(list(states)))
            .order_by(pushes.c.at, pushes.c.ref_name, checkpoints.c.id, pushes.c.commit_id)
        )
        paths = select(
            refused_paths.c.commit_id, refused_paths.c.path, refused_paths.c.reason
        ).where(refused_paths.c.remote_id == remote._row)
        if project_hash is not None:  # of a directory that was moved, the remote has the former one
            its = func.coalesce(projects.c.hash, pushes.c.project_hash)
            query = query.where(its == project_hash)
        if machine is not None:
            query = query.where(pushes.c.machine_id == machine)
        of_commit: dict[str, list[RefusedPath]] = {}
        with self._transactions.reading() as connection:
            rows = connection.execute(query).all()
            if PushState.REFUSED in states:
                for id_, *told in connection.execute(paths.order_by(refused_paths.c.path)):
                    of_commit.setdefault(id_, []).append(RefusedPath(*told))
        return [
            Pushed(id_, hash_, state, ref, reason, tuple(of_commit.get(id_, ())), *where)
            for id_, hash_, state, ref, reason, *where in rows
        ]

    # --- what came of it -------------------------------------------------------------------------

    def record_push(
        self,
        remote: Remote,
        outcomes: Iterable[Pushed],
        entry: JournalEntry,
        *,
        machine: str,
        name: str | None,
        now: datetime,
    ) -> Remote:
        """Record what became of checkpoints in a push that ended ``now``, with its row of the
        journal; return the remote as it then is. The refs lie below the id of ``machine``, this
        base, which is called ``name``.

        Whether the remote answered is what ``entry.outcome`` says: anything but ``failed``; with
        ``partial`` it is no success where nothing of it was sent. What
        was sent before stays sent, whatever is told of it now. A row of the journal that says the
        same, with no success between, goes: a push that fails each minute leaves one.
        """
        told = {one.id: one for one in outcomes}
        with self._transactions.writing() as connection:
            remote = known_remote(connection, remote.url, now)
            if told:
                meet(connection, {machine: name}, {machine}, now)
            known = _states(connection, remote, list(told))
            news = [one for one in told.values() if known.get(one.id) is not PushState.SENT]
            _replace(connection, remote, news, machine, now)
            _tidy(connection)
            sent = any(one.state is PushState.SENT for one in told.values())
            if sent or entry.outcome is not OperationOutcome.PARTIAL:
                values = _answer(entry, now)
                its = remotes.c.id == remote._row
                connection.execute(update(remotes).where(its).values(**values))
            _take_back_the_same(connection, entry)
            Operations(self._transactions).record(entry, now=now)
            row = connection.execute(select(*_REMOTE).where(remotes.c.id == remote._row)).one()
            return Remote(*row)

    def set_cursors(self, remote: Remote, machine: str, cursors: Mapping[str, str]) -> None:
        """Record at which commits the cursors of projects, by their hashes, are on a remote below
        the id of a machine, "" for none: what the next push expects there."""
        statement = (
            update(pushes)
            .where(pushes.c.remote_id == remote._row, pushes.c.machine_id == machine)
            .where(pushes.c.project_hash == bindparam("of_project"))
            .where(pushes.c.cursor_id.is_not(None))
            .values(cursor_id=bindparam("new_cursor"))
        )
        rows = [{"of_project": hash_, "new_cursor": id_} for hash_, id_ in cursors.items()]
        self._write(statement, rows)

    def sent(self, commits: Iterable[str]) -> dict[str, list[Pushed]]:
        """Return where some commits lie on remotes, as far as this base knows: by the address of
        each remote, as it may be shown."""
        found: dict[str, list[Pushed]] = {}
        for some in chunks(sorted(set(commits))):
            for url, one in self._sent(pushes.c.commit_id.in_(some)):
                found.setdefault(url, []).append(one)
        return found

    def sent_and_gone(self, project_hash: str | None = None) -> dict[str, list[Pushed]]:
        """Return what remotes have of a project of this base, or of all, that is not live here any
        more: by the address of each, as it may be shown."""
        its = checkpoints.c.commit_id == pushes.c.commit_id
        live = select(checkpoints.c.id).where(_IS_LIVE, its).correlate(pushes).exists()
        of_it = true() if project_hash is None else pushes.c.project_hash == project_hash
        found: dict[str, list[Pushed]] = {}
        for url, one in self._sent(and_(~live, of_it)):
            found.setdefault(url, []).append(one)
        return found

    def _sent(self, which: ColumnElement[bool]) -> list[tuple[str, Pushed]]:
        names = ("commit_id", "project_hash", "state", "ref_name", "machine_id")
        query = (
            select(remotes.c.url_shown, *(pushes.c[name] for name in names))
            .join(remotes, remotes.c.id == pushes.c.remote_id)
            .where(pushes.c.state == PushState.SENT, which)
            .order_by(remotes.c.id, pushes.c.ref_name)
        )
        return [
            (url, Pushed(id_, hash_, state, ref, machine=machine))
            for url, id_, hash_, state, ref, machine in self._rows(query)
        ]

    def record_removal(
        self,
        remote: Remote,
        ref_names: Iterable[str],
        entry: JournalEntry,
        *,
        machine: str | None = None,
        now: datetime,
    ) -> None:
        """Record that these refs were removed from a remote on purpose, with a row of the journal:
        what this base had sent is not sent again, and the list of the remote has them no longer.
        ``machine`` is this base: what lay below another id, of a base of which it is a copy, it
        then sends itself."""
        with self._transactions.writing() as connection:
            remote = known_remote(connection, remote.url, now)
            for some in chunks(sorted(set(ref_names))):
                its = pushes.c.remote_id == remote._row, pushes.c.ref_name.in_(some)
                if machine is not None:
                    foreign = pushes.c.machine_id != machine
                    connection.execute(delete(pushes).where(*its, foreign))
                connection.execute(
                    update(pushes)
                    .where(*its, pushes.c.state == PushState.SENT)
                    .values(state=PushState.REMOVED, at=now, reason=entry.message)
                )
                connection.execute(
                    delete(remote_checkpoints).where(
                        remote_checkpoints.c.remote_id == remote._row,
                        remote_checkpoints.c.ref_name.in_(some),
                    )
                )
            _tidy(connection)
            forget_machines(connection)
            Operations(self._transactions).record(entry, now=now)


def push_status() -> Select[Any]:
    """Return the query of how far each remote has the checkpoints of each project."""
    fresh = and_(_IS_LIVE, _IS_WHOLE)
    waiting = and_(fresh, pushes.c.state == PushState.WAITING)
    unsent = or_(and_(fresh, _IS_UNTRIED), waiting)
    sent = pushes.c.state == PushState.SENT

    def count(condition: ColumnElement[bool]) -> ColumnElement[int]:
        return func.sum(case((condition, 1), else_=0))

    def live(state: PushState) -> ColumnElement[int]:
        return count(and_(_IS_LIVE, pushes.c.state == state))

    return (
        select(
            remotes.c.url_shown.label("remote"),
            projects.c.hash.label("project"),
            projects.c.workdir.label("working_directory"),
            count(unsent).label("unsent"),
            count(waiting).label("waiting"),
            count(sent).label("sent"),
            live(PushState.REFUSED).label("refused"),
            live(PushState.REMOVED).label("removed"),
            func.min(case((unsent, checkpoints.c.created_at))).label("oldest_unsent_at"),
            func.max(case((sent, pushes.c.at))).label("last_sent_at"),
        )
        .select_from(
            remotes.join(checkpoints, true())
            .join(projects, projects.c.id == checkpoints.c.project_id)
            .outerjoin(pushes, _on(remotes.c.id))
        )
        .where(or_(_IS_LIVE, sent))
        .group_by(remotes.c.id, projects.c.id)
        .order_by(remotes.c.id, projects.c.workdir)
    )


def known_remote(connection: Connection, shown: str, now: datetime) -> Remote:
    """Return the remote that is shown so, which is added where it is not there, as after a clear,
    as part of the caller's transaction."""
    found = connection.execute(_shown_as(shown)).first()
    if found is None:
        values = {"url_hash": _hash(shown), "url_shown": shown, "added_at": now}
        insert_row(connection, remotes, values)
        found = connection.execute(_shown_as(shown)).one()
    return Remote(*found)


def meet(
    connection: Connection,
    names: Mapping[str, str | None],
    active: Collection[str],
    now: datetime,
) -> None:
    """Add the machines that are not known yet, as part of the caller's transaction; note of the
    ``active`` ones that there is something new of them, and of all the names that are told."""
    ids = sorted({*names, *active})
    for some in chunks(ids):
        query = select(machines.c.id, machines.c.name).where(machines.c.id.in_(some))
        known = {row[0]: row[1] for row in connection.execute(query)}
        for id_ in some:
            values: dict[str, Any] = {"last_seen": now} if id_ in active else {}
            if names.get(id_) is not None and known.get(id_) != names[id_]:
                values["name"] = names[id_]
            if id_ not in known:
                added = {"id": id_, "first_seen": now, "last_seen": now, **values}
                connection.execute(machines.insert().values(added))
            elif values:
                connection.execute(update(machines).where(machines.c.id == id_).values(values))


def forget_machines(connection: Connection) -> None:
    """Delete the machines of which nothing is left on any remote, as part of the caller's
    transaction: each sandbox that is gone was one."""
    kept = [select(column) for column in (remote_checkpoints.c.machine_id, pushes.c.machine_id)]
    connection.execute(delete(machines).where(*(machines.c.id.not_in(one) for one in kept)))


def agree(
    connection: Connection,
    remote: Remote,
    refs: Mapping[str, str],
    scope: RemoteScope,
    machine: str | None,
    now: datetime,
    began: datetime | None = None,
) -> None:
    """Let ``pushes`` say what a part of a remote was found to have, by ref, as part of the caller's
    transaction. ``machine`` is this base. The look at the remote ``began`` then, if not ``now``:
    what was sent while it was at work is not judged by it.

    What was sent and is not there is removed, and not sent again. Where it lay below another id,
    of a base of which this one is a copy, that one's owner removed it: this base sends its own.
    What is there below the own id was sent, also where the catalog of then was lost.
    """
    query = select(pushes.c.commit_id, pushes.c.ref_name, pushes.c.machine_id).where(
        pushes.c.remote_id == remote._row,
        pushes.c.state == PushState.SENT,
        pushes.c.at <= (began or now),
        *in_scope(pushes, scope),
    )
    gone: dict[bool, list[dict[str, Any]]] = {True: [], False: []}
    for id_, ref_name, of in connection.execute(query):
        if refs.get(ref_name) != id_:
            gone[of == machine].append({"of_commit": id_, "of_remote": remote._row})
    if gone[True]:
        said = {"state": PushState.REMOVED, "at": now, "reason": "the remote has it no longer"}
        connection.execute(update(pushes).where(_OF_COMMIT).values(said), gone[True])
    if gone[False]:
        connection.execute(_FORGET, gone[False])
    if machine is not None:
        there = (
            select(
                remote_checkpoints.c.commit_id,
                remote_checkpoints.c.project_hash,
                func.min(remote_checkpoints.c.ref_name).label("ref_name"),
            )
            .join(checkpoints, checkpoints.c.commit_id == remote_checkpoints.c.commit_id)
            .outerjoin(pushes, _on(remote._row))
            .where(
                _IS_LIVE,
                remote_checkpoints.c.remote_id == remote._row,
                remote_checkpoints.c.machine_id == machine,
                or_(pushes.c.state.is_(None), pushes.c.state != PushState.SENT),
            )
            .group_by(remote_checkpoints.c.commit_id, remote_checkpoints.c.project_hash)
        )
        found = [
            Pushed(id_, hash_, PushState.SENT, ref_name)
            for id_, hash_, ref_name in connection.execute(there).all()
        ]
        _replace(connection, remote, found, machine, now)
    _tidy(connection)


def in_scope(table: Any, scope: RemoteScope) -> list[ColumnElement[bool]]:
    """Return the conditions of the rows of a table whose refs are in a part of a remote."""
    prefix = bindparam(None, scope.prefix, type_=table.c.ref_name.type)
    found = [func.substr(table.c.ref_name, 1, func.length(prefix)) == prefix]
    if scope.machine is not None:
        found.append(table.c.machine_id == scope.machine)
    if scope.project_hashes is not None:
        found.append(table.c.project_hash.in_(sorted(scope.project_hashes)))
    return found


def _in_use(shown: str) -> Any:
    """Return all checkpoints with the remote that each is to be sent to, where that is known, and
    with what became of it there."""
    address = bindparam(None, shown, type_=remotes.c.url_shown.type)
    its = remotes.c.url_shown == func.replace(address, "{project}", projects.c.hash)
    return (
        checkpoints.join(projects, projects.c.id == checkpoints.c.project_id)
        .outerjoin(remotes, its)
        .outerjoin(pushes, _on(remotes.c.id))
    )


def _on(remote_id: Any) -> ColumnElement[bool]:
    """Return the condition that a row of ``pushes`` is that of the checkpoint of a row."""
    return and_(pushes.c.remote_id == remote_id, pushes.c.commit_id == checkpoints.c.commit_id)


def _shown_as(shown: str) -> Select[Any]:
    return select(*_REMOTE).where(remotes.c.url_hash == _hash(shown))


def _hash(shown: str) -> str:
    """Return 16 hex digits of the SHA-256 of an address as the catalog keeps it."""
    return hashlib.sha256(storable(shown).encode()).hexdigest()[:_HASH_DIGITS]


def _answer(entry: JournalEntry, now: datetime) -> dict[str, Any]:
    """Return the columns of a remote after a push."""
    if entry.outcome in _ANSWERED:
        return {"last_success_at": now, "failures": 0}
    return {
        "last_failure_at": now,
        "last_code": entry.code,
        "last_error": entry.message,
        "failures": remotes.c.failures + 1,
    }


def _take_back_the_same(connection: Connection, entry: JournalEntry) -> None:
    """Delete the rows of the journal that a failed push repeats, as part of the caller's
    transaction; how many there were is in ``remotes.failures``, and since when beside it."""
    if entry.outcome not in (OperationOutcome.FAILED, OperationOutcome.PARTIAL):
        return
    alike = (
        operations.c.kind == entry.kind,
        operations.c.workdir == entry.working_dir,
        operations.c.detail == entry.detail,
    )
    newest_success = select(func.coalesce(func.max(operations.c.id), 0)).where(
        *alike, operations.c.outcome.in_((OperationOutcome.DONE, OperationOutcome.UNCHANGED))
    )
    same = [
        operations.c.outcome == entry.outcome,
        operations.c.code.is_not_distinct_from(entry.code),
    ]
    if entry.outcome is OperationOutcome.PARTIAL:
        same.append(operations.c.message == entry.message)
    after = operations.c.id > newest_success.scalar_subquery()
    connection.execute(delete(operations).where(*alike, *same, after))


def _states(connection: Connection, remote: Remote, ids: Sequence[str]) -> dict[str, PushState]:
    found: dict[str, PushState] = {}
    for some in chunks(ids):
        query = select(pushes.c.commit_id, pushes.c.state).where(
            pushes.c.remote_id == remote._row, pushes.c.commit_id.in_(some)
        )
        found |= {row[0]: row[1] for row in connection.execute(query)}
    return found


def _replace(
    connection: Connection, remote: Remote, told: Sequence[Pushed], machine: str, now: datetime
) -> None:
    """Write rows of ``pushes`` in the place of those that are there."""
    if not told:
        return
    keys = [{"of_commit": one.id, "of_remote": remote._row} for one in told]
    connection.execute(_FORGET_PATHS, keys)
    connection.execute(_FORGET, keys)
    rows = [
        {
            "remote_id": remote._row,
            "commit_id": one.id,
            "state": one.state,
            "at": now,
            "reason": one.reason,
            "machine_id": machine,
            "project_hash": one.project_hash,
            "ref_name": one.ref_name,
            "cursor_id": one.cursor,
        }
        for one in told
    ]
    connection.execute(pushes.insert(), rows)
    paths = {(one.id, path.path): path.reason for one in told for path in one.paths}
    named = [
        {"remote_id": remote._row, "commit_id": id_, "path": path, "reason": reason}
        for (id_, path), reason in paths.items()
    ]
    if named:
        connection.execute(refused_paths.insert(), named)


def _tidy(connection: Connection) -> None:
    """Delete what was not sent, or is not there any more, of checkpoints that are not live."""
    its = checkpoints.c.commit_id == pushes.c.commit_id
    live = select(checkpoints.c.id).where(_IS_LIVE, its).correlate(pushes).exists()
    connection.execute(delete(pushes).where(pushes.c.state != PushState.SENT, ~live))
