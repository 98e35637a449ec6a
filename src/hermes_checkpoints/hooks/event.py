"""Reads an event of a hook: one JSON object, in the words of the agent that sends it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any, NamedTuple

from hermes_checkpoints.errors import BadRequest
from hermes_checkpoints.hooks.agents import CLAUDE, CODEX, GEMINI, Agent, EventKind


class Event(NamedTuple):
    """What an agent tells: of which of its sessions, and in which directory.

    ``tool`` is the name of a tool and ``run`` names this run of it. ``writes`` are the files that
    the tool names as those which it writes, as absolute paths, and ``command`` is what it runs in a
    shell. ``background`` says that the tool goes on after it has answered, ``failed`` that it has
    not done its work. ``prompt`` is what a person asked for. ``record`` is the file in which the
    agent writes the conversation.
    """

    agent: Agent
    kind: EventKind
    session_id: str
    directory: str
    tool: str | None = None
    run: str | None = None
    writes: tuple[str, ...] = ()
    command: str | None = None
    background: bool = False
    failed: bool = False
    prompt: str | None = None
    record: str | None = None


def read_event(document: bytes, agent: Agent | None = None) -> Event | None:
    """Return the event of a document, or None where nothing is to be done for it. Whose it is says
    ``agent``, else what stands in it.

    >>> from hermes_checkpoints.hooks.event import read_event
    >>> event = read_event(b'{"hook_event_name": "Stop", "session_id": "s", "cwd": "/srv/site"}')
    >>> event.agent.name, event.kind.value, event.session_id, event.directory
    ('claude', 'stop', 's', '/srv/site')

    Raises:
        BadRequest: when it is no event.
    """
    fields = _object(document)
    name = _text(fields, "hook_event_name")
    sender = agent or _sender(name, fields)
    kind = sender.events.get(name)
    if kind is None:
        return None
    session, directory = _text(fields, "session_id"), _text(fields, "cwd")
    if not os.path.isabs(directory):
        raise BadRequest(f"cwd of the event is no absolute path: {directory!r}")
    if kind is EventKind.PROMPT:
        prompt = fields.get("prompt")
        asked = prompt if isinstance(prompt, str) else None
        return Event(sender, kind, session, directory, prompt=asked)
    if kind not in (EventKind.BEFORE_TOOL, EventKind.AFTER_TOOL):
        return Event(sender, kind, session, directory)
    tool = _text(fields, "tool_name")
    if tool in sender.readers:
        return None
    given = fields.get("tool_input")
    arguments = given if isinstance(given, dict) else {}
    command = _command(sender, tool, arguments)
    return Event(
        sender,
        kind,
        session,
        directory,
        tool,
        _run(fields, tool, given),
        tuple(os.path.join(directory, path) for path in _written(sender, tool, arguments)),
        command,
        bool(arguments.get("run_in_background") or arguments.get("is_background"))
        or (tool in sender.shells and _tells_of_background(fields.get("tool_response"))),
        name == "PostToolUseFailure" or _tells_an_error(fields.get("tool_response")),
        record=_record(fields.get("transcript_path")),
    )


def sender_of(document: bytes) -> Agent | None:
    """Return whose event a document seems to be, None where that cannot be told."""
    try:
        fields = _object(document)
        return _sender(_text(fields, "hook_event_name"), fields)
    except BadRequest:
        return None


def _object(document: bytes) -> Mapping[str, Any]:
    try:
        try:
            found = json.loads(document)
        except RecursionError:
            found = json.loads(_shallow(document))
    except ValueError as error:
        raise BadRequest(f"the event is no JSON: {error}") from error
    if not isinstance(found, dict):
        raise BadRequest("the event is no JSON object")
    return found


_DEEPEST = 400
"""How many levels are read of a document that is nested deeper than Python follows. What is asked
for here lies in the first three."""


def _shallow(document: bytes) -> str:
    """Return a document with ``null`` in place of what lies deeper than is read: a checkpoint is
    taken all the same.

    Raises:
        ValueError: when it is no text.
    """
    text = document.decode(json.detect_encoding(document), "surrogatepass")
    import re

    kept, depth, start = list[str](), 0, 0
    for token in re.finditer(r'"[^"\\]*(?:\\.[^"\\]*)*"|[][{}]', text, re.DOTALL):
        sign = token[0]
        if sign in ("[", "{"):
            depth += 1
            if depth == _DEEPEST + 1:
                kept.append(text[start : token.start()])
        elif sign in ("]", "}"):
            depth -= 1
            if depth == _DEEPEST:
                kept.append("null")
                start = token.end()
    return "".join([*kept, text[start:]]) if depth <= _DEEPEST else text[:start]


def _text(fields: Mapping[str, Any], name: str) -> str:
    value = fields.get(name)
    if not isinstance(value, str) or not value or "\0" in value:
        raise BadRequest(f"the event has no {name}")
    return value


def _sender(name: str, fields: Mapping[str, Any]) -> Agent:
    """Return whose event it is: Gemini CLI has names of its own, Codex tells which turn it is."""
    if "turn_id" in fields:
        return CODEX
    own = GEMINI.events.keys() - CLAUDE.events.keys()
    return GEMINI if name in own or "timestamp" in fields else CLAUDE


def _command(agent: Agent, tool: str, arguments: Mapping[str, Any]) -> str | None:
    command = arguments.get("command") or arguments.get("cmd")
    if tool not in agent.shells or not command:
        return None
    if isinstance(command, list):
        import shlex

        return shlex.join(str(word) for word in command if isinstance(word, str | int | float))
    return command if isinstance(command, str) else None


def _written(agent: Agent, tool: str, arguments: Mapping[str, Any]) -> list[str]:
    if tool in agent.patchers:
        from hermes_checkpoints.triggers.patches import patched_paths

        patch = arguments.get("command") or arguments.get("input")
        return patched_paths(patch) if isinstance(patch, str) else []
    path = arguments.get(agent.writers.get(tool, ""))
    return [path] if isinstance(path, str) and path and "\0" not in path else []


def _run(fields: Mapping[str, Any], tool: str, given: object) -> str | None:
    """Return what names a run of a tool, before and after it: the agent's id of it, else the tool
    with its arguments; None for the one that began last, where these are nested too deep."""
    named = fields.get("tool_use_id")
    if isinstance(named, str) and named:
        return named
    import hashlib

    try:
        text = json.dumps([tool, given], sort_keys=True)
    except RecursionError:
        return None
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _record(path: object) -> str | None:
    plain = isinstance(path, str) and os.path.isabs(path) and "\0" not in path
    return str(path) if plain else None


def _tells_of_background(response: object) -> bool:
    """Tell whether the answer of a shell, in the words of Gemini CLI, is that the command runs on,
    which a person may let it do at any time, or that it left processes behind."""
    told = response.get("llmContent") if isinstance(response, dict) else None
    if not isinstance(told, str):
        return False
    wrapped = told.removeprefix("<untrusted_context>").removesuffix("</untrusted_context>")
    lines = wrapped.strip().splitlines()
    # What the command wrote stands in between, and may say anything.
    return bool(lines) and (
        lines[0].startswith("Command moved to background (PID: ")
        or any(line.startswith("Background PIDs: ") for line in lines[-2:-1])
    )


def _tells_an_error(response: object) -> bool:
    """Tell whether the answer of a tool, in the words of Gemini CLI, is an error."""
    return isinstance(response, dict) and bool(response.get("error"))
