"""Lists trees by ``git ls-tree -z``: ``mode SP kind SP id TAB path NUL`` for each entry."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from hermes_checkpoints.git import Git
from hermes_checkpoints.object_store.git_objects import EMPTY_TREE, GITLINK_MODE, TREE_MODE
from hermes_checkpoints.object_store.raw_tree import TreeEntry, parse_tree


def list_tree(git: Git, tree_id: str) -> dict[str, int]:
    """Return git's mode of every file in a tree, by path.

    Raises:
        GitFailed: when the tree cannot be read.
    """
    return {path: entry.mode for path, entry in list_entries(git, tree_id).items()}


def list_entries(git: Git, tree_id: str) -> dict[str, TreeEntry]:
    """Return every file and link of a tree, by path.

    Raises:
        GitFailed: when the tree cannot be read.
    """
    output = git.run("ls-tree", "-r", "-z", tree_id, patience=2)
    return {entry.path: entry for entry in parse_listing(output)}


def entries_at(git: Git, tree_id: str, paths: Iterable[str]) -> dict[str, TreeEntry]:
    """Return what stands at some paths of a tree, a directory too, by path; nothing of a path where
    nothing does. One process reads the trees above these paths, each once, and no others.

    Raises:
        StoreDamaged: when one of these trees cannot be read.
        GitTimedOut.
    """
    found: dict[str, TreeEntry] = {}
    level = [("", tree_id, [path.split("/") for path in paths])]
    if not level[0][2]:
        return found
    with git.blobs() as reader:
        while level:
            here = [one for one in level if one[1] != EMPTY_TREE]  # git knows it without having it
            reader.expect([tree for _, tree, _ in here])
            level = []
            for above, tree, wanted in here:
                names: dict[str, list[list[str]]] = {}
                for parts in wanted:
                    names.setdefault(parts[0], []).append(parts[1:])
                for mode, name, object_id in parse_tree(reader.read(tree)[2]):
                    rests = names.get(name)
                    if rests is None:
                        continue
                    path = above + name
                    if [] in rests:
                        found[path] = TreeEntry(mode, path, object_id)
                    deeper = [rest for rest in rests if rest]
                    if deeper and mode == TREE_MODE:
                        level.append((f"{path}/", object_id, deeper))
    return found


def find_file(git: Git, tree_id: str, path: str) -> TreeEntry | None:
    """Return the file or link at ``path``, taken literally, or None where the tree has none:
    nothing, a directory, or a commit of another repository.

    Raises:
        GitFailed: when the tree cannot be read.
    """
    entry = find_entry(git, tree_id, path)
    return None if entry is None or entry.mode in (TREE_MODE, GITLINK_MODE) else entry


def find_entry(git: Git, tree_id: str, path: str) -> TreeEntry | None:
    """Return what stands at ``path``, taken literally, a directory too, or None.

    Raises:
        GitFailed: when the tree cannot be read.
    """
    return next(parse_listing(git.run("ls-tree", "-z", tree_id, "--", path)), None)


def folder_entries(git: Git, tree_id: str, folder: str) -> Iterator[TreeEntry]:
    """Yield what stands directly in a folder of a tree, which is ``""`` or ends in ``/``; each path
    is the whole one.

    Raises:
        GitFailed: when the tree cannot be read.
    """
    return parse_listing(git.run("ls-tree", "-z", tree_id, *(["--", folder] if folder else [])))


def parse_listing(output: bytes) -> Iterator[TreeEntry]:
    """Yield the entries that ``ls-tree -z`` printed, in its order."""
    for record in output.split(b"\0"):
        head, separator, path = record.partition(b"\t")
        if separator:
            mode, _, object_id = head.split(b" ")
            yield TreeEntry(int(mode, 8), os.fsdecode(path), object_id.decode("ascii"))
