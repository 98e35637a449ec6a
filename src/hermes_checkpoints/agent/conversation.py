"""Takes turns of a conversation back, so that it says what the files say. No I/O.

A conversation is a list of messages in the form of OpenAI's API. It is cut where a turn of the
user begins, never between a tool call and its result, and system messages always stay. Whether
a checkpoint belongs to a place in a list is checked by two counts that compaction and resuming
do not keep; where they disagree the place is unknown, and only the last turn is taken back. A
safety checkpoint belongs to no place in a list that was cut after it: its conversation is put back
whole, or stays.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from hermes_checkpoints.model import Checkpoint, Kind

Message = Mapping[str, Any]

_SYSTEM = ("system", "developer")
_RESULTS = ("tool", "function")
PREVIEW = 60
"""How many characters of a removed request are shown."""


class Scope(enum.StrEnum):
    """What a rollback brings back.

    >>> taken = project.take("before the clean-up")
    >>> Path("notes.txt").unlink()
    >>> said = [{"role": "user", "content": "clean up"}]
    >>> reply = Rollback(".", enabled=True).run("/rollback 1", said, scope=Scope.FILES)
    >>> Path("notes.txt").exists(), reply.conversation
    (True, None)
    """

    FILES = "files"
    CHAT = "chat"
    BOTH = "both"


class Extent(enum.StrEnum):
    """How the place to cut was found."""

    CHECKPOINT = "checkpoint"  # where the checkpoint belongs in this conversation
    LAST_TURN = "last-turn"  # the checkpoint's place is not known
    WHOLE = "whole"  # as it was at a safety checkpoint


@dataclass(frozen=True)
class Undone:
    """A conversation without some of its turns. ``kept`` and ``removed`` are in their order."""

    kept: tuple[Message, ...]
    removed: tuple[Message, ...]
    extent: Extent

    @property
    def request(self) -> str:
        """The first request of the user that was removed, in one line; empty if there is none."""
        for message in self.removed:
            if message.get("role") == "user":
                text = " ".join(text_of(message).split())
                return text if len(text) <= PREVIEW else f"{text[:PREVIEW]}..."
        return ""

    @property
    def turns(self) -> int:
        """How many turns of the user were removed."""
        return len(turn_starts(self.removed))


def undo_to(
    messages: Sequence[Message], checkpoint: Checkpoint, *, session_id: str | None = None
) -> Undone:
    """Drop the turns whose changes a restore of ``checkpoint`` takes back.

    A checkpoint that the agent took stands before the changes of its turn, so that turn goes,
    too. One that a person took, or a restore, stands after its turn, which stays. Where the
    checkpoint is of another session than ``session_id``, or its place in the list is not known,
    the last turn is dropped.
    """
    count = _place(messages, checkpoint, session_id)
    if count is None:
        return undo_last_turn(messages)
    starts = turn_starts(messages)
    if checkpoint.kind is Kind.AUTO:
        own = [start for start in starts if start < count]
        cut = own[-1] if own else count
    else:
        cut = next((start for start in starts if start >= count), len(messages))
    return _cut(messages, cut, Extent.CHECKPOINT)


def put_back(messages: Sequence[Message], former: Sequence[Message]) -> Undone:
    """Return the conversation as it was at a safety checkpoint, ``former``. Removed is what
    follows in ``messages`` on the beginning that both share."""
    pairs = zip(messages, former, strict=False)
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    return Undone(tuple(former), tuple(messages[shared:]), Extent.WHOLE)


def undo_last_turn(messages: Sequence[Message]) -> Undone:
    """Drop the last request of the user and all that came after it."""
    starts = turn_starts(messages)
    return _cut(messages, starts[-1] if starts else len(messages), Extent.LAST_TURN)


def turn_starts(messages: Sequence[Message]) -> list[int]:
    """Return where the turns of the user begin: the indexes of the requests that do not stand
    between a tool call and its result."""
    inside = {at for call, result in _calls_to_results(messages) for at in range(call, result)}
    return [
        at
        for at, message in enumerate(messages)
        if message.get("role") == "user" and at not in inside
    ]


def text_of(message: Message) -> str:
    """Return the text of a message; what is no text in it is left out."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    if not isinstance(content, Sequence):
        return ""
    parts = [part.get("text") for part in content if isinstance(part, Mapping)]
    return " ".join(part for part in parts if isinstance(part, str))


def _place(
    messages: Sequence[Message], checkpoint: Checkpoint, session_id: str | None
) -> int | None:
    """Return how many messages there were when the checkpoint was taken, if that is sure."""
    count = checkpoint.message_count
    if count is None or not 0 < count <= len(messages):
        return None
    if session_id is not None and checkpoint.session_id != session_id:
        return None
    if checkpoint.turn is not None and len(turn_starts(messages[:count])) != checkpoint.turn:
        return None
    return count


def _calls_to_results(messages: Sequence[Message]) -> list[tuple[int, int]]:
    """Return where the call and the result of each pair stand, in the order of the results."""
    called: dict[str, int] = {}
    pairs = []
    for at, message in enumerate(messages):
        called.update((call, at) for call in _calls(message))
        answered = _answers(message)
        if answered in called:
            pairs.append((called[answered], at))
    return pairs


def _cut(messages: Sequence[Message], cut: int, extent: Extent) -> Undone:
    for call, result in sorted(_calls_to_results(messages), reverse=True):
        if call < cut <= result:
            cut = call
    kept: list[Message] = []
    removed: list[Message] = []
    called: set[str] = set()
    for at, message in enumerate(messages):
        answered = _answers(message)
        if message.get("role") in _SYSTEM:
            kept.append(message)
        elif at >= cut or (message.get("role") in _RESULTS and answered not in called):
            removed.append(message)
        else:
            kept.append(message)
            called.update(_calls(message))
    return Undone(tuple(kept), tuple(removed), extent)


def _calls(message: Message) -> list[str]:
    """Return the ids of the tools that a message calls; a function is known by its name."""
    if message.get("role") != "assistant":
        return []
    calls = message.get("tool_calls")
    listed = calls if isinstance(calls, Sequence) and not isinstance(calls, str) else ()
    found = [call.get("id") for call in listed if isinstance(call, Mapping)]
    function = message.get("function_call")
    if isinstance(function, Mapping):
        found.append(function.get("name"))
    return [call for call in found if isinstance(call, str)]


def _answers(message: Message) -> str | None:
    """Return the id of the call whose result a message is."""
    role = message.get("role")
    if role not in _RESULTS:
        return None
    call = message.get("tool_call_id" if role == "tool" else "name")
    return call if isinstance(call, str) else None
