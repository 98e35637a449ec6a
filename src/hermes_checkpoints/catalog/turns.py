"""Turns: when agents are at work in a project, in which session, and what their tools tell.

One turn is open at most for each session of a project. Any process may begin, tell and end one.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import (
    BindParameter,
    Delete,
    Select,
    and_,
    bindparam,
    delete,
    func,
    insert,
    or_,
    select,
    union,
    update,
)

from hermes_checkpoints.catalog.encoding import read_owner, read_turn
from hermes_checkpoints.catalog.engine import Records, insert_into
from hermes_checkpoints.catalog.new_rows import owner_of
from hermes_checkpoints.catalog.rows import columns_of
from hermes_checkpoints.catalog.schema import (
    THERE,
    agent_writes,
    checkpoints,
    path_events,
    projects,
    tool_runs,
    turns,
)
from hermes_checkpoints.catalog.sqlite import chunks
from hermes_checkpoints.model import Actor, AgentWrite, Owner, ToolRun, Turn

_TURN = columns_of(Turn, turns)
_WRITE = columns_of(AgentWrite, agent_writes)

_MAY_BE_AGENTS = (Actor.AGENT.value, Actor.UNKNOWN.value)

_ITS = turns.c.project_id == bindparam("of_project")
_IDS: BindParameter[Any] = bindparam("ids", expanding=True)
_ALL_OPEN = select(*_TURN).where(_ITS, turns.c.ended_at.is_(None)).order_by(turns.c.id)
_WRITES = (
    select(*_WRITE)
    .where(agent_writes.c.project_id == bindparam("of_project"))
    .order_by(agent_writes.c.id)
)
_AGENT_SINCE = (
    select(turns.c.id)
    .where(
        _ITS,
        turns.c.actor.in_(_MAY_BE_AGENTS),
        or_(turns.c.ended_at.is_(None), turns.c.end_checkpoint_id >= bindparam("of_checkpoint")),
    )
    .limit(1)
)
_END = update(turns).where(turns.c.id.in_(_IDS))
_FORGET_RUNS = delete(tool_runs).where(tool_runs.c.turn_id.in_(_IDS))
_OPEN = select(turns.c.id).where(
    _ITS,
    turns.c.actor == Actor.AGENT.value,
    turns.c.ended_at.is_(None),
    turns.c.session_id.is_not_distinct_from(bindparam("of_session", type_=turns.c.session_id.type)),
)
_RECORD_WRITE = insert(agent_writes).values(turn_id=_OPEN.scalar_subquery())
_TOLD = update(turns).where(turns.c.id == _OPEN.scalar_subquery()).values(tools_told=True)
_TOLD_OF_A_RUN = ("run", "tool", "began_ns", "record")
_BEGIN_RUN = insert(tool_runs).from_select(
    ["turn_id", *_TOLD_OF_A_RUN],
    _OPEN.add_columns(
        *(bindparam(f"of_{name}", type_=tool_runs.c[name].type) for name in _TOLD_OF_A_RUN)
    ),
)
_RUNS = (
    select(*columns_of(ToolRun, tool_runs))
    .where(tool_runs.c.turn_id == bindparam("of_turn"))
    .order_by(tool_runs.c.id)
)
_RUNNING = select(func.max(tool_runs.c.id)).where(
    tool_runs.c.turn_id == _OPEN.scalar_subquery(), tool_runs.c.ended_ns.is_(None)
)
_RUNNING_AS = _RUNNING.where(tool_runs.c.run == bindparam("of_run", type_=tool_runs.c.run.type))
_END_LAST = update(tool_runs).where(tool_runs.c.id == _RUNNING.scalar_subquery())
_END_RUN = update(tool_runs).where(tool_runs.c.id == _RUNNING_AS.scalar_subquery())
_FORGET_WRITES = delete(agent_writes).where(agent_writes.c.turn_id.in_(_IDS))


@dataclasses.dataclass(frozen=True)
class Worked:
    """When a turn of an agent was open, and since which row of a checkpoint; ``ended_at`` is None
    while it is."""

    started_at: datetime
    ended_at: datetime | None
    start: int | None


class Turns(Records):
    """The tables ``turns``, ``tool_runs`` and ``agent_writes``. Every method is one transaction;
    those of when tools run do not wait for the disk, since a power cut ends the turn, too."""

    def open(self, project_id: int) -> list[Turn]:
        """Return the open turns of a project, oldest first."""
        with self._sound():
            return [read_turn(row) for row in self._rows(_ALL_OPEN, {"of_project": project_id})]

    def work(self, project_id: int, session_id: str | None, turn: int | None) -> list[Worked]:
        """Return when an agent's session was at work in a project, as far as its turns are on
        record, oldest first; of one turn where its number is given."""
        its = {"of_project": project_id, "of_session": session_id}
        if turn is None:
            return [Worked(*row) for row in self._rows(_worked(False), its)]
        return [Worked(*row) for row in self._rows(_worked(True), {**its, "of_turn": turn})]

    def newest_of_number(self, project_id: int, turn: int) -> tuple[str | None] | None:
        """Return the session that had a turn of this number last in a project, in a tuple since
        one may have no name; None where none had."""
        row = self._row(_newest_of_number(), {"of_project": project_id, "of_turn": turn})
        return None if row is None else (row[0],)

    def open_of_session(self, session_id: str) -> list[str]:
        """Return the working directories in which a session has a turn open."""
        query = (
            select(projects.c.workdir)
            .join(turns, turns.c.project_id == projects.c.id)
            .where(turns.c.session_id == session_id, turns.c.ended_at.is_(None))
            .order_by(turns.c.id)
        )
        return list(self._column(query))

    def owners(self, project_id: int, session_ids: Sequence[str]) -> dict[str, Owner]:
        """Return the process of the last turn of each session that had one in a project, where it
        is known. Wherever the last one was: a session may go on in another project."""
        agents = turns.c.actor == Actor.AGENT.value
        here = select(turns.c.session_id).where(agents, turns.c.project_id == project_id)
        last = (
            select(func.max(turns.c.id))
            .where(agents, turns.c.session_id.in_(session_ids), turns.c.session_id.in_(here))
            .group_by(turns.c.session_id)
        )
        query = select(turns.c.session_id, turns.c.owner).where(
            turns.c.id.in_(last), turns.c.owner.is_not(None)
        )
        with self._sound():
            return {session: read_owner(owner) for session, owner in self._rows(query)}

    def begin(
        self,
        project_id: int,
        *,
        start_checkpoint_id: int,
        session_id: str | None,
        turn: int | None,
        actor: Actor,
        now: datetime,
        owner: Owner | None = None,
        tools_told: bool = False,
        title: str | None = None,
    ) -> None:
        """Begin a turn; none of its session may be open."""
        values = {
            "project_id": project_id,
            "session_id": session_id,
            "turn": turn,
            "start_checkpoint_id": start_checkpoint_id,
            "actor": actor.value,
            "started_at": now,
            "owner": owner_of(owner),
            "tools_told": tools_told,
            "title": title,
        }
        self._write(insert_into(turns), values)

    def end(self, over: Sequence[Turn], *, by: str, checkpoint_id: int, now: datetime) -> None:
        """End turns, and forget what their tools told: the looks have seen it. ``checkpoint_id``
        is the last checkpoint before."""
        if not over:
            return
        ids = [turn.id for turn in over]
        with self._transactions.writing() as connection:
            ended = {"ended_at": now, "ended_by": by, "end_checkpoint_id": checkpoint_id}
            connection.execute(_END, {"ids": ids, **ended})
            connection.execute(_FORGET_RUNS, {"ids": ids})
            connection.execute(_FORGET_WRITES, {"ids": ids})

    def agent_since(self, project_id: int, checkpoint_id: int) -> bool:
        """Tell whether an agent was at work since a checkpoint, or may have been."""
        values = {"of_project": project_id, "of_checkpoint": checkpoint_id}
        return any(self._column(_AGENT_SINCE, values))

    def fold(self, projects: Sequence[int]) -> int:
        """Forget the turns of some projects that were over at checkpoints which are pruned; return
        how many.

        The last one of an agent stays: it says for every checkpoint before its end that an agent
        was at work since. So does one with a title whose first checkpoint is there, which is listed
        with it. So does the last one of each session that changed a path, or may have:
        it says which process that was, and so whether the session is over.
        """
        return self._write(_fold(), [{"of_project": project} for project in projects])

    # --- what tools tell ---------------------------------------------------------------------

    def record_write(
        self,
        project_id: int,
        path: str,
        *,
        session_id: str | None,
        turn: int | None,
        tool: str | None,
        blob: str | None,
        now: datetime,
    ) -> None:
        """Record that a tool of the agent wrote a file. ``blob`` is the id of its contents."""
        values = {
            "project_id": project_id,
            "path": path,
            "session_id": session_id,
            "turn": turn,
            "tool": tool,
            "blob": blob,
            "written_at": now,
        }
        self._write(_RECORD_WRITE, {**values, "of_project": project_id, "of_session": session_id})

    def writes(self, project_id: int) -> list[AgentWrite]:
        """Return the writes that tools reported in open turns, or since the last look, in the
        order of the reports."""
        return [AgentWrite(*row) for row in self._rows(_WRITES, {"of_project": project_id})]

    def forget_writes(self, project_id: int, paths: Sequence[str]) -> None:
        """Forget what tools reported of some paths outside of every turn: it was seen."""
        for some in chunks(paths):
            its = agent_writes.c.project_id == project_id, agent_writes.c.turn_id.is_(None)
            self._write(delete(agent_writes).where(*its, agent_writes.c.path.in_(some)))

    def begin_tool(
        self,
        project_id: int,
        session_id: str | None,
        run: str | None,
        tool: str | None,
        ns: int,
        *,
        every_tool: bool = True,
        record: str | None = None,
    ) -> bool:
        """Record that a tool of an open turn begins at ``ns``; False if no turn is open. Without
        ``every_tool`` the turn is not only what changes while its tools run; ``record`` is the file
        in which the agent writes the conversation."""
        its = {"of_project": project_id, "of_session": session_id}
        with self._transactions.writing(durable=False) as connection:
            if every_tool:
                connection.execute(_TOLD, its)
            begun = {**its, "of_run": run, "of_tool": tool, "of_began_ns": ns, "of_record": record}
            return connection.execute(_BEGIN_RUN, begun).rowcount > 0

    def end_tool(self, project_id: int, session_id: str | None, run: str | None, ns: int) -> bool:
        """Record that a tool of an open turn ended at ``ns``: the one that was begun as ``run``,
        else the one that began last; False if none runs."""
        values = {"of_project": project_id, "of_session": session_id, "ended_ns": ns}
        with self._transactions.writing(durable=False) as connection:
            if run is None:
                return connection.execute(_END_LAST, values).rowcount > 0
            return connection.execute(_END_RUN, {**values, "of_run": run}).rowcount > 0

    def tool_runs(self, turn_id: int) -> list[ToolRun]:
        """Return when the tools of a turn ran."""
        return [ToolRun(*row) for row in self._rows(_RUNS, {"of_turn": turn_id})]


@functools.cache
def _worked(one: bool) -> Select[Any]:
    session = bindparam("of_session", type_=turns.c.session_id.type)
    its = _ITS, turns.c.actor == Actor.AGENT.value, turns.c.session_id.is_not_distinct_from(session)
    known = turns.c.started_at, turns.c.ended_at, turns.c.start_checkpoint_id
    query = select(*known).where(*its)
    if one:
        query = query.where(turns.c.turn == bindparam("of_turn"))
    return query.order_by(turns.c.id)


@functools.cache
def _newest_of_number() -> Select[Any]:
    """Return the query of the session that had a turn of a number last: turns that are over may be
    forgotten, and what they changed is not."""
    number: BindParameter[Any] = bindparam("of_turn")
    begun = select(turns.c.session_id, turns.c.started_at.label("at")).where(
        _ITS, turns.c.actor == Actor.AGENT.value, turns.c.turn == number
    )
    done = select(path_events.c.session_id, path_events.c.at).where(
        path_events.c.project_id == bindparam("of_project"),
        path_events.c.actor == Actor.AGENT,
        path_events.c.turn == number,
    )
    found = begun.union_all(done).subquery("found")
    return select(found.c.session_id).order_by(found.c.at.desc()).limit(1)


@functools.cache
def _fold() -> Delete:
    """Return the statement that forgets the turns of a project which are over and not needed."""
    of_agents = or_(*(turns.c.actor == actor for actor in _MAY_BE_AGENTS))
    ended = and_(_ITS, turns.c.ended_at.is_not(None))
    last = (
        select(turns.c.id)
        .where(ended, of_agents, turns.c.end_checkpoint_id.is_not(None))
        .order_by(turns.c.end_checkpoint_id.desc(), turns.c.id.desc())
        .limit(1)
    )
    first = checkpoints.alias("first")
    starts_there = select(first.c.id).where(
        first.c.id == turns.c.start_checkpoint_id, or_(*(first.c.state == one for one in THERE))
    )
    outdated = (
        select(turns.c.id)
        .join(checkpoints, checkpoints.c.id == turns.c.end_checkpoint_id)
        .where(
            ended,
            checkpoints.c.state == "pruned",
            turns.c.id.not_in(last),
            turns.c.id.not_in(_last_of_named_sessions()),
            or_(turns.c.title.is_(None), ~starts_there.exists()),
        )
    )
    return delete(turns).where(turns.c.id.in_(outdated))


def _last_of_named_sessions() -> Select[Any]:
    """Return the query of the last turn of each session that an event of a project names."""
    its = path_events.c.project_id == bindparam("of_project")
    sessions = union(
        select(path_events.c.session_id).where(its, path_events.c.session_id.is_not(None)),
        select(path_events.c.overlaps).where(its, path_events.c.overlaps.is_not(None)),
    )
    return (
        select(func.max(turns.c.id))
        .where(
            _ITS,
            turns.c.actor == Actor.AGENT.value,
            turns.c.session_id.in_(sessions),
        )
        .group_by(turns.c.session_id)
    )
