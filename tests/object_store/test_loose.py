"""A loose object is what its name says, or it is damage, whoever looks."""

from __future__ import annotations

import os
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from hermes_checkpoints.errors import StoreDamaged
from hermes_checkpoints.object_store import ref_files
from hermes_checkpoints.object_store.git_objects import object_id
from hermes_checkpoints.object_store.loose import (
    is_loose,
    is_sound,
    loose_bytes,
    loose_path,
    loose_size,
    perhaps_loose,
    write_loose,
)

DATA = b"contents\n" * 50
NAME = object_id("blob", DATA)
WHOLE = zlib.compress(b"blob %d\0" % len(DATA) + DATA)


@pytest.mark.parametrize(
    ("written", "sound"),
    [
        (WHOLE, True),
        (WHOLE + b"more", False),
        (WHOLE[:-3], False),
        (b"", False),
        (b"garbage", False),
        (zlib.compress(b"blob 5\0other"), False),
    ],
    ids=["whole", "too long", "cut short", "empty", "garbled", "another"],
)
def test_whoever_takes_or_heals_or_borrows_agrees(
    tmp_path: Path, written: bytes, sound: bool
) -> None:
    path = loose_path(tmp_path, NAME)
    path.parent.mkdir(parents=True)
    path.write_bytes(written)
    assert is_sound(path, NAME) is sound
    if sound:
        assert is_loose(tmp_path, NAME)
    else:
        with pytest.raises(StoreDamaged, match=NAME):
            is_loose(tmp_path, NAME)


def test_of_many_objects_those_without_a_file_are_left_out_and_what_cannot_be_listed_is_asked(
    tmp_path: Path,
) -> None:
    lying = [object_id("blob", b"%d" % number) for number in range(300)]
    lacking = [object_id("blob", b"-%d" % number) for number in range(300)]
    for number, name in enumerate(lying):
        path = loose_path(tmp_path, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(zlib.compress(object_of(b"%d" % number)))
    asked = [*lacking, *lying]
    assert sorted(perhaps_loose(tmp_path, asked)) == sorted(lying)
    assert {name for name in asked if is_loose(tmp_path, name)} == {*lying}
    assert perhaps_loose(tmp_path, lacking[:3]) == lacking[:3]  # a look at each costs less
    folder = loose_path(tmp_path, lying[0]).parent
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()
    folder.write_bytes(b"")  # no folder: what lies there is for a look at each to tell
    doubtful = {name for name in asked if name.startswith(folder.name)}
    assert {*perhaps_loose(tmp_path, asked)} == {*lying} | doubtful


def test_sizes_are_those_of_the_files_and_only_of_what_lies_loose(tmp_path: Path) -> None:
    data = {object_id("blob", b"x" * size): b"x" * size for size in range(280)}
    for name, contents in [*data.items()][::2]:
        path = loose_path(tmp_path, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(zlib.compress(object_of(contents)))
    for number, (name, contents) in enumerate(data.items()):
        size = loose_size(tmp_path, name)
        assert (size is None) == (number % 2 == 1)
        assert size is None or size[0] == len(contents)
    spaces = [size[1] for name in data if (size := loose_size(tmp_path, name)) is not None]
    assert loose_bytes(tmp_path, data) == sum(spaces)
    assert loose_bytes(tmp_path, [*data][:2]) == spaces[0]


def object_of(data: bytes) -> bytes:
    return b"blob %d\0" % len(data) + data


class Removing:
    """Removes the folder of a file that is about to be made in the store, as a git does that finds
    it empty; the first time it is."""

    def __init__(self, store: Path) -> None:
        self.store, self.removed = f"{store}{os.sep}", 0

    def __call__(self, event: str, arguments: tuple[object, ...]) -> None:
        name = str(arguments[0]) if event == "open" else ""
        if not self.removed and name.startswith(self.store):
            self.removed += 1
            os.rmdir(os.path.dirname(name))


@pytest.fixture
def removing(tmp_path: Path) -> Iterator[Removing]:
    found = Removing(tmp_path / "store")
    sys.addaudithook(found)
    yield found
    found.removed = 1  # a hook stays for life


def test_an_object_is_written_though_git_removes_its_empty_folder_meanwhile(
    tmp_path: Path, removing: Removing
) -> None:
    (tmp_path / "store" / "objects").mkdir(parents=True)
    assert write_loose(tmp_path / "store", "blob", DATA) == NAME
    assert removing.removed == 1
    assert is_loose(tmp_path / "store", NAME)


def test_a_ref_is_made_though_git_removes_its_empty_folder_meanwhile(
    tmp_path: Path, removing: Removing
) -> None:
    ref_files.create(tmp_path / "store", "refs/checkpoints/0123/one", NAME)
    assert removing.removed == 1
    assert (tmp_path / "store/refs/checkpoints/0123/one").read_text() == f"{NAME}\n"
    assert [*tmp_path.rglob("*.lock")] == []


def test_an_object_that_lies_there_is_as_young_as_one_that_is_written(tmp_path: Path) -> None:
    (tmp_path / "objects").mkdir()
    write_loose(tmp_path, "blob", DATA)
    path = loose_path(tmp_path, NAME)
    os.utime(path, (1, 1))
    assert write_loose(tmp_path, "blob", DATA) == NAME
    assert path.stat().st_mtime > 1
