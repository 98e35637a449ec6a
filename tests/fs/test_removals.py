"""Files that are deleted on threads of their own."""

from __future__ import annotations

import threading
from functools import partial
from pathlib import Path

import pytest

from hermes_checkpoints.fs.handles import Directory
from hermes_checkpoints.fs.removals import Removals


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """An empty folder."""
    folder = tmp_path / "place"
    folder.mkdir()
    return folder


def _unexpected(error: OSError) -> None:
    raise AssertionError(error)


@pytest.mark.parametrize("count", [1, 500])
def test_all_of_it_is_gone_after_settle_and_no_thread_is_left(place: Path, count: int) -> None:
    folder, removals = Directory.root(place), Removals()
    before = threading.active_count()
    for _ in range(2):
        for number in range(count):
            (place / f"f{number}").write_text("x")
            removals.add(folder.spot(f"f{number}"), _unexpected)
        removals.settle()
        assert list(place.iterdir()) == []
        assert threading.active_count() == before


@pytest.mark.parametrize("count", [1, 500])
def test_what_cannot_be_deleted_is_told_and_costs_no_other_file(place: Path, count: int) -> None:
    folder, removals = Directory.root(place), Removals()
    refused: dict[str, OSError] = {}
    for number in range(count):
        for name in (f"d{number}", f"f{number}"):
            (place / name).mkdir() if name[0] == "d" else (place / name).write_text("x")
            removals.add(folder.spot(name), partial(refused.__setitem__, name))
    removals.add(folder.spot("gone already"), _unexpected)
    removals.settle()
    assert {path.name for path in place.iterdir()} == refused.keys()
    assert len(refused) == count
