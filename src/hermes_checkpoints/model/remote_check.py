"""What a look at the remote found."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class RemoteStanding(enum.StrEnum):
    """How one thing stands that was looked at.

    >>> RemoteStanding("failed") is RemoteStanding.FAILED
    True
    """

    FINE = "fine"
    NOTE = "note"  # people should know of it
    WARNING = "warning"  # it works, and something should be done about it
    FAILED = "failed"


@dataclass(frozen=True)
class RemoteFinding:
    """One thing that was looked at: ``check`` is its stable name, ``text`` says in a sentence how
    it stands, ``remedy`` what to do, where there is something. ``code`` is that of the error, where
    it failed with one.

    >>> RemoteFinding("reach", RemoteStanding.FINE, "the remote answers").remedy
    ''
    """

    check: str
    standing: RemoteStanding
    text: str
    remedy: str = ""
    code: str | None = None


@dataclass(frozen=True)
class RemoteCheck:
    """All that one look at the remote found. ``url`` is its address without what gives access,
    ``machine`` the id of the base, ``git`` the version of git here, ``protocol`` that of git's
    protocol, for reading. ``refs`` is how many the remote has, ``own_refs`` how many of this
    machine, and ``advertised_bytes`` about how much of them each push is told. None is what could
    not be told.

    >>> found = RemoteFinding("reach", RemoteStanding.FAILED, "it gave no answer")
    >>> RemoteCheck("https://example.org/undo.git", "0123456789ab", (found,)).works
    False
    """

    url: str
    machine: str
    findings: tuple[RemoteFinding, ...]
    git: str | None = None
    protocol: int | None = None
    refs: int | None = None
    own_refs: int | None = None
    advertised_bytes: int | None = None

    @property
    def works(self) -> bool:
        """Whether nothing failed."""
        return all(one.standing is not RemoteStanding.FAILED for one in self.findings)
