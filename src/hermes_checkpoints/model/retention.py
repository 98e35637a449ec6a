"""The words of retention as frozen values: the rules, what they are applied to, and the plan.

Nothing here does I/O. Times are aware and in UTC; sizes are bytes, those of single checkpoints
estimates from the catalog's rows.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from datetime import datetime, timedelta, tzinfo

from hermes_checkpoints.model import SHORT_ID, FileIdentity, ProjectState
from hermes_checkpoints.model.history import LegacyRecord

DEFAULT_GRACE = timedelta(days=7)
"""How long an orphan is kept after its absence was first seen, when nobody is asked."""


class Rule(enum.StrEnum):
    """What decided about a checkpoint.

    >>> taken = project.take()
    >>> [decision] = checkpoints.plan_prune().decisions
    >>> decision.rule, decision.reason
    (<Rule.NEWEST: 'newest'>, 'it is the newest of its project')
    """

    # keeping
    UNFINISHED = "unfinished-restore"
    PROTECTED = "protected"
    PINNED = "pinned"
    LABELLED = "labelled"
    UNREACHABLE = "unreachable"
    NEWEST = "newest"
    KEEP_RULE = "keep-rule"
    WITHIN_LIMITS = "within-limits"
    # dropping
    REQUESTED = "requested"
    ORPHAN = "orphan"
    STALE = "stale"
    OVER_LIMIT = "over-limit"
    NO_KEEP_RULE = "no-keep-rule"
    SIZE_CAP = "size-cap"


@dataclass(frozen=True)
class KeepRules:
    """How many checkpoints of each project are kept whatever their number and age, by natural
    calendar periods: the newest of each of the last ``daily`` days that have one, and so on.
    0, and a ``within`` of nothing, switch a rule off. A checkpoint is kept if any rule does.

    >>> from datetime import timedelta
    >>> rules = Policy(max_snapshots=1, keep=KeepRules(within=timedelta(hours=12)))
    >>> first = project.take("first")
    >>> _ = Path("notes.txt").write_text("oops")
    >>> second = project.take("second")
    >>> [decision.reason for decision in checkpoints.plan_prune(policy=rules).decisions]
    ['it is the newest of its project', 'it is young enough (keep_within)']
    """

    last: int = 0
    hourly: int = 0
    daily: int = 0
    weekly: int = 0
    monthly: int = 0
    within: timedelta = timedelta()

    def __bool__(self) -> bool:
        counts = self.last, self.hourly, self.daily, self.weekly, self.monthly
        return any(counts) or bool(self.within)


@dataclass(frozen=True)
class Policy:
    """The retention rules.

    ``max_snapshots`` bounds each project (0: no bound); ``retention_days`` is the age of the
    last touch from which a project is stale (0: never). ``orphan_grace`` is how long the
    absence of an orphan must have been seen; None asks for no time, because a person agreed.
    ``protect`` are ids of checkpoints that are kept in any case. ``cap_bytes`` (0: none) is
    named in reasons; ``reclaim_bytes`` is how much has to go beyond what the other rules drop.
    ``zone`` is that of calendar periods; None is the machine's own.

    >>> first = project.take("first")
    >>> _ = Path("notes.txt").write_text("oops")
    >>> second = project.take("second")
    >>> plan = checkpoints.plan_prune(policy=Policy(max_snapshots=1))
    >>> [decision.checkpoint.reason for decision in plan.drop]
    ['first']
    """

    max_snapshots: int = 0
    retention_days: int = 0
    delete_orphans: bool = True
    orphan_grace: timedelta | None = DEFAULT_GRACE
    keep: KeepRules = field(default_factory=KeepRules)
    include_pinned: bool = False
    protect: frozenset[str] = frozenset()
    cap_bytes: int = 0
    reclaim_bytes: int = 0
    zone: tzinfo | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """A live checkpoint as retention sees it. ``freed_bytes`` estimates what the store loses
    with it when the older ones go first."""

    _row: int
    project_id: int
    id: str
    ref_name: str
    created_at: datetime
    pinned: bool
    label: str | None
    reason: str
    freed_bytes: int

    @property
    def short_id(self) -> str:
        return self.id[:SHORT_ID]


@dataclass(frozen=True)
class ProjectFacts:
    """A project as retention sees it. ``missing_since`` is the first look that did not find its
    directory; ``disposable`` says that it lies in a temporary place or is a worktree."""

    id: int
    hash: str
    working_dir: str
    state: ProjectState
    last_touch: datetime
    missing_since: datetime | None = None
    identity: FileIdentity | None = None
    parent: FileIdentity | None = None
    disposable: bool = False


@dataclass(frozen=True)
class Facts:
    """All that a plan is made from. Checkpoints come by project, newest first;
    ``unfinished`` are the rows that an unfinished restore needs."""

    projects: tuple[ProjectFacts, ...]
    checkpoints: tuple[Candidate, ...]
    unfinished: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Decision:
    """What happens to one checkpoint, by which rule, and why in words that end a sentence
    beginning with "because".

    >>> taken = project.take()
    >>> pinned = project.pin("latest")
    >>> [decision] = checkpoints.plan_prune().decisions
    >>> decision.drop, decision.rule.value, decision.reason
    (False, 'pinned', 'it is pinned')
    """

    checkpoint: Candidate
    project: ProjectFacts
    drop: bool
    rule: Rule
    reason: str


@dataclass(frozen=True)
class CapOutlook:
    """What is known about the size cap before anything is deleted. ``store_bytes`` is the store
    on disk, ``expected_bytes`` what it will be, ``reachable`` False where no rule lets enough
    go. ``tried`` says that this very situation was tried before, so nothing is dropped for it."""

    goal_bytes: int
    store_bytes: int
    expected_bytes: int
    reachable: bool = True
    tried: bool = False


@dataclass(frozen=True)
class PrunePlan:
    """A decision on every live checkpoint; ``keep`` and ``drop`` together are all of them.

    Executing it deletes what ``drop`` lists and nothing that appeared since, and the
    ``archives``: originals of what was imported, all of it, longer ago than a project is kept.
    ``kept_archives`` say why others of that age stay.

    >>> taken = project.take()
    >>> plan = project.plan_drop("latest")
    >>> len(plan.drop), len(plan.keep)
    (1, 0)
    >>> len(checkpoints.prune(plan=plan).dropped)
    1
    """

    made_at: datetime
    policy: Policy
    projects: tuple[ProjectFacts, ...]
    decisions: tuple[Decision, ...]
    cap: CapOutlook | None = None
    archives: tuple[LegacyRecord, ...] = ()
    kept_archives: tuple[str, ...] = ()

    @property
    def drop(self) -> tuple[Decision, ...]:
        return tuple(d for d in self.decisions if d.drop)

    @property
    def keep(self) -> tuple[Decision, ...]:
        return tuple(d for d in self.decisions if not d.drop)

    @property
    def freed_bytes(self) -> int:
        """An estimate of what the store loses."""
        return sum(d.checkpoint.freed_bytes for d in self.drop)


@dataclass(frozen=True)
class PruneResult:
    """What a prune did. ``scanned``, ``orphans`` and ``stale`` count projects, the others
    checkpoints; ``skipped`` are those of the plan that may no longer be dropped.

    Sizes are those of the store on disk, measured before and after. ``errors`` are sentences
    for people; what they name is done by the next prune. ``archives`` are gone as well; their
    sizes are not those of the store.

    >>> taken = project.take()
    >>> result = project.drop("latest")
    >>> len(result.dropped), result.errors, result.over_cap
    (1, (), False)
    """

    plan: PrunePlan
    dropped: tuple[Decision, ...] = ()
    skipped: tuple[Decision, ...] = ()
    before_bytes: int = 0
    after_bytes: int = 0
    quarantined: tuple[str, ...] = ()
    swept: int = 0
    errors: tuple[str, ...] = ()
    archives: tuple[LegacyRecord, ...] = ()

    @property
    def scanned(self) -> int:
        return len({d.project.id for d in self.plan.decisions})

    @property
    def freed_bytes(self) -> int:
        """The space that came back, in the store and by removed archives."""
        archives = sum(record.size_bytes for record in self.archives)
        return max(0, self.before_bytes - self.after_bytes) + archives

    def projects_of(self, rule: Rule) -> int:
        return len({d.project.id for d in self.dropped if d.rule is rule})

    def count_of(self, *rules: Rule) -> int:
        return sum(d.rule in rules for d in self.dropped)

    @property
    def over_cap(self) -> bool:
        """Whether the store stays over what was asked for."""
        cap = self.plan.cap
        return cap is not None and self.after_bytes > cap.goal_bytes
