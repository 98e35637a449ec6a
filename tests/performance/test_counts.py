"""How much each operation costs in what does not depend on the machine: git processes, write
transactions, executed statements of SQL, and waits for the disk. Each number is the most that is
allowed; whoever lowers one writes it into ``MOST``."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from conftest import GitProcesses, Statements
from performance.operations import MARK, operations


@dataclass
class Counts:
    """``git``: processes. ``writes``: transactions that took the write lock and were committed.
    ``statements``: executions, each row of a bulk insert being one, without those of triggers.
    ``syncs``: calls of fsync, fdatasync and their like, by all processes."""

    git: int
    writes: int
    statements: int
    syncs: int


MOST = {
    "first take": Counts(git=7, writes=5, statements=210, syncs=22),
    "unchanged take": Counts(git=2, writes=1, statements=19, syncs=4),
    "take of one file": Counts(git=5, writes=2, statements=41, syncs=10),
    "end of a turn": Counts(git=6, writes=1, statements=28, syncs=6),
    "list": Counts(git=0, writes=0, statements=3, syncs=0),
    "status": Counts(git=0, writes=1, statements=16, syncs=3),
    "diff": Counts(git=5, writes=0, statements=3, syncs=0),
    "restore of one file": Counts(git=6, writes=4, statements=58, syncs=9),
    "undo": Counts(git=8, writes=3, statements=59, syncs=5),
}


def test_processes_transactions_and_statements_are_at_most_so_many(
    fresh_home: Path, project: Path, git_processes: GitProcesses, statements: Statements
) -> None:
    found: dict[str, tuple[int, int, int]] = {}
    told: list[str] = []
    for name, operation in operations(fresh_home, project):
        git_processes.reset()
        statements.reset()
        operation()
        counts = (git_processes.count(), statements.writes, len(statements.executed))
        found[name] = counts
        most = MOST[name]
        bounds = (most.git, most.writes, most.statements)
        if any(count > bound for count, bound in zip(counts, bounds, strict=True)):
            commands = [" ".join(one) for one in git_processes.commands()]
            told += [f"{name}: {counts} are more than {most}", *commands, *statements.executed]
    assert found.keys() == MOST.keys()
    assert found["take of one file"][1] > 0, "nothing was counted"
    assert not told, "\n".join([str(found), *told])


def _strace() -> str | None:
    """Return strace, where processes may be traced."""
    program = shutil.which("strace")
    if program is None:
        return None
    command = [program, "-f", "-e", "trace=none", "true"]
    tried = subprocess.run(command, check=False, capture_output=True)
    return None if tried.returncode else program


@pytest.mark.campaign
def test_waits_for_the_disk_are_at_most_so_many(
    fresh_home: Path, project: Path, tmp_path: Path
) -> None:
    strace = _strace()
    if strace is None:
        pytest.skip("no strace here, or it may not trace")
    log = tmp_path / "calls"
    calls = "trace=fsync,fdatasync,sync,syncfs,sync_file_range,rmdir,unlinkat"
    script = Path(__file__).parent / "operations.py"
    program = [sys.executable, *map(str, (script, fresh_home, project))]
    traced = [strace, "-f", "-qq", "-o", str(log), "-e", calls, "-s", "200", *program]
    subprocess.run(traced, check=True, capture_output=True)
    found: dict[str, int] = {}
    current: str | None = None
    for line in log.read_text(encoding="utf-8", errors="replace").splitlines():
        mark = re.search(f'"{re.escape(MARK)}([^"]+)"', line)
        if mark:
            current = None if current else mark[1]
            found.setdefault(mark[1], 0)
        elif current and re.search(r"\b(fsync|fdatasync|sync|syncfs|sync_file_range)\(", line):
            found[current] += 1
    assert found.keys() == MOST.keys()
    assert found["first take"] > 0, "nothing was counted"
    over = {name: count for name, count in found.items() if count > MOST[name].syncs}
    assert not over, f"{over} are too many; all: {found}"
