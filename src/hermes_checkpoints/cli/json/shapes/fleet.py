"""What indexing a fleet came to, and what the index tells."""

from __future__ import annotations

from typing_extensions import TypedDict

from hermes_checkpoints.cli.json.shapes.values import Subdirectory, WorkingDir


class IndexedRemote(TypedDict):
    """What indexing one remote came to."""

    url: str
    """Its address, without what gives access."""
    complete: bool
    """Whether the index has all that the remote has."""
    listed: int
    """How many checkpoints the remote has."""
    added: int
    """How many of them were not in the index before."""
    gone: int
    """How many were in the index and are not there any more."""
    malformed: int
    """How many refs were left out, as their commits are malformed."""
    error: str | None
    """What went wrong with the remote, and what to do; the index is as it was then."""
    code: str | None
    """That in a word."""


class FleetIndexed(TypedDict):
    """What indexing came to."""

    complete: bool
    """Whether every remote is complete."""
    remotes: list[IndexedRemote]
    """One for each remote, in the order in which they were indexed."""


class FleetMachine(TypedDict):
    """A machine that has sent checkpoints."""

    id: str
    """Its id."""
    name: str | None
    """What people call it."""
    newest_at: str
    """When it took the newest checkpoint that was sent, by its own clock."""
    ahead: bool
    """Whether that is more than a day to come."""
    checkpoints: int
    """How many it has sent, on each remote that has them."""
    projects: int
    """Of how many projects."""


class FleetProject(WorkingDir, Subdirectory):
    """A project of which nothing was taken for long, with a directory that it has somewhere."""

    origin: str | None
    """The repository that the directory belongs to."""
    machines: int
    """How many machines have checkpoints of it."""
    checkpoints: int
    """How many checkpoints there are, each counted once."""
    bytes: int
    """Bytes of the files of all of them; what they share counts in each."""
    newest_at: str
    """When the newest was taken, by the clock of that machine."""


class FleetRemote(TypedDict):
    """A remote that the index was made of."""

    url: str
    """Its address, without what gives access."""
    indexed_at: str | None
    """When it was last indexed."""
    failures: int
    """How often that has failed since."""
    failed_at: str | None
    """When it failed last."""
    code: str | None
    """What it was then, in a word."""
    error: str | None
    """That in words, with what to do."""
    checkpoints: int
    """How many checkpoints it had when it was last indexed."""
    malformed: int
    """How many refs were left out then."""


class FleetStatus(TypedDict):
    """What the index tells. The numbers count all, the lists have the first ones."""

    catalog: str
    """Where the index is, without a password."""
    machines: int
    """How many machines there are."""
    projects: int
    """How many projects there are."""
    checkpoints: int
    """How many checkpoints there are; one that several machines have of a project counts once."""
    bytes: int
    """Bytes of the files of all of them; what they share counts in each."""
    remotes: int
    """How many remotes are indexed."""
    stale_projects: int
    """Of how many projects nothing was taken for `stale_days`."""
    stale_days: int
    """How many days these are."""
    machine_list: list[FleetMachine]
    """Those whose clock is ahead, then those that have been silent for longest."""
    stale: list[FleetProject]
    """Those of which nothing was taken for longest."""
    remote_list: list[FleetRemote]
    """Those that failed, then those that were indexed longest ago."""
