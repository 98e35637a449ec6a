"""The store as a whole, its projects and who fills it."""

from __future__ import annotations

from typing import Any

from typing_extensions import TypedDict

from hermes_checkpoints.cli.json.shapes.checkpoints import Failures
from hermes_checkpoints.cli.json.shapes.values import Base, Name, Path, WorkingDir
from hermes_checkpoints.model.kinds import ProjectState


class StoreLook(TypedDict):
    """The last look at the store before space was reclaimed."""

    at: str
    """When."""
    faults: int
    """How many things were broken."""
    first: list[str]
    """The first few of them."""


class Project(WorkingDir):
    """A project."""

    hash: str
    """What names the project in the store."""
    state: ProjectState
    """Whether its directory can be seen."""
    checkpoints: int
    """How many checkpoints it has."""
    added_bytes: int
    """How many bytes the store grew by for them."""
    created_at: str
    """When the first checkpoint was taken."""
    last_touch: str
    """When it was used last."""
    last_checkpoint_at: str | None
    """When the newest checkpoint was taken."""


class LegacyArchive(Name):
    """An archive of an earlier version."""

    bytes: int
    """What it takes."""
    modified_at: str
    """When it was written."""
    imported_checkpoints: int
    """How many checkpoints were imported from it."""
    not_imported: list[str]
    """What was not, and why."""


class Status(Base):
    """The store as a whole; sizes are bytes on disk."""

    total_bytes: int
    """What the base takes."""
    store_bytes: int
    """What the object store takes."""
    legacy_bytes: int
    """What archives of earlier versions take."""
    measured_at: str | None
    """When that was measured."""
    journal_mode: str
    """How the catalog writes; `wal` is usual."""
    project_count: int
    """How many projects there are."""
    checkpoint_count: int
    """How many checkpoints."""
    last_success_at: str | None
    """When a take worked last."""
    interrupted: int
    """How many operations were cut short."""
    store_looked: StoreLook | None
    """The last look at the store."""
    notes: list[str]
    """What else there is to say."""
    settings: dict[str, Any]
    """The rules of retention in force, by the keys of the configuration."""
    failures: list[Failures]
    """Projects whose takes fail."""
    projects: list[Project]
    """The listed projects, those used last first."""
    legacy_archives: list[LegacyArchive]
    """Archives of earlier versions."""


class Fault(TypedDict):
    """One thing that is not fine."""

    code: str
    """Its stable name."""
    message: str
    """The same in words."""


class Check(TypedDict):
    """Whether checkpoints work, and what was judged by which bounds."""

    fine: bool
    """Whether all is fine; the exit code is 0 then, else 1."""
    text: str
    """The line for people."""
    problems: list[Fault]
    """What is not fine."""
    last_success_at: str | None
    """When a take worked last."""
    age_seconds: int | None
    """How long ago that was."""
    max_age_seconds: int | None
    """How long ago it may be."""
    failures: int
    """How many takes have failed since."""
    max_failures: int
    """How many may."""
    bytes: int
    """What counts under the size cap."""
    max_bytes: int | None
    """How large it may be; null is no bound."""


class LargeFile(Path):
    """A path that takes much space."""

    stored_bytes: int
    """What all its versions take."""


class ProjectUsage(WorkingDir):
    """What one project takes."""

    hash: str
    """What names the project in the store."""
    checkpoints: int
    """How many checkpoints it has."""
    referenced_bytes: int
    """What they hold."""
    unique_bytes: int
    """What would come back with the project."""
    shared_bytes: int
    """What others hold, too."""
    largest_files: list[LargeFile]
    """The paths that take most."""


class Usage(TypedDict):
    """Who takes how much space."""

    measured: bool
    """Whether git was asked; else the figures are estimates."""
    store_bytes: int
    """The object store on disk."""
    catalog_bytes: int
    """The catalog on disk."""
    measured_at: str | None
    """When the store was measured."""
    referenced_bytes: int
    """What all checkpoints hold."""
    projects: list[ProjectUsage]
    """The projects, the largest first."""
