"""Mounts that only a worker and its children see, where the system allows them."""

from __future__ import annotations

import ctypes
import os
import subprocess
from pathlib import Path

_NEWNS, _NEWUSER = 0x20000, 0x10000000


def obstacle() -> str:
    """Return why no mount can be made here, or ``""``; a child tries."""
    child = os.fork()
    if child == 0:
        try:
            enter()
            done = subprocess.run(
                ["mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True, check=False
            )
            os._exit(0 if done.returncode == 0 else 2)
        except BaseException:  # noqa: BLE001 - whatever it is, it does not work here
            os._exit(1)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return "" if code == 0 else "this system allows no mounts in a namespace of one's own"


def enter() -> None:
    """Give this process mounts of its own. It must have no threads.

    Raises:
        OSError: where the system refuses.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    uid, gid = os.getuid(), os.getgid()
    flags = _NEWNS if uid == 0 else _NEWNS | _NEWUSER
    if libc.unshare(flags) != 0:
        flags = _NEWNS | _NEWUSER
        if libc.unshare(flags) != 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    if flags & _NEWUSER:
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"0 {uid} 1")
        Path("/proc/self/gid_map").write_text(f"0 {gid} 1")
    mount("--make-rprivate", "/")


def mount(*arguments: str | Path) -> None:
    subprocess.run(["mount", *map(str, arguments)], check=True, capture_output=True)


def unmount(place: Path) -> None:
    subprocess.run(["umount", "-l", str(place)], check=True, capture_output=True)
