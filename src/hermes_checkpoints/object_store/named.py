"""Captures single paths that are named, whatever their size and whatever rule matches them.

The project's own index, which says what a take captures, stays as it is: paths are staged into a
copy of it, or into an index of their own.
"""

from __future__ import annotations

import shutil
import stat
from collections.abc import Collection, Iterable
from dataclasses import replace
from pathlib import Path

from hermes_checkpoints.fs.inspect import Entry, EntryKind, Inspector
from hermes_checkpoints.fs.scratch import scratch_folder
from hermes_checkpoints.fs.system import permission_bits
from hermes_checkpoints.git import Git
from hermes_checkpoints.layout import SCRATCH_PREFIX
from hermes_checkpoints.model import SkippedPath, SkipReason
from hermes_checkpoints.model.paths import folders_above
from hermes_checkpoints.object_store.git_index import encode_paths
from hermes_checkpoints.object_store.meta import TreeMeta, usual_modes
from hermes_checkpoints.object_store.staging import PATHS_PER_CALL, Staged
from hermes_checkpoints.object_store.tree_listing import list_tree
from hermes_checkpoints.object_store.tree_state import TreeState

_HELD = (EntryKind.FILE, EntryKind.LINK)
_NOT_HELD = {
    EntryKind.OVERSIZE: SkipReason.OVERSIZE,
    EntryKind.UNREADABLE: SkipReason.UNREADABLE,
    EntryKind.SPECIAL: SkipReason.SPECIAL,
}


def with_paths(git: Git, staged: Staged, paths: Collection[str]) -> Staged:
    """Return a staged working directory with more paths of it.

    ``staged`` is what the index of ``git`` holds. A path that is no file or link that can be read
    is left out.

    Raises:
        GitFailed: when one cannot be stored; index and working directory are as they were.
    """
    found = _looked_at(git, paths)
    if not found:
        return staged
    tree_id = _write_tree(git, found, beside=True)
    meta = staged.meta
    usual = meta.usual
    bits = _bits(found)
    folders = folders_above(found) - meta.directories.keys()
    ignored = tuple(path for path in meta.ignored_paths if path not in found)
    meta = replace(
        meta,
        files={p: b for p, b in meta.files.items() if p not in found}
        | {path: b for path, b in bits.items() if b != usual.of_bits(b)},
        directories={**meta.directories, **directory_bits(git, folders)},
        skipped=tuple(one for one in meta.skipped if one.path not in found),
        ignored_paths=ignored,
        ignored=meta.ignored - (len(meta.ignored_paths) - len(ignored)),
        owners={p: o for p, o in meta.owners.items() if p not in found} | _owners(found),
    )
    sizes = {**staged.sizes, **{path: entry.size for path, entry in found.items()}}
    return Staged(tree_id, meta, meta.state_id(tree_id), sizes)


def only_paths(git: Git, paths: Collection[str], directories: Iterable[str] = ()) -> Staged:
    """Return named paths of a working directory alone, with the permission bits of the
    directories above them and of those that are named.

    Raises:
        GitFailed: when one cannot be stored.
    """
    return _only(git, paths, _looked_at(git, paths), directories)


def about_paths(git: Git, paths: Collection[str], limit: int | None) -> Staged:
    """Return named paths of a working directory alone, with all that is known of them: also which
    of them were missing (``meta.absent``), with the directories that were missing above them, and
    which could not be held, as a file over ``limit`` bytes (``meta.skipped``). Of a directory, and
    of what lies behind a link, it tells nothing.

    Raises:
        GitFailed: when one cannot be stored.
    """
    look = Inspector(str(git.work_tree), limit)
    entries = {path: look.look(path) for path in paths}
    missing = {path for path, entry in entries.items() if entry.kind is EntryKind.MISSING}
    folders = folders_above(missing) - entries.keys()
    missing |= {up for up in folders if look.look(up).kind is EntryKind.MISSING}
    skipped = (
        SkippedPath(path, _NOT_HELD[entry.kind], entry.size or None)
        for path, entry in sorted(entries.items())
        if entry.kind in _NOT_HELD
    )
    held = {path: entry for path, entry in entries.items() if entry.kind in _HELD}
    staged = _only(git, entries, held)
    meta = replace(staged.meta, skipped=tuple(skipped), absent=tuple(sorted(missing)))
    return replace(staged, meta=meta, state_id=meta.state_id(staged.tree_id))


def _only(
    git: Git, paths: Collection[str], found: dict[str, Entry], directories: Iterable[str] = ()
) -> Staged:
    """Stage those of the paths that are ``found``."""
    tree_id = _write_tree(git, found, beside=False)
    bits = _bits(found)
    known = directory_bits(git, folders_above((*paths, *directories)).union(directories))
    usual = usual_modes(bits.values(), known.values())
    unusual = {path: b for path, b in bits.items() if b != usual.of_bits(b)}
    meta = TreeMeta(usual, unusual, known, owners=_owners(found))
    sizes = {path: entry.size for path, entry in found.items()}
    return Staged(tree_id, meta, meta.state_id(tree_id), sizes)


def directory_bits(git: Git, paths: Iterable[str]) -> dict[str, int]:
    """Return the permission bits of those of the paths that are directories; a link is none."""
    look = Inspector(str(git.work_tree))
    found: dict[str, int] = {}
    for path in paths:
        entry = look.look(path)
        if entry.kind is EntryKind.DIRECTORY:
            found[path] = permission_bits(stat.S_IFDIR | entry.mode)
    return found


def _looked_at(git: Git, paths: Iterable[str]) -> dict[str, Entry]:
    look = Inspector(str(git.work_tree))
    entries = {path: look.look(path) for path in paths}
    return {path: entry for path, entry in entries.items() if entry.kind in _HELD}


def _owners(found: dict[str, Entry]) -> dict[str, tuple[int, int]]:
    return {path: entry.owner for path, entry in found.items() if entry.owner is not None}


def _bits(found: dict[str, Entry]) -> dict[str, int]:
    return {
        path: permission_bits(stat.S_IFREG | entry.mode)
        for path, entry in found.items()
        if entry.kind is EntryKind.FILE
    }


def _write_tree(git: Git, found: Collection[str], *, beside: bool) -> str:
    """Write the tree of some paths, ``beside`` those of the index or alone."""
    own = git.own_index
    with scratch_folder(git.repository.parent, SCRATCH_PREFIX) as folder:
        index = Path(folder) / "index"
        if beside and own.exists():
            shutil.copy2(own, index)
        aside = replace(git, index=index)
        paths = sorted(found)
        for start in range(0, len(paths), PATHS_PER_CALL):
            aside.run(
                *("update-index", "-z", "--add", "--remove", "--replace", "--stdin"),
                stdin=encode_paths(paths[start : start + PATHS_PER_CALL]),
                patience=8,
            )
        return aside.run("write-tree").decode().strip()


def told_of(git: Git, state: TreeState) -> list[str]:
    """Return the paths that a partial checkpoint tells of: what it holds, and what was missing.

    Raises:
        GitFailed.
    """
    return sorted({*list_tree(git, state.tree_id), *state.meta.absent})
