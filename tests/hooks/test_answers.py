"""The answer of a hook is 0 and what the agent expects, whatever happens; a person is told once a
session what is not protected, and the journal has it."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from catalog.records import shell
from hermes_checkpoints import Checkpoints
from hermes_checkpoints.cli import main
from hermes_checkpoints.hooks.agents import AGENTS, EventKind
from hermes_checkpoints.model import Actor
from hooks.conftest import Starts
from interpreters import PROGRAM, on_a_terminal, start
from support import Run

EVERY = pytest.mark.parametrize("name", AGENTS)


class _Input:
    """Standard input with a document in it."""

    def __init__(self, document: bytes) -> None:
        self.buffer = io.BytesIO(document)

    def isatty(self) -> bool:
        return False


def hooked(monkeypatch: pytest.MonkeyPatch, document: bytes, *words: str) -> int:
    monkeypatch.setattr(sys, "stdin", _Input(document))
    return main(["hook", *words])


@pytest.mark.campaign(beyond=3)
@pytest.mark.parametrize("document", [b"", b"no json", b"[]", b"{}", b"\xff", b'{"a": 1}'])
@EVERY
def test_what_is_no_event_is_answered_and_in_the_journal(
    home: Path,
    project: Path,
    name: str,
    document: bytes,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(project)
    assert hooked(monkeypatch, document, "--agent", name) == 0
    answered = capsys.readouterr()
    assert (answered.out.strip(), answered.err) == (AGENTS[name].silence, "")
    with Checkpoints.open(home) as checkpoints:
        [failing] = checkpoints.failing()
    assert failing.working_dir == str(project)
    assert "the event" in failing.last_error


def test_an_event_that_is_nested_deep_is_protected_as_any_other(
    home: Path,
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with Checkpoints.open(home) as checkpoints:
        checkpoints.project(project).take()
    (project / "by hand.txt").write_text("new")
    deep = "[" * 995 + "]" * 995
    event = f'"session_id": "s", "cwd": {json.dumps(str(project))}, "tool_name": "mcp__it"'
    for name in ("PreToolUse", "PostToolUse", "Stop"):
        document = f'{{{event}, "hook_event_name": "{name}", "tool_input": {{"x": {deep}}}}}'
        assert hooked(monkeypatch, document.encode()) == 0
        assert capsys.readouterr() == ("", "")
        if name == "PreToolUse":
            (project / "by the tool.txt").write_text("new")
    with Checkpoints.open(home) as checkpoints:
        assert checkpoints.failing() == []
        of = checkpoints.project(project)
        assert len(of.list()) == 2
        assert not checkpoints.turn_projects("s")
        assert [seen.actor for seen in of.who("by the tool.txt")] == [Actor.AGENT]


def test_an_agent_that_is_not_named_is_answered_in_its_words(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    event = b'{"hook_event_name": "AfterAgent", "session_id": "s", "cwd": "/"}'
    assert hooked(monkeypatch, event) == 0
    assert capsys.readouterr().out == "{}\n"
    assert hooked(monkeypatch, event.replace(b"AfterAgent", b"Stop")) == 0
    assert capsys.readouterr().out == ""


@pytest.mark.campaign(beyond=1)
@pytest.mark.slow
@EVERY
def test_a_directory_that_is_refused_is_told_once_a_session_and_named_files_are_kept(
    home: Path, project: Path, name: str, agent: Starts
) -> None:
    (home / "config.yaml").write_text("checkpoints:\n  max_files: 2\n")
    one = agent(name)
    for number in range(2):
        one.asked()
        call = one.begins_shell("make")
        one.ends_tool(call)
        call = one.begins_write("README.md")
        (project / "README.md").write_text(f"by the agent, {number}\n")
        one.ends_tool(call)
        one.answers()
    [said] = one.said
    assert "max_files" in said
    with Checkpoints.open(home) as checkpoints:
        found = checkpoints.project(project)
        assert {one.partial for one in found.list()} == {True}
        found.restore(found.list()[-1], "README.md")
    assert (project / "README.md").read_text().startswith("# Sample")


@pytest.mark.campaign
def test_a_directory_that_is_refused_is_looked_at_once_a_turn(
    home: Path, project: Path, agent: Starts
) -> None:
    (home / "config.yaml").write_text("checkpoints:\n  max_files: 2\n")
    one = agent("claude")
    one.asked()
    for _ in range(3):
        one.ends_tool(one.begins_shell("make"))
    with Checkpoints.open(home) as checkpoints:
        [failing] = checkpoints.failing()
        assert failing.count == 1


@pytest.mark.campaign(beyond=1)
@EVERY
def test_hooks_that_are_switched_off_take_nothing_and_say_so_once(
    home: Path, project: Path, name: str, agent: Starts
) -> None:
    (home / "config.yaml").write_text("hook:\n  enabled: false\n")
    one = agent(name)
    for _ in range(2):
        one.asked()
        one.ends_tool(one.begins_shell("make"))
        one.answers()
    [said] = one.said
    assert "checkpoints are off" in said and "config.yaml" in said
    with Checkpoints.open(home) as checkpoints:
        assert checkpoints.projects() == []


@pytest.mark.campaign(beyond=1)
@pytest.mark.slow
@EVERY
def test_a_turn_that_is_open_ends_though_hooks_are_switched_off_meanwhile(
    home: Path, project: Path, name: str, agent: Starts
) -> None:
    one = agent(name)
    one.asked()
    call = one.begins_shell()
    (home / "config.yaml").write_text("hook:\n  enabled: false\n")
    (project / "made.txt").write_text("by the agent\n")
    one.ends_tool(call)
    one.answers()
    (project / "README.md").write_text("by a person\n")
    one.asked()
    one.ends_tool(one.begins_shell())
    one.answers()
    assert len(one.said) == 1
    with Checkpoints.open(home) as checkpoints:
        found = checkpoints.project(project)
        assert len(found.list()) == 1
        found.take()
        assert found.who("made.txt")[0].actor is Actor.AGENT
        assert found.who("README.md")[0].actor is Actor.PERSON


@pytest.mark.campaign
def test_one_file_that_cannot_be_does_not_cost_the_others_their_checkpoint(
    home: Path, project: Path, agent: Starts, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "Makefile").write_text("all:\n")
    one = agent("codex")
    patch = f"*** Update File: {'n' * 300}\n*** Update File: {elsewhere / 'Makefile'}\n"
    call = one.begins("apply_patch", command=patch)
    (elsewhere / "Makefile").write_text("by the agent\n")
    one.ends_tool(call)
    with Checkpoints.open(home) as checkpoints:
        found = checkpoints.project(elsewhere)
        assert found.read_file("latest", "Makefile") == b"all:\n"
        found.end_turn(session_id=one.session_id)
        assert found.who("Makefile")[0].tool == "apply_patch"


@pytest.mark.campaign(beyond=1)
@pytest.mark.slow
@EVERY
def test_a_tool_in_a_directory_that_cannot_be_is_told_and_in_the_journal(
    home: Path, project: Path, name: str, agent: Starts
) -> None:
    one = agent(name)
    one.asked()
    one.directory = project / ("n" * 300)
    for _ in range(2):
        one.ends_tool(one.begins_shell())
    [said] = one.said
    assert "no checkpoint was taken" in said
    one.directory = project
    one.begins_shell()
    with Checkpoints.open(home) as checkpoints:
        assert len(checkpoints.project(project).list()) == 1


def test_where_nothing_was_kept_a_hook_that_is_off_makes_nothing(
    fresh_home: Path, project: Path, agent: Starts
) -> None:
    fresh_home.mkdir()
    (fresh_home / "config.yaml").write_text("hook:\n  enabled: false\n")
    one = agent("claude")
    one.asked()
    one.ends_tool(one.begins_shell("make"))
    assert len(one.said) == 1
    assert os.listdir(fresh_home) == ["config.yaml"]


def test_a_project_that_is_switched_off_is_told(home: Path, project: Path, agent: Starts) -> None:
    (home / "config.yaml").write_text(
        f"checkpoints:\n  projects:\n    {project}: {{enabled: false}}\n"
    )
    one = agent("claude")
    one.asked()
    one.ends_tool(one.begins_shell("make"))
    [said] = one.said
    assert str(project) in said
    with Checkpoints.open(home) as checkpoints:
        assert checkpoints.projects() == []


@pytest.mark.campaign(beyond=2)
@EVERY
def test_a_base_that_cannot_be_opened_stops_no_agent_and_is_told_at_each_prompt(
    home: Path, project: Path, name: str, agent: Starts
) -> None:
    (home / "checkpoints" / "catalog.db").write_bytes(b"no catalog at all" * 1000)
    one = agent(name)
    for _ in range(2):
        one.asked()
        one.ends_tool(one.begins_shell("make"))
        one.answers()
    assert len(one.said) == 2
    assert all("no checkpoint was taken" in said for said in one.said)


def test_a_take_that_fails_is_told_and_in_the_journal(
    home: Path, project: Path, agent: Starts, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    nothing = tmp_path / "nothing"
    nothing.mkdir()
    monkeypatch.setenv("PATH", str(nothing))
    one = agent("claude")
    one.asked()
    one.ends_tool(one.begins_shell("make"))
    [said] = one.said
    assert "git" in said
    with Checkpoints.open(home) as checkpoints:
        [failing] = checkpoints.failing()
    assert "git" in failing.last_error


def test_titles_can_be_switched_off(home: Path, project: Path, agent: Starts, run: Run) -> None:
    (home / "config.yaml").write_text("hook:\n  titles: false\n")
    one = agent("claude")
    one.asked("my secret plan")
    one.ends_tool(one.begins_shell("make"))
    [listed] = json.loads(run("log", "--dir", project, "--json").out)["checkpoints"]
    assert listed["turn_title"] is None
    assert b"secret plan" not in (home / "checkpoints" / "catalog.db").read_bytes()


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize(
    ("prompt", "title"),
    [
        ("Fix it\nand more", "Fix it"),
        ("\n\n  \n Fix\tit  now \n", "Fix it now"),
        ("x" * 300, "x" * 119 + "…"),
        ("deploy with password=hunter2 please", "deploy with password=[redacted] please"),
        ("a\x1b[31mred\x00\u202e", "a[31mred"),
        ("\n \n", None),
        ("", None),
        (3, None),
    ],
)
def test_the_first_line_of_a_prompt_is_the_title_of_its_turn(
    home: Path, project: Path, agent: Starts, run: Run, prompt: Any, title: str | None
) -> None:
    one = agent("claude")
    one.asked(prompt)
    one.ends_tool(one.begins_shell("make"))
    [listed] = json.loads(run("log", "--dir", project, "--json").out)["checkpoints"]
    assert listed["turn_title"] == title


def test_a_hook_at_a_terminal_says_how_it_is_used(home: Path) -> None:
    code, written = on_a_terminal("hook")
    assert code == 64
    assert b"hook install" in written


def test_nobody_who_reads_the_answer_is_no_error(home: Path, project: Path) -> None:
    event = json.dumps(
        {"hook_event_name": "BeforeAgent", "session_id": "s", "cwd": str(project), "prompt": "x"}
    )
    code = f"import os\nos.close(1)\nos.open('/dev/full', os.O_WRONLY)\n{PROGRAM}"
    process = start(code, "hook", "--agent", "gemini")
    process.stdin.write(event)
    ended = process.finish()
    assert (ended.returncode, ended.stderr) == (0, "")


def test_an_unknown_agent_is_wrong_usage(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", _Input(b"{}"))
    with pytest.raises(SystemExit) as ended:
        main(["hook", "--agent", "nobody"])
    assert ended.value.code == 64


def test_the_program_of_hermes_answers_hooks_too(
    home: Path, project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from hermes_checkpoints.cli import hermes

    event = {"hook_event_name": "BeforeAgent", "session_id": "s", "cwd": str(project)}
    monkeypatch.setattr(sys, "stdin", _Input(json.dumps(event).encode()))
    assert hermes(["checkpoints", "hook", "--agent", "gemini"]) == 0
    assert capsys.readouterr().out == "{}\n"
    with Checkpoints.open(home) as checkpoints:
        session = checkpoints.agent_sessions.get("s")
        assert session is not None and session.agent == "gemini"


def test_a_prompt_is_told_of_nothing_else(home: Path, project: Path, agent: Starts) -> None:
    one = agent("claude")
    assert one.tell(EventKind.PROMPT, prompt="x") == ""


def failures(home: Path) -> list[str]:
    file = home / "checkpoints" / "catalog.db"
    rows = shell(file, "SELECT message FROM operations WHERE outcome = 'failed' ORDER BY id")
    return [row["message"] for row in rows]


@contextmanager
def unreadable_catalog(home: Path) -> Iterator[None]:
    catalog = home / "checkpoints" / "catalog.db"
    aside = catalog.with_name("aside.db")
    catalog.rename(aside)
    catalog.write_bytes(b"no catalog at all" * 1000)
    yield
    aside.replace(catalog)


@EVERY
def test_a_tool_that_nothing_protects_is_told_at_once_and_in_the_journal_once_that_can_be_written(
    home: Path, project: Path, name: str, agent: Starts
) -> None:
    one = agent(name)
    one.asked()
    with unreadable_catalog(home):
        for _ in range(2):
            one.ends_tool(one.begins_shell("make"))
    [said] = one.said
    assert "no checkpoint was taken: " in said
    assert failures(home) == []
    for _ in range(2):
        one.asked()
    assert one.said == [said]
    wrote, told = failures(home)
    assert wrote.startswith("what a tool wrote is not recorded: ") and wrote.endswith(" UTC)")
    assert told.startswith(said.removeprefix("hermes-checkpoints: "))


def test_the_end_of_a_turn_that_cannot_be_recorded_is_told_at_the_next_prompt(
    home: Path, project: Path, agent: Starts
) -> None:
    one = agent("claude")
    one.asked()
    one.ends_tool(one.begins_shell("make"))
    with unreadable_catalog(home):
        for _ in range(2):
            one.answers()
    assert one.said == []
    for _ in range(2):
        one.asked()
    [said] = one.said
    assert said.startswith("hermes-checkpoints: the end of a turn is not recorded: ")
    assert [f"hermes-checkpoints: {message}" for message in failures(home)] == [said]
    with Checkpoints.open(home) as checkpoints:
        assert checkpoints.turn_projects("session-1") == []
