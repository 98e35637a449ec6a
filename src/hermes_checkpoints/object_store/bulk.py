"""Writes the objects of a large take into packs before git stages the files and writes the tree.

Git writes each object that it lacks into a file of its own, and making a file costs more than all
else about a small object. What it finds in a pack it does not write. So what is here only saves
work: git still reads each file and hashes each tree, and writes whatever is missing or differs.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import struct
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from hermes_checkpoints.errors import GitFailed, GitTimedOut, StoreDamaged
from hermes_checkpoints.fs.inspect import Entry, EntryKind, Inspector
from hermes_checkpoints.fs.scratch import scratch_folder
from hermes_checkpoints.fs.stamp import content_id
from hermes_checkpoints.fs.system import sync_directory, usable_cores
from hermes_checkpoints.git import Git
from hermes_checkpoints.layout import SCRATCH_PREFIX
from hermes_checkpoints.model.paths import folders_above
from hermes_checkpoints.object_store import fast_import
from hermes_checkpoints.object_store.changed_trees import changed_trees
from hermes_checkpoints.object_store.git_objects import (
    EXECUTABLE_MODE,
    FILE_MODE,
    LINK_MODE,
    TREE_MODE,
    object_id,
)
from hermes_checkpoints.object_store.surveyed import Survey

BULK = 32
"""From so many objects on, a pack costs less than a file for each; below, the packs that every take
would add cost more, as each look-up goes through all of them."""

FEW = 8
"""Up to so many objects, waiting for the disk for each costs less than the folder that git makes
aside to wait for all of them at once."""

_MOST_PROCESSES = 4
_FILES_PER_PROCESS = 500
_SAMPLE = 200
_FEW = 0.05
"""Where no larger part of a sample is new to the store, what is new is written as it comes."""
_LARGEST = 1 << 24
_PIECE = 1 << 17
_MOST_CHANGED = 500
_MOST_CHANGED_BYTES = 1 << 23
_TREE_TYPE = 2
_BLOB_TYPE = 3
_PACK_HEADER = struct.Struct(">4sII")

PACKED = (".pack", ".rev", ".idx")
"""The files of a pack; the index comes last, as git finds a pack by it."""


def write_changes(git: Git, found: Survey, folders: Collection[str]) -> bool:
    """Write the contents and trees that some changes bring, as far as the store lacks them, into
    one pack. Return False where that was not done, and ``write_contents`` and ``write_trees`` are
    to do it: of more than 500 files or 8 MB, which are worth more processes, and where no former
    state is known; too few objects for a pack are left to them, too.

    ``folders`` are the directories whose trees change. Those trees are made of the former ones, so
    that it costs what the changes do, however large the project is.

    Raises:
        GitTimedOut: when git takes or answers nothing for too long.
    """
    state, staged = found.state, found.stage
    if state is None or len(staged) > _MOST_CHANGED or max(len(staged), len(folders)) < BULK:
        return False
    if sum(entry.size for entry in staged.values()) > _MOST_CHANGED_BYTES:
        return False
    contents: dict[str, bytes] = {}
    look = Inspector(str(git.work_tree))
    now: dict[str, tuple[int, str] | None] = dict.fromkeys(found.gone | found.drop)
    try:
        for path, entry in staged.items():
            if entry.kind is EntryKind.LINK:
                name = content_id(look.spot(path))
            else:
                data = _read(look, path, entry.size)
                name = object_id("blob", data)
                contents[name] = data
            now[path] = _mode(entry), name
        with git.blobs() as reader:
            trees, known = changed_trees(reader, state.tree_id, folders, now)
            objects = {name: (_TREE_TYPE, data) for name, data in trees.items()}
            objects |= {n: (_BLOB_TYPE, data) for n, data in contents.items() if n not in known}
            lacking = reader.lacking([*objects])
        if lacking:
            _write_pack(git, objects, lacking)
    except GitTimedOut:
        raise
    except (GitFailed, StoreDamaged, OSError):
        return False  # git says why when it stages
    return True


def _mode(entry: Entry) -> int:
    """Return the mode by which git names a file or link in a tree."""
    if entry.kind is EntryKind.LINK:
        return LINK_MODE
    return EXECUTABLE_MODE if entry.mode & stat.S_IXUSR else FILE_MODE


def _read(look: Inspector, path: str, size: int) -> bytes:
    """Return the contents of a file that had so many bytes.

    Raises:
        OSError: when it cannot be read, or has another size now.
    """
    descriptor = look.open(path)
    try:
        data = os.read(descriptor, size + 1)
    finally:
        os.close(descriptor)
    if len(data) != size:
        raise OSError("the file was changed while it was read")
    return data


def write_contents(git: Git, staged: Mapping[str, Entry]) -> bool:
    """Write the contents of staged files that the store lacks into packs, by as many processes as
    there are cores. Tell whether any was new, as far as a sample shows.

    Files of more than 16 MB, links, and what is no more as it was looked at are left to git, and
    so is everything where it has few new contents, as when only the times of files have changed.

    Raises:
        GitTimedOut: when git takes or writes nothing for too long.
    """
    paths = [
        path
        for path, entry in staged.items()
        if entry.kind is EntryKind.FILE and entry.size <= _LARGEST
    ]
    if len(paths) < BULK:
        return True
    look = Inspector(str(git.work_tree))
    known = 1
    if len(paths) > _SAMPLE:
        sample = paths[:: len(paths) // _SAMPLE]
        known = _known(git, look, sample)
        if len(sample) - known <= _FEW * len(sample):
            return False
    processes = min(usable_cores(), _MOST_PROCESSES, 1 + len(paths) // _FILES_PER_PROCESS)
    try:
        with _apart(git) as apart:
            apart.spread(
                *("fast-import", "--quiet", "--depth=0"),
                pieces=_pieces(
                    _contents(look, staged, _told(git, paths), _objects(git) if known else None)
                ),
                processes=processes,
                config=("pack.compression=1", "fastimport.unpackLimit=0"),
                patience=4,
            )
    except GitTimedOut:
        raise
    except (GitFailed, OSError):
        pass  # such as a full disk: git says so when it stages
    return True


@contextlib.contextmanager
def _apart(git: Git) -> Iterator[Git]:
    """Lend a git that writes packs into a folder beside that of the objects, and finds those that
    are there. At the end of the block they are moved there; where it fails nothing is left of
    them: half a pack would keep a disk full.

    Raises:
        OSError: when the folder cannot be made, or a pack not be moved.
    """
    objects = Path(_objects(git))
    with scratch_folder(objects.parent, SCRATCH_PREFIX) as folder:
        for name in ("info", "pack"):
            (folder / name).mkdir()
        (folder / "info" / "alternates").write_text(f"../{objects.name}\n", encoding="utf-8")
        yield replace(git, variables={**git.variables, "GIT_OBJECT_DIRECTORY": str(folder)})
        bring_packs(folder / "pack", objects / "pack")


def bring_packs(source: Path, target: Path) -> None:
    """Move packs, durable; one that lies there with its index has the same objects, and stays."""
    target.mkdir(exist_ok=True)
    for pack in source.glob("pack-*.pack"):
        names = [pack.with_suffix(suffix).name for suffix in PACKED]
        names = [name for name in names if (source / name).exists()]
        if all((target / name).exists() for name in (names[0], names[-1])):
            continue
        moved: list[Path] = []
        try:
            for name in names:
                os.replace(source / name, target / name)
                moved.append(target / name)
        except OSError:
            for path in moved:
                path.unlink(missing_ok=True)
            raise
    sync_directory(str(target))


def _known(git: Git, look: Inspector, paths: Iterable[str]) -> int:
    """Return how many of some files have contents that the store has, too."""
    ids = []
    for path in paths:
        try:
            ids.append(content_id(look.spot(path)))
        except OSError:
            continue
    return len(ids) - len(_lacking(git, ids))


def _lacking(git: Git, ids: Collection[str]) -> set[str]:
    """Return those of some ids of which the store has no object; all where git cannot tell."""
    asked = "".join(f"{name}\n" for name in ids).encode()
    try:
        answer = git.run("cat-file", "--batch-check=%(objectname)", stdin=asked, patience=4)
    except GitTimedOut:
        raise
    except GitFailed:
        return set(ids)
    return set(ids) - set(answer.decode("ascii", "replace").splitlines())


def _objects(git: Git) -> str:
    """Return the folder into which git writes objects."""
    return str(git.variables.get("GIT_OBJECT_DIRECTORY", git.repository / "objects"))


def _contents(
    look: Inspector, staged: Mapping[str, Entry], paths: Iterable[str], objects: str | None
) -> Iterator[bytes]:
    """Yield the contents of files, without those that lie loose in the folder ``objects``:
    ``fast-import`` finds what is in packs, and nothing else."""
    for path in paths:
        size = staged[path].size
        try:
            data = _read(look, path, size)
        except OSError:
            continue  # git finds out what became of it
        if not (objects and _is_loose(objects, object_id("blob", data))):
            yield data


def _told(git: Git, paths: Collection[str]) -> Iterator[str]:
    """Yield paths, and tell how far it is, where somebody wants to know."""
    tell = git.progress
    if tell is None:
        yield from paths
        return
    for done, path in enumerate(paths):
        tell("storing files", done, len(paths))
        yield path
    tell("storing files", len(paths), len(paths))


def _is_loose(objects: str, name: str) -> bool:
    return os.path.lexists(f"{objects}/{name[:2]}/{name[2:]}")


def _pieces(contents: Iterable[bytes]) -> Iterator[bytes]:
    """Join the commands that write contents to pieces that are worth a call of the system."""
    commands: list[bytes] = []
    size = 0
    for data in contents:
        commands.append(fast_import.unmarked_blob(data))
        size += len(data)
        if size >= _PIECE:
            yield b"".join(commands)
            commands, size = [], 0
    if commands:
        yield b"".join(commands)


def waiting(objects: int) -> tuple[str, ...]:
    """Return the settings by which git waits for the disk when it writes so many objects."""
    return ("core.fsyncMethod=fsync",) if objects <= FEW else ()


def folders_of(paths: Iterable[str]) -> set[str]:
    """Return the directories whose trees change with some paths, the project itself too."""
    return {"", *folders_above(paths)}


def write_trees(git: Git, folders: Collection[str]) -> None:
    """Write the trees of some directories, as the index has them and as far as the store lacks
    them, into one pack, if they are many.

    Raises:
        GitTimedOut: when git takes too long.
    """
    if len(folders) < BULK:
        return
    try:
        listing = git.run("ls-files", "-z", "--stage", patience=2)
        wanted = set(map(os.fsencode, folders))
        trees = {n: (_TREE_TYPE, data) for path, n, data in trees_of(listing) if path in wanted}
        lacking = _lacking(git, trees)
        if len(lacking) >= BULK:
            _write_pack(git, trees, lacking)
    except GitTimedOut:
        raise
    except (GitFailed, OSError):
        return  # git says why when it writes the tree itself


def trees_of(listing: bytes) -> Iterator[tuple[bytes, str, bytes]]:
    """Yield path, id and contents of each tree of an index that ``git ls-files -z --stage`` lists.

    The index is in the order of bytes of whole paths. That is the order of the entries of trees,
    too, as ``a-b``, ``a/b``, ``a.b``: git sorts a directory as if its name ended in a slash.
    """
    above: list[tuple[bytes, list[bytes]]] = [(b"", [])]  # the directories on the way, open
    folder = b""
    for line in listing.split(b"\0"):
        if not line:
            continue
        facts, _, path = line.partition(b"\t")
        here, _, name = path.rpartition(b"/")
        if here != folder:
            while (
                above[-1][0] and not here.startswith(above[-1][0] + b"/") and here != above[-1][0]
            ):
                yield _closed(above)
            start = len(above[-1][0]) + 1 if above[-1][0] else 0
            while above[-1][0] != here:
                end = here.find(b"/", start)
                end = len(here) if end < 0 else end
                above.append((here[:end], []))
                start = end + 1
            folder = here
        above[-1][1].append(facts[:6] + b" " + name + b"\0" + bytes.fromhex(facts[7:47].decode()))
    while len(above) > 1:
        yield _closed(above)
    data = b"".join(above[0][1])
    yield b"", object_id("tree", data), data


def _closed(above: list[tuple[bytes, list[bytes]]]) -> tuple[bytes, str, bytes]:
    """Finish the innermost open directory, and enter it into the one above."""
    path, entries = above.pop()
    data = b"".join(entries)
    name = object_id("tree", data)
    last = path.rpartition(b"/")[2]
    above[-1][1].append(b"%o " % TREE_MODE + last + b"\0" + bytes.fromhex(name))
    return path, name, data


def _write_pack(
    git: Git, objects: Mapping[str, tuple[int, bytes]], wanted: Collection[str]
) -> None:
    """Write some of the objects into one pack of the store.

    Raises:
        GitFailed: when it cannot be written; nothing is left of it then.
        OSError: when it cannot be put into its place.
    """
    with _apart(git) as apart:
        apart.run("index-pack", "--stdin", stdin=_pack(objects, wanted), patience=4)


def _pack(objects: Mapping[str, tuple[int, bytes]], wanted: Collection[str]) -> bytes:
    """Return a pack with some of the objects, which are types and contents: a header, for each a
    type and size in groups of seven bits with the compressed contents, and the checksum of all that
    (gitformat-pack(5))."""
    parts = [_PACK_HEADER.pack(b"PACK", 2, len(wanted))]
    for name in wanted:
        kind, data = objects[name]
        size = len(data)
        header = bytearray([kind << 4 | size & 0x0F])
        size >>= 4
        while size:
            header[-1] |= 0x80
            header.append(size & 0x7F)
            size >>= 7
        parts += bytes(header), _compressed(kind, data)
    body = b"".join(parts)
    return body + hashlib.sha1(body, usedforsecurity=False).digest()


def _compressed(kind: int, data: bytes) -> bytes:
    if kind != _TREE_TYPE:
        return zlib.compress(data, 1)
    small = zlib.compressobj(1, zlib.DEFLATED, 10, 1)  # made in no time, unlike the usual one
    return small.compress(data) + small.flush()
