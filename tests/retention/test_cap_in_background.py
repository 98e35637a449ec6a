"""The size cap is held without a prune by hand: at the end of the turn that went over it, in a
process of its own, and people are told."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from hermes_checkpoints import CheckpointManager, Checkpoints, Config, footprint_notice
from hermes_checkpoints.base import cap
from hermes_checkpoints.cli import main
from hermes_checkpoints.fs.disk import directory_bytes
from hermes_checkpoints.fs.locks import exclusive
from hermes_checkpoints.layout import Layout
from hermes_checkpoints.model import MB, Kind, Taken
from hermes_checkpoints.retention.background import MODULE, dumped, loaded
from support import Run, wait_for_detached

CAP = 3 * MB


def configure(home: Path, more: str = "") -> None:
    home.mkdir(parents=True, exist_ok=True)
    (home / "config.yaml").write_text(
        f"checkpoints: {{enabled: true, max_total_size_mb: 3, max_take_mb: 0{more}}}\n",
        encoding="utf-8",
    )


def turns(project: Path, count: int) -> None:
    """Let an agent have turns that write 1 MB of random data each."""
    manager = CheckpointManager.from_config(session_id="s1")
    for _ in range(count):
        manager.new_turn()
        manager.ensure_checkpoint(str(project), "before write_file")
        (project / "data.bin").write_bytes(os.urandom(MB))
        manager.end_turn()


def journal(home: Path) -> list[dict[str, Any]]:
    """Return what the journal has of prunes for the cap."""
    with closing(sqlite3.connect(home / "checkpoints" / "catalog.db")) as catalog, catalog:
        catalog.row_factory = sqlite3.Row
        query = "SELECT * FROM operations WHERE kind = 'prune' AND message LIKE '%over its cap%'"
        rows = catalog.execute(query).fetchall()
    return [dict(row) for row in rows]


def store_bytes(home: Path) -> int:
    return directory_bytes(Layout.of(home).store)


@pytest.mark.slow
def test_eight_turns_of_a_megabyte_end_below_a_cap_of_three(home: Path, project: Path) -> None:
    configure(home)
    turns(project, 8)
    assert wait_for_detached() >= 1
    assert store_bytes(home) <= CAP
    entries = journal(home)
    assert entries
    assert {entry["outcome"] for entry in entries} == {"done"}
    assert os.getpid() not in {entry["pid"] for entry in entries}
    with Checkpoints.open(home) as checkpoints:
        status, left = checkpoints.status(), checkpoints.project(project).list()
        assert [note for note in status.notes if "over its cap" in note] == [entries[-1]["message"]]
        assert 1 <= len(left) <= 3
        newest = checkpoints.project(project).plan_restore(left[0], mode="exact")
        assert [step.path for step in newest.steps] == ["data.bin"]
    notice = footprint_notice()
    assert notice == f"Checkpoints, {entries[-1]['message']}."
    assert "dropped, " in notice
    assert footprint_notice() is None, "it is told once"


@pytest.mark.campaign
def test_the_turn_waits_for_nothing_and_hands_nothing_on(home: Path, project: Path) -> None:
    configure(home)
    reading, writing = os.pipe()
    os.set_inheritable(writing, True)
    with exclusive(Layout.of(home).prune_lock, purpose="a test", timeout=0):
        turns(project, 5)  # returns, though no prune can run
        os.close(writing)
        assert os.read(reading, 1) == b"", "the process has our descriptor"
        assert store_bytes(home) > CAP
    os.close(reading)
    assert wait_for_detached() >= 1
    assert store_bytes(home) <= CAP


@pytest.mark.campaign(beyond=1)
@pytest.mark.slow
@pytest.mark.parametrize("more", [", auto_prune: false", ", max_total_size_mb: 0"])
def test_it_can_be_switched_off(home: Path, project: Path, more: str) -> None:
    configure(home, more)
    turns(project, 5)
    assert wait_for_detached() == 0
    assert store_bytes(home) > CAP
    assert main(["take", str(project)]) == 0
    assert wait_for_detached() == 0


@pytest.mark.campaign
def test_at_most_one_at_a_time(home: Path, project: Path) -> None:
    configure(home, ", auto_prune: false")
    turns(project, 5)
    config = Config(max_total_size_mb=3)
    with Checkpoints.open(home, config=config) as checkpoints:
        with exclusive(Layout.of(home).cap_lock, purpose="a test", timeout=0):
            assert not checkpoints.hold_cap(), "one runs"
        base = checkpoints._base
        cap.note_start(base)
        assert not checkpoints.hold_cap(), "one is about to run"
        base.catalog.settings.set(
            cap.STARTED, (base.now() - timedelta(hours=1)).isoformat(), base.now()
        )
        assert checkpoints.hold_cap(), "that one never came to run"
        assert not checkpoints.hold_cap()
        assert wait_for_detached() == 1
        assert store_bytes(home) <= CAP
        assert not checkpoints.hold_cap(), "nothing has been added"


@pytest.mark.campaign
def test_what_cannot_be_reached_is_tried_once_until_something_is_added(
    home: Path, project: Path
) -> None:
    configure(home)
    (project / "data.bin").write_bytes(os.urandom(4 * MB))
    with Checkpoints.open(home) as checkpoints:
        here = checkpoints.project(project)
        first = here.take(kind=Kind.AUTO)
        assert here.end_turn()
        assert isinstance(first, Taken)
        assert wait_for_detached() == 1
        (entry,) = journal(home)
        assert entry["outcome"] == "partial"
        assert entry["message"].endswith("; what is left is protected")
        here.take(kind=Kind.AUTO)
        assert here.end_turn()
        assert wait_for_detached() == 0, "nothing was added"
        (project / "data.bin").write_bytes(b"small")
        here.take(kind=Kind.AUTO)
        assert here.end_turn()
        assert wait_for_detached() == 1
        assert [one.reason for one in here.list()] == ["manual"]
    assert store_bytes(home) <= CAP


@pytest.mark.campaign
def test_a_cap_that_cannot_be_reached_costs_no_gc_and_no_checkpoint_at_each_turn(
    home: Path, project: Path
) -> None:
    configure(home)
    (project / "data.bin").write_bytes(os.urandom(4 * MB))
    with Checkpoints.open(home) as checkpoints:
        here = checkpoints.project(project)
        for number in range(3):
            (project / "small.txt").write_text(str(number), encoding="utf-8")
            here.take(f"turn {number}", kind=Kind.AUTO)
            assert here.end_turn()
            assert wait_for_detached() == 1
        assert len(journal(home)) == 1
        assert [one.reason for one in here.list()] == ["turn 2", "turn 1", "turn 0"]


@pytest.mark.campaign
def test_a_person_who_takes_over_the_cap_is_told(run: Run, home: Path, project: Path) -> None:
    configure(home)
    for number in (1, 2, 3):
        (project / "data.bin").write_bytes(os.urandom(MB))
        said = [line for line in run("take", project).lines if "over its size cap" in line]
        assert len(said) == (1 if number == 3 else 0)
    assert wait_for_detached() == 1
    assert store_bytes(home) <= CAP
    assert any("dropped, " in line for line in run("status").lines)


@pytest.mark.slow
def test_a_failure_is_told(home: Path, project: Path) -> None:
    configure(home, ", auto_prune: false")
    turns(project, 5)
    config = dumped(Config(max_total_size_mb=3))
    environment = {**os.environ, "PATH": "/nowhere"}  # no git
    words = [sys.executable, "-P", "-m", MODULE, str(home / "checkpoints"), config]
    subprocess.run(words, env=environment, check=True, capture_output=True)
    (entry,) = journal(home)
    assert (entry["outcome"], entry["code"]) == ("failed", "git-missing")
    assert "git was not found" in entry["message"]
    with Checkpoints.open(home) as checkpoints:
        notes = checkpoints.status().notes
        assert entry["message"] in notes


def test_the_configuration_in_force_goes_along() -> None:
    config = Config(max_total_size_mb=7, keep_daily=3, exclude=("*.log",), warnings=("a", "b"))
    assert loaded(dumped(config)) == config
