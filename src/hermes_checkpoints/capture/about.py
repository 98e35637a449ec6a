"""The words of a partial checkpoint of what is about to be written. No I/O."""

from __future__ import annotations

from collections.abc import Sequence

from hermes_checkpoints.model import Skipped
from hermes_checkpoints.object_store import Staged
from hermes_checkpoints.text import shown

NOTHING_NAMED = Skipped("nothing-to-capture", "no path was named that can be captured")
_MOST_NAMED = 3


def names_of(staged: Staged, paths: Sequence[str]) -> str:
    """Return the names of what a partial checkpoint tells of, for its reason: three at most, and
    of each that was missing that it was, as in ``notes.txt, new.txt which was missing``."""
    missing = set(staged.meta.absent)
    told = [path for path in paths if path in staged.sizes or path in missing]
    named = [shown(p) + (" which was missing" if p in missing else "") for p in told[:_MOST_NAMED]]
    more = len(told) - len(named)
    return ", ".join(named) + (f" and {more} more" if more else "")


def nothing_of(staged: Staged, refused: Skipped | None) -> Skipped:
    """Return the refusal of a directory of which no named path could be captured either."""
    why = [f"{shown(one.path)} is not captured: {one.reason}" for one in staged.meta.skipped]
    first = refused or NOTHING_NAMED
    return Skipped(first.code, "; ".join([first.reason, *why[:_MOST_NAMED]]))
