"""What is to be removed from a remote, why, and what came of it."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from hermes_checkpoints.model.kinds import SHORT_ID


class RemoteRule(enum.StrEnum):
    """What decided about a checkpoint on a remote.

    >>> RemoteRule("over-age").removes, RemoteRule.PINNED.removes
    (True, False)
    """

    # keeping
    PINNED = "pinned"
    LABELLED = "labelled"
    NEWEST = "newest"
    FOR_EVER = "for-ever"
    UNDATED = "undated"
    YOUNG = "young"
    FOREIGN = "foreign"
    ALIVE = "alive"
    # removing
    NAMED = "named"
    OVER_AGE = "over-age"
    DEAD = "dead"

    @property
    def removes(self) -> bool:
        """Whether what it decides about is removed."""
        return self in (RemoteRule.NAMED, RemoteRule.OVER_AGE, RemoteRule.DEAD)


class CursorFate(enum.StrEnum):
    """What becomes of a cursor of which checkpoints are removed.

    >>> CursorFate("emptied") is CursorFate.EMPTIED
    True
    """

    EMPTIED = "emptied"  # it stays, so that a pull finds the project, and leads to nothing
    REMOVED = "removed"  # nothing is left that it could lead to


@dataclass(frozen=True)
class RemoteRemoval:
    """A checkpoint that is to be removed from a remote: its ref there and its commit, below the id
    of which machine, of which project, and when it was taken, as far as that is known (UTC).
    ``reason`` ends a sentence beginning with "because". ``is_here`` says whether this base has it,
    too: else it is gone with the ref, unless another base has it.

    >>> one = RemoteRemoval("refs/checkpoints/0a1b2c3d4e5f/0a1b2c3d4e5f6071/x", "1f2e3d4c" * 5,
    ...     "0a1b2c3d4e5f", "0a1b2c3d4e5f6071", RemoteRule.OVER_AGE, "it is older than 30 days")
    >>> one.short_id, one.is_here
    ('1f2e3d4c', False)
    """

    ref_name: str
    id: str
    machine: str
    project_hash: str
    rule: RemoteRule
    reason: str
    taken_at: datetime | None = None
    working_dir: str | None = None
    is_here: bool = False

    @property
    def short_id(self) -> str:
        """The first digits of ``id``, as people are shown them."""
        return self.id[:SHORT_ID]


@dataclass(frozen=True)
class RemoteKept:
    """How many checkpoints of a machine stay on a remote by one rule.

    >>> RemoteKept("0a1b2c3d4e5f", RemoteRule.NEWEST, "it is the newest of its project", 3).number
    3
    """

    machine: str
    rule: RemoteRule
    reason: str
    number: int


@dataclass(frozen=True)
class CursorChange:
    """A cursor that would keep what is removed within reach: where it is, at which commit, and what
    becomes of it.

    >>> CursorChange("refs/checkpoints-cursor/a/b", "1f" * 20, "a", "b", CursorFate.REMOVED).fate
    <CursorFate.REMOVED: 'removed'>
    """

    ref_name: str
    commit: str
    machine: str
    project_hash: str
    fate: CursorFate


@dataclass(frozen=True)
class RemotePrunePlan:
    """What a prune of one remote would remove, oldest first, and what it keeps by which rule.

    ``machine`` is the id of this base, ``working_dir`` the one project of it that is meant, None
    for all. Where ``ids`` are named, nothing else goes. ``cursors`` are changed so that they lead
    to nothing that is removed. ``unknown`` refs below those of checkpoints have names of another
    form, and stay. Where the remote could not be read, ``error`` says what to do, and ``code`` in a
    word what it was.

    >>> plan = RemotePrunePlan("/srv/undo.git", "0a1b2c3d4e5f")
    >>> plan.nothing_to_remove, plan.machines
    (True, ())
    """

    url: str
    machine: str
    remove: Sequence[RemoteRemoval] = ()
    kept: Sequence[RemoteKept] = ()
    cursors: Sequence[CursorChange] = ()
    unknown: int = 0
    others: bool = False
    ids: Sequence[str] | None = None
    working_dir: str | None = None
    error: str | None = None
    code: str | None = None

    @property
    def nothing_to_remove(self) -> bool:
        """Whether all stays as it is."""
        return not (self.remove or self.cursors)

    @property
    def machines(self) -> tuple[str, ...]:
        """The other machines of which something is removed."""
        found = {one.machine for one in self.remove} | {one.machine for one in self.cursors}
        return tuple(sorted(found - {self.machine}))


@dataclass(frozen=True)
class NotRemoved:
    """A ref that was to be removed or changed and was not, with the reason in words.

    >>> NotRemoved("refs/checkpoints/a/b/c", "1f2e3d4c" * 5, "it is pinned by now").short_id
    '1f2e3d4c'
    """

    ref_name: str
    id: str
    reason: str

    @property
    def short_id(self) -> str:
        """The first digits of ``id``, as people are shown them."""
        return self.id[:SHORT_ID]


@dataclass(frozen=True)
class RemotePruneResult:
    """What a prune of one remote came to.

    The remote has confirmed of all that are ``removed`` that it has them no longer. ``kept`` were
    planned and stay, as something has changed since: they have a pin by now, or were moved there.
    ``refused`` are those that the server did not let go. ``left`` is how many were not tried any
    more, since it let go nothing, or could not be reached: ``error`` then says what to do, and
    ``code`` in a word what it was. ``cursors`` were changed, ``cursors_left`` could not be: they
    keep the last of what was removed within reach until the next push of their project.

    >>> RemotePruneResult("/srv/undo.git", "0a1b2c3d4e5f").complete
    True
    """

    url: str
    machine: str
    removed: Sequence[RemoteRemoval] = ()
    kept: Sequence[NotRemoved] = ()
    refused: Sequence[NotRemoved] = ()
    left: int = 0
    cursors: Sequence[CursorChange] = ()
    cursors_left: Sequence[NotRemoved] = ()
    error: str | None = None
    code: str | None = None

    @property
    def complete(self) -> bool:
        """Whether all that was planned has been done."""
        return not (self.kept or self.refused or self.left or self.cursors_left or self.error)
