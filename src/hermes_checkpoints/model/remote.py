"""Remotes, what became of checkpoints there, and what other machines have put there.

What is on a remote is apart from what is here: no rule of this base counts a ``RemoteCheckpoint``.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone

from hermes_checkpoints.model.kinds import SHORT_ID, Kind, PushState


@dataclass(frozen=True)
class Remote:
    """A git repository that checkpoints are sent to. ``url`` is its address without what
    gives access: no other is kept.

    Times are in UTC, None for never. The last push that the remote answered ended at
    ``last_success_at``, the last that failed at ``last_failure_at``, with ``last_code`` and
    ``last_error``; ``failures`` have followed each other since that success. ``pulled_at`` is when
    its list was last read. The number of the row is for the statements of this package alone.

    >>> from datetime import UTC, datetime
    >>> remote = Remote(1, "ssh://git@example.org/saves.git", datetime(2026, 11, 20, tzinfo=UTC))
    >>> remote.url, remote.failures, remote.last_success_at is None
    ('ssh://git@example.org/saves.git', 0, True)
    """

    _row: int = field(repr=False)
    url: str
    added_at: datetime
    last_success_at: datetime | None = None
    last_failure_at: datetime | None = None
    last_code: str | None = None
    last_error: str | None = None
    failures: int = 0
    pulled_at: datetime | None = None


@dataclass(frozen=True)
class RefusedPath:
    """A file for which a checkpoint is not sent, and what it looks like.

    >>> str(RefusedPath(".env", "named as files with secrets are"))
    '.env: named as files with secrets are'
    """

    path: str
    reason: str

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}"


@dataclass(frozen=True)
class Pushed:
    """What became of one checkpoint on a remote. ``id`` is that of its commit, ``project_hash`` the
    project in whose place it lies there. One that was ``sent`` has the ``ref_name`` that the remote
    has confirmed; one that is ``waiting`` or ``refused`` has a ``reason`` for people, and a refused
    one the ``paths``. What the catalog returns has also the ``machine`` below whose id the ref is,
    the directory where it was taken, and since when (UTC) it is so. ``cursor`` is the commit at the
    project's cursor there after it was sent, "" for none, where a push told of it.

    >>> told = [RefusedPath(".env", "named as files with secrets are")]
    >>> one = Pushed("1f2e3d4c" * 5, "0a1b2c3d4e5f6071", PushState.REFUSED, paths=tuple(told))
    >>> one.state.value, one.short_id, len(one.paths)
    ('refused', '1f2e3d4c', 1)
    """

    id: str
    project_hash: str
    state: PushState
    ref_name: str | None = None
    reason: str | None = None
    paths: tuple[RefusedPath, ...] = ()
    machine: str | None = None
    working_dir: str | None = None
    at: datetime | None = None
    cursor: str | None = None

    @property
    def short_id(self) -> str:
        """The first digits of ``id``, as people are shown them."""
        return self.id[:SHORT_ID]


@dataclass(frozen=True)
class PushStatus:
    """How far a remote has the checkpoints of a project of this base.

    ``unsent`` are those that a push would send, ``waiting`` are those of them that a push has
    tried, ``oldest_unsent_at`` is when the first of them was taken. ``sent`` ones may have been
    pruned here since; ``removed`` ones were sent, and the remote has them no longer. Times are in
    UTC, None for none.

    >>> from datetime import UTC, datetime
    >>> since = datetime(2026, 11, 20, tzinfo=UTC)
    >>> status = PushStatus("/srv/saves.git", "0a1b2c3d4e5f6071", "/srv/app", 2, 1, 5, 0, 0, since)
    >>> status.unsent, status.complete
    (2, False)
    """

    remote: str
    project_hash: str
    working_dir: str
    unsent: int
    waiting: int
    sent: int
    refused: int
    removed: int
    oldest_unsent_at: datetime | None = None
    last_sent_at: datetime | None = None

    @property
    def complete(self) -> bool:
        """Whether every live checkpoint was sent, but for those that a remote prune removed."""
        return not self.unsent and not self.refused


@dataclass(frozen=True)
class RemoteMachine:
    """A machine that has checkpoints on a remote. ``id`` is 12 hex digits, ``name`` what people
    call it, None where nothing tells it. ``first_seen`` and ``last_seen`` are by the clock of this
    base: when it first met the machine, and when it last found something new of it. ``newest_at``
    is what the machine itself says of when it took the newest of its ``checkpoints``.

    >>> from datetime import UTC, datetime
    >>> met = datetime(2026, 11, 20, tzinfo=UTC)
    >>> RemoteMachine("0a1b2c3d4e5f", "laptop", met, met, 12, met).checkpoints
    12
    """

    id: str
    name: str | None
    first_seen: datetime
    last_seen: datetime
    checkpoints: int = 0
    newest_at: datetime | None = None


@dataclass(frozen=True)
class RemoteScope:
    """Which part of a remote is meant: the refs that begin with ``prefix``, of one ``machine``, of
    the projects with these hashes (16 hex digits each); None for all machines and projects.

    >>> RemoteScope().machine is None, RemoteScope("refs/checkpoints/").prefix
    (True, 'refs/checkpoints/')
    """

    prefix: str = "refs/"
    machine: str | None = None
    project_hashes: Collection[str] | None = None


@dataclass(frozen=True)
class ProjectKey:
    """By what one project is known on all machines: the repository that its directory belongs to,
    with the place in it; where it belongs to none, its path, which its hash stands for; and, on the
    ``machine`` itself, that in any case.

    >>> key = ProjectKey("0a1b2c3d4e5f", "0a1b2c3d4e5f6071", "github.com/org/app", "web")
    >>> key.repository, ProjectKey("0a1b2c3d4e5f", "0a1b2c3d4e5f6071").repository is None
    ('github.com/org/app', True)
    """

    machine: str | None
    project_hash: str
    repository: str | None = None
    subdirectory: str | None = None

    def means(self, other: ProjectKey) -> bool:
        """Tell whether another key, of whatever machine, is of this project, as the list of the
        catalog has it."""
        if (other.machine, other.project_hash) == (self.machine, self.project_hash):
            return True
        if self.repository is None or other.repository is None:
            neither = self.repository is None and other.repository is None
            return neither and other.project_hash == self.project_hash
        own, its = self.subdirectory or "", other.subdirectory or ""
        return (self.repository, own) == (other.repository, its)


@dataclass(frozen=True)
class RemoteCheckpoint:
    """A checkpoint as its commit on a remote tells of it. It counts in no rule, sum or list of this
    base. ``id`` is that of its commit, the same everywhere; ``ref_name`` its ref there. ``machine``
    took it of ``working_dir`` there, which belongs to the ``repository``, if to any.

    ``is_here`` says that this base has it, too; ``fetched_at`` when its contents were brought here
    from the remote, None where they were not.

    >>> from datetime import UTC, datetime
    >>> found = RemoteCheckpoint(
    ...     "refs/checkpoints/0a1b2c3d4e5f/0a1b2c3d4e5f6071/20261120T120000Z-1f2e3d4c",
    ...     "0a1b2c3d4e5f", "0a1b2c3d4e5f6071", "/home/ci/app", "1f2e3d4c" * 5, "9a" * 20,
    ...     Kind.AUTO, "before write_file", datetime(2026, 11, 20, 12, tzinfo=UTC),
    ...     repository="github.com/org/app", subdirectory="",
    ... )
    >>> found.short_id, found.is_here, found.fetched_at is None
    ('1f2e3d4c', False, True)
    """

    ref_name: str
    machine: str
    project_hash: str
    working_dir: str
    id: str
    state_id: str
    kind: Kind
    reason: str
    created_at: datetime
    utc_offset_minutes: int = 0
    repository: str | None = None
    subdirectory: str | None = None
    session_id: str | None = None
    turn: int | None = None
    file_count: int = 0
    logical_bytes: int = 0
    partial: bool = False
    head: str | None = None
    branch: str | None = None
    fetched_at: datetime | None = None
    machine_name: str | None = None
    is_here: bool = False
    _remote: int = field(default=0, repr=False)

    @property
    def short_id(self) -> str:
        """The first digits of ``id``, as people are shown them."""
        return self.id[:SHORT_ID]

    @property
    def local_time(self) -> datetime:
        """``created_at`` in the zone in which it was taken."""
        return self.created_at.astimezone(timezone(timedelta(minutes=self.utc_offset_minutes)))


@dataclass(frozen=True)
class FetchedRef:
    """Where the contents of a checkpoint that was fetched hang: the ref in the store. They added
    ``stored_bytes`` to it at ``fetched_at`` (UTC).

    >>> from datetime import UTC, datetime
    >>> ref = "refs/fetched/0a1b2c3d4e5f/0a1b2c3d4e5f6071/20261120T120000Z-1f2e3d4c"
    >>> FetchedRef("1f2e3d4c" * 5, ref, datetime(2026, 11, 20, tzinfo=UTC), 815).stored_bytes
    815
    """

    id: str
    ref_name: str
    fetched_at: datetime
    stored_bytes: int = 0
