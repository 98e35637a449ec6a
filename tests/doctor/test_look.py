"""A look finds nothing at fault in a sound base, changes nothing, and costs a fixed number of
processes."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from conftest import GitProcesses
from damages import catalog_of, make_loose, make_packed, sql
from doctor.bases import KEEP_ALL
from hermes_checkpoints import Checkpoints, examine, repair
from hermes_checkpoints.doctor.look import CHECKS, OUTSIDE
from hermes_checkpoints.fs.locks import exclusive
from hermes_checkpoints.layout import Layout, project_hash
from hermes_checkpoints.model import Policy
from history.old_bases import extracted
from retention.histories import AT_ONCE, History
from support import Run


@pytest.fixture
def base(made: Path, fresh_home: Path) -> Path:
    """A home with a copy of the base."""
    shutil.copytree(made / "home", fresh_home, symlinks=True)
    return fresh_home


def state(folder: Path) -> dict[str, tuple[int, int, int, bytes]]:
    """Return mode, inode, time in nanoseconds and contents of all below a folder."""
    found = {}
    for path in [folder, *sorted(folder.rglob("*"))]:
        info = path.lstat()
        contents = path.read_bytes() if path.is_file() else b""
        found[str(path)] = (info.st_mode, info.st_ino, info.st_mtime_ns, contents)
    return found


@pytest.mark.campaign(beyond=1)
@pytest.mark.slow
@pytest.mark.parametrize("deep", [False, True], ids=["plain", "deep"])
@pytest.mark.parametrize("form", [make_loose, make_packed])
def test_a_sound_base_has_no_faults(base: Path, form: object, deep: bool) -> None:
    assert callable(form)
    form(base)
    found = examine(base, deep=deep)
    assert found.sound, found
    assert found.looked == tuple(name for name, _ in (*CHECKS, *OUTSIDE))


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("in_use", [False, True], ids=["closed", "open elsewhere"])
def test_a_look_changes_nothing(base: Path, in_use: bool) -> None:
    with Checkpoints.open(base, config=KEEP_ALL) as checkpoints:
        if not in_use:
            checkpoints.close()
        before = state(base)
        examine(base, deep=True)
        assert state(base) == before


@pytest.mark.campaign
def test_a_look_at_a_damaged_base_changes_nothing(base: Path) -> None:
    sql(base, "DROP VIEW store_totals", "UPDATE checkpoints SET ref_name = ref_name || 'x'")
    for name in ("HEAD", "config", "packed-refs"):
        (base / "checkpoints" / "store" / name).write_bytes(b"\0\0garbage")
    shutil.rmtree(base / "checkpoints" / "locks")
    before = state(base)
    assert examine(base).faults
    assert state(base) == before


@pytest.mark.campaign
def test_a_repair_of_a_sound_base_changes_nothing(base: Path) -> None:
    Checkpoints.open(base, config=KEEP_ALL).close()
    before = state(base)
    done = repair(base)
    assert done.done == ()
    assert done.left.sound
    assert state(base) == before


@pytest.mark.campaign
def test_a_look_costs_the_same_number_of_processes_however_many_there_are(
    history: History, git_processes: GitProcesses
) -> None:
    history.takes(history.project(), 2)
    git_processes.reset()
    assert examine(history.home, deep=True).sound
    few = git_processes.count()
    for name in ("beta", "gamma"):
        history.takes(history.project(name), 6)
    git_processes.reset()
    assert examine(history.home, deep=True).sound
    assert git_processes.count() == few <= 6


def test_where_there_is_no_base_a_look_says_so_and_makes_none(fresh_home: Path) -> None:
    found = examine(fresh_home)
    assert found.sound
    assert [one.kind for one in found.findings] == ["no-base"]
    assert not fresh_home.exists()
    assert repair(fresh_home).done == ()
    assert not fresh_home.exists()


def test_without_git_a_look_says_what_it_could_not_look_at(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    found = examine(base)
    assert not found.sound
    assert "git was not found on PATH" in found.not_looked["checkpoints"]
    assert "catalog" in found.looked


@pytest.mark.campaign
def test_a_look_beside_a_take_that_has_not_ended_finds_no_fault(history: History) -> None:
    project = history.project()
    history.takes(project, 2)
    layout = Layout.of(history.home)
    ref = f"refs/checkpoints/{history.checkpoints.project(project).list()[0].project_hash}/taking"
    newest = history.git("rev-parse", history.checkpoints.project(project).list()[0].id).strip()
    tree = history.git("rev-parse", f"{newest}^{{tree}}").strip()
    other = history.git(
        "-c", "user.name=a", "-c", "user.email=a", "commit-tree", "-m", "x", tree
    ).strip()
    history.git("update-ref", ref, other)
    detail = json.dumps({"ref": ref})
    insert = "INSERT INTO operations (kind, outcome, started_at, workdir, detail) VALUES"
    values = f"'take', 'running', '2026-11-28 12:00:00.000000', '{project}', '{detail}'"
    sql(history.home, f"{insert} ({values})")
    with exclusive(layout.project_lock(project_hash(project)), purpose="take"):
        found = examine(history.home)
    assert found.sound, found
    assert "operation-running" in {one.kind for one in found.findings}
    assert layout.catalog.exists()


@pytest.mark.campaign
@pytest.mark.parametrize("version", ["v1", "v2"])
def test_a_base_of_an_earlier_version_is_not_at_fault(tmp_path: Path, version: str) -> None:
    home = extracted(version, tmp_path)
    (home / "checkpoints").chmod(0o700)
    found = examine(home, deep=True)
    assert found.sound, found
    with Checkpoints.open(home, config=KEEP_ALL) as checkpoints:
        assert checkpoints.list_all()
    assert examine(home, deep=True).sound


@contextlib.contextmanager
def beside(history: History, project: Path, step: str) -> Iterator[None]:
    """Let a process take checkpoint after checkpoint, and prune where the step is that."""
    command = [sys.executable, "-c", BUSY, str(history.home), str(project), step]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as worker:
        try:
            assert worker.stdout is not None
            assert worker.stdout.readline() == b"taken\n"
            yield
            assert worker.poll() is None, "it worked all the time"
        finally:
            worker.kill()


@pytest.mark.campaign
@pytest.mark.parametrize("looks", [1, pytest.param(4, marks=pytest.mark.campaign)])
def test_a_look_beside_writers_raises_no_false_alarm(history: History, looks: int) -> None:
    """What a look sees half done has another name in the next look; what stays is told."""
    project = history.project()
    history.takes(project, 2)
    with beside(history, project, "prune"):
        for _ in range(looks):
            found = examine(history.home)
            assert not found.faults, found
    with closing(sqlite3.connect(catalog_of(history.home), timeout=30)) as connection:
        connection.execute(STRANGE)
        connection.commit()
    with beside(history, project, "take"):  # a prune would remove a project without checkpoints
        found = examine(history.home)
        assert "row-elsewhere" in {one.kind for one in found.faults}, found


STRANGE = """
INSERT INTO projects (hash, workdir, created_at, last_touch) VALUES
('0123456789abcdef', '/of/another/hash', '2026-11-28 12:00:00', '2026-11-28 12:00:00')
"""

BUSY = """
import sys
from pathlib import Path
from hermes_checkpoints import Checkpoints
from hermes_checkpoints.config import Config
with Checkpoints.open(sys.argv[1], config=Config(max_snapshots=5)) as checkpoints:
    project = checkpoints.project(sys.argv[2])
    for number in range(10_000):
        Path(sys.argv[2], "data").write_text(str(number))
        project.take()
        if number == 0:
            print("taken", flush=True)
        if sys.argv[3] == 'prune' and number % 7 == 6:
            checkpoints.prune()
"""


@pytest.mark.campaign
def test_history_that_was_pruned_and_marked_is_sound(history: History) -> None:
    for name in ("alpha", "beta"):
        project = history.project(name)
        history.takes(project, 6)
        history.checkpoints.project(project).drop(["2"])
    plan = history.checkpoints.plan_prune(policy=Policy(max_snapshots=3))
    assert history.checkpoints.prune(plan=plan, options=AT_ONCE).errors == ()
    history.takes(history.project("alpha"), 2)
    assert examine(history.home, deep=True).sound


@pytest.mark.campaign
def test_the_look_before_a_gc_is_in_status(history: History, run: Run) -> None:
    project = history.project()
    history.takes(project, 3)
    home = ("--home", history.home)
    assert "Store looked at" not in run(*home, "status").out
    history.checkpoints.prune(options=AT_ONCE)
    assert "ago, nothing broken at first sight" in run(*home, "status").out
    taken = history.take(project)
    path = history.store / "objects" / taken.tree_id[:2] / taken.tree_id[2:]
    path.chmod(0o644)
    os.truncate(path, 0)
    history.checkpoints.prune(options=AT_ONCE)
    where = f"objects/{taken.tree_id[:2]}/{taken.tree_id[2:]} (object-empty)"
    line = f"1 fault: {where}; `hermes checkpoints doctor` says what they were part of"
    assert line in run(*home, "status").out
    looked = run(*home, "status", "--json").json["store_looked"]
    assert (looked["faults"], looked["first"]) == (1, [where])
