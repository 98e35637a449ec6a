"""Histories to prune: projects with checkpoints in a home of the test's own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hermes_checkpoints import Checkpoints
from hermes_checkpoints.cli import main
from hermes_checkpoints.config import Config
from retention.histories import History
from support import Answer, Run


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command of the command line and return its answer."""

    def run(*args: str | Path, code: int = 0) -> Answer:
        found = main([str(arg) for arg in args])
        captured = capsys.readouterr()
        assert found == code, captured
        return Answer(found, captured.out, captured.err)

    return run


@pytest.fixture
def history(home: Path, tmp_path: Path) -> Iterator[History]:
    """A home without limits, to be filled."""
    config = Config(max_snapshots=0, max_total_size_mb=0)
    with Checkpoints.open(home, config=config) as checkpoints:
        yield History(checkpoints, home, tmp_path / "projects")
