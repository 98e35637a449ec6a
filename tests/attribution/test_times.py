"""What the times of files tell of the tools that ran: an edit that was made while none ran stays,
whatever a tool has done to the same path since."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from attribution.histories import History
from hermes_checkpoints import Checkpoints
from hermes_checkpoints.model import Action, Actor

DOUBT = "it changed while a tool ran, and while none did"


@pytest.fixture
def history(home: Path, project: Path) -> Iterator[History]:
    """A history of a session A whose host tells of its tools, and which has begun to work."""
    with Checkpoints.open(home) as checkpoints:
        found = History(checkpoints, project)
        (project / "came" / "with").mkdir(parents=True)
        found.write("came/with/it")
        found.first = found.begin()
        begin(found)
        yield found


def begin(history: History) -> None:
    """Begin a turn of the session. What is there by now is older than that."""
    history._tick()
    history.project.begin_turn(session_id="A")
    history.thinks("A")
    history._tick()


def runs(history: History, tool: Callable[[], object]) -> None:
    """Let a tool of the session run, a while after whatever was before."""
    history._tick()
    turns, row = history.base._base.catalog.turns, history._row()
    turns.begin_tool(row, "A", None, "terminal", history._tick())
    tool()
    turns.end_tool(row, "A", None, history._tick())
    history._tick()


def planned(history: History) -> dict[str, Action]:
    assert history.first is not None
    plan = history.project.plan_restore(history.first)
    assert {step.reason for step in plan.of(Action.KEEP)} <= {DOUBT}
    return {step.path: step.action for step in plan.steps}


def test_an_edit_stays_whose_permissions_a_tool_changes(history: History) -> None:
    history.write("f")
    runs(history, lambda: os.chmod(history.directory / "f", 0o700))
    assert planned(history) == {"f": Action.KEEP}
    history.project.end_turn(session_id="A")
    assert history.project.who("f")[0].actor is Actor.UNKNOWN


def test_an_edit_stays_that_a_tool_moves(history: History) -> None:
    history.write("f")
    runs(history, lambda: os.rename(history.directory / "f", history.directory / "n"))
    assert planned(history) == {"f": Action.WRITE, "n": Action.KEEP}


def test_what_a_tool_writes_and_then_changes_is_the_agents(history: History) -> None:
    runs(history, lambda: history.write("f"))
    runs(history, lambda: os.chmod(history.directory / "f", 0o700))
    runs(history, lambda: os.rename(history.directory / "f", history.directory / "n"))
    assert planned(history) == {"f": Action.WRITE, "n": Action.DELETE}


def test_a_directory_stays_that_you_move_in_and_a_tool_writes_to(
    history: History, tmp_path: Path
) -> None:
    old = tmp_path / "elsewhere"
    (old / "below").mkdir(parents=True)
    (old / "below" / "mine").write_text("mine\n")
    begin(history)
    os.rename(old, history.directory / "moved")
    runs(history, lambda: history.write("moved/below/n"))
    assert planned(history) == {"moved/below/mine": Action.KEEP, "moved/below/n": Action.DELETE}
    assert history.first is not None
    history.project.restore(history.first)
    assert (history.directory / "moved" / "below" / "mine").read_text() == "mine\n"


def test_a_directory_that_a_tool_moves_comes_back(history: History) -> None:
    was, now = history.directory / "came", history.directory / "went"
    runs(history, lambda: os.rename(was, now))
    runs(history, lambda: history.write("went/with/n"))
    assert history.first is not None
    history.project.restore(history.first)
    assert (was / "with" / "it").exists()
    assert not now.exists()


def test_an_empty_directory_of_yours_stays_beside_one_of_a_tool(history: History) -> None:
    mine = history.directory / "mine"
    mine.mkdir()
    runs(history, (history.directory / "its").mkdir)
    assert history.first is not None
    history.project.restore(history.first)
    assert mine.is_dir()
