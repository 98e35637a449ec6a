"""How a verb says what kept it from its work: in a line for people or, with ``--json``, as a
document. Both go to stderr, the document as the last line there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from hermes_checkpoints.cli.exits import Exit
from hermes_checkpoints.cli.output import complain, complain_in_json, complain_of_usage
from hermes_checkpoints.errors import CheckpointError


class Problem(NamedTuple):
    """What went wrong. ``code`` is a stable word, ``hint`` what may be done about it where that can
    be told apart from the message, which says it, too.

    >>> Problem("output-lost", "the output cannot be written", Exit.UNFORESEEN).hint is None
    True
    """

    code: str
    message: str
    exit_code: int
    hint: str | None = None


NOTHING_RESTORED = "nothing-restored"
NOT_CLEARED = "not-cleared"
NOT_LOOKED = "not-looked"
DEMO_FAILED = "demo-failed"
INTERRUPTED = "interrupted"
OUTPUT_LOST = "output-lost"
UNFORESEEN = "unexpected"

OTHER_CODES = {
    "root": ("`take` of the root of a filesystem.", Exit.ERROR),
    "temporary-root": ("`take` of a temporary directory that all programs share.", Exit.ERROR),
    "home": ("`take` of the home directory.", Exit.ERROR),
    "above-home": ("`take` of a directory that holds home directories.", Exit.ERROR),
    "checkpoint-base": ("`take` of where the checkpoints themselves lie.", Exit.ERROR),
    "too-many-files": ("`take` of more files than `checkpoints.max_files`.", Exit.ERROR),
    NOTHING_RESTORED: (
        "Files differ and the restore keeps them all; the document has each with the reason.",
        Exit.ERROR,
    ),
    NOT_CLEARED: ("Nothing of what was to go could be removed.", Exit.ERROR),
    NOT_LOOKED: ("Some checks of `doctor` could not be made; the document has them.", Exit.ERROR),
    DEMO_FAILED: ("A step of the demonstration ended otherwise than it must.", Exit.ERROR),
    OUTPUT_LOST: ("Standard output takes nothing more, as on a full disk.", Exit.UNFORESEEN),
    UNFORESEEN: ("Something that nobody foresaw went wrong.", Exit.UNFORESEEN),
    INTERRUPTED: ("Ctrl-C; the message says what was done.", Exit.INTERRUPTED),
}
"""The codes of what is no error of the library, each with what it means and how the verb ends."""


def tell_interruption(lines: Sequence[str], *, as_json: bool) -> None:
    """Say on stderr that a Ctrl-C came, and in ``lines`` what was done until then."""
    if as_json:
        message = "; ".join(lines) or "interrupted"
        tell(Problem(INTERRUPTED, message, Exit.INTERRUPTED), as_json=True)
        return
    for line in lines or ["interrupted"]:
        complain(line)


def problem_of(error: CheckpointError) -> Problem:
    """Return what an error of the library is to whoever reads it."""
    return Problem(error.code, str(error), error.exit_code, error.hint)


def tell(problem: Problem, *, as_json: bool, usage: str = "") -> None:
    """Say on stderr what went wrong; people are told the ``usage`` first, where it was that."""
    if as_json:
        from hermes_checkpoints.cli.json.error import of_problem

        complain_in_json(of_problem(problem))
    elif usage:
        complain_of_usage(usage, problem.message)
    else:
        complain(problem.message)
