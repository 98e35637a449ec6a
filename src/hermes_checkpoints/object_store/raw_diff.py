"""Runs ``git diff-tree --stdin --raw -z`` over many pairs of trees at once and parses its answer.

For each pair git prints ``old SP new LF``; then for each path that differs ``:old-mode SP
new-mode SP old-id SP new-id SP status NUL path NUL``; then, with ``--numstat``, ``insertions TAB
deletions TAB path NUL``, with ``-`` for the counts of a binary file.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from hermes_checkpoints.errors import GitTimedOut, StoreDamaged
from hermes_checkpoints.git import Git
from hermes_checkpoints.object_store.git_objects import NO_OBJECT

LINE_SECONDS = 1.0
"""How long the lines of one comparison may be counted."""

LINE_BYTES = 256 * 1024
"""The lines of larger contents are not counted. Git itself leaves them out, unread: it calls what
is over ``core.bigFileThreshold`` binary."""

_NO_OBJECT = NO_OBJECT.encode()
_OPTIONS = ("-r", "-t", "-z", "--raw", "--no-renames", "--no-ext-diff", "--no-textconv")
_RAW = re.compile(rb":(\d+) (\d+) ([0-9a-f]+) ([0-9a-f]+) ([A-Z])\d*\0([^\0]*)\0")
_LINES = re.compile(rb"(\d+|-)\t(\d+|-)\t([^\0]*)\0")


class RawChange(NamedTuple):
    """One path that differs, a directory too. A side where there is nothing has the mode 0 and
    the id ``NO_OBJECT``; ``status`` is git's letter, such as ``A``, ``D``, ``M`` and ``T``."""

    old_mode: int
    new_mode: int
    old_id: str
    new_id: str
    status: str
    path: bytes


@dataclass(frozen=True)
class RawDiff:
    """What differs between two trees: the paths in git's order, and the inserted and deleted
    lines of each text file, where they were asked for."""

    changes: list[RawChange] = field(default_factory=list)
    lines: dict[bytes, tuple[int, int]] = field(default_factory=dict)


def diff_trees(
    git: Git, pairs: Sequence[tuple[str, str]], *, lines: bool = False, patience: float = 4
) -> Iterator[RawDiff]:
    """Compare many pairs of trees, by id, in one process; yields one answer a pair, in order.

    Renames are not detected. ``lines`` counts lines, too, which reads contents up to
    ``LINE_BYTES``; where that takes more than ``LINE_SECONDS`` for each pair, none is counted, in
    one process more.

    Raises:
        StoreDamaged: when a tree of a pair is missing.
        GitFailed: when a tree below it or, with ``lines``, a blob is missing.
    """
    stdin = "".join(f"{old} {new}\n" for old, new in pairs).encode()
    git, command = git.of_objects(), ("diff-tree", "--stdin", *_OPTIONS)
    output = None
    if lines:
        seconds = LINE_SECONDS * len(pairs)
        with contextlib.suppress(GitTimedOut):
            output = git.run(
                *(*command, "--numstat"),
                stdin=stdin,
                config=(f"core.bigFileThreshold={LINE_BYTES}",),
                patience=seconds / git.timeout,
            )
    if output is None:
        output = git.run(*command, stdin=stdin, patience=patience)
    position = 0
    for old, new in pairs:
        header = f"{old} {new}\n".encode()
        if not output.startswith(header, position):
            # Git 2.39.5 passes over a pair of which it lacks a tree, and exits with 0.
            raise StoreDamaged(f"the object store lacks tree {old} or {new}")
        found, position = parse_diff(output, position + len(header))
        yield found


def parse_diff(output: bytes, position: int = 0) -> tuple[RawDiff, int]:
    """Parse the answer of one pair, which begins at ``position`` behind its header; return it
    with the position where it ends."""
    changes: list[RawChange] = []
    modes: dict[bytes, int] = {}  # one number for all paths of a mode, as there may be many
    while match := _RAW.match(output, position):
        old_mode, new_mode, old_id, new_id, status, path = match.groups()
        for mode in (old_mode, new_mode):
            if mode not in modes:
                modes[mode] = int(mode, 8)
        changes.append(
            RawChange(
                modes[old_mode], modes[new_mode], _id(old_id), _id(new_id), status.decode(), path
            )
        )
        position = match.end()
    lines, position = parse_lines(output, position)
    return RawDiff(changes, lines), position


def _id(text: bytes) -> str:
    return NO_OBJECT if text == _NO_OBJECT else text.decode()


def parse_lines(output: bytes, position: int = 0) -> tuple[dict[bytes, tuple[int, int]], int]:
    """Parse what ``--numstat`` printed from ``position`` on; return inserted and deleted lines by
    path, without binary files, and the position where that ends."""
    lines: dict[bytes, tuple[int, int]] = {}
    while match := _LINES.match(output, position):
        inserted, deleted, path = match.groups()
        if inserted != b"-":
            lines[path] = int(inserted), int(deleted)
        position = match.end()
    return lines, position
