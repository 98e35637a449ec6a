"""Drives the application as a person does: keys and clicks, and what is then to be read."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from textual.pilot import Pilot
from textual.widgets import Button, Static

from hermes_checkpoints import Checkpoints
from hermes_checkpoints.cli.browse.app import Browse
from hermes_checkpoints.cli.browse.reading import Reader
from hermes_checkpoints.cli.browse.rows import Lines
from hermes_checkpoints.cli.browse.words import Clean
from hermes_checkpoints.cli.text import typed
from hermes_checkpoints.layout import Layout

LONGEST_SECONDS = 60
POLL_SECONDS = 0.002  # the threads that read need the interpreter, too
QUIET = 8
"""How many times in a row the loop of events finds nothing to do."""


@dataclass
class Driver:
    """The application, and who sits before it."""

    app: Browse
    pilot: Pilot[None]

    async def press(self, *keys: str) -> None:
        """Press keys, each once all that the one before began is done."""
        for key in keys:
            self.app.simulate_key(key)
            await self.settle()

    async def click(self, what: type[Any] | str, offset: tuple[int, int] = (0, 0)) -> None:
        assert await self.pilot.click(what, offset=offset)
        await self.settle()

    async def settle(self) -> None:
        """Wait until nothing is being read, and no message waits to be seen."""
        quiet, app = 0, self.app
        async with asyncio.timeout(LONGEST_SECONDS):
            while quiet < QUIET:
                await asyncio.sleep(POLL_SECONDS)
                busy = any(not worker.is_finished for worker in app.workers)
                pumps = [app, *app.screen_stack, *app.screen.walk_children()]
                waiting = busy or any(pump.message_queue_size for pump in pumps)
                quiet = 0 if waiting else quiet + 1

    def read(self, pane: Lines | None = None) -> list[str]:
        """Return the lines of a pane, or of the list of a dialog, with what is on its border."""
        shown = self.app.screen.query_one(Lines) if pane is None else pane
        lines = [shown.render_line(y).text.rstrip() for y in range(shown.size.height)]
        return [line for line in lines if line]

    @property
    def timeline(self) -> list[str]:
        return self.read(self.app.panes.timeline)

    @property
    def files(self) -> list[str]:
        return self.read(self.app.panes.files)

    @property
    def diff(self) -> list[str]:
        return self.read(self.app.panes.diff)

    def said(self, name: str) -> str:
        """Return what a text of the dialog says."""
        return str(self.app.screen.query_one(f"#{name}", Static).content)

    def offers(self) -> list[str]:
        """Return the buttons of the dialog that can be pressed."""
        return [
            str(button.label)
            for button in self.app.screen.query(Button)
            if button.display and not button.disabled
        ]


@asynccontextmanager
async def opened(
    home: Path,
    directory: Path,
    *,
    size: tuple[int, int] = (80, 24),
    clean: Clean | None = None,
    **options: Any,
) -> AsyncIterator[Driver]:
    """Open the application on a terminal of a size, which is none."""

    def command(verb: str, *words: str) -> str:
        return f"hermes checkpoints {typed([verb, *words])}"

    with Checkpoints.open(home, create=False) as checkpoints:
        project = checkpoints.project(directory)
        reader = Reader(project, Layout.of(home).catalog, clean or Clean(), command)
        app = Browse(reader, **options)
        app.animation_level = "none"
        try:
            async with app.run_test(size=size) as pilot:
                driver = Driver(app, pilot)
                await driver.settle()
                yield driver
        finally:
            app.work.end()


def drive(
    home: Path, directory: Path, steps: Callable[[Driver], Awaitable[None]], **options: Any
) -> None:
    """Run steps in the application."""

    async def run() -> None:
        async with opened(home, directory, **options) as driver:
            await steps(driver)

    asyncio.run(run())
