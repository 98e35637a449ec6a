"""Counts inserted and deleted lines. That is a decoration: what a take keeps and a restore brings
back never waits for it, nor fails with it.

A count reads both contents, and its time grows with more than their size: git 2.39.5 needs a
minute for two files of 9.5 MB whose lines repeat, and a third of a second for two of 256 KB. So
only small contents are counted, a few megabytes of them, and all that are counted for one
comparison have one second together.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from hermes_checkpoints.errors import GitFailed
from hermes_checkpoints.git import Git
from hermes_checkpoints.model import Change
from hermes_checkpoints.object_store.raw_diff import LINE_BYTES, LINE_SECONDS, parse_lines

MOST_BYTES = LINE_BYTES
"""Larger contents are not counted."""

_ALL_BYTES = 16 * 1024 * 1024
"""Of so many bytes, of both sides of all paths, the lines are counted within the second where they
are those of ordinary texts; the rest is not counted."""

_AT_ONCE_BYTES = 512 * 1024
_AT_ONCE_PATHS = 200

_ARGUMENT_BYTES = 64 * 1024
"""The most that the names of the paths may take on git's command line; the rest is not counted."""


def cost_nothing(staged: Collection[int], gone: int) -> bool:
    """Tell whether the process that compares two trees may count the lines as well, since that
    takes milliseconds for ordinary contents, and no more than the second that counting has for
    others. ``staged`` are the bytes of the contents that are new, and so many paths are
    ``gone``."""
    small = sum(size for size in staged if size <= MOST_BYTES)
    return small <= _AT_ONCE_BYTES and len(staged) + gone <= _AT_ONCE_PATHS


def with_lines(git: Git, old: str, new: str, changes: Sequence[Change]) -> list[Change]:
    """Return the changes between two trees with the counts of their lines, by one process.

    ``changes`` have the sizes of their contents. Those that are not counted stay as they are:
    where a side is larger than ``MOST_BYTES`` or of unknown size, those behind the first
    ``_ALL_BYTES``, and all of them where counting takes more than a second or fails.
    """
    paths = list(_countable(changes))
    if not paths:
        return list(changes)
    try:
        output = git.of_objects().run(
            *("diff-tree", "-r", "-z", "--numstat", "--no-renames", "--no-ext-diff"),
            *("--no-textconv", old, new, "--", *paths),
            patience=LINE_SECONDS / git.timeout,
        )
    except GitFailed:
        return list(changes)
    counted = {os.fsdecode(path): lines for path, lines in parse_lines(output)[0].items()}
    return [
        replace(change, insertions=counted[change.path][0], deletions=counted[change.path][1])
        if change.path in counted
        else change
        for change in changes
    ]


def _countable(changes: Sequence[Change]) -> Iterator[str]:
    room, left = _ARGUMENT_BYTES, _ALL_BYTES
    for change in changes:
        sides = (change.old_blob, change.old_bytes), (change.new_blob, change.new_bytes)
        known = [size for blob, size in sides if blob and size is not None]
        if known and len(known) == sum(1 for blob, _ in sides if blob) and max(known) <= MOST_BYTES:
            room -= len(os.fsencode(change.path)) + 1
            left -= sum(known)
            if room < 0 or left < 0:
                return
            yield change.path
