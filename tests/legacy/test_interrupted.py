"""However often an import is killed, and however many processes begin it, it is done once."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from hermes_checkpoints import Checkpoints, CheckpointStore
from legacy.old_bases import OldCommit, all_commits, assert_imported, states

PROCESSES = 8

# Kills itself when it is told of the step with the number that is its second argument; reports
# first that it is ready, and waits for its input to close, so that several start at once.
OPEN = """
import os, signal, sys
from hermes_checkpoints import Checkpoints
class Deadly:
    left = int(sys.argv[2])
    def begin(self, records): pass
    def step(self, record, what):
        self.left -= 1
        if not self.left:
            os.kill(os.getpid(), signal.SIGKILL)
    done = lambda self, record: self.step(record, "done")
    def end(self): pass
print("ready", flush=True)
sys.stdin.read()
with Checkpoints.open(sys.argv[1], reporter=Deadly()) as checkpoints:
    print(checkpoints.status().checkpoint_count)
"""

# Kills itself just after, or just before, it has moved something aside.
MOVE = """
import os, signal, sys
from hermes_checkpoints import Checkpoints
real = os.rename
def rename(source, target):
    if sys.argv[2] == "after":
        real(source, target)
    os.kill(os.getpid(), signal.SIGKILL)
os.rename = rename
Checkpoints.open(sys.argv[1])
"""


def start(home: Path, kill_at: int) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-W", "error", "-c", OPEN, str(home), str(kill_at)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def finish(process: subprocess.Popen[str]) -> str:
    out, err = process.communicate(timeout=120)
    assert process.returncode in (0, -signal.SIGKILL), err
    return out.strip()


def small(home: Path) -> list[OldCommit]:
    """Leave of a base of version 2 its store, one repository of version 1, and the sessions."""
    base = home / "checkpoints"
    for repository in base.glob("legacy-*/????????????????"):
        if repository.name not in ("563eb325a54562c9", "00d0a0d0a0d0a0d0"):
            shutil.rmtree(repository)
    repository = next(base.glob("legacy-*/563eb325a54562c9"))
    repository.rename(base / repository.name)
    return all_commits(home)


def assert_complete(home: Path, commits: list[OldCommit]) -> None:
    with Checkpoints.open(home) as checkpoints:
        assert_imported(checkpoints, commits)
        assert set(states(checkpoints).values()) == {"archived"}
        base = home / "checkpoints"
        records = checkpoints.legacy_records()
        assert len({record.path for record in records}) == len(records) == 6
        assert all((base / record.path).exists() for record in records)
        assert next(base.glob("legacy-*/563eb325a54562c9/HERMES_WORKDIR"))
        checked = checkpoints._base.catalog.integrity_problems()
        assert checked == []
    with CheckpointStore(home / "checkpoints") as store:
        assert len(store.list_sessions()) == 2
        assert store.version("finished-session") == 1


@pytest.mark.slow
def test_an_import_that_is_killed_at_every_step_is_completed(v2_home: Path) -> None:
    commits = small(v2_home)
    killed = 0
    for attempt in range(60):
        process = start(v2_home, 2 + 3 * attempt % 8)
        finish(process)
        if process.returncode == 0:
            break
        killed += 1
    assert killed >= 5
    assert_complete(v2_home, commits)


@pytest.mark.slow
def test_eight_processes_open_an_old_base_and_one_is_killed(v2_home: Path) -> None:
    commits = small(v2_home)
    processes = [start(v2_home, 6 if number == 0 else 0) for number in range(PROCESSES)]
    for process in processes:
        assert process.stdin is not None
        process.stdin.close()
        process.stdin = None
    counts = [finish(process) for process in processes]
    assert all(count in ("", str(len(commits))) for count in counts), counts
    assert counts.count("") <= 1
    assert_complete(v2_home, commits)
    with Checkpoints.open(v2_home) as checkpoints:
        assert len(list(v2_home.glob("checkpoints/legacy-*"))) == 2
        ids = [c.commit_id for c in checkpoints._base.catalog.checkpoints.live()]
        assert len(ids) == len(set(ids)) == len(commits)


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_kill_around_a_move_loses_nothing(v2_home: Path, when: str) -> None:
    commits = small(v2_home)
    for _ in range(2):
        child = subprocess.run([sys.executable, "-c", MOVE, v2_home, when], check=False)
        assert child.returncode == -signal.SIGKILL
    assert_complete(v2_home, commits)


@pytest.mark.parametrize(
    ("command", "when"),
    [("fast-import", "after"), ("update-ref", "before"), ("update-ref", "after")],
)
def test_a_kill_around_git_loses_nothing(
    v2_home: Path, tmp_path: Path, command: str, when: str
) -> None:
    commits = small(v2_home)
    real = shutil.which("git")
    shim = tmp_path / "bin" / "git"
    shim.parent.mkdir()
    run = f'"{real}" "$@"'
    act = f"{run}; kill -9 $PPID; exit 1" if when == "after" else "kill -9 $PPID; exit 1"
    shim.write_text(f'#!/bin/sh\n[ "$1" = {command} ] && {{ {act}; }}\nexec {run}\n')
    shim.chmod(0o755)
    path = f"{shim.parent}{os.pathsep}{os.environ['PATH']}"
    child = subprocess.run(
        [sys.executable, "-c", OPEN, v2_home, "0"],
        env={**os.environ, "PATH": path},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        check=False,
    )
    assert child.returncode == -signal.SIGKILL
    assert_complete(v2_home, commits)
