"""Processes of their own that run a piece of Python, for tests that kill and race them.

Each is forked from one server process, which has the package and its libraries loaded and no
threads, so that a start costs a fork instead of a second of imports. What a child does there
happens to it alone, and it can be killed as any process can.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NoReturn

from support import MODULES

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

    def __init__(
        self, code: str, arguments: Sequence[object], environment: Mapping[str, str]
    ) -> None:
        read, self._stdin = _context.Pipe(duplex=False)
        self._stdout, write = _context.Pipe(duplex=False)
        descriptor, name = tempfile.mkstemp()
        os.close(descriptor)
        self._stderr = Path(name)
        self._process = _context.Process(
            target=_run,
            args=(code, [*map(str, arguments)], dict(environment), read, write, name),
            daemon=True,
        )
        self._process.start()
        read.close()
        write.close()
        self.stdin = open(os.dup(self._stdin.fileno()), "w", **_TEXT)  # noqa: SIM115
        self.stdout = open(os.dup(self._stdout.fileno()), **_TEXT)  # noqa: SIM115
        self._stdin.close()
        self._stdout.close()
        pid = self._process.pid
        assert pid is not None
        self.pid = pid

    def finish(self) -> Ended:
        """Close its input, read what is left of its output, and wait until it has ended."""
        self.stdin.close()
        with self.stdout:
            output = self.stdout.read()
        self._process.join(timeout=300)
        code = self._process.exitcode
        assert code is not None, "the process goes on"
        self._process.close()
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


def _run(
    code: str,
    arguments: list[str],
    environment: dict[str, str],
    stdin: Connection,
    stdout: Connection,
    stderr: str,
) -> NoReturn:
    for number, descriptor in enumerate(
        (stdin.fileno(), stdout.fileno(), os.open(stderr, os.O_WRONLY))
    ):
        os.dup2(descriptor, number)
    stdin.close()
    stdout.close()
    sys.stdin = open(0, closefd=False, **_TEXT)  # noqa: SIM115
    sys.stdout = open(1, "w", closefd=False, **_TEXT)  # noqa: SIM115
    sys.stderr = open(2, "w", closefd=False, **_TEXT)  # noqa: SIM115
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["-c", *arguments]
    warnings.simplefilter("error")
    exec(compile(code, "-c", "exec"), {"__name__": "__main__"})  # noqa: S102
    sys.stdout.flush()
    sys.exit(0)
