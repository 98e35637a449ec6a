"""Folders of any depth are walked through and removed."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from hermes_checkpoints import Checkpoints, examine
from hermes_checkpoints.fs.walking import remove_folder, walk, walk_up
from hermes_checkpoints.layout import Layout

LEVELS = 1500


@pytest.fixture
def deep(tmp_path: Path) -> Iterator[Path]:
    """Lend a folder in which each of many levels has a file."""
    root = tmp_path / "top" / "deep"
    root.mkdir(parents=True)
    above = os.open(root, os.O_RDONLY)
    for _ in range(LEVELS):
        os.mkdir("d", dir_fd=above)
        below = os.open("d", os.O_RDONLY, dir_fd=above)
        os.close(os.open("f", os.O_CREAT | os.O_WRONLY, dir_fd=below))
        os.close(above)
        above = below
    os.close(above)
    yield root
    subprocess.run(["rm", "-rf", root], check=True)  # pytest calls itself for each level


@pytest.mark.campaign
def test_each_level_is_walked_through(deep: Path) -> None:
    """From the top, and from below."""
    down = list(walk(deep))
    assert len(down) == LEVELS + 1
    assert down[0] == (str(deep), ["d"], [])
    assert list(walk_up(deep)) == down[::-1]  # there is one folder a level


def test_folders_taken_from_the_list_are_not_entered(tmp_path: Path) -> None:
    """As with os.walk; a link is a name and is not entered either."""
    top = tmp_path / "top"
    (top / "a" / "inside").mkdir(parents=True)
    (top / "b").mkdir()
    (top / "link").symlink_to(top / "a")
    seen = []
    for folder, folders, names in walk(top):
        seen.append((os.path.basename(folder), sorted(names)))
        folders[:] = [name for name in folders if name != "a"]
    assert seen == [("top", ["link"]), ("b", [])]


def test_a_folder_of_many_levels_is_removed(deep: Path) -> None:
    """With closed folders in it, and nothing behind a link."""
    outside = deep.parent / "outside"
    outside.mkdir()
    (outside / "kept").write_text("kept")
    (deep / "d" / "link").symlink_to(outside)
    (deep / "0.moved-up").mkdir(mode=0)
    (deep / "d" / "d").chmod(0)
    remove_folder(deep)
    assert sorted(os.listdir(deep.parent)) == ["outside"]
    assert (outside / "kept").read_text() == "kept"


@pytest.mark.campaign
def test_a_doctor_looks_at_a_base_with_folders_of_any_depth(home: Path, deep: Path) -> None:
    with Checkpoints.open(home):
        pass
    there = Layout.of(home).base / "deep"
    deep.rename(there)
    found = examine(home)
    there.rename(deep)
    assert found.not_looked == {}
