"""A base with a history in which every question of docs/sql.md has an answer.

All of it is done by the program: takes, turns, restores, failures and prunes of real directories.
Only time is moved, in the rows, so that some of it was days ago.
"""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import subprocess
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from catalog.sent import OTHER, OWN, THIRD, pushed, remote_checkpoint, send, sent_by
from hermes_checkpoints import Checkpoint, Checkpoints, Failed, Taken
from hermes_checkpoints.model import PushState, RefusedPath

SETTINGS = """
checkpoints:
  max_snapshots: 4
  retention_days: 30
  max_file_size_mb: 1
"""


@dataclass
class Told:
    """The base, its working directories by name, and its checkpoints by the reason of each."""

    home: Path
    folder: Path
    taken: dict[str, Checkpoint] = field(default_factory=dict)

    @property
    def catalog(self) -> Path:
        return self.home / "checkpoints" / "catalog.db"

    def dir(self, name: str) -> str:
        return str(self.folder / name)

    def short(self, reason: str) -> str:
        return self.taken[reason].short_id


def tell(home: Path, folder: Path) -> Told:
    """Make the base in ``home``, of projects in ``folder``."""
    told = Told(home, folder)
    home.mkdir(parents=True)
    (home / "config.yaml").write_text(SETTINGS)
    noise = random.Random(7)  # noqa: S311
    shared = noise.randbytes(60_000)
    for name in ("alpha", "beta", "gone", "stale", "broken"):
        (folder / name).mkdir(parents=True)
        (folder / name / "notes.txt").write_text(f"{name}, as it was\n")
    alpha, beta = folder / "alpha", folder / "beta"
    with Checkpoints.open(home) as checkpoints:

        def take(name: str, reason: str, **options: object) -> None:
            outcome = checkpoints.project(folder / name).take(reason, **options)  # type: ignore[arg-type]
            assert isinstance(outcome, Taken), outcome
            told.taken[reason] = outcome.checkpoint

        _alpha_grows(alpha, shared, noise, take)
        _agents_work(checkpoints, alpha)
        take("alpha", "after the agent")
        _restores(checkpoints, alpha, told)

        (beta / "shared.bin").write_bytes(shared)
        (beta / "large.bin").write_bytes(bytes(1_100_000))
        os.mkfifo(beta / "pipe")
        take("beta", "first of beta")
        checkpoints.project(beta).pin("latest")
        for name in ("gone", "stale"):
            take(name, f"first of {name}")
        (folder / "stale/notes.txt").write_text("more\n")
        take("stale", "second of stale")
        failed = checkpoints.project(folder / "broken").take(turn=-1)
        assert isinstance(failed, Failed)
        checkpoints.project(beta).begin_turn(session_id="s2", turn=3, owner=os.getpid())

        _remote_knows(checkpoints, told)
        shutil.rmtree(folder / "gone")
        checkpoints.status()
    _move_time(told)
    return told


def _alpha_grows(alpha: Path, shared: bytes, noise: random.Random, take: object) -> None:
    assert callable(take)
    (alpha / "src").mkdir()
    (alpha / "src/app.py").write_text("one\n")
    (alpha / "shared.bin").write_bytes(shared)
    take("alpha", "clean", label="good")
    for number in range(5):
        (alpha / "src/app.py").write_text(f"edit {number}\n")
        if number == 3:
            (alpha / "draft.bin").write_bytes(noise.randbytes(90_000))
        if number == 4:
            (alpha / "draft.bin").unlink()
        take("alpha", f"edit {number}")


def _agents_work(checkpoints: Checkpoints, alpha: Path) -> None:
    project = checkpoints.project(alpha)
    project.begin_turn(session_id="s1", turn=1)
    for _ in range(2):
        with (alpha / "src/app.py").open("a") as file:
            file.write("by the agent\n")
        project.record_agent_write("src/app.py", session_id="s1", turn=1, tool="write_file")
    (alpha / "made.txt").write_text("by the agent\n")
    project.record_agent_write("made.txt", session_id="s1", turn=1, tool="patch")
    project.end_turn(session_id="s1")
    with subprocess.Popen(["sleep", "100"]) as agent:
        project.begin_turn(session_id="s3", turn=1, owner=agent.pid)
        agent.kill()
    (alpha / "whose.txt").write_text("after the agent was killed, by whom?\n")


def _restores(checkpoints: Checkpoints, alpha: Path, told: Told) -> None:
    project = checkpoints.project(alpha)
    (alpha / "notes.txt").write_text("oops\n")
    project.restore(told.taken["edit 4"].id, mode="exact")
    project.undo()


def _remote_knows(checkpoints: Checkpoints, told: Told) -> None:
    """Record what a push to a remote and a pull from it would."""
    sent, refused, waiting = (told.taken[one] for one in ("edit 4", "first of beta", "edit 3"))
    key = RefusedPath("large.bin", "a private key")
    now = datetime.now(UTC)
    send(
        checkpoints._base.catalog,
        pushed(sent, PushState.SENT),
        pushed(refused, PushState.REFUSED, reason="it looks like a secret", paths=(key,)),
        pushed(waiting, PushState.WAITING, reason="the disk is full"),
        found=[
            remote_checkpoint(OTHER, 1, created_at=now - timedelta(days=45)),
            remote_checkpoint(OTHER, 2, created_at=now - timedelta(days=41)),
            remote_checkpoint(THIRD, 3, created_at=now - timedelta(days=1)),
            sent_by(OWN, sent),
        ],
    )


def _move_time(told: Told) -> None:
    """Let the first checkpoint of alpha be of 40 days ago, all of ``stale`` of 50, and the failure
    of a directory of two."""
    changes: Mapping[str, tuple[object, ...]] = {
        "UPDATE checkpoints SET created_at = datetime('now', '-40 days') || '.000000'"
        " WHERE commit_id = ?": (told.taken["clean"].id,),
        "UPDATE projects SET last_touch = datetime('now', '-50 days') || '.000000'"
        " WHERE workdir = ?": (told.dir("stale"),),
        "UPDATE operations SET started_at = datetime('now', '-50 days') || '.000000',"
        " finished_at = datetime('now', '-50 days') || '.000000' WHERE workdir = ?": (
            told.dir("stale"),
        ),
    }
    with closing(sqlite3.connect(told.catalog)) as connection, connection:
        for statement, values in changes.items():
            connection.execute(statement, values)
