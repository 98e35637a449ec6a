"""Every event that an agent sends is understood: tests/fixtures/hooks has one of each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hermes_checkpoints.errors import BadRequest
from hermes_checkpoints.hooks.agents import AGENTS, CLAUDE, CODEX, GEMINI, Agent, EventKind
from hermes_checkpoints.hooks.event import Event, read_event, sender_of

FOLDER = Path(__file__).parents[1] / "fixtures" / "hooks"
FIXTURES = sorted(FOLDER.glob("*/*.json"))


def event_of(**fields: Any) -> Event | None:
    given = {"session_id": "s", "cwd": "/srv", "hook_event_name": "PreToolUse", **fields}
    return read_event(json.dumps(given).encode())


def test_there_is_a_fixture_of_every_event() -> None:
    assert {(file.parent.name, file.stem) for file in FIXTURES} == {
        (agent.name, event) for agent in AGENTS.values() for event in agent.events
    }


@pytest.mark.parametrize("file", FIXTURES, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_an_event_is_understood_as_its_senders(file: Path) -> None:
    document = file.read_bytes()
    agent = AGENTS[file.parent.name]
    for event in (read_event(document, agent), read_event(document)):
        if event is None or event.agent is not agent:
            assert file.stem == "SessionEnd" and agent.name == "codex"  # it names no turn
            continue
        assert event.kind is agent.events[file.stem]
        assert event.directory == "/home/ada/site"
        assert event.session_id == json.loads(document)["session_id"]
        if event.kind is EventKind.PROMPT:
            assert (event.prompt or "").startswith("Fix the login")
        if event.kind in (EventKind.BEFORE_TOOL, EventKind.AFTER_TOOL):
            assert event.run and (event.writes or event.command)


def test_what_a_tool_writes_is_read_from_its_arguments() -> None:
    patch = read_event((FOLDER / "codex/PostToolUse.json").read_bytes())
    assert patch is not None
    assert patch.writes == tuple(
        f"/home/ada/site/src/{name}.ts" for name in ("login", "new", "old")
    )
    for tool, field in (("Write", "file_path"), ("NotebookEdit", "notebook_path")):
        found = event_of(tool_name=tool, tool_input={field: "a b.txt"})
        assert found is not None and found.writes == ("/srv/a b.txt",)
    for tool, given in (("mcp__files__read", {"file_path": "a"}), ("Write", {"file_path": 3})):
        found = event_of(tool_name=tool, tool_input=given)
        assert found is not None and found.writes == ()


def test_a_tool_that_only_reads_is_nothing_to_do_and_one_that_is_not_known_is() -> None:
    for tool in CLAUDE.readers:
        assert event_of(tool_name=tool, tool_input={}) is None
    assert event_of(tool_name="mcp__anything__at_all", tool_input=None) is not None
    assert event_of(hook_event_name="Notification") is None


def test_a_run_without_a_name_is_the_same_before_and_after() -> None:
    given = {"tool_name": "Bash", "tool_input": {"command": "make", "timeout": 3}}
    other = {**given, "tool_input": {"command": "make all"}}
    runs = [
        found.run
        for fields in (given, {**given, "hook_event_name": "PostToolUse"}, other)
        if (found := event_of(**fields)) is not None
    ]
    assert runs[0] == runs[1] != runs[2]


@pytest.mark.parametrize(
    ("answer", "runs_on"),
    [
        ("Output: ok\nBackground PIDs: 27190\nProcess Group PGID: 27188", True),
        ("Command moved to background (PID: 27). Output hidden. Press Ctrl+B to view.", True),
        ("Output: ok\nProcess Group PGID: 27188", False),
        ("Output: \nBackground PIDs: 1\nall of them\nProcess Group PGID: 27188", False),
        ("Output: Command moved to background (PID: 27).\nProcess Group PGID: 27188", False),
        ("Command was cancelled by user before it could complete.", False),
        ("", False),
        ([{"text": "Done"}], False),
    ],
)
def test_a_command_that_runs_on_after_it_has_answered_is_in_the_background(
    answer: object, runs_on: bool
) -> None:
    for told in (answer, f"<untrusted_context>\n{answer}\n</untrusted_context>"):
        found = event_of(
            hook_event_name="AfterTool",
            tool_name="run_shell_command",
            tool_input={"command": "make"},
            tool_response={"llmContent": told if isinstance(answer, str) else answer},
        )
        assert found is not None and found.background is runs_on


@pytest.mark.parametrize(
    ("agent", "tools"),
    [
        (CODEX, ("clocksleep", "collaborationspawn_agent", "get_goal", "tool_search")),
        (GEMINI, ("invoke_agent", "update_topic", "list_background_processes")),
    ],
)
def test_a_tool_that_only_reads_is_known_by_the_name_that_hooks_have_for_it(
    agent: Agent, tools: tuple[str, ...]
) -> None:
    name = next(event for event, kind in agent.events.items() if kind is EventKind.BEFORE_TOOL)
    given = {"session_id": "s", "cwd": "/srv", "hook_event_name": name, "tool_input": {}}
    for tool in tools:
        assert read_event(json.dumps({**given, "tool_name": tool}).encode(), agent) is None


@pytest.mark.parametrize("depth", [300, 985, 995, 5_000])
@pytest.mark.parametrize(("begin", "end"), ["[]", ('{"a": ', "}")], ids=["list", "object"])
@pytest.mark.parametrize("key", ["command", "x"])
def test_an_event_is_read_however_deep_the_arguments_of_its_tool_are_nested(
    key: str, begin: str, end: str, depth: int
) -> None:
    deep = begin * depth + "1" + end * depth
    for tool in ("mcp__it", "Bash", "apply_patch", "Write"):
        document = (
            f'{{"tool_input": {{"s": "\\"]}}[", "{key}": {deep}, "file_path": "/srv/a"}}, '
            f'"tool_name": "{tool}", "hook_event_name": "PreToolUse", '
            '"session_id": "s", "cwd": "/srv"}'
        )
        found = [read_event(document.encode(), agent) for agent in (CLAUDE, CODEX)]
        assert [(one.session_id, one.directory, one.tool) for one in found if one] == (
            [("s", "/srv", tool)] * 2
        )
        assert found == [read_event(document.encode(), agent) for agent in (CLAUDE, CODEX)]
        assert found[0] is not None
        assert found[0].writes == (("/srv/a",) if tool == "Write" else ())
        assert sender_of(document.encode()) is CLAUDE


def test_a_command_given_as_words_is_one_for_a_shell() -> None:
    found = event_of(turn_id="t", tool_name="shell", tool_input={"command": ["rm", "a b"]})
    assert found is not None and found.command == "rm 'a b'"


@pytest.mark.parametrize(
    ("document", "told"),
    [
        (b"", "no JSON"),
        (b"{", "no JSON"),
        (b"\xff\xfe{}", "no JSON"),
        (b"[" * 100_000, "no JSON"),
        (b"[]", "no JSON object"),
        (b"{}", "no hook_event_name"),
        (b'{"hook_event_name": 3}', "no hook_event_name"),
        (b'{"hook_event_name": "Stop"}', "no session_id"),
        (b'{"hook_event_name": "Stop", "session_id": "a\\u0000b"}', "no session_id"),
        (b'{"hook_event_name": "Stop", "session_id": "s"}', "no cwd"),
        (b'{"hook_event_name": "Stop", "session_id": "s", "cwd": "site"}', "no absolute path"),
    ],
)
def test_what_is_no_event_is_refused_with_the_reason(document: bytes, told: str) -> None:
    with pytest.raises(BadRequest, match=told):
        read_event(document)
    if b'hook_event_name": "' not in document:
        assert sender_of(document) is None
