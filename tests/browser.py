"""A browser without a window, driven by its own protocol through two pipes: nothing is installed.

Any of the browsers that are built on Chromium will do. https://chromedevtools.github.io/
devtools-protocol describes what is sent.
"""

from __future__ import annotations

import base64
import itertools
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_ARGUMENTS = (
    *("--headless=new", "--remote-debugging-pipe", "--disable-gpu", "--no-first-run"),
    *("--disable-dev-shm-usage", "--disable-background-networking", "--disable-extensions"),
    *("--disable-component-update", "--hide-scrollbars", "--force-color-profile=srgb"),
)
_START = """\
import fcntl, os, sys
pipes = [fcntl.fcntl(int(word), fcntl.F_DUPFD_CLOEXEC, 10) for word in sys.argv[1:3]]
os.dup2(pipes[0], 3)
os.dup2(pipes[1], 4)
os.execvp(sys.argv[3], sys.argv[3:])
"""
"""The browser reads from descriptor 3 and writes to 4."""


def found() -> str | None:
    """Return a browser of this machine, or None."""
    return next(filter(None, map(shutil.which, _NAMES)), None)


@contextmanager
def page(profile: Path, width: int = 1000, height: int = 800) -> Iterator[Page]:
    """Yield an empty page of a browser that keeps what it must in an empty folder."""
    program = found()
    assert program is not None
    to_read, to_write = os.pipe(), os.pipe()
    alone = () if os.geteuid() else ("--no-sandbox",)  # it refuses to be root in one
    home = {"HOME": str(profile), "XDG_CONFIG_HOME": str(profile), "XDG_CACHE_HOME": str(profile)}
    browser = subprocess.Popen(
        [
            *(sys.executable, "-c", _START, str(to_read[0]), str(to_write[1])),
            *(program, *_ARGUMENTS, *alone),
            *(f"--user-data-dir={profile}", f"--window-size={width},{height}", "about:blank"),
        ],
        env={**os.environ, **home},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=(to_read[0], to_write[1]),
        start_new_session=True,
    )
    os.close(to_read[0])
    os.close(to_write[1])
    with browser, open(to_read[1], "wb", 0) as commands, open(to_write[0], "rb") as answers:
        try:
            yield Page(commands, answers, width, height)
        finally:
            os.killpg(browser.pid, 9)


class Page:
    """The one page of a browser."""

    def __init__(self, commands: BinaryIO, answers: BinaryIO, width: int, height: int) -> None:
        self._commands, self._answers = commands, answers
        self._numbers = itertools.count(1)
        self._session: str | None = None
        target = self._ask("Target.createTarget", url="about:blank")["targetId"]
        attached = self._ask("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        self._ask("Page.enable")
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self._ask("Emulation.setDeviceMetricsOverride", **size)

    def open(self, address: str) -> None:
        """Go to an address, and wait until the page is there."""
        self._follow("Page.navigate", url=address)

    def click(self, element: str) -> None:
        """Click what a selector of CSS finds, which leads to another page."""
        code = f"document.querySelector({json.dumps(element)}).click()"
        self._follow("Runtime.evaluate", expression=code)

    def value(self, code: str) -> Any:
        """Return the value of an expression of JavaScript in the page."""
        found = self._ask("Runtime.evaluate", expression=code, returnByValue=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def text(self, element: str = "body") -> str:
        """Return what a person reads in what a selector of CSS finds."""
        return str(self.value(f"document.querySelector({json.dumps(element)}).innerText"))

    def picture(self) -> bytes:
        """Return what the window shows as PNG."""
        return base64.b64decode(self._ask("Page.captureScreenshot", format="png")["data"])

    def _follow(self, method: str, **given: Any) -> None:
        number = self._send(method, given)
        answered = loaded = False
        while not (answered and loaded):
            message = self._receive()
            assert "error" not in message, message
            answered = answered or message.get("id") == number
            loaded = loaded or message.get("method") == "Page.loadEventFired"

    def _ask(self, method: str, **given: Any) -> dict[str, Any]:
        number = self._send(method, given)
        while True:
            message = self._receive()
            if message.get("id") == number:
                assert "error" not in message, message
                found: dict[str, Any] = message["result"]
                return found

    def _send(self, method: str, given: dict[str, Any]) -> int:
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": given}
        if self._session is not None:
            message["sessionId"] = self._session
        self._commands.write(json.dumps(message).encode() + b"\0")
        return number

    def _receive(self) -> dict[str, Any]:
        piece = bytearray()
        while (one := self._answers.read(1)) != b"\0":
            assert one, "the browser has ended"
            piece += one
        message: dict[str, Any] = json.loads(piece)
        return message
