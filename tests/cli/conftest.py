"""A project for the command line, which runs in this process, as in a host."""

from __future__ import annotations

import contextlib
import os
import pty
import re
import sys
import termios
import threading
from pathlib import Path

import pytest

from hermes_checkpoints.cli import main
from support import Run


@pytest.fixture
def taken(run: Run, home: Path, project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project with one checkpoint, as the current directory."""
    monkeypatch.setenv("HERMES_HOME", str(home))
    monkeypatch.chdir(project)
    run("take", "-m", "before the edit")
    return project


class Screen:
    """A terminal of so many columns, which the verbs write to in this process."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, columns: int = 80) -> None:
        self._patch = monkeypatch
        monkeypatch.setenv("COLUMNS", str(columns))
        monkeypatch.setenv("TERM", "xterm-256color")
        monkeypatch.setenv("HERMES_PAGER", "cat")
        monkeypatch.delenv("NO_COLOR", raising=False)

    def __call__(self, *words: str | Path, code: int = 0, encoding: str = "utf-8") -> str:
        """Run a verb, and return what it wrote on standard output, with its escapes."""
        master, slave = pty.openpty()
        attributes = termios.tcgetattr(slave)
        attributes[1] &= ~termios.OPOST  # a line ends with one character
        termios.tcsetattr(slave, termios.TCSANOW, attributes)
        parts: list[bytes] = []
        reading = threading.Thread(target=_read, args=(master, parts))
        reading.start()
        try:
            with (
                open(slave, "w", encoding=encoding, errors="surrogateescape") as stream,
                self._patch.context() as patched,
            ):
                patched.setattr(sys, "stdout", stream)
                assert main([str(word) for word in words]) == code
        finally:
            reading.join()
            os.close(master)
        return b"".join(parts).decode(encoding, "surrogateescape")

    def lines(self, *words: str | Path, code: int = 0) -> list[str]:
        """As a call, without what colours it, in lines."""
        return re.sub(r"\x1b\[[\d;]*m", "", self(*words, code=code)).splitlines()


def _read(master: int, parts: list[bytes]) -> None:
    with contextlib.suppress(OSError):  # Linux: nobody writes any more
        while part := os.read(master, 65536):
            parts.append(part)


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Screen:
    """Verbs on a terminal of 80 columns."""
    return Screen(monkeypatch)
