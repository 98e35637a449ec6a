"""An opened store for each test, and an ordinary user with a store of his own."""

from __future__ import annotations

import codecs
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from capture.trees import Repositories
from hermes_checkpoints.checkpoints import Checkpoints
from hermes_checkpoints.config import Config
from support import OrdinaryUserLike


@pytest.fixture
def store(home: Path) -> Iterator[Checkpoints]:
    """The checkpoints of this test's home, of which none is pruned."""
    with Checkpoints.open(home, config=Config(max_snapshots=0)) as opened:
        yield opened


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """An empty working directory."""
    folder = tmp_path / "tree"
    folder.mkdir()
    return folder


@pytest.fixture
def repositories(tmp_path: Path) -> Repositories:
    """Repositories to be put into a tree."""
    return Repositories(tmp_path / "repositories")


@pytest.fixture
def user(as_user: OrdinaryUserLike) -> OrdinaryUserLike:
    """An ordinary user whose catalog exists: he may not be able to read where the scripts lie
    that make one."""
    codecs.lookup("unicode_escape")  # Hypothesis prints examples with it
    home = as_user.tmp / "user" / ".hermes"
    with tempfile.TemporaryDirectory() as folder:  # root makes none in the home of another user
        Checkpoints.open(folder).close()
        shutil.copytree(folder, home)
    owner = as_user.tmp.stat()
    for folder, directories, files in os.walk(home.parent):
        for name in (".", *directories, *files):
            os.chown(Path(folder, name), owner.st_uid, owner.st_gid)
    return as_user
