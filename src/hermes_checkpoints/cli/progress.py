"""A bar on a terminal while something takes long; nothing elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

from hermes_checkpoints.cli.output import is_terminal


@contextmanager
def progress(steps: int) -> Iterator[Callable[[str], None]]:
    """Yield a function that is told the name of each step as it begins, of about ``steps``."""
    if not is_terminal(sys.stderr):
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("planning", total=steps)

        def begin(step: str) -> None:
            bar.update(task, advance=1, description=step)

        yield begin


@contextmanager
def progress_if_any() -> Iterator[Callable[[str], None]]:
    """Yield a function that is told each step, and shows nothing before it is told the first."""
    with ExitStack() as stack:
        begun: list[Callable[[str], None]] = []

        def begin(step: str) -> None:
            if not begun:
                begun.append(stack.enter_context(progress(1)))
            begun[0](step)

        yield begin
