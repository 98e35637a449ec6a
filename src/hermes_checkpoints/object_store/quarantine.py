"""Moves damaged objects out of git's way. They are never deleted: somebody may still get
something out of them, and what was damaged, and when, stays to be seen.
"""

from __future__ import annotations

import itertools
from datetime import datetime
from pathlib import Path

from hermes_checkpoints.object_store.loose import loose_path

FOLDER = "quarantine-files"
"""The folder in the store for what is moved aside. An object there is named
``<time in UTC>-<what it was>``, such as ``20261128T164915123456Z-loose-4b825dc6…``; another
file lies where it lay in the store."""


def move_loose_aside(store: Path, object_id: str, now: datetime) -> Path:
    """Move the file of one loose object into the quarantine; return where it is then.

    Git does not find the object any more, and writes it anew when it meets the contents again.
    ``now`` is in UTC.

    Raises:
        FileNotFoundError: when the object does not lie loose.
        OSError: when the file cannot be moved; it is then where it was.
    """
    return move_aside(store, loose_path(store, object_id), f"loose-{object_id}", now)


def move_aside(store: Path, path: Path, what: str, now: datetime) -> Path:
    """Move a damaged file of the store into the quarantine; return where it is then. ``what``
    says what it was, as a part of a file name.

    Raises:
        OSError: when the file cannot be moved; it is then where it was.
    """
    folder = store / FOLDER
    folder.mkdir(mode=0o700, exist_ok=True)
    return path.rename(folder / f"{now:%Y%m%dT%H%M%S%fZ}-{what}")


def set_aside(store: Path, path: Path) -> Path:
    """Move a file of the store into the quarantine, and return where it is now.

    A name that is taken there gets a number.

    Raises:
        OSError: when it cannot be moved; it is where it was then.
    """
    place = store / FOLDER / path.relative_to(store)
    place.parent.mkdir(parents=True, exist_ok=True)
    numbered = (place.with_name(f"{place.name}.{n}") for n in itertools.count(1))
    free = next(one for one in itertools.chain([place], numbered) if not one.exists())
    path.rename(free)
    return free
