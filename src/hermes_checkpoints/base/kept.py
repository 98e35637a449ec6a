"""Keeps the opened base of each home for as long as this process lives, for hosts that ask often.

An opening promises much: that the base is plain, that its catalog has our tables, that the settings
of ``config.yaml`` are in force. So before each use there is a look at all that may have become
another (``_is_as_it_was``); where anything has, the base is opened anew, and the opening says what
is wrong. What went wrong in a use is a reason, too. docs/architecture.md has the rule.

After each use the log of the catalog is written back and emptied (``_leave_tidy``): SQLite applies
a log to whatever file lies beside it, so one that is left would damage a backup that is put back.

What can only be read, and what stands in for a base that does not exist, is opened for each use.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from hermes_checkpoints.base import clearing
from hermes_checkpoints.base.adopting import is_foreign
from hermes_checkpoints.base.existing import why_unwritable
from hermes_checkpoints.base.opened import Base, Opening
from hermes_checkpoints.base.plain import require_plain, require_plain_store
from hermes_checkpoints.catalog.form import Form
from hermes_checkpoints.config import git_timeout, load_config
from hermes_checkpoints.errors import (
    BadRequest,
    CheckpointError,
    CheckpointForeign,
    CheckpointPruned,
    CheckpointUnknown,
    NoSafetyCheckpoint,
    NothingToUndo,
    PathRefused,
    PathUnknown,
    ProjectUnknown,
)
from hermes_checkpoints.fs import forks
from hermes_checkpoints.fs.system import POSIX
from hermes_checkpoints.layout import Layout

_MOST = 4
"""How many bases are kept at once; that which was used longest ago goes first."""

_ABOUT_THE_QUESTION = (
    *(BadRequest, ProjectUnknown, CheckpointUnknown, CheckpointForeign, CheckpointPruned),
    *(PathRefused, PathUnknown, NoSafetyCheckpoint, NothingToUndo),
)
"""What a sound base answers to a wrong question; any other error closes it."""

_Identity = tuple[int, int]
_Files = tuple[object, ...]


@dataclass(eq=False)
class _Kept:
    """An opened base, how many blocks use it, and what it was when it was opened. ``store`` is None
    until there is one. ``looking`` is held while ``files`` is compared, or written anew."""

    base: Base
    users: int = 1
    folder: _Identity | None = None
    store: _Identity | None = None
    form: Form | None = None
    files: _Files = ()
    looking: threading.Lock = field(default_factory=threading.Lock)


class _Here:
    """What this process keeps, the one that was used last at the end."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.kept: dict[Layout, _Kept] = {}


_here = _Here()


@contextlib.contextmanager
def lend(layout: Layout, opening: Opening) -> Iterator[Base]:
    """Yield the opened base of a layout, which stays open for the next one. Any number of threads
    may use it at once. It is made where there is none, with ``opening``.

    Raises:
        CheckpointError: as ``Base.open``.
    """
    kept = _ready(layout, opening)
    try:
        yield kept.base
    except _ABOUT_THE_QUESTION:
        raise
    except BaseException:
        _forget(layout, kept)
        raise
    finally:
        _give_back(layout, kept)


def close(layout: Layout | None = None) -> None:
    """Close the base of a layout, or all that are kept; one that is in use then closes after it."""
    for one in [*_here.kept] if layout is None else [layout]:
        with _here.lock:
            kept = _here.kept.pop(one, None)
            idle = kept is not None and not kept.users
        if kept is not None and idle:
            kept.base.close()


def _ready(layout: Layout, opening: Opening) -> _Kept:
    with _here.lock:
        found = _here.kept.pop(layout, None)
        if found is not None:
            found.users += 1
            _here.kept[layout] = found  # the one that was used last
    if found is not None:
        with contextlib.suppress(CheckpointError, OSError):  # the opening says what it is
            if _is_as_it_was(found):
                return found
        _forget(layout, found)
        _give_back(layout, found)
    opened = _Kept(opening(layout))
    if opened.base.can_be_kept and POSIX:  # elsewhere nobody can move what is open
        try:
            _keep(layout, opened)
        except BaseException:
            opened.base.close()
            raise
    return opened


def _keep(layout: Layout, opened: _Kept) -> None:
    opened.folder = _identity(layout.base)
    opened.files = _files_of(layout)
    opened.form = opened.base.catalog.standing.proven_form()
    if _files_of(layout) != opened.files:
        return  # somebody writes there just now
    too_many: list[Layout] = []
    with _here.lock:
        # Another thread may have opened it just now: then this one is closed after its use.
        if _here.kept.setdefault(layout, opened) is opened:
            too_many = [*_here.kept][:-_MOST]
    for one in too_many:
        close(one)


def _forget(layout: Layout, kept: _Kept) -> None:
    with _here.lock:
        if _here.kept.get(layout) is kept:
            del _here.kept[layout]


def _give_back(layout: Layout, kept: _Kept) -> None:
    try:
        with _here.lock:
            last = kept.users == 1 and _here.kept.get(layout) is kept
        if last:
            _leave_tidy(kept)
    finally:
        with _here.lock:
            kept.users -= 1
            over = not kept.users and _here.kept.get(layout) is not kept
        if over:
            kept.base.close()


def _leave_tidy(kept: _Kept) -> None:
    """Write the log back into the catalog, as the end of a process does, and remember the file as
    it is then. Nobody is waited for: what others use is written back after a later use. A file that
    somebody changed is left as it is: the next use opens it anew."""
    with contextlib.suppress(CheckpointError, OSError), kept.looking:
        if not os.stat(f"{kept.base.layout.catalog}-wal").st_size:
            return
        if _files_of(kept.base.layout) == kept.files:
            kept.base.catalog.write_back(busy_timeout=0)
            kept.files = _files_of(kept.base.layout)


def _is_as_it_was(kept: _Kept) -> bool:
    """Tell whether an opening would find what the one before found. Costs some looks at files, and
    a statement.

    Raises:
        CheckpointError: when an opening would refuse it.
        OSError: when it cannot be looked at.
    """
    base, layout = kept.base, kept.base.layout
    folder = os.stat(layout.base)
    if (folder.st_dev, folder.st_ino) != kept.folder or folder.st_mode & 0o077:
        return False
    with kept.looking:
        if _files_of(layout) != kept.files:
            return False
    if why_unwritable(layout) is not None or clearing.begun(layout) is not None:
        return False
    require_plain(layout)
    if os.path.isdir(layout.store):
        require_plain_store(layout)
        store = _identity(layout.store)
        kept.store = kept.store or store  # it was made meanwhile
        if is_foreign(layout.store) or kept.store != store:
            return False
    elif kept.store is not None:
        return False
    if git_timeout() != base.lock_timeout or load_config(layout.config) != base.config:
        return False
    return base.catalog.standing.form() == kept.form  # and it is the file that was opened


def _identity(path: str | Path) -> _Identity:
    found = os.stat(path)
    return found.st_dev, found.st_ino


def _files_of(layout: Layout) -> _Files:
    """Return what tells whether the files of a catalog are those that SQLite has open. It trusts
    what it has read of the file as long as the log says nothing else, so another content is no less
    than another file; and what is written into a log that was deleted is lost."""
    found = os.stat(layout.catalog)
    beside: list[_Identity | None] = []
    for name in (f"{layout.catalog}-wal", f"{layout.catalog}-shm"):
        try:
            beside.append(_identity(name))
        except FileNotFoundError:
            beside.append(None)
    own = found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
    return (own, *beside)


def _in_child() -> None:
    _here.lock = threading.Lock()  # a thread that the child lacks may hold the other one
    _here.kept = {}


# The connections of what is kept end with a fork anyway: parent and child open it anew.
forks.at_fork(before=close, in_child=_in_child)
atexit.register(close)
