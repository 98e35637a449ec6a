"""What a push is to send to a remote, what became of it, and what a pull found there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hermes_checkpoints.model.checkpoints import Checkpoint
from hermes_checkpoints.model.remote import Pushed


@dataclass(frozen=True)
class PushPlan:
    """What a push would send to one remote, in this order, oldest first.

    ``url`` is what may be shown of the address, as git would use it, ``machine`` the id below which
    the refs would lie. ``new_bytes`` are the bytes of contents that the remote does not have yet,
    as far as is known here, before they are compressed. ``refused`` would not be sent, and what is
    ``damaged`` here cannot be. ``removed`` is how many the remote had and has no longer: they are
    sent again only when somebody says so.

    >>> PushPlan("/srv/undo.git", "0a1b2c3d4e5f").nothing_to_send
    True
    """

    url: str
    machine: str
    checkpoints: Sequence[Checkpoint] = ()
    new_bytes: int = 0
    refused: Sequence[Pushed] = ()
    damaged: Sequence[Pushed] = ()
    removed: int = 0

    @property
    def nothing_to_send(self) -> bool:
        """Whether the remote has all that may be sent."""
        return not self.checkpoints


@dataclass(frozen=True)
class PushResult:
    """What a push to one remote came to.

    The remote has confirmed each that was ``sent``. Those that are ``waiting`` were offered and not
    taken, or are damaged here, and the next push tries again; ``refused`` ones, also those of
    earlier pushes, were not offered, since they hold what looks like a secret. ``unsent`` is how
    many are left besides, where the remote took nothing any more, or could not be reached:
    ``error`` then says what to do, and ``code`` in a word what it was. ``new_bytes`` are those of
    the contents that were sent, before compression. ``removed`` is as in ``PushPlan``.

    >>> done = PushResult("/srv/undo.git", "0a1b2c3d4e5f")
    >>> done.complete, PushResult("/srv/undo.git", "0a1b2c3d4e5f", unsent=2).complete
    (True, False)
    """

    url: str
    machine: str
    sent: Sequence[Pushed] = ()
    waiting: Sequence[Pushed] = ()
    refused: Sequence[Pushed] = ()
    unsent: int = 0
    new_bytes: int = 0
    error: str | None = None
    code: str | None = None
    removed: int = 0

    @property
    def complete(self) -> bool:
        """Whether the remote has every live checkpoint that was meant, but for ``removed`` ones."""
        return not (self.waiting or self.refused or self.unsent or self.error)


@dataclass(frozen=True)
class PullResult:
    """What a pull from one remote came to: how many checkpoints are listed there of what was meant,
    how many of them were ``added`` to the list and how many are ``gone`` from it. ``malformed``
    ones were left. Where the remote could not be read, ``error`` says what to do, and ``code`` in a
    word what it was.

    >>> PullResult("/srv/undo.git", 12, 3, 0).complete
    True
    """

    url: str
    listed: int = 0
    added: int = 0
    gone: int = 0
    malformed: int = 0
    error: str | None = None
    code: str | None = None

    @property
    def complete(self) -> bool:
        """Whether the list is that of the remote."""
        return not (self.malformed or self.error)
