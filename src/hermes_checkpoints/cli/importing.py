"""How an import shows on stderr: a bar on a terminal, one line for each repository elsewhere."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from hermes_checkpoints.cli.output import complain, is_terminal
from hermes_checkpoints.model import LegacyRecord

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


class ImportProgress:
    """Is told by the library how far an import is. Nothing is shown where there is none."""

    def __init__(self) -> None:
        self._bar: Progress | None = None
        self._task: TaskID | None = None

    def begin(self, records: int) -> None:
        """Show an empty bar."""
        if not is_terminal(sys.stderr):
            return
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
        from rich.progress import TimeRemainingColumn as Remaining

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), Remaining())
        self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
        self._task = self._bar.add_task("importing history of earlier versions", total=records)
        self._bar.start()

    def step(self, record: LegacyRecord, what: str) -> None:
        """Steps of one repository are not shown."""

    def done(self, record: LegacyRecord) -> None:
        """Move the bar on, or print the line of a repository."""
        from hermes_checkpoints.history.progress import line

        if self._bar is not None and self._task is not None:
            self._bar.advance(self._task)
        else:
            complain(line(record))

    def end(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None
