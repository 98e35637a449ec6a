"""The manager as the agent constructs it, and what the agent's plugin hooks tell it.

The agent makes its manager before it knows the session, and never says in which conversation it
works. Its hooks do: ``Bridge`` hands that over to the manager that works for the session. Hooks
and manager raise nothing, as the agent expects.
"""

from __future__ import annotations

import logging
import os
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
from hermes_checkpoints.triggers.background import goes_on
from hermes_checkpoints.triggers.patches import patched_paths

logger = logging.getLogger(__name__)

_WRITERS = ("write_file", "patch")

_READERS = frozenset(
    {
        *("read_file", "search_files", "read_terminal", "session_search"),
        *("skills_list", "skill_view", "clarify", "todo"),
        *("web_search", "web_extract", "x_search", "vision_analyze", "video_analyze"),
        *("browser_navigate", "browser_snapshot", "browser_click", "browser_type"),
        *("browser_scroll", "browser_back", "browser_press", "browser_get_images"),
        *("browser_vision", "browser_console", "browser_dialog"),
        *("ha_list_entities", "ha_get_state", "ha_list_services", "ha_call_service"),
        *("kanban_show", "kanban_list", "project_list"),
    }
)
"""The tools of the agent that change no file of a project. All others may, those of plugins and of
MCP servers, too. ``clarify`` waits for the user, who may edit files meanwhile."""


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
    """Takes and restores checkpoints for one agent, in whose process it lives.

    Paths of a container or another machine are refused, because a path of the same name here is
    another file.
    """

    _shares_turns = False  # the whole session works in this process, which owns its turns

    @property
    def layout(self) -> Layout:
        return agent_layout(self._home)

    def session_dir(self) -> str | os.PathLike[str] | None:
        return self.working_dir or os.environ.get("TERMINAL_CWD") or None

    def new_turn(self, messages: Sequence[Message] | None = None) -> None:
        """Begin a turn, in the conversation that the agent works on. The turn before ends in its
        own, which may have been another."""
        self.end_turn()
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
        self,
        working_dir: str,
        reason: str = "auto",
        *,
        message_count: int | None = None,
        about: Sequence[str] = (),
    ) -> bool:
        if not self.enabled:
            return False
        why = elsewhere()
        if why is not None:
            logger.warning("no checkpoint of %s: %s", working_dir, why)
            return False
        return super().ensure_checkpoint(
            working_dir, reason, message_count=message_count, about=about
        )

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

    def _manager(self, session_id: str) -> CheckpointManager | None:
        """Return who works for a session: also for one that goes on under another id, since its
        conversation was compressed."""
        found = self.working.get(session_id)
        if found is None and self.place is not None:
            found = self.working.get(self.place.session_id)
        return found

    @guarded("no checkpoint before the tool {tool_name}", lambda _: None)
    def pre_tool_call(
        self,
        tool_name: str = "",
        args: Mapping[str, Any] | None = None,
        session_id: str = "",
        tool_call_id: str = "",
        **_: object,
    ) -> None:
        """Take the checkpoints before a tool that may change files, and note that it runs."""
        manager = self._manager(session_id)
        if manager is None or not manager.enabled or tool_name in _READERS:
            return
        given = args or {}
        if tool_name == "terminal":
            command = given.get("command")
            if isinstance(command, str):
                directory = given.get("workdir") or session_directory()
                manager.ensure_before_command(command, directory)
        elif tool_name == "execute_code" and manager.trigger is Trigger.ALWAYS:
            manager.ensure_checkpoint(session_directory(), "before execute_code")
        elif tool_name in _WRITERS and elsewhere() is None:
            for path in _written(given):
                directory = manager.get_working_dir_for_path(path)
                manager.ensure_checkpoint(directory, f"before {tool_name}", about=[path])
        manager.begin_tool(tool_name, tool_call_id or None)

    @guarded("what the tool {tool_name} wrote is not recorded", lambda _: None)
    def post_tool_call(
        self,
        tool_name: str = "",
        args: Mapping[str, Any] | None = None,
        session_id: str = "",
        tool_call_id: str = "",
        status: str | None = None,
        **_: object,
    ) -> None:
        """Record what a tool that has run wrote, which is the agent's, and that it has ended; one
        that goes on in the background has not."""
        manager = self._manager(session_id)
        if manager is None or tool_name in _READERS:
            return
        given = args or {}
        if tool_name in _WRITERS and status in (None, "ok", "success"):
            for path in _written(given):
                manager.record_agent_write(path, tool_name)
        command = given.get("command")
        if tool_name == "terminal" and isinstance(command, str) and not _goes_on(tool_name, given):
            manager.record_command(command, given.get("workdir") or session_directory())
        if not _goes_on(tool_name, given):
            manager.end_tool(tool_call_id or None)

    @guarded("the end of a turn is not noticed", lambda _: None)
    def on_session_end(self, session_id: str = "", **_: object) -> None:
        """End the turn, since the agent has answered: what changes from here on is the user's."""
        manager = self._manager(session_id)
        self._place.set(None)
        if manager is not None:
            manager.end_turn()


def _written(args: Mapping[str, Any]) -> list[str]:
    """Return the files that a call of ``write_file`` or ``patch`` names."""
    paths = [args.get("path"), *patched_paths(str(args.get("patch") or ""))]
    return [path for path in paths if isinstance(path, str) and path]


def _goes_on(tool_name: str, args: Mapping[str, Any]) -> bool:
    """Tell whether something of a tool may run on after it has answered."""
    command = args.get("command") if tool_name == "terminal" else None
    return bool(args.get("background")) or goes_on(str(command or ""))


bridge = Bridge()
"""The bridge of this process."""
