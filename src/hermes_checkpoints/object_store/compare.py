"""Compares two trees in one git process: which paths differ, with ids, modes and line counts.

Renames are not detected: a decision about a path rests on that path alone.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from hermes_checkpoints.errors import StoreDamaged
from hermes_checkpoints.git import Git
from hermes_checkpoints.model import Change, ChangeStatus

EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
_TREE_MODE = 0o040000
_NONE = "0" * 40


@dataclass(frozen=True)
class Comparison:
    """The files that differ, by path, and the ids of the trees that only the newer has."""

    changes: dict[str, Change]
    new_trees: frozenset[str]


def compare(git: Git, old: str, new: str, *, lines: bool) -> Comparison:
    """Compare two trees by id. ``lines`` counts inserted and deleted lines, too.

    Raises:
        GitFailed: when a tree or blob is missing.
    """
    return next(compare_many(git, [(old, new)], lines=lines))


def compare_many(
    git: Git, pairs: Sequence[tuple[str, str]], *, lines: bool
) -> Iterator[Comparison]:
    """Compare many pairs of trees in one process; yields one comparison a pair, in order.

    Raises:
        GitFailed: when a tree or blob is missing.
    """
    options = ["-r", "-t", "-z", "--raw", "--no-renames", "--no-ext-diff", "--no-textconv"]
    if lines:
        options.append("--numstat")
    stdin = "".join(f"{old} {new}\n" for old, new in pairs).encode()
    output = git.run("diff-tree", "--stdin", *options, stdin=stdin, patience=4)
    position = 0
    for old, new in pairs:
        header = f"{old} {new}\n".encode()
        if output.startswith(header, position):
            comparison, position = _parse(output, position + len(header))
            yield comparison
        elif old == new:
            yield Comparison({}, frozenset())
        else:
            raise StoreDamaged(f"git did not compare tree {old} with {new}")


def _parse(output: bytes, position: int) -> tuple[Comparison, int]:
    changes: dict[str, Change] = {}
    trees: set[str] = set()
    while position < len(output):
        end = output.find(b"\0", position)
        record = output[position:end]
        if record.startswith(b":"):
            path_end = output.index(b"\0", end + 1)
            _add_raw(changes, trees, record, os.fsdecode(output[end + 1 : path_end]))
            position = path_end + 1
        elif record.count(b"\t") >= 2 and record.split(b"\t", 1)[0].strip(b"0123456789-") == b"":
            inserted, deleted, raw = record.split(b"\t", 2)
            path = os.fsdecode(raw)
            if path in changes and inserted != b"-":
                changes[path] = replace(
                    changes[path], insertions=int(inserted), deletions=int(deleted)
                )
            position = end + 1
        else:
            break  # the header of the next pair
    return Comparison(changes, frozenset(trees)), position


def _add_raw(changes: dict[str, Change], trees: set[str], record: bytes, path: str) -> None:
    old_mode, new_mode, old_id, new_id, status = record[1:].decode("ascii").split(" ")
    modes = int(old_mode, 8), int(new_mode, 8)
    if _TREE_MODE in modes:
        if modes[1] == _TREE_MODE:
            trees.add(new_id)
        return
    changes[path] = Change(
        path,
        ChangeStatus(status[0]),
        None if old_id == _NONE else old_id,
        None if new_id == _NONE else new_id,
        modes[0] or None,
        modes[1] or None,
    )


def patch_text(git: Git, old: str, new: str, paths: Sequence[str] | None) -> tuple[str, str]:
    """Return the diffstat and the patch between two trees, for people.

    ``paths`` are literal; None means all.
    """
    limit = ["--", *paths] if paths is not None else []
    shared = ("diff-tree", "-r", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color")
    config = ("core.quotePath=false",)
    stat = git.run(*shared, "--stat", old, new, *limit, config=config, patience=4)
    patch = git.run(*shared, "-p", old, new, *limit, config=config, patience=4)
    return os.fsdecode(stat), os.fsdecode(patch)
