"""The index over the checkpoints of many machines: what a run of it came to, and what it tells.

What it says was said by those who took the checkpoints, each by the clock of its machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class FleetIndexed:
    """What indexing one remote came to. ``url`` is its address without what gives access. It has
    ``listed`` checkpoints in all, of which ``added`` are new in the index, and ``gone`` ones were
    taken from the index since they are not there any more. ``malformed`` refs were left out. Where
    the remote was not indexed, what the index had of it is as it was, ``error`` says what to do,
    and ``code`` in a word what it was.

    >>> FleetIndexed("/srv/undo.git", 12, 3, 0).complete
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
        """Whether the index has all that the remote has."""
        return not (self.malformed or self.error)


@dataclass(frozen=True)
class FleetMachine:
    """A machine of the fleet: its id of 12 hex digits, and what people call it, None where nothing
    tells it. ``newest_at`` (UTC) is when it took the newest checkpoint that a remote has of it, by
    its own clock; ``ahead`` says that this is more than a day to come, so that its clock is wrong.
    It has ``checkpoints`` of ``projects``.

    >>> from datetime import UTC, datetime
    >>> last = datetime(2026, 11, 20, tzinfo=UTC)
    >>> FleetMachine("0a1b2c3d4e5f", "laptop", last, False, 12, 2).projects
    2
    """

    id: str
    name: str | None
    newest_at: datetime
    ahead: bool
    checkpoints: int
    projects: int


@dataclass(frozen=True)
class FleetProject:
    """A project of the fleet: the ``subdirectory`` of a ``repository``, or where it belongs to
    none, a ``working_dir``, which is where one of the machines has it. It has ``checkpoints`` of
    ``machines``, each counted once, the newest taken at ``newest_at`` (UTC). The files of them all
    have ``bytes``, where what they share counts in each.

    >>> from datetime import UTC, datetime
    >>> last = datetime(2026, 11, 20, tzinfo=UTC)
    >>> one = FleetProject("github.com/org/app", "web", "/home/ci/app/web", 2, 12, 34567, last)
    >>> one.name
    'github.com/org/app web'
    """

    repository: str | None
    subdirectory: str | None
    working_dir: str
    machines: int
    checkpoints: int
    bytes: int
    newest_at: datetime

    @property
    def name(self) -> str:
        """What it is called: the repository with the subdirectory, else the directory."""
        if self.repository is None:
            return self.working_dir
        return f"{self.repository} {self.subdirectory}" if self.subdirectory else self.repository


@dataclass(frozen=True)
class FleetRemote:
    """A remote that the index was made of. ``indexed_at`` is when that last worked, None for never;
    ``failures`` have followed each other since, the last at ``failed_at`` with ``code`` and
    ``error``. It has ``checkpoints``, and ``malformed`` refs that were left out. Times are in UTC,
    by the clock of who indexed.

    >>> FleetRemote("/srv/undo.git", None, 1, None, "remote-unreachable", "no answer").failures
    1
    """

    url: str
    indexed_at: datetime | None
    failures: int
    failed_at: datetime | None = None
    code: str | None = None
    error: str | None = None
    checkpoints: int = 0
    malformed: int = 0


@dataclass(frozen=True)
class FleetStatus:
    """What the index tells of the fleet as it was indexed last. ``catalog`` is where the index is,
    without a password. The numbers count all; the lists have the first ones: ``machine_list`` those
    that have been silent for longest, ``stale`` projects of which nothing was taken for
    ``stale_days`` days, oldest first, and ``remote_list`` those that failed, then those that were
    indexed longest ago.

    >>> FleetStatus("db.example.org/fleet", 0, 0, 0, 0, 0, 0, 30).checkpoints
    0
    """

    catalog: str
    machines: int
    projects: int
    checkpoints: int
    bytes: int
    remotes: int
    stale_projects: int
    stale_days: int
    machine_list: Sequence[FleetMachine] = ()
    stale: Sequence[FleetProject] = ()
    remote_list: Sequence[FleetRemote] = ()
