"""Removes everything, or the archives that a migration moved aside.

Session checkpoints are no checkpoints of files: they stay unless they are named, and with them
the catalog file. The locks lie beside the base, so nothing that is in use is pulled away.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from hermes_checkpoints.admin.status import archive_folders
from hermes_checkpoints.base.measures import forget_archives
from hermes_checkpoints.base.opened import Base
from hermes_checkpoints.errors import BadRequest, CheckpointError
from hermes_checkpoints.fs.disk import directory_bytes, remove_tree
from hermes_checkpoints.fs.locks import exclusive
from hermes_checkpoints.layout import LEGACY_PREFIX, Layout
from hermes_checkpoints.model import LegacyState

_OF_SESSIONS = ("*.yaml", "unreadable-sessions")
_CATALOG = "catalog.db"
_SUFFIXES = ("", "-wal", "-shm")


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
    stay = _what_stays(base) if kept else set()
    going = [entry for entry in base.layout.base.iterdir() if entry not in stay]
    return Cleared(
        sum(directory_bytes(entry) for entry in going),
        len(refs),
        sum(entry.name.startswith(LEGACY_PREFIX) for entry in going),
        kept,
        _going=_going_all(base, refs, states if sessions else None),
    )


def plan_clear_legacy(base: Base) -> Cleared:
    """Return what ``clear_legacy`` would remove; nothing is changed."""
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


def _what_stays(base: Base) -> set[Path]:
    """Return the files that hold session checkpoints."""
    catalog = (base.layout.base / f"{_CATALOG}{suffix}" for suffix in _SUFFIXES)
    return {*_session_files(base), *catalog}


def _session_names(base: Base) -> set[str]:
    """Return the names of the session checkpoints, in the catalog or as files."""
    return {*base.catalog.sessions.ids()} | {entry.stem for entry in _session_files(base)}


def clear(base: Base, *, sessions: bool = False, plan: Cleared | None = None) -> Cleared:
    """Remove all that is in the base but session checkpoints, with ``sessions`` those, too.

    Where no session checkpoint is kept, the base itself goes, and the catalog is closed.

    Raises:
        BadRequest: when more would go than ``plan`` has; nothing was removed then.
        LockHeld: when a process takes, restores or prunes; nothing was removed then.
        BaseUnwritable: when the base cannot be read.
    """
    layout, timeout = base.layout, base.lock_timeout
    archives = 0
    errors: list[str] = []
    with (
        exclusive(layout.prune_lock, purpose="clear", timeout=timeout),
        exclusive(layout.store_lock, purpose="clear", timeout=timeout),
    ):
        refs, states = base.catalog.checkpoints.ref_names(), _session_names(base)
        if plan is not None:
            _going_all(base, refs, states if sessions else None).require(plan)
        before = directory_bytes(layout.base)
        kept = 0 if sessions else len(states)
        if kept:
            base.catalog.retention.erase()
            base.catalog.shrink()
            stay = _what_stays(base)
        else:
            base.catalog.close()
            stay = set()
        for entry in sorted(layout.base.iterdir()):
            if entry in stay:
                continue
            try:
                remove_tree(entry)
                archives += entry.name.startswith(LEGACY_PREFIX)
            except CheckpointError as error:
                errors.append(str(error))
        if not stay and not errors:
            remove_tree(layout.base)
    freed = max(0, before - directory_bytes(layout.base))
    return Cleared(freed, len(refs), archives, kept, tuple(errors))


def remove_all(layout: Layout, timeout: float = 30.0) -> Cleared:
    """Remove the whole base, session checkpoints too, also where its catalog cannot be read.

    ``timeout`` is the longest wait for others, in seconds.

    Raises:
        LockHeld: when a process takes, restores or prunes; nothing was removed then.
        BaseUnwritable: when something cannot be removed; the rest may be gone.
    """
    with (
        exclusive(layout.prune_lock, purpose="clear", timeout=timeout),
        exclusive(layout.store_lock, purpose="clear", timeout=timeout),
    ):
        return Cleared(remove_tree(layout.base))


def _session_files(base: Base) -> list[Path]:
    return [found for pattern in _OF_SESSIONS for found in base.layout.base.glob(pattern)]


def clear_legacy(base: Base, *, plan: Cleared | None = None) -> Cleared:
    """Remove the archives that a migration moved aside, and nothing else.

    Raises:
        BadRequest: when more would go than ``plan`` has; nothing was removed then.
        LockHeld: when another process imports; nothing was removed then.
    """
    freed = count = 0
    errors: list[str] = []
    with exclusive(base.layout.legacy_lock, purpose="clear-legacy", timeout=base.lock_timeout):
        if plan is not None:
            _going_legacy(base).require(plan)
        for entry in archive_folders(base.layout):
            try:
                size = directory_bytes(entry, alone=True)
                remove_tree(entry)
                freed += size
                count += 1
            except CheckpointError as error:
                errors.append(str(error))
                continue
            for record in base.catalog.archives.all():
                inside = record.path.startswith(f"{entry.name}/")
                if inside and record.state is not LegacyState.CLEARED:
                    base.catalog.archives.set_state(record, LegacyState.CLEARED, base.now())
        forget_archives(base)
    return Cleared(freed, archives=count, errors=tuple(errors))
