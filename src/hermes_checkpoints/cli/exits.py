"""How commands end: the one list of exit codes, for the code, the help and README."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

from hermes_checkpoints.errors import BadRequest, CheckpointError, without_library

if TYPE_CHECKING:
    import argparse


class Exit(enum.IntEnum):
    """An exit code; ``meaning`` says it in the words of help and README.

    64 and 70 are those of sysexits.h; those above 128 are 128 and a signal, as shells count.

    >>> Exit.USAGE.value, Exit.USAGE.meaning
    (64, 'wrong usage')
    """

    DONE = 0
    NO = 1
    ERROR = 2
    IN_PART = 3
    USAGE = 64
    UNFORESEEN = 70
    HUNG_UP = 129
    INTERRUPTED = 130
    PIPE_CLOSED = 141
    TERMINATED = 143

    @property
    def meaning(self) -> str:
        """What the code says, in a few words."""
        return _MEANINGS[self]


_MEANINGS = {
    Exit.DONE: "done, or nothing to do",
    Exit.NO: "answered with no, or `doctor` or `status --check` found faults",
    Exit.ERROR: "an error or a refusal; nothing was changed",
    Exit.IN_PART: "done in part; what failed is listed",
    Exit.USAGE: "wrong usage",
    Exit.UNFORESEEN: "an unforeseen error",
    Exit.HUNG_UP: "the terminal is gone",
    Exit.INTERRUPTED: "interrupted",
    Exit.PIPE_CLOSED: "the reader of the output is gone",
    Exit.TERMINATED: "told to end",
}


class BadUsage(CheckpointError):
    """The arguments contradict each other, or one is missing; shown with the verb's usage."""

    code = "bad-usage"
    exit_code = Exit.USAGE


def without_extra(verb: str, library: str, extra: str | None = None) -> BadRequest:
    """Return the error of a verb whose library is not installed; the ``extra`` has the verb's name
    unless another is given."""
    return without_library(verb, library, extra or verb)


def refuse_silent_question(args: argparse.Namespace, to: str, see: str = "the plan") -> None:
    """Refuse ``--json`` where a question would have to be asked, and say how it is not: ``to`` is
    what would be done, ``see`` what ``--dry-run`` shows.

    Raises:
        BadRequest.
    """
    if args.json and not (args.force or args.dry_run):
        hint = f"use -f to {to}, or --dry-run to see {see}"
        raise BadRequest(f"--json cannot ask; {hint}", hint=hint)


class OutputLost(Exception):
    """Standard output takes nothing more, as on a full disk; the verb may have done its work, so
    this is none of the errors that change nothing."""


class ReaderGone(Exception):
    """The person has left the pager before all was printed."""
