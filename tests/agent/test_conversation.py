"""Taking turns of a conversation back: whole turns, with tool calls, and only where it is sure."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_checkpoints.agent.conversation import (
    Extent,
    text_of,
    turn_starts,
    undo_last_turn,
    undo_to,
)
from hermes_checkpoints.model import Checkpoint, Kind

Message = dict[str, Any]


def checkpoint(
    message_count: int | None = None,
    turn: int | None = None,
    *,
    kind: Kind = Kind.AUTO,
    session_id: str | None = "s",
) -> Checkpoint:
    return Checkpoint(
        _row=1,
        project_hash="0" * 16,
        working_dir="/w",
        id="a" * 40,
        tree_id="b" * 40,
        state_id="c" * 64,
        ref_name="refs/checkpoints/x",
        kind=kind,
        reason="before patch",
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
        utc_offset_minutes=0,
        labels=(),
        session_id=session_id,
        turn=turn,
        message_count=message_count,
        pinned=False,
        file_count=1,
        logical_bytes=1,
        added_bytes=1,
        superseded_bytes=0,
        files_changed=1,
        insertions=1,
        deletions=0,
        skipped_count=0,
        ignored_count=0,
    )


def user(text: str) -> Message:
    return {"role": "user", "content": text}


def call(*ids: str) -> Message:
    calls = [{"id": i, "type": "function", "function": {"name": "patch"}} for i in ids]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def result(call_id: str) -> Message:
    return {"role": "tool", "tool_call_id": call_id, "content": "ok"}


def said(text: str) -> Message:
    return {"role": "assistant", "content": text}


SYSTEM = {"role": "system", "content": "You help."}
TALK = [
    SYSTEM,
    user("one"),  # 1
    call("a"),
    result("a"),
    said("done"),
    user("two"),  # 5
    call("b", "c"),
    result("b"),
    result("c"),
    said("done"),
    user("three"),  # 10
    said("hello"),
]


def test_the_last_turn_goes_with_its_tool_calls() -> None:
    done = undo_last_turn(TALK[:10])
    assert list(done.kept) == TALK[:5]
    assert list(done.removed) == TALK[5:10]
    assert (done.request, done.turns, done.extent) == ("two", 1, Extent.LAST_TURN)


def test_without_a_request_nothing_goes() -> None:
    for talk in ([], [SYSTEM], [SYSTEM, said("hi")]):
        done = undo_last_turn(talk)
        assert (list(done.kept), done.removed, done.request) == (talk, (), "")


@pytest.mark.parametrize(("count", "cut"), [(2, 1), (3, 1), (6, 5), (7, 5), (11, 10), (12, 10)])
def test_the_turn_that_an_agents_checkpoint_interrupted_goes_too(count: int, cut: int) -> None:
    turns = len(turn_starts(TALK[:count]))
    done = undo_to(TALK, checkpoint(count, turns), session_id="s")
    assert list(done.kept) == TALK[:cut]
    assert done.extent is Extent.CHECKPOINT


@pytest.mark.parametrize(("count", "cut"), [(5, 5), (10, 10), (12, 12), (3, 5)])
def test_the_turn_before_a_persons_checkpoint_stays(count: int, cut: int) -> None:
    done = undo_to(TALK, checkpoint(count, kind=Kind.MANUAL), session_id="s")
    assert list(done.kept) == TALK[:cut]
    assert done.extent is Extent.CHECKPOINT


@pytest.mark.parametrize(
    "known",
    [
        checkpoint(None, 1),
        checkpoint(0, 0),
        checkpoint(99, 2),
        checkpoint(6, 1),  # compacted since: another number of turns stands before it
        checkpoint(6, 2, session_id="another"),
        checkpoint(6, 2, session_id=None),
    ],
)
def test_an_unknown_place_takes_the_last_turn_back(known: Checkpoint) -> None:
    done = undo_to(TALK, known, session_id="s")
    assert list(done.kept) == TALK[:10]
    assert done.extent is Extent.LAST_TURN


def test_system_messages_stay_wherever_they_stand() -> None:
    note = {"role": "developer", "content": "note"}
    talk = [SYSTEM, user("one"), note, said("x")]
    assert list(undo_last_turn(talk).kept) == [SYSTEM, note]


def test_a_message_between_a_call_and_its_result_begins_no_turn() -> None:
    talk = [user("one"), call("a"), user("hurry"), result("a"), said("done")]
    assert turn_starts(talk) == [0]
    assert list(undo_last_turn(talk).kept) == []


def test_a_place_between_a_call_and_its_result_is_before_the_call() -> None:
    """Of a conversation that a request of no user began."""
    talk = [SYSTEM, call("a"), said("x"), call("b", "c"), result("a"), result("b"), result("c")]
    for count in range(2, 7):
        assert list(undo_to(talk, checkpoint(count, 0)).kept) == [SYSTEM], count
    assert list(undo_to(talk, checkpoint(7, 0)).kept) == talk
    own = [SYSTEM, said("x"), call("a"), result("a"), call("b"), result("b")]
    assert list(undo_to(own, checkpoint(5, 0)).kept) == own[:4]


def test_functions_of_the_older_form_are_calls_too() -> None:
    talk = [
        user("one"),
        {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}},
        user("hurry"),
        {"role": "function", "name": "f", "content": "ok"},
    ]
    assert turn_starts(talk) == [0]


def test_texts_of_parts_are_joined_and_long_requests_shortened() -> None:
    picture = {"type": "image_url", "image_url": {"url": "data:"}}
    message = {"role": "user", "content": [{"type": "text", "text": "see\nthis " * 20}, picture]}
    assert text_of({"role": "user", "content": None}) == ""
    request = undo_last_turn([message]).request
    assert request.startswith("see this see")
    assert request.endswith("...")
    assert len(request) == 63


IDS = st.sampled_from("abc")
MESSAGES = st.lists(
    st.one_of(
        st.sampled_from([SYSTEM, user("u"), said("s"), {"role": "developer"}, {}]),
        st.lists(IDS, min_size=1, max_size=2).map(lambda ids: call(*ids)),
        IDS.map(result),
    ),
    max_size=20,
)


@pytest.mark.campaign
@given(MESSAGES, st.integers(-1, 25), st.none() | st.integers(0, 5), st.sampled_from(Kind))
def test_any_conversation_stays_whole(
    messages: list[Message], count: int, turn: int | None, kind: Kind
) -> None:
    talk = [{**message, "at": at} for at, message in enumerate(messages)]
    done = undo_to(talk, checkpoint(count, turn, kind=kind), session_id="s")
    assert sorted(m["at"] for m in (*done.kept, *done.removed)) == list(range(len(talk)))
    kept = {m["at"] for m in done.kept}
    calls: dict[str, int] = {}
    for message in talk:
        at = message["at"]
        calls.update((c["id"], at) for c in message.get("tool_calls", ()))
        if message.get("role") in {"system", "developer"}:
            assert at in kept
        if message.get("role") == "tool":
            # A result is where its call is; one without a call is nowhere.
            called = calls.get(message["tool_call_id"])
            assert (at in kept) == (called is not None and called in kept)
