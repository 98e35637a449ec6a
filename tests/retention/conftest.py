"""Histories to prune: projects with checkpoints in a home of the test's own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hermes_checkpoints import Checkpoints
from hermes_checkpoints.config import Config
from retention.histories import History


@pytest.fixture
def history(home: Path, tmp_path: Path) -> Iterator[History]:
    """A home without limits, to be filled."""
    config = Config(max_snapshots=0, max_total_size_mb=0)
    with Checkpoints.open(home, config=config) as checkpoints:
        yield History(checkpoints, home, tmp_path / "projects")
