"""What differs between operating systems, in one place, so that nothing above has to know.

Every call that only POSIX has stands here beside its alternative.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import os
import platform
import select
import signal
import stat
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from hermes_checkpoints.model import FileIdentity

POSIX = os.name == "posix"
LINUX = platform.system() == "Linux"

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
    """Kill a child made with ``spawn_options`` and its own children, then reap it. One that waits
    for a dead disk ends when that answers: it is waited for no longer than ``LAST_WAIT``."""
    try:
        if POSIX:
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    except OSError:
        process.kill()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(LAST_WAIT)


LAST_WAIT = 5.0
"""Seconds that a killed process is given to end."""


def read_within(process: subprocess.Popen[bytes], seconds: float) -> bytes | None:
    """Return what a child has written next, b"" where it ended, and None where nothing came for so
    many seconds. Where a pipe cannot be watched, as on Windows, the child is killed then, too."""
    assert process.stdout is not None  # noqa: S101 - whoever reads has given it a pipe
    descriptor = process.stdout.fileno()
    if POSIX:
        watched = select.poll()
        watched.register(descriptor, select.POLLIN)
        if not watched.poll(max(0.0, seconds) * 1000):
            return None
        return os.read(descriptor, _PIECE)
    silent = threading.Event()

    def end() -> None:
        silent.set()
        process.kill()

    timer = threading.Timer(max(0.0, seconds), end)
    timer.start()
    try:
        return os.read(descriptor, _PIECE) or (None if silent.is_set() else b"")
    finally:
        timer.cancel()


_PIECE = 1 << 20


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


def temporary_root() -> Path:
    """Return the folder in which temporary ones are made. Where none can be written, Python takes
    the current directory, which may be a project; here that is none.

    Raises:
        FileNotFoundError: when there is none.
    """
    found = tempfile.gettempdir()
    if POSIX:
        usual = ["/tmp", "/var/tmp", "/usr/tmp"]  # noqa: S108
        usual += [os.path.abspath(os.environ.get(name) or "/tmp") for name in _TEMPORARY]  # noqa: S108
        if found not in usual and found == os.getcwd():
            raise FileNotFoundError(errno.ENOENT, "no folder for temporary files can be written")
    return Path(found)


_TEMPORARY = ("TMPDIR", "TEMP", "TMP")


def shared_temporary_roots() -> frozenset[Path]:
    """Return the resolved folders that all programs of this machine share for scratch files."""
    candidates = []
    with contextlib.suppress(FileNotFoundError):
        candidates.append(temporary_root())
    if POSIX:
        candidates += [Path(p) for p in ("/tmp", "/var/tmp", "/dev/shm", "/private/tmp")]  # noqa: S108
    return frozenset(p.resolve() for p in candidates if p.exists())


def permission_bits(mode: int) -> int:
    """Return the permission bits of a mode that this system can set back."""
    return stat.S_IMODE(mode) if POSIX else mode & stat.S_IWRITE


# --- names ------------------------------------------------------------------------------------

_NOREPLACE, _EXCHANGE = 1, 2  # flags of renameat2
_CURRENT_DIRECTORY = -100  # AT_FDCWD
_UNSUPPORTED = (errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP, errno.EPERM)
"""What renameat2 says where system, filesystem or sandbox cannot do it. A refusal for another
reason is repeated by the call that is made instead."""


def exchange(first: str, second: str) -> bool:
    """Exchange what two names stand for, in one step; False where that cannot be done here.

    Raises:
        OSError: when one of them does not exist, or is a place where something is mounted (EBUSY),
            among others; then nothing has changed.
    """
    return _renamed(first, second, _EXCHANGE)


def rename_new(source: str, target: str) -> None:
    """Rename to a name that is not in use, and never replace what has come there meanwhile.

    Where the system cannot do that in one step, a file gets a second name, and loses the first.
    What can have no second name, a directory among others, is renamed after a look.

    Raises:
        FileExistsError: when something lies at ``target``; it is left as it is.
        OSError: when it cannot be renamed.
    """
    if _renamed(source, target, _NOREPLACE):
        return
    try:
        os.link(source, target, follow_symlinks=False)
    except FileExistsError:
        raise
    except (OSError, NotImplementedError):
        if os.path.lexists(target):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), target) from None
        os.rename(source, target)
    else:
        os.unlink(source)


def _renamed(source: str, target: str, flags: int) -> bool:
    """Rename by renameat2 (Linux 3.15, glibc 2.28); False where it is not to be had."""
    function = _renameat2()
    if function is None:
        return False
    sys.audit("os.rename", source, target, -1, -1)  # as every rename of Python
    code = function(os.fsencode(source), os.fsencode(target), flags)
    if code in _UNSUPPORTED:
        return False
    if code:
        raise OSError(code, os.strerror(code), source, None, target)
    return True


@functools.cache
def _renameat2() -> Callable[[bytes, bytes, int], int] | None:
    """Return the system's function, which returns the number of its error, or 0."""
    if sys.platform != "linux":
        return None
    import ctypes

    try:
        function = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError):
        return None

    def call(source: bytes, target: bytes, flags: int) -> int:
        here = _CURRENT_DIRECTORY
        return ctypes.get_errno() if function(here, source, here, target, flags) else 0

    return call


def pinned(directory: str) -> int | None:
    """Return a descriptor of a directory, by which ``/proc/self/fd`` names that very one, whatever
    is put in its place; None where the system has no such names.

    Raises:
        OSError: when it is no directory, as a link to one (NotADirectoryError), among others.
    """
    flags = getattr(os, "O_PATH", None)
    if flags is None or not os.path.isdir("/proc/self/fd"):
        return None
    return os.open(directory, flags | os.O_DIRECTORY | os.O_NOFOLLOW)


def change_mode(path: str, mode: int, is_meant: Callable[[os.stat_result], bool]) -> bool:
    """Set the permission bits of what lies at a path, if it ``is_meant``; tell whether it is.

    Where the system can, the bits are set of the very thing that was looked at, whatever lies at
    the path by then. A link is not followed.

    Raises:
        OSError: when there is nothing, or the bits cannot be set.
    """
    flags = getattr(os, "O_PATH", None)
    if flags is None or not os.path.isdir("/proc/self/fd"):
        if not is_meant(os.lstat(path)):
            return False
        os.chmod(path, mode)
        return True
    descriptor = os.open(path, flags | os.O_NOFOLLOW)
    try:
        if not is_meant(os.fstat(descriptor)):
            return False
        os.chmod(f"/proc/self/fd/{descriptor}", mode)
    finally:
        os.close(descriptor)
    return True


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


def changed_ns(found: os.stat_result) -> int:
    """Return when a path changed last, in nanoseconds since 1970. Windows keeps no time of a
    change but that of the contents."""
    return found.st_ctime_ns if POSIX else found.st_mtime_ns
