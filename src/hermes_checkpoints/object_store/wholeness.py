"""Finds which checkpoints the store has whole, and what it lacks of the others.

Where all are whole it costs one process, or two where all contents are read.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from hermes_checkpoints.errors import PROGRAM, StoreDamaged
from hermes_checkpoints.git import Git
from hermes_checkpoints.object_store import damage
from hermes_checkpoints.object_store.commits import META, TREE
from hermes_checkpoints.object_store.git_objects import EMPTY_TREE, GITLINK_MODE, TREE_MODE
from hermes_checkpoints.object_store.raw_commit import parse_commit
from hermes_checkpoints.object_store.raw_tree import TreeEntry, parse_tree
from hermes_checkpoints.object_store.steady_reader import SteadyReader

_MOST_PATHS = 3
"""How many paths of one tree are remembered."""


@dataclass(frozen=True)
class Lack:
    """What is missing or damaged of a checkpoint: ``parts`` in words for people, the first few, and
    how many there are in all."""

    parts: tuple[str, ...]
    count: int

    @property
    def text(self) -> str:
        """The parts, and how many more there are."""
        more = self.count - len(self.parts)
        return ", ".join(self.parts) + (f" and {more} more" if more > 0 else "")


def lacking(git: Git, commits: Sequence[str], *, deep: bool) -> dict[str, Lack]:
    """Return what the store lacks of checkpoints, by commit id; of whole ones nothing. With
    ``deep`` every object is read and compared with its id, else only commits and trees are.

    Raises:
        GitTimedOut.
        StoreDamaged: when too much is damaged to go on.
    """
    if not commits:
        return {}
    ids, whole = damage.reach(git, commits)
    with SteadyReader(git) as reader:
        damaged = reader.unreadable(ids) if deep and whole else None
        if whole and not damaged:
            return {}
        walk = _Walk(git, reader, deep=deep, damaged=damaged)
        return walk.of(commits)


def missing_objects(git: Git, commits: Iterable[str]) -> set[str]:
    """Return the objects that the store lacks, or cannot read, of all that these commits lead to.
    Contents of files are only looked for, not read.

    Raises:
        GitTimedOut.
        StoreDamaged: when too much is damaged to go on.
    """
    wanted = list(dict.fromkeys(commits))
    if not wanted or damage.reach(git, wanted)[1]:
        return set()
    with SteadyReader(git) as reader:
        walk = _Walk(git, reader, deep=False)
        return walk.missing(wanted)


@dataclass(frozen=True)
class LostPaths:
    """Which ``paths`` of a checkpoint have lost their contents, in order, and how many others are
    ``whole``."""

    paths: tuple[str, ...]
    whole: int


def lost_paths(git: Git, trees: Iterable[str]) -> dict[str, LostPaths]:
    """Return which paths of captured trees have lost their contents, by tree, by two processes. A
    tree of which a part cannot be read is not among them: nothing tells what was in it.

    Raises:
        GitTimedOut, GitFailed: when git cannot tell.
        StoreDamaged: when too much is damaged to go on.
    """
    with SteadyReader(git) as reader:
        walk = _Walk(git, reader, deep=False)
        return walk.lost_paths(list(dict.fromkeys(trees)))


def all_lost_paths(git: Git, trees: Iterable[str]) -> set[str]:
    """Return the paths that any of some captured trees has lost the contents of; no process is
    started for none.

    Raises:
        GitTimedOut, GitFailed, StoreDamaged: as ``lost_paths``.
    """
    wanted = [*trees]
    found = lost_paths(git, wanted).values() if wanted else ()
    return {path for one in found for path in one.paths}


def require_sound_folders(git: Git, now: str, then: str) -> None:
    """Refuse a tree ``then`` of which a folder that differs in the tree ``now`` is not what its id
    says: git does not look, and would tell of another. Each is read once, by one process.

    Raises:
        StoreDamaged: with the folder.
    """
    waiting = [("", now, then)]
    with git.blobs() as reader:
        while waiting:
            path, old, new = waiting.pop()
            if new in (old, EMPTY_TREE):
                continue
            try:
                tree = reader.read(new)[2]
                wanted = list(parse_tree(tree)) if _FOLDER in tree else []
            except StoreDamaged as error:
                raise StoreDamaged(
                    f"the folder {path or '.'!r} of the checkpoint cannot be read: {error}; "
                    f"`{PROGRAM} doctor --deep --repair` writes it again where it can"
                ) from error
            there = {}
            if old != EMPTY_TREE and wanted:
                there = {entry.path: entry for entry in parse_tree(reader.read(old)[2])}
            for mode, name, object_id in wanted:
                if mode == TREE_MODE:
                    same = there.get(name)
                    is_folder = same is not None and same.mode == TREE_MODE
                    former = same.object_id if same is not None and is_folder else EMPTY_TREE
                    waiting.append((f"{path}/{name}".lstrip("/"), former, object_id))


_FOLDER = b"40000 "
"""What the entry of a folder in a tree begins with."""

_NOTHING = Lack((), 0)


@dataclass
class _Walk:
    """A walk through all trees of some commits, each read once. ``damaged`` are the objects that
    are, where all were read before."""

    git: Git
    reader: SteadyReader
    deep: bool
    damaged: set[str] | None = None
    trees: dict[str, tuple[TreeEntry, ...] | None] = field(default_factory=dict)
    blobs: dict[str, None] = field(default_factory=dict)
    lacks: dict[str, Lack] = field(default_factory=dict)

    def of(self, commits: Iterable[str]) -> dict[str, Lack]:
        tops, absent = self._tops(commits), self._absent()
        found = {commit: self._of_commit(top, absent) for commit, top in tops.items()}
        return {commit: lack for commit, lack in found.items() if lack.count}

    def missing(self, commits: Iterable[str]) -> set[str]:
        tops = self._tops(commits)
        lost = {commit for commit, top in tops.items() if top is None}
        return lost | {tree for tree, found in self.trees.items() if found is None} | self._absent()

    def lost_paths(self, trees: Sequence[str]) -> dict[str, LostPaths]:
        for tree in trees:
            self._read_below(tree)
        absent = self._absent()
        found = {tree: self._files(tree) for tree in trees}
        return {
            tree: LostPaths(
                tuple(sorted(path for path, blob in files if blob in absent)),
                sum(blob not in absent for _, blob in files),
            )
            for tree, files in found.items()
            if files is not None
        }

    def _files(self, top: str) -> list[tuple[str, str]] | None:
        """Return path and contents of each file of a tree; None where a part of it is gone."""
        files = []
        waiting = [("", top)]
        while waiting:
            above, tree = waiting.pop()
            entries = self.trees[tree]
            if entries is None:
                return None
            for mode, name, object_id in entries:
                if mode == TREE_MODE:
                    waiting.append((f"{above}{name}/", object_id))
                elif mode != GITLINK_MODE:
                    files.append((above + name, object_id))
        return files

    def _tops(self, commits: Iterable[str]) -> dict[str, str | None]:
        """Read all trees of the commits; return the top one of each, None where it has none."""
        tops: dict[str, str | None] = {}
        for commit in commits:
            tops[commit] = self._tree_of(commit)
            self._read_below(tops[commit])
        return tops

    def _absent(self) -> set[str]:
        """Return the contents that are missing or, in a deep walk, damaged."""
        absent = self.blobs.keys() - set(damage.present(self.git, list(self.blobs)))
        if self.deep:
            known = self.damaged
            rest = self.blobs.keys() - absent
            absent |= self.reader.unreadable(rest) if known is None else rest & known
        return absent

    def _tree_of(self, commit: str) -> str | None:
        try:
            _, kind, data = self.reader.read(commit)
            return parse_commit(commit, kind, data).tree_id
        except StoreDamaged:
            return None

    def _read_below(self, top: str | None) -> None:
        waiting = [] if top is None else [top]
        while waiting:
            tree = waiting.pop()
            if tree in self.trees:
                continue
            entries = self._entries(tree)
            self.trees[tree] = entries
            for entry in entries or ():
                if entry.mode == TREE_MODE:
                    waiting.append(entry.object_id)
                elif entry.mode != GITLINK_MODE:
                    self.blobs[entry.object_id] = None

    def _entries(self, tree: str) -> tuple[TreeEntry, ...] | None:
        if tree == EMPTY_TREE:
            return ()
        try:
            _, kind, data = self.reader.read(tree)
            return tuple(parse_tree(data)) if kind == "tree" else None
        except StoreDamaged:
            return None

    def _of_commit(self, top: str | None, absent: set[str]) -> Lack:
        if top is None:
            return Lack(("its commit",), 1)
        entries = self.trees[top]
        if entries is None:
            return Lack(("the tree of its commit",), 1)
        by_name = {entry.path: entry for entry in entries}
        parts: list[str] = []
        count = 0
        facts = by_name.get(META)
        if facts is None or facts.object_id in absent:
            parts.append("the facts beside its tree")
            count += 1
        if TREE in by_name:
            below = self._of_tree(by_name[TREE].object_id, absent)
            parts += [part or "its tree" for part in below.parts]
            count += below.count
        return Lack(tuple(parts), count)

    def _of_tree(self, top: str, absent: set[str]) -> Lack:
        """Return what a tree lacks, with paths from it; the empty path is the tree itself."""
        waiting = [top]
        while waiting:
            tree = waiting[-1]
            entries = self.trees[tree]
            below = [e.object_id for e in entries or () if e.mode == TREE_MODE]
            unknown = [one for one in below if one not in self.lacks]
            if unknown:
                waiting += unknown
                continue
            waiting.pop()
            if tree not in self.lacks:
                self.lacks[tree] = Lack(("",), 1) if entries is None else self._sum(entries, absent)
        return self.lacks[top]

    def _sum(self, entries: Sequence[TreeEntry], absent: set[str]) -> Lack:
        parts: list[str] = []
        count = 0
        for entry in entries:
            if entry.mode == TREE_MODE:
                below = self.lacks[entry.object_id]
                parts += [f"{entry.path}/{part}" for part in below.parts]
                count += below.count
            elif entry.object_id in absent:
                parts.append(entry.path)
                count += 1
        return Lack(tuple(parts[:_MOST_PATHS]), count) if count else _NOTHING
