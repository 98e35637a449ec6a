"""What things take on the disk, and removing whole folders of our own.

Sizes are allocated bytes, as ``du`` counts them: small files take more than they hold.
"""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

from hermes_checkpoints.errors import base_error
from hermes_checkpoints.fs.walking import remove_folder

_BLOCK = 512


def directory_bytes(path: Path, *, alone: bool = False) -> int:
    """Return the space that a file, or everything in a directory, takes on disk, in bytes.

    Links are not followed. What vanishes while it is counted counts nothing. ``alone`` leaves
    out files that have another name as well: what would come back if all were removed.
    """
    try:
        info = path.lstat()
    except OSError:
        return 0
    total = allocated(info)
    pending = [str(path)] if stat.S_ISDIR(info.st_mode) else []
    while pending:
        try:
            with os.scandir(pending.pop()) as entries:
                for entry in entries:
                    try:
                        info = entry.stat(follow_symlinks=False)
                        if not alone or info.st_nlink == 1 or stat.S_ISDIR(info.st_mode):
                            total += allocated(info)
                    except OSError:
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        pending.append(entry.path)
        except OSError:
            continue
    return total


def allocated(info: os.stat_result) -> int:
    """Return the bytes that a file takes, which its size rounds up to."""
    blocks: int | None = getattr(info, "st_blocks", None)
    return info.st_size if blocks is None else blocks * _BLOCK


def allocated_at(path: str | Path) -> int:
    """Return the bytes on disk of what lies at a path; a link is not followed, and what cannot be
    seen has none."""
    try:
        return allocated(os.lstat(path))
    except OSError:
        return 0


def free_bytes(path: Path) -> int:
    """Return the free bytes of the filesystem of a path that this user may use."""
    return shutil.disk_usage(path).free


def remove_tree(path: Path) -> int:
    """Remove a folder of our own with all that is in it; return the bytes that it took.

    A folder in it that is closed to its owner is opened first. A link is removed, never followed.

    Raises:
        BaseUnwritable: when something cannot be removed; the rest may be gone.
    """
    size = directory_bytes(path)
    try:
        if path.is_symlink() or not path.is_dir():
            path.unlink(missing_ok=True)
            return size
        remove_folder(path)
    except OSError as error:
        raise base_error(error, path) from error
    return size
