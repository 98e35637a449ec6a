"""Reads in an agent's own record of a conversation when a tool ended that nobody told the end of.

Claude Code sends no event when a person interrupts it (anthropics/claude-code#9516), but it writes
at once into the file of the conversation that the tool was ended, with the time. Each line is one
JSON object.
"""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import Any

from hermes_checkpoints.fs.system import nanoseconds, open_regular
from hermes_checkpoints.model import ToolRun

_MOST_BYTES = 32 << 20
"""How much of a record is read, from its end."""

_INTERRUPTED = "[Request interrupted by user"


def settled(runs: Iterable[ToolRun]) -> list[ToolRun]:
    """Return runs, each with its end as the record of the conversation has it, where no other is
    known; as it is where that does not tell. A record is read once."""
    lines = functools.cache(lambda record: _tail(record).splitlines())
    return [_settled(run, lines) for run in runs]


def _settled(run: ToolRun, lines: Callable[[str], list[bytes]]) -> ToolRun:
    if run.ended_ns is not None or run.record is None or run.run is None:
        return run
    ends = [at for at in _ends(lines(run.record), run.run) if at >= run.began_ns]
    return replace(run, ended_ns=min(ends)) if ends else run


def _ends(lines: Iterable[bytes], run: str) -> Iterator[int]:
    """Yield when the lines of a record say that a run ended, or that all that ran then was
    interrupted, in nanoseconds since 1970."""
    marks = (run.encode("utf-8", "surrogatepass"), _INTERRUPTED.encode())
    for line in lines:
        if any(mark in line for mark in marks):
            with suppress(ValueError, RecursionError):
                entry = json.loads(line)
                if isinstance(entry, dict) and _tells_the_end(entry, run):
                    yield _ns_of(entry.get("timestamp"))


def _tail(record: str) -> bytes:
    """Return the end of a file; nothing where it is no file that can be read."""
    with suppress(OSError, ValueError):
        descriptor = open_regular(record)
        if descriptor is not None:
            with open(descriptor, "rb") as file:
                size = os.fstat(descriptor).st_size
                file.seek(max(0, size - _MOST_BYTES))
                return file.read(_MOST_BYTES)
    return b""


def _tells_the_end(entry: dict[str, Any], run: str) -> bool:
    message = entry.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    for part in content if isinstance(content, list) else ():
        if not isinstance(part, dict):
            continue
        if part.get("type") == "tool_result" and part.get("tool_use_id") == run:
            return True
        text = part.get("text")
        if part.get("type") == "text" and isinstance(text, str) and text.startswith(_INTERRUPTED):
            return entry.get("type") == "user"
    return False


def _ns_of(timestamp: object) -> int:
    """Return a moment of a record; those of whole milliseconds are cut, and so mean their end.

    Raises:
        ValueError: when it is none.
    """
    if not isinstance(timestamp, str):
        raise ValueError(timestamp)
    found = datetime.fromisoformat(timestamp)
    if found.tzinfo is None:
        raise ValueError(timestamp)
    return nanoseconds(found) + 1_000_000
