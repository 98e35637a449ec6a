"""Reads the commits of an earlier layout and the states of working directories that they hold.

All is read from our own store, into which the objects were brought before. What a tree of that
time may hold and a checkpoint may not, such as the link to a nested repository whose contents
were never captured, is taken out and named as not captured.
"""

from __future__ import annotations

import contextlib
import heapq
import re
import stat
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from hermes_checkpoints.errors import CheckpointError, StoreDamaged, base_error
from hermes_checkpoints.git import BlobReader, Git
from hermes_checkpoints.model import SkippedPath, SkipReason
from hermes_checkpoints.model.paths import folders_above
from hermes_checkpoints.object_store.damage import incomplete
from hermes_checkpoints.object_store.git_objects import (
    EMPTY_TREE,
    GITLINK_MODE,
    TREE_MODE,
    is_object_id,
)
from hermes_checkpoints.object_store.healing import write_object
from hermes_checkpoints.object_store.meta import TreeMeta, UsualModes
from hermes_checkpoints.object_store.raw_commit import RawCommit, parents_of, parse_commit
from hermes_checkpoints.object_store.raw_tree import TreeEntry, parse_tree, written_tree
from hermes_checkpoints.object_store.store import ObjectStore

OWN = "Hermes-Checkpoint"
"""Under this name a commit of an export says of which checkpoint it was made."""

_OWN = re.compile(rf"^{OWN}: ([0-9a-f]{{40,64}})$", re.MULTILINE)
_MOST_BYTES = 16 * 1024 * 1024
_MOST_MESSAGE = 1024 * 1024
_MOST_PARENTS = 1_000
_MOST_DEPTH = 1_500
_MOST_PATH = 4096
_MOST_PATHS_CHARACTERS = 64 * 1024 * 1024
_MOST_PATHS = 250_000
"""Five times as many as versions 1 and 2 took. Few small trees that name each other several times
stand for any number of paths."""
_YEARS = range(1902, 9998)
"""Times beyond have no zone that is sure to hold them."""
_KINDS = frozenset({stat.S_IFREG, stat.S_IFLNK, TREE_MODE, GITLINK_MODE})
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
        parents: Sequence[str] = ()
        try:
            kind, data = _read_object(reader, name)
            parents = parents_of(data)[:_MOST_PARENTS]
            commit = _commit(name, kind, data)
        except CheckpointError as error:
            problems.append(f"commit {name[:12]} cannot be read: {error}")
        else:
            look(commit)
            found[name] = commit
        fresh = [parent for parent in dict.fromkeys(parents) if parent not in seen]
        seen.update(fresh)
        pending += fresh
    return list(_apart(_in_order(found))), problems


def _read_object(reader: BlobReader, name: str) -> tuple[str, bytes]:
    if not is_object_id(name):
        raise StoreDamaged(f"{name[:80]!r} is no id of a commit")
    return _read_limited(reader, name, "a commit")


def _commit(name: str, kind: str, data: bytes) -> FormerCommit:
    commit = parse_commit(name, kind, data)
    if not is_object_id(commit.tree_id):
        raise StoreDamaged(f"{name} names no tree")
    if commit.created_at.year not in _YEARS:
        raise StoreDamaged(f"{name} is of a time that cannot be: {commit.created_at.isoformat()}")
    if len(commit.parents) > _MOST_PARENTS:
        raise StoreDamaged(f"it has {len(commit.parents)} parents")
    if len(commit.message) > _MOST_MESSAGE:
        raise StoreDamaged(f"its message has more than {_MOST_MESSAGE} characters")
    own = _OWN.search(commit.message)
    text = commit.message[: own.start()] if own else commit.message
    commit = replace(commit, message=text.rstrip("\n"))
    return FormerCommit(**vars(commit), id=name, own=own.group(1) if own else None)


def _read_limited(reader: BlobReader, name: str, what: str) -> tuple[str, bytes]:
    """Return the kind of an object, and its contents if they are not too large for what it is.

    Raises:
        StoreDamaged: when they are, or it cannot be read.
    """
    parts: list[bytes] = []
    room = _MOST_BYTES

    def keep(piece: bytes) -> None:
        nonlocal room
        room -= len(piece)
        if room >= 0:
            parts.append(piece)

    _, kind = reader.copy(name, keep)
    if room < 0:
        raise StoreDamaged(f"{name} is too large for {what}")
    return kind, b"".join(parts)


def _require_possible(entries: Sequence[TreeEntry]) -> None:
    """Refuse a tree with what no project can hold.

    Raises:
        StoreDamaged.
    """
    names = set()
    for mode, name, _ in entries:
        if name.lower() in _FOREIGN_NAMES or "/" in name:
            raise StoreDamaged(f"it holds the path {name[:80]!r}, which leads out of a project")
        if name in names:
            raise StoreDamaged(f"it holds the name {name[:80]!r} twice")
        if stat.S_IFMT(mode) not in _KINDS:
            raise StoreDamaged(f"it holds {name[:80]!r} of mode {mode:o}, which git does not have")
        names.add(name)


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
                    entry.object_id for entry in self._walk(tree) if entry.mode != GITLINK_MODE
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
        for mode, path, object_id in self._walk(tree):
            if mode == GITLINK_MODE:
                links.append(path)
            else:
                files[path] = object_id
        folders = sorted(folders_above(files))
        meta = TreeMeta(
            directories=dict.fromkeys(folders, UsualModes().directory),
            skipped=tuple(SkippedPath(path, SkipReason.UNREADABLE) for path in links),
            recorded=False,
        )
        total = sum(self._sizes.get(object_id, 0) for object_id in files.values())
        return FormerState(self._without_links(tree) if links else tree, meta, len(files), total)

    def _walk(self, tree: str) -> Iterator[TreeEntry]:
        """Yield the files and links below a tree, each folder's own before those of the next.

        Raises:
            StoreDamaged: when it cannot be read, or is over a limit.
        """
        pending = [(tree, "", 0)]
        left, room = _MOST_PATHS, _MOST_PATHS_CHARACTERS
        while pending:
            object_id, above, depth = pending.pop()
            entries = self._entries(object_id)
            left -= len(entries)
            room -= len(entries) * len(above)
            if left < 0 or room < 0:
                raise StoreDamaged(f"it stands for more than {_MOST_PATHS} paths")
            if depth > _MOST_DEPTH or len(above) > _MOST_PATH:
                raise StoreDamaged(f"it is nested too deeply, as in {above[:80]!r}…")
            for mode, name, found in entries:
                if mode == TREE_MODE:
                    pending.append((found, f"{above}{name}/", depth + 1))
                else:
                    yield TreeEntry(mode, above + name, found)

    def _entries(self, tree: str) -> list[TreeEntry]:
        if tree not in self._trees:
            data = b"" if tree == EMPTY_TREE else _read_limited(self._reader, tree, "a folder")[1]
            entries = list(parse_tree(data))
            _require_possible(entries)
            self._trees[tree] = entries
        return self._trees[tree]

    def _without_links(self, tree: str) -> str:
        """Write a tree without what leads to other repositories, and without directories that are
        empty then; return its id."""
        waiting = [tree]
        while waiting:
            top = waiting[-1]
            below = [one.object_id for one in self._entries(top) if one.mode == TREE_MODE]
            unknown = [one for one in below if one not in self._without]
            if unknown:
                waiting += unknown
                continue
            if top not in self._without:
                self._without[top] = self._written_without(top)
            waiting.pop()
        return self._without[tree]

    def _written_without(self, tree: str) -> str:
        """Do it for a tree of which all that are below it are done."""
        kept = []
        for mode, name, object_id in self._entries(tree):
            below = self._without[object_id] if mode == TREE_MODE else object_id
            if mode != GITLINK_MODE and below != EMPTY_TREE:
                kept.append(TreeEntry(mode, name, below))
        if kept == self._entries(tree):
            return tree
        try:
            return write_object(self._git.repository, "tree", written_tree(kept))
        except OSError as error:
            raise base_error(error, self._git.repository) from error
