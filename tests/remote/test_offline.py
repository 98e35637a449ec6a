"""Without a network, and without a remote: nothing leaves, and nothing that takes or ends a turn
does more because of it."""

from __future__ import annotations

import operator
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from catalog.records import shell
from conftest import GitProcesses, Statements
from hermes_checkpoints import CheckpointManager, Checkpoints
from hermes_checkpoints.fs.locks import exclusive
from hermes_checkpoints.layout import Layout
from remote.conftest import Configure
from remote.servers import refs_of
from support import wait_for_detached

AWAY = "ssh://127.0.0.1:1/undo.git"
"""A server that nobody is at."""


class Counts(NamedTuple):
    """What an operation costs that does not depend on how busy the machine is."""

    processes: int
    statements: int
    syncs: int


@pytest.fixture
def syncs(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """What this process has waited for the disk for; its git processes do what they are told."""
    found: list[str] = []

    def noting(name: str, real: Callable[[int], None]) -> Callable[[int], None]:
        def note(descriptor: int) -> None:
            found.append(name)
            real(descriptor)

        return note

    for name in ("fsync", "fdatasync"):
        monkeypatch.setattr(os, name, noting(name, getattr(os, name)))
    return iter([found])


@pytest.mark.parametrize("takes", [3, pytest.param(19, marks=pytest.mark.campaign)])
def test_without_a_network_a_take_costs_no_more_and_all_is_sent_once_there_is_one(
    home: Path,
    project: Path,
    undo: Path,
    configure: Configure,
    git_processes: GitProcesses,
    statements: Statements,
    syncs: Iterator[list[str]],
    tmp_path: Path,
    takes: int,
) -> None:
    [waits] = syncs

    def turns(home: Path, project: Path) -> list[Counts]:
        """Let an agent have some turns, each with a checkpoint of one changed file; return what
        those have cost."""
        file, found = project / "README.md", []
        manager = CheckpointManager(True, home=home, session_id="counted")
        for number in range(1, takes + 1):
            file.write_text(f"before turn {number}\n", encoding="utf-8")
            git_processes.reset()
            statements.reset()
            waits.clear()
            assert manager.ensure_checkpoint(str(project), "before write_file")
            found.append(Counts(git_processes.count(), len(statements.executed), len(waits)))
            file.write_text(f"changed in turn {number}\n", encoding="utf-8")
            manager.end_turn()
            manager.new_turn()
        return found

    without = shutil.copytree(home, tmp_path / "without")
    usual = turns(without, Path(shutil.copytree(project, tmp_path / "elsewhere")))
    assert min(usual[-1][:2]) > 0
    configure(AWAY, push="turn", min_interval_seconds=0)
    with exclusive(Layout.of(home).sending_lock, purpose="a test", timeout=0):
        found = turns(home, project)
    assert [a for a, b in zip(found, usual, strict=True) if any(map(operator.gt, a, b))] == []
    manager = CheckpointManager(True, home=home, session_id="counted")
    assert manager.ensure_checkpoint(str(project), "before write_file")
    manager.end_turn()  # after which a process is started, to which nobody answers
    wait_for_detached()
    query = "SELECT DISTINCT code FROM operations WHERE kind = 'push'"
    assert shell(home / "checkpoints/catalog.db", query) == [{"code": "remote-unreachable"}]
    with Checkpoints.open() as opened:
        [_, *taken] = opened.project(project).list()
        assert len(taken) == takes
        for number, one in zip(range(takes, 0, -1), taken, strict=True):
            text = opened.project(project).read_file(one.id, "README.md")
            assert text == f"before turn {number}\n".encode()
        opened.project(project).restore(taken[-1].id, "README.md")
        assert (project / "README.md").read_text() == "before turn 1\n"
        configure(undo, push="turn")
        [result] = opened.push()
    assert len(result.sent) >= takes + 1
    assert {one.id for one in taken} <= {one.id for one in result.sent} <= {*refs_of(undo).values()}


# --- nothing leaves by default --------------------------------------------------------------------

NETWORK = {
    *("push", "fetch", "pull", "clone", "ls-remote", "remote", "submodule", "bundle", "archive"),
    *("fetch-pack", "send-pack", "http-fetch", "http-push", "upload-pack", "receive-pack"),
}
"""The commands of git that talk to another repository, or may."""
_USES = """
import sys
from hermes_checkpoints import CheckpointManager, Checkpoints
home, project = sys.argv[1:]
manager = CheckpointManager(True, home=home, session_id="alone")
assert manager.ensure_checkpoint(project, "before write_file")
open(f"{project}/README.md", "w").write("changed")
manager.end_turn()
manager.end_session()
with Checkpoints.open(home) as opened:
    last = opened.project(project).list()[0]
    opened.project(project).restore(last.id)
    opened.project(project).undo()
    opened.prune()
    opened.status()
"""


@pytest.mark.slow
def test_without_a_remote_no_git_talks_to_another_repository_and_nothing_is_connected(
    home: Path, project: Path, tmp_path: Path, git_processes: GitProcesses
) -> None:
    """What is connected is seen where processes can be traced."""
    log = tmp_path / "connects"
    strace = shutil.which("strace")
    wanted = ["-e", "trace=connect,sendto", "-o", str(log)]
    tracing = [strace or "", "-f", "--seccomp-bpf", "-qq", *wanted]
    if strace is None or subprocess.run([*tracing, "true"], check=False).returncode:
        tracing = []
    command = [*tracing, sys.executable, "-c", _USES, str(home), str(project)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    commands = {words[0] for words in git_processes.commands()}
    assert "cat-file" in commands, "nothing was noted"
    assert not NETWORK & commands
    if tracing:
        found = log.read_text(encoding="utf-8", errors="replace")
        assert not re.findall(r".*AF_INET6?\b.*", found)
