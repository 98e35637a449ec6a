"""What ``diff-tree --raw -z`` prints is read as it was meant, whatever the paths are."""

from __future__ import annotations

import os

import pytest

from hermes_checkpoints.errors import GitFailed, StoreDamaged
from hermes_checkpoints.git import Git
from hermes_checkpoints.object_store.git_objects import (
    EMPTY_TREE,
    EXECUTABLE_MODE,
    FILE_MODE,
    LINK_MODE,
    NO_OBJECT,
    TREE_MODE,
)
from hermes_checkpoints.object_store.raw_diff import diff_trees
from object_store.writing import write_tree

MISSING = "1" * 40
ODD = b":100644 100644 1\t2\t3\n4 \xff"
"""A path that looks like a record of raw output, of line counts, and of a header."""


def test_every_kind_of_change_is_told_with_modes_ids_and_lines(git: Git) -> None:
    old = write_tree(
        git,
        {"kept": b"k\n", "edited": b"1\n2\n3\n", "gone": b"g\n", "kind": b"k\n", "bits": b"b\n"},
    )
    for name in ("gone", "kind", "bits"):
        assert git.work_tree is not None
        (git.work_tree / name).unlink()
    new = write_tree(
        git,
        {
            "kept": b"k\n",
            "edited": b"1\nB\nC\n4\n",
            "kind": "kept",
            "bits!": b"b\n",
            "new/deep": b"",
            "data": bytes(range(256)),
            os.fsdecode(ODD): b"x\n",
        },
    )
    (found,) = diff_trees(git, [(old, new)], lines=True)
    assert {c.path: (c.status, c.old_mode, c.new_mode) for c in found.changes} == {
        b"edited": ("M", FILE_MODE, FILE_MODE),
        b"gone": ("D", FILE_MODE, 0),
        b"kind": ("T", FILE_MODE, LINK_MODE),
        b"bits": ("D", FILE_MODE, 0),
        b"bits!": ("A", 0, EXECUTABLE_MODE),
        b"new": ("A", 0, TREE_MODE),
        b"new/deep": ("A", 0, FILE_MODE),
        b"data": ("A", 0, FILE_MODE),
        ODD: ("A", 0, FILE_MODE),
    }
    ids = {c.path: (c.old_id, c.new_id) for c in found.changes}
    assert ids[b"gone"][1] == ids[b"data"][0] == NO_OBJECT
    with git.blobs() as reader:
        assert [reader.read(name)[2] for name in ids[b"edited"]] == [
            b"1\n2\n3\n",
            b"1\nB\nC\n4\n",
        ]
    assert found.lines[b"edited"] == (3, 2)
    assert found.lines[b"gone"] == (0, 1)
    assert found.lines[ODD] == (1, 0)
    assert b"data" not in found.lines  # git counts no lines of a binary file


@pytest.mark.parametrize("lines", [False, True])
def test_many_pairs_are_answered_in_order(git: Git, lines: bool) -> None:
    one = write_tree(git, {"a": b"1\n"})
    two = write_tree(git, {"a": b"2\n", os.fsdecode(ODD): b""})
    pairs = [(one, one), (one, two), (EMPTY_TREE, EMPTY_TREE), (two, one), (EMPTY_TREE, one)]
    found = [
        [(c.status, c.path) for c in diff.changes] for diff in diff_trees(git, pairs, lines=lines)
    ]
    assert found == [
        [],
        [("A", ODD), ("M", b"a")],
        [],
        [("D", ODD), ("M", b"a")],
        [("A", b"a")],
    ]
    assert list(diff_trees(git, [])) == []


def test_a_missing_tree_is_an_error_wherever_it_is_missing(git: Git) -> None:
    tree = write_tree(git, {"a": b"1\n"})
    for pair in ((MISSING, tree), (tree, MISSING), (MISSING, MISSING)):
        with pytest.raises(StoreDamaged, match=MISSING):
            list(diff_trees(git, [(tree, tree), pair, (EMPTY_TREE, tree)]))
    deep = git.run("mktree", "--missing", stdin=f"040000 tree {MISSING}\tbelow\n".encode())
    with pytest.raises(GitFailed):
        list(diff_trees(git, [(tree, deep.decode().strip())]))
