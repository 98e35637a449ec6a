"""What a look at the remote found, and what a push came to."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypedDict

from hermes_checkpoints.cli.json.shapes.values import Path, WorkingDir


class RemoteFinding(TypedDict):
    """One thing that was looked at."""

    check: str
    """Its stable name."""
    standing: Literal["fine", "note", "warning", "failed"]
    """How it stands."""
    text: str
    """That in a sentence."""
    remedy: str
    """What to do; empty where there is nothing."""
    code: str | None
    """The code of the error with which it failed."""


class RemoteCheck(TypedDict):
    """All that one look at the remote found."""

    url: str
    """Its address, without what gives access."""
    machine: str
    """The id of the base."""
    works: bool
    """Whether nothing failed."""
    git: str | None
    """The version of git here."""
    protocol: int | None
    """The version of git's protocol that was spoken."""
    refs: int | None
    """How many refs the remote has."""
    own_refs: int | None
    """How many of them are of this machine."""
    advertised_bytes: int | None
    """About how many bytes of refs each push is told."""
    findings: list[RemoteFinding]
    """What was looked at, in that order."""


class ToSend(TypedDict):
    """A checkpoint that would be sent."""

    id: str
    """The id of its commit."""
    short_id: str
    """The first 8 digits of it."""
    project: str
    """The hash of its project."""


class SuspiciousPath(Path):
    """A file for which a checkpoint is not sent."""

    reason: str
    """What it looks like."""


class Pushed(TypedDict):
    """What became of a checkpoint on the remote."""

    id: str
    """The id of its commit, the same there."""
    short_id: str
    """The first 8 digits of it."""
    project: str
    """The hash of its project."""
    ref: str | None
    """Its ref there, of one that was sent."""
    reason: str | None
    """Why it was not sent."""
    paths: list[SuspiciousPath]
    """The files that look like secrets, of one that was refused."""


class PushPlan(TypedDict):
    """What would be sent to one remote."""

    url: str
    """Its address as git uses it, without what gives access."""
    machine: str
    """The id of the base, below which the refs would lie."""
    new_bytes: int
    """Bytes of contents that the remote does not have yet, before they are compressed."""
    would_send: list[ToSend]
    """What would be sent, oldest first."""
    would_refuse: list[Pushed]
    """What would not, since it has what looks like a secret."""
    damaged: list[Pushed]
    """What could not, since the store does not have it whole."""
    removed: int
    """How many it had and has no longer: they are sent again with `--again` alone."""


class PushPlans(TypedDict):
    """What a push would send."""

    remotes: list[PushPlan]
    """One for each remote: there are several only where each project has its own."""


class PushResult(TypedDict):
    """What a push to one remote came to."""

    url: str
    """Its address, without what gives access."""
    machine: str
    """The id of the base, below which the refs lie."""
    complete: bool
    """Whether the remote has every live checkpoint that was meant."""
    new_bytes: int
    """Bytes of contents that were sent, before they were compressed."""
    sent: list[Pushed]
    """What the remote has confirmed."""
    waiting: list[Pushed]
    """What it did not take, or is damaged here; the next push tries again."""
    refused: list[Pushed]
    """What was not offered, since it has what looks like a secret; also of earlier pushes."""
    unsent: int
    """How many are left besides, where the remote took nothing more or was not reached."""
    removed: int
    """How many it had and has no longer: they are sent again with `--again` alone."""
    error: str | None
    """What went wrong with the remote, and what to do."""
    code: str | None
    """That in a word."""


class PushResults(TypedDict):
    """What a push came to."""

    complete: bool
    """Whether every remote is complete."""
    remotes: list[PushResult]
    """One for each remote: there are several only where each project has its own."""


class PullResult(TypedDict):
    """What a pull from one remote came to."""

    url: str
    """Its address, without what gives access."""
    complete: bool
    """Whether the list is that of the remote."""
    listed: int
    """How many checkpoints it has of what was meant."""
    added: int
    """How many of them were not listed before."""
    gone: int
    """How many were listed and are not there any more."""
    malformed: int
    """How many refs were left out, as their commits are malformed."""
    error: str | None
    """What went wrong with the remote, and what to do."""
    code: str | None
    """That in a word."""


class PullResults(TypedDict):
    """What a pull came to."""

    complete: bool
    """Whether every list is that of its remote."""
    remotes: list[PullResult]
    """One for each remote: there are several only where each project has its own."""


class RemoteCheckpoint(WorkingDir):
    """A checkpoint that the remote has, as its commit tells of it."""

    id: str
    """The id of its commit."""
    short_id: str
    """The first 8 digits of it."""
    machine: str
    """The machine below whose id it lies there."""
    machine_name: str | None
    """What people call that machine."""
    project: str
    """The hash of the project there."""
    origin: str | None
    """The repository that the directory belongs to."""
    kind: str
    """Why it was taken: `auto`, `manual`, `safety` or `imported`."""
    reason: str
    """That in words."""
    session: str | None
    """The session of an agent to which it belongs."""
    turn: int | None
    """The turn of that."""
    created_at: str
    """When it was taken, by the clock of that machine."""
    files: int
    """How many files it holds."""
    bytes: int
    """How many bytes these have."""
    partial: bool
    """Whether it holds a few named paths alone."""
    is_here: bool
    """Whether this base has it, too."""
    fetched_at: str | None
    """When its contents were brought here; null where they were not, or have gone again."""


class RemoteList(TypedDict):
    """What was listed of the remote by the last pull."""

    checkpoints: list[RemoteCheckpoint]
    """Newest first, by the clocks of those who took them."""
