"""Restores a working directory that is not there, any more or yet: it is made, empty, and filled.

Nothing lies there that could be somebody's edit, so every captured file comes back. An undo takes
the files away again and leaves the directory, in which somebody may work by then.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from hermes_checkpoints.base.opened import Base, Target
from hermes_checkpoints.errors import BadDirectory, BaseUnwritable
from hermes_checkpoints.fs.handles import Spot
from hermes_checkpoints.fs.system import identity, temporary_root
from hermes_checkpoints.model import Mode, RestoreRole
from hermes_checkpoints.restore.request import RestoreRequest


def is_gone(target: Target) -> bool:
    """Tell whether nothing lies at a working directory."""
    return not os.path.lexists(target.path)


def for_gone(base: Base, target: Target, request: RestoreRequest) -> RestoreRequest:
    """Return what a restore of a directory that is not there means: mode overlay, where edits were
    to be kept, and for everyone, since there is no work of other sessions that could stay.

    Raises:
        BadDirectory: when it cannot be made: it is an undo, its parent is not there either, or it
            was a mount point.
    """
    if request.role is not RestoreRole.RESTORE:
        raise BadDirectory(f"{target.path} does not exist; give an existing directory")
    elsewhere = "or restore it elsewhere with --into DIR"
    parent = identity(target.path.parent)
    if parent is None or not target.path.parent.is_dir():
        raise BadDirectory(
            f"{target.path} is not there, and neither is {target.path.parent}; make that directory "
            f"first, and the restore makes the other one in it, {elsewhere}"
        )
    for known in base.catalog.retention.projects([target.hash]):
        if known.identity and known.parent and known.identity.device != known.parent.device:
            raise BadDirectory(
                f"{target.path} was a mount point, and nothing is mounted there; mount it, "
                f"{elsewhere}"
            )
    mode = Mode.OVERLAY if request.mode is Mode.KEEP_EDITS else request.mode
    return replace(request, mode=mode, session_id=None)


@contextlib.contextmanager
def empty_place(target: Target) -> Iterator[Target]:
    """Lend an empty directory in the place of one that is gone, to plan what would be done there.

    Raises:
        BaseUnwritable: when no temporary directory can be made.
    """
    try:
        folder = tempfile.TemporaryDirectory(prefix="hermes-checkpoints-", dir=temporary_root())
    except OSError as error:
        raise BaseUnwritable(
            f"no temporary folder can be made ({error.strerror}); set TMPDIR to a folder that can "
            "be written"
        ) from error
    with folder:
        yield Target(Path(folder.name).resolve(), target.hash)


@contextlib.contextmanager
def made_again(target: Target) -> Iterator[bool]:
    """Make a directory that is not there, closed to others, since no checkpoint has its mode; tell
    whether it was made. If the restore raises, it goes again where nothing is in it.

    Raises:
        BadDirectory: with the reason of the system.
    """
    if not is_gone(target):
        yield False
        return
    made = True
    try:
        spot = Spot.of(target.path)
        spot.mkdir(0o700)
    except FileExistsError:
        made = False  # somebody else has made it just now: it is looked at like any other
    except OSError as error:
        raise BadDirectory(
            f"{target.path} is not there and cannot be made ({error.strerror})"
        ) from error
    try:
        yield made
    except BaseException:
        with contextlib.suppress(OSError):
            spot.rmdir()
        raise
