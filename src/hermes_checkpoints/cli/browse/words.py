"""What is said of a checkpoint in a word or two."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hermes_checkpoints.cli.text import shown
from hermes_checkpoints.model import SHORT_ID, Checkpoint, Kind, TimelineEntry

_PLAINLY = str.maketrans({"…": "...", "·": "-", "—": "-", "→": "->", "↑": "^", "↓": "v", "←": "<-"})
"""What stands for the signs in texts of this package, where only ASCII is written."""


@dataclass(frozen=True)
class Clean:
    """Makes a text from a disk or an agent harmless and printable: one line, without control
    characters; with ``ascii_only``, what is not ASCII is escaped, too."""

    ascii_only: bool = False

    def __call__(self, text: str) -> str:
        """Return the text as it is drawn."""
        visible = shown(text)
        if self.ascii_only and not visible.isascii():
            plain = visible.translate(_PLAINLY)
            return plain.encode("ascii", "backslashreplace").decode("ascii")
        return visible


def asked(entry: TimelineEntry, names: Mapping[str, str]) -> str:
    """Return what the agent was asked for at a checkpoint, before which restore it stands, or why
    it was taken; ``names`` are those of checkpoints by their ids."""
    checkpoint = entry.checkpoint
    if entry.restore is not None:
        to = entry.restore.checkpoint_id
        return f"before the {entry.restore.role} to {names.get(to, to[:SHORT_ID])}"
    return checkpoint.turn_title or checkpoint.reason


def is_prompt(entry: TimelineEntry) -> bool:
    """Tell whether ``asked`` is what an agent was asked for."""
    return entry.restore is None and entry.checkpoint.turn_title is not None


def name_of(entry: TimelineEntry) -> str:
    """Return how people name a checkpoint: its number, or its id where it has none."""
    return entry.checkpoint.short_id if entry.number is None else str(entry.number)


def is_safety(checkpoint: Checkpoint) -> bool:
    """Tell whether it was taken before a restore."""
    return checkpoint.kind is Kind.SAFETY
