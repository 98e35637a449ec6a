"""A pager, as git's: long answers on a terminal can be scrolled and searched.

``HERMES_PAGER`` names it, else ``PAGER``, else it is ``less``, which gets git's usual options: an
answer of less than a screen is printed and that is all. None where these say ``cat`` or nothing,
with ``--no-pager`` or ``--json``, where the output is no terminal, or one that cannot move its
cursor (``TERM=dumb``).
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import shlex
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, TextIO

from hermes_checkpoints.cli.exits import ReaderGone
from hermes_checkpoints.cli.output import encodable, is_dumb, is_terminal

if TYPE_CHECKING:
    import subprocess

    from _typeshed import ReadableBuffer

_USUAL = "less"
_OPTIONS = {"LESS": "FRX", "LV": "-c"}
"""What git gives pagers where the person has not said otherwise: quit if it fits on one screen,
show colours, and leave on the screen what was shown."""


@contextlib.contextmanager
def paged(args: argparse.Namespace) -> Iterator[None]:
    """Send what is printed inside through the pager, if there is to be one.

    It is started with the first line, so that an error needs none, and waited for: a Ctrl-C is the
    pager's then.

    Raises:
        ReaderGone: when the person left it before all was printed.
    """
    command = None if getattr(args, "no_pager", False) or args.json else _command()
    if command is None:
        yield
        return
    usual, pager = sys.stdout, _Pager(command, args, sys.stdout)
    sys.stdout = _Paged(io.BufferedWriter(pager), usual.encoding, usual.errors)
    with _told_afterwards():
        try:
            yield
            sys.stdout.flush()
        except BrokenPipeError as error:
            raise ReaderGone from error
        finally:
            ours, sys.stdout = sys.stdout, usual
            with contextlib.suppress(OSError, KeyboardInterrupt):  # the flush above has told of it
                ours.close()
            pager.wait()


@contextlib.contextmanager
def _told_afterwards() -> Iterator[None]:
    """Hold back what is said on standard error, if that is the terminal that a pager draws on: it
    would stand in the middle of the pager's lines, and go with the next that is drawn."""
    usual = sys.stderr
    if not is_terminal(usual):
        yield
        return
    sys.stderr = io.StringIO()
    try:
        yield
    finally:
        held, sys.stderr = sys.stderr, usual
        with contextlib.suppress(OSError):
            print(encodable(held.getvalue(), usual), end="", file=usual, flush=True)


def _command() -> list[str] | None:
    """Return the words that name the pager, None where there is to be none."""
    if not is_terminal(sys.stdout) or is_dumb():
        return None
    named = os.environ.get("HERMES_PAGER", os.environ.get("PAGER", _USUAL))
    try:
        words = shlex.split(named)
    except ValueError:  # a quote that is not closed
        return None
    return None if not words or words == ["cat"] else words


class _Pager(io.RawIOBase):
    """The pager's standard input; the pager starts with the first bytes."""

    def __init__(self, command: list[str], args: argparse.Namespace, usual: TextIO) -> None:
        self._command, self._args, self._usual = command, args, usual
        self._process: subprocess.Popen[bytes] | None = None
        self._direct = False

    def writable(self) -> bool:
        return True

    def write(self, data: ReadableBuffer) -> int:
        if self._process is None and not self._direct:
            self._start()
        if self._process is None or self._process.stdin is None:
            return os.write(self._usual.fileno(), data)
        return os.write(self._process.stdin.fileno(), data)

    def _start(self) -> None:
        """Start the pager, which lies in no directory that agents work in: by now this process was
        told of the one that the verb is about. What cannot be started pages nothing."""
        from hermes_checkpoints.cli.target import layout_of
        from hermes_checkpoints.errors import CheckpointError
        from hermes_checkpoints.fs.system import start_reader
        from hermes_checkpoints.git_program import find_program

        self._direct = True
        for stream in (self._usual, sys.stderr):  # what was printed before stands above
            if stream is not None:
                stream.flush()
        name, *words = self._command
        with contextlib.suppress(CheckpointError, OSError):
            program = find_program(name, layout_of(self._args).base)
            if program is not None:
                self._process = start_reader([program, *words], {**_OPTIONS, **os.environ})
                self._direct = False

    def wait(self) -> None:
        """Let the pager see the end, and wait until the person has left it."""
        process = self._process
        if process is None:
            return
        if process.stdin is not None:
            with contextlib.suppress(OSError):
                process.stdin.close()
        while process.returncode is None:
            with contextlib.suppress(KeyboardInterrupt):  # meant for the pager, which reads keys
                process.wait()


class _Paged(io.TextIOWrapper):
    """What is printed to a pager; behind it is a terminal."""

    def __init__(self, target: io.BufferedWriter, encoding: str, errors: str | None) -> None:
        super().__init__(target, encoding=encoding, errors=errors)

    def isatty(self) -> bool:
        return True
