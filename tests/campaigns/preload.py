"""The library that is preloaded into Python and git: it counts the system calls that change things
and, at a chosen one, kills, fails, or writes less; and it moves their clock.

It is controlled through a block of shared memory in a file. That only calls below ``under`` count
keeps what the campaign itself writes out of it.
"""

from __future__ import annotations

import ctypes
import enum
import mmap
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

SOURCE = Path(__file__).with_name("preload.c")


class Call(enum.IntFlag):
    """Kinds of system calls. ``OPEN`` are those that create or empty a file, and all where the
    error is EMFILE; ``UNLINK`` includes rmdir, ``ATTRIBUTES`` are chmod and utime."""

    OPEN = 1
    WRITE = 2
    MKDIR = 4
    LINK = 8
    RENAME = 16
    FSYNC = 32
    CLOSE = 64
    UNLINK = 128
    TRUNCATE = 256
    ATTRIBUTES = 512


CHANGES = ~Call.CLOSE & Call(1023)
"""All calls that change something."""


class Action(enum.IntEnum):
    """What happens at the chosen call."""

    COUNT = 0
    KILL_ALL = 1  # Python and the git that it runs, as when the machine goes down
    KILL_LEADER = 2  # Python alone: git works on
    KILL_ITSELF = 3  # whoever makes the call: a git that dies leaves Python alive
    FAIL = 4
    SHORT = 5


class Unavailable(Exception):
    """The library cannot be made here; the text says why."""


def build(folder: Path) -> Path:
    """Compile the library into ``folder`` and return its path.

    Raises:
        Unavailable: when there is no C compiler, or it fails.
    """
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        raise Unavailable("there is no C compiler (cc)")
    target = folder / "preload.so"
    command: list[str | Path] = [compiler, "-shared", "-fPIC", "-O1", "-o", target, SOURCE, "-ldl"]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    if built.returncode:
        raise Unavailable(f"the library cannot be compiled: {built.stderr[:300]}")
    return target


PLACES, LONGEST = 4, 1024


class _Block(ctypes.Structure):
    _fields_ = (
        *(
            (name, ctypes.c_int64)
            for name in (
                *("counter", "number", "action", "error", "stays", "calls", "armed", "leader"),
                *("clock", "happened"),
            )
        ),
        ("by_call", ctypes.c_int64 * len(Call)),
        ("under", (ctypes.c_char * LONGEST) * PLACES),
    )


class Control:
    """The control block of one worker."""

    def __init__(self, file: Path, under: Iterable[Path]) -> None:
        file.write_bytes(bytes(ctypes.sizeof(_Block)))
        with file.open("r+b") as opened:
            self._map = mmap.mmap(opened.fileno(), ctypes.sizeof(_Block))
        self._block = _Block.from_buffer(self._map)
        for place, folder in enumerate(under):
            self._block.under[place].value = bytes(folder)

    def nothing(self) -> None:
        """Let nothing happen; count nothing; the clock is right."""
        self.at(0, Action.COUNT)
        self._block.calls = 0
        self._block.clock = 0

    def at(
        self,
        number: int,
        action: Action,
        *,
        error: int = 0,
        stays: bool = False,
        calls: Call = CHANGES,
    ) -> None:
        """Let something happen at the call of this number, from 1; at none with 0."""
        block = self._block
        block.counter = block.happened = 0
        for kind in range(len(Call)):
            block.by_call[kind] = 0
        block.number, block.action, block.error = number, int(action), error
        block.stays, block.calls = int(stays), int(calls)

    def move_clock(self, seconds: int) -> None:
        """Let processes see a time that is so many seconds ahead."""
        self._block.clock = seconds

    @property
    def count(self) -> int:
        """How many calls were counted."""
        return int(self._block.counter)

    def count_of(self, call: Call) -> int:
        """How many calls of one kind there were, whatever was to be counted."""
        return int(self._block.by_call[call.bit_length() - 1])

    @property
    def happened(self) -> int:
        """At how many calls something happened."""
        return int(self._block.happened)


def attach(file: Path) -> ctypes.CDLL:
    """Use a control block in this process, into which the library was preloaded."""
    library = ctypes.CDLL(None)
    library.campaign_attach(bytes(file))
    return library


class Armed:
    """The switch of a process that is played with: calls count while it is on."""

    def __init__(self, file: Path, leader: int) -> None:
        with file.open("r+b") as opened:
            self._map = mmap.mmap(opened.fileno(), ctypes.sizeof(_Block))
        self._block = _Block.from_buffer(self._map)
        self._block.leader = leader
        self._block.armed = 0

    def on(self) -> None:
        self._block.armed = 1

    def off(self) -> None:
        self._block.armed = 0
