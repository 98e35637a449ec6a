"""``mcp`` lets an agent look and take; it restores only where that is allowed and agreed to."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest

from hermes_checkpoints import Checkpoints
from hermes_checkpoints.cli import main
from hermes_checkpoints.layout import Layout
from support import Run

pytestmark = pytest.mark.slow

Session = Callable[[Any], Awaitable[None]]
LOOKING = ["list_checkpoints", "diff", "find_file", "plan_restore"]


class Person:
    """Answers what a client asks, and remembers it."""

    def __init__(self, action: str = "accept", *, restore: bool = True) -> None:
        self.action, self.restore = action, restore
        self.asked: list[str] = []

    async def __call__(self, _context: object, params: Any) -> Any:
        from mcp.types import ElicitResult

        self.asked.append(params.message)
        content = {"restore": self.restore} if self.action == "accept" else None
        return ElicitResult.model_validate({"action": self.action, "content": content})


def served(
    directory: Path,
    home: Path,
    session: Session,
    *,
    restore: bool = False,
    person: Person | None = None,
    mode: str = "auto",
) -> None:
    """Run a session with a server for a directory."""
    from mcp import Client

    from hermes_checkpoints.cli.mcp_server import make

    async def main() -> None:
        server = make(directory, Layout.of(home), restore=restore)
        ask: Any = person
        async with Client(server, elicitation_callback=ask, mode=mode) as client:
            await session(client)

    anyio.run(main)


async def answer(client: Any, tool: str, **arguments: Any) -> Any:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content[0].text
    return json.loads(result.content[0].text)


async def refusal(client: Any, tool: str, **arguments: Any) -> str:
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    return str(result.content[0].text)


@pytest.mark.campaign
def test_an_agent_may_look_and_take(fresh_home: Path, project: Path) -> None:
    async def session(client: Any) -> None:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert [*tools] == [*LOOKING, "take_checkpoint"]
        assert {name for name, tool in tools.items() if tool.annotations.read_only_hint} == {
            *LOOKING
        }
        assert "No checkpoints exist" in await refusal(client, "diff")
        assert (await answer(client, "list_checkpoints"))["checkpoints"] == []
        assert not fresh_home.exists()  # who looks makes nothing
        (project / "two words.txt").write_text("x\n")
        taken = await answer(client, "take_checkpoint", reason="before the clean-up", label="good")
        assert taken["outcome"] == "taken"
        (project / "README.md").write_text("changed\n")
        (project / "run.sh").unlink()
        [listed] = (await answer(client, "list_checkpoints"))["checkpoints"]
        assert (listed["number"], listed["reason"]) == (1, "before the clean-up")
        compared = await answer(client, "diff", reference="good", paths=["README.md"])
        assert "+changed" in compared["text"] and not compared["text_cut"]
        [found] = (await answer(client, "find_file", pattern="*.sh", deleted=True))["found"]
        assert found["path"] == "run.sh"
        program, words = shlex.split(found["command"])[:2], shlex.split(found["command"])[2:]
        assert program == ["hermes", "checkpoints"]
        assert main([words[0], "-f", *words[1:]]) == 0  # from wherever the person pastes it
        assert (project / "run.sh").exists()
        (project / "run.sh").unlink()
        [found] = (await answer(client, "find_file", pattern="two*"))["found"]
        assert found["command"].endswith(" -- 'two words.txt'")
        planned = await answer(client, "plan_restore", reference="@{2099-01-01}", mode="exact")
        assert {step["path"] for step in planned["steps"]} == {"README.md", "run.sh"}
        assert "no number 9" in await refusal(client, "plan_restore", reference="9")
        assert "unknown" in (await refusal(client, "restore", reference="1")).lower()

    served(project, fresh_home, session)
    assert (project / "README.md").read_text() == "changed\n"


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_restore_asks_the_person_and_does_what_was_shown(
    home: Path, project: Path, mode: str
) -> None:
    person = Person()

    async def session(client: Any) -> None:
        await answer(client, "take_checkpoint")
        (project / "README.md").write_text("changed\n")
        (project / "made.txt").write_text("new\n")
        restored = await answer(client, "restore", reference="1", mode="exact")
        assert not restored["dry_run"]

    served(project, home, session, restore=True, person=person, mode=mode)
    [asked] = person.asked
    assert asked.splitlines()[1:3] == ["  delete  made.txt", "  write  README.md"]
    assert not (project / "made.txt").exists()
    assert (project / "README.md").read_text().startswith("# Sample")
    with Checkpoints.open(home) as checkpoints:
        checkpoints.project(project).undo()
    assert (project / "made.txt").exists()


@pytest.mark.campaign(beyond=2)
@pytest.mark.parametrize("how", ["decline", "cancel", "accept", "cannot ask"])
def test_without_a_yes_nothing_is_changed(home: Path, project: Path, how: str) -> None:
    person = None if how == "cannot ask" else Person(how, restore=False)

    async def session(client: Any) -> None:
        from mcp import MCPError

        await answer(client, "take_checkpoint")
        (project / "README.md").write_text("changed\n")
        if person is None:
            with pytest.raises(MCPError, match="elicitation"):
                await client.call_tool("restore", {"reference": "1"})
        else:
            assert "did not agree" in await refusal(client, "restore", reference="1")

    served(project, home, session, restore=True, person=person)
    assert (project / "README.md").read_text() == "changed\n"


def test_what_changed_after_the_question_is_asked_anew(home: Path, project: Path) -> None:
    class Meddler(Person):
        async def __call__(self, context: object, params: Any) -> Any:
            if len(self.asked) == 0:
                (project / "run.sh").write_text("by a person, meanwhile\n")
            return await super().__call__(context, params)

    person = Meddler()

    async def session(client: Any) -> None:
        await answer(client, "take_checkpoint")
        (project / "README.md").write_text("changed\n")
        await answer(client, "restore", reference="1", mode="overlay")

    served(project, home, session, restore=True, person=person)
    assert len(person.asked) == 2
    assert "run.sh" not in person.asked[0] and "run.sh" in person.asked[1]


def test_an_argument_that_a_tool_does_not_know_is_refused(home: Path, project: Path) -> None:
    """Left out of a restore, the name of a file that is misspelt would bring back all others."""
    person = Person()

    async def session(client: Any) -> None:
        await answer(client, "take_checkpoint")
        (project / "README.md").write_text("changed\n")
        tools = (await client.list_tools()).tools
        assert len(tools) == 6
        for tool in tools:
            assert tool.input_schema["additionalProperties"] is False, tool.name
            needed = {"reference": "1", "pattern": "*"}
            known = {name: needed[name] for name in tool.input_schema.get("required", ())}
            assert "path" in await refusal(client, tool.name, **known, path=["run.sh"]), tool.name

    served(project, home, session, restore=True, person=person)
    assert person.asked == []
    assert (project / "README.md").read_text() == "changed\n"


def test_a_restore_that_would_do_nothing_asks_nobody(home: Path, project: Path) -> None:
    person = Person()

    async def session(client: Any) -> None:
        await answer(client, "take_checkpoint")
        assert "nothing to restore" in await refusal(client, "restore", reference="1")

    served(project, home, session, restore=True, person=person)
    assert person.asked == []


def test_the_program_speaks_the_protocol_and_nothing_else(home: Path, project: Path) -> None:
    from mcp import Client, StdioServerParameters

    (home / "config.yaml").write_text("mcp: {restore: true}\n")
    (project / "big.txt").write_text("line\n" * 20_000)

    async def main() -> None:
        server = StdioServerParameters(
            command=sys.executable,
            args=["-m", "hermes_checkpoints", "mcp", str(project)],
            env={**os.environ},
        )
        person: Any = Person()
        async with Client(server, elicitation_callback=person) as client:
            assert [tool.name for tool in (await client.list_tools()).tools][-1] == "restore"
            await answer(client, "take_checkpoint")
            (project / "big.txt").write_text("other\n" * 20_000)
            assert (await answer(client, "diff"))["text_cut"]
            await answer(client, "restore", reference="latest", paths=["big.txt"])

    anyio.run(main)
    assert (project / "big.txt").read_text().startswith("line\n")


def test_what_cannot_be_served_is_refused(
    home: Path, project: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "does not exist" in run("mcp", project / "gone", code=2).err
    assert "the protocol" in run("mcp", project, "--json", code=2).err
    with monkeypatch.context() as closed:
        closed.setattr(sys, "stdin", None)
        assert "one of them is closed" in run("mcp", project, code=2).err
    monkeypatch.setitem(sys.modules, "hermes_checkpoints.cli.mcp_server", None)
    assert "hermes-checkpoints[mcp]" in run("mcp", project, code=2).err
