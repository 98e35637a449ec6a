"""Finds out what a push would let leave this machine: the contents that the remote does not have
yet, and which of them look like secrets.

Each checkpoint is compared with the one before it that leaves, too, and the first of a project with
the last one that was sent. A file that looks like a secret holds up each checkpoint that has it,
until one has it no longer: contents cannot be cut out of a checkpoint without making another one of
it. What was sent with consent is on the remote, and holds up nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from hermes_checkpoints.git import BlobReader, Git
from hermes_checkpoints.model import Checkpoint, RefusedPath
from hermes_checkpoints.object_store.git_objects import (
    EMPTY_TREE,
    EXECUTABLE_MODE,
    FILE_MODE,
    LINK_MODE,
    TREE_MODE,
)
from hermes_checkpoints.object_store.raw_diff import RawChange, diff_trees
from hermes_checkpoints.remote.secrets import LOOKED_AT, suspicious_contents, suspicious_name

_FILES = frozenset((FILE_MODE, EXECUTABLE_MODE, LINK_MODE))


@dataclass(frozen=True)
class Outgoing:
    """A checkpoint that is to leave. ``contents`` are the ids of those that nothing before it has
    brought along, ``suspicious`` the files that hold it up, in order."""

    checkpoint: Checkpoint
    contents: tuple[str, ...]
    suspicious: tuple[RefusedPath, ...] = ()


@dataclass
class Examination:
    """Looks at checkpoints, project by project, in the order in which they are to leave.

    ``last`` has the last checkpoint of each project that was sent, by the hash of the project; one
    that is not there is sent as a whole. Without ``checks`` nothing is looked for.
    """

    git: Git
    last: Mapping[str, Checkpoint | None]
    checks: bool = True
    _trees: dict[str, str] = field(default_factory=dict)
    _held_up: dict[str, dict[bytes, str]] = field(default_factory=dict)
    _known: dict[str, str | None] = field(default_factory=dict)

    def of(self, checkpoints: Sequence[Checkpoint]) -> Iterator[Outgoing]:
        """Yield what each brings along; by two processes, whatever the number.

        Raises:
            StoreDamaged: when the store lacks a part of one.
            GitTimedOut, GitFailed.
        """
        pairs = [(self._before(one), one.tree_id) for one in checkpoints]
        with self.git.blobs() as reader:
            for one, found in zip(checkpoints, diff_trees(self.git, pairs), strict=True):
                changes = [change for change in found.changes if change.new_mode != TREE_MODE]
                new = self._read(reader, changes)
                held_up = self._held_up.setdefault(one.project_hash, {})
                self._note(held_up, changes)
                paths = ((os.fsdecode(path), why) for path, why in sorted(held_up.items()))
                yield Outgoing(one, tuple(new), tuple(RefusedPath(*each) for each in paths))

    def _before(self, one: Checkpoint) -> str:
        """Return the tree that a checkpoint is compared with, and remember its own."""
        sent = self.last.get(one.project_hash)
        known = EMPTY_TREE if sent is None else sent.tree_id
        before = self._trees.get(one.project_hash, known)
        self._trees[one.project_hash] = one.tree_id
        return before

    def _read(self, reader: BlobReader, changes: Sequence[RawChange]) -> list[str]:
        """Read the contents that are met for the first time, and return their ids."""
        ids = dict.fromkeys(one.new_id for one in changes if one.new_mode in _FILES)
        new = [id_ for id_ in ids if id_ not in self._known]
        if self.checks:
            reader.expect(new)
        for id_ in new:
            self._known[id_] = _reason(reader, id_) if self.checks else None
        return new

    def _note(self, held_up: dict[bytes, str], changes: Sequence[RawChange]) -> None:
        """Note which of the changed paths hold up their checkpoint and those after it."""
        for change in changes:
            held_up.pop(change.path, None)
            if not self.checks or change.new_mode not in _FILES:
                continue
            why = suspicious_name(os.fsdecode(change.path)) or self._known[change.new_id]
            if why is not None:
                held_up[change.path] = why


def _reason(reader: BlobReader, id_: str) -> str | None:
    """Return what in some contents looks like a secret."""
    begin = bytearray()
    reader.copy(id_, lambda piece: begin.extend(piece[: LOOKED_AT - len(begin)]))
    return suspicious_contents(bytes(begin))
