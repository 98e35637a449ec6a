"""What is answered directly of turns: when agents are at work, what their tools tell, and what the
looks at a directory saw, in the words of the classes of the whole catalog."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from hermes_checkpoints.catalog.direct import statements as sql
from hermes_checkpoints.catalog.direct.answers import Answers, directly
from hermes_checkpoints.catalog.direct.reader import NotDirect
from hermes_checkpoints.catalog.encoding import read_owner, read_turn

if TYPE_CHECKING:
    from hermes_checkpoints.catalog.recorded import LastLook, Planned, Recorded
    from hermes_checkpoints.model import (
        Actor,
        AgentWrite,
        HookSession,
        Owner,
        PathEvent,
        SeenChange,
        ToolRun,
        Turn,
    )


class Turns(Answers):
    """``catalog.turns``."""

    @directly
    def open_of_session(self, session_id: str) -> list[str]:
        return self._reader.column(sql.OPEN_OF_SESSION, session=session_id)

    @directly
    def open(self, project_id: int) -> list[Turn]:
        return self._reader.made(read_turn, sql.OPEN_TURNS, project=project_id)

    @directly
    def agent_since(self, project_id: int, checkpoint_id: int) -> bool:
        its = {"project": project_id, "checkpoint": checkpoint_id}
        return any(self._reader.column(sql.AGENT_SINCE, **its))

    @directly
    def owners(self, project_id: int, session_ids: Sequence[str]) -> dict[str, Owner]:
        if not session_ids:
            return {}
        its = {"project": project_id, "sessions": [*session_ids]}
        return dict(self._reader.made(lambda row: (row[0], read_owner(row[1])), sql.OWNERS, **its))

    @directly
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
        from hermes_checkpoints.catalog.new_rows import owner_of

        row = {
            "project": project_id,
            "checkpoint": start_checkpoint_id,
            "session": session_id,
            "turn": turn,
            "actor": actor.value,
            "now": now,
            "owner": owner_of(owner),
            "told": tools_told,
            "title": title,
        }
        self._reader.write_all([(sql.BEGIN_TURN, row)], durable=True)

    @directly
    def end(self, over: Sequence[Turn], *, by: str, checkpoint_id: int, now: datetime) -> None:
        if not over:
            return
        its = {"ids": [turn.id for turn in over]}
        ended = {**its, "by": by, "checkpoint": checkpoint_id, "now": now}
        forgotten = [(sql.FORGET_RUNS, its), (sql.FORGET_WRITES, its)]
        self._reader.write_all([(sql.END_TURNS, ended), *forgotten], durable=True)

    @directly
    def writes(self, project_id: int) -> list[AgentWrite]:
        from hermes_checkpoints.model import AgentWrite

        return [AgentWrite(*row) for row in self._reader.rows(sql.WRITES, project=project_id)]

    @directly
    def tool_runs(self, turn_id: int) -> list[ToolRun]:
        from hermes_checkpoints.model import ToolRun

        return [ToolRun(*row) for row in self._reader.rows(sql.TOOL_RUNS, turn=turn_id)]

    @directly
    def record_write(self, project_id: int, path: str, **told: Any) -> None:
        row = {"project": project_id, "path": path, **told}
        self._reader.write_all([(sql.RECORD_WRITE, row)], durable=True)

    @directly
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
        its = {"project": project_id, "session": session_id}
        begun = [(sql.BEGIN_RUN, {**its, "run": run, "tool": tool, "ns": ns, "record": record})]
        return self._reader.write_all([(sql.TOLD, its)] * every_tool + begun)[-1] > 0

    @directly
    def end_tool(self, project_id: int, session_id: str | None, run: str | None, ns: int) -> bool:
        its = {"project": project_id, "session": session_id, "ns": ns}
        ended = (sql.END_LAST_RUN, its) if run is None else (sql.END_RUN, {**its, "run": run})
        return self._reader.write_all([ended]) > [0]


class Hooks(Answers):
    """``catalog.hooks``."""

    @directly
    def session(self, session_id: str) -> HookSession | None:
        from hermes_checkpoints.model import HookSession

        rows = self._reader.rows(sql.HOOK_SESSION, session=session_id)
        return HookSession(*rows[0]) if rows else None

    @directly
    def prompted(self, session_id: str, agent: str, title: str | None, now: datetime) -> int:
        from hermes_checkpoints.model.turns import FORGOTTEN_AFTER

        its = {"session": session_id, "agent": agent, "now": now}
        with self._reader.writing(durable=False):  # a turn that cannot be read does not count
            self._reader.write_all(
                [
                    (sql.HOOK_BEGIN, its),
                    (sql.HOOK_NEXT, {**its, "title": title}),
                    (sql.HOOK_FORGET, {"before": now - FORGOTTEN_AFTER}),
                ]
            )
            return int(self._reader.rows(sql.HOOK_SESSION, session=session_id)[0][2])

    @directly
    def tell(self, session_id: str, why: str) -> None:
        self._reader.write_all([(sql.HOOK_TELL, {"session": session_id, "why": why})])

    @directly
    def end(self, session_id: str) -> None:
        self._reader.write_all([(sql.HOOK_END, {"session": session_id})])


class Events(Answers):
    """``catalog.events``."""

    @directly
    def seen(self, project_hash: str, since: int, most: int) -> list[SeenChange]:
        from hermes_checkpoints.model import SeenChange

        rows = self._reader.rows(sql.SEEN, hash=project_hash, since=since, limit=most)
        return [SeenChange(*row) for row in rows]

    @directly
    def since(
        self,
        project_id: int,
        checkpoint_id: int | None,
        path: str | None = None,
        *,
        until: int | None = None,
    ) -> list[Recorded]:
        from hermes_checkpoints.catalog.recorded import Recorded
        from hermes_checkpoints.model import PathEvent

        if checkpoint_id is None or path is not None or until is not None:
            raise NotDirect
        rows = self._reader.rows(sql.EVENTS_SINCE, project=project_id, checkpoint=checkpoint_id)
        return [Recorded(PathEvent(*row[:-3]), *row[-3:]) for row in rows]

    @directly
    def add(
        self,
        project_id: int,
        checkpoint_id: int,
        events: Iterable[PathEvent],
        *,
        target: int | None = None,
    ) -> None:
        its = {"project_id": project_id, "checkpoint_id": checkpoint_id, "target_id": target}
        rows = [{**its, **vars(event)} for event in events]
        self._reader.write_all([(sql.ADD_EVENT, row) for row in rows], durable=True)

    @directly
    def looked(self, project_id: int, at_ns: int, *, reports: bool) -> None:
        its = {"project": project_id}
        seen = [(sql.FORGET_REPORTS, its), (sql.REPORTS_SEEN, its)] if reports else []
        self._reader.write_all([(sql.LOOKED, {**its, "ns": at_ns}), *seen], durable=True)

    @directly
    def cut_short(self, project_id: int) -> Sequence[Planned]:
        from hermes_checkpoints.catalog.recorded import Planned
        from hermes_checkpoints.model import Action

        return [
            Planned(path, None, None) if action == Action.DELETE else Planned(path, blob, mode)
            for path, action, blob, mode in self._reader.rows(sql.CUT_SHORT, project=project_id)
        ]

    @directly
    def last_look(self, project_id: int) -> LastLook:
        from hermes_checkpoints.catalog.recorded import LastLook

        rows = self._reader.rows(sql.LAST_LOOK, project=project_id)
        return LastLook(rows[0][0], bool(rows[0][1])) if rows else LastLook()
