"""An open catalog for each test, and a maker of records for it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from catalog.records import Maker
from hermes_checkpoints.catalog import Catalog


@pytest.fixture
def file(tmp_path: Path) -> Path:
    folder = tmp_path / "checkpoints"
    folder.mkdir()
    return folder / "catalog.db"


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    return tmp_path / ".checkpoints.lock"


@pytest.fixture
def catalog(file: Path, lock: Path, empty_catalog: Path) -> Iterator[Catalog]:
    shutil.copy(empty_catalog, file)
    with Catalog.open(file, lock) as opened:
        yield opened


@pytest.fixture
def make(catalog: Catalog) -> Maker:
    return Maker(catalog)
