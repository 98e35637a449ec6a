"""Sessions of agents that tell of themselves by hooks: their last prompt, since each event is a
process of its own that knows nothing of those before."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import bindparam, delete, func, insert, select, update

from hermes_checkpoints.catalog.engine import Records
from hermes_checkpoints.catalog.rows import columns_of
from hermes_checkpoints.catalog.schema import hook_sessions, turns
from hermes_checkpoints.model.turns import FORGOTTEN_AFTER, HookSession

_ITS = hook_sessions.c.session_id == bindparam("of_session", type_=hook_sessions.c.session_id.type)
_SESSION = select(*columns_of(HookSession, hook_sessions)).where(_ITS)
_NEXT = update(hook_sessions).where(_ITS).values(turn=hook_sessions.c.turn + 1)
_LAST_TURN = select(func.coalesce(func.max(turns.c.turn), 0)).where(
    turns.c.session_id == bindparam("of_session", type_=turns.c.session_id.type)
)
_BEGIN = insert(hook_sessions).from_select(
    ["session_id", "turn", "agent", "prompted_at"],
    select(
        bindparam("of_session", type_=hook_sessions.c.session_id.type),
        _LAST_TURN.scalar_subquery(),
        bindparam("of_agent", type_=hook_sessions.c.agent.type),
        bindparam("at", type_=hook_sessions.c.prompted_at.type),
    ).where(~select(hook_sessions.c.session_id).where(_ITS).exists()),
)
"""A session that is not known yet, before its first turn."""

_TELL = update(hook_sessions).where(_ITS)
_END = delete(hook_sessions).where(_ITS)
_FORGET = delete(hook_sessions).where(
    hook_sessions.c.prompted_at < bindparam("before", type_=hook_sessions.c.prompted_at.type)
)


class Hooks(Records):
    """The table ``hook_sessions``. Every method is one transaction, which does not wait for the
    disk: a power cut ends the sessions, too."""

    def session(self, session_id: str) -> HookSession | None:
        """Return a session, or None where it has told of no prompt."""
        row = self._row(_SESSION, {"of_session": session_id})
        return None if row is None else HookSession(*row)

    def prompted(self, session_id: str, agent: str, title: str | None, now: datetime) -> int:
        """Record that an agent was asked for something; return the number of the turn, which is
        one more than that of the session's last one. Sessions that have been silent for long are
        forgotten."""
        values = {"agent": agent, "title": title, "prompted_at": now}
        named = {"of_session": session_id}
        with self._transactions.writing(durable=False) as connection:
            connection.execute(_BEGIN, {**named, "of_agent": agent, "at": now})
            connection.execute(_NEXT, {**named, **values})
            connection.execute(_FORGET, {"before": now - FORGOTTEN_AFTER})
            turn: int = connection.execute(_SESSION, named).one().turn
        return turn

    def tell(self, session_id: str, why: str) -> None:
        """Record what the person was told of the session: why nothing protects it."""
        with self._transactions.writing(durable=False) as connection:
            connection.execute(_TELL, {"of_session": session_id, "told": why})

    def end(self, session_id: str) -> None:
        """Forget a session, which is over."""
        with self._transactions.writing(durable=False) as connection:
            connection.execute(_END, {"of_session": session_id})
