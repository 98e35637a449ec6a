"""Tells what kind of file system a folder lies on, and what follows from that.

On one of the network, WAL would lose data: it keeps its index in memory that all processes share,
which machines do not. Where the kind cannot be told, it counts as local; SQLite itself then
refuses what it can tell.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

MOUNTS = Path("/proc/self/mountinfo")

# fmt: off
_NETWORK = frozenset((
    "9p", "afs", "beegfs", "ceph", "cifs", "coda", "davfs", "drvfs", "fuse.ceph",
    "fuse.davfs2", "fuse.glusterfs", "fuse.juicefs", "fuse.rclone", "fuse.s3fs", "fuse.sshfs",
    "gfs2", "glusterfs", "gpfs", "lustre", "ncpfs", "nfs", "nfs3", "nfs4", "ocfs2", "orangefs",
    "prl_fs", "smb2", "smb3", "smbfs", "vboxsf", "virtiofs", "vmhgfs", "fuse.vmhgfs-fuse",
))
# fmt: on

# fmt: off
_TELLING = frozenset((
    "bcachefs", "btrfs", "ext2", "ext3", "ext4", "f2fs", "jfs", "nilfs2", "overlay", "ramfs",
    "reiserfs", "tmpfs", "xfs", "zfs",
))
# fmt: on


def is_network(path: Path, mounts: Path = MOUNTS) -> bool:
    """Return whether the folder of ``path`` lies on a filesystem that other machines may share."""
    if sys.platform == "win32":
        return os.path.realpath(path.parent).startswith(("\\\\", "//"))
    return kind_of(path.parent, mounts) in _NETWORK


def tells_of_entries(folder: str) -> bool:
    """Tell whether a folder, as resolved, lies on a file system of this machine in which the time
    of change of a directory is another one after an entry came or went, so that a new file shows by
    it. POSIX asks for that; one of the network or of a program (FUSE) may show it late or never.
    Where the kind is not known, as on other systems than Linux, the answer is no."""
    return _kind_at(folder, MOUNTS) in _TELLING


def kind_of(folder: Path, mounts: Path = MOUNTS) -> str | None:
    """Return the kind of the filesystem that a folder lies on, such as ``ext4``; None where the
    system does not tell."""
    return _kind_at(os.path.realpath(folder), mounts)


def _kind_at(folder: str, mounts: Path) -> str | None:
    try:
        with open(mounts, encoding="utf-8", errors="surrogateescape") as file:
            lines = file.read().splitlines()
    except OSError:
        return None
    kind, longest = None, -1
    for line in lines:
        before, found, after = line.partition(" - ")
        fields = before.split(" ", 5)
        if not found or len(fields) < 5:
            continue
        point = _unescape(fields[4])
        inside = folder == point or folder.startswith(point.rstrip("/") + "/")
        if inside and len(point) >= longest:  # of two mounts on one point the later one shows
            kind, longest = after.split(" ", 1)[0], len(point)
    return kind


def _unescape(field: str) -> str:
    if "\\" not in field:
        return field
    for code, character in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        field = field.replace(code, character)
    return field
