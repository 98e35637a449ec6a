"""Processes of their own that run a piece of Python, for tests that kill, race and ask them.

Each is forked from one server process, which has the package and its libraries loaded and no
threads, so that a start costs a fork instead of a second of imports. What a child does there
happens to it alone, and it can be killed as any process can.
"""

from __future__ import annotations

import fcntl
import multiprocessing
import os
import pty
import select
import sys
import tempfile
import termios
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Any, NoReturn

from support import MODULES

PROGRAM = "import sys; from hermes_checkpoints.cli import main; sys.exit(main())"
"""What ``hermes-checkpoints`` does."""

REDIRECTED = (
    "import os, sys; os.dup2(os.open(sys.argv.pop(1), os.O_WRONLY | os.O_CREAT), 1)\n" + PROGRAM
)
"""The same with its output in the file that the first argument names."""

AT_ONCE = PROGRAM.replace(
    "from hermes_checkpoints.cli import main",
    "from hermes_checkpoints.cli import main, progress; progress._AFTER = 0.0",
)
"""The same with a bar that shows at once, and not after a second."""

_context = multiprocessing.get_context("forkserver")
_context.set_forkserver_preload(
    [*MODULES, "alembic.command", "sqlalchemy.dialects.sqlite", "logging.config"]
)

_TEXT: Any = {"encoding": "utf-8", "errors": "surrogateescape", "newline": ""}
"""Any bytes, and each of them as it is."""


@dataclass(frozen=True)
class Ended:
    """How a process ended: its exit code, negative for a signal, and what it wrote."""

    returncode: int
    stdout: str
    stderr: str


class Interpreter:
    """A running process. ``stdin`` and ``stdout`` are pipes of text."""

    def __init__(self, code: str, arguments: tuple[object, ...], env: Mapping[str, str]) -> None:
        theirs, stdin = os.pipe()
        stdout, theirs_too = os.pipe()
        descriptor, name = tempfile.mkstemp()
        self._stderr = Path(name)
        self._process = _forked(code, arguments, env, (theirs, theirs_too, descriptor))
        self.stdin = open(stdin, "w", **_TEXT)  # noqa: SIM115
        self.stdout = open(stdout, **_TEXT)  # noqa: SIM115
        pid = self._process.pid
        assert pid is not None
        self.pid = pid

    def finish(self) -> Ended:
        """Close its input, read what is left of its output, and wait until it has ended."""
        self.stdin.close()
        with self.stdout:
            output = self.stdout.read()
        code = _ended(self._process)
        errors = self._stderr.read_text(encoding="utf-8")
        self._stderr.unlink()
        return Ended(code, output, errors)


def start(code: str, *arguments: object, env: Mapping[str, str] | None = None) -> Interpreter:
    """Start a process that runs ``code`` with ``sys.argv[1:]`` as ``arguments``.

    Warnings are errors there. ``env`` is its whole environment, else it is this process's.
    """
    return Interpreter(code, arguments, os.environ if env is None else env)


def run(code: str, *arguments: object, env: Mapping[str, str] | None = None) -> Ended:
    """As ``start``, with an empty input; wait for its end."""
    return start(code, *arguments, env=env).finish()


def on_a_terminal(
    *arguments: object,
    code: str = PROGRAM,
    prompt: bytes = b"",
    typed: bytes = b"",
    **environment: str,
) -> tuple[int, bytes]:
    """Run a command on a pseudo-terminal; return its exit code and what it wrote.

    Once it has written ``prompt``, ``typed`` is typed, and typed again while nothing comes of
    it: what arrives before the command waits for it may be lost, as a person sees it, too. The
    terminal controls the command, so that Ctrl-C is a signal.
    """
    master, slave = pty.openpty()
    env = {**os.environ, "TERM": "xterm-256color", "HERMES_PAGER": "cat", **environment}
    streams = (slave, os.dup(slave), os.dup(slave))
    process = _forked(code, arguments, env, streams, terminal=True)
    written = b""
    waits, sent = 0, False
    while True:
        if not select.select([master], [], [], 2)[0]:
            waits += 1
            if waits > 60:
                process.kill()
            elif typed and prompt in written:
                os.write(master, typed)
            continue
        try:
            part = os.read(master, 65536)
        except OSError:  # Linux: the command has closed its side
            part = b""
        if not part:
            break
        written += part
        if typed and not sent and prompt in written:
            os.write(master, typed)
            sent = True
    os.close(master)
    return _ended(process), written


def fork(
    code: str,
    arguments: Sequence[str],
    env: Mapping[str, str],
    streams: tuple[int, int, int],
    folder: str,
) -> int:
    """Run a piece of Python in a folder with these streams, which are closed, and all of its
    environment; return its exit code."""
    return _ended(_forked(code, tuple(arguments), env, streams, folder=folder))


def _forked(
    code: str,
    arguments: tuple[object, ...],
    env: Mapping[str, str],
    streams: tuple[int, int, int],
    *,
    terminal: bool = False,
    folder: str | None = None,
) -> ForkServerProcess:
    """Start a process in a folder, by default the current one, with ``streams`` as its input,
    output and errors, which are closed here."""
    sent = [Connection(descriptor) for descriptor in streams]
    told = (code, [*map(str, arguments)], dict(env), folder or os.getcwd(), sent, terminal)
    process = _context.Process(target=_run, args=told, daemon=True)
    process.start()
    for connection in sent:
        connection.close()
    return process


def _ended(process: ForkServerProcess) -> int:
    process.join(timeout=300)
    code = process.exitcode
    assert code is not None, "the process goes on"
    process.close()
    return code


def _run(
    code: str,
    arguments: list[str],
    environment: dict[str, str],
    folder: str,
    streams: list[Connection],
    terminal: bool,
) -> NoReturn:
    if terminal:
        os.setsid()
        fcntl.ioctl(streams[0].fileno(), termios.TIOCSCTTY, 0)
    for number, stream in enumerate(streams):
        os.dup2(stream.fileno(), number)
        stream.close()
    sys.stdin = open(0, closefd=False, **_TEXT)  # noqa: SIM115
    sys.stdout = open(1, "w", closefd=False, **_TEXT)  # noqa: SIM115
    sys.stderr = open(2, "w", closefd=False, **_TEXT)  # noqa: SIM115
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    sys.argv = ["-c", *arguments]
    warnings.simplefilter("error")
    exec(compile(code, "-c", "exec"), {"__name__": "__main__"})  # noqa: S102
    sys.stdout.flush()
    sys.exit(0)
