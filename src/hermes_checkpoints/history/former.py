"""Reads the commits of an earlier layout and the states of working directories that they hold.

All is read from our own store, into which the objects were brought before. What a tree of that
time may hold and a checkpoint may not, such as the link to a nested repository whose contents
were never captured, is taken out and named as not captured.
"""

from __future__ import annotations

import heapq
import os
import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from hermes_checkpoints.errors import CheckpointError, StoreDamaged
from hermes_checkpoints.git import BlobReader, Git
from hermes_checkpoints.model import SkippedPath, SkipReason
from hermes_checkpoints.object_store.compare import EMPTY_TREE
from hermes_checkpoints.object_store.meta import TreeMeta, UsualModes
from hermes_checkpoints.object_store.store import ObjectStore

_AUTHOR = re.compile(rb"^author .*?> (-?\d+) ([+-])(\d\d)(\d\d)$", re.MULTILINE)
_ENCODING = re.compile(rb"^encoding (\S+)$", re.MULTILINE)
OWN = "Hermes-Checkpoint"
"""Under this name a commit of an export says of which checkpoint it was made."""

_OWN = re.compile(rf"^{OWN}: ([0-9a-f]{{40,64}})$", re.MULTILINE)
_OBJECT_ID = re.compile(r"[0-9a-f]{40}")
_GITLINK = 0o160000
_TREE = 0o040000
_FOREIGN_NAMES = frozenset({"", ".", "..", ".git"})
_MOST_MINUTES = 24 * 60 - 1


@dataclass(frozen=True)
class FormerCommit:
    """A commit of an earlier layout. ``own`` is the checkpoint of which an export made it."""

    id: str
    tree_id: str
    parents: tuple[str, ...]
    message: str
    created_at: datetime
    utc_offset_minutes: int
    own: str | None = None


@dataclass(frozen=True)
class FormerState:
    """What a former commit holds, in the form that a checkpoint has it."""

    tree_id: str
    meta: TreeMeta
    file_count: int
    logical_bytes: int


def history(git: Git, tips: Iterable[str]) -> tuple[list[FormerCommit], list[str]]:
    """Return the commits that lead to ``tips``, parents first and else oldest first, and what
    could not be read. Of those within one second, a later one is some microseconds later."""
    found: dict[str, FormerCommit] = {}
    problems: list[str] = []
    pending = list(dict.fromkeys(tips))
    seen = set(pending)
    with git.blobs() as reader:
        while pending:
            name = pending.pop()
            try:
                commit = _read(reader, name)
            except CheckpointError as error:
                problems.append(f"commit {name[:12]} cannot be read: {error}")
                continue
            found[name] = commit
            fresh = [parent for parent in commit.parents if parent not in seen]
            seen.update(fresh)
            pending += fresh
    return list(_apart(_in_order(found))), problems


def _read(reader: BlobReader, name: str) -> FormerCommit:
    if not _OBJECT_ID.fullmatch(name):
        raise StoreDamaged(f"{name!r} is no id of a commit")
    _, kind, data = reader.read(name)
    head, _, body = data.partition(b"\n\n")
    author = _AUTHOR.search(head)
    lines = head.split(b"\n")
    if kind != "commit" or author is None or not lines[0].startswith(b"tree "):
        raise StoreDamaged(f"{name} is no commit")
    seconds, sign, hours, minutes = author.groups()
    offset = int(hours) * 60 + int(minutes)
    if offset > _MOST_MINUTES:
        offset = 0
    try:
        created = datetime.fromtimestamp(int(seconds), UTC)
    except (ValueError, OverflowError, OSError) as error:
        raise StoreDamaged(f"{name} is of a time that cannot be: {seconds!r}") from error
    message = _text(head, body)
    own = _OWN.search(message)
    return FormerCommit(
        name,
        lines[0][5:].decode("ascii", "replace"),
        tuple(line[7:].decode("ascii", "replace") for line in lines if line[:7] == b"parent "),
        (message[: own.start()] if own else message).rstrip("\n"),
        created,
        -offset if sign == b"-" else offset,
        own.group(1) if own else None,
    )


def _text(head: bytes, body: bytes) -> str:
    declared = _ENCODING.search(head)
    encoding = declared.group(1).decode("ascii", "replace") if declared else "utf-8"
    try:
        return body.decode(encoding)
    except (UnicodeDecodeError, LookupError):
        return body.decode("utf-8", "backslashreplace")


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
    store: ObjectStore, git: Git, commits: Sequence[FormerCommit]
) -> dict[str, FormerState | str]:
    """Return what each commit holds, by its id, or why it cannot be had."""
    bad = _incomplete(git, commits)
    result: dict[str, FormerState | str] = {}
    with git.blobs() as reader:
        listing = _Listing(store, git, reader)
        for commit in commits:
            if commit.tree_id in bad:
                result[commit.id] = "some of its objects are missing or damaged"
                continue
            try:
                result[commit.id] = listing.state(commit.tree_id)
            except CheckpointError as error:
                result[commit.id] = str(error)
    return result


def _incomplete(git: Git, commits: Sequence[FormerCommit]) -> set[str]:
    """Return the trees from which some object cannot be reached; halves the list to find them."""
    trees = list(dict.fromkeys(commit.tree_id for commit in commits))
    return set(_broken(git, trees))


def _broken(git: Git, trees: list[str]) -> Iterator[str]:
    if not trees or _reachable(git, trees):
        return
    if len(trees) == 1:
        yield trees[0]
        return
    middle = len(trees) // 2
    yield from _broken(git, trees[:middle])
    yield from _broken(git, trees[middle:])


def _reachable(git: Git, trees: list[str]) -> bool:
    wanted = [tree for tree in trees if tree != EMPTY_TREE]
    stdin = "".join(f"{tree}\n" for tree in wanted).encode()
    try:
        if wanted:
            git.run("rev-list", "--objects", "--quiet", "--stdin", stdin=stdin, patience=20)
    except CheckpointError:
        return False
    return True


class _Listing:
    """The contents of trees; each tree, of a root or below, is read once."""

    def __init__(self, store: ObjectStore, git: Git, reader: BlobReader) -> None:
        self._store = store
        self._git = git
        self._reader = reader
        self._trees: dict[str, list[tuple[int, str, str]]] = {}
        self._sizes: dict[str, int] = {}
        self._states: dict[str, FormerState] = {}

    def state(self, tree: str) -> FormerState:
        if tree not in self._states:
            self._states[tree] = self._read(tree)
        return self._states[tree]

    def _read(self, tree: str) -> FormerState:
        files: dict[str, str] = {}
        links: list[str] = []
        for mode, path, object_id in self._walk(tree, ""):
            if mode == _GITLINK:
                links.append(path)
            else:
                files[path] = object_id
        meta = TreeMeta(
            directories=dict.fromkeys(_folders(files), UsualModes().directory),
            skipped=tuple(SkippedPath(path, SkipReason.UNREADABLE) for path in links),
            recorded=False,
        )
        sizes = self._sizes_of(files.values())
        total = sum(sizes.get(object_id, 0) for object_id in files.values())
        return FormerState(self._without(tree, links), meta, len(files), total)

    def _walk(self, tree: str, above: str) -> Iterator[tuple[int, str, str]]:
        for mode, name, object_id in self._entries(tree):
            if name.lower() in _FOREIGN_NAMES or "/" in name:
                raise StoreDamaged(
                    f"it holds the path {above + name!r}, which leads out of a project"
                )
            if mode == _TREE:
                yield from self._walk(object_id, f"{above}{name}/")
            else:
                yield mode, above + name, object_id

    def _entries(self, tree: str) -> list[tuple[int, str, str]]:
        if tree not in self._trees:
            data = b"" if tree == EMPTY_TREE else self._reader.read(tree)[2]
            entries = []
            while data:
                head, _, rest = data.partition(b"\0")
                mode, _, name = head.partition(b" ")
                entries.append((int(mode, 8), os.fsdecode(name), rest[:20].hex()))
                data = rest[20:]
            self._trees[tree] = entries
        return self._trees[tree]

    def _sizes_of(self, ids: Iterable[str]) -> dict[str, int]:
        fresh = {object_id for object_id in ids if object_id not in self._sizes}
        if fresh:
            found = self._store.sizes(fresh, self._git)
            self._sizes |= {object_id: size for object_id, (size, _) in found.items()}
        return self._sizes

    def _without(self, tree: str, paths: Sequence[str]) -> str:
        """Return a tree without some of its paths."""
        if not paths:
            return tree
        stdin = b"".join(b"%s\0" % os.fsencode(path) for path in paths)
        with tempfile.TemporaryDirectory(dir=self._git.repository, prefix="scratch-") as folder:
            git = self._git.at(Path(folder), Path(folder) / "index", self._git.locks)
            git.run("read-tree", tree)
            git.run("update-index", "-z", "--force-remove", "--stdin", stdin=stdin)
            return git.run("write-tree").decode().strip()


def _folders(paths: Iterable[str]) -> list[str]:
    found: set[str] = set()
    for path in paths:
        parent = path.rpartition("/")[0]
        while parent and parent not in found:
            found.add(parent)
            parent = parent.rpartition("/")[0]
    return sorted(found)
