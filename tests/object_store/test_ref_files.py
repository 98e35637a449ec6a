"""Refs are deleted and mended by their files, whatever stops that half-way or happens beside."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from hermes_checkpoints.errors import GitFailed
from hermes_checkpoints.git import Git
from hermes_checkpoints.object_store import maintenance, ref_files
from hermes_checkpoints.object_store.git_objects import EMPTY_BLOB
from interpreters import run

FOLDER = "refs/checkpoints/0123456789abcdef"

BESIDE = f"""
import os, subprocess, sys
from pathlib import Path
from hermes_checkpoints.object_store import ref_files

def watch(event, arguments):
    if event == "os.remove" and str(arguments[0]).endswith("/loose"):
        subprocess.run(["git", "--git-dir", sys.argv[1], "pack-refs", "--all"], capture_output=True)

sys.addaudithook(watch)
assert ref_files.delete(Path(sys.argv[1]), ["{FOLDER}/loose"]) == []
"""


@contextmanager
def limited(kind: int, most: int) -> Iterator[None]:
    """Let this process use no more of something in the block."""
    usual = resource.getrlimit(kind)
    resource.setrlimit(kind, (most, usual[1]))
    try:
        yield
    finally:
        resource.setrlimit(kind, usual)


def make_refs(git: Git, *names: str) -> None:
    git.run("hash-object", "-w", "--stdin")
    for name in names:
        ref_files.create(git.repository, f"{FOLDER}/{name}", EMPTY_BLOB)


def packed(git: Git, count: int = 50) -> bytes:
    """Make packed refs, and return what their file says."""
    make_refs(git, *(f"{number:03}" for number in range(count)))
    git.run("pack-refs", "--all")
    return ref_files.packed(git.repository)


def test_refs_that_somebody_else_packs_while_they_are_deleted_do_not_come_back(git: Git) -> None:
    make_refs(git, "loose", "stays")
    ended = run(BESIDE, git.repository)
    assert ended.returncode == 0, ended.stderr
    assert [*ref_files.read(git.repository).named] == [f"{FOLDER}/stays"]
    assert not list(git.repository.rglob("*.lock"))


def test_packed_refs_that_cannot_be_read_are_left_as_they_are(git: Git) -> None:
    before = packed(git)
    free = os.open("/", os.O_RDONLY)
    os.close(free)
    with (
        limited(resource.RLIMIT_NOFILE, free + 1),
        pytest.raises(GitFailed, match="packed-refs cannot be deleted"),
    ):
        maintenance.delete_refs(git, [f"{FOLDER}/007"])
    assert ref_files.packed(git.repository) == before
    assert not list(git.repository.glob("packed-refs.*"))


def test_packed_refs_that_cannot_be_written_are_left_as_they_are_and_named(git: Git) -> None:
    before = packed(git)
    with (
        limited(resource.RLIMIT_FSIZE, 1000),
        pytest.raises(GitFailed, match="packed-refs cannot be deleted"),
    ):
        maintenance.delete_refs(git, [f"{FOLDER}/007"])
    assert ref_files.packed(git.repository) == before
    assert not list(git.repository.glob("packed-refs.*"))


def test_packed_refs_that_cannot_be_mended_keep_the_lines_that_can_be_read(git: Git) -> None:
    broken = packed(git) + b"broken\n"
    (git.repository / ref_files.PACKED).write_bytes(broken)
    with limited(resource.RLIMIT_FSIZE, 1000), pytest.raises(OSError, match="File too large"):
        ref_files.set_aside_broken(git.repository)
    assert ref_files.packed(git.repository) == broken
    assert ref_files.set_aside_broken(git.repository) == [ref_files.PACKED]
    assert ref_files.packed(git.repository) == broken.removesuffix(b"broken\n")
    (kept,) = (git.repository / "quarantine-files").iterdir()
    assert kept.read_bytes() == broken


def test_what_somebody_else_makes_a_ref_of_while_all_is_packed_stays(git: Git) -> None:
    git.run("hash-object", "-w", "--stdin", stdin=b"nobody's")
    lay = git.run("hash-object", "-w", "--stdin", stdin=b"was nobody's").decode().strip()
    before = maintenance.look(git)
    maintenance.repack(git)
    came = git.run("hash-object", "-w", "--stdin", stdin=b"came").decode().strip()
    git.run("tag", "lay", lay)
    git.run("tag", "came", came)
    maintenance.drop_unpacked(git, before)
    assert git.run("cat-file", "-p", "lay") == b"was nobody's"
    assert git.run("cat-file", "-p", "came") == b"came"
    assert maintenance.loose_objects(git.repository) == 2


def test_what_somebody_else_writes_while_all_is_packed_stays_until_the_next_time(git: Git) -> None:
    git.run("hash-object", "-w", "--stdin", stdin=b"nobody's")
    before = maintenance.look(git)
    maintenance.repack(git)
    came = git.run("hash-object", "-w", "--stdin", stdin=b"came").decode().strip()
    maintenance.drop_unpacked(git, before)
    assert git.run("cat-file", "-p", came) == b"came"
    assert maintenance.loose_objects(git.repository) == 1


def test_where_no_ref_goes_nothing_is_locked(git: Git) -> None:
    before = git.repository.stat().st_mtime_ns
    maintenance.delete_refs(git, [])
    assert git.repository.stat().st_mtime_ns == before
