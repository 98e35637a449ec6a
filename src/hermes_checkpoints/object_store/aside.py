"""Trees that are made to be compared and are not kept: they lie in a folder of their own, and go
with it."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from hermes_checkpoints.errors import StoreDamaged, base_errors
from hermes_checkpoints.fs.scratch import scratch_folder
from hermes_checkpoints.git import Git
from hermes_checkpoints.layout import SCRATCH_PREFIX
from hermes_checkpoints.model.paths import within
from hermes_checkpoints.object_store.git_objects import EMPTY_TREE, TREE_MODE
from hermes_checkpoints.object_store.healing import write_object
from hermes_checkpoints.object_store.raw_tree import TreeEntry, written_tree
from hermes_checkpoints.object_store.without import Without

_MISSING = b"missing"


@dataclass(frozen=True)
class Aside:
    """A place for trees beside the store. Its ``git`` reads them, the store, and whatever else the
    git that it was made of reads."""

    git: Git
    folder: Path

    @classmethod
    @contextlib.contextmanager
    def lent(cls, git: Git, place: Path) -> Iterator[Aside]:
        """Lend a place for trees in a folder below ``place``, which goes at the end of the block.

        Raises:
            BaseUnwritable, NoSpace.
        """
        with contextlib.ExitStack() as stack:
            with base_errors(place):
                folder = stack.enter_context(scratch_folder(place, SCRATCH_PREFIX))
                (folder / "objects").mkdir()
            yield cls(git.of_objects().with_objects(folder / "objects"), folder)

    def without(self, trees: Iterable[str], paths: Collection[str]) -> list[str]:
        """Return trees without some paths and what lies below them.

        Raises:
            StoreDamaged: when a tree cannot be read, or is nested deeper than any directory is.
            BaseUnwritable, NoSpace.
        """
        if not paths:
            return [*trees]
        wanted = frozenset(paths)
        with self.git.blobs() as reader, base_errors(self.folder):
            rest = Without(
                reader, (), lambda path: within(path, wanted), self.folder, durable=False
            )
            try:
                return [rest.of(tree)[0] for tree in trees]
            except RecursionError:
                raise StoreDamaged("a tree is nested deeper than any directory is") from None

    def tree_of(self, entries: Mapping[str, TreeEntry]) -> str:
        """Write the tree of some files and links by path, none of which lies below another;
        return its id.

        Raises:
            BaseUnwritable, NoSpace.
        """
        folders: dict[str, list[TreeEntry]] = {"": []}
        for path, entry in entries.items():
            above, _, name = path.rpartition("/")
            folders.setdefault(above, []).append(entry._replace(path=name))
            while above and (up := above.rpartition("/")[0]) not in folders:
                folders[up], above = [], up
        with base_errors(self.folder):
            # From the deepest up, each tree is written before the one that names it.
            for folder in sorted(folders, key=lambda one: -one.count("/") if one else 1):
                tree = self._write(folders[folder])
                if folder:
                    above, _, name = folder.rpartition("/")
                    folders[above].append(TreeEntry(TREE_MODE, name, tree))
        return tree

    def _write(self, entries: list[TreeEntry]) -> str:
        if not entries:
            return EMPTY_TREE
        return write_object(
            self.folder, "tree", written_tree(sorted(entries, key=_order)), durable=False
        )


def _order(entry: TreeEntry) -> bytes:
    """Return what git puts the entries of a tree in order by."""
    name = entry.path.encode("utf-8", "surrogateescape")
    return name + b"/" if entry.mode == TREE_MODE else name


def missing(git: Git, ids: Iterable[str]) -> set[str]:
    """Return those of some objects that cannot be found, in one process; none is read.

    Raises:
        GitFailed.
    """
    names = sorted(set(ids))
    if not names:
        return set()
    asked = "".join(f"{name}\n" for name in names).encode()
    lines = git.of_objects().run("cat-file", "--batch-check", stdin=asked).splitlines()
    return {line.split()[0].decode() for line in lines if line.split()[1:] == [_MISSING]}
