"""A project's git index: what its file says without git, and its lists of paths.

The file begins with ``DIRC``, a version and the number of entries, each in four bytes, and ends
with the SHA-1 of what stands before. Lists of paths end each path with a NUL, both ways.
"""

from __future__ import annotations

import hashlib
import os
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from hermes_checkpoints.fs.stamp import Stamp
from hermes_checkpoints.git import Git
from hermes_checkpoints.object_store.git_objects import EMPTY_BLOB, FILE_MODE

_CHECKSUM_BYTES = 20
_ENTRY = struct.Struct(">10I20sH")
_FLAGS = 60
"""Where the flags of an entry begin."""
_EXTENDED = 0x40
"""The bit in the first byte of the flags of an entry that has two bytes more of them."""
_SECOND = 1_000_000_000


@dataclass(frozen=True)
class IndexTimes:
    """What a git index knows of a file besides its path: when it was read, the file had these
    times in nanoseconds, this inode and size (their lowest 32 bits), and these contents."""

    ctime: int
    mtime: int
    inode: int
    size: int
    blob: str

    def are_of(self, found: Stamp) -> bool:
        """Tell whether a stamp is that of the file that was read."""
        low = 0xFFFFFFFF
        known = self.ctime, self.mtime, self.inode, self.size
        return known == (found.ctime, found.mtime, found.inode & low, found.size & low)


def index_times(index: Path, paths: Iterable[str]) -> dict[str, IndexTimes]:
    """Return what a git index knows of some files, by path; nothing where it cannot be read, or is
    of another version than 4, which the store's config asks for. gitformat-index(5) has the form:
    each entry says how many bytes of the path before it are replaced by which others, and they are
    in the order of their bytes."""
    wanted = {os.fsencode(path) for path in paths}
    if not wanted:
        return {}
    try:
        data = index.read_bytes()
    except OSError:
        return {}
    if data[:8] != b"DIRC\0\0\0\4":
        return {}
    found: dict[str, IndexTimes] = {}
    last = max(wanted)
    start, path = 12, b""
    for _ in range(int.from_bytes(data[8:12], "big")):
        entry = start
        start += _ENTRY.size + (2 if data[start + _FLAGS] & _EXTENDED else 0)
        byte = data[start]
        replaced = byte & 0x7F
        while byte & 0x80:
            start += 1
            byte = data[start]
            replaced = (replaced + 1 << 7) + (byte & 0x7F)
        end = data.index(b"\0", start + 1)
        path = path[: len(path) - replaced] + data[start + 1 : end]
        start = end + 1
        if path in wanted:
            fields = _ENTRY.unpack_from(data, entry)
            found[os.fsdecode(path)] = IndexTimes(
                fields[0] * _SECOND + fields[1],
                fields[2] * _SECOND + fields[3],
                fields[5],
                fields[9],
                fields[10].hex(),
            )
        if path >= last:
            break
    return found


def index_checksum(index: Path) -> str:
    """Return the checksum at the end of a git index, or "" where there is no index."""
    try:
        with index.open("rb") as file:
            file.seek(-_CHECKSUM_BYTES, os.SEEK_END)
            return file.read().hex()
    except OSError:
        return ""


def is_sound(index: Path) -> bool:
    """Tell whether a git index is there and is as git wrote it. Git itself does not check, and
    takes a truncated one for an index of strange files."""
    try:
        data = index.read_bytes()
    except OSError:
        return False
    contents, checksum = data[:-_CHECKSUM_BYTES], data[-_CHECKSUM_BYTES:]
    return hashlib.sha1(contents, usedforsecurity=False).digest() == checksum


def index_entries(index: Path) -> int:
    """Return how many entries a git index has, by its header; 0 where there is no index."""
    try:
        with index.open("rb") as file:
            return int.from_bytes(file.read(12)[8:], "big")
    except OSError:
        return 0


def lock_file(index: Path) -> Path:
    """Return the lock that git itself makes beside an index while it writes it."""
    return index.with_name(index.name + ".lock")


def decode_paths(output: bytes) -> list[str]:
    """Split paths that git printed."""
    return [os.fsdecode(raw) for raw in output.split(b"\0") if raw]


def encode_paths(paths: Iterable[str]) -> bytes:
    """Join paths as git reads them on standard input."""
    return b"".join(os.fsencode(path) + b"\0" for path in paths)


def indexed_paths(git: Git) -> list[str]:
    """Return the paths of the index.

    Raises:
        GitFailed: when the index cannot be read.
    """
    return decode_paths(git.run("ls-files", "-z"))


def drop_paths(git: Git, paths: Iterable[str]) -> None:
    """Take paths out of the index, whether they are in the working directory or not.

    Raises:
        GitFailed: when the index cannot be written; then it is as it was.
    """
    git.run("update-index", "-z", "--force-remove", "--stdin", stdin=encode_paths(paths))


def add_empty_files(git: Git, paths: Iterable[str]) -> None:
    """Put paths into the index as empty files, whatever is in the working directory.

    Raises:
        GitFailed: when the index cannot be written; then it is as it was.
    """
    stdin = encode_paths(f"{FILE_MODE:o} {EMPTY_BLOB} 0\t{path}" for path in paths)
    git.run("update-index", "-z", "--replace", "--index-info", stdin=stdin)
