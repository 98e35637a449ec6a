"""The manager as the agent constructs it, and what the agent's plugin hooks tell it.

The agent makes its manager before it knows the session, and never says in which conversation it
works. Its hooks do: ``Bridge`` hands that over to the manager that works for the session. Hooks
and manager raise nothing, as the agent expects.
"""

from __future__ import annotations

import logging
import os
import re
import sys
import weakref
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hermes_checkpoints.agent import manager as managers
from hermes_checkpoints.agent.conversation import Message
from hermes_checkpoints.agent.guard import guarded
from hermes_checkpoints.agent.shapes import Result
from hermes_checkpoints.config import Trigger
from hermes_checkpoints.layout import Layout

logger = logging.getLogger(__name__)

_PATCHED = re.compile(r"^\*\*\* (?:Update|Add|Delete) File: (.+?)\s*$", re.MULTILINE)
_WRITERS = ("write_file", "patch")


def agent_layout(home: str | os.PathLike[str] | None = None) -> Layout:
    """Return the layout of ``home``, else of the home that the agent works in at this moment,
    which may be that of a profile."""
    constants = sys.modules.get("hermes_constants")
    current = getattr(constants, "get_hermes_home", None)
    if home is None and callable(current):
        home = Path(current())
    return Layout.of(home)


def session_directory() -> str:
    """Return the directory in which the agent's terminal works."""
    return os.environ.get("TERMINAL_CWD") or os.getcwd()


def elsewhere() -> str | None:
    """Return why the agent's files are not on this machine, or None if they are."""
    backend = (os.environ.get("TERMINAL_ENV") or "local").strip().lower()
    if backend in {"local", ""}:
        return None
    return f"the terminal works in {backend}, whose files are not those of this machine"


@dataclass(frozen=True)
class Place:
    """A conversation that the agent works on, up to and with the user's last request."""

    session_id: str
    messages: tuple[Message, ...]


class CheckpointManager(managers.CheckpointManager):
    """Takes and restores checkpoints for one agent.

    Paths of a container or another machine are refused, because a path of the same name here is
    another file.
    """

    @property
    def layout(self) -> Layout:
        return agent_layout(self._home)

    def session_dir(self) -> str | os.PathLike[str] | None:
        return self.working_dir or os.environ.get("TERMINAL_CWD") or None

    def new_turn(self, messages: Sequence[Message] | None = None) -> None:
        """Begin a turn, in the conversation that the agent works on."""
        super().new_turn(self._joined() if messages is None else messages)

    @guarded("it is not known in which conversation the agent works", lambda _: None)
    def _joined(self) -> Sequence[Message] | None:
        """Work for the session that the hooks have told of; return its conversation."""
        place = bridge.place
        if place is None:
            return None
        bridge.working[place.session_id] = self
        self.session_id = place.session_id
        return place.messages

    def ensure_checkpoint(
        self, working_dir: str, reason: str = "auto", *, message_count: int | None = None
    ) -> bool:
        if not self.enabled:
            return False
        why = elsewhere()
        if why is not None:
            logger.warning("no checkpoint of %s: %s", working_dir, why)
            return False
        return super().ensure_checkpoint(working_dir, reason, message_count=message_count)

    def record_agent_write(self, file_path: str, tool: str | None = None) -> None:
        if elsewhere() is None:
            super().record_agent_write(file_path, tool)

    def diff(self, working_dir: str, commit_hash: str) -> Result:
        return _refused() or super().diff(working_dir, commit_hash)

    def restore(
        self,
        working_dir: str,
        commit_hash: str,
        file_path: str | None = None,
        safe: bool = False,
    ) -> Result:
        return _refused() or super().restore(working_dir, commit_hash, file_path, safe)


def _refused() -> Result | None:
    why = elsewhere()
    return None if why is None else {"success": False, "error": f"Nothing was done: {why}"}


class Bridge:
    """What the agent's hooks report, by session. One exists in a process of the agent."""

    def __init__(self) -> None:
        self._place: ContextVar[Place | None] = ContextVar("hermes_checkpoints", default=None)
        self.working: weakref.WeakValueDictionary[str, CheckpointManager] = (
            weakref.WeakValueDictionary()
        )

    @property
    def place(self) -> Place | None:
        """The conversation that this thread or task works on."""
        return self._place.get()

    @guarded("the user's request is not noticed", lambda _: None)
    def pre_llm_call(
        self, session_id: str = "", conversation_history: object = None, **_: object
    ) -> None:
        """Note that the user has asked for something."""
        messages = conversation_history if isinstance(conversation_history, list) else []
        self._place.set(Place(session_id, tuple(messages)))

    @guarded("no checkpoint before the tool {tool_name}", lambda _: None)
    def pre_tool_call(
        self,
        tool_name: str = "",
        args: Mapping[str, Any] | None = None,
        session_id: str = "",
        **_: object,
    ) -> None:
        """Take the checkpoint of a command, since a tool is about to run."""
        manager = self.working.get(session_id)
        if manager is None or not manager.enabled:
            return
        if tool_name == "terminal":
            command, directory = (args or {}).get("command"), (args or {}).get("workdir")
            if isinstance(command, str):
                manager.ensure_before_command(command, directory or session_directory())
        elif tool_name == "execute_code" and manager.trigger is Trigger.ALWAYS:
            manager.ensure_checkpoint(session_directory(), "before execute_code")

    @guarded("what the tool {tool_name} wrote is not recorded", lambda _: None)
    def post_tool_call(
        self,
        tool_name: str = "",
        args: Mapping[str, Any] | None = None,
        session_id: str = "",
        status: str | None = None,
        **_: object,
    ) -> None:
        """Record what a tool that has run wrote: it is the agent's."""
        manager = self.working.get(session_id)
        if manager is None or tool_name not in _WRITERS or status not in (None, "ok", "success"):
            return
        given = args or {}
        paths = [given.get("path"), *_PATCHED.findall(str(given.get("patch") or ""))]
        for path in paths:
            if isinstance(path, str) and path:
                manager.record_agent_write(path, tool_name)

    @guarded("the end of a turn is not noticed", lambda _: None)
    def on_session_end(self, session_id: str = "", **_: object) -> None:
        """End the turn, since the agent has answered: what changes from here on is the user's."""
        self._place.set(None)
        manager = self.working.get(session_id)
        if manager is not None:
            manager.end_turn()


bridge = Bridge()
"""The bridge of this process."""
