"""Names processes for good, and tells whether one that was named still runs.

The number of a process is given again; with its start, the start of the machine and the host it
is not.
"""

from __future__ import annotations

import contextlib
import functools
import os
from collections.abc import Iterator
from pathlib import Path

from hermes_checkpoints.fs.system import LINUX
from hermes_checkpoints.model import Owner

_PROC = Path("/proc")


def name_process(pid: int | None = None) -> Owner | None:
    """Return the name of a process, by default this one; None if it does not run."""
    number = os.getpid() if pid is None else pid
    started = _started(number)
    if started is None:
        return None
    host, boot = _machine()
    return Owner(host, boot, number, started)


def ancestors() -> Iterator[tuple[int, list[str]]]:
    """Yield the processes above this one, the nearest first: the number of each, and its command
    line, empty where that cannot be read."""
    if LINUX:
        pid = os.getppid()
        while pid > 0:
            yield pid, _command_line(pid)
            try:
                stat = (_PROC / str(pid) / "stat").read_bytes().rpartition(b")")[2].split()
            except OSError:
                return
            pid = int(stat[1])
        return
    import psutil

    with contextlib.suppress(psutil.Error):
        for process in psutil.Process().parents():
            try:
                yield process.pid, process.cmdline()
            except psutil.Error:
                yield process.pid, []


def _command_line(pid: int) -> list[str]:
    try:
        content = (_PROC / str(pid) / "cmdline").read_bytes()
    except OSError:
        return []
    return [os.fsdecode(word) for word in content.rstrip(b"\0").split(b"\0")] if content else []


def still_runs(owner: Owner) -> bool | None:
    """Tell whether a process that was named still runs; None where that cannot be seen from here,
    since it is one of another machine or container."""
    host, boot = _machine()
    if owner.host != host:
        return None
    return owner.boot == boot and _started(owner.pid) == owner.started


def anyone_works_in(folder: Path) -> bool | None:
    """Tell whether a process has a file below a folder open, or works there, as far as this user
    may look; None where the system does not tell."""
    if not LINUX:
        return None
    inside = f"{folder}{os.sep}"
    try:
        processes = [name for name in os.listdir(_PROC) if name.isdecimal()]
    except OSError:
        return None
    for pid in processes:
        try:
            links = [_PROC / pid / "cwd", *(_PROC / pid / "fd").iterdir()]
        except OSError:
            continue  # it ended, or is another user's
        for link in links:
            with contextlib.suppress(OSError):
                if f"{os.readlink(link)}{os.sep}".startswith(inside):
                    return True
    return False


def host_name() -> str:
    """Return the host, with the space of numbers of processes that it shows here."""
    return _machine()[0]


def _started(pid: int) -> str | None:
    """Return when a process began, as the system says it, or None if it does not run."""
    if LINUX:
        try:
            fields = (_PROC / str(pid) / "stat").read_bytes().rpartition(b")")[2].split()
        except OSError:
            return None
        return None if fields[0] in (b"Z", b"X") else fields[19].decode()
    import psutil

    try:
        process = psutil.Process(pid)
        if process.status() == psutil.STATUS_ZOMBIE:
            return None
        return str(process.create_time())
    except psutil.Error:
        return None


@functools.cache
def _machine() -> tuple[str, str]:
    """Return the host, with the space of numbers of processes that it shows here, and its start."""
    import socket

    if LINUX:
        try:
            boot = (_PROC / "sys/kernel/random/boot_id").read_text().strip()
            return f"{socket.gethostname()} {os.readlink(_PROC / 'self/ns/pid')}", boot
        except OSError:
            pass
    return socket.gethostname(), ""
