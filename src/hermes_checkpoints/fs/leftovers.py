"""The names that a restore works with beside the paths that it changes.

A new file is half-written under one kind of name, which nothing of anybody else ever has. Complete,
it is renamed to the other kind, which tells the path that it belongs to. There, an exchange leaves
what lay at the path before, until it was looked at. So a restore that is killed at any point leaves
names from which it can be told what may go and what must be put back.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import os
import re
import secrets
from collections.abc import Iterator

from hermes_checkpoints.fs.handles import Spot, exchange, rename_new

TEMPORARY_PREFIX = ".hermes-restore-"
CHANGED = "it changed while the restore ran; it was left as it is"
_HALF_WRITTEN = re.compile(re.escape(TEMPORARY_PREFIX) + r"[0-9a-f]{16}")
_MOVED = re.compile(re.escape(TEMPORARY_PREFIX) + r"([0-9a-f]{16})-[0-9a-f]{8}")


def numbers() -> Iterator[int]:
    """Return what makes the names of one restore new: numbers from a random one on. Whoever forks
    afterwards must not use them on both sides."""
    return itertools.count(secrets.randbits(64))


def half_written_name(number: int) -> str:
    """Return a new name for a file of ours that is being written."""
    return f"{TEMPORARY_PREFIX}{number % 2**64:016x}"


def moved_name(path: str, number: int | None = None) -> str:
    """Return a new name that tells of ``path``, for the complete new file and for what lay there;
    without a number, a random one."""
    number = secrets.randbits(32) if number is None else number % 2**32
    return f"{TEMPORARY_PREFIX}{digest(path)}-{number:08x}"


def digest(path: str) -> str:
    """Return what a moved name has of its path: 16 hex digits."""
    return hashlib.sha256(os.fsencode(path)).hexdigest()[:16]


def is_half_written(name: str) -> bool:
    """Tell whether a name in a folder is of the first kind."""
    return _HALF_WRITTEN.fullmatch(name) is not None


def digest_of(name: str) -> str | None:
    """Return the digest of the path that a moved name tells of, or None for another name."""
    match = _MOVED.fullmatch(name)
    return match[1] if match else None


def is_ours(path: str) -> bool:
    """Tell whether the name of a path is of one of the two kinds."""
    if TEMPORARY_PREFIX not in path:
        return False
    name = path.rpartition("/")[2]
    return is_half_written(name) or digest_of(name) is not None


def put_back(away: Spot, spot: Spot) -> str:
    """Give what was renamed to ``away`` its own name again; return what became of it, in words.

    Where something new lies there, both are kept.
    """
    try:
        rename_new(away, spot)
    except OSError:
        return _kept_both(away, spot)
    return CHANGED


def exchange_back(away: Spot, spot: Spot, ours: os.stat_result) -> str:
    """Take back an exchange that left a file of ``ours`` at ``spot``, which goes; return what
    became of the path, in words.

    Where a third thing has replaced ours meanwhile, or somebody has written into ours, that stays,
    and the one before it is kept, too.
    Where ours cannot be deleted, it keeps the name of ours, which no checkpoint holds.
    """
    try:
        exchange(away, spot)
        if _is_unchanged(away.lstat(), ours):
            with contextlib.suppress(OSError):
                away.unlink()
            return CHANGED
        exchange(away, spot)
    except OSError:  # ours is gone, and nothing is there
        return put_back(away, spot)
    return _kept_both(away, spot)


def _kept_both(away: Spot, spot: Spot) -> str:
    kept = set_aside(away, spot)
    if kept == away.name:
        return f"what lay there could not be put back; it is {kept} beside it"
    return f"it changed twice while the restore ran; one version is {kept}"


def _is_unchanged(found: os.stat_result, ours: os.stat_result) -> bool:
    as_it_was = (found.st_size, found.st_mtime_ns) == (ours.st_size, ours.st_mtime_ns)
    return as_it_was and os.path.samestat(found, ours)


def set_aside(away: Spot, spot: Spot) -> str:
    """Rename what cannot be put back to a name that people and checkpoints see; return it."""
    for kept in (f"{spot.name}.kept-{secrets.token_hex(4)}", f"kept-{secrets.token_hex(4)}"):
        with contextlib.suppress(OSError):  # the first may be too long
            rename_new(away, spot.beside(kept))
            return kept
    return away.name
