"""Finds the parts in which a file differs from a checkpoint, so that some of them can be brought
back and the others stay. Git finds them, as it does for people everywhere else.

What is shown is what the plan saw: a file that has changed since is refused. A file is read through
open directories and no link, as a restore writes it.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Sequence

from hermes_checkpoints.base.opened import Base, Target
from hermes_checkpoints.errors import TreeChanged, base_errors
from hermes_checkpoints.fs.handles import Tree
from hermes_checkpoints.fs.stamp import look
from hermes_checkpoints.git import Git
from hermes_checkpoints.model import Action, FileParts, Part, PlannedPath
from hermes_checkpoints.object_store.aside import Aside
from hermes_checkpoints.object_store.git_objects import is_text, object_id
from hermes_checkpoints.object_store.healing import write_object

MOST_BYTES = 16 << 20
"""A larger file goes as a whole: nobody reads its parts, and all of it is held at once."""

_HUNK = re.compile(rb"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", re.MULTILINE)


def parts_of(
    base: Base, target: Target, step: PlannedPath, without_agent: bytes | None = None
) -> FileParts | None:
    """Return the parts in which a file differs from what a step would make of it; None where it
    goes as a whole: no text, very large, a link, one that is missing now or then. By what is left
    of it ``without_agent``, where that is known, each part is the agent's, another's, or both's.

    Raises:
        TreeChanged: when it is no longer as the plan saw it.
        StoreDamaged, GitFailed, LockHeld: when the store cannot give what the checkpoint has.
    """
    if not _is_file_twice(step) or step.old_blob is None or step.blob in (None, step.old_blob):
        return None
    now = _present(target, step)
    if now is None or not is_text(now):
        return None
    with base.store_together() as git:
        then = read(git, step.blob or "")
        if then is None or not is_text(then):
            return None
        with Aside.lent(git, base.layout.scratch) as aside:
            return compared(aside, step.path, now, then, without_agent)


def compared(
    aside: Aside, path: str, now: bytes, then: bytes, without_agent: bytes | None = None
) -> FileParts:
    """Return the parts in which contents differ, as ``parts_of``; git compares them ``aside``.

    Raises:
        GitFailed, BaseUnwritable, NoSpace.
    """
    lines, former, parts = lines_of(now), lines_of(then), _differing(aside, now, then)
    if without_agent is None:
        return FileParts(path, lines, former, parts)
    left = _differing(aside, now, without_agent)
    agents = _agents(parts, left, former, lines_of(without_agent))
    others = frozenset(part for part in parts if not any(map(part.touches, left)))
    return FileParts(path, lines, former, parts, agents, others)


def _agents(
    parts: Sequence[Part],
    left: Sequence[Part],
    then: Sequence[bytes],
    without: Sequence[bytes],
) -> frozenset[Part]:
    """Return the parts that do just what takes the agent's changes out: ``left`` leads from the
    same lines to those ``without`` them."""
    known = {(p.now, p.gone, tuple(without[p.then : p.then + p.back])) for p in left}
    return frozenset(
        p for p in parts if (p.now, p.gone, tuple(then[p.then : p.then + p.back])) in known
    )


def _present(target: Target, step: PlannedPath) -> bytes | None:
    """Return the present contents of a file, None where they are very large.

    Raises:
        TreeChanged: when they are not those that the plan saw.
    """
    changed = TreeChanged(f"{step.path} changed after the plan was made")
    try:
        spot = Tree(target.path).spot(step.path)
        seen = look(spot)
        if seen is None or not stat.S_ISREG(seen.mode):
            raise changed
        if seen.size > MOST_BYTES or (step.bytes or 0) > MOST_BYTES:
            return None
        with open(spot.open(os.O_RDONLY), "rb") as file:
            now = file.read(MOST_BYTES + 1)
    except OSError:
        raise changed from None
    if object_id("blob", now) != step.old_blob:
        raise changed
    return now


def lines_of(data: bytes) -> tuple[bytes, ...]:
    """Return the lines of a file as git counts them, with their ends; the last may have none."""
    return tuple(line for line in re.split(rb"(?<=\n)", data) if line)


def read(git: Git, blob: str) -> bytes | None:
    """Return contents from the store, None where they are very large.

    Raises:
        StoreDamaged: when the store lacks or cannot read them.
    """
    found: bytearray = bytearray()
    size = 0

    def add(piece: bytes) -> None:
        nonlocal size
        size += len(piece)
        if size <= MOST_BYTES:
            found.extend(piece)

    with git.blobs() as reader:
        reader.copy(blob, add)
    return bytes(found) if size <= MOST_BYTES else None


def _differing(aside: Aside, now: bytes, then: bytes) -> tuple[Part, ...]:
    with base_errors(aside.folder):
        pair = [write_object(aside.folder, "blob", one, durable=False) for one in (now, then)]
    output = aside.git.run(
        *("diff", "--unified=0", "--inter-hunk-context=0", "--text", "--no-color"),
        *("--no-ext-diff", "--no-textconv", *pair),
    )
    return tuple(_part(*found.groups()) for found in _HUNK.finditer(output))


def _part(now: bytes, gone: bytes | None, then: bytes, back: bytes | None) -> Part:
    return Part(*_range(now, gone), *_range(then, back))


def _range(start: bytes, count: bytes | None) -> tuple[int, int]:
    """Read a range of lines as git writes it; of none, it names the line above."""
    number = 1 if count is None else int(count)
    return (int(start) - 1 if number else int(start)), number


def _is_file_twice(step: PlannedPath) -> bool:
    both = step.mode or 0, step.old_mode or 0
    return step.action in (Action.WRITE, Action.KEEP) and all(map(stat.S_ISREG, both))
