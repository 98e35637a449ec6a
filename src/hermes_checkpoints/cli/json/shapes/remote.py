"""What a look at the remote found."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypedDict


class RemoteFinding(TypedDict):
    """One thing that was looked at."""

    check: str
    """Its stable name."""
    standing: Literal["fine", "note", "warning", "failed"]
    """How it stands."""
    text: str
    """That in a sentence."""
    remedy: str
    """What to do; empty where there is nothing."""
    code: str | None
    """The code of the error with which it failed."""


class RemoteCheck(TypedDict):
    """All that one look at the remote found."""

    url: str
    """Its address, without what gives access."""
    machine: str
    """The id of the base."""
    works: bool
    """Whether nothing failed."""
    git: str | None
    """The version of git here."""
    protocol: int | None
    """The version of git's protocol that was spoken."""
    refs: int | None
    """How many refs the remote has."""
    own_refs: int | None
    """How many of them are of this machine."""
    advertised_bytes: int | None
    """About how many bytes of refs each push is told."""
    findings: list[RemoteFinding]
    """What was looked at, in that order."""
