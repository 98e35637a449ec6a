"""Puts in order what a killed restore left beside the paths that it was to change.

Half-written files go. What lay at a path and was on its way out goes, too, where something lies at
the path now and the safety checkpoint holds it just so; else it goes back, and only contents that
the store holds are deleted. Directories that were opened are closed.
"""

from __future__ import annotations

import contextlib
import stat
from collections.abc import Iterable, Mapping

from hermes_checkpoints.fs.handles import Directory, Spot, Tree, exchange, rename
from hermes_checkpoints.fs.leftovers import (
    CHANGED,
    digest,
    digest_of,
    is_half_written,
    moved_name,
    put_back,
)
from hermes_checkpoints.fs.stamp import blob_of
from hermes_checkpoints.fs.system import POSIX
from hermes_checkpoints.model import Action, RecordedStep

_OWNER = 0o700


def sweep(
    root: str,
    steps: Iterable[RecordedStep],
    closed: Mapping[str, int],
    held: Mapping[str, tuple[int, str]],
) -> list[str]:
    """Put in order what a killed restore of these steps left below ``root``; return what became of
    paths that could not be given their place again, in words.

    ``closed`` are the directories that it may have opened, with the bits that they had, and
    ``held`` the full mode and git's id of what the safety checkpoint holds at the paths. What
    cannot be deleted or moved stays; no checkpoint holds such names. No link is followed.
    """
    by_folder: dict[str, dict[str, RecordedStep]] = {}
    for step in steps:
        by_folder.setdefault(step.path.rpartition("/")[0], {})[digest(step.path)] = step
    told: list[str] = []
    with contextlib.suppress(OSError):  # the directory is gone, or another thing is in its place
        tree = Tree(root)
        for folder, known in by_folder.items():
            with contextlib.suppress(OSError):
                told += _sweep_folder(tree.directory(folder), known, held)
        for path, bits in sorted(closed.items(), reverse=True):
            with contextlib.suppress(OSError):
                opened = tree.directory(path)
                if stat.S_IMODE(opened.stat().st_mode) == bits | _OWNER:
                    opened.set_mode(bits)
    return told


def _sweep_folder(
    folder: Directory, known: Mapping[str, RecordedStep], held: Mapping[str, tuple[int, str]]
) -> list[str]:
    """Put in order what was left in one directory; ``known`` are the steps in it by digest."""
    told: list[str] = []
    for name in folder.names():
        with contextlib.suppress(OSError):
            if is_half_written(name):
                folder.spot(name).unlink()
            elif (step := known.get(digest_of(name) or "")) is not None:
                told += _settle(folder.spot(name), step, held.get(step.path))
    return told


def _settle(away: Spot, step: RecordedStep, held: tuple[int, str] | None) -> list[str]:
    """Settle what a killed restore left of one path under a name of its own: the new file, or
    what lay at the path before."""
    spot = away.beside(step.path.rpartition("/")[2])
    blob, there = blob_of(away), blob_of(spot)
    if blob is not None and spot.exists():
        is_held = held == (_mode(away, held), blob)
        if is_held or blob in (step.blob, there):  # the new file, or a second name, or not needed
            away.unlink()
            return []
    elif blob is not None and blob == step.blob and step.action is Action.WRITE:
        away.unlink()  # the new file, which the store holds
        return []
    if step.blob is not None and there == step.blob:
        if exchange(away, spot):
            return _settle(away, step, held)
        new = spot.beside(moved_name(step.path))
        rename(spot, new)
        return _put_back(away, spot, step) + _settle(new, step, held)
    return _put_back(away, spot, step)


def _mode(away: Spot, held: tuple[int, str] | None) -> int:
    """Return the full mode of what lies at a spot, as a checkpoint has it: links have no bits, and
    where the system keeps none, files have those of the checkpoint."""
    mode = away.lstat().st_mode
    if stat.S_ISLNK(mode):
        return stat.S_IFLNK
    return mode if POSIX or held is None else stat.S_IFMT(mode) | stat.S_IMODE(held[0])


def _put_back(away: Spot, spot: Spot, step: RecordedStep) -> list[str]:
    words = put_back(away, spot)
    return [] if words == CHANGED else [f"{step.path}: {words}"]
