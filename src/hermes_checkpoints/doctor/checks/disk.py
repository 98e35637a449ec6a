"""What the file system of the base can do, and whether there is room on it."""

from __future__ import annotations

import os
from collections.abc import Iterator

from hermes_checkpoints.doctor.patient import Patient
from hermes_checkpoints.errors import PROGRAM
from hermes_checkpoints.fs.disk import directory_bytes, free_bytes
from hermes_checkpoints.fs.filesystem import is_network, kind_of
from hermes_checkpoints.fs.system import (
    HANDLES,
    LINUX,
    POSIX,
    can_exchange,
    can_share_blocks,
)
from hermes_checkpoints.model.doctor import Finding
from hermes_checkpoints.text import size

_ROOM = 64 * 1024 * 1024
_FEW = 1000
_ELSEWHERE = "HERMES_HOME, or --home, names another place; copy the base there first"


def check(patient: Patient) -> Iterator[Finding]:
    """Look at room, kind and abilities of the file system.

    Raises:
        OSError: when the file system does not answer.
    """
    base = patient.layout.base
    yield from _room(patient)
    if POSIX and os.statvfs(base).f_flag & getattr(os, "ST_RDONLY", 0):
        yield Finding(
            "disk-read-only",
            str(base),
            "the file system is mounted to be read only: checkpoints can be looked at, not taken",
            "mount it to be written (mount -o remount,rw), after a look at the log of the system: "
            "a disk that fails is closed like this",
        )
    kind = kind_of(base)
    if is_network(patient.layout.catalog):
        yield Finding(
            "network-filesystem",
            str(base),
            f"the base lies on {kind or 'a network share'}, which other machines may share: takes "
            "are slower, and locks count only where the server passes them on",
            f"a local disk is better: {_ELSEWHERE}",
            note=True,
        )
    elif kind is None and LINUX:
        yield Finding(
            "unknown-filesystem",
            str(base),
            "the kind of the file system cannot be told, so it counts as a local one",
            f"if other machines share it, choose a local disk: {_ELSEWHERE}",
            note=True,
        )
    lacking = [
        name
        for name, there in (
            ("directory handles (dir_fd)", HANDLES),
            ("the exchange of two names in one step (renameat2)", can_exchange()),
            ("copies that share their blocks (reflink)", can_share_blocks(base)),
        )
        if there is False
    ]
    if lacking:
        yield Finding(
            "filesystem-lacks",
            str(base),
            f"{kind or 'this system'} lacks {' and '.join(lacking)}; what works without is slower "
            "or takes more steps, and is as safe as the system allows",
            "nothing has to be done",
            note=True,
        )


def _room(patient: Patient) -> Iterator[Finding]:
    base, store = patient.layout.base, patient.layout.store
    free, needed = free_bytes(base), directory_bytes(store / "objects") + _ROOM
    if free < needed:
        yield Finding(
            "disk-full" if free < _ROOM else "disk-low",
            str(base),
            f"{size(free)} are free, and packing the store anew may need {size(needed)}",
            f"free some space on this disk; `{PROGRAM} du` says what takes most, "
            f"`{PROGRAM} prune --reclaim SIZE` drops the oldest",
        )
    if not POSIX:
        return
    found = os.statvfs(base)
    if found.f_files and found.f_favail < _FEW:
        yield Finding(
            "inodes-low",
            str(base),
            f"only {found.f_favail} more files can be made on this file system, and one take may "
            "make thousands",
            f"remove files that are not needed; `{PROGRAM} prune` packs those of the store",
        )
