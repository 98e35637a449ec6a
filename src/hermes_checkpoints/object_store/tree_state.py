"""A whole state of a working directory (git's tree and the facts beside it), and what differs
between two of them, permission bits included."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from hermes_checkpoints.git import Git
from hermes_checkpoints.model import Change, ChangeStatus
from hermes_checkpoints.object_store.compare import Comparison, compare_many
from hermes_checkpoints.object_store.git_objects import (
    EMPTY_TREE,
    EXECUTABLE_MODE,
    FILE_MODE,
    LINK_MODE,
)
from hermes_checkpoints.object_store.meta import TreeMeta
from hermes_checkpoints.object_store.tree_listing import list_tree

_TYPE = 0o170000


@dataclass(frozen=True)
class TreeState:
    """A tree with the facts beside it. The default is the empty directory."""

    tree_id: str = EMPTY_TREE
    meta: TreeMeta = field(default_factory=TreeMeta)


def compare_states(git: Git, old: TreeState, new: TreeState, *, lines: bool) -> Comparison:
    """Return what differs from ``old`` to ``new``, with full modes.

    A path that differs in permission bits alone is a modification without blob ids. Between equal
    trees nothing else can differ, so that no process looks. ``lines`` counts inserted and deleted
    lines, if that takes no more than a second.

    Raises:
        GitFailed: when a tree or blob is missing.
    """
    if old.tree_id == new.tree_id:
        return Comparison(_with_bits(git, *_with_known_bits(old, new), {}), frozenset())
    return compare_all_states(git, [(old, new)], lines=lines)[0]


def compare_all_states(
    git: Git, pairs: Sequence[tuple[TreeState, TreeState]], *, lines: bool
) -> list[Comparison]:
    """Compare many pairs in one process, in order.

    Raises:
        GitFailed: when a tree or blob is missing.
    """
    pairs = [_with_known_bits(old, new) for old, new in pairs]
    trees = [(old.tree_id, new.tree_id) for old, new in pairs]
    compared = compare_many(git, trees, lines=lines)
    return [
        Comparison(_with_bits(git, old, new, found.changes), found.new_trees)
        for (old, new), found in zip(pairs, compared, strict=True)
    ]


def compare_with_former(
    git: Git, pairs: Sequence[tuple[TreeState | None, TreeState]], *, lines: bool = True
) -> list[Comparison]:
    """Compare states, each with the one before it, or with nothing where that is None, in order
    and in two processes at most, three where counting lines takes too long. ``lines`` are counted
    only where there is one before.

    Raises:
        GitFailed: when a tree or blob is missing.
    """
    found: dict[int, Comparison] = {}
    for former in (False, True):
        chosen = [i for i, (old, _) in enumerate(pairs) if (old is not None) == former]
        states = [(pairs[i][0] or TreeState(), pairs[i][1]) for i in chosen]
        if states:
            compared = compare_all_states(git, states, lines=lines and former)
            found.update(zip(chosen, compared, strict=True))
    return [found[i] for i in range(len(pairs))]


def _with_known_bits(old: TreeState, new: TreeState) -> tuple[TreeState, TreeState]:
    return (
        replace(old, meta=old.meta.assuming(new.meta)),
        replace(new, meta=new.meta.assuming(old.meta)),
    )


def _with_bits(
    git: Git, old: TreeState, new: TreeState, changes: dict[str, Change]
) -> dict[str, Change]:
    for path, change in changes.items():
        modes = _full(old.meta, path, change.old_mode), _full(new.meta, path, change.new_mode)
        if modes != (change.old_mode, change.new_mode):
            changes[path] = replace(change, old_mode=modes[0], new_mode=modes[1])
    for path, git_mode in _perhaps_other_bits(git, old, new).items():
        if path in changes:
            continue
        before, after = _full(old.meta, path, git_mode), _full(new.meta, path, git_mode)
        if before != after:
            changes[path] = Change(
                path,
                ChangeStatus.MODIFIED,
                old_mode=before,
                new_mode=after,
                insertions=0,
                deletions=0,
            )
    return changes


def _full(meta: TreeMeta, path: str, git_mode: int | None) -> int | None:
    if git_mode is None or git_mode & _TYPE == LINK_MODE:
        return git_mode
    return (git_mode & _TYPE) | meta.bits(path, git_mode)


def _perhaps_other_bits(git: Git, old: TreeState, new: TreeState) -> dict[str, int]:
    """Return git's mode of the paths whose bits may differ though git sees no difference."""
    if old.meta.usual == new.meta.usual:
        exceptional = {**new.meta.files, **old.meta.files}
        return {p: EXECUTABLE_MODE if b & 0o100 else FILE_MODE for p, b in exceptional.items()}
    return {path: mode for path, mode in list_tree(git, new.tree_id).items() if mode != LINK_MODE}
