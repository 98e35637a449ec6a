"""Works out the trees that some changes make of a former one, without an index."""

from __future__ import annotations

import itertools
import os
from collections.abc import Collection, Mapping

from hermes_checkpoints.errors import StoreDamaged
from hermes_checkpoints.git import BlobReader
from hermes_checkpoints.object_store.git_objects import TREE_MODE, object_id

_ID_BYTES = 20
_TREE = b"%o " % TREE_MODE


def changed_trees(
    reader: BlobReader,
    root: str,
    folders: Collection[str],
    now: Mapping[str, tuple[int, str] | None],
) -> tuple[dict[str, bytes], set[str]]:
    """Return the trees of a project that are others than below its former tree ``root``, by id,
    and the ids of the files that the former trees of ``folders`` name.

    ``now`` has mode and id of each path that changes, None where nothing is left of it, and
    ``folders`` are all directories above these, "" for the project itself. A directory in which
    nothing is left has no tree.

    Raises:
        StoreDamaged: when a former tree cannot be read.
        GitTimedOut: when git gives no answer.
    """
    by_depth = sorted(folders, key=lambda path: (_depth(path), path))
    entries, former = _former(reader, root, by_depth)
    known = {
        entry[-_ID_BYTES:].hex()
        for found in entries.values()
        for entry in found.values()
        if not entry.startswith(_TREE)
    }
    for path, state in sorted(now.items(), key=lambda one: one[1] is not None):
        folder, _, last = path.rpartition("/")
        name = os.fsencode(last)
        if state is None:
            entries[folder].pop(name, None)
        else:
            entries[folder][name] = _entry(b"%o " % state[0], name, state[1])
    trees: dict[str, bytes] = {}
    for path in reversed(by_depth):
        found = entries[path]
        folder, _, last = path.rpartition("/")
        name = os.fsencode(last)
        if path and not found:
            if entries[folder].get(name, b"").startswith(_TREE):
                del entries[folder][name]
            continue
        data = b"".join(found[one] for one in sorted(found, key=lambda n: _order(n, found[n])))
        tree = object_id("tree", data)
        if former.get(path) != tree:
            trees[tree] = data
        if path:
            entries[folder][name] = _entry(_TREE, name, tree)
    return trees, known


def _former(
    reader: BlobReader, root: str, by_depth: Collection[str]
) -> tuple[dict[str, dict[bytes, bytes]], dict[str, str]]:
    """Return the entries that each directory had, by name, and the ids of their trees."""
    ids = {"": root}
    entries: dict[str, dict[bytes, bytes]] = {}
    for _, found in itertools.groupby(by_depth, _depth):
        level = [*found]
        for path in level:
            folder, _, last = path.rpartition("/")
            above = entries[folder].get(os.fsencode(last), b"") if path else b""
            if above.startswith(_TREE):
                ids[path] = above[-_ID_BYTES:].hex()
        reader.expect([ids[path] for path in level if path in ids])
        for path in level:
            entries[path] = _entries(reader.read(ids[path])[2]) if path in ids else {}
    return entries, ids


def _depth(path: str) -> int:
    return path.count("/") + 1 if path else 0


def _entries(tree: bytes) -> dict[bytes, bytes]:
    """Return the entries of a tree as they stand there, by name."""
    found: dict[bytes, bytes] = {}
    position = 0
    try:
        while position < len(tree):
            end = tree.index(b"\0", position)
            name = tree[tree.index(b" ", position, end) + 1 : end]
            after = end + 1 + _ID_BYTES
            found[name] = tree[position:after]
            position = after
    except ValueError as error:
        raise StoreDamaged("a tree object of the store is damaged") from error
    return found


def _entry(mode: bytes, name: bytes, object_id: str) -> bytes:
    return mode + name + b"\0" + bytes.fromhex(object_id)


def _order(name: bytes, entry: bytes) -> bytes:
    """Return what git sorts an entry by: a directory as if its name ended in a slash."""
    return name + b"/" if entry.startswith(_TREE) else name
