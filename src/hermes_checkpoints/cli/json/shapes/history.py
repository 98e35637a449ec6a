"""History brought in, written out and moved, and how an agent is told to use this package."""

from __future__ import annotations

from typing import NotRequired

from typing_extensions import TypedDict

from hermes_checkpoints.cli.json.shapes.values import (
    Base,
    Config,
    File,
    Hook,
    Old,
    Path,
    WorkingDir,
)
from hermes_checkpoints.model.kinds import LegacyLayout, LegacyState


class LegacyRecord(Path):
    """A repository, store or file of an earlier version; its path is absolute."""

    layout: LegacyLayout
    """What wrote it."""
    working_dir: NotRequired[str]
    """The working directory that it is about."""
    working_dir_base64: NotRequired[str]
    state: LegacyState
    """How far the import came."""
    imported: bool
    """Whether all of it was imported."""
    checkpoints: int
    """How many checkpoints of it are here."""
    size_bytes: int
    """What it takes."""
    error: str | None
    """Why it was not imported."""


class Import(TypedDict):
    """What was imported."""

    checkpoints: int
    """How many checkpoints."""
    sessions: int
    """How many sessions."""
    records: list[LegacyRecord]
    """What was found, and what came of it."""
    errors: list[str]
    """What was not imported, and why."""


class Export(Base):
    """What was written for an earlier version; `base` is the new folder."""

    projects: int
    """How many projects."""
    checkpoints: int
    """How many checkpoints."""


class Rebind(Old, WorkingDir):
    """A history that belongs to another working directory now."""

    checkpoints: int
    """How many checkpoints moved."""
    merged: bool
    """Whether the directory had some already."""


class AdoptedFile(Path):
    """A file that an adoption writes or removes; its path is absolute."""


class AdoptedHome(Config):
    """A home of the agent."""

    profile: str | None
    """The profile whose home it is, `default` for the default one; null for one that is none of
    this home's."""
    enabled: bool
    """Whether its configuration enables the plugin, or would."""
    changed: bool
    """Whether that was otherwise before."""
    refused: str | None
    """Why the configuration was left as it is, or null."""


class Adopt(Hook):
    """How the agent of this environment stands."""

    adopted: bool
    """Whether it uses this package, or its own modules again."""
    dry_run: bool
    """Whether nothing was changed because of `--dry-run`."""
    changed: bool
    """Whether that was otherwise before."""
    agent_version: str | None
    """The version of the agent."""
    tested: bool
    """Whether this package is made for that version."""
    homes: list[AdoptedHome]
    """The homes of the agent."""
    written: list[AdoptedFile]
    """The files that were written, or would be."""
    removed: list[AdoptedFile]
    """The files that were removed, or would be."""
    taken_in: int
    """How many checkpoints came in that the agent's own modules took since an earlier adoption."""
    warnings: list[str]
    """What was found beside, and what to do about it."""


class HookInstall(File):
    """What was changed in an agent's settings, or would be."""

    agent: str
    """The agent."""
    changed: bool
    """Whether the file was changed."""
    would_change: bool
    """Whether it was not yet as it is to be."""
    undone: bool
    """Whether the hooks were to be taken out."""
    switched_off_by: str | None
    """The setting of the agent by which it runs no hooks at all, or null."""


class HookPrint(File):
    """The hooks, to be added by hand."""

    agent: str
    """The agent."""
    hooks: dict[str, object]
    """What belongs under `hooks` in the settings, as the agent has it."""


class Completion(TypedDict):
    """What lets a shell complete words."""

    shell: str
    """The shell."""
    code: str
    """The lines that it reads when it starts."""


class Demo(TypedDict):
    """A demonstration."""

    transcript: list[str]
    """What it printed, line by line."""
