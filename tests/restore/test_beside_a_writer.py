"""Only what a restore touches must stand still; what a clock said of a file does not matter."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hermes_checkpoints import Checkpoints, Taken
from hermes_checkpoints.cli import main

WRITER = """
import sys, time
with open(sys.argv[1], "a") as file:
    while True:
        file.write("one more line of a log\\n")
        file.flush()
        print("written", flush=True)
        time.sleep(0.002)
"""


@pytest.fixture
def place(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a project, the current directory, with a checkpoint of ``a.py`` and ``server.log``."""
    project = tmp_path / "project"
    project.mkdir()
    (project / "a.py").write_text("as it was\n")
    (project / "server.log").write_text("")
    monkeypatch.setenv("HERMES_HOME", str(home))
    monkeypatch.chdir(project)
    with Checkpoints.open(home) as checkpoints:
        assert isinstance(checkpoints.project(project).take(), Taken)
    return project


@pytest.fixture
def writer(place: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process that writes to ``server.log`` without a pause worth the name."""
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, "server.log"], stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"written\n"
        yield process
        assert process.poll() is None, "it wrote all the time"
        process.kill()


@pytest.mark.campaign(beyond=1)
@pytest.mark.usefixtures("writer")
@pytest.mark.parametrize("words", ["a.py", "a.py --mode exact", "--mode keep-edits"])
def test_a_restore_of_other_paths_and_its_undo_do_not_wait_for_a_writer(
    capsys: pytest.CaptureFixture[str], place: Path, words: str
) -> None:
    for _ in range(3):
        (place / "a.py").write_text("oops\n")
        for command, after in (
            (["restore", "1", *words.split(), "-f"], "as it was\n"),
            (["undo", "-f"], "oops\n"),
        ):
            code = main(command)
            said = capsys.readouterr()
            assert (place / "a.py").read_text() == after, said
            # A restore of everything may have the log in its plan: then that alone is named.
            assert code == 0 or ("a.py" not in words and "server.log" in said.err), said
            assert "a.py" not in said.err
    assert (place / "server.log").stat().st_size > 0


@pytest.mark.usefixtures("writer")
def test_a_plan_that_leaves_the_written_file_alone_is_executed(home: Path, place: Path) -> None:
    with Checkpoints.open(home) as checkpoints:
        project = checkpoints.project(place)
        (place / "a.py").write_text("oops\n")
        plan = project.plan_restore("1", "a.py")
        size = (place / "server.log").stat().st_size
        while (place / "server.log").stat().st_size == size:
            pass  # the tree is another by now
        assert project.restore("1", plan=plan).complete
    assert (place / "a.py").read_text() == "as it was\n"


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("mode", ["overlay", "exact"])
@pytest.mark.parametrize("seconds", [4_000_000_000, 1, 0])
def test_whatever_time_a_file_is_dated_it_is_restored_and_undone(
    home: Path, place: Path, mode: str, seconds: int
) -> None:
    """An edit may be dated in the future, and the clock may have been set back since."""
    path = place / "a.py"
    with Checkpoints.open(home) as checkpoints:
        project = checkpoints.project(place)
        path.write_text("an edit\n")
        os.utime(path, (seconds, seconds))
        assert project.restore("1", mode=mode).complete
        assert path.read_text() == "as it was\n"
        os.utime(path, (seconds, seconds))
        assert project.undo().complete
        assert path.read_text() == "an edit\n"
        path.write_text("AN edit\n")  # of the same length, at the same time
        os.utime(path, (seconds, seconds))
        assert project.restore("1", mode=mode).complete
        assert path.read_text() == "as it was\n"
