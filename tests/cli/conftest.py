"""Running the command line in this process, as a host does, with real git and SQLite below."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_checkpoints.cli import main
from support import Answer, Run


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command and return its answer; ``code`` is the exit code that it must have."""

    def run(*args: str | Path, code: int = 0) -> Answer:
        capsys.readouterr()
        found = main([str(arg) for arg in args])
        captured = capsys.readouterr()
        assert found == code, captured
        return Answer(found, captured.out, captured.err)

    return run


@pytest.fixture
def taken(run: Run, home: Path, project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project with one checkpoint, as the current directory."""
    monkeypatch.setenv("HERMES_HOME", str(home))
    monkeypatch.chdir(project)
    run("take", "-m", "before the edit")
    return project
