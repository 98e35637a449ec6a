"""Moves broken files of the store out of git's sight; nothing is deleted.

Whatever is broken may still be of use to a person, and so is kept, under its name, in a folder
that git does not look into.
"""

from __future__ import annotations

import itertools
from pathlib import Path

FOLDER = "quarantine-files"
"""The folder in the store with the files that were moved aside, each where it lay in the store."""


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
