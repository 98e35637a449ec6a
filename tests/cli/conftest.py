"""A project for the command line, which runs in this process, as in a host."""

from __future__ import annotations

from pathlib import Path

import pytest

from support import Run


@pytest.fixture
def taken(run: Run, home: Path, project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project with one checkpoint, as the current directory."""
    monkeypatch.setenv("HERMES_HOME", str(home))
    monkeypatch.chdir(project)
    run("take", "-m", "before the edit")
    return project
