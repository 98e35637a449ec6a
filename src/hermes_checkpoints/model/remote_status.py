"""How a remote stands: what it has of this base, and what lies there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from hermes_checkpoints.model.remote import Pushed, PushStatus, Remote


@dataclass(frozen=True)
class RemoteContents:
    """What lies on a remote, as it said at this look: ``checkpoints`` and ``cursors`` of this base,
    those of others, of how many ``machines`` besides this one, and how many other refs. Each push
    is told of all refs, in about ``advertised_bytes``.

    >>> RemoteContents(checkpoints=3, cursors=1, advertised_bytes=600).refs
    4
    """

    checkpoints: int = 0
    cursors: int = 0
    foreign_checkpoints: int = 0
    foreign_cursors: int = 0
    machines: int = 0
    other_refs: int = 0
    advertised_bytes: int = 0

    @property
    def refs(self) -> int:
        """How many refs there are."""
        ours = self.checkpoints + self.cursors
        return ours + self.foreign_checkpoints + self.foreign_cursors + self.other_refs


@dataclass(frozen=True)
class RemoteStatus:
    """How one remote stands. ``remote`` has its address as it may be shown, and when pushes worked
    and failed; ``machine`` is the id of this base. ``projects`` are those that have something to
    send or have sent something, ``refused`` what is not sent since it looks like a secret, with the
    paths. ``removed`` was sent and is not there any more, and is found out at this look.

    ``contents`` is what lies there; None where the remote could not be read: ``error`` then says
    what to do, and ``code`` in a word what it was.

    >>> from datetime import UTC, datetime
    >>> remote = Remote(1, "/srv/undo.git", datetime(2026, 11, 20, tzinfo=UTC))
    >>> RemoteStatus(remote, "0a1b2c3d4e5f", contents=RemoteContents()).unsent
    0
    """

    remote: Remote
    machine: str
    projects: Sequence[PushStatus] = ()
    refused: Sequence[Pushed] = ()
    removed: Sequence[Pushed] = ()
    contents: RemoteContents | None = None
    error: str | None = None
    code: str | None = None

    @property
    def unsent(self) -> int:
        """How many checkpoints the next push would send."""
        return sum(one.unsent for one in self.projects)

    @property
    def oldest_unsent_at(self) -> datetime | None:
        """When the first of them was taken, in UTC; None where there is none."""
        times = [one.oldest_unsent_at for one in self.projects]
        return min((one for one in times if one is not None), default=None)
