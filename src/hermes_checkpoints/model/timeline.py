"""The checkpoints of a project in their order, each with what followed it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from hermes_checkpoints.model.checkpoints import Checkpoint
from hermes_checkpoints.model.restore import RestoreOf
from hermes_checkpoints.model.whose import Whose


@dataclass(frozen=True)
class TimelineEntry:
    """A checkpoint and what followed it, until the next one of the timeline or, where ``until`` is
    None, until now.

    ``number`` is what lists show of it, and ``restore`` the restore that a safety checkpoint stands
    before; one of both is None. ``files`` is how many paths the next one changed, None where that
    is not on record: after the newest, where checkpoints in between were pruned, and beside partial
    ones. ``whose`` says by whose hand paths changed meanwhile, as far as a look has seen it, and is
    None where so much was recorded since that it was not read.

    >>> taken = project.take("before the edit")
    >>> _ = Path("notes.txt").write_text("as it is now")
    >>> taken = project.take("after the edit")
    >>> newest, first = project.timeline()
    >>> newest.number, newest.until, newest.files, first.until == newest.checkpoint
    (1, None, None, True)
    >>> first.number, first.files, [hand.value for hand in first.whose.hands]
    (2, 1, ['person'])
    """

    checkpoint: Checkpoint
    number: int | None
    until: Checkpoint | None = None
    files: int | None = None
    whose: Whose | None = None
    restore: RestoreOf | None = None


def figures_after(listed: Sequence[Checkpoint]) -> dict[str, Checkpoint]:
    """Return, by the id of a checkpoint, the next one, whose figures say what changed in between;
    none where they do not: after the newest, where checkpoints in between were pruned, and where
    the next is partial. ``listed`` are the live checkpoints of a project, newest first."""
    return {
        one.id: after
        for after, one in pairwise(listed)
        if after._previous_row == one._row and not after.partial
    }
