"""A model for the real agent: an OpenAI-compatible server on loopback whose answers are a script.

What the user asks for chooses the script: the text between ``<<`` and ``>>`` of the last request
names it. Each time that the agent asks again in that conversation, the next step of the script is
the answer: calls of tools, or a text, which ends the turn. A step may also wait for an event.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

_NAMED = re.compile(r"<<([\w-]+)>>")


@dataclass(frozen=True)
class Calls:
    """An answer that calls tools: of each its name and arguments."""

    calls: tuple[tuple[str, Mapping[str, Any]], ...]


def call(tool: str, **arguments: Any) -> Calls:
    return Calls(((tool, arguments),))


Step = Calls | str | Callable[[], "Calls | str"]
"""An answer, or what is done before there is one."""


@dataclass
class Model:
    """The scripts by their names, and what became of them."""

    scripts: dict[str, Sequence[Step]] = field(default_factory=dict)
    asked: list[dict[str, Any]] = field(default_factory=list)
    url: str = ""

    @contextmanager
    def serving(self) -> Iterator[Model]:
        """Answer on a port of loopback, until the block ends."""
        server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        server.daemon_threads = True
        self.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield self
        finally:
            server.shutdown()
            server.server_close()

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return the message that answers a request for a completion."""
        self.asked.append(request)
        messages = request["messages"]
        users = [i for i, one in enumerate(messages) if one["role"] == "user"]
        found = None
        for index in reversed(users):
            found = _NAMED.search(_text(messages[index]["content"]))
            if found is not None:
                break
        if found is None:
            return {"role": "assistant", "content": "Nothing to do."}
        done = sum(one["role"] == "assistant" for one in messages[index:])
        steps = self.scripts[found[1]]
        step = steps[done] if done < len(steps) else "Done."
        if callable(step):
            step = step()
        if isinstance(step, str):
            return {"role": "assistant", "content": step}
        calls = [
            {
                "id": f"call_{done}_{number}",  # as many models do: it begins anew in each session
                "type": "function",
                "function": {"name": name, "arguments": json.dumps(arguments)},
            }
            for number, (name, arguments) in enumerate(step.calls)
        ]
        return {"role": "assistant", "content": None, "tool_calls": calls}


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return " ".join(str(part.get("text", "")) for part in content or [])


def _handler(model: Model) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            return

        def do_GET(self) -> None:
            known = {"object": "list", "data": [{"id": "scripted", "context_length": 200_000}]}
            self._send(json.dumps(known).encode(), "application/json")

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if "messages" not in request:
                self.send_error(404)
                return
            message = model.answer(request)
            ends = "tool_calls" if message.get("tool_calls") else "stop"
            head: dict[str, Any] = {"id": "answer", "created": 1, "model": "scripted"}
            usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
            if not request.get("stream"):
                choice = {"index": 0, "message": message, "finish_reason": ends}
                body = {**head, "object": "chat.completion", "choices": [choice], "usage": usage}
                self._send(json.dumps(body).encode(), "application/json")
                return
            delta = {**message, "tool_calls": [
                {"index": i, **one} for i, one in enumerate(message.get("tool_calls") or [])
            ]}  # fmt: skip
            chunks: list[dict[str, Any]] = [
                {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]},
                {"choices": [{"index": 0, "delta": {}, "finish_reason": ends}], "usage": usage},
            ]
            lines = [
                f"data: {json.dumps({**head, 'object': 'chat.completion.chunk', **one})}\n\n"
                for one in chunks
            ]
            self._send("".join([*lines, "data: [DONE]\n\n"]).encode(), "text/event-stream")

        def _send(self, body: bytes, kind: str) -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    return Handler
