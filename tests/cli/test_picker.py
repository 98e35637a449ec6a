"""``restore`` without an ID: on a terminal a checkpoint is chosen from a list."""

from __future__ import annotations

import io
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from hermes_checkpoints import Checkpoints, Kind, ProjectUnknown
from hermes_checkpoints.cli.picker import pick
from hermes_checkpoints.cli.target import Target
from interpreters import on_a_terminal
from support import Run, everything, make_project

REQUIRED = "the following arguments are required: ID"


@dataclass(frozen=True)
class Listed:
    """A project with twelve checkpoints, of which number 12 is the oldest, and its home."""

    home: Path
    project: Path

    def words(self) -> tuple[str, ...]:
        return "--home", str(self.home), "--dir", str(self.project)


@pytest.fixture(scope="module")
def listed(tmp_path_factory: pytest.TempPathFactory) -> Listed:
    folder = tmp_path_factory.mktemp("picker")
    found = Listed(folder / "home", make_project(folder / "project"))
    with Checkpoints.open(found.home) as checkpoints:
        project = checkpoints.project(found.project)
        project.take("before")
        for number in range(10):
            (found.project / "README.md").write_text(f"{number}\n")
            project.take(f"step {number}", label=f"label-{number}" if number == 3 else None)
        (found.project / "README.md").write_text("the agent's\n")
        project.take("auto", kind=Kind.AUTO, session_id="session-1", title="Mend the 漢字 \x1b[31m")
    return found


@pytest.mark.campaign(beyond=4)
@pytest.mark.parametrize(
    ("typed", "number"),
    [
        ("3\n", 3),
        ("latest\n", 1),
        ("label-3\n", 8),
        ("@yesterday\n?\nq\n", None),
        ("step 7\n4\n", 4),
        ("/3\n8\n", 8),
        ("99\n\n\n\n\n12\n", 12),
        ("nothing like that\nQ\n", None),
        ("", None),
        ("1" * 5000 + "\n2\n", 2),
    ],
)
def test_a_number_an_id_or_a_label_chooses_and_other_text_filters(
    listed: Listed,
    typed: str,
    number: int | None,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
    monkeypatch.setenv("LINES", "12")
    monkeypatch.setenv("COLUMNS", "80")
    with Checkpoints.open(listed.home) as checkpoints:
        project = checkpoints.project(listed.project)
        found = pick(Target(checkpoints, project))
        expected = None if number is None else project.list()[number - 1]
    assert found == expected
    captured = capsys.readouterr()
    rows = [line for line in captured.out.splitlines() if line.startswith("  ")]
    assert rows[0].split()[0] == "1."
    assert " session-1  Mend the 漢字" in rows[0]
    assert "\x1b" not in captured.out
    assert rows[6] == "  … 6 older"
    assert max(map(len, rows)) < 80


def test_without_a_terminal_an_id_is_required(listed: Listed, run: Run) -> None:
    before = everything(listed.project)
    for words in ([], ["-f"], ["--json"], ["--"], ["--stdout"], ["--", "README.md"], ["-p"]):
        assert REQUIRED in run("restore", *listed.words(), *words, code=64).err
    assert everything(listed.project) == before
    run("restore", *listed.words(), "-f", "12", "README.md")  # behind options, too
    assert everything(listed.project) != before
    run("undo", *listed.words(), "-f")


@pytest.mark.slow
def test_on_a_terminal_the_plan_and_the_question_follow(listed: Listed) -> None:
    before = everything(listed.project)
    dumb = {"TERM": "dumb", "NO_COLOR": "1", "LC_ALL": "C"}
    words = ("restore", *listed.words(), "--mode", "overlay")
    code, written = on_a_terminal(*words, prompt=b"which? ", typed=b"step 4\n7\nn\n", **dumb)
    assert (code, b"\x1b" in written) == (1, False)
    assert b"Plan: 1 write" in written
    assert written.endswith(b"Aborted.\r\n")
    for typed in (b"\x03", b"\x04"):
        code, written = on_a_terminal(*words, prompt=b"which? ", typed=typed)
        assert (code, written.endswith(b"Aborted: nothing was changed.\r\n")) == (1, True)
    assert everything(listed.project) == before
    words = ("restore", *listed.words(), "--", "README.md")
    code, written = on_a_terminal(*words, prompt=b"which? ", typed=b"7\ny\n")
    assert (code, (listed.project / "README.md").read_text()) == (0, "4\n")


def test_where_there_are_no_checkpoints_it_is_said(home: Path, project: Path) -> None:
    with Checkpoints.open(home) as checkpoints, pytest.raises(ProjectUnknown):
        pick(Target(checkpoints, checkpoints.project(project)))
