"""Puts in order what a killed restore left beside the paths that it was to change.

Half-written files go. What lay at a path and was on its way out goes back, and only contents that
the store holds are deleted. Directories that were opened are closed.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path

from hermes_checkpoints.fs.leftovers import (
    CHANGED,
    digest,
    digest_of,
    is_half_written,
    moved_name,
    put_back,
)
from hermes_checkpoints.fs.stamp import blob_of
from hermes_checkpoints.fs.system import change_mode, exchange
from hermes_checkpoints.model import PlannedPath

_OWNER = 0o700


def sweep(root: Path, steps: Iterable[PlannedPath], closed: Mapping[str, int]) -> list[str]:
    """Put in order what a killed restore of these steps left; return what became of paths that
    could not be given their place again, in words.

    ``closed`` are the directories that it may have opened, with the bits that they had. What cannot
    be deleted or moved stays; no checkpoint holds such names.
    """
    by_folder: dict[Path, dict[str, PlannedPath]] = {}
    for step in steps:
        by_folder.setdefault((root / step.path).parent, {})[digest(step.path)] = step
    told: list[str] = []
    for folder, known in by_folder.items():
        with contextlib.suppress(OSError):
            if os.path.realpath(folder) != str(folder) or not folder.is_relative_to(root):
                continue  # a link leads elsewhere, or in a circle
            for name in os.listdir(folder):
                with contextlib.suppress(OSError):
                    if is_half_written(name):
                        (folder / name).unlink()
                    elif (found := known.get(digest_of(name) or "")) is not None:
                        told += _settle(str(folder / name), str(root / found.path), found)
    for path, bits in sorted(closed.items(), reverse=True):
        with contextlib.suppress(OSError):
            opened = bits | _OWNER
            change_mode(
                str(root / path),
                bits,
                lambda seen, mode=opened: (
                    stat.S_ISDIR(seen.st_mode)  # type: ignore[misc]
                    and stat.S_IMODE(seen.st_mode) == mode
                ),
            )
    return told


def _settle(away: str, absolute: str, step: PlannedPath) -> list[str]:
    """Settle what a killed restore left of one path under a name of its own: the new file, or
    what lay at the path before."""
    blob = blob_of(away)
    if blob is not None and blob in (step.blob, blob_of(absolute)):
        os.unlink(away)  # the new file, which the store holds, or a second name
        return []
    if step.blob is not None and blob_of(absolute) == step.blob:
        if exchange(away, absolute):
            return _settle(away, absolute, step)
        new = moved_name(step.path, absolute)
        os.rename(absolute, new)
        return _put_back(away, absolute, step) + _settle(new, absolute, step)
    return _put_back(away, absolute, step)


def _put_back(away: str, absolute: str, step: PlannedPath) -> list[str]:
    words = put_back(away, absolute)
    return [] if words == CHANGED else [f"{step.path}: {words}"]
