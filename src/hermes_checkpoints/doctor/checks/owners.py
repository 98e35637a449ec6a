"""Whether everything in the base belongs to whoever uses it, and is closed to others.

One take as root leaves files of root, and the takes of the user fail from then on.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from hermes_checkpoints.doctor.patient import Patient
from hermes_checkpoints.doctor.places import examples, quoted, vanishing, within
from hermes_checkpoints.errors import PROGRAM
from hermes_checkpoints.fs.system import POSIX
from hermes_checkpoints.fs.walking import walk
from hermes_checkpoints.layout import LEGACY_PREFIX, LOCKS, Layout
from hermes_checkpoints.model.doctor import Finding
from hermes_checkpoints.text import counted

_OTHERS = 0o077
_OTHERS_WRITE = 0o022
_CATALOG = ("catalog.db", "catalog.db-wal", "catalog.db-shm")


def check(patient: Patient) -> Iterator[Finding]:
    """Look at owner and permission bits of all that the base holds, but archives.

    Raises:
        OSError: when the base cannot be looked at.
    """
    if not POSIX:
        return
    base = patient.layout.base
    mode = base.stat().st_mode
    if mode & _OTHERS_WRITE:
        yield Finding(
            "base-writable-by-others",
            str(base),
            f"other users can write in it (mode {stat.S_IMODE(mode):04o}), and so decide what a "
            "restore writes into your files",
            f"`{PROGRAM} doctor --repair`, or: chmod 700 {quoted(base)}; then look at "
            "what they may have put there",
            repairs=True,
        )
    elif mode & _OTHERS:
        yield Finding(
            "base-open",
            str(base),
            f"other users can look into it (mode {stat.S_IMODE(mode):04o})",
            f"`{PROGRAM} doctor --repair`, or: chmod 700 {quoted(base)}",
            repairs=True,
        )
    yield from _catalog(patient)
    yield from _contents(patient, base.stat().st_uid)


def mend(layout: Layout, findings: Sequence[Finding]) -> list[str]:
    """Close the base and its catalog to others; return what was done.

    Raises:
        OSError: when a mode cannot be set, as by another user than the owner.
    """
    done = []
    for one in findings:
        if one.kind in ("base-writable-by-others", "base-open"):
            layout.base.chmod(0o700)
            done.append(f"{layout.base} was closed to other users")
        elif one.kind == "catalog-open":
            for name in _CATALOG:
                path = layout.base / name
                with vanishing():
                    if stat.S_ISREG(path.lstat().st_mode):  # a link would lead elsewhere
                        path.chmod(0o600)
            done.append("the catalog was closed to other users")
    return done


def _catalog(patient: Patient) -> Iterator[Finding]:
    for name in _CATALOG:
        path = patient.layout.base / name
        with vanishing():
            found = path.lstat()
            mode = stat.S_IMODE(found.st_mode)
            if stat.S_ISREG(found.st_mode) and mode & _OTHERS:
                yield Finding(
                    "catalog-open",
                    name,
                    f"other users can read or write it (mode {mode:04o}) where the folders above "
                    "let them in",
                    f"`{PROGRAM} doctor --repair`, or: chmod 600 {quoted(path)}",
                    repairs=True,
                )
                return  # SQLite gives its other files the mode of the first


def _contents(patient: Patient, owner: int) -> Iterator[Finding]:
    layout, user = patient.layout, os.geteuid()
    if owner != user:
        yield Finding(
            "base-of-another",
            str(layout.base),
            f"it belongs to user {owner}, and you are user {user}: what you write here is closed "
            "to its owner",
            "work as its owner, or choose another home with --home or HERMES_HOME",
            note=user == 0,
        )
    foreign, closed, unreadable = [], [], []
    for path, found in _everything(layout.base):
        name = within(layout, path)
        if found.st_uid != owner:
            foreign.append(name)
        elif stat.S_ISDIR(found.st_mode):
            if not os.access(path, os.R_OK | os.W_OK | os.X_OK):
                closed.append(name)
        elif stat.S_ISREG(found.st_mode) and not os.access(path, os.R_OK):
            unreadable.append(name)
    base = quoted(layout.base)
    if foreign:
        yield Finding(
            "foreign-owner",
            foreign[0],
            f"{len(foreign)} of the files and folders in the base belong to another user than the "
            f"base itself: {examples(foreign)}",
            f"sudo chown -R {owner} {base}",
        )
    if closed:
        yield Finding(
            "folder-closed",
            closed[0],
            f"{counted(len(closed), 'folder')} of the base cannot be read and written by this "
            f"user: {examples(closed)}",
            f"chmod -R u+rwX {base}",
        )
    if unreadable:
        yield Finding(
            "file-unreadable",
            unreadable[0],
            f"{counted(len(unreadable), 'file')} of the base cannot be read by this user: "
            f"{examples(unreadable)}",
            f"chmod -R u+rwX {base}",
        )


def _everything(base: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """Yield what lies in a base but archives; locks have a check of their own."""
    for top, folders, names in walk(base):
        if Path(top) == base:
            apart = [name for name in folders if name == LOCKS or name.startswith(LEGACY_PREFIX)]
            folders[:] = [name for name in folders if name not in apart]
        folders.sort()
        for name in sorted([*folders, *names]):
            path = Path(top, name)
            with vanishing():
                yield path, path.lstat()
