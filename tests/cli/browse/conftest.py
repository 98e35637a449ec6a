"""The afternoon of ``sample.py``, told once for all tests of a module that leave it as it is."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from cli.browse import sample


@dataclass(frozen=True)
class Afternoon:
    """The home and the project."""

    home: Path
    project: Path


@pytest.fixture(scope="session")
def told(tmp_path_factory: pytest.TempPathFactory) -> Afternoon:
    """An afternoon that no test changes."""
    folder = tmp_path_factory.mktemp("afternoon")
    return Afternoon(folder / "home", sample.tell(folder / "home", folder / "shop"))


@pytest.fixture
def copied(told: Afternoon, tmp_path: Path) -> Afternoon:
    """The same project with a copy of its checkpoints, for a test that changes these, and leaves
    the files as they were."""
    shutil.copytree(told.home, tmp_path / "home")
    return Afternoon(tmp_path / "home", told.project)
