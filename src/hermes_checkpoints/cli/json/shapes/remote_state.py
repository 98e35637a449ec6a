"""How a remote stands, and what was or would be removed from it."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypedDict

from hermes_checkpoints.cli.json.shapes.remote import Pushed
from hermes_checkpoints.cli.json.shapes.values import WorkingDir


class ProjectOnRemote(WorkingDir):
    """How far a remote has the checkpoints of a project of this base."""

    project: str
    """The hash of the project."""
    unsent: int
    """How many the next push would send."""
    waiting: int
    """Of these, how many a push has tried."""
    sent: int
    """How many the remote has confirmed, pruned ones too."""
    refused: int
    """How many are not sent, since they have what looks like a secret."""
    removed: int
    """How many the remote had and has no longer."""
    oldest_unsent_at: str | None
    """When the first unsent one was taken."""
    last_sent_at: str | None
    """When the remote last confirmed one."""


class RemoteContents(TypedDict):
    """What lies on a remote."""

    refs: int
    """How many refs there are."""
    checkpoints: int
    """How many of them are checkpoints of this base."""
    cursors: int
    """How many are cursors of this base, of which each project has one."""
    other_machines: int
    """Of how many other machines there is anything."""
    other_checkpoints: int
    """How many checkpoints these have."""
    other_cursors: int
    """How many cursors these have."""
    other_refs: int
    """How many refs are neither."""
    advertised_bytes: int
    """About how many bytes of refs each push is told."""


class RemoteState(TypedDict):
    """How one remote stands."""

    url: str
    """Its address, without what gives access."""
    machine: str
    """The id of the base."""
    last_success_at: str | None
    """When the last push ended that the remote answered."""
    last_failure_at: str | None
    """When the last push ended that failed."""
    last_error: str | None
    """What was wrong then, and what to do."""
    last_code: str | None
    """That in a word."""
    failures: int
    """How many pushes have failed since the last that did not."""
    projects: list[ProjectOnRemote]
    """The projects with something to send or on it."""
    refused: list[Pushed]
    """What is not sent, since it has what looks like a secret."""
    removed: list[Pushed]
    """What was found, at this look, not to be there any more."""
    contents: RemoteContents | None
    """What lies there; null where it could not be read."""
    error: str | None
    """Why it could not be read, and what to do."""
    code: str | None
    """That in a word."""


class RemoteStatus(TypedDict):
    """How the remotes stand."""

    remotes: list[RemoteState]
    """One for each: there are several only where each project has its own."""


class RemoteRemoval(TypedDict):
    """A checkpoint that is removed from a remote, or would be."""

    id: str
    """The id of its commit."""
    short_id: str
    """The first 8 digits of it."""
    ref: str
    """Its ref there."""
    machine: str
    """The machine below whose id it lies there."""
    project: str
    """The hash of its project there."""
    taken_at: str | None
    """When it was taken; null where nothing tells."""
    rule: str
    """By which rule: `over-age`, `dead` or `named`."""
    reason: str
    """Why, in words that end a sentence beginning with "because"."""
    is_here: bool
    """Whether this base has it, too."""


class RemoteKept(TypedDict):
    """How many checkpoints of a machine stay by one rule."""

    machine: str
    """The machine."""
    rule: str
    """The rule: `pinned`, `labelled`, `newest`, `young`, `for-ever`, `undated`, `foreign` or
    `alive`."""
    reason: str
    """Why, as of what is removed."""
    checkpoints: int
    """How many."""


class CursorChange(TypedDict):
    """A cursor that is changed, or would be."""

    ref: str
    """Where it lies."""
    machine: str
    """The machine that it is of."""
    project: str
    """The hash of the project."""
    fate: Literal["emptied", "removed"]
    """Whether it stays and leads to nothing, or goes."""


class RemotePrunePlan(TypedDict):
    """What would be removed from one remote."""

    url: str
    """Its address, without what gives access."""
    machine: str
    """The id of the base."""
    would_remove: list[RemoteRemoval]
    """What would go, oldest first."""
    kept: list[RemoteKept]
    """What stays, and why."""
    cursors: list[CursorChange]
    """What becomes of cursors that would keep it within reach."""
    unknown: int
    """How many refs among those of checkpoints have names of another form, and stay."""
    error: str | None
    """Why the remote could not be read, and what to do."""
    code: str | None
    """That in a word."""


class RemotePrunePlans(TypedDict):
    """What a prune would remove."""

    dry_run: Literal[True]
    """That nothing was changed."""
    remotes: list[RemotePrunePlan]
    """One for each remote: there are several only where each project has its own."""


class NotRemoved(TypedDict):
    """A ref that was to go or to be changed, and was not."""

    ref: str
    """Where it lies."""
    commit: str
    """The commit that it was seen at."""
    reason: str
    """Why it stays."""


class RemotePruneResult(TypedDict):
    """What a prune of one remote came to."""

    url: str
    """Its address, without what gives access."""
    machine: str
    """The id of the base."""
    complete: bool
    """Whether all that was planned has been done."""
    removed: list[RemoteRemoval]
    """What the remote has no longer."""
    kept: list[NotRemoved]
    """What stays since something has changed after the plan was made."""
    refused: list[NotRemoved]
    """What the server did not let go."""
    left: int
    """How many were not tried any more."""
    cursors: list[CursorChange]
    """The cursors that were changed."""
    cursors_left: list[NotRemoved]
    """Those that could not be."""
    error: str | None
    """What went wrong with the remote, and what to do."""
    code: str | None
    """That in a word."""


class RemotePrune(TypedDict):
    """What a prune came to."""

    dry_run: Literal[False]
    """That this was done."""
    complete: bool
    """Whether every remote is."""
    remotes: list[RemotePruneResult]
    """One for each remote: there are several only where each project has its own."""
