"""What differs between operating systems, in one place, so that nothing above has to know.

Every call that only POSIX has stands here beside its alternative.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import os
import stat
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO, TypedDict

from hermes_checkpoints.fs import forks

if TYPE_CHECKING:
    import select
    import subprocess
    from datetime import datetime

    from hermes_checkpoints.model import FileIdentity


POSIX = os.name == "posix"
LINUX = sys.platform.startswith("linux")

_GET_VERSION = 0x80087601
"""``FS_IOC_GETVERSION`` of linux/fs.h, as most processors number it."""


def spawn_options(keep_open: tuple[int, ...]) -> dict[str, Any]:
    """Return the Popen options that give a child a process group of its own.

    ``keep_open`` are descriptors of locks that the child inherits, so that a lock outlives a
    killed parent for as long as its child works. Windows has no such inheritance; there an
    open file cannot be deleted, which proves the same.
    """
    import subprocess

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
    import subprocess

    _reap()
    options: dict[str, Any] = {"start_new_session": True}
    if not POSIX:
        names = ("DETACHED_PROCESS", "CREATE_NEW_PROCESS_GROUP", "BELOW_NORMAL_PRIORITY_CLASS")
        options = {"creationflags": sum(getattr(subprocess, name, 0) for name in names)}
    nowhere = subprocess.DEVNULL
    with forks.undivided():
        process = subprocess.Popen(
            arguments, stdin=nowhere, stdout=nowhere, stderr=nowhere, cwd=folder, **options
        )
    if POSIX:
        _detached.append(process.pid)
    process.returncode = 0  # unknown, and never asked for: without it, a warning at its deletion


def start_module(module: str, arguments: Sequence[str], folder: Path) -> bool:
    """Start a module of this package in a Python of its own, as ``start_detached`` does; False
    where the program that runs is no Python that could, as one that was frozen.

    Raises:
        OSError: when it cannot be started.
    """
    if getattr(sys, "frozen", False) or not sys.executable:
        return False
    start_detached([sys.executable, "-P", "-m", module, *arguments], folder)
    return True


def start_reader(
    arguments: Sequence[str], environment: Mapping[str, str]
) -> subprocess.Popen[bytes]:
    """Start a program that shows on the terminal what is written to its standard input, such as a
    pager. It is in the foreground with this process, so that the keys are its.

    Raises:
        OSError: when it cannot be started.
    """
    import subprocess

    with forks.undivided():
        return subprocess.Popen(arguments, stdin=subprocess.PIPE, env=dict(environment))


def run_within(
    arguments: Sequence[str], environment: Mapping[str, str], folder: Path, seconds: float
) -> tuple[int | None, bytes, bytes]:
    """Run a program in a folder, with nothing to read and in a process group of its own; return its
    exit status and what it wrote to standard output and error. One that is not done after so many
    seconds is killed with what it started; its status is None then.

    Raises:
        OSError: when it cannot be started.
    """
    import subprocess

    with forks.undivided():
        process = subprocess.Popen(
            arguments,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            env=dict(environment),
            **spawn_options(()),
        )
    with process:
        try:
            out, errors = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            kill_group(process)
            return None, b"", b""
        except BaseException:
            kill_group(process)
            raise
    return process.returncode, out, errors


@contextlib.contextmanager
def terminal() -> Iterator[tuple[TextIO, TextIO]]:
    """Yield the terminal that this process is started from, to read from and to write to, wherever
    its standard streams lead.

    Raises:
        OSError: when there is none.
    """
    source, target = ("/dev/tty", "/dev/tty") if POSIX else ("CONIN$", "CONOUT$")
    with (
        open(source, encoding="utf-8", errors="replace") as asked,
        open(target, "w", encoding="utf-8", errors="backslashreplace") as told,
    ):
        yield asked, told


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
    import signal
    import subprocess

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
    import select

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
_LAST_ERRORS = 1 << 16
_LOOK = 0.2


class Gathered(NamedTuple):
    """What a child has written to standard output, and the end of what it wrote to standard error.
    ``stopped`` says why it was waited for no longer: it was ``silent``, ``late``, or wrote
    ``too-much``."""

    output: bytes
    errors: bytes
    stopped: str | None = None


def gather(
    process: subprocess.Popen[bytes], *, silence: float, limit: float, most: int
) -> Gathered:
    """Return what a child writes until it ends, which has both as pipes and reads nothing. It is
    waited for no longer than ``silence`` seconds without a byte of it, and ``limit`` in all, nor
    for more than ``most`` bytes of output; ending it then is up to the caller.

    It counts as ended as soon as it is, whoever else has its pipes open: an ssh that stays for
    later connections keeps them. Where pipes cannot be watched, as on Windows, only ``limit``
    counts.
    """
    import subprocess

    if not POSIX:
        try:
            output, errors = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            return Gathered(b"", b"", "late")
        return Gathered(output, errors[-_LAST_ERRORS:], "too-much" if len(output) > most else None)
    assert process.stdout is not None and process.stderr is not None  # noqa: S101 - both are pipes
    told, complaints = bytearray(), bytearray()
    found = {process.stdout.fileno(): told, process.stderr.fileno(): complaints}
    with _watching(process, found) as (watched, end):
        last = begun = time.monotonic()
        while True:
            ended = process.poll() is not None
            left = min(last + silence, begun + limit) - time.monotonic()
            pause = 0.0 if ended else max(0.0, left if end is not None else min(left, _LOOK))
            ready = [one for one, _ in watched.poll(pause * 1000) if one != end]
            for one in ready:
                piece = os.read(one, _PIECE)
                if not piece:
                    watched.unregister(one)
                found[one] += piece
                last = time.monotonic()
            del complaints[:-_LAST_ERRORS]
            if len(told) > most:
                return Gathered(b"", bytes(complaints), "too-much")
            if ended and (not ready or left <= 0):
                return Gathered(bytes(told), bytes(complaints))
            if left <= 0:
                why = "late" if time.monotonic() >= begun + limit else "silent"
                return Gathered(bytes(told), bytes(complaints), why)


@contextlib.contextmanager
def _watching(
    process: subprocess.Popen[bytes], descriptors: Iterable[int]
) -> Iterator[tuple[select.poll, int | None]]:
    """Yield what waits for the pipes of a child, and for its end where the system tells that by a
    descriptor, which is the second."""
    import select

    watched = select.poll()
    for one in descriptors:
        watched.register(one, select.POLLIN)
    end = None
    try:
        if sys.platform == "linux" and process.returncode is None:
            with contextlib.suppress(OSError):  # an older kernel, or no descriptor left
                end = os.pidfd_open(process.pid)
                watched.register(end, select.POLLIN)
        yield watched, end
    finally:
        if end is not None:
            os.close(end)


def write_spread(
    processes: Sequence[subprocess.Popen[bytes]], pieces: Iterable[bytes], seconds: float
) -> bool:
    """Give each piece whole to the standard input of one of some children, to whichever takes it;
    tell whether all was taken. False where none of them takes anything for so many seconds.

    No piece is empty. A child that has ended takes nothing more, and what it was given is lost, as
    its status tells. Where pipes cannot be watched, as on Windows, the children take turns, and one
    that takes nothing is killed.
    """
    if not POSIX:
        return _write_in_turn(processes, pieces, seconds)
    import select

    left = iter(pieces)
    waiting: dict[int, tuple[subprocess.Popen[bytes], memoryview]] = {}
    watched = select.poll()
    for process in processes:
        assert process.stdin is not None  # noqa: S101 - whoever writes has given it a pipe
        os.set_blocking(process.stdin.fileno(), False)
        waiting[process.stdin.fileno()] = process, memoryview(b"")
        watched.register(process.stdin, select.POLLOUT)
    while waiting:
        ready = watched.poll(seconds * 1000)
        if not ready:
            return False
        for descriptor, _ in ready:
            process, data = waiting[descriptor]
            data = data or memoryview(next(left, b""))
            try:
                if data:
                    waiting[descriptor] = process, data[os.write(descriptor, data) :]
                    continue
            except BlockingIOError:
                waiting[descriptor] = process, data
                continue
            except BrokenPipeError:
                pass
            del waiting[descriptor]
            watched.unregister(descriptor)
            _close_input(process)
    return True


def _write_in_turn(
    processes: Sequence[subprocess.Popen[bytes]], pieces: Iterable[bytes], seconds: float
) -> bool:
    silent = threading.Event()
    for number, piece in enumerate(pieces):
        process = processes[number % len(processes)]
        if process.stdin is None:
            continue

        def end(one: subprocess.Popen[bytes] = process) -> None:
            silent.set()
            one.kill()

        timer = threading.Timer(seconds, end)
        timer.start()
        try:
            process.stdin.write(piece)
            process.stdin.flush()
        except OSError:  # it has ended
            if silent.is_set():
                return False
            _close_input(process)
        finally:
            timer.cancel()
    for process in processes:
        _close_input(process)
    return True


def _close_input(process: subprocess.Popen[bytes]) -> None:
    """Let a child see the end of its input; whoever waits for it then has none to give."""
    if process.stdin is not None:
        with contextlib.suppress(OSError):
            process.stdin.close()
        process.stdin = None


def usable_cores() -> int:
    """Return on how many cores this process may run."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def most_open_files() -> int:
    """Return how many files this process may have open at once, as far as the system tells."""
    known = os.sysconf("SC_OPEN_MAX") if hasattr(os, "sysconf") else -1
    return known if known > 0 else 1 << 10


def identity(path: Path) -> FileIdentity | None:
    """Return the device and inode of a path, or None where it cannot be seen."""
    try:
        return identity_of(path.stat())
    except OSError:
        return None


def identity_of(found: os.stat_result) -> FileIdentity:
    """Return the device and inode of what was looked at."""
    from hermes_checkpoints.model import FileIdentity

    return FileIdentity(str(found.st_dev), str(found.st_ino))


def permissions_of_process() -> str:
    """Return what names whose permissions this process has: user and groups."""
    if not POSIX:
        return ""
    return f"{os.geteuid()}:{os.getegid()}:{sorted(os.getgroups())}"


def owner_may_read(info: os.stat_result) -> bool:
    """Tell whether a file belongs to the user of this process and its permission bits let the owner
    read it: then nothing but an error of the file system, or a rule beside these bits, as some
    systems have, keeps this process from that."""
    return POSIX and bool(info.st_mode & stat.S_IRUSR) and info.st_uid == os.geteuid()


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
    import tempfile

    with forks.undivided():  # the first one who asks holds a lock while it tries folders
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


def root_in_place_of(path: Path) -> str | None:
    """Return the name of the user whom a path belongs to, or the nearest folder above it that there
    is, where this process is root and that user is not; else None."""
    if not POSIX or os.geteuid() != 0:
        return None
    for folder in (path, *path.parents):
        with contextlib.suppress(OSError):
            return _user_name(folder.stat().st_uid)
    return None


def _user_name(user: int) -> str | None:
    """Return the name of a user, or its number where it has none; None for root."""
    import pwd

    if user == 0:
        return None
    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return f"#{user}"


def owner_of_new(
    folder: os.stat_result, project: os.stat_result, replaced: os.stat_result | None
) -> tuple[int, int]:
    """Return the user and group that a file gets which a restore makes in a folder of a project.

    What root makes belongs to the owner of the project, or of the file that it replaces; what
    anybody else makes belongs to who makes it.
    """
    if not POSIX:
        return 0, 0
    given = owner_to_set(lambda: project, replaced)
    if given is not None:
        return given
    inherits = folder.st_mode & stat.S_ISGID
    return os.geteuid(), folder.st_gid if inherits else os.getegid()


def owner_to_set(
    project: Callable[[], os.stat_result], replaced: os.stat_result | None
) -> tuple[int, int] | None:
    """Return the user and group that a file is to be given which a restore makes, as
    ``owner_of_new`` has them; None where it gets them by itself. ``project`` looks at the
    directory of the project, and is asked only where nothing is replaced."""
    if not POSIX or os.geteuid() != 0:
        return None
    whose = project() if replaced is None else replaced
    return whose.st_uid, whose.st_gid


def set_owner(place: Place, owner: tuple[int, int] | None) -> None:
    """Give what lies at a place, which is our own, to a user and group, if any. A link is not
    followed.

    Raises:
        OSError: when that is refused.
    """
    if owner is None:
        return
    name, where = at(place)
    found = os.lstat(name, **where)
    if (found.st_uid, found.st_gid) != owner:
        os.chown(name, *owner, **where, follow_symlinks=False)


def set_owner_of_open(descriptor: int, owner: tuple[int, int] | None) -> os.stat_result:
    """Give an open file, which is our own, to a user and group, if any; return what the file is
    then.

    Raises:
        OSError: when that is refused.
    """
    found = os.fstat(descriptor)
    if owner is not None and (found.st_uid, found.st_gid) != owner:
        os.fchown(descriptor, *owner)
        found = os.fstat(descriptor)
    return found


def set_mode_of_open(descriptor: int, mode: int) -> bool:
    """Set the permission bits of an open file; False where the system needs its name for that.

    Raises:
        OSError: when they cannot be set.
    """
    if not hasattr(os, "fchmod"):
        return False
    os.fchmod(descriptor, mode)
    return True


def permission_bits(mode: int) -> int:
    """Return the permission bits of a mode that this system can set back."""
    return stat.S_IMODE(mode) if POSIX else mode & stat.S_IWRITE


# --- open directories -------------------------------------------------------------------------

Handle = int | str
"""An open directory: its descriptor, or its path where the system can do nothing relative to an
open directory."""

Place = tuple[Handle, str]
"""A name in an open directory."""


class Where(TypedDict, total=False):
    """How a function of ``os`` is told of the open directory that a name is in."""

    dir_fd: int


HANDLES = {os.open, os.mkdir, os.rename, os.unlink} <= os.supports_dir_fd
"""Whether names can be reached relative to an open directory."""

LONGEST_PATH = 4096 if POSIX else 1 << 15
"""So many bytes is the longest path that one call can name, with the zero at its end (PATH_MAX)."""

_PATH_ONLY = getattr(os, "O_PATH", 0)
_IN_ITSELF = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)


def open_directory(name: str, above: Handle | None = None) -> Handle:
    """Open the directory of a name in an open one; with none given, that of a path, which is
    followed where the system leads but for its last name. Linux needs no permission on the
    directory itself; others need that to read it.

    Raises:
        NotADirectoryError: when it is another thing, as a link to a directory.
        OSError: when it is missing or closed, among others.
    """
    if not HANDLES:
        path = name if above is None else os.path.join(str(above), name)
        if not stat.S_ISDIR(os.lstat(path).st_mode) or _is_junction(path):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), path)
        return path
    where = above if isinstance(above, int) else None
    try:
        return os.open(name, _PATH_ONLY | _IN_ITSELF, dir_fd=where)
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), name) from None


def open_from_top(path: str) -> Handle:
    """Open the directory of an absolute path that no link is part of: each one of it from the one
    above. Where that would need permission to read those above, the path is opened at once.

    Raises:
        NotADirectoryError: when one of them is another thing, as a link to a directory.
        OSError: when one is missing or closed, among others.
    """
    if not _PATH_ONLY:
        return open_directory(path)
    handle = open_directory(os.sep)
    for name in filter(None, path.split(os.sep)):
        above = handle
        try:
            handle = open_directory(name, above)
        finally:
            close_directory(above)
    return handle


def close_directory(handle: Handle) -> None:
    """Let an open directory go."""
    if isinstance(handle, int):
        os.close(handle)


def place_of(path: Path) -> Place:
    """Return a path as a name in its directory."""
    return str(path.parent), path.name


def at(place: Place) -> tuple[str, Where]:
    """Return what a function of ``os`` needs to act on a name in an open directory: a path, and
    the argument ``dir_fd`` where there is such a thing."""
    handle, name = place
    if isinstance(handle, int):
        return name, {"dir_fd": handle}
    return os.path.join(handle, name), {}


@contextlib.contextmanager
def readable(handle: Handle) -> Iterator[Handle]:
    """Lend an open directory in the way in which its names can be listed.

    Raises:
        OSError: when it is closed to this user.
    """
    if not isinstance(handle, int):
        yield handle
        return
    listing = os.open(".", _IN_ITSELF, dir_fd=handle)
    try:
        yield listing
    finally:
        os.close(listing)


def set_directory_mode(handle: Handle, mode: int) -> None:
    """Set the permission bits of an open directory.

    Raises:
        OSError: when they cannot be set.
    """
    if not _PATH_ONLY or not isinstance(handle, int):
        os.chmod(handle, mode)
        return
    try:
        os.chmod(f"/proc/self/fd/{handle}", mode)
    except FileNotFoundError:  # no /proc, as in some sandboxes
        with readable(handle) as opened:
            os.chmod(opened, mode)


def change_mode(place: Place, mode: int, is_meant: Callable[[os.stat_result], bool]) -> bool:
    """Set the permission bits of what lies at a place, if it ``is_meant``; tell whether it is.

    Where the system can, the bits are set of the very thing that was looked at, whatever lies
    there by then. A link is not followed.

    Raises:
        OSError: when there is nothing, or the bits cannot be set.
    """
    name, where = at(place)
    if not _PATH_ONLY:
        if not is_meant(os.lstat(name, **where)):
            return False
        if os.chmod in os.supports_follow_symlinks:
            os.chmod(name, mode, **where, follow_symlinks=False)
        else:
            os.chmod(name, mode)
        return True
    descriptor = os.open(name, _PATH_ONLY | os.O_NOFOLLOW, **where)
    try:
        found = os.fstat(descriptor)
        if not is_meant(found):
            return False
        try:
            os.chmod(f"/proc/self/fd/{descriptor}", mode)
        except FileNotFoundError:  # no /proc, as in some sandboxes
            return _change_mode_of_open(place, mode, found)
    finally:
        os.close(descriptor)
    return True


def _change_mode_of_open(place: Place, mode: int, meant: os.stat_result) -> bool:
    """Set the permission bits of what lies at a place by opening it to be read."""
    name, where = at(place)
    opened = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, **where)
    try:
        is_same = os.path.samestat(os.fstat(opened), meant)
        if is_same:
            os.fchmod(opened, mode)
    finally:
        os.close(opened)
    return is_same


def _is_junction(path: str) -> bool:
    """Tell whether a path of Windows is what leads to another directory without being a link."""
    return bool(getattr(os.path, "isjunction", lambda _: False)(path))


# --- names ------------------------------------------------------------------------------------

_NOREPLACE, _EXCHANGE = 1, 2  # flags of renameat2
_CURRENT = -100
"""``AT_FDCWD`` of Linux: the current directory, in place of an open one."""
_UNSUPPORTED = (errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP, errno.EPERM)
"""What renameat2 says where system, filesystem or sandbox cannot do it. A refusal for another
reason is repeated by the call that is made instead."""


def exchange(first: Place, second: Place) -> bool:
    """Exchange what two names stand for, in one step; False where that cannot be done here.

    Raises:
        OSError: when one of them does not exist, or is a place where something is mounted (EBUSY),
            among others; then nothing has changed.
    """
    return _renamed(first, second, _EXCHANGE)


def rename(source: Place, target: Place) -> None:
    """Rename, and replace what lies at ``target``.

    Raises:
        OSError: when it cannot be renamed.
    """
    (old, where), (new, there) = at(source), at(target)
    os.rename(old, new, src_dir_fd=where.get("dir_fd"), dst_dir_fd=there.get("dir_fd"))


def rename_new(source: Place, target: Place) -> None:
    """Rename to a name that is not in use, and never replace what has come there meanwhile.

    Where the system cannot do that in one step, a file gets a second name, and loses the first.
    What can have no second name, a directory among others, is renamed after a look.

    Raises:
        FileExistsError: when something lies at ``target``; it is left as it is.
        OSError: when it cannot be renamed.
    """
    if _renamed(source, target, _NOREPLACE):
        return
    (old, where), (new, there) = at(source), at(target)
    fds = {"src_dir_fd": where.get("dir_fd"), "dst_dir_fd": there.get("dir_fd")}
    try:
        os.link(old, new, **fds, follow_symlinks=False)
    except FileExistsError:
        raise
    except (OSError, NotImplementedError):
        with contextlib.suppress(FileNotFoundError):
            os.lstat(new, **there)
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), new) from None
        rename(source, target)
    else:
        os.unlink(old, **where)


def _renamed(source: Place, target: Place, flags: int) -> bool:
    """Rename by renameat2 (Linux 3.15, glibc 2.28); False where it is not to be had."""
    function = _renameat2()
    if function is None:
        return False
    (here, old), (there, new) = _in_descriptor(source), _in_descriptor(target)
    sys.audit("os.rename", old, new, here, there)  # as every rename of Python
    code = function(here, os.fsencode(old), there, os.fsencode(new), flags)
    if code in _UNSUPPORTED:
        return False
    if code:
        raise OSError(code, os.strerror(code), old, None, new)
    return True


def _in_descriptor(place: Place) -> tuple[int, str]:
    """Return a place as a call of Linux is told of it."""
    handle, name = place
    if isinstance(handle, int):
        return handle, name
    return _CURRENT, os.path.join(handle, name)


@functools.cache
def _renameat2() -> Callable[[int, bytes, int, bytes, int], int] | None:
    """Return the system's function, which returns the number of its error, or 0."""
    if sys.platform != "linux":
        return None
    import ctypes

    try:
        function = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError):
        return None

    def call(here: int, old: bytes, there: int, new: bytes, flags: int) -> int:
        return ctypes.get_errno() if function(here, old, there, new, flags) else 0

    return call


def can_exchange() -> bool:
    """Tell whether this system has the call that exchanges two names; whether a filesystem carries
    it out shows when it is tried."""
    return _renameat2() is not None


_CLONE = 0x40049409
"""``FICLONE`` of linux/fs.h."""


def can_share_blocks(folder: Path) -> bool | None:
    """Tell whether two files of the filesystem of a folder can share their blocks, as a copy that
    takes no room does (a reflink); None where that cannot be tried. Two files without names are
    made for it, so nothing shows in the folder."""
    nameless = getattr(os, "O_TMPFILE", None)
    if nameless is None:
        return None
    import fcntl

    with contextlib.ExitStack() as stack:
        try:
            descriptors = []
            for _ in range(2):
                descriptors.append(os.open(folder, nameless | os.O_RDWR, 0o600))
                stack.callback(os.close, descriptors[-1])
            os.write(descriptors[0], bytes(1 << 16))
        except OSError:
            return None
        try:
            fcntl.ioctl(descriptors[1], _CLONE, descriptors[0])
        except OSError:
            return False
    return True


def open_regular(path: str | Path) -> int | None:
    """Return a descriptor that reads a regular file, which the caller closes; None where it cannot
    be read, is a link, or is anything else: a pipe is not waited for."""
    flags = os.O_RDONLY
    for name in ("O_NONBLOCK", "O_NOFOLLOW", "O_BINARY", "O_CLOEXEC"):
        flags |= getattr(os, name, 0)
    try:
        descriptor = os.open(path, flags)
    except (OSError, ValueError):  # a name with a NUL, among others
        return None
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    return None


def copy_contents(source: int, target: int) -> None:
    """Copy an open file into another one that is empty. Where system and file system can, both
    share their space until one of them changes (a reflink); a change of one is none of the other
    either way.

    Raises:
        OSError: when one of them cannot be read or written.
    """
    if sys.platform.startswith("linux"):
        import fcntl

        try:
            fcntl.ioctl(target, _CLONE, source)
        except OSError:
            pass
        else:
            return
    os.lseek(source, 0, os.SEEK_SET)
    while piece := os.read(source, _PIECE):
        rest = memoryview(piece)
        while rest:
            rest = rest[os.write(target, rest) :]


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


def nanoseconds(moment: datetime) -> int:
    """Return a time as the disk has it, in nanoseconds since 1970."""
    whole = int(moment.replace(microsecond=0).timestamp())
    return whole * 1_000_000_000 + moment.microsecond * 1000


def changed_ns(found: os.stat_result) -> int:
    """Return when a path changed last, in nanoseconds since 1970. Windows keeps no time of a
    change but that of the contents."""
    return found.st_ctime_ns if POSIX else found.st_mtime_ns
