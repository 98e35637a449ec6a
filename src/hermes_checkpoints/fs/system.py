"""What differs between operating systems, in one place, so that nothing above has to know.

Every call that only POSIX has stands here beside its alternative.
"""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hermes_checkpoints.model import FileIdentity

POSIX = os.name == "posix"

_GET_VERSION = 0x80087601
"""``FS_IOC_GETVERSION`` of linux/fs.h, as most processors number it."""


def spawn_options(keep_open: tuple[int, ...]) -> dict[str, Any]:
    """Return the Popen options that give a child a process group of its own.

    ``keep_open`` are descriptors of locks that the child inherits, so that a lock outlives a
    killed parent for as long as its child works. Windows has no such inheritance; there an
    open file cannot be deleted, which proves the same.
    """
    if POSIX:
        return {"start_new_session": True, "pass_fds": keep_open}
    return {"creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)}


_detached: list[int] = []
"""The processes that this one started detached and has not seen end."""


def start_detached(arguments: Sequence[str], folder: Path) -> None:
    """Start a program that goes on when this process ends.

    It has a session of its own, no standard streams, and none of this process's descriptors; it
    works in ``folder``, so that it holds on to no other directory. Nobody waits for it: one that
    has ended is reaped at the next call.

    Raises:
        OSError: when it cannot be started.
    """
    _reap()
    options: dict[str, Any] = {"start_new_session": True}
    if not POSIX:
        names = ("DETACHED_PROCESS", "CREATE_NEW_PROCESS_GROUP", "BELOW_NORMAL_PRIORITY_CLASS")
        options = {"creationflags": sum(getattr(subprocess, name, 0) for name in names)}
    nowhere = subprocess.DEVNULL
    process = subprocess.Popen(
        arguments, stdin=nowhere, stdout=nowhere, stderr=nowhere, cwd=folder, **options
    )
    if POSIX:
        _detached.append(process.pid)
    process.returncode = 0  # unknown, and never asked for: without it, a warning at its deletion


def _reap() -> None:
    """Take note of detached processes that have ended."""
    for pid in list(_detached):
        try:
            ended = os.waitpid(pid, os.WNOHANG)[0] == pid
        except ChildProcessError:  # somebody else did, or this is a fork of who started it
            ended = True
        if ended:
            _detached.remove(pid)


def lower_priority() -> None:
    """Let other processes go first, where the system can; elsewhere the start has said so."""
    if POSIX:
        os.nice(10)


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill a child made with ``spawn_options`` and its own children, then reap it."""
    try:
        if POSIX:
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    except OSError:
        process.kill()
    process.wait()


def identity(path: Path) -> FileIdentity | None:
    """Return the device and inode of a path, or None where it cannot be seen."""
    try:
        found = path.stat()
    except OSError:
        return None
    return FileIdentity(str(found.st_dev), str(found.st_ino))


def generation(path: Path) -> str | None:
    """Return the generation of a directory's inode, as decimal text, or None where the file system
    has none. Inode numbers are given anew soon after a directory is gone, as on ext4, each time
    with another generation."""
    if not sys.platform.startswith("linux"):
        return None
    import fcntl

    try:
        directory = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    except OSError:
        return None
    try:
        answer = fcntl.ioctl(directory, _GET_VERSION, bytes(8))
    except OSError:
        return None
    finally:
        os.close(directory)
    return str(int.from_bytes(answer[:4], sys.byteorder))


def shared_temporary_roots() -> frozenset[Path]:
    """Return the resolved folders that all programs of this machine share for scratch files."""
    candidates = [Path(tempfile.gettempdir())]
    if POSIX:
        candidates += [Path(p) for p in ("/tmp", "/var/tmp", "/dev/shm", "/private/tmp")]  # noqa: S108
    return frozenset(p.resolve() for p in candidates if p.exists())


def permission_bits(mode: int) -> int:
    """Return the permission bits of a mode that this system can set back."""
    return stat.S_IMODE(mode) if POSIX else mode & stat.S_IWRITE


def sync_directory(path: str) -> None:
    """Make the names in a directory durable, where the system can."""
    if not POSIX:
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError:
        pass  # some filesystems refuse fsync on a directory; the rename itself is atomic
    finally:
        os.close(descriptor)


def write_atomically(path: Path, data: bytes, mode: int = 0o600) -> None:
    """Replace a file through a temporary name beside it, so that readers see old or new."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
