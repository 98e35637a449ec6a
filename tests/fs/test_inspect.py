"""What a look at a path tells, and that nobody is left waiting for a pipe."""

from __future__ import annotations

import os
import threading
from pathlib import Path

from hermes_checkpoints.fs.inspect import EntryKind, Inspector
from hermes_checkpoints.git import end_blocked_reads
from hermes_checkpoints.model.paths import is_git_name


def test_kinds(root: Path) -> None:
    look = Inspector(str(root)).look
    assert look("a").kind is EntryKind.DIRECTORY
    assert look("link").kind is EntryKind.LINK
    assert look("a/pipe").kind is EntryKind.SPECIAL
    assert look("a/nothing").kind is EntryKind.MISSING
    assert look("a/file/below").kind is EntryKind.MISSING
    assert look("link/file").kind is EntryKind.BEYOND_LINK
    assert look("n" * 300).kind is EntryKind.UNREADABLE
    file = look("a/file")
    assert (file.kind, file.size) == (EntryKind.FILE, 8)


def test_names_that_git_keeps_for_itself() -> None:
    assert all(map(is_git_name, (".git", ".GIT", ".Git")))
    assert not any(map(is_git_name, ("git", ".gitignore", ".git ", "x.git")))


def test_a_reader_of_a_pipe_that_git_would_read_is_let_go(root: Path) -> None:
    os.mkfifo(root / "a/.gitignore")
    assert not end_blocked_reads(str(root))
    contents: list[bytes] = []
    reader = threading.Thread(
        target=lambda: contents.append((root / "a/.gitignore").read_bytes()), daemon=True
    )
    reader.start()
    while reader.is_alive():
        end_blocked_reads(str(root))
        reader.join(0.001)
    assert contents == [b""]
