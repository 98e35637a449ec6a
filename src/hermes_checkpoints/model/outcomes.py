"""How a take ends, and what a comparison shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hermes_checkpoints.errors import CheckpointError
from hermes_checkpoints.model.checkpoints import Checkpoint

if TYPE_CHECKING:
    pass


@dataclass(frozen=True)
class Taken:
    """A new checkpoint exists. ``imported_dropped`` is how many imported ones went for it, because
    their project then had more than ``max_snapshots``; `status` names the archives that have them.
    ``refused`` is why the directory as a whole was not captured, where the checkpoint is partial.

    >>> outcome = project.take("before the clean-up")
    >>> if isinstance(outcome, Taken):
    ...     print(outcome.checkpoint.reason)
    before the clean-up
    """

    checkpoint: Checkpoint
    imported_dropped: int = 0
    refused: Skipped | None = None


@dataclass(frozen=True)
class Unchanged:
    """The working directory is as the last checkpoint has it, so none was added. ``refused`` is why
    the directory as a whole was not captured, where the checkpoint is partial.

    >>> taken = project.take()
    >>> outcome = project.take()
    >>> isinstance(outcome, Unchanged), outcome.checkpoint == taken.checkpoint
    (True, True)
    """

    checkpoint: Checkpoint
    refused: Skipped | None = None


@dataclass(frozen=True)
class Skipped:
    """A guard refused the directory. ``code`` is stable; ``reason`` is for people.

    >>> checkpoints.project("/").take()
    Skipped(code='root', reason='/ is the root of a filesystem; choose a project')
    """

    code: str
    reason: str


@dataclass(frozen=True)
class Failed:
    """The take failed; the journal has it, too. Raise ``error`` to make it an exception.

    >>> outcome = checkpoints.project("nowhere").take()
    >>> if isinstance(outcome, Failed):
    ...     print(outcome.error.code)
    bad-directory
    """

    error: CheckpointError


TakeOutcome = Taken | Unchanged | Skipped | Failed
