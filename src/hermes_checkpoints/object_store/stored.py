"""A checkpoint as git alone has it, read back from its commit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from hermes_checkpoints.errors import StoreDamaged
from hermes_checkpoints.model import CheckpointFacts
from hermes_checkpoints.object_store.commits import META, TREE, facts_of, trailers_of
from hermes_checkpoints.object_store.git_objects import EMPTY_TREE
from hermes_checkpoints.object_store.meta import TreeMeta
from hermes_checkpoints.object_store.raw_commit import parse_commit
from hermes_checkpoints.object_store.raw_tree import parse_tree


class Reader(Protocol):
    """What reads objects of the store, as ``git.blobs`` and ``SteadyReader`` do."""

    def read(self, name: str) -> tuple[str, str, bytes]: ...


@dataclass(frozen=True)
class StoredCheckpoint:
    """A checkpoint as git alone has it."""

    facts: CheckpointFacts
    meta: TreeMeta


def read_checkpoint(reader: Reader, name: str, ref_name: str) -> StoredCheckpoint:
    """Read the checkpoint whose commit ``name`` stands for, an id or a ref; its facts say that it
    has the ref ``ref_name``.

    Raises:
        StoreDamaged: when the store lacks part of that, or it is no checkpoint.
    """
    commit_id, kind, data = reader.read(name)
    commit = parse_commit(name, kind, data)
    trailers = trailers_of(commit.message)
    entries = {e.path: e.object_id for e in parse_tree(reader.read(commit.tree_id)[2])}
    if META not in entries:
        raise StoreDamaged(f"the commit of {name} lacks the facts beside its tree")
    meta = TreeMeta.decode(reader.read(entries[META])[2])
    facts = facts_of(
        trailers,
        commit_id=commit_id,
        tree_id=entries.get(TREE, EMPTY_TREE),
        ref_name=ref_name,
        meta=meta,
    )
    return StoredCheckpoint(facts, meta)
