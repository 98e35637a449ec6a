"""An agent that calls our hooks and its manager as hermes-agent 0.19.0 does, without the agent."""

from __future__ import annotations

import os
import time
from contextvars import Context
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hermes_checkpoints import Checkpoints
from hermes_checkpoints.attribution.looks import GRANULE_NS
from hermes_checkpoints.compat.agent_manager import CheckpointManager
from hermes_checkpoints.compat.bridge import Bridge
from hermes_checkpoints.model import Actor, Checkpoint


@dataclass
class Agent:
    """An agent at work in one directory: what its loop and its tools tell the manager and hooks,
    from a thread of its own."""

    directory: Path
    bridge: Bridge
    session_id: str = "session-1"
    manager: CheckpointManager = field(default_factory=lambda: CheckpointManager(enabled=True))
    calls: int = 0
    context: Context = field(default_factory=Context)
    turn_id: str = ""

    def tells(self, hook: str, **told: Any) -> None:
        assert self.context.run(getattr(self.bridge, hook), **told) is None

    def asked(self, text: str = "go") -> None:
        """The user has asked for something, and the loop begins."""
        self.turn_id = f"{self.session_id}:task:{self.calls}"
        self.tells(
            "pre_llm_call",
            session_id=self.session_id,
            task_id="task",
            turn_id=self.turn_id,
            user_message=text,
            conversation_history=[{"role": "user", "content": text}],
            telemetry_schema_version="1",
            is_first_turn=True,
            model="none",
            platform="cli",
            sender_id="",
        )
        self.asks_its_model()

    def asks_its_model(self) -> None:
        """The loop goes round."""
        self.context.run(self.manager.new_turn)

    def begin(self, tool: str, args: Any) -> dict[str, Any]:
        self.calls += 1
        call: dict[str, Any] = {
            "tool_name": tool,
            "args": args,
            "task_id": "task",
            "session_id": self.session_id,
            "tool_call_id": f"call-{self.calls}",
            "turn_id": self.turn_id,
            "api_request_id": "request",
            "middleware_trace": [],
        }
        self.tells("pre_tool_call", **call)
        if tool == "write_file" and self.manager.enabled:  # the agent's own call
            work_dir = self.manager.get_working_dir_for_path(args["path"])
            self.manager.ensure_checkpoint(work_dir, f"before {tool}")
        tick(self.directory)
        return call

    def end(self, call: dict[str, Any], status: str = "ok") -> None:
        tick(self.directory)
        told: dict[str, Any] = {"result": "{}", "duration_ms": 1, "status": status}
        told |= {"error_type": None, "error_message": None}
        self.tells("post_tool_call", **call, **told)
        tick(self.directory)

    def starts(self, child: str) -> Agent:
        """A subagent, whose manager is switched off."""
        self.tells(
            "subagent_start",
            parent_session_id=self.session_id,
            parent_turn_id=self.turn_id,
            parent_subagent_id=None,
            child_session_id=child,
            child_subagent_id="subagent-0",
            child_role="leaf",
            child_goal="help",
        )
        return Agent(self.directory, self.bridge, child, CheckpointManager())

    def stopped(self, child: Agent) -> None:
        """A subagent is done, as its parent tells."""
        self.tells(
            "subagent_stop",
            parent_session_id=self.session_id,
            parent_turn_id=self.turn_id,
            child_session_id=child.session_id,
            child_role="leaf",
            child_summary="done",
            child_status="completed",
            duration_ms=1,
        )

    def write(self, path: str, text: str = "by the agent\n") -> None:
        file = self.directory / path
        call = self.begin("write_file", {"path": str(file), "content": text})
        file.write_text(text)
        self.end(call)

    def runs(self, command: str, **args: Any) -> None:
        """A command that writes ``shell.txt``."""
        call = self.begin("terminal", {"command": command, **args})
        (self.directory / "shell.txt").write_text("by the shell\n")
        self.end(call)

    def answered(self) -> None:
        self.tells(
            "on_session_end",
            session_id=self.session_id, task_id="task", turn_id=self.turn_id,
            completed=True, interrupted=False, model="none", platform="cli",
        )  # fmt: skip

    def taken(self, directory: Path | None = None) -> list[Checkpoint]:
        """The checkpoints of a project, oldest first."""
        with Checkpoints.open() as checkpoints:
            return checkpoints.project(directory or self.directory).list()[::-1]

    def open_turns(self) -> int:
        with Checkpoints.open() as checkpoints, checkpoints.connection() as connection:
            (count,) = connection.execute(
                "SELECT count(*) FROM turns WHERE ended_by IS NULL AND actor = 'agent'"
            ).fetchone()
        return int(count)

    def actors(self, *paths: str) -> dict[str, Actor]:
        with Checkpoints.open() as checkpoints:
            who = checkpoints.project(self.directory).who
            return {path: who(path)[0].actor for path in paths}


def tick(directory: Path) -> None:
    """Wait until the disk's clock is past all that was before."""
    probe = directory.parent / "tick"
    probe.write_text("")
    begun = time.time_ns()
    while probe.stat().st_ctime_ns <= begun + GRANULE_NS:
        os.utime(probe)
