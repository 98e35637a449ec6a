"""What kept a verb from its work."""

from __future__ import annotations

from typing_extensions import TypedDict


class Problem(TypedDict):
    """What went wrong."""

    code: str
    """A stable word to branch on."""
    message: str
    """What went wrong and what to do about it, in words."""
    hint: str | None
    """What may be done, such as a command, where that can be told apart from the message."""
    exit_code: int
    """The exit code; of `watch`, which goes on, the one that a single take would have."""


class Error(TypedDict):
    """An error."""

    error: Problem
    """The error."""
