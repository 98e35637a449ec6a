"""Runs inside the agent's environment and does what it is told to, a line of JSON at a time: asks
the agent in each of its programs, and types its commands. Answers with a line of JSON each.

The answers of its models come from ``model.py``, in the process of the test.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import io
import json
import os
import sys
import threading
from pathlib import Path
from typing import Any

from hermes_cli.plugins import discover_plugins, get_plugin_manager


class Driver:
    """What the agent's programs keep from one request to the next."""

    def __init__(self) -> None:
        discover_plugins()
        for name in ("cli", "gateway.run", "acp_adapter.session", "cron.scheduler"):
            importlib.import_module(name)  # while the test does something else
        self.shells: dict[str, Any] = {}
        self.runner: Any = None
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()

    def plugin(self) -> dict[str, Any]:
        """What the agent says of the plugin."""
        import tools.checkpoint_manager as theirs

        names = get_plugin_manager().list_plugins()
        found = next(one for one in names if one["name"].startswith("hermes-c"))
        return {"enabled": found["enabled"], "error": found["error"], "module": theirs.__file__}

    def cli(self, directory: str, text: str, stop_at: str | None = None) -> dict[str, Any]:
        """Ask in the classic command line, as it was started in a directory. Press the key that
        stops the agent once a command has written to the pipe ``stop_at``."""
        shell = self._shell(directory)
        if stop_at is not None:
            threading.Thread(target=self._stop, args=(shell.agent, stop_at), daemon=True).start()
        done = shell.agent.run_conversation(
            user_message=text,
            conversation_history=shell.conversation_history,
            task_id=shell.session_id,
        )
        shell.conversation_history = done["messages"]
        said, stopped = done["final_response"], bool(done.get("interrupted"))
        return {"said": said, "session": shell.agent.session_id, "stopped": stopped}

    def compress(self, directory: str) -> dict[str, Any]:
        """Let the conversation of the command line be compressed: it gets another id."""
        shell = self._shell(directory)
        shell.agent.compression_in_place = False
        kept, _ = shell.agent._compress_context(
            shell.conversation_history, "", approx_tokens=150_000, task_id=shell.session_id,
            force=True,
        )  # fmt: skip
        shell.conversation_history = kept
        shell.session_id = shell.agent.session_id
        return {"session": shell.agent.session_id}

    @staticmethod
    def _stop(agent: Any, pipe: str) -> None:
        Path(pipe).read_text()
        agent.interrupt("stop")

    def rollback(self, directory: str, text: str) -> dict[str, Any]:
        """Type a command in the classic command line."""
        shell = self._shell(directory)
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            shell._handle_rollback_command(text)
        return {"said": out.getvalue(), "messages": len(shell.conversation_history)}

    def checkpoint(self, directory: str, text: str) -> dict[str, Any]:
        """Type `/checkpoint` in the classic command line."""
        self._stand_in(directory)
        return {"said": get_plugin_manager()._plugin_commands["checkpoint"]["handler"](text)}

    def gateway(self, directory: str, *messages: tuple[str, str]) -> dict[str, Any]:
        """Send messages, or commands, each in a chat of the gateway, all at once."""
        self._stand_in(directory)
        import gateway.run
        from gateway.config import Platform
        from gateway.platforms.base import MessageEvent
        from gateway.session import SessionSource

        if self.runner is None:
            self.runner = gateway.run.GatewayRunner()
        sent = []
        for chat, text in messages:
            source = SessionSource(platform=Platform.TELEGRAM, chat_id=chat, user_id=f"of {chat}")
            event = MessageEvent(text=text, source=source, message_id=f"{chat}-1")
            handled = self.runner._handle_message(event)
            sent.append(asyncio.run_coroutine_threadsafe(handled, self.loop))
        return {"said": [str(one.result(60)) for one in sent]}

    def editor(self, directory: str, text: str) -> dict[str, Any]:
        """Ask in a session of an editor, which has a directory of its own."""
        from acp_adapter.session import SessionManager

        state = SessionManager().create_session(cwd=directory)
        done = state.agent.run_conversation(
            user_message=text, conversation_history=state.history, task_id=state.session_id
        )
        return {"said": done["final_response"], "session": state.session_id}

    def timer(self, directory: str, text: str) -> dict[str, Any]:
        """Run a job of the agent's own cron."""
        from cron.scheduler import run_job

        ok, _, said, error = run_job(
            {"id": "job", "name": "job", "prompt": text, "workdir": directory, "deliver": "local"}
        )
        return {"ok": ok, "said": said, "error": error}

    def rest(self, directory: str) -> dict[str, Any]:
        """Wait until the subagents in the background are done; stand in a directory."""
        from tools.async_delegation import active_count
        from tools.process_registry import process_registry

        self._stand_in(directory)
        if active_count():
            process_registry.completion_queue.get(timeout=60)
        return {"at work": active_count()}

    def held(self) -> dict[str, Any]:
        """What the bridge holds in memory."""
        from hermes_checkpoints.compat.bridge import bridge

        return {
            "sessions": len(bridge._sessions),
            "names": len(bridge._workers),
            "running": sum(len(one.running) for one in bridge._sessions),
            "at work": sum(one.at_work for one in bridge._sessions),
        }

    def _stand_in(self, directory: str) -> None:
        os.chdir(directory)
        os.environ["TERMINAL_CWD"] = directory

    def _shell(self, directory: str) -> Any:
        self._stand_in(directory)
        if directory not in self.shells:
            from cli import HermesCLI  # type: ignore[attr-defined] # the agent's, not tests/cli

            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                shell = HermesCLI(compact=True)
                shell.tool_progress_mode = "off"
                if not (shell._ensure_runtime_credentials() and shell._init_agent()):
                    raise RuntimeError(out.getvalue())
            shell.agent.quiet_mode = True
            shell.agent.stream_delta_callback = None
            self.shells[directory] = shell
        return self.shells[directory]


def main() -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what the agent prints is for people
    driver = Driver()
    for line in sys.stdin:
        told = json.loads(line)
        try:
            answer = getattr(driver, told.pop("do"))(*told.pop("args", ()), **told)
        except Exception as error:  # noqa: BLE001 - the test shows it
            import traceback

            traceback.print_exc()
            answer = {"failed": f"{type(error).__name__}: {error}"}
        answers.write(json.dumps(answer, default=str) + "\n")
        answers.flush()


if __name__ == "__main__":
    sys.path[:] = [one for one in sys.path if Path(one or ".").resolve() != Path(__file__).parent]
    main()
