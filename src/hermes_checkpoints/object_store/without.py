"""Writes the trees of checkpoints once more without some contents.

Trees are looked through one by one, each once: checkpoints share most of them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path

from hermes_checkpoints.git import BlobReader
from hermes_checkpoints.object_store.git_objects import EMPTY_TREE, TREE_MODE, object_id
from hermes_checkpoints.object_store.healing import write_object
from hermes_checkpoints.object_store.raw_tree import TreeEntry, parse_tree, written_tree

Found = tuple[TreeEntry, ...]


@dataclass
class Without:
    """Trees without the contents ``going`` and without the paths that ``named`` tells. With a
    ``store`` what is new is written there, ``durable`` or not; without one nothing is."""

    reader: BlobReader
    going: Collection[str]
    named: Callable[[str], bool]
    store: Path | None = None
    durable: bool = True
    _known: dict[tuple[str, str], tuple[str | None, Found]] = field(default_factory=dict)

    def of(self, tree_id: str) -> tuple[str, Found]:
        """Return the tree that is left of a captured tree, and the entries that are not in it, by
        their whole paths.

        Raises:
            StoreDamaged: when a tree cannot be read.
            OSError: when one cannot be written.
        """
        left, gone = self._below(tree_id, "")
        return left or EMPTY_TREE, gone

    def _below(self, tree_id: str, above: str) -> tuple[str | None, Found]:
        key = tree_id, above
        if key not in self._known:
            self._known[key] = self._look(tree_id, above)
        return self._known[key]

    def _look(self, tree_id: str, above: str) -> tuple[str | None, Found]:
        if tree_id == EMPTY_TREE:
            return None, ()
        left: list[TreeEntry] = []
        gone: list[TreeEntry] = []
        for entry in parse_tree(self.reader.read(tree_id)[2]):
            path = above + entry.path
            if entry.mode == TREE_MODE:
                inner, found = self._below(entry.object_id, f"{path}/")
                gone += found
                if inner is not None:
                    left.append(entry._replace(object_id=inner))
            elif entry.object_id in self.going or self.named(path):
                gone.append(entry._replace(path=path))
            else:
                left.append(entry)
        if not gone:
            return tree_id, ()
        if not left:
            return None, tuple(gone)
        data = written_tree(left)
        if self.store is None:
            return object_id("tree", data), tuple(gone)
        return write_object(self.store, "tree", data, durable=self.durable), tuple(gone)
