"""Agents that tell of themselves by hooks: processes that start one more for each event."""

from __future__ import annotations

import json
import os
import signal
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from attribution.histories import History
from hermes_checkpoints.hooks.agents import AGENTS, EventKind
from hermes_checkpoints.model import Checkpoint
from interpreters import Interpreter, start

PROGRAM = """
import json, os, sys
from hermes_checkpoints.cli import main

for line in sys.stdin:
    words, document = json.loads(line)
    event, answer = os.pipe(), os.pipe()
    pid = os.fork()
    if pid == 0:
        os.dup2(event[0], 0)
        os.dup2(answer[1], 1)
        for descriptor in (*event, *answer):
            os.close(descriptor)
        sys.argv = ["hermes-checkpoints", *words]
        code = 99
        try:
            code = main()
            sys.stdout.flush()
        finally:
            os._exit(code)
    os.close(event[0])
    os.close(answer[1])
    with open(event[1], "w") as sent:
        sent.write(document)
    with open(answer[0]) as said:
        text = said.read()
    status = os.waitpid(pid, 0)[1]
    print(json.dumps([os.waitstatus_to_exitcode(status), text]), flush=True)
"""


@dataclass
class HookedAgent:
    """An agent in one directory and session: what it tells, in its own words."""

    name: str
    directory: Path
    session_id: str = "session-1"
    process: Interpreter = field(default_factory=lambda: start(PROGRAM))
    calls: int = 0
    record: Path | None = None
    said: list[str] = field(default_factory=list)

    def tell(self, kind: EventKind, **fields: Any) -> str:
        """Tell of an event; return what the hook prints."""
        agent = AGENTS[self.name]
        name = next(name for name, found in agent.events.items() if found is kind)
        document = {
            "session_id": self.session_id,
            "cwd": str(self.directory),
            "hook_event_name": name,
            **({"turn_id": "turn-1", "model": "none"} if self.name == "codex" else {}),
            **({} if self.record is None else {"transcript_path": str(self.record)}),
            **fields,
        }
        return self.send(json.dumps(document))

    def send(self, document: str, *words: str) -> str:
        """Send a document to a hook; return what that prints. It always ends with 0."""
        told = [["hook", "--agent", self.name, *words], document]
        self.process.stdin.write(json.dumps(told) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        assert line, self.process.finish()
        code, text = json.loads(line)
        assert code == 0
        silence = AGENTS[self.name].silence
        shown = text.strip().removesuffix(silence) if silence else text.strip()
        if shown:
            self.said.append(json.loads(shown)["systemMessage"])
        else:
            assert text.strip() == silence
        return str(text)

    def asked(self, prompt: str = "go on") -> None:
        self.tell(EventKind.PROMPT, prompt=prompt)

    def begins(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Begin a tool; return what its end tells, too."""
        self.calls += 1
        call: dict[str, Any] = {"tool_name": tool, "tool_input": arguments}
        if self.name != "gemini":
            call["tool_use_id"] = f"call-{self.calls}"
        self.tell(EventKind.BEFORE_TOOL, **call)
        return call

    def ends_tool(self, call: dict[str, Any], **response: Any) -> None:
        self.tell(EventKind.AFTER_TOOL, **call, tool_response=response)

    def begins_shell(self, command: str = "make") -> dict[str, Any]:
        return self.begins(
            "run_shell_command" if self.name == "gemini" else "Bash", command=command
        )

    def begins_write(self, path: str) -> dict[str, Any]:
        if self.name == "codex":
            patch = f"*** Begin Patch\n*** Update File: {path}\n@@\n+x\n*** End Patch\n"
            return self.begins("apply_patch", command=patch)
        tool = "write_file" if self.name == "gemini" else "Write"
        return self.begins(tool, file_path=str(self.directory / path), content="x")

    def interrupted(self, call: dict[str, Any]) -> None:
        """A person presses Esc while a tool runs: no event is sent, but Claude Code writes it into
        the file of the conversation."""
        assert self.record is not None
        result = {"type": "tool_result", "tool_use_id": call["tool_use_id"], "is_error": True}
        told = {"type": "text", "text": "[Request interrupted by user for tool use]"}
        with self.record.open("a") as file:
            for part in (result, told):
                now = datetime.now(UTC).isoformat(timespec="milliseconds")
                message = {"role": "user", "content": [part]}
                line = {"type": "user", "message": message, "timestamp": now.replace("+00:00", "Z")}
                file.write(json.dumps(line) + "\n")

    def answers(self) -> None:
        self.tell(EventKind.STOP)

    def leaves(self) -> None:
        self.tell(EventKind.END, reason="other")

    def killed(self) -> None:
        os.kill(self.process.pid, signal.SIGKILL)
        self.close()

    def close(self) -> None:
        if not self.process.stdin.closed:
            self.process.finish()


@dataclass
class HookHistory(History):
    """A history whose agents tell by hooks. ``agent`` is whose words they use."""

    agent: str = "claude"
    agents: dict[str, HookedAgent] = field(default_factory=dict)

    @property
    def has_gaps(self) -> bool:
        return not AGENTS[self.agent].tells_every_tool

    def take(self, session: str | None) -> Checkpoint:
        if session is None:
            return super().take(None)
        agent = self.agents.get(session)
        if agent is None:
            agent = HookedAgent(self.agent, self.directory, session)
            self.agents[session] = agent
        agent.asked()
        if not self.has_gaps:
            agent.ends_tool(agent.begins_shell("true"))
            self._tick()
        return self.project.get()

    def does(self, session: str, verb: str, path: str) -> None:
        agent = self.agents[session]
        if verb == "reports":
            call = agent.begins_write(path)
            self.write(path)
            agent.ends_tool(call)
        elif self.has_gaps:  # a tool that it does not tell of
            History.does(self, session, verb, path)
        else:
            call = agent.begins_shell()
            History.does(self, session, verb, path)
            agent.ends_tool(call)
        self._tick()

    def runs(self, session: str, verb: str, path: str) -> None:
        """Also of an agent that has gaps, this tool is told."""
        self._tick()
        if not self.has_gaps or verb == "reports":
            self.does(session, verb, path)
            return
        call = self.agents[session].begins_shell()
        History.does(self, session, verb, path)
        self.agents[session].ends_tool(call)
        self._tick()

    def begins_tool(self, session: str) -> None:
        self._tick()
        self.agents[session].begins_shell()
        self._tick()

    def interrupted(self, session: str) -> None:
        """Nothing tells of it but the next prompt."""
        self._tick()
        self.agents[session].asked()

    def thinks(self, session: str) -> None:
        self._tick()

    def report(self, session: str, path: str) -> None:
        call = {"tool_name": "Write", "tool_input": {"file_path": str(self.directory / path)}}
        if self.agent == "gemini":
            call["tool_name"] = "write_file"
        self.agents[session].ends_tool({**call, "tool_use_id": "late"})

    def ends(self, session: str) -> None:
        self.agents[session].answers()
        self._tick()

    def killed(self, session: str) -> None:
        self.agents.pop(session).killed()

    def stops_ignoring(self, session: str) -> None:
        agent = self.agents[session]
        call = agent.begins_shell()
        super().stops_ignoring(session)
        agent.ends_tool(call)
        self._tick()

    def close(self) -> None:
        for agent in self.agents.values():
            agent.close()
        self.base.close()
