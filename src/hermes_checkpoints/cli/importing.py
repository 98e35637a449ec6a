"""How an import shows on stderr: a bar on a terminal, one line for each repository elsewhere, and
what is in when it is interrupted."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Self

from hermes_checkpoints.cli.output import complain, is_terminal
from hermes_checkpoints.model import LegacyRecord

if TYPE_CHECKING:
    from hermes_checkpoints.cli.progress import Bar

_NAMED = 20
"""How many of what is in are named one by one."""


class ImportProgress:
    """Is told by the library how far an import is. As a context, it lets a Ctrl-C inside tell what
    is in."""

    def __init__(self, bar: Bar) -> None:
        self._bar = bar
        self._records = 0
        self._done: list[LegacyRecord] = []

    def begin(self, records: int) -> None:
        """Show an empty bar."""
        self._records = records
        self._tell()

    def step(self, record: LegacyRecord, what: str) -> None:
        """Steps of one repository are not shown."""

    def done(self, record: LegacyRecord) -> None:
        """Move the bar on, or print the line of a repository."""
        from hermes_checkpoints.history.progress import line

        self._done.append(record)
        if is_terminal(sys.stderr):
            self._tell()
        else:
            complain(line(record))

    def end(self) -> None:
        """All is told."""

    def _tell(self) -> None:
        self._bar("importing history of earlier versions", len(self._done), self._records)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if not isinstance(error, KeyboardInterrupt) or not self._records:
            return
        from hermes_checkpoints.history.progress import line

        error.add_note(
            f"interrupted: {len(self._done)} of {self._records} imported; the next command goes on "
            "with the rest, and nothing of it is lost"
        )
        for record in self._done[:_NAMED]:
            error.add_note(f"  {line(record)}")
        if len(self._done) > _NAMED:
            error.add_note(f"  … and {len(self._done) - _NAMED} more")
