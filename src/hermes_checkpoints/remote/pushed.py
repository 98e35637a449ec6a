"""What ``git push --porcelain`` says became of each ref, by its flag character alone.

Whatever is not surely confirmed has not been sent: a line that cannot be read, a flag that is
unknown, a ref that is named twice with different answers, or not at all. What stands in words is
the server's, and decides nothing.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass


class Answer(enum.StrEnum):
    """What became of a ref: the flag characters of git-push(1), and none at all."""

    NEW = "*"
    SAME = "="
    FORWARD = " "
    FORCED = "+"
    DELETED = "-"
    REJECTED = "!"
    UNTOLD = ""


@dataclass(frozen=True)
class PushedRef:
    """What became of one ref; ``words`` are git's and the server's, not yet fit to be shown."""

    ref: str
    answer: Answer
    words: bytes = b""

    @property
    def is_there(self) -> bool:
        """Whether the server has confirmed that the ref is where it was to be."""
        return self.answer in _CONFIRMED

    @property
    def is_gone(self) -> bool:
        """Whether the server has confirmed that the ref was deleted."""
        return self.answer is Answer.DELETED


_CONFIRMED = frozenset((Answer.NEW, Answer.SAME, Answer.FORWARD, Answer.FORCED))
_FLAGS = {one.value.encode(): one for one in Answer if one is not Answer.UNTOLD}


def outcomes(output: bytes, asked: Iterable[str]) -> dict[str, PushedRef]:
    """Return what became of each ref that was asked for, by its name in the remote.

    >>> told = b"To /srv/undo.git\\n*\\t1f3a:refs/checkpoints/a/b/c\\t[new reference]\\nDone\\n"
    >>> {ref: one.answer.name for ref, one in outcomes(told, ["refs/checkpoints/a/b/c"]).items()}
    {'refs/checkpoints/a/b/c': 'NEW'}
    """
    found = {ref: PushedRef(ref, Answer.UNTOLD) for ref in asked}
    for line in output.split(b"\n"):
        parts = line.split(b"\t", 2)
        answer = _FLAGS.get(parts[0])
        if answer is None or len(parts) < 2:
            continue
        ref = parts[1].rpartition(b":")[2].decode("utf-8", "replace")
        known = found.get(ref)
        if known is None:
            continue
        if known.answer not in (Answer.UNTOLD, answer):
            answer = Answer.REJECTED
        found[ref] = PushedRef(ref, answer, parts[2] if len(parts) > 2 else b"")
    return found
