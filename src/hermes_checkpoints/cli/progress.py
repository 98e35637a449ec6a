"""A bar on the terminal while something takes long; nothing where nobody looks.

It shows after one second, on stderr, and is erased at the end. It is drawn by a thread of its own,
since the work in between may be one long step of git.
"""

from __future__ import annotations

import argparse
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count

from hermes_checkpoints.cli.output import is_dumb, is_terminal

_AFTER = 1.0
"""Seconds before there is a bar."""
_EACH = 0.1
"""Seconds from one look at how far it is to the next."""
_BEGUN = ("working", 0, 0)


class Bar:
    """Is told how far something is; that costs an assignment, wherever it is told from."""

    def __init__(self) -> None:
        self._told: tuple[str, int, int] = _BEGUN

    def __call__(self, step: str, done: int = 0, of: int = 0, /) -> None:
        self._told = step, done, of

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Show how far it is while the block lasts, from the second second on."""
        self._told, ended = _BEGUN, threading.Event()
        drawing = threading.Thread(target=self._draw, args=(ended, time.monotonic()), daemon=True)
        drawing.start()
        try:
            yield
        finally:
            ended.set()
            drawing.join()

    def _draw(self, ended: threading.Event, begun: float) -> None:
        if ended.wait(_AFTER):
            return
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=20),
            TextColumn("{task.fields[share]}", markup=False),
        )
        console = Console(stderr=True, highlight=False, markup=False, emoji=False)
        with Progress(
            *columns,
            console=console,
            transient=True,
            auto_refresh=False,
            redirect_stdout=False,
            redirect_stderr=False,
        ) as bar:
            task = bar.add_task("", total=None, share="")
            going = True
            while going:
                step, done, of = self._told
                share = f"{done}/{of} " if of else ""
                share += f"{time.monotonic() - begun:.0f}s"
                bar.update(task, description=step, completed=done, total=of or None, share=share)
                bar.refresh()
                going = not ended.wait(_EACH)


class _Nowhere(Bar):
    """Is told where nobody looks."""

    @contextmanager
    def shown(self) -> Iterator[None]:
        yield


def bar_of(args: argparse.Namespace) -> Bar:
    """Return the bar of this run of a verb; none is ever shown with ``--json``."""
    found: Bar | None = getattr(args, "_bar", None)
    if found is None:
        found = args._bar = _Nowhere() if getattr(args, "json", False) else new_bar()
    return found


def new_bar() -> Bar:
    """Return a bar; none is ever shown where stderr is no terminal that can move its cursor."""
    return Bar() if is_terminal(sys.stderr) and not is_dumb() else _Nowhere()


@contextmanager
def progress(args: argparse.Namespace, steps: int = 0) -> Iterator[Callable[[str], None]]:
    """Show the bar while the block lasts; yield what is told the name of each step as it begins, of
    about so many ``steps``."""
    bar, begun = bar_of(args), count(1)

    def begin(step: str) -> None:
        number = next(begun)
        bar(step, *((number, steps) if number <= steps else ()))

    with bar.shown():
        yield begin
