"""Tells whether there is a checkpoint base, because whoever only looks must not make one, and
whether it can be written.

An empty folder is none, nor is one with locks only: nothing is kept there. One that cannot be
reached is not taken for a missing one: there the call fails, and says why.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from hermes_checkpoints.errors import BaseUnwritable
from hermes_checkpoints.layout import LOCKS, Layout


def base_exists(layout: Layout) -> bool:
    """Tell whether something is where the checkpoint folder belongs, other than an empty folder
    or one with locks only.

    Raises:
        BaseUnwritable: when that cannot be told, as in a home that is closed to this user.
    """
    try:
        layout.base.stat()
    except FileNotFoundError:
        return False
    except OSError as error:
        raise BaseUnwritable(
            f"the checkpoint base {layout.base} cannot be reached ({error.strerror}); "
            "check owner and permissions, or choose another home with --home or HERMES_HOME"
        ) from error
    with contextlib.suppress(OSError), os.scandir(layout.base) as entries:
        return any(entry.name != LOCKS for entry in entries)
    return True  # a file, or a folder that is closed to this user: opening it says so


def why_unwritable(layout: Layout) -> str | None:
    """Return why a base with a catalog can only be read, or None where its folder can be written.
    Without a catalog that can be read there is nothing to look at; opening it says why.

    Root does not write in a base of another user: that one could use nothing of what it left.
    """
    user = _other_user(layout)
    if user is not None and os.path.lexists(layout.catalog):
        return _ANOTHERS.format(user=user)
    if os.access(layout.base, os.W_OK) or not os.access(layout.catalog, os.R_OK):
        return None
    return _cause(layout.base)


def require_own_base(layout: Layout) -> None:
    """Refuse to let root make a base for another user, who could not write in it.

    Raises:
        BaseUnwritable: with what to do.
    """
    user = _other_user(layout)
    if user is not None:
        raise BaseUnwritable(
            f"no checkpoint base is made at {layout.base}: {_ANOTHERS.format(user=user)}; or name "
            "a home of root's own with --home or HERMES_HOME"
        )


def _other_user(layout: Layout) -> str | None:
    """Return whose a base is, where this is root and it is another user's."""
    from hermes_checkpoints.fs.system import root_in_place_of  # the program starts without it

    return root_in_place_of(layout.base)


_ANOTHERS = (
    "it belongs to {user}, and this is root, whose files would lock {user} out; run this as that "
    "user, as with `sudo -u {user}`"
)


def _cause(path: Path) -> str:
    read_only = getattr(os, "ST_RDONLY", 0)
    if read_only and os.statvfs(path).f_flag & read_only:
        return "read-only file system"
    return "permission denied"
