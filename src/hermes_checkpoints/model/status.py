"""What the whole base holds, as `status` tells it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from hermes_checkpoints.model.kinds import ProjectState
from hermes_checkpoints.model.projects import LastLook, ProjectRecord


@dataclass(frozen=True)
class ProjectStatus:
    """A project with its figures, as the view ``project_status`` has them.

    >>> taken = project.take()
    >>> [found] = checkpoints.status().projects
    >>> found.project.working_dir == str(project.working_dir), found.checkpoints
    (True, 1)
    """

    project: ProjectRecord
    checkpoints: int
    added_bytes: int
    last_checkpoint_at: datetime | None


@dataclass(frozen=True)
class ProjectUsage:
    """What one project takes in the store, in bytes: all that its checkpoints hold, of which
    ``unique`` would be freed with the project and ``shared`` is held by others, too. ``files``
    are its largest paths with what all their versions take.

    >>> taken = project.take()
    >>> [found] = checkpoints.usage().projects
    >>> found.checkpoints, found.unique_bytes > 0, found.shared_bytes
    (1, True, 0)
    """

    hash: str
    working_dir: str
    checkpoints: int
    referenced_bytes: int
    unique_bytes: int
    files: tuple[tuple[str, int], ...]

    @property
    def shared_bytes(self) -> int:
        return max(0, self.referenced_bytes - self.unique_bytes)


@dataclass(frozen=True)
class FailureRun:
    """The takes that have failed, or that a guard refused, since the last one that worked,
    store-wide or per project.

    ``since`` is the first of them, ``last_error`` the newest reason, and ``last_at`` when that
    was. ``refused`` says that the newest was refused: too many files, or a directory that is too
    broad.

    >>> failed = project.take(turn=-1)
    >>> [run] = checkpoints.status().failures
    >>> run.count, run.last_error
    (1, 'a turn is a whole number from 0 on, not -1')
    """

    working_dir: str
    count: int
    since: datetime
    last_error: str
    refused: bool = False
    last_at: datetime | None = None


@dataclass(frozen=True)
class LegacyArchive:
    """A ``legacy-*`` folder in the base.

    ``checkpoints`` is how many were imported from what lies in it; ``not_imported`` says what
    was not, and why.

    >>> (checkpoints.home / "checkpoints" / "legacy-20260101").mkdir()
    >>> [(archive.name, archive.checkpoints) for archive in checkpoints.legacy_archives()]
    [('legacy-20260101', 0)]
    """

    name: str
    size_bytes: int
    mtime: float
    checkpoints: int = 0
    not_imported: tuple[str, ...] = ()


@dataclass(frozen=True)
class StoreLook:
    """What a look at names and sizes in the store found before a gc: when that was, in UTC, how
    many things were broken, and the first few. They were mended or moved aside at once; what they
    were part of, `hermes checkpoints doctor` says.

    >>> taken = project.take()
    >>> pruned = checkpoints.prune()
    >>> checkpoints.status().looked.faults
    0
    """

    at: datetime
    faults: int
    first: tuple[str, ...] = ()


class HeldProject(NamedTuple):
    """A project, how many live checkpoints it has, and what the last look at it found.

    >>> taken = project.take()
    >>> checkpoints.summary().projects[0].checkpoints
    1
    """

    created_at: datetime
    last_touch: datetime
    checkpoints: int
    last_look: LastLook


@dataclass(frozen=True)
class StoreSizes:
    """What a base takes on disk, in bytes: the store, as measured at ``measured_at`` and grown
    since, the archives of earlier versions, and what lies beside both.

    >>> taken = project.take()
    >>> sizes = checkpoints.summary().sizes
    >>> sizes.total_bytes == sizes.store_bytes + sizes.legacy_bytes + sizes.other_bytes
    True
    """

    store_bytes: int
    measured_at: datetime | None
    archives: tuple[LegacyArchive, ...]
    other_bytes: int

    @property
    def legacy_bytes(self) -> int:
        """What only the archives take."""
        return sum(archive.size_bytes for archive in self.archives)

    @property
    def total_bytes(self) -> int:
        """What the whole base takes."""
        return self.store_bytes + self.legacy_bytes + self.other_bytes


@dataclass(frozen=True)
class StoreSummary:
    """What a base holds, in short: its projects, newest touch first, their states as they are seen
    now, by hash, and the sizes.

    >>> taken = project.take()
    >>> summary = checkpoints.summary()
    >>> [summary.states[one.last_look.hash].value for one in summary.projects]
    ['live']
    """

    projects: tuple[HeldProject, ...]
    states: Mapping[str, ProjectState]
    sizes: StoreSizes


@dataclass(frozen=True)
class StoreStatus:
    """What `status` prints. Sizes are bytes on disk; ``measured_at`` says as of when.

    ``settings`` are the values of retention that are in force in this process, by the keys of
    the configuration. ``looked`` is the last look at the store before a gc.

    >>> taken = project.take()
    >>> status = checkpoints.status()
    >>> status.project_count, status.checkpoint_count, status.failures
    (1, 1, ())
    >>> status.settings["max_snapshots"]
    '20'
    """

    base: Path
    store_bytes: int
    legacy_bytes: int
    total_bytes: int
    measured_at: datetime | None
    journal_mode: str
    projects: tuple[ProjectStatus, ...]
    archives: tuple[LegacyArchive, ...] = ()
    project_count: int = 0
    checkpoint_count: int = 0
    last_success_at: datetime | None = None
    failures: tuple[FailureRun, ...] = ()
    interrupted: int = 0
    notes: tuple[str, ...] = field(default=())
    settings: Mapping[str, str] = field(default_factory=dict)
    looked: StoreLook | None = None


@dataclass(frozen=True)
class Problem:
    """What is not fine: ``code`` is ``no-base``, ``never``, ``age``, ``clock``, ``failures`` or
    ``size``, and ``message`` says it in words.

    >>> [problem.code for problem in checkpoints.check().problems]
    ['never']
    """

    code: str
    message: str


@dataclass(frozen=True)
class Check:
    """Whether checkpoints work, for monitoring: what was found, and the bounds that it was judged
    by. ``failures`` are the takes that failed or were refused since the last that worked,
    ``bytes`` what counts under the size cap. A bound that is None is none.

    >>> taken = project.take()
    >>> found = checkpoints.check(max_bytes=1)
    >>> found.fine, [problem.code for problem in found.problems]
    (False, ['size'])
    """

    problems: tuple[Problem, ...]
    last_success_at: datetime | None
    age: timedelta | None
    max_age: timedelta | None
    failures: int
    max_failures: int
    bytes: int
    max_bytes: int | None
    text: str = ""

    @property
    def fine(self) -> bool:
        """Whether there is no problem."""
        return not self.problems
