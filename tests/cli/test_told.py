"""What rules and limits left out is said at once, and so is that takes are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_checkpoints import Checkpoints, Kind
from support import Run

IGNORED, BOTH = {"ignored-by-rule": 2}, {"ignored-by-rule": 2, "oversize": 1}


@pytest.fixture
def ignoring(project: Path) -> Path:
    """A project with two entries that rules ignore."""
    (project / ".gitignore").write_text("*.log\n")
    (project / "a.log").write_text("x")
    (project / "node_modules").mkdir()
    (project / "node_modules" / "b.js").write_text("x")
    return project


def large(project: Path) -> None:
    with (project / "huge.dat").open("wb") as stream:
        stream.truncate(11 * 1024 * 1024)


def test_what_rules_ignore_is_one_line_and_no_warning(run: Run, ignoring: Path) -> None:
    lists = f"hermes checkpoints coverage {ignoring} shows which"
    taken = run("take", ignoring)
    assert taken.lines[1:] == [f"2 paths are not in it (ignored by rules): {lists}"]
    assert run("take", ignoring).lines[1:] == taken.lines[1:], "an unchanged one lacks them, too"
    assert run("log", ignoring).lines[3:] == [
        "",
        f"2 paths are not in the newest (ignored by rules): {lists}",
    ]
    assert run("log", ignoring, "--json").json["left_out"] == IGNORED
    assert run("show", "1", "--dir", ignoring, "--json").json["left_out"] == IGNORED


def test_what_limits_left_out_makes_it_incomplete(run: Run, ignoring: Path) -> None:
    large(ignoring)
    assert run("take", ignoring, "--json").json["left_out"] == BOTH
    said = "Incomplete: 3 paths are not in {} (1 too large, 2 ignored by rules)"
    (ignoring / "new").write_text("x")
    assert run("take", ignoring).lines[1].startswith(f"{said.format('it')}: hermes checkpoints ")
    assert run("log", ignoring).lines[-1].startswith(f"{said.format('the newest')}: ")


@pytest.mark.campaign
def test_a_restore_tells_what_the_checkpoint_lacks(run: Run, ignoring: Path) -> None:
    large(ignoring)
    identifier = run("take", ignoring, "--json").json["checkpoint"]["short_id"]
    restore = ("restore", "1", "-f", "--mode", "overlay", "--dir", ignoring)
    lacks = (
        f"Incomplete: 3 paths are not in checkpoint {identifier} (1 too large, 2 ignored by "
        "rules), which no restore brings back"
    )
    assert lacks in run(*restore).lines, "also where nothing differs"
    (ignoring / "README.md").write_text("other\n")
    assert lacks in run(*restore).lines
    (ignoring / "README.md").write_text("other\n")
    document = run(*restore, "--json").json
    assert document["left_out"] == BOTH
    assert run(*restore, "--dry-run", "--json").json["left_out"] == BOTH


def test_a_restore_of_a_path_tells_only_of_what_lies_there(run: Run, ignoring: Path) -> None:
    large(ignoring)
    run("take", ignoring)
    (ignoring / "README.md").write_text("other\n")
    restore = ("restore", "1", "-f", "--dir", ignoring)
    assert "not in checkpoint" not in run(*restore, "README.md").out
    (ignoring / "src" / "main.py").write_text("other\n")
    assert "not in checkpoint" not in run(*restore, "src").out


def test_nothing_left_out_is_not_mentioned(run: Run, project: Path) -> None:
    assert len(run("take", project).lines) == 1
    assert run("log", project).lines[-1].startswith("  1. ")


def test_refused_takes_are_seen_until_one_works(run: Run, home: Path, project: Path) -> None:
    (home / "config.yaml").write_text("checkpoints: {max_files: 1}\n")
    for _ in range(3):
        run("take", project, code=2)
    warning = "WARNING: last 3 takes were refused since "
    (line,) = [line for line in run("status").lines if line.startswith("WARNING")]
    assert line.startswith(warning)
    assert f" of {project}: {project} has 6 files, more than the 1 that are" in line
    assert run("log", project).lines[-1] == line
    (failure,) = run("status", "--json").json["failures"]
    assert (failure["count"], failure["refused"]) == (3, True)
    assert run("log", project, "--json").json["failing"] == failure
    (home / "config.yaml").write_text("checkpoints: {}\n")
    run("take", project)
    assert "WARNING" not in run("status").out + run("log", project).out


@pytest.mark.campaign(beyond=2)
def test_a_place_that_is_refused_to_a_person_is_no_failure(run: Run, taken: Path) -> None:
    assert "is the home directory" in run("take", Path.home(), code=2).err
    assert run("status", "--check").out.startswith("fine")
    with Checkpoints.open() as checkpoints:
        checkpoints.project(Path.home()).take("before a tool", kind=Kind.AUTO, session_id="s1")
    assert "was refused" in run("status", "--check", code=1).out


@pytest.mark.parametrize(
    "words",
    [
        ("take", "typo"),
        ("take", "--label", ""),
        ("take", "--label", "latest"),
        ("take", "--label", "3"),
        ("undo", "README.md"),
    ],
)
def test_a_request_that_is_refused_to_a_person_is_no_failure(
    run: Run, taken: Path, words: tuple[str, ...]
) -> None:
    assert run(*words, code=2).err
    assert "WARNING" not in run("status").out
    assert run("status", "--json").json["failures"] == []
