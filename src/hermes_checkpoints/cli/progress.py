"""A bar on a terminal while a store is packed; nothing elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

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
