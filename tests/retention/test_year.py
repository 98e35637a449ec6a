"""After a long history a catalog is small, and every reading verb costs what it costs on a fresh
one with the same live checkpoints: counted in steps of SQLite's machine, not in seconds."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from catalog.test_plans import year
from hermes_checkpoints import Checkpoints
from hermes_checkpoints.catalog import sqlite as connections
from hermes_checkpoints.cli import main
from hermes_checkpoints.model import Kind
from retention.histories import AT_ONCE

pytestmark = pytest.mark.campaign

TURNS = 1_500
PER_TURN = 290
"""How many bytes of the catalog a turn may leave, so that 73,000 leave 20 MB."""

EMPTY = 500_000
JOURNAL = 3_000_000
"""What the journal takes at most, which is full after some thousand turns."""


class Steps:
    """Counts the steps of all connections that are opened from now on."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.count = 0
        real = connections.connect

        def connect(*arguments: Any, **options: Any) -> sqlite3.Connection:
            connection = real(*arguments, **options)
            connection.set_progress_handler(self._note, 10)
            return connection

        patch.setattr(connections, "connect", connect)

    def _note(self) -> None:
        self.count += 10


def live(home: Path, project: Path, turns: int) -> int:
    """Let a project live for so many turns, then take twenty real checkpoints and prune; return the
    size of the catalog."""
    lived = year()
    vars(lived)["FILES"] = 2  # what it holds shall be what a fresh one holds
    project.mkdir(parents=True)
    with Checkpoints.open(home) as checkpoints:
        own = checkpoints.project(project)
        catalog = checkpoints._base.catalog
        target = own._target
        if turns:
            record = catalog.projects.ensure(
                target.hash, target.name, lived.START, identity=None, parent=None
            )
            lived.live_through(catalog, record, turns, 200, 20)
            left = [c._row for c in catalog.checkpoints.list(target.hash)]
            catalog.checkpoints.mark_pruning(dict.fromkeys(left, "x"), lived.START)
            catalog.checkpoints.mark_pruned(left)
        for number in range(20):
            (project / "notes.txt").write_text(f"{number}\n")
            own.take(kind=Kind.AUTO, session_id="s1", turn=number)
            own.end_turn(session_id="s1")
        checkpoints.sessions.write("s1", {"task": "port the parser"})
        checkpoints.prune(options=AT_ONCE)
        return catalog.bytes


VERBS = {
    "status": ("status",),
    "log": ("log",),
    "du": ("du",),
    "restore": ("restore", "15", "--dry-run"),
    "clear": ("clear", "-f"),
}


def test_a_long_history_costs_no_more_than_a_fresh_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    homes = {"fresh": 0, "old": TURNS}
    sizes = {
        name: live(tmp_path / name / "home", tmp_path / name / "project", turns)
        for name, turns in homes.items()
    }
    assert sizes["fresh"] < EMPTY
    assert sizes["old"] < EMPTY + min(JOURNAL, TURNS * 2 * 330) + TURNS * PER_TURN
    steps = Steps(monkeypatch)
    found: dict[str, dict[str, int]] = {}
    for name in homes:
        monkeypatch.chdir(tmp_path / name / "project")
        found[name] = {}
        for verb, words in VERBS.items():
            steps.count = 0
            assert main(["--home", str(tmp_path / name / "home"), *words]) == 0
            found[name][verb] = steps.count
    capsys.readouterr()
    for verb, fresh in found["fresh"].items():
        most = 2 * fresh + 1_000
        if verb == "clear":  # each page is given back to the disk, in a few steps
            most += 10 * sizes["old"] // 4_096
        assert found["old"][verb] <= most, (verb, found)
