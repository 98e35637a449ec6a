"""Runs inside the agent's environment: its own plugin discovery, tool executors and /rollback
handler, without a model. Prints what they did as JSON on the last line."""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
import types
from pathlib import Path
from typing import Any

from hermes_cli.plugins import discover_plugins, get_plugin_manager, invoke_hook

SESSION = "session-1"
PROJECT = Path(os.environ["TERMINAL_CWD"])


def request(text: str, tool: str, **arguments: Any) -> tuple[Any, dict[str, Any]]:
    """Return a tool call as the model's answer has it, and as the conversation has it."""
    function = {"name": tool, "arguments": json.dumps(arguments)}
    call = types.SimpleNamespace(
        id=f"call-{text}", type="function", function=types.SimpleNamespace(**function)
    )
    message = {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": call.id, "type": "function", "function": function}],
    }
    return types.SimpleNamespace(tool_calls=[call], content=None), message


def main() -> dict[str, Any]:
    discover_plugins()
    plugin = next(
        p for p in get_plugin_manager().list_plugins() if p["name"].startswith("hermes-c")
    )

    import tools.checkpoint_manager as theirs
    from agent.tool_executor import (
        execute_tool_calls_concurrent,
        execute_tool_calls_sequential,
    )
    from run_agent import AIAgent

    from cli import HermesCLI  # type: ignore[attr-defined] # the agent's, not tests/cli

    agent = AIAgent(
        api_key="none",
        base_url="http://127.0.0.1:9/v1",
        model="none",
        quiet_mode=True,
        checkpoints_enabled=True,
        session_id=SESSION,
        skip_memory=True,
    )
    messages: list[dict[str, Any]] = []

    def turn(text: str, execute: Any, tool: str, **arguments: Any) -> None:
        messages.append({"role": "user", "content": text})
        invoke_hook(
            "pre_llm_call", session_id=agent.session_id, conversation_history=list(messages)
        )
        agent._checkpoint_mgr.new_turn()
        answer, message = request(text, tool, **arguments)
        messages.append(message)
        execute(agent, answer, messages, "task")
        messages.append({"role": "assistant", "content": "done"})
        invoke_hook("on_session_end", session_id=agent.session_id)

    turn("write", execute_tool_calls_sequential, "write_file",
         path=str(PROJECT / "a.txt"), content="two\n")  # fmt: skip
    turn("shell", execute_tool_calls_concurrent, "terminal", command="rm a.txt; echo x > b.txt")
    turn("script", execute_tool_calls_sequential, "terminal", command="sh ./change.sh")

    shell = HermesCLI(checkpoints=True)  # prunes at its start
    shell.agent = agent
    shell.conversation_history = list(messages)
    answers: dict[str, str] = {}

    def type_in(command: str) -> None:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            shell._handle_rollback_command(command)
        answers[command] = out.getvalue()

    for command in ("/rollback", "/rollback diff 3", "/rollback zz", "/rollback 2 a.txt"):
        type_in(command)
    before = len(shell.conversation_history)
    type_in("/rollback 4")
    command = get_plugin_manager()._plugin_commands["checkpoint"]["handler"]
    return {
        "plugin": plugin,
        "module": theirs.__file__,
        "led": any(hasattr(finder, "finds_the_stand_ins") for finder in sys.meta_path),
        "base": str(theirs.CHECKPOINT_BASE),
        "excludes": len(theirs.DEFAULT_EXCLUDES),
        "answers": answers,
        "messages": [before, len(shell.conversation_history)],
        "a.txt": (PROJECT / "a.txt").read_text(),
        "undo": command("undo"),
        "after undo": sorted(p.name for p in PROJECT.glob("*.txt")),
    }


if __name__ == "__main__":
    outcome = main()
    sys.stdout.write("\n" + json.dumps(outcome, default=str) + "\n")
