"""Finds what the catalog says lies in the base, and refuses a path that leads out of it.

A catalog may come from somebody else. What it names is moved and deleted, so that a path with
``..``, or behind a link, would reach any file of this user.
"""

from __future__ import annotations

import stat
from pathlib import Path, PurePosixPath

from hermes_checkpoints.errors import BadDirectory


def inside(base: Path, path: str) -> Path:
    """Return the place of something in the folder ``base``, given its path from there.

    Raises:
        BadDirectory: when the path leads out of the base, or over a link.
    """
    parts = PurePosixPath(path).parts
    if not parts or ".." in parts or path.startswith("/") or "\0" in path:
        raise BadDirectory(
            f"the catalog names {path!r}, which is no path in {base}; nothing was done"
        )
    place = base
    for part in parts[:-1]:
        place = place / part
        try:
            linked = stat.S_ISLNK(place.lstat().st_mode)
        except OSError:
            continue
        if linked:
            raise BadDirectory(
                f"{place} is a link, and leads out of {base}; nothing was done there"
            )
    return base.joinpath(*parts)
