"""Remembers which directories moved, for a catalog that is rebuilt from the store.

A commit names the directory that it was taken of, and is never rewritten.
"""

from __future__ import annotations

import json
from pathlib import Path

from hermes_checkpoints.fs.system import write_atomically

_FILE = "moved-projects.json"


def note_move(store: Path, old: str, new: str) -> None:
    """Write down that the directory ``old`` is ``new`` now; earlier moves follow.

    Raises:
        OSError: when the store cannot be written.
    """
    moves = {name: new if target == old else target for name, target in moved(store).items()}
    moves[old] = new
    moves.pop(new, None)  # a directory that moved back is where its commits say
    write_atomically(store / _FILE, json.dumps(moves, indent=1).encode("ascii"))


def moved(store: Path) -> dict[str, str]:
    """Return by former name where directories are now."""
    try:
        found = json.loads((store / _FILE).read_bytes())
    except (OSError, ValueError):
        return {}
    return {str(old): str(new) for old, new in found.items()} if isinstance(found, dict) else {}
