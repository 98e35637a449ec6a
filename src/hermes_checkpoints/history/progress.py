"""What an import tells while it runs. Needed by command lines and logs, for long imports."""

from __future__ import annotations

import logging
from typing import Protocol

from hermes_checkpoints.model import LegacyRecord

logger = logging.getLogger(__name__)


class Reporter(Protocol):
    """Is told of an import as it proceeds; every step it is told of is done durably.

    >>> class Steps:
    ...     def begin(self, records): print("to import:", records)
    ...     def step(self, record, what): pass
    ...     def done(self, record): print(record.name, "is", record.state)
    ...     def end(self): print("that is all")
    >>> Path("old").mkdir()
    >>> _ = Path("old", "20261120_ab12.yaml").write_text("task: port the parser")
    >>> done = checkpoints.import_legacy("old", reporter=Steps())
    to import: 1
    20261120_ab12.yaml is imported
    that is all
    """

    def begin(self, records: int) -> None:
        """Hear that so many repositories, stores and files are to be worked on."""

    def step(self, record: LegacyRecord, what: str) -> None:
        """Hear that one of them came a step further."""

    def done(self, record: LegacyRecord) -> None:
        """Hear that all that can be done with one of them now is done."""

    def end(self) -> None:
        """Hear that the import is over."""


class Quiet:
    """Writes to the log only."""

    def begin(self, records: int) -> None:
        logger.info("importing %d thing(s) of earlier versions", records)

    def step(self, record: LegacyRecord, what: str) -> None:
        logger.debug("%s: %s", record.path, what)

    def done(self, record: LegacyRecord) -> None:
        logger.info("%s", line(record))

    def end(self) -> None:
        """Nothing is left to say."""


def line(record: LegacyRecord) -> str:
    """Return one line for people on what became of a repository, a store or a file."""
    what = record.working_dir or record.name
    if record.imported_at is None:
        return f"{what}: not imported: {record.error or 'not yet'}"
    count = record.imported_checkpoints
    number = f"{count} checkpoint{'' if count == 1 else 's'}"
    if record.layout == "session-file":
        number = "session"
    return f"{what}: {number} imported" + (f"; not all: {record.error}" if record.error else "")
