"""Tells whether a file lies on a network filesystem, where WAL would lose data.

WAL keeps its index in memory that all processes share, which machines do not. Where the kind
of a filesystem cannot be told, it counts as local; SQLite itself then refuses what it can tell.
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


def is_network(path: Path, mounts: Path = MOUNTS) -> bool:
    """Return whether the folder of ``path`` lies on a filesystem that other machines may share."""
    if sys.platform == "win32":
        return os.path.realpath(path.parent).startswith(("\\\\", "//"))
    return kind_of(path.parent, mounts) in _NETWORK


def kind_of(folder: Path, mounts: Path = MOUNTS) -> str | None:
    """Return the kind of the filesystem that a folder lies on, such as ``ext4``; None where the
    system does not tell."""
    folder = Path(os.path.realpath(folder))
    try:
        lines = mounts.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return None
    kind, longest = None, -1
    for line in lines:
        before, found, after = line.partition(" - ")
        fields = before.split(" ")
        if not found or len(fields) < 5:
            continue
        point = _unescape(fields[4])
        inside = folder.is_relative_to(point)
        if inside and len(point) >= longest:  # of two mounts on one point the later one shows
            kind, longest = after.split(" ")[0], len(point)
    return kind


def _unescape(field: str) -> str:
    for code, character in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        field = field.replace(code, character)
    return field
