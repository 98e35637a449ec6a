"""The events of a turn say and record the same, whether the catalog is asked directly or not."""

from __future__ import annotations

import io
import json
import os
import sqlite3
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from catalog.records import shell
from hermes_checkpoints import Checkpoints
from hermes_checkpoints.catalog.direct import looking
from hermes_checkpoints.catalog.direct.reader import Reader
from hermes_checkpoints.cli import main
from hermes_checkpoints.model import Actor, Kind

TABLES = ("projects", "operations", "turns", "tool_runs", "agent_writes", "path_events")
WHEN = {
    *("created_at", "last_touch", "last_seen_at", "state_checked_at", "started_at", "finished_at"),
    *("duration_ms", "looked_ns", "ended_at", "began_ns", "ended_ns", "at", "written_at"),
    "detail",  # the refs of the takes, by their ids
}


class _Input:
    """Standard input with a document in it."""

    def __init__(self, document: bytes) -> None:
        self.buffer = io.BytesIO(document)

    def isatty(self) -> bool:
        return False


class Session:
    """A session of an agent in a project, whose events go to one home in this process."""

    def __init__(self, home: Path, project: Path, patch: pytest.MonkeyPatch, session: str) -> None:
        self.home, self.project, self.patch, self.session = home, project, patch, session

    def tell(self, name: str, **fields: Any) -> None:
        document = {
            "session_id": self.session,
            "cwd": str(self.project),
            "hook_event_name": name,
            **fields,
        }
        self.patch.setattr(sys, "stdin", _Input(json.dumps(document).encode()))
        self.patch.setattr(sys, "argv", ["hermes-checkpoints", "hook"])
        assert main(["hook", "--agent", "claude", "--home", str(self.home)]) == 0

    def tool(self, run: str, tool: str = "Bash", **arguments: Any) -> dict[str, Any]:
        call = {"tool_name": tool, "tool_use_id": run, "tool_input": arguments}
        self.tell("PreToolUse", **call)
        return call

    def turn(self, writes: Sequence[str] = ()) -> None:
        """Work through a turn: each of the paths is written by a tool, and all by a shell."""
        self.tell("UserPromptSubmit", prompt="Fix it")
        call = self.tool("1", command="make")
        for name in writes:
            (self.project / name).write_text(f"by the shell in {self.session}")
        self.tell("PostToolUse", **call)
        for name in writes:
            path = self.project / name
            call = self.tool(f"2 {name}", "Write", file_path=str(path), content="x")
            path.write_text(f"by a tool in {self.session}")
            self.tell("PostToolUse", **call)
        self.tell("Stop")


def story(home: Path, project: Path, patch: pytest.MonkeyPatch) -> None:
    """Turns in which nothing changes, files do, a person edits in between, and two sessions are at
    work at once."""
    one, other = (Session(home, project, patch, name) for name in ("one", "other"))
    one.turn()
    one.turn(["a.txt", os.fsdecode(b"b\xff")])
    (project / "person.txt").write_text("by a person")
    one.turn(["a.txt"])
    one.tell("UserPromptSubmit", prompt="Once more")
    call = one.tool("9", command="make")
    other.turn(["person.txt"])
    (project / "a.txt").unlink()
    one.tell("PostToolUse", **call)
    one.tell("SessionEnd")
    other.turn()


def recorded(home: Path) -> dict[str, list[dict[str, Any]]]:
    file = home / "checkpoints" / "catalog.db"
    return {
        name: [
            {key: value for key, value in row.items() if key not in WHEN}
            for row in shell(file, f"SELECT * FROM {name} ORDER BY id")  # noqa: S608
        ]
        for name in TABLES
    }


@pytest.mark.slow
def test_a_story_is_recorded_as_the_whole_catalog_records_it(
    home: Path, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = {path.name: path.read_bytes() for path in project.iterdir() if path.is_file()}
    homes = (home, tmp_path / "other home")
    for one in homes:
        with Checkpoints.open(one) as checkpoints:
            checkpoints.project(project).take(kind=Kind.AUTO, session_id="host")
            checkpoints.project(project).end_turn(session_id="host")
    whole = homes[1] / "checkpoints" / "catalog.db"
    with closing(sqlite3.connect(whole)) as connection, connection:
        connection.execute("CREATE VIEW my_own AS SELECT * FROM projects")
    assert Reader.open(whole) is None
    asked: list[Any] = []
    ask = looking.look_into

    def asked_of(path: Path, open_whole: Any) -> Any:
        asked.append(ask(path, open_whole))
        return asked[-1]

    monkeypatch.setattr(looking, "look_into", asked_of)
    for one, is_direct in zip(homes, (True, False), strict=True):
        story(one, project, monkeypatch)
        assert {found is not None for found in asked} == {is_direct}
        if is_direct:  # also the takes that found something
            assert [found for found in asked if found._catalog is not None] == []
            assert len([r for r in recorded(one)["operations"] if r["outcome"] == "done"]) > 1
        asked.clear()
        for path in project.iterdir():
            if path.is_file() and path.name not in before:
                path.unlink()
        for name, contents in before.items():
            assert (project / name).read_bytes() == contents
    directly = recorded(homes[0])
    assert directly == recorded(homes[1])
    actors = {row["actor"] for row in directly["path_events"]}
    assert actors == {Actor.AGENT, Actor.PERSON}
    assert len(directly["path_events"]) == 5
    assert {row["outcome"] for row in directly["operations"]} == {"done", "unchanged"}
