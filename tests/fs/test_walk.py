"""A walk goes as deep as a folder is."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from hermes_checkpoints import Checkpoints, examine
from hermes_checkpoints.fs.walk import walk
from hermes_checkpoints.git import end_blocked_reads
from hermes_checkpoints.layout import Layout

DEPTH = 1200


@pytest.fixture
def deep(tmp_path: Path) -> Iterator[Path]:
    """A folder in which 1,200 others lie, each in the one before."""
    top = tmp_path / "deep"
    top.mkdir()
    with contextlib.chdir(top):
        for _ in range(DEPTH):
            os.mkdir("d")
            os.chdir("d")
    yield top
    with contextlib.chdir(top):  # neither pytest nor shutil removes it
        for _ in range(DEPTH):
            os.chdir("d")
        for _ in range(DEPTH):
            os.chdir("..")
            shutil.rmtree("d")


def test_a_walk_is_that_of_the_standard_library(tmp_path: Path) -> None:
    for name in ("b/c", "a/x", "a/y"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "a" / "file").touch()
    (tmp_path / "link").symlink_to("a")
    assert [*walk(tmp_path)] == [*os.walk(str(tmp_path))]
    assert [*walk(tmp_path / "nothing")] == []


def test_a_walk_enters_no_folder_that_was_taken_out(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "c").mkdir()
    entered = []
    for folder, folders, _ in walk(tmp_path):
        entered.append(Path(folder).name)
        folders[:] = [name for name in sorted(folders, reverse=True) if name in {"a", "c"}]
    assert entered == [tmp_path.name, "c", "a"]


def test_a_walk_goes_through_1200_nested_folders(deep: Path) -> None:
    assert sum(1 for _ in walk(deep)) == DEPTH + 1
    assert not end_blocked_reads(str(deep))


def test_a_doctor_looks_at_a_base_with_1200_nested_folders(home: Path, deep: Path) -> None:
    with Checkpoints.open(home):
        pass
    there = Layout.of(home).base / "deep"
    deep.rename(there)
    found = examine(home)
    there.rename(deep)
    assert found.not_looked == {}
