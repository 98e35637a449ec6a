"""Removes everything, or the archives that a migration moved aside.

Session checkpoints are no checkpoints of files: they stay unless they are named, and with them
the catalog file. What goes is moved away first (``base.clearing``), so that nothing that is in use
is pulled away, and a kill at any moment leaves a base that works.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from hermes_checkpoints.base import clearing
from hermes_checkpoints.base.opened import Base
from hermes_checkpoints.config import load_config
from hermes_checkpoints.errors import BadRequest, CheckpointError
from hermes_checkpoints.fs.disk import directory_bytes, remove_tree
from hermes_checkpoints.fs.locks import exclusive
from hermes_checkpoints.layout import LEGACY_PREFIX, Layout


@dataclass(frozen=True)
class _Going:
    """What a plan covers: ``names`` of checkpoints, archives with what lies in them, and sessions.
    Whatever was removed meanwhile is no matter; nothing else may go."""

    method: str
    base: Path
    sessions: bool
    names: frozenset[str]

    def require(self, plan: Cleared) -> None:
        """Refuse a plan that does not cover this.

        Raises:
            BadRequest: nothing was removed.
        """
        made = plan._going
        if made is None or (made.method, made.base) != (self.method, self.base):
            raise BadRequest(f"this is no plan of `plan_{self.method}` for {self.base}; make one")
        if made.sessions is not self.sessions:
            raise BadRequest("the plan was made for another `sessions`; make a new plan")
        more = self.names - made.names
        if more:
            raise BadRequest(
                f"{len(more)} more than the plan has would be removed, first {min(more)}; "
                "nothing was removed: make a new plan"
            )


@dataclass(frozen=True)
class Cleared:
    """What was removed. ``freed_bytes`` is disk space; ``kept_sessions`` stay, and with them the
    catalog; ``errors`` name what could not be removed.

    >>> taken = project.take()
    >>> cleared = checkpoints.plan_clear()
    >>> cleared.checkpoints, cleared.kept_sessions
    (1, 0)
    """

    freed_bytes: int
    checkpoints: int = 0
    archives: int = 0
    kept_sessions: int = 0
    errors: tuple[str, ...] = ()
    _going: _Going | None = field(default=None, repr=False, compare=False)


def plan_clear(base: Base, *, sessions: bool = False) -> Cleared:
    """Return what ``clear`` would remove and keep; nothing is changed. The bytes are those of what
    goes as a whole: a catalog that stays for its sessions gets smaller, too."""
    refs, states = base.catalog.checkpoints.ref_names(), _session_names(base)
    kept = 0 if sessions else len(states)
    going = clearing.going(base.layout, sessions=not kept)
    return Cleared(
        sum(directory_bytes(entry) for entry in going),
        len(refs),
        sum(entry.name.startswith(LEGACY_PREFIX) for entry in going),
        kept,
        _going=_going_all(base, refs, states if sessions else None),
    )


def plan_clear_legacy(base: Base) -> Cleared:
    """Return what ``clear_legacy`` would remove; nothing is changed."""
    from hermes_checkpoints.admin.status import archive_folders

    archives = archive_folders(base.layout)
    return Cleared(
        sum(directory_bytes(entry, alone=True) for entry in archives),
        archives=len(archives),
        _going=_going_legacy(base),
    )


def _going_all(base: Base, refs: set[str], states: set[str] | None) -> _Going:
    """Return what goes with everything: checkpoints, archives, and unless None the sessions."""
    names = {
        *(f"checkpoint {name}" for name in refs),
        *_names_in(base.layout.base.glob(f"{LEGACY_PREFIX}*")),
        *(f"session {name}" for name in states or ()),
    }
    return _Going("clear", base.layout.base, states is not None, frozenset(names))


def _going_legacy(base: Base) -> _Going:
    from hermes_checkpoints.admin.status import archive_folders

    names = frozenset(_names_in(archive_folders(base.layout)))
    return _Going("clear_legacy", base.layout.base, False, names)


def _names_in(archives: Iterable[Path]) -> set[str]:
    """Return the names of archives and of what lies directly in them, as far as it can be seen."""
    names: set[str] = set()
    for archive in archives:
        names.add(f"archive {archive.name}")
        with contextlib.suppress(OSError):
            names.update(f"archive {archive.name}/{entry.name}" for entry in archive.iterdir())
    return names


def _session_names(base: Base) -> set[str]:
    """Return the names of the session checkpoints, in the catalog or as files."""
    as_files = {entry.stem for entry in clearing.session_files(base.layout)}
    return {*base.catalog.sessions.ids()} | as_files


def clear(base: Base, *, sessions: bool = False, plan: Cleared | None = None) -> Cleared:
    """Remove all that is in the base but session checkpoints, with ``sessions`` those, too.

    Where no session checkpoint is kept, the base itself goes, and the catalog is closed.

    Raises:
        BadRequest: when more would go than ``plan`` has; nothing was removed then.
        LockHeld: when a process takes, restores or prunes; nothing was removed then.
        BaseUnwritable, NoSpace: when the base cannot be read or written; if it was cut short, the
            next opening carries it out.
    """
    layout = base.layout
    base.require_writable()
    with clearing.locked(layout, "clear", base.lock_timeout):
        refs, states = base.catalog.checkpoints.ref_names(), _session_names(base)
        if plan is not None:
            _going_all(base, refs, states if sessions else None).require(plan)
        before = directory_bytes(layout.base)
        kept = 0 if sessions else len(states)
        moving = clearing.going(layout, sessions=not kept)
        archives = sum(entry.name.startswith(LEGACY_PREFIX) for entry in moving)
        folder = clearing.begin(layout, sessions=not kept)
        if kept:
            try:
                _erase(base)
            except BaseException:
                with contextlib.suppress(OSError):
                    folder.rmdir()
                raise
        else:
            base.catalog.close()
        errors = clearing.carry_out(layout, folder)
    if kept:
        base.catalog.shrink()
    return _deleted(layout, before, Cleared(0, len(refs), archives, kept, tuple(errors)))


def finish(base: Base) -> None:
    """Carry out a clear that kept session checkpoints and was killed, and go on with deleting what
    a killed clear moved away, for a moment. Costs a few looks where there was none.

    Raises:
        LockHeld: when another process carries it out for too long.
        CheckpointError: when the catalog or the base cannot be written.
    """
    layout = base.layout
    if clearing.begun(layout) is not None:
        with clearing.locked(layout, "clear", base.lock_timeout):
            folder = clearing.begun(layout)
            if folder is not None:
                _erase(base)
                clearing.carry_out(layout, folder)
    clearing.delete(layout, seconds=clearing.OPENING_SECONDS)


def remove_all(layout: Layout, timeout: float = 30.0) -> Cleared:
    """Remove the whole base, session checkpoints too, also where its catalog cannot be read.

    ``timeout`` is the longest wait for others, in seconds.

    Raises:
        LockHeld: when a process takes, restores or prunes; nothing was removed then.
        BaseUnwritable, NoSpace: if it was cut short, the next opening carries it out.
    """
    with clearing.locked(layout, "clear", timeout):
        before = directory_bytes(layout.base)
        folder = clearing.begin(layout, sessions=True)
        errors = clearing.carry_out(layout, folder)
    return _deleted(layout, before, Cleared(0, errors=tuple(errors)))


def _erase(base: Base) -> None:
    """Empty the catalog of all but session checkpoints and the settings that the configuration
    gives it, which are in force as before."""
    base.catalog.retention.erase(keep=load_config(base.layout.config).settings())


def _deleted(layout: Layout, before: int, cleared: Cleared) -> Cleared:
    """Delete what a clear moved away, and the base if it is empty then; return what was done."""
    problems = clearing.delete(layout)
    if not cleared.kept_sessions:
        clearing.remove_base(layout)
    freed = max(0, before - directory_bytes(layout.base))
    return replace(cleared, freed_bytes=freed, errors=(*cleared.errors, *problems))


def clear_legacy(base: Base, *, plan: Cleared | None = None) -> Cleared:
    """Remove the archives that a migration moved aside, and nothing else.

    Raises:
        BadRequest: when more would go than ``plan`` has; nothing was removed then.
        LockHeld: when another process imports; nothing was removed then.
    """
    from hermes_checkpoints.admin.status import archive_folders
    from hermes_checkpoints.base.measures import forget_archives

    base.require_writable()
    freed = count = 0
    errors: list[str] = []
    path, timeout = base.layout.legacy_lock, base.lock_timeout
    with exclusive(path, purpose="clear-legacy", timeout=timeout) as lock:
        if plan is not None:
            _going_legacy(base).require(plan)
        for entry in archive_folders(base.layout):
            try:
                size = directory_bytes(entry, alone=True)
                lock.require()
                remove_tree(entry)
                freed += size
                count += 1
            except CheckpointError as error:
                errors.append(str(error))
                continue
            base.catalog.archives.clear_folder(entry.name, base.now())
        forget_archives(base)
    return Cleared(freed, archives=count, errors=tuple(errors))
