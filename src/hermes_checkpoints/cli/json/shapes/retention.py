"""Prunes, planned and done, what was forgotten, and what was cleared."""

from __future__ import annotations

from typing import Literal, NotRequired

from typing_extensions import TypedDict

from hermes_checkpoints.cli.json.shapes.values import Path, WorkingDir
from hermes_checkpoints.model.kinds import ProjectState, Rule


class PrunedProject(WorkingDir):
    """A project that a prune is about."""

    hash: str
    """What names the project in the store."""
    state: ProjectState
    """Whether its directory can be seen."""
    missing_since: str | None
    """Since when its directory is gone."""


class Decision(WorkingDir):
    """Why a checkpoint goes."""

    id: str
    """The checkpoint."""
    created_at: str
    """When it was taken."""
    rule: Rule
    """The rule that decides."""
    because: str
    """The same in words."""
    freed_bytes: int | None
    """How many bytes only it holds, as an estimate."""


class Kept(TypedDict):
    """How many checkpoints stay by one rule."""

    rule: Rule
    """The rule that decides."""
    because: str
    """The same in words."""
    checkpoints: int
    """How many."""
    working_dir: NotRequired[str]
    """Whose they are, where that matters."""
    working_dir_base64: NotRequired[str]


class OldArchive(Path):
    """An archive of an earlier version; its path is absolute."""

    size_bytes: int
    """What it takes."""


class SizeCap(TypedDict):
    """What is known about the size cap before anything goes."""

    goal_bytes: int
    """How large the store may be."""
    store_bytes: int
    """How large it is."""
    expected_bytes: int
    """How large it would be."""
    reachable: bool
    """Whether the rules let enough go."""


class PrunePlan(TypedDict):
    """What a prune or a drop would do."""

    dry_run: Literal[True]
    """That nothing was changed."""
    projects: list[PrunedProject]
    """The projects that lose checkpoints, or keep them for a reason of their own."""
    drop: list[Decision]
    """The checkpoints that would go."""
    keep: list[Kept]
    """How many would stay, by rule."""
    kept: int
    """How many would stay in all."""
    freed_bytes: int
    """How many bytes would come back, as an estimate."""
    archives: list[OldArchive]
    """The archives of earlier versions that would go."""
    kept_archives: list[str]
    """Why others would stay."""
    fetched: list[str]
    """The checkpoints of remotes whose contents would go from the store again."""
    size_cap: SizeCap | None
    """What is known about the size cap; null without one."""


class Prune(TypedDict):
    """What a prune or a drop did."""

    dry_run: Literal[False]
    """That this was done."""
    scanned: int
    """How many projects were looked at."""
    deleted_orphan: int
    """How many of them lost checkpoints because their directory is gone."""
    deleted_stale: int
    """How many because nothing had touched them for long."""
    deleted_capped: int
    """How many checkpoints went because of the size cap."""
    deleted_over_limit: int
    """How many went because there were too many, or no rule keeps them."""
    dropped: list[Decision]
    """The checkpoints that went."""
    skipped: list[Decision]
    """Those of the plan that may no longer go."""
    quarantined: list[str]
    """Broken refs and files that were moved aside."""
    mended: list[str]
    """What was done so that catalog and store agree."""
    purged: list[str]
    """Files kept of damage that went, or lost what was dropped."""
    fetched: list[str]
    """The checkpoints of remotes whose contents went from the store again."""
    archives: list[OldArchive]
    """The archives of earlier versions that went."""
    errors: list[str]
    """What could not be done; the next prune does it."""
    store_bytes_before: int
    """The store on disk before."""
    store_bytes: int
    """The store on disk now."""
    bytes_freed: int
    """What came back in all."""
    over_cap: bool
    """Whether the store is still larger than it may be."""


class Held(WorkingDir, Path):
    """Where checkpoints hold what is to go."""

    checkpoints: int
    """How many do."""


class SentCopies(TypedDict):
    """What a remote has of checkpoints that hold what is forgotten, and keeps."""

    url: str
    """Its address, without what gives access."""
    refs: list[str]
    """The refs there that hold it, with the cursors that may lead to it."""
    held: list[str]
    """The ids of those checkpoints."""
    perhaps: list[str]
    """The ids of those that are not here any more, so that nobody can say here what they hold."""


class Forgetting(Path, WorkingDir):
    all_projects: bool
    """Whether it is about this path in every project."""
    contents: list[str]
    """What is to go, by git's ids."""
    held: list[Held]
    """Where it is held."""
    archives: list[str]
    """The archives of earlier versions that may hold it, with how to remove them."""
    recaptured: str | None
    """Why the next checkpoint would hold it again; null where it would not."""
    sent: list[SentCopies]
    """What remotes have of it, which a forget does not reach."""


class ForgetPlan(Forgetting):
    """What a forget would do."""

    dry_run: Literal[True]
    """That nothing was changed."""
    replaced: list[str]
    """The ids of the checkpoints that would be taken once more without it."""


class Forget(Forgetting):
    """What a forget did."""

    dry_run: Literal[False]
    """That this was done."""
    replaced: dict[str, str]
    """The id of the checkpoint in its place, by the id of each that went."""
    bytes_freed: int
    """What came back."""
    purged: list[str]
    """Files kept of damage that went, or lost it."""
    fetched: int
    """How many checkpoints that were fetched from a remote went: they may hold the same."""
    errors: list[str]
    """What is left; while there is any, nothing is forgotten."""


class Clear(TypedDict):
    """What was cleared, or would be."""

    dry_run: NotRequired[Literal[True]]
    """That nothing was changed; not there where it was."""
    bytes_freed: int
    """What came back, or would."""
    checkpoints: int
    """How many checkpoints went."""
    archives: int
    """How many archives of earlier versions went."""
    kept_sessions: int
    """How many session checkpoints stay."""
    errors: list[str]
    """What could not be removed."""
