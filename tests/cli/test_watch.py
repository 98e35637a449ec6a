"""``watch`` takes a checkpoint whenever files have changed and then been quiet."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from documents import validate
from hermes_checkpoints import Checkpoints
from hermes_checkpoints.cli import watch as watching
from interpreters import PROGRAM, Interpreter, start
from support import Run

Starts = Callable[..., Interpreter]


@pytest.fixture
def watch(project: Path, home: Path, no_hang: None) -> Iterator[Starts]:
    """Start watching the project; return the process once it says that it watches."""
    running: list[Interpreter] = []

    def begin(*more: str) -> Interpreter:
        process = start(PROGRAM, "watch", project, "--quiet-for", "0.2", *more)
        running.append(process)
        return process

    yield begin
    for process in running:
        if not process.stdin.closed:
            os.kill(process.pid, signal.SIGKILL)
            process.finish()


def ended(process: Interpreter, number: int = signal.SIGINT) -> tuple[int, str, str]:
    os.kill(process.pid, number)
    done = process.finish()
    return done.returncode, done.stdout, done.stderr


@pytest.mark.campaign(beyond=1)
@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("more", [(), ("--poll",)])
def test_each_change_that_settles_is_a_checkpoint(
    watch: Starts, project: Path, home: Path, number: int, more: tuple[str, ...]
) -> None:
    process = watch(*more)
    first = process.stdout.readline()
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d  [0-9a-f]{8}  \(\d+ files\)\n", first)
    (project / "README.md").write_text("one\n")
    assert "(1 file, " in process.stdout.readline()
    (project / "new").mkdir()
    (project / "new/a.txt").write_text("two\n")
    (project / "docs/notes.txt").unlink()
    assert "(2 files, " in process.stdout.readline()
    code, out, err = ended(process, number)
    assert (code, err) == (0, "")
    assert out == f"Ended: 3 checkpoints taken of {project}\n"
    with Checkpoints.open(home) as checkpoints:
        assert [one.reason for one in checkpoints.project(project).list()] == ["watch"] * 3


@pytest.mark.slow
def test_what_changed_last_is_captured_when_it_ends(
    watch: Starts, project: Path, home: Path
) -> None:
    process = watch("--quiet-for", "3600")
    process.stdout.readline()
    (project / "README.md").write_text("one\n")
    code, out, _ = ended(process)
    assert code == 0 and out.endswith(f"Ended: 2 checkpoints taken of {project}\n")
    with Checkpoints.open(home) as checkpoints:
        newest = checkpoints.project(project).get()
        assert checkpoints.project(project).read_file(newest, "README.md") == b"one\n"


def test_what_rules_leave_out_adds_no_checkpoint(watch: Starts, project: Path, home: Path) -> None:
    (project / ".gitignore").write_text("ignored\n")
    process = watch("--json")
    first = json.loads(process.stdout.readline())
    validate("take", first)
    assert first["outcome"] == "taken"
    (project / "ignored").write_text("noise\n")
    (project / "README.md").write_text("one\n")
    second = json.loads(process.stdout.readline())
    assert second["checkpoint"]["files_changed"] == 1
    assert ended(process) == (0, "", "")
    process = watch("--json")
    (project / "README.md").write_text("two\n")
    assert json.loads(process.stdout.readline())["checkpoint"]["files_changed"] == 1
    assert ended(process)[0] == 0


def test_a_directory_that_goes_ends_it_and_the_checkpoints_stay(
    watch: Starts, project: Path, home: Path
) -> None:
    process = watch()
    process.stdout.readline()
    shutil.rmtree(project)
    done = process.finish()
    assert done.returncode == 2
    assert "is gone; the checkpoints stay" in done.stderr
    with Checkpoints.open(home) as checkpoints:
        checkpoints.project(project).restore("latest")
    assert (project / "README.md").is_file()


def test_files_that_are_never_quiet_are_captured_all_the_same(
    project: Path, home: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    """One change after the other: the longest time, not the quiet, is what a take waits for."""
    monkeypatch.setattr(watching, "LONGEST_SECONDS", 0.0)
    changed = [(1, str(project / "README.md"))]

    def noisy(*_: object, **__: object) -> Iterator[set[object]]:
        for number in range(3):
            (project / "README.md").write_text(f"{number}\n")
            yield set(changed)

    monkeypatch.setattr(watching, "_library", lambda: noisy)
    monkeypatch.setattr(watching, "_seconds", float)
    out = run("watch", project, "--quiet-for", "0").out
    assert out.endswith(f"Ended: 4 checkpoints taken of {project}\n")


def test_a_directory_that_is_refused_is_not_watched(project: Path, home: Path, run: Run) -> None:
    (home / "config.yaml").write_text("checkpoints: {max_files: 1}\n")
    assert "max_files" in run("watch", project, code=2).err


def test_a_missing_library_is_named_with_what_brings_it(
    project: Path, home: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "watchfiles", None)
    answer = run("watch", project, code=2)
    assert "hermes-checkpoints[watch]" in answer.err


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "x", "1e9"])
def test_a_time_that_is_none_is_wrong_usage(seconds: str, run: Run) -> None:
    with pytest.raises(SystemExit) as ended:
        run("watch", "--quiet-for", seconds)
    assert ended.value.code == 64
