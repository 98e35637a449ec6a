"""Moves damaged files of the store out of git's way. They are never deleted: somebody may still
get something out of them, and what was damaged, and when, stays to be seen.
"""

from __future__ import annotations

import itertools
import shutil
from pathlib import Path

FOLDER = "quarantine-files"
"""The folder in the store for what is moved aside. A file lies there as it lay in the store:
``quarantine-files/objects/4b/825dc6…``."""


def set_aside(store: Path, path: Path) -> Path:
    """Move a file of the store into the quarantine, and return where it is now.

    A name that is taken there gets a number. Git does not find an object that is moved aside any
    more, and writes it anew when it meets the contents again.

    Raises:
        OSError: when it cannot be moved; it is where it was then.
    """
    free = _free(store, path)
    path.rename(free)
    return free


def copy_aside(store: Path, path: Path) -> Path:
    """Put a copy of a file of the store into the quarantine, and return where that is.

    Raises:
        OSError: when it cannot be copied; nothing is left of the copy then.
    """
    free = _free(store, path)
    try:
        shutil.copyfile(path, free)
    except BaseException:
        free.unlink(missing_ok=True)
        raise
    return free


def _free(store: Path, path: Path) -> Path:
    """Return a name in the quarantine that is free for a file of the store; make its folder."""
    place = store / FOLDER / path.relative_to(store)
    (store / FOLDER).mkdir(mode=0o700, exist_ok=True)
    place.parent.mkdir(parents=True, exist_ok=True)
    numbered = (place.with_name(f"{place.name}.{n}") for n in itertools.count(1))
    return next(one for one in itertools.chain([place], numbered) if not one.exists())
