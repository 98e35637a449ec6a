"""The sessions of agents that tell of themselves by hooks, one process an event."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hermes_checkpoints.base.arguments import text
from hermes_checkpoints.checkpoints.project import title_or_none
from hermes_checkpoints.config import sends_by_itself

if TYPE_CHECKING:
    from hermes_checkpoints.base.opened import Base
    from hermes_checkpoints.model import HookSession


class AgentSessions:
    """What the events of a session tell those that come after them; ``Checkpoints.agent_sessions``
    makes it.

    >>> sessions = checkpoints.agent_sessions
    >>> sessions.prompted("session-1", "claude", "Fix the notes")
    1
    >>> sessions.prompted("session-1", "claude")
    2
    >>> sessions.end("session-1")
    >>> sessions.get("session-1") is None
    True
    """

    def __init__(self, base: Base) -> None:
        self._base = base

    def get(self, session_id: str) -> HookSession | None:
        """Return a session, or None where it has told of no prompt, or is over."""
        return self._base.catalog.hooks.session(text(session_id, "the id of a session"))

    def prompted(self, session_id: str, agent: str, title: str | None = None) -> int:
        """Record that a person asked an agent for something; return the number of the turn. Of the
        ``title``, the first line is kept, without secrets and cut to 120 characters.

        Raises:
            CatalogBusy, BaseUnwritable, NoSpace.
        """
        return self._base.catalog.hooks.prompted(
            text(session_id, "the id of a session"),
            text(agent, "the name of an agent"),
            title_or_none(title),
            self._base.now(),
        )

    def tell(self, session_id: str, why: str) -> None:
        """Record that the person was told why nothing protects a session.

        Raises:
            CatalogBusy, BaseUnwritable, NoSpace.
        """
        self._base.catalog.hooks.tell(
            text(session_id, "the id of a session"), text(why, "what a person is told")
        )

    def end(self, session_id: str) -> None:
        """Forget a session, which is over. A push is started in the background where the
        configuration of the home says that turns or sessions are sent.

        Raises:
            CatalogBusy, BaseUnwritable, NoSpace.
        """
        self._base.catalog.hooks.end(text(session_id, "the id of a session"))
        if sends_by_itself(self._base.layout.config):
            from hermes_checkpoints.remote.background import start_after_session

            start_after_session(self._base.layout)
