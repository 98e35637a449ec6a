"""Writes trees and facts of checkpoints again that the store lost, from what else is known.

The index of a project still names every file of its last take, and the cache beside it the facts;
facts of other checkpoints of the project may be the very same. Each object is named by its
contents, so whatever has the wanted name is the wanted object.
"""

from __future__ import annotations

import contextlib
import shutil
import zlib
from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path

from hermes_checkpoints.base.opened import Base
from hermes_checkpoints.errors import GitFailed, GitTimedOut, StoreDamaged
from hermes_checkpoints.fs.scratch import scratch_folder
from hermes_checkpoints.git import Git
from hermes_checkpoints.layout import SCRATCH_PREFIX
from hermes_checkpoints.model import Checkpoint
from hermes_checkpoints.object_store import TreeMeta
from hermes_checkpoints.object_store.commits import META, objects_beside, write_root
from hermes_checkpoints.object_store.git_index import is_sound
from hermes_checkpoints.object_store.healing import write_object
from hermes_checkpoints.object_store.index_cache import StageState, meta_of
from hermes_checkpoints.object_store.loose import loose_path
from hermes_checkpoints.object_store.steady_reader import SteadyReader


def write_trees_again(base: Base, git: Git, wanted: Collection[str]) -> int:
    """Write those of the wanted objects that are trees or facts which can be made again; return how
    many. The caller has the store alone.

    Raises:
        GitTimedOut.
        OSError: when the store cannot be written.
    """
    lacking = {name for name in wanted if not loose_path(git.repository, name).exists()}
    if not lacking:
        return 0
    with SteadyReader(git) as reader:
        for project in base.catalog.projects.all():
            index = base.layout.index_of(project.hash)
            rows = [one for one in base.catalog.checkpoints.list(project.hash) if one.tree_id]
            if is_sound(index):
                _write_index(git, index, lacking)
            metas = {meta.encode(): meta for meta in _metas(base, reader, index, rows)}
            for row in rows:
                for meta in metas.values():
                    if {*objects_beside(row.tree_id, meta)} & lacking:
                        write_root(git, row.tree_id, meta)
    return sum(loose_path(git.repository, name).exists() for name in lacking)


def _write_index(git: Git, index: Path, wanted: Collection[str]) -> None:
    """Write the wanted ones of the trees of an index. Git writes all of them, into a folder that
    knows nothing of the store: where it finds a tree, it does not look for those below."""
    with scratch_folder(git.repository, SCRATCH_PREFIX) as folder:
        (folder / "objects").mkdir()
        variables = {**git.variables, "GIT_OBJECT_DIRECTORY": str(folder / "objects")}
        alone = replace(git, index=Path(shutil.copy2(index, folder)), variables=variables)
        try:
            alone.run("write-tree", "--missing-ok", patience=4)
        except GitTimedOut:
            raise
        except GitFailed:
            return
        for tree in wanted:
            with contextlib.suppress(FileNotFoundError):
                contents = zlib.decompress(loose_path(folder, tree).read_bytes())
                write_object(git.repository, "tree", contents.partition(b"\0")[2])


def _metas(
    base: Base, reader: SteadyReader, index: Path, rows: list[Checkpoint]
) -> Iterator[TreeMeta]:
    """Yield the facts that are known beside trees of a project."""
    state = StageState.load(index)
    for row in rows:
        if state is not None and row.tree_id == state.tree_id:
            yield meta_of(state, tuple(base.catalog.checkpoints.skipped(row._row)))
        with contextlib.suppress(StoreDamaged):
            yield TreeMeta.decode(reader.read(f"{row.id}:{META}")[2])
