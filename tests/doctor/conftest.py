"""A home with a checkpoint, and one with all that there may be, for looks at them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from doctor.bases import make_base
from hermes_checkpoints import Checkpoints
from hermes_checkpoints.base.machine import machine_of
from hermes_checkpoints.layout import Layout
from hermes_checkpoints.model import Taken
from support import make_project


@pytest.fixture(scope="session")
def taken_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with one checkpoint of a project, to be copied."""
    folder = tmp_path_factory.mktemp("taken")
    with Checkpoints.open(folder / "home") as checkpoints:
        outcome = checkpoints.project(make_project(folder / "project")).take("first")
        assert isinstance(outcome, Taken)
    return folder / "home"


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a home that has all that a look may meet, to be copied, and the projects of
    it."""
    folder = tmp_path_factory.mktemp("made")
    make_base(folder / "home", folder / "projects")
    return folder


@pytest.fixture
def sound(fresh_home: Path, taken_once: Path) -> Path:
    """A home with one checkpoint of a project."""
    shutil.copytree(taken_once, fresh_home)
    with Checkpoints.open(fresh_home):  # settles what tells of another place
        assert machine_of(Layout.of(fresh_home), 1.0).id is not None
    return fresh_home


@pytest.fixture
def base(sound: Path) -> Path:
    """Its base."""
    return sound / "checkpoints"


@pytest.fixture
def store(base: Path) -> Path:
    """Its store."""
    return base / "store"
