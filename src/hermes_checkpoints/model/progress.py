"""How far something is that may take long. Where nobody wants to know, nothing is called."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Is called with what is done now, in words for people, and where that is known, how much of
    how many is done. It is called often, by the thread that works, and must not raise.

    >>> def show(step, done=0, of=0):
    ...     print(f"{step} {done}/{of}" if of else step)
    >>> with Checkpoints.open(progress=show) as checkpoints:
    ...     taken = checkpoints.project(".").take()
    looking at files
    storing files 0/1
    storing files 1/1
    """

    def __call__(self, step: str, done: int = 0, of: int = 0, /) -> object: ...
