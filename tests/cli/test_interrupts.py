"""Ctrl-C: what was done is said, and how to go back. Processes that are really interrupted."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from support import Run

INTERRUPTED = """
import os, signal, sys
event, count, *arguments = sys.argv[1:]
left = int(count)
def hook(name, args):
    global left
    if name == event and (event != "os.rename" or b".hermes-restore-" in os.fsencode(args[0])):
        left -= 1
        if left == 0:
            signal.raise_signal(signal.SIGINT)
from hermes_checkpoints.cli.program import main
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.addaudithook(hook)
sys.exit(main(arguments))
"""

NAMES = [f"{number}.txt" for number in range(6)]


def interrupted(event: str, count: int, *arguments: str | Path) -> list[str]:
    """Run a command that gets SIGINT at an event, and return what it says."""
    command = [sys.executable, "-c", INTERRUPTED, event, str(count), *map(str, arguments)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert ended.returncode == 130, ended.stderr
    assert "Traceback" not in ended.stderr
    return [line.removeprefix("hermes checkpoints: ") for line in ended.stderr.splitlines()]


@pytest.fixture
def changed(run: Run, project: Path) -> Path:
    """A project with a checkpoint, of which six files were changed since."""
    for name in NAMES:
        (project / name).write_text("then\n")
    run("take", project)
    for name in NAMES:
        (project / name).write_text("now\n")
    return project


def contents(project: Path) -> list[str]:
    return [(project / name).read_text().strip() for name in NAMES]


@pytest.mark.campaign
def test_an_interrupted_restore_says_what_was_written_and_how_to_go_back(
    run: Run, changed: Path
) -> None:
    said = interrupted("os.rename", 4, "restore", "1", "-f", "--mode", "overlay", "--dir", changed)
    done = contents(changed).count("then")
    assert 0 < done < 6
    assert said == [
        f"interrupted while it wrote in {changed}",
        f"{done} of 6 paths done before that:",
        *(f"  {name}" for name in NAMES[:done]),
        f"to go back to the state before it: hermes checkpoints undo {changed}",
    ]
    run(*shlex.split(said[-1].partition(": hermes checkpoints ")[2]), "-f")
    assert contents(changed) == ["now"] * 6
    run("restore", "1", "-f", "--mode", "overlay", "--dir", changed)
    assert contents(changed) == ["then"] * 6


def test_a_restore_that_is_interrupted_before_it_writes_says_that_nothing_was_changed(
    run: Run, changed: Path
) -> None:
    said = interrupted(
        "subprocess.Popen", 12, "restore", "1", "-f", "--mode", "overlay", "--dir", changed
    )
    assert said[-1] == "interrupted: nothing was changed"
    assert contents(changed) == ["now"] * 6
    run("restore", "1", "-f", "--mode", "overlay", "--dir", changed)
    assert contents(changed) == ["then"] * 6


@pytest.mark.campaign
def test_an_interrupted_undo_says_how_to_go_back(run: Run, changed: Path) -> None:
    run("restore", "1", "-f", "--mode", "overlay", "--dir", changed)
    said = interrupted("os.rename", 4, "undo", "-f", changed)
    assert 0 < contents(changed).count("now") < 6
    assert said[0] == f"interrupted while it wrote in {changed}"
    run(*shlex.split(said[-1].partition(": hermes checkpoints ")[2]), "-f")
    assert contents(changed) == ["then"] * 6


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("number", [2, 4, 6])
def test_an_interrupted_take_says_whether_there_is_a_checkpoint(
    run: Run, project: Path, number: int
) -> None:
    said = interrupted("subprocess.Popen", number, "take", project)
    listed = run("log", project, "--json").json["checkpoints"]
    if listed:
        assert said[0].startswith("interrupted w")
    else:
        assert said == [
            f"interrupted: no checkpoint was taken, and no file of {project} was touched"
        ]
    run("take", project)
    assert len(run("log", project, "--json").json["checkpoints"]) == 1


@pytest.mark.parametrize("count", [1, 60, 150])
def test_an_interrupt_while_the_program_starts_is_answered_without_a_traceback(count: int) -> None:
    code = INTERRUPTED.replace("from hermes_checkpoints.cli.program import main", "")
    code = code.replace(
        "sys.addaudithook(hook)",
        "from hermes_checkpoints.cli import main\nsys.addaudithook(hook)",
    )
    command = [sys.executable, "-c", code, "import", str(count), "status"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert (ended.returncode, ended.stderr) == (130, "hermes checkpoints: interrupted\n")


GOES_ON = "interrupted: what was to go and is not listed any more goes with"
FORGET = "interrupted: 0.txt counts as forgotten only when the same"


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize(
    ("processes", "verb", "said"),
    [
        (3, ["prune", "--max-snapshots", "1", "-f"], GOES_ON),
        (3, ["drop", "2", "-f"], GOES_ON),
        (
            16,
            ["forget", "0.txt", "-f"],
            "interrupted: 0.txt counts as forgotten only when the same",
        ),
    ],
)
def test_what_deletes_says_when_it_is_interrupted_how_it_goes_on(
    run: Run, changed: Path, processes: int, verb: list[str], said: str
) -> None:
    run("take", changed)
    told = interrupted("subprocess.Popen", processes, *verb, "--dir", changed)
    assert said in told
    if verb[0] != "forget":
        left = len(run("log", changed, "--json").json["checkpoints"])
        assert told[-1].startswith(f"{2 - left} of 1 checkpoint deleted before that")
    run("prune", "-f")
    run("forget", "0.txt", "-f", "--dir", changed)
    run("show", "latest", "--dir", changed)


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize(
    ("event", "count", "said"),
    [
        ("os.mkdir", 1, "interrupted"),
        ("os.rmdir", 1, "interrupted: the clear has begun, and the next command carries it out"),
    ],
)
def test_an_interrupted_clear_says_whether_it_has_begun(
    run: Run, changed: Path, home: Path, event: str, count: int, said: str
) -> None:
    told = interrupted(event, count, "clear", "-f")
    assert told[0].startswith(said)
    cleared = "has begun" in told[0]
    run("status")
    left = run("log", changed, "--json").json["checkpoints"]
    assert (len(left) == 0) == cleared
