"""Decides which directory is a project, and which are too broad to be one.

Checkpointing a home or a shared temporary folder would copy what is not the agent's, so such
directories are refused on their resolved paths, whatever link led there.
"""

from __future__ import annotations

from collections.abc import Container
from pathlib import Path

from hermes_checkpoints.fs.inspect import require_readable_directory
from hermes_checkpoints.fs.system import shared_temporary_roots
from hermes_checkpoints.layout import Layout, resolve_working_dir
from hermes_checkpoints.model import Skipped

MARKERS = (
    ".git",
    "pyproject.toml",
    "package.json",
    "Cargo.toml",
    "go.mod",
    "Makefile",
    "pom.xml",
    ".hg",
    "Gemfile",
)
"""What marks a project root (the list of v1 and v2)."""

REPOSITORIES = (".git", ".hg")
"""What a repository has, or a linked worktree of one."""


def user_home() -> Path:
    """Return this user's home directory with links resolved."""
    return Path.home().resolve()


def too_broad(working_dir: Path, layout: Layout) -> Skipped | None:
    """Return why a resolved directory must not be checkpointed, or None if it may be.

    Raises:
        BadDirectory: when it cannot be read, whatever it is.
    """
    require_readable_directory(working_dir)
    if working_dir == working_dir.parent:
        return Skipped("root", f"{working_dir} is the root of a filesystem; choose a project")
    if working_dir in shared_temporary_roots():
        return Skipped(
            "temporary-root", f"{working_dir} is shared by all programs; choose a folder inside it"
        )
    home = user_home()
    if working_dir == home:
        return Skipped("home", f"{working_dir} is the home directory; choose a project inside it")
    if working_dir in home.parents:
        return Skipped("above-home", f"{working_dir} holds home directories; choose a project")
    if working_dir == layout.base or layout.base in working_dir.parents:
        return Skipped("checkpoint-base", f"{working_dir} is where the checkpoints themselves lie")
    return None


def project_root(path: str | Path, registered: Container[str] = ()) -> Path:
    """Return the directory to checkpoint for a file or directory: the project that it belongs
    to, otherwise the directory itself, or the parent of a file. ``path`` need not exist."""
    found = known_project(path, registered)
    return found if found is not None else _start(path)


def known_project(path: str | Path, registered: Container[str] = ()) -> Path | None:
    """Return the project that a path belongs to, or None.

    That is, below the home directory and within the same repository, the nearest directory at
    or above it that is registered (by its resolved path); else the nearest that has a project
    marker.
    """
    start = _start(path)
    home = user_home()
    marked: Path | None = None
    for folder in (start, *start.parents):
        if folder in (folder.parent, home) or folder in home.parents:
            break
        if str(folder) in registered:
            return folder
        if marked is None and any((folder / name).exists() for name in MARKERS):
            marked = folder
        if any((folder / name).exists() for name in REPOSITORIES):
            break  # what lies above is another project, whatever checkpoints it has
    return marked


def _start(path: str | Path) -> Path:
    resolved = resolve_working_dir(path)
    return resolved if resolved.is_dir() else resolved.parent
