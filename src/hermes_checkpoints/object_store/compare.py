"""Compares trees: which paths differ, with ids, modes and line counts.

Renames are not detected: a decision about a path rests on that path alone.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from hermes_checkpoints.git import Git
from hermes_checkpoints.model import Change, ChangeStatus
from hermes_checkpoints.object_store.git_objects import NO_OBJECT, TREE_MODE
from hermes_checkpoints.object_store.raw_diff import RawChange, diff_trees


@dataclass(frozen=True)
class Comparison:
    """The files that differ, by path, and the ids of the trees that only the newer has."""

    changes: dict[str, Change]
    new_trees: frozenset[str]


def compare_many(
    git: Git, pairs: Sequence[tuple[str, str]], *, lines: bool
) -> Iterator[Comparison]:
    """Compare many pairs of trees, by id, in one process; yields one comparison a pair, in order.
    ``lines`` counts inserted and deleted lines, too, if that takes no more than a second a pair.

    Raises:
        StoreDamaged, GitFailed: when a tree or blob is missing.
    """
    for (old, new), found in zip(pairs, diff_trees(git, pairs, lines=lines), strict=True):
        changes: dict[str, Change] = {}
        trees = {new} - {old}
        found.changes.reverse()
        while found.changes:  # a first checkpoint has all files: none is held twice
            raw = found.changes.pop()
            if raw.new_mode == TREE_MODE:
                trees.add(raw.new_id)
            elif raw.old_mode != TREE_MODE:
                change = _change(raw, found.lines.get(raw.path))
                changes[change.path] = change
        yield Comparison(changes, frozenset(trees))


def _change(raw: RawChange, lines: tuple[int, int] | None) -> Change:
    insertions, deletions = lines or (None, None)
    return Change(
        os.fsdecode(raw.path),
        ChangeStatus(raw.status),
        None if raw.old_id == NO_OBJECT else raw.old_id,
        None if raw.new_id == NO_OBJECT else raw.new_id,
        raw.old_mode or None,
        raw.new_mode or None,
        insertions=insertions,
        deletions=deletions,
    )


@contextlib.contextmanager
def patching(
    git: Git, old: str, new: str, paths: Sequence[str] | None, *, binary: bool = False
) -> Iterator[Callable[[], tuple[str, str]]]:
    """Let a process of its own write the patch between two trees while the block does something
    else; yield a function that waits for the diffstat and the patch, for people, and raises as
    ``Git.run`` does.

    ``paths`` are literal; None means all. With ``binary`` the patch is for ``git apply``: it has
    contents that are no text, too. Where the trees are the same, no process is started.
    """
    if old == new or paths == []:  # to git, no path at all means every one
        yield lambda: ("", "")
        return
    limit = ["--", *paths] if paths is not None else []
    options: tuple[str, ...] = (
        "-r",
        "--no-renames",
        "--no-ext-diff",
        "--no-textconv",
        "--no-color",
        "--stat",
        "-p",
    )
    if binary:
        options += ("--binary", "--full-index")
    command = ("diff-tree", *options, old, new, *limit)
    with git.of_objects().beside(*command, patience=4) as output:

        def wait() -> tuple[str, str]:
            # The diffstat has no empty line: git quotes a name that has a line end.
            stat, end, patch = output().partition(b"\n\n")
            return os.fsdecode(stat + end[:1]), os.fsdecode(patch)

        yield wait
