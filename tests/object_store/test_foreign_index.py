"""Reading an index that git wrote, and refusing what git did not."""

from __future__ import annotations

import hashlib
import struct
import subprocess
import time
from pathlib import Path

import pytest

from capture.roundtrip import write
from capture.trees import git
from hermes_checkpoints.object_store.foreign_index import IndexUnreadable, tracked_files

NAMES = ("a", "a/b c", "deep/" * 30 + "x", "é", "new\nline", "l" * 200 + "/" + "m" * 200, "z" * 7)
LONG = "/".join(["n" * 250] * 17) + "/" + "o" * 250
"""More than 4,095 bytes: the length in an entry does not hold it."""


def project(folder: Path, *options: str) -> Path:
    git(folder, "init", "-q", *options)
    write(folder, {f"{name}.py": name for name in NAMES})
    git(folder, "add", "-A")
    blob = git(folder, "hash-object", "-w", "a.py").strip()
    git(folder, "update-index", "--add", "--cacheinfo", f"100644,{blob},{LONG}")
    return folder / ".git/index"


def listed(folder: Path) -> set[bytes]:
    return {name.encode() for name in git(folder, "ls-files", "-z").split("\0") if name}


@pytest.mark.parametrize("version", ["2", "3", "4"])
@pytest.mark.parametrize("hashed", ["sha1", "sha256"])
@pytest.mark.parametrize("skip_hash", [False, True])
def test_every_form_is_read_as_git_reads_it(
    tmp_path: Path, version: str, hashed: str, skip_hash: bool
) -> None:
    index = project(tmp_path, f"--object-format={hashed}")
    git(tmp_path, "update-index", "--index-version", version)
    git(tmp_path, "update-index", "--skip-worktree", "a.py")
    write(tmp_path, {"intent": "i\n"})
    git(tmp_path, "add", "-N", "intent")
    if skip_hash:  # as index.skipHash has git write it
        width = 20 if hashed == "sha1" else 32
        index.write_bytes(index.read_bytes()[:-width] + bytes(width))
    found = tracked_files(index)
    assert found.keys() == listed(tmp_path) >= {b"intent", LONG.encode()}
    assert [path for path, away in found.items() if away] == [b"a.py"]


@pytest.mark.parametrize("version", ["2", "4"])
def test_a_split_index_is_joined(tmp_path: Path, version: str) -> None:
    index = project(tmp_path)
    write(tmp_path, {f"many/{number}": str(number) for number in range(300)})
    git(tmp_path, "add", "many")
    git(tmp_path, "update-index", "--index-version", version)
    git(tmp_path, "update-index", "--split-index")
    write(tmp_path, {"many/7": "changed\n", "many/200": "changed\n", "new": "n\n"})
    git(tmp_path, "add", "many/7", "many/200", "new")
    git(tmp_path, "rm", "-q", "--cached", "many/8", *(f"many/{n}" for n in range(100, 190)))
    assert list((tmp_path / ".git").glob("sharedindex.*"))
    assert tracked_files(index).keys() == listed(tmp_path)
    for shared in (tmp_path / ".git").glob("sharedindex.*"):
        shared.unlink()
    with pytest.raises(IndexUnreadable):
        tracked_files(index)


def test_submodules_and_files_in_conflict(tmp_path: Path) -> None:
    index = project(tmp_path)
    blob, other = "1" * 40, "2" * 40
    lines = f"100644 {blob} 1\tboth\n100644 {other} 2\tboth\n160000 {blob} 0\tsub\n"
    file = tmp_path / "lines"
    file.write_text(lines)
    with file.open() as stdin:
        subprocess.run(
            ["git", "update-index", "--index-info"], cwd=tmp_path, stdin=stdin, check=True
        )
    found = tracked_files(index)
    assert b"both" in found
    assert b"sub" not in found


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("version", ["2", "4"])
@pytest.mark.parametrize("signed", [False, True])
def test_what_is_cut_or_altered_is_refused_or_read_and_never_another_error(
    tmp_path: Path, version: str, signed: bool
) -> None:
    index = project(tmp_path)
    git(tmp_path, "update-index", "--index-version", version)
    git(tmp_path, "update-index", "--split-index")
    write(tmp_path, {"later": ""})
    git(tmp_path, "add", "later")
    for file in (index, *(tmp_path / ".git").glob("sharedindex.*")):
        data = file.read_bytes()
        for at in range(0, len(data) - 20, 3):
            for damaged in (data[:at], data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 : -20]):
                digest = hashlib.sha1(damaged, usedforsecurity=False).digest()
                file.write_bytes(damaged + (digest if signed else bytes(20)))
                try:
                    tracked_files(index)
                except IndexUnreadable as error:
                    assert str(error)
        file.write_bytes(data)


def test_a_bitmap_that_claims_to_be_endless_takes_no_time(tmp_path: Path) -> None:
    index = project(tmp_path)
    git(tmp_path, "update-index", "--split-index")
    data = index.read_bytes()
    start = data.index(b"link") + 8 + 20
    runs = (0x1FFFFFFFF).to_bytes(8, "big") * 4
    bitmap = (1).to_bytes(4, "big") + (4).to_bytes(4, "big") + runs + bytes(4)
    link = data[start - 20 : start] + bitmap * 2
    made = data[: start - 28] + b"link" + len(link).to_bytes(4, "big") + link
    index.write_bytes(made + hashlib.sha1(made, usedforsecurity=False).digest())
    started = time.monotonic()
    with pytest.raises(IndexUnreadable):
        tracked_files(index)
    assert time.monotonic() - started < 5


def test_a_small_index_that_stands_for_endless_paths_is_refused(tmp_path: Path) -> None:
    """Version 4 can keep the path before and add to it, entry by entry."""
    count = 30_000
    entry = bytes(24) + struct.pack(">I", 0o100644) + bytes(12 + 20)
    entries = (
        entry + struct.pack(">H", min(number, 0xFFF)) + b"\0a\0" for number in range(1, count + 1)
    )
    data = b"DIRC" + struct.pack(">II", 4, count) + b"".join(entries)
    index = tmp_path / "index"
    index.write_bytes(data + hashlib.sha1(data, usedforsecurity=False).digest())
    with pytest.raises(IndexUnreadable, match="longer than any system opens"):
        tracked_files(index)
