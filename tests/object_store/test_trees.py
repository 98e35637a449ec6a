"""Trees: as objects, as git lists them, and as the index has them."""

from __future__ import annotations

import os

import pytest

from hermes_checkpoints.errors import StoreDamaged
from hermes_checkpoints.git import Git
from hermes_checkpoints.object_store.git_index import (
    add_empty_files,
    drop_paths,
    index_checksum,
    index_entries,
    indexed_paths,
    is_sound,
)
from hermes_checkpoints.object_store.git_objects import (
    EMPTY_BLOB,
    EMPTY_TREE,
    EXECUTABLE_MODE,
    FILE_MODE,
    GITLINK_MODE,
    LINK_MODE,
    TREE_MODE,
    is_object_id,
)
from hermes_checkpoints.object_store.raw_tree import parse_tree
from hermes_checkpoints.object_store.tree_listing import find_file, list_tree
from object_store.writing import write_tree

ODD = os.fsdecode(b"a b\tc\nd\xff*")
FILES: dict[str, bytes | str | None] = {
    ODD: b"odd",
    "run!": b"#!/bin/sh\n",
    "link": "run!",
    "module": None,
    "folder/inner": b"inner",
}
MODES = {
    ODD: FILE_MODE,
    "run!": EXECUTABLE_MODE,
    "link": LINK_MODE,
    "module": GITLINK_MODE,
    "folder/inner": FILE_MODE,
}


def test_a_tree_object_names_modes_and_ids_of_what_lies_directly_in_it(git: Git) -> None:
    tree = write_tree(git, FILES)
    with git.blobs() as reader:
        entries = {e.path: e for e in parse_tree(reader.read(tree)[2])}
        inner = list(parse_tree(reader.read(entries["folder"].object_id)[2]))
        assert reader.read(entries[ODD].object_id)[2] == b"odd"
    assert {path: e.mode for path, e in entries.items()} == {
        **{path: mode for path, mode in MODES.items() if "/" not in path},
        "folder": TREE_MODE,
    }
    assert [(e.mode, e.path) for e in inner] == [(FILE_MODE, "inner")]
    assert entries["module"].object_id == "1" * 40


def test_the_empty_tree_has_no_entries_and_its_id_is_known(git: Git) -> None:
    assert write_tree(git, {}) == EMPTY_TREE
    assert list(parse_tree(b"")) == []
    assert git.run("hash-object", "-w", "--stdin").decode().strip() == EMPTY_BLOB


@pytest.mark.parametrize("spoil", ["cut", "no name", "no mode"])
def test_a_damaged_tree_object_is_an_error_of_the_store(git: Git, spoil: str) -> None:
    tree = write_tree(git, {"file": b"x"})
    with git.blobs() as reader:
        data = reader.read(tree)[2]
    damaged = {"cut": data[:-1], "no name": data[:6], "no mode": b"x" + data}[spoil]
    with pytest.raises(StoreDamaged):
        list(parse_tree(damaged))


def test_all_files_of_a_tree_are_listed_with_their_modes(git: Git) -> None:
    assert list_tree(git, write_tree(git, FILES)) == MODES
    assert list_tree(git, EMPTY_TREE) == {}


def test_one_file_is_found_by_its_literal_path(git: Git) -> None:
    tree = write_tree(git, FILES)
    found = find_file(git, tree, "folder/inner")
    assert found is not None
    assert (found.mode, found.path) == (FILE_MODE, "folder/inner")
    with git.blobs() as reader:
        assert reader.read(found.object_id)[2] == b"inner"
    assert {p for p in FILES if find_file(git, tree, p)} == FILES.keys() - {"module"}
    for path in ("folder", "module", "fold*", "nothing", "folder/nothing"):
        assert find_file(git, tree, path) is None


def test_paths_go_into_the_index_and_out_of_it(git: Git) -> None:
    assert git.index is not None
    assert not is_sound(git.index)
    assert (index_checksum(git.index), index_entries(git.index)) == ("", 0)
    write_tree(git, FILES)
    assert sorted(indexed_paths(git)) == sorted(FILES)
    before = index_checksum(git.index)
    assert index_entries(git.index) == len(FILES)
    drop_paths(git, [ODD, "not there"])
    add_empty_files(git, ["new/empty", "run!"])
    held = {*FILES, "new/empty"} - {ODD}
    assert set(indexed_paths(git)) == held
    assert index_entries(git.index) == len(held)
    assert index_checksum(git.index) != before
    git.run("hash-object", "-w", "--stdin")  # the empty file, without which no tree is written
    tree = git.run("write-tree").decode().strip()
    empty = find_file(git, tree, "run!")
    assert empty is not None
    assert (empty.mode, empty.object_id) == (FILE_MODE, EMPTY_BLOB)
    assert is_sound(git.index)
    data = git.index.read_bytes()
    git.index.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    assert not is_sound(git.index)


def test_only_a_whole_id_is_one() -> None:
    assert is_object_id(EMPTY_TREE)
    for text in ("", EMPTY_TREE[:-1], EMPTY_TREE + "0", EMPTY_TREE.upper(), EMPTY_TREE + "\n"):
        assert not is_object_id(text)
