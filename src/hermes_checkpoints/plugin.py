"""The plugin of hermes-agent (entry-point group ``hermes_agent.plugins``).

The agent loads it where ``plugins.enabled`` of its configuration names ``hermes-checkpoints``.
It puts the stand-ins in place and listens to the agent's hooks; it changes no function and no
file of the agent.
"""

from __future__ import annotations

from typing import Any

from hermes_checkpoints import compat
from hermes_checkpoints.agent.guard import guarded, reason
from hermes_checkpoints.compat.agent_manager import agent_layout, bridge, session_directory
from hermes_checkpoints.text import shown

HOOKS = ("pre_llm_call", "pre_tool_call", "post_tool_call", "on_session_end")


def register(ctx: Any) -> None:
    """Called by the agent once, with its plugin context."""
    compat.put_in_place()
    for name in HOOKS:
        ctx.register_hook(name, getattr(bridge, name))
    ctx.register_command(
        "checkpoint",
        rollback,
        description="All forms of /rollback (diff, show, undo, redo, --exact, …); files only",
        args_hint="[N|N plan|diff N|show N|undo|redo|help] [file]",
    )


@guarded("/checkpoint {typed} failed", lambda error: f"❌ {shown(reason(error))}")
def rollback(typed: str) -> str:
    """Answer ``/checkpoint``: as ``/rollback``, but the conversation stays as it is.

    Numbers mean the present list; an id means the same checkpoint for good.
    """
    from hermes_checkpoints.agent.conversation import Scope
    from hermes_checkpoints.agent.rollback import Rollback
    from hermes_checkpoints.compat.agent_manager import elsewhere

    why = elsewhere()
    if why is not None:
        return f"❌ Nothing was done: {why}"
    command = Rollback(session_directory(), home=agent_layout().home)
    return command.run(typed, scope=Scope.FILES).text
