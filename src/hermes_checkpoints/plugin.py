"""The plugin of hermes-agent (entry-point group ``hermes_agent.plugins``).

The agent loads it where ``plugins.enabled`` of its configuration names ``hermes-checkpoints``.
It puts the stand-ins in place and listens to the agent's hooks; it changes no function and no
file of the agent.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from hermes_checkpoints import compat
from hermes_checkpoints.agent.guard import guarded, reason
from hermes_checkpoints.compat import bridge as bridges
from hermes_checkpoints.compat import places
from hermes_checkpoints.text import shown

if TYPE_CHECKING:
    from hermes_checkpoints.agent.rollback import Rollback

HOOKS = (
    *("pre_llm_call", "pre_tool_call", "post_tool_call", "on_session_end", "on_session_finalize"),
    *("subagent_start", "subagent_stop", "pre_approval_request", "post_approval_response"),
)

COMMAND = "/checkpoint"
"""What a person types in the agent for all forms of ``/rollback``, of which the agent has a few."""

MOST_LISTS = 32
"""Of how many sessions it is remembered what they were shown."""


def register(ctx: Any) -> None:
    """Called by the agent once, with its plugin context."""
    compat.put_in_place()
    bridge = bridges.bridge
    for name in HOOKS:
        ctx.register_hook(name, getattr(bridge, name))
    ctx.register_hook("pre_gateway_dispatch", places.note_chat)
    bridge.listens = True
    bridge.get_ready()
    ctx.register_command(
        COMMAND.removeprefix("/"),
        rollback,
        description="All forms of /rollback (diff, show, undo, redo, --exact, …); files only",
        args_hint="[N|N plan|diff N|show N|undo|redo|help] [file]",
    )


@guarded("/checkpoint {typed} failed", lambda error: f"❌ {shown(reason(error))}")
def rollback(typed: str) -> str:
    """Answer ``/checkpoint``: as ``/rollback``, but the conversation stays as it is.

    Numbers mean the list that the session saw last.
    """
    from hermes_checkpoints.agent.conversation import Scope

    why = places.elsewhere()
    if why is not None:
        return f"❌ Nothing was done: {why}"
    return _command().run(typed, scope=Scope.FILES).text


_commands: dict[tuple[object, ...], Rollback] = {}
_lock = threading.Lock()


def _command() -> Rollback:
    """Return the command of the session that this was typed in."""
    from hermes_checkpoints.agent.rollback import Rollback

    home, directory = places.agent_layout().home, places.session_directory()
    session = bridges.bridge.session_of(places.chat.get())
    with _lock:
        key = (places.chat.get(), home, directory)
        command = _commands.pop(key, None) or Rollback(directory, home=home, command=COMMAND)
        _commands[key] = command
        while len(_commands) > MOST_LISTS:
            del _commands[next(iter(_commands))]
    command.session_id = None if session is None else session.id
    command.enabled = True if session is not None and session.wanted else None
    return command
