"""Finds the path in a project that somebody means by a path that was typed somewhere in it."""

from __future__ import annotations

import os
from pathlib import Path

from hermes_checkpoints.errors import PathRefused


def path_in(working_dir: Path, start: Path, word: str) -> str:
    """Return the path in a project that a word means, relative to ``working_dir``, with ``/``.

    The word is read from ``start``, an absolute path: `../b` in `src` is `b`, and so is
    `/home/ada/project/src/../b` in `/home/ada/project`, also where a link leads to that
    directory. What it names need not exist, and a link inside the project is not followed, except
    by `..` behind it. The project itself is `.`; an empty word stays empty.

    Raises:
        PathRefused: when the path leaves the project.
    """
    if not word or "\0" in word:
        return word  # whoever uses it refuses it
    path = _without_dots(start / word)
    if not path.is_relative_to(working_dir):
        for entry in (*reversed(path.parents), path):
            found = _resolved(entry)
            if found is not None and found.is_relative_to(working_dir):
                path = found / path.relative_to(entry)
                break
        else:
            kind = "is absolute and leaves" if Path(word).is_absolute() else "leaves"
            raise PathRefused(f"{word!r} {kind} the project {working_dir}; give a path below it")
    return path.relative_to(working_dir).as_posix()


def _without_dots(path: Path) -> Path:
    """Return an absolute path without `..`, as the system reads it where links lie on the way."""
    found = Path(path.anchor)
    for part in path.parts[1:]:
        if part != "..":
            found /= part
        else:
            found = (_resolved(found) if os.path.islink(found) else found) or found
            found = found.parent
    return found


def _resolved(path: Path) -> Path | None:
    try:
        return path.resolve()
    except (OSError, RuntimeError):  # a loop of links
        return None
