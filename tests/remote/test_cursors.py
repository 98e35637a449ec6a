"""The commit that says what a machine sent last of a project."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_checkpoints.object_store.raw_commit import parse_commit
from hermes_checkpoints.remote.cursors import Cursor
from remote.servers import git

TEXT = st.text(st.characters(exclude_characters="\0"), max_size=20)
TREE, PARENT = "4b825dc642cb6eb9a060e54bf8d69288fbee4904", "1f2e3d4c" * 5


@given(
    st.builds(Cursor, TEXT, TEXT, TEXT, TEXT, st.none() | TEXT, st.none() | TEXT),
    st.none() | st.just(PARENT),
)
def test_what_stands_in_it_is_read_again(cursor: Cursor, parent: str | None) -> None:
    commit = parse_commit("x", "commit", cursor.commit(TREE, parent))
    assert commit.tree_id == TREE
    assert Cursor.of_message(commit.message) == cursor


def test_git_takes_it_for_a_sound_commit(undo: Path) -> None:
    cursor = Cursor("0a1b2c3d4e5f", "l\udce9ptop", "0123456789abcdef", "/srv/caf\udce9 \n x")
    git("hash-object", "-t", "tree", "-w", "--stdin", at=undo)
    data = cursor.commit(TREE, None)
    id_ = git("hash-object", "-t", "commit", "-w", "--stdin", at=undo, stdin=data).strip()
    git("update-ref", "refs/checkpoints-cursor/x", id_, at=undo)
    assert git("fsck", "--strict", at=undo) == ""


@pytest.mark.parametrize(
    "message",
    [
        "",
        "hello",
        'x\n\nHermes-Project: "a"\n',
        'x\n\nHermes-Project: "a"\nHermes-Machine: 1\nHermes-Machine-Name: ""\nHermes-Workdir: ""',
        "x\n\nHermes-Project: {\n",
    ],
)
def test_what_is_no_cursor_is_none(message: str) -> None:
    assert Cursor.of_message(message) is None
