"""Reads the paths of a git index that is not ours, from its bytes alone.

gitformat-index(5) has the form, versions 2 to 4. The file belongs to the project, so that nothing
in it is trusted: what is cut short, damaged or of a kind that is not known is refused as a whole,
and the caller decides what that means. Repositories of SHA-1 and of SHA-256 are read; which one
it is, the index itself tells.
"""

from __future__ import annotations

import hashlib
import stat
import struct
from collections.abc import Iterator
from pathlib import Path

from hermes_checkpoints.fs.inspect import small_contents

MOST_BYTES = 1 << 29
"""An index of more than 512 MB, some five million files, is not read, nor one of as many bytes of
paths."""

MOST_PATH = 1 << 13
"""No system opens a path of so many bytes."""

_HASHES = ((20, hashlib.sha1), (32, hashlib.sha256))
_HEADER = struct.Struct(">4sII")
_WORDS = struct.Struct(">II")
_STATISTICS = 40
_MODE = 24
_EXTENDED, _LONG_NAME = 0x4000, 0x0FFF
_SKIP_WORKTREE = 0x4000
_FILES = (stat.S_IFREG, stat.S_IFLNK)
_SUBMODULE = 0o160000
_KIND = 0o170000
_KINDS = frozenset((*_FILES, _SUBMODULE, stat.S_IFDIR))
_LINK, _SPARSE = b"link", b"sdir"

Found = tuple[bytes, int, bool]
"""Path, mode as in ``st_mode``, and whether it is left out of the checkout (skip-worktree)."""


class IndexUnreadable(Exception):
    """An index that cannot be read; the message says why, without a full stop."""


def tracked_files(index: Path) -> dict[bytes, bool]:
    """Return the files and links of a git index by path, with ``/``, and whether each is left out
    of the checkout by git's own mark (skip-worktree). Submodules, and directories that a sparse
    index has in place of their files, are none. A file that is in conflict is one path.

    Raises:
        IndexUnreadable: when the file is missing, is too large, or is no index that is known.
    """
    found = _entries(_read(index), index.parent)
    return {path: away for path, mode, away in found if mode & _KIND in _FILES}


def left_out(index: Path) -> frozenset[bytes]:
    """Return the paths in an index that a sparse checkout leaves out: files, and directories with
    all below, which an index may have as one entry.

    Raises:
        IndexUnreadable: as ``tracked_files``.
    """
    found = _entries(_read(index), index.parent)
    return frozenset(
        path.rstrip(b"/") for path, mode, away in found if away or mode & _KIND == stat.S_IFDIR
    )


def _read(file: Path) -> bytes:
    data = small_contents(file, MOST_BYTES)
    if not data:
        raise IndexUnreadable("it cannot be opened, or has more than 512 MB")
    return data


def _entries(data: bytes, folder: Path, *, shared: bool = False) -> list[Found]:
    width = _width(data)
    if width is None:  # an index without a checksum, as index.skipHash makes it
        for width in (20, 32):
            try:
                return _parse(data, width, folder, shared)
            except IndexUnreadable as error:
                failure = error
        raise failure
    return _parse(data, width, folder, shared)


def _width(data: bytes) -> int | None:
    """Return how many bytes an object id has, by the checksum at the end, None where it is not
    set.

    Raises:
        IndexUnreadable: when the checksum is wrong.
    """
    for width, algorithm in _HASHES:
        if algorithm(data[:-width], usedforsecurity=False).digest() == data[-width:]:
            return width
    if data[-20:] == bytes(20):
        return None
    raise IndexUnreadable("its checksum is wrong")


def _parse(data: bytes, width: int, folder: Path, shared: bool) -> list[Found]:
    try:
        signature, version, count = _HEADER.unpack_from(data)
        if signature != b"DIRC" or version not in (2, 3, 4):
            raise IndexUnreadable("it is of a form that is not known")
        end = len(data) - width
        if count > end // (_STATISTICS + width):
            raise IndexUnreadable("it is cut short")
        read = _compressed if version == 4 else _padded
        entries, start = read(data, _HEADER.size, count, width)
        if start > end:
            raise IndexUnreadable("it is cut short")
        if not {mode & _KIND for _, mode, _ in entries} <= _KINDS:
            raise IndexUnreadable("it is damaged: an entry is of a kind that is not known")
        for name, content in _extensions(data, start, end):
            if name == _LINK:
                if shared:
                    raise IndexUnreadable("it is split twice")
                entries = _joined(entries, content, width, folder)
            elif name != _SPARSE and not name[:1].isupper():
                raise IndexUnreadable(f"it needs an extension that is not known: {name!r}")
    except (struct.error, IndexError, ValueError) as error:
        raise IndexUnreadable(f"it is damaged: {error}") from error
    if not shared and any(not path or b"\0" in path for path, _, _ in entries):
        raise IndexUnreadable("it is damaged: an entry has no name")
    return entries


def _padded(data: bytes, start: int, count: int, width: int) -> tuple[list[Found], int]:
    """Return the entries of versions 2 and 3, and where they end."""
    fixed = _STATISTICS + width + 2
    fields = struct.Struct(f">{_MODE}xI{_STATISTICS - _MODE - 4 + width}xH").unpack_from
    find, found = data.index, list[Found]()
    for _ in range(count):
        mode, flags = fields(data, start)
        name, away = start + fixed, False
        if flags & _EXTENDED:
            away = bool(data[name] << 8 & _SKIP_WORKTREE)
            name += 2
        length = flags & _LONG_NAME
        end = name + length if length < _LONG_NAME else find(b"\0", name)
        if data[end]:
            raise IndexUnreadable("it is damaged")
        found.append((data[name:end], mode, away))
        start += (end - start + 8) & ~7
    return found, start


def _compressed(data: bytes, start: int, count: int, width: int) -> tuple[list[Found], int]:
    """Return the same of version 4, where each path says how many bytes at the end of the one
    before it are replaced by which others. So a small file can stand for any amount of paths."""
    fixed = _STATISTICS + width + 2
    fields = struct.Struct(f">{_MODE}xI{_STATISTICS - _MODE - 4 + width}xH").unpack_from
    find, found = data.index, list[Found]()
    path, bytes_of_all = b"", 0
    for _ in range(count):
        mode, flags = fields(data, start)
        start += fixed
        away = False
        if flags & _EXTENDED:
            away = bool(data[start] << 8 & _SKIP_WORKTREE)
            start += 2
        byte = data[start]
        replaced = byte & 0x7F
        while byte & 0x80:
            start += 1
            byte = data[start]
            replaced = (replaced + 1 << 7) + (byte & 0x7F)
        start += 1
        end = find(b"\0", start)
        if replaced > len(path):
            raise IndexUnreadable("it is damaged")
        path = path[: len(path) - replaced] + data[start:end]
        start = end + 1
        bytes_of_all += len(path)
        if len(path) > MOST_PATH or bytes_of_all > MOST_BYTES:
            raise IndexUnreadable("its paths are longer than any system opens")
        found.append((path, mode, away))
    return found, start


def _extensions(data: bytes, start: int, end: int) -> Iterator[tuple[bytes, bytes]]:
    while start < end:
        name, size = data[start : start + 4], int.from_bytes(data[start + 4 : start + 8], "big")
        start += 8
        if start + size > end:
            raise IndexUnreadable("it is cut short")
        yield name, data[start : start + size]
        start += size


# --- a split index -------------------------------------------------------------------------


def _joined(entries: list[Found], link: bytes, width: int, folder: Path) -> list[Found]:
    """Return the entries of a split index: those of the shared one, without those that are
    deleted, and with what replaces some of them. Replacements come first and have no name."""
    name = link[:width]
    if name == bytes(width):
        return entries
    base = _entries(_read(folder / f"sharedindex.{name.hex()}"), folder, shared=True)
    if len(link) == width:
        deleted, replaced = set[int](), set[int]()
    else:
        deleted, start = _bitmap(link, width, len(base))
        replaced, _ = _bitmap(link, start, len(base))
    nameless = iter([entry for entry in entries if not entry[0]])
    found: list[Found] = []
    for number, entry in enumerate(base):
        new = next(nameless, None) if number in replaced else entry
        if new is None:
            raise IndexUnreadable("it is damaged: it replaces more than it has")
        if number not in deleted:
            found.append((entry[0], new[1], new[2]))
    if next(nameless, None) is not None:
        raise IndexUnreadable("it is damaged: it has more than it replaces")
    return found + [entry for entry in entries if entry[0]]


def _bitmap(data: bytes, start: int, most: int) -> tuple[set[int], int]:
    """Return the numbers below ``most`` that a compressed bitmap (EWAH) has, and where it ends:
    runs of equal words of 64 bits, each followed by words that are given."""
    _, words = _WORDS.unpack_from(data, start)
    start += _WORDS.size
    end = start + 8 * words
    found: set[int] = set()
    position = 0
    while start < end:
        (marker,) = struct.unpack_from(">Q", data, start)
        start += 8
        bit, length, given = marker & 1, marker >> 1 & 0xFFFFFFFF, marker >> 33
        if bit:
            found.update(range(position, min(position + 64 * length, most)))
        position += 64 * length
        if start + 8 * given > end:
            raise IndexUnreadable("it is damaged: a bitmap is cut short")
        for (word,) in struct.iter_unpack(">Q", data[start : start + 8 * given]):
            found.update(position + bit for bit in range(64) if word >> bit & 1)
            position += 64
        start += 8 * given
    if any(number >= most for number in found):
        raise IndexUnreadable("it is damaged: a bitmap names what is not there")
    return found, end + 4
