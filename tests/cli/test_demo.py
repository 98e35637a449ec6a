"""``demo``: the whole job on real files, nothing left, and no success that was not checked."""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path

import pytest

from hermes_checkpoints.cli import demo
from support import Run


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which `tempfile` makes its own, so that leavings are seen."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.mark.campaign
def test_it_shows_the_job_and_leaves_nothing(run: Run, scratch: Path, fresh_home: Path) -> None:
    environment, here = dict(os.environ), Path.cwd()
    answer = run("demo")
    assert answer.err == ""
    verbs = re.findall(r"^\$ hermes checkpoints (\w+)", answer.out, re.MULTILINE)
    assert {"take", "status", "log", "diff", "who", "restore", "undo", "redo"} == set(verbs)
    assert len(re.findall(r"^# Verified: bytes and modes of \d+ files", answer.out, re.M)) == 4
    assert list(scratch.iterdir()) == []
    assert not fresh_home.exists()
    assert (dict(os.environ), Path.cwd()) == (environment, here)


def test_a_failing_step_fails_it_and_leaves_nothing(
    run: Run, scratch: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "no-programs").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "no-programs"))
    answer = run("demo", code=2)
    assert "the demonstration failed: `take` ended with exit code 2" in answer.err
    assert list(scratch.iterdir()) == []


def test_a_difference_is_found(project: Path) -> None:
    expected = demo._state(project)
    demo._verify(project, expected, "itself")
    (project / "run.sh").chmod(0o644)
    with pytest.raises(demo._StepFailed, match="1 file differ"):
        demo._verify(project, expected, "itself")
    (project / "run.sh").chmod(0o755)
    (project / "new").touch()
    with pytest.raises(demo._StepFailed, match="new"):
        demo._verify(project, expected, "itself")
