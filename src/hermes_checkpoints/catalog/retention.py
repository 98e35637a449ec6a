"""What is recorded for retention: where projects are, what they hold, and whose history it is."""

from __future__ import annotations

import functools
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import (
    Connection,
    Select,
    String,
    bindparam,
    func,
    literal,
    select,
    update,
)

from hermes_checkpoints.catalog.engine import Records, insert_row
from hermes_checkpoints.catalog.labels import make_apart
from hermes_checkpoints.catalog.policy_values import project_of
from hermes_checkpoints.catalog.recorded import BY_NEXT
from hermes_checkpoints.catalog.rows import LAST_LOOK, select_checkpoints
from hermes_checkpoints.catalog.schema import (
    THERE,
    agent_writes,
    checkpoint_changes,
    checkpoints,
    metadata,
    path_events,
    projects,
    settings,
    tool_runs,
    turns,
)
from hermes_checkpoints.model import (
    Actor,
    Checkpoint,
    FileIdentity,
    LastLook,
    ProjectFacts,
    ProjectState,
)

_IDENTITIES = ("device", "inode", "parent_device", "parent_inode")
_PROJECT = [
    projects.c[name]
    for name in ("id", "hash", "workdir", "state", "last_touch", "missing_since", "disposable")
] + [projects.c[name] for name in _IDENTITIES]


@functools.cache
def _facts(some: bool) -> Select[Any]:
    query = select_projects()
    if some:
        query = query.where(projects.c.hash.in_(bindparam("hashes", expanding=True)))
    return query


@functools.cache
def _looks(some: bool) -> Select[Any]:
    query = select(*LAST_LOOK)
    if some:
        query = query.where(projects.c.hash.in_(bindparam("hashes", expanding=True)))
    return query


@functools.cache
def _emptied() -> Select[Any]:
    named = func.json_each(bindparam("hashes", type_=String())).table_valued("value").c.value
    live = select(checkpoints.c.id).where(
        checkpoints.c.state == "live", checkpoints.c.project_id == projects.c.id
    )
    return select(projects.c.hash).where(projects.c.hash.in_(select(named)), ~live.exists())


class Retention(Records):
    """The questions of retention to the catalog. Every method is one transaction."""

    def projects(self, hashes: Collection[str] | None = None) -> tuple[ProjectFacts, ...]:
        """Return every project, or those with one of these hashes, newest touch first."""
        values = None if hashes is None else {"hashes": list(hashes)}
        return tuple(project_of(row) for row in self._rows(_facts(hashes is not None), values))

    def last_looks(
        self, fresh: tuple[datetime, datetime], hashes: Collection[str] | None = None
    ) -> list[LastLook]:
        """Return what the last looks at the directories of all projects found, or of those with
        one of these hashes. Those that were not recorded between the two moments are due."""
        values: dict[str, Any] = {"since": fresh[0], "until": fresh[1]}
        if hashes is not None:
            values["hashes"] = list(hashes)
        return [LastLook(*row) for row in self._rows(_looks(hashes is not None), values)]

    def set_identities(self, seen: Mapping[str, tuple[FileIdentity, FileIdentity]]) -> None:
        """Record by hash the identities of working directories and of their parents."""
        statement = (
            update(projects)
            .where(projects.c.hash == bindparam("of_hash"))
            .values({name: bindparam(f"new_{name}") for name in _IDENTITIES})
        )
        rows = [
            {"of_hash": hash_, **_identities("new_", own, parent)}
            for hash_, (own, parent) in seen.items()
        ]
        self._write(statement, rows)

    def set_disposable(self, places: Mapping[str, bool]) -> None:
        """Record by hash whether projects lie in places that come and go."""
        statement = (
            update(projects)
            .where(projects.c.hash == bindparam("of_hash"))
            .values(disposable=bindparam("new_disposable"))
        )
        rows = [{"of_hash": hash_, "new_disposable": one} for hash_, one in places.items()]
        self._write(statement, rows)

    def live_trees(self) -> dict[str, set[str]]:
        """Return the trees of the live checkpoints, by project hash."""
        query = (
            select(projects.c.hash, checkpoints.c.tree_id)
            .join(projects, projects.c.id == checkpoints.c.project_id)
            .where(checkpoints.c.state == "live")
        )
        trees: dict[str, set[str]] = {}
        for hash_, tree in self._rows(query):
            trees.setdefault(hash_, set()).add(tree)
        return trees

    def emptied(self, hashes: Collection[str]) -> list[str]:
        """Return those of these projects that have no live checkpoint, by hash."""
        return list(self._column(_emptied(), {"hashes": json.dumps(sorted(hashes))}))

    def of_ref(self, ref_name: str) -> Checkpoint | None:
        """Return the checkpoint, live or pruned, that has this ref, or None."""
        row = self._row(select_checkpoints().where(checkpoints.c.ref_name == ref_name))
        return None if row is None else Checkpoint(*row)

    def unpin(self, ids: Iterable[int]) -> None:
        """Take the pins from checkpoints, so that ``mark_pruning`` takes them, too."""
        statement = (
            update(checkpoints).where(checkpoints.c.id == bindparam("of_id")).values(pinned=False)
        )
        self._write(statement, [{"of_id": id_} for id_ in ids])

    def erase(self, keep: Collection[str] = ()) -> None:
        """Delete everything but session checkpoints and the settings ``keep``; ids are not given
        anew afterwards."""
        with self._transactions.emptying() as connection:
            for table in metadata.sorted_tables:
                if table is settings:
                    connection.execute(settings.delete().where(settings.c.name.not_in(keep)))
                elif not table.name.startswith("session_"):
                    connection.execute(table.delete())

    def made_again(self, project_hash: str, own: FileIdentity, generation: str | None) -> None:
        """Record that the directory of a project, which was gone, is the one that a restore has
        made."""
        its = select(projects.c.id).where(projects.c.hash == project_hash).scalar_subquery()
        self._write(
            update(checkpoints)
            .where(checkpoints.c.project_id == its)
            .values(device=own.device, inode=own.inode, generation=generation)
        )

    def rebind(
        self, old: str, new: str, working_dir: str, own: FileIdentity, parent: FileIdentity
    ) -> None:
        """Give the history of the project with hash ``old`` to the directory ``working_dir``, whose
        hash is ``new``. Where that has a history of its own, both become one in the order in
        which the checkpoints were taken."""
        of_hash = select(projects.c.id).where(projects.c.hash == bindparam("of_hash"))
        seen: dict[str, str | int | None] = {"state": ProjectState.LIVE, "missing_since": None}
        with self._transactions.writing() as connection:
            old_id = connection.scalar(of_hash, {"of_hash": old})
            of_old = checkpoints.c.project_id == old_id  # the same directory, wherever it is now
            connection.execute(
                update(checkpoints)
                .where(of_old)
                .values(device=own.device, inode=own.inode, generation=None)
            )
            new_id = connection.scalar(of_hash, {"of_hash": new})
            if new_id is None:
                new_id = old_id
                seen |= {"hash": new, "workdir": working_dir}
            else:
                _end_earlier_turns(connection, (old_id, new_id))
                seen["looked_restore"] = _newest_restore(connection, (old_id, new_id))
                for of, beside in ((old_id, new_id), (new_id, old_id)):
                    _say_where_the_record_is_gone(connection, of, beside)
                make_apart(connection, [old_id, new_id])
                for table in metadata.sorted_tables:
                    column = table.c.get("project_id")
                    if column is not None:
                        moved = update(table).where(column == old_id).values(project_id=new_id)
                        connection.execute(moved)
                connection.execute(projects.delete().where(projects.c.id == old_id))
            connection.execute(
                update(projects)
                .where(projects.c.id == new_id)
                .values(seen | _identities("", own, parent))
            )


def _end_earlier_turns(connection: Connection, project_ids: Sequence[int | None]) -> None:
    """End the earlier open turn of a session that has one in each of two projects which become
    one. What its tools told is the other's."""
    open_ = (
        select(turns.c.session_id, turns.c.id, turns.c.started_at)
        .where(turns.c.project_id.in_(project_ids), turns.c.ended_at.is_(None))
        .order_by(turns.c.id)
    )
    last = select(func.max(checkpoints.c.id)).where(checkpoints.c.project_id.in_(project_ids))
    latest: dict[str | None, Any] = {}
    for row in connection.execute(open_).all():
        earlier = latest.get(row.session_id)
        latest[row.session_id] = row
        if earlier is None:
            continue
        ended = {
            "ended_at": row.started_at,
            "ended_by": BY_NEXT,
            "end_checkpoint_id": last.scalar_subquery(),
        }
        connection.execute(update(turns).where(turns.c.id == earlier.id).values(ended))
        for table in (agent_writes, tool_runs):
            its = table.c.turn_id == earlier.id
            connection.execute(update(table).where(its).values(turn_id=row.id))


def _newest_restore(connection: Connection, project_ids: Sequence[int | None]) -> int | None:
    """Return the last restore that the looks at two projects have seen the end of."""
    query = select(func.max(projects.c.looked_restore)).where(projects.c.id.in_(project_ids))
    found: int | None = connection.scalar(query)
    return found


def _say_where_the_record_is_gone(
    connection: Connection, of: int | None, beside: int | None
) -> None:
    """Begin a turn of nobody knows whom at the last tombstone of a project whose turns a prune has
    removed, if another project, which becomes one with it, can go back to the time before."""
    there, mine = checkpoints.alias("there"), checkpoints.c.project_id == of
    emptied = checkpoints.c.state == "pruned", checkpoints.c.ref_name.is_(None)
    before = select(there.c.id).where(
        there.c.project_id == beside,
        there.c.state.in_(THERE),
        there.c.id < checkpoints.c.id,
    )
    newest = select(checkpoints.c.id, checkpoints.c.created_at).where(
        mine, *emptied, before.exists()
    )
    last = connection.execute(newest.order_by(checkpoints.c.id.desc()).limit(1)).first()
    if last is None:
        return
    following = select(checkpoints.c.id, checkpoints.c.created_at).where(
        mine, checkpoints.c.id > last.id
    )
    until = connection.execute(following.order_by(checkpoints.c.id).limit(1)).first()
    insert_row(
        connection,
        turns,
        {
            "project_id": of,
            "start_checkpoint_id": last.id,
            "end_checkpoint_id": last.id,
            "actor": Actor.UNKNOWN.value,
            "started_at": last.created_at,
            "ended_at": last.created_at if until is None else until.created_at,
            "ended_by": BY_NEXT,
        },
    )
    if until is not None:
        copied = ("path", "status", "old_blob", "old_mode")
        lost = {
            "project_id": literal(of),
            "checkpoint_id": literal(last.id),
            "actor": literal(Actor.UNKNOWN.value),
            "at": literal(until.created_at, path_events.c.at.type),
            **{name: checkpoint_changes.c[name] for name in copied},
            "blob": checkpoint_changes.c.new_blob,
            "mode": checkpoint_changes.c.new_mode,
        }
        its = select(*lost.values()).where(checkpoint_changes.c.checkpoint_id == until.id)
        connection.execute(path_events.insert().from_select([*lost], its))


def _identities(prefix: str, own: FileIdentity, parent: FileIdentity) -> dict[str, str]:
    values = own.device, own.inode, parent.device, parent.inode
    return {f"{prefix}{name}": value for name, value in zip(_IDENTITIES, values, strict=True)}


def select_projects() -> Select[Any]:
    """Return the query of projects, newest touch first."""
    return select(*_PROJECT).order_by(projects.c.last_touch.desc(), projects.c.id.desc())
