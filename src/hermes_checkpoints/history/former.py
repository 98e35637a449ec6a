"""Reads the commits of an earlier layout and the states of working directories that they hold.

All is read from our own store, into which the objects were brought before. What a tree of that
time may hold and a checkpoint may not, such as the link to a nested repository whose contents
were never captured, is taken out and named as not captured.
"""

from __future__ import annotations

import contextlib
import heapq
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from hermes_checkpoints.errors import CheckpointError, StoreDamaged, base_error
from hermes_checkpoints.git import BlobReader, Git
from hermes_checkpoints.model import SkippedPath, SkipReason
from hermes_checkpoints.model.paths import parents
from hermes_checkpoints.object_store.damage import incomplete
from hermes_checkpoints.object_store.git_objects import (
    EMPTY_TREE,
    GITLINK_MODE,
    TREE_MODE,
    is_object_id,
)
from hermes_checkpoints.object_store.healing import write_object
from hermes_checkpoints.object_store.meta import TreeMeta, UsualModes
from hermes_checkpoints.object_store.raw_commit import RawCommit, parse_commit
from hermes_checkpoints.object_store.raw_tree import TreeEntry, parse_tree, written_tree
from hermes_checkpoints.object_store.store import ObjectStore

OWN = "Hermes-Checkpoint"
"""Under this name a commit of an export says of which checkpoint it was made."""

_OWN = re.compile(rf"^{OWN}: ([0-9a-f]{{40,64}})$", re.MULTILINE)
_MOST_BYTES = 16 * 1024 * 1024
_FOREIGN_NAMES = frozenset({"", ".", "..", ".git"})


@dataclass(frozen=True)
class FormerCommit(RawCommit):
    """A commit of an earlier layout. ``own`` is the checkpoint of which an export made it."""

    id: str
    own: str | None = None


@dataclass(frozen=True)
class FormerState:
    """What a former commit holds, in the form that a checkpoint has it."""

    tree_id: str
    meta: TreeMeta
    file_count: int
    logical_bytes: int


def history(
    reader: BlobReader,
    tips: Iterable[str],
    look: Callable[[FormerCommit], object] = lambda _: None,
) -> tuple[list[FormerCommit], list[str]]:
    """Return the commits that lead to ``tips``, parents first and else oldest first, and what
    could not be read. Of those within one second, a later one is some microseconds later.

    ``look`` is given each commit as it is read; what it raises ends the reading.
    """
    found: dict[str, FormerCommit] = {}
    problems: list[str] = []
    pending = list(dict.fromkeys(tips))
    seen = set(pending)
    while pending:
        name = pending.pop()
        try:
            commit = _read(reader, name)
        except CheckpointError as error:
            problems.append(f"commit {name[:12]} cannot be read: {error}")
            continue
        look(commit)
        found[name] = commit
        fresh = [parent for parent in commit.parents if parent not in seen]
        seen.update(fresh)
        pending += fresh
    return list(_apart(_in_order(found))), problems


def _read(reader: BlobReader, name: str) -> FormerCommit:
    if not is_object_id(name):
        raise StoreDamaged(f"{name!r} is no id of a commit")
    parts: list[bytes] = []
    room = _MOST_BYTES

    def keep(piece: bytes) -> None:
        nonlocal room
        room -= len(piece)
        if room >= 0:
            parts.append(piece)

    _, kind = reader.copy(name, keep)
    if room < 0:
        raise StoreDamaged(f"{name} is too large for a commit")
    commit = parse_commit(name, kind, b"".join(parts))
    own = _OWN.search(commit.message)
    text = commit.message[: own.start()] if own else commit.message
    commit = replace(commit, message=text.rstrip("\n"))
    return FormerCommit(**vars(commit), id=name, own=own.group(1) if own else None)


def _in_order(found: Mapping[str, FormerCommit]) -> Iterator[FormerCommit]:
    waiting = {name: sum(p in found for p in set(c.parents)) for name, c in found.items()}
    children: dict[str, list[str]] = {}
    for name, commit in found.items():
        for parent in set(commit.parents):
            children.setdefault(parent, []).append(name)
    ready = [(found[name].created_at, name) for name, count in waiting.items() if not count]
    heapq.heapify(ready)
    while ready:
        _, name = heapq.heappop(ready)
        yield found[name]
        for child in children.get(name, ()):
            waiting[child] -= 1
            if not waiting[child]:
                heapq.heappush(ready, (found[child].created_at, child))


def _apart(ordered: Iterable[FormerCommit]) -> Iterator[FormerCommit]:
    count: Counter[datetime] = Counter()
    for commit in ordered:
        place = count[commit.created_at]
        count[commit.created_at] += 1
        yield replace(commit, created_at=commit.created_at + timedelta(microseconds=place))


def states(
    store: ObjectStore, git: Git, reader: BlobReader, commits: Sequence[FormerCommit]
) -> dict[str, FormerState | str]:
    """Return what each commit holds, by its id, or why it cannot be had."""
    trees = {c.tree_id: c.tree_id for c in commits if c.tree_id != EMPTY_TREE}
    bad = set(incomplete(git, trees))
    result: dict[str, FormerState | str] = {}
    listing = _Listing(store, git, reader)
    listing.measure(commit.tree_id for commit in commits if commit.tree_id not in bad)
    for commit in commits:
        if commit.tree_id in bad:
            result[commit.id] = "some of its objects are missing or damaged"
            continue
        try:
            result[commit.id] = listing.state(commit.tree_id)
        except CheckpointError as error:
            result[commit.id] = str(error)
    return result


class _Listing:
    """The contents of trees; each tree, of a root or below, is read once."""

    def __init__(self, store: ObjectStore, git: Git, reader: BlobReader) -> None:
        self._store = store
        self._git = git
        self._reader = reader
        self._trees: dict[str, list[TreeEntry]] = {}
        self._sizes: dict[str, int] = {}
        self._states: dict[str, FormerState] = {}
        self._without: dict[str, str] = {}

    def measure(self, trees: Iterable[str]) -> None:
        """Look up the sizes of all files of these trees, by one process."""
        files: set[str] = set()
        for tree in dict.fromkeys(trees):
            with contextlib.suppress(CheckpointError):  # met again, and told, by `state`
                files.update(
                    entry.object_id for entry in self._walk(tree, "") if entry.mode != GITLINK_MODE
                )
        found = self._store.sizes(files, self._git)
        self._sizes = {object_id: size for object_id, (size, _) in found.items()}

    def state(self, tree: str) -> FormerState:
        if tree not in self._states:
            self._states[tree] = self._read(tree)
        return self._states[tree]

    def _read(self, tree: str) -> FormerState:
        files: dict[str, str] = {}
        links: list[str] = []
        for mode, path, object_id in self._walk(tree, ""):
            if mode == GITLINK_MODE:
                links.append(path)
            else:
                files[path] = object_id
        folders = sorted({above for path in files for above in parents(path)})
        meta = TreeMeta(
            directories=dict.fromkeys(folders, UsualModes().directory),
            skipped=tuple(SkippedPath(path, SkipReason.UNREADABLE) for path in links),
            recorded=False,
        )
        total = sum(self._sizes.get(object_id, 0) for object_id in files.values())
        return FormerState(self._without_links(tree) if links else tree, meta, len(files), total)

    def _walk(self, tree: str, above: str) -> Iterator[TreeEntry]:
        for mode, name, object_id in self._entries(tree):
            if name.lower() in _FOREIGN_NAMES or "/" in name:
                raise StoreDamaged(
                    f"it holds the path {above + name!r}, which leads out of a project"
                )
            if mode == TREE_MODE:
                yield from self._walk(object_id, f"{above}{name}/")
            else:
                yield TreeEntry(mode, above + name, object_id)

    def _entries(self, tree: str) -> list[TreeEntry]:
        if tree not in self._trees:
            data = b"" if tree == EMPTY_TREE else self._reader.read(tree)[2]
            self._trees[tree] = list(parse_tree(data))
        return self._trees[tree]

    def _without_links(self, tree: str) -> str:
        """Write a tree without what leads to other repositories, and without directories that are
        empty then; return its id."""
        if tree not in self._without:
            kept = []
            for mode, name, object_id in self._entries(tree):
                below = self._without_links(object_id) if mode == TREE_MODE else object_id
                if mode != GITLINK_MODE and below != EMPTY_TREE:
                    kept.append(TreeEntry(mode, name, below))
            if kept == self._entries(tree):
                self._without[tree] = tree
            else:
                try:
                    data = written_tree(kept)
                    self._without[tree] = write_object(self._git.repository, "tree", data)
                except OSError as error:
                    raise base_error(error, self._git.repository) from error
        return self._without[tree]
