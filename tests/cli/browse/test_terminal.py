"""``browse`` on what is no terminal, or a poor one, and how it ends."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

from cli.browse.conftest import Afternoon
from hermes_checkpoints.cli.browse import terminal
from hermes_checkpoints.errors import BadRequest
from support import Run

WAITS = 60


def test_without_a_terminal_it_names_what_does_the_same(
    run: Run, taken: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = run("browse", code=2).err
    assert "needs a terminal, and std" in refused and "`hermes checkpoints log`" in refused
    assert "`hermes checkpoints log --json` has the list" in run("browse", "--json", code=2).err
    monkeypatch.setitem(sys.modules, "hermes_checkpoints.cli.browse.app", None)
    assert "pip install 'hermes-checkpoints[tui]'" in run("browse", code=2).err


@pytest.mark.parametrize("kind", ["dumb", "", "unknown", None])
def test_a_terminal_without_a_cursor_is_refused(
    kind: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys, screen = pty.openpty()
    try:
        with open(screen, "r+b", buffering=0) as raw, open(screen, "w", closefd=False) as text:
            for name in ("stdin", "stdout", "stderr"):
                for one in (name, f"__{name}__"):
                    monkeypatch.setattr(sys, one, text)
            del raw
            if kind is None:
                monkeypatch.delenv("TERM", raising=False)
            else:
                monkeypatch.setenv("TERM", kind)
            with pytest.raises(BadRequest, match="TERM says that this one cannot"):
                terminal.require_terminal()
            monkeypatch.setenv("TERM", "xterm")
            terminal.require_terminal()
            monkeypatch.undo()
    finally:
        os.close(keys)


@pytest.mark.campaign(beyond=2)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("ends", "code"), [("q", 0), ("\x03", 0), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_it_leaves_the_terminal_as_it_was_and_a_signal_is_its_exit_code(
    told: Afternoon, ends: str | int, code: int
) -> None:
    """In the C locale what it draws is ASCII."""
    master, screen = pty.openpty()
    termios.tcsetwinsize(master, (24, 80))
    before = termios.tcgetattr(screen)
    process = subprocess.Popen(
        [sys.executable, "-m", "hermes_checkpoints", "browse", str(told.project)],
        env={
            **os.environ,
            "TERM": "xterm-256color",
            "LC_ALL": "C",
            "HERMES_HOME": str(told.home),
        },
        stdin=screen,
        stdout=screen,
        stderr=screen,
    )
    drawn = read_until(master, b"two columns")
    seen = re.sub(rb"\x1b\[[0-9;?>$]*[a-zA-Z]", b"", drawn)
    assert b"> Print the receipt" in seen and b"+- Timeline" in seen
    if isinstance(ends, str):
        os.write(master, ends.encode())
    else:
        process.send_signal(ends)
    drawn += read_until(master, b"\x1b[?1049l")
    assert process.wait(WAITS) == code
    assert drawn.isascii()
    assert termios.tcgetattr(screen)[3] == before[3]
    os.close(master)
    os.close(screen)


def read_until(master: int, text: bytes) -> bytes:
    """Return what is written until some text is there."""
    found, late = b"", time.monotonic() + WAITS
    while text not in found:
        assert time.monotonic() < late, found[-2000:]
        if select.select([master], [], [], 1)[0]:
            found += os.read(master, 65536)
    return found
