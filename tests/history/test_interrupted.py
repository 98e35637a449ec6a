"""However often an import is killed, and however many processes begin it, it is done once."""

from __future__ import annotations

import shutil
import signal
from pathlib import Path

import pytest

from catalog.records import integrity_problems
from hermes_checkpoints import Checkpoints, CheckpointStore
from history.old_bases import OldCommit, all_commits, assert_imported, records, states
from interpreters import Interpreter, run, start
from support import deadly_git, dying_at_the_ref

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
def rename(source, target, **where):
    if sys.argv[2] == "after":
        real(source, target, **where)
    os.kill(os.getpid(), signal.SIGKILL)
os.rename = rename
Checkpoints.open(sys.argv[1])
"""


def begin(home: Path, kill_at: int) -> Interpreter:
    process = start(OPEN, home, kill_at)
    assert process.stdout.readline() == "ready\n"
    return process


def finish(process: Interpreter) -> tuple[int, str]:
    ended = process.finish()
    assert ended.returncode in (0, -signal.SIGKILL), ended.stderr
    return ended.returncode, ended.stdout.strip()


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
        found = records(checkpoints)
        assert len({record.path for record in found}) == len(found) == 6
        assert all((base / record.path).exists() for record in found)
        assert [*base.glob("legacy-*/563eb325a54562c9/HERMES_WORKDIR")]
        checked = integrity_problems(checkpoints._base.catalog.path)
        assert checked == []
    with CheckpointStore(home / "checkpoints") as store:
        assert len(store.list_sessions()) == 2
        assert store.version("finished-session") == 1


@pytest.mark.slow
def test_an_import_that_is_killed_at_every_step_is_completed(v2_home: Path) -> None:
    commits = small(v2_home)
    killed = 0
    for attempt in range(60):
        code, _ = finish(begin(v2_home, 2 + 3 * attempt % 8))
        if code == 0:
            break
        killed += 1
    assert killed >= 5
    assert_complete(v2_home, commits)


@pytest.mark.campaign
def test_eight_processes_open_an_old_base_and_one_is_killed(v2_home: Path) -> None:
    commits = small(v2_home)
    processes = [begin(v2_home, 6 if number == 0 else 0) for number in range(PROCESSES)]
    for process in processes:
        process.stdin.close()
    counts = [finish(process)[1] for process in processes]
    assert all(count in ("", str(len(commits))) for count in counts), counts
    assert counts.count("") <= 1
    assert_complete(v2_home, commits)
    with Checkpoints.open(v2_home) as checkpoints:
        assert len(list(v2_home.glob("checkpoints/legacy-*"))) == 2
        ids = [c.id for c in checkpoints._base.catalog.checkpoints.live()]
        assert len(ids) == len(set(ids)) == len(commits)


@pytest.mark.campaign
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_kill_around_a_move_loses_nothing(v2_home: Path, when: str) -> None:
    commits = small(v2_home)
    for _ in range(2):
        assert run(MOVE, v2_home, when).returncode == -signal.SIGKILL
    assert_complete(v2_home, commits)


@pytest.mark.campaign
def test_a_kill_after_the_import_loses_nothing(v2_home: Path, tmp_path: Path) -> None:
    commits = small(v2_home)
    environment = deadly_git(tmp_path / "bin", "fast-import", after=True)
    child = run(OPEN, v2_home, 0, env=environment)
    assert child.returncode == -signal.SIGKILL
    assert_complete(v2_home, commits)


@pytest.mark.campaign
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_a_kill_as_a_ref_of_the_former_program_goes_loses_nothing(
    v2_home: Path, after: bool
) -> None:
    commits = small(v2_home)
    dying = dying_at_the_ref(after=after, goes=True, place="/refs/hermes/")
    assert run(dying + OPEN, v2_home, 0).returncode == -signal.SIGKILL
    assert_complete(v2_home, commits)
