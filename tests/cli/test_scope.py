"""``restore --session``, ``--everyone`` and ``--nested``, and what ``who`` says of sessions."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

import interpreters
from hermes_checkpoints import CheckpointManager, Checkpoints
from hermes_checkpoints.model import Kind
from support import Run


@pytest.fixture
def both(home: Path, project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A and B have worked in the current directory, each on a file of its own, and both are
    there still."""
    monkeypatch.chdir(project)
    managers = [CheckpointManager(enabled=True, session_id=name) for name in "AB"]
    for manager in managers:
        manager.ensure_checkpoint(str(project))
    for manager, path in zip(managers, ("README.md", "src/app.py"), strict=True):
        (project / path).write_text("agent\n")
        manager.record_agent_write(path, "patch")
    for manager in managers:
        manager.end_turn()
    return project


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("mode", ["keep-edits", "overlay"])
def test_a_restore_for_one_session_keeps_and_names_the_others_work(
    run: Run, both: Path, mode: str
) -> None:
    done = run("restore", "1", "--session", "A", "--mode", mode, "-f")
    assert "Limited to what session A changed" in done.lines
    assert "Kept (B session changed it):" in done.lines
    assert (both / "README.md").read_text() != "agent\n"
    assert (both / "src/app.py").read_text() == "agent\n"


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("options", [[], ["--everyone"]])
def test_a_restore_is_for_everyone_unless_a_session_is_named(
    run: Run, both: Path, options: list[str]
) -> None:
    run("restore", "1", "-f", *options)
    assert (both / "README.md").read_text() != "agent\n"
    assert (both / "src/app.py").read_text() != "agent\n"


def test_one_session_and_everyone_exclude_each_other(
    run: Run, both: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        run("restore", "1", "--session", "A", "--everyone", "-f")
    assert ended.value.code == 64
    assert "not allowed with" in capsys.readouterr().err
    assert (both / "README.md").read_text() == "agent\n"
    assert "--stdout" in run("restore", "1", "a", "--stdout", "--nested", code=64).err


def test_the_way_out_of_a_session_that_changed_nothing_is_everyone(run: Run, both: Path) -> None:
    answer = run("restore", "1", "--session", "C", "-f", code=2)
    assert answer.err.rstrip().endswith("--mode keep-edits")
    assert "--session" not in answer.err


def test_who_names_the_session_that_was_at_work_too(run: Run, home: Path, project: Path) -> None:
    with Checkpoints.open() as checkpoints:
        own = checkpoints.project(project)
        for name in "AB":
            own.take(kind=Kind.AUTO, session_id=name)
        (project / "README.md").write_text("by one of them\n")
        checkpoints.turn_end("B")
    (line,) = run("who", "README.md", "--dir", str(project)).lines
    assert line.endswith("by the agent's shell  session B  [session A was at work, too]")


def test_who_says_why_nobody_knows(run: Run, home: Path, project: Path) -> None:
    take = (
        "import sys; from hermes_checkpoints import Checkpoints\n"
        "with Checkpoints.open() as c: c.project(sys.argv[1]).take(kind='auto', session_id='A')\n"
        "print('ready', flush=True); sys.stdin.read()"
    )
    agent = interpreters.start(take, project)
    assert agent.stdout.readline() == "ready\n"
    os.kill(agent.pid, signal.SIGKILL)
    agent.finish()
    (project / "README.md").write_text("by whom?\n")
    run("take", str(project))
    (line,) = run("who", "README.md", "--dir", str(project)).lines
    assert line.endswith("changed by somebody  [the process of the agent was gone]")
    (event,) = run("who", "README.md", "--dir", str(project), "--json").json["events"]
    assert (event["actor"], event["reason"]) == ("unknown", "the process of the agent was gone")
    assert event["old_blob"] != event["blob"]
    assert (event["old_mode"], event["mode"]) == ("100644", "100644")
