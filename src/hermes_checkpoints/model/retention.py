"""The words of retention as frozen values: the rules, what they are applied to, and the plan.

Nothing here does I/O. Times are aware and in UTC; sizes are bytes, those of single checkpoints
estimates from the catalog's rows.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from hermes_checkpoints.model import SHORT_ID, FileIdentity
from hermes_checkpoints.model.kinds import ProjectState, Rule

if TYPE_CHECKING:
    from hermes_checkpoints.model.history import LegacyRecord
    from hermes_checkpoints.model.remote import FetchedRef

BY_HAND = "it was dropped by hand"
"""Why a checkpoint was pruned that a person named: no import brings it back."""

DEFAULT_GRACE = timedelta(days=7)
"""How long an orphan is kept after its absence was first seen, when nobody is asked."""


@dataclass(frozen=True)
class KeepRules:
    """How many checkpoints of each project are kept whatever their number and age, by natural
    calendar periods: the newest of each of the last ``daily`` days that have one, and so on. A
    day is that of the machine that took the checkpoint, then. 0, and a ``within`` of nothing,
    switch a rule off. A checkpoint is kept if any rule does.

    >>> from datetime import timedelta
    >>> rules = Policy(max_snapshots=1, keep=KeepRules(within=timedelta(hours=12)))
    >>> first = project.take("first")
    >>> _ = Path("notes.txt").write_text("oops")
    >>> second = project.take("second")
    >>> [group.reason for group in checkpoints.plan_prune(policy=rules).kept]
    ['it is young enough (keep_within)', 'it is the newest of its project']
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

    ``max_snapshots`` bounds the checkpoints of each project that are no safety checkpoints, and
    ``max_safety_snapshots`` those that are (0: no limit). ``retention_days`` is the age of the
    last touch from which a project is stale (0: never). ``orphan_grace`` is how long the
    absence of an orphan must have been seen; None asks for no time, because a person agreed.
    ``own_limits`` lets a project that has a ``max_snapshots`` of its own go by that.
    ``protect`` are ids of checkpoints that are kept in any case. ``orphans`` are the hashes of
    the projects that a person agreed to lose if they are orphans: no rule drops anything of any
    other project whose directory is gone (None: all may lose). ``cap_bytes`` (0: none) is
    named in reasons; ``reclaim_bytes`` is how much has to go beyond what the other rules drop.

    >>> first = project.take("first")
    >>> _ = Path("notes.txt").write_text("oops")
    >>> second = project.take("second")
    >>> plan = checkpoints.plan_prune(policy=Policy(max_snapshots=1))
    >>> [decision.checkpoint.reason for decision in plan.drop]
    ['first']
    """

    max_snapshots: int = 0
    max_safety_snapshots: int = 0
    retention_days: int = 0
    delete_orphans: bool = True
    orphan_grace: timedelta | None = DEFAULT_GRACE
    keep: KeepRules = field(default_factory=KeepRules)
    include_pinned: bool = False
    protect: frozenset[str] = frozenset()
    cap_bytes: int = 0
    reclaim_bytes: int = 0
    own_limits: bool = False
    orphans: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """A checkpoint that may go. ``freed_bytes`` estimates what the store loses with it when the
    older ones go first."""

    _row: int
    id: str
    ref_name: str
    created_at: datetime
    pinned: bool
    labelled: bool
    reason: str
    freed_bytes: int

    @property
    def short_id(self) -> str:
        return self.id[:SHORT_ID]


@dataclass(frozen=True, slots=True)
class Standing:
    """A live or lost checkpoint as it is at the moment of its deletion, which may be long after the
    plan, and whether the decision that it goes still ``holds``."""

    _row: int
    pinned: bool
    labelled: bool
    holds: bool


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
    disposable: bool = False
    identity: FileIdentity | None = None
    parent: FileIdentity | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """What decided about one checkpoint: the rule, and why in words that end a sentence beginning
    with "because".

    >>> taken = project.take()
    >>> [decision] = project.plan_drop("latest").drop
    >>> decision.checkpoint.id == taken.checkpoint.id, decision.rule.value, decision.reason
    (True, 'requested', 'it was dropped by hand')
    """

    checkpoint: Candidate
    project: ProjectFacts
    rule: Rule
    reason: str


@dataclass(frozen=True, slots=True)
class KeptGroup:
    """How many checkpoints stay by one rule for one reason. ``project`` is given where it matters
    whose they are: where somebody protects them, or their directory is not there. All others are
    summed up over the projects.

    >>> taken = project.take()
    >>> pinned = project.pin("latest")
    >>> [group] = checkpoints.plan_prune().kept
    >>> group.rule.value, group.reason, group.count, group.project.working_dir == str(Path.cwd())
    ('pinned', 'it is pinned', 1, True)
    """

    rule: Rule
    reason: str
    count: int
    project: ProjectFacts | None = None


@dataclass(frozen=True)
class CapOutlook:
    """What is known about the size cap before anything is deleted. ``store_bytes`` is the store
    on disk, ``expected_bytes`` what it will be, ``reachable`` False where no rule lets enough
    go. ``tried`` says that this very situation was tried before, so nothing is dropped for it.
    ``growth`` is what takes had made the store grow by, ever, before it was looked at."""

    goal_bytes: int
    store_bytes: int
    expected_bytes: int
    reachable: bool = True
    tried: bool = False
    growth: int = 0


@dataclass(frozen=True)
class PrunePlan:
    """What a prune would drop, checkpoint by checkpoint, and how many stay by which rule.

    ``drop`` and ``kept`` together are every live checkpoint of the projects that were looked at;
    ``scanned`` counts those that have any. ``refused`` are those that a person named and that
    stay all the same; they are among the kept. ``kept_mark`` is the same for as long as the same
    checkpoints are kept.

    Executing it deletes what ``drop`` lists and nothing that appeared since, and the
    ``archives``: originals of what was imported, all of it, longer ago than a project is kept.
    ``kept_archives`` say why others of that age stay. ``fetched`` are checkpoints of remotes whose
    contents go from the store again; they are none of this base.

    >>> taken = project.take()
    >>> plan = project.plan_drop("latest")
    >>> len(plan.drop), plan.keep_count
    (1, 0)
    >>> len(checkpoints.prune(plan=plan).dropped)
    1
    """

    made_at: datetime
    policy: Policy
    drop: tuple[Decision, ...] = ()
    kept: tuple[KeptGroup, ...] = ()
    scanned: int = 0
    refused: tuple[Decision, ...] = ()
    kept_mark: str = ""
    cap: CapOutlook | None = None
    archives: tuple[LegacyRecord, ...] = ()
    kept_archives: tuple[str, ...] = ()
    fetched: tuple[FetchedRef, ...] = ()

    @property
    def keep_count(self) -> int:
        return sum(group.count for group in self.kept)

    @property
    def freed_bytes(self) -> int:
        """An estimate of what the store loses."""
        return sum(d.checkpoint.freed_bytes for d in self.drop)

    @property
    def projects(self) -> tuple[ProjectFacts, ...]:
        """The projects that lose something, or keep it for a reason of their own."""
        dropping = (decision.project for decision in self.drop)
        keeping = (group.project for group in self.kept if group.project is not None)
        return tuple({project.id: project for project in (*dropping, *keeping)}.values())


@dataclass(frozen=True)
class PruneResult:
    """What a prune did. ``scanned``, ``orphans`` and ``stale`` count projects, the others
    checkpoints; ``skipped`` are those of the plan that may no longer be dropped.

    Sizes are those of the store on disk, measured before and after. ``errors`` are sentences
    for people; what they name is done by the next prune. ``archives`` are gone as well; their
    sizes are not those of the store. ``quarantined`` are the refs and files that were taken out
    because they are broken, and ``mended`` says what was done so that rows and refs agree.
    ``purged`` are the files of the store, kept of damage before, that are gone or written anew
    without what was dropped, by their paths in it.

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
    mended: tuple[str, ...] = ()
    purged: tuple[str, ...] = ()

    @property
    def scanned(self) -> int:
        return self.plan.scanned

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
