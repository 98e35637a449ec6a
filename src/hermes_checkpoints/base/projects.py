"""Decides which directory is a project, and which are too broad to be one.

Checkpointing a home or a shared temporary folder would copy what is not the agent's, so such
directories are refused on their resolved paths, whatever link led there, and by what they are,
whatever mount did. What is refused to a take is refused to whatever else writes: a restore, an
export, a history that is given to a directory, the base itself.
"""

from __future__ import annotations

import os
from collections.abc import Container, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from hermes_checkpoints.errors import BadDirectory, BaseUnwritable
from hermes_checkpoints.fs.inspect import require_readable_directory
from hermes_checkpoints.fs.system import identity, shared_temporary_roots
from hermes_checkpoints.layout import Layout, resolve_working_dir

if TYPE_CHECKING:
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

IN_BASE = "checkpoint-base"
"""The code of the refusal of a directory in which the checkpoints themselves lie."""

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
    return _never(working_dir, layout)


def is_never_a_project(directory: Path, layout: Layout) -> bool:
    """Tell whether every take of a resolved directory is refused for what it is, such as the home,
    whatever it holds. It need not exist."""
    return _never(directory, layout) is not None


def require_own_place(directory: Path, layout: Layout, *, foreign: bool = False) -> None:
    """Refuse a resolved directory in which nothing of ours is written: one that a take refuses, and
    for what is ``foreign`` to it, which did not come from there, also one that holds the base. It
    need not exist.

    Raises:
        BadDirectory.
    """
    refused = _never(directory, layout)
    if refused is None and foreign and _is_at_or_above(directory, layout.base):
        refused = _refused(
            "above-base",
            f"{directory} holds the checkpoints themselves, in {layout.base}; "
            "choose a directory beside them",
        )
    if refused is not None:
        raise BadDirectory(refused.reason)


def require_place_for_base(layout: Layout) -> None:
    """Refuse a base whose folder is a home or shared with others: a clear removes all that is in a
    base.

    Raises:
        BaseUnwritable.
    """
    refused = _shared(layout.base)
    if refused is not None:
        raise BaseUnwritable(f"no checkpoint base can be here: {refused.reason}")


def _never(directory: Path, layout: Layout) -> Skipped | None:
    """Return why a resolved directory is never a project, for what it is, or None."""
    return _shared(directory) or _in_base(directory, layout)


def _shared(directory: Path) -> Skipped | None:
    """Return why a directory belongs to more than one project, or None."""
    if _is_one_of(directory, [Path(directory.anchor)]):
        return _refused("root", f"{directory} is the root of a filesystem; choose a project")
    if _is_one_of(directory, shared_temporary_roots()):
        return _refused(
            "temporary-root", f"{directory} is shared by all programs; choose a folder inside it"
        )
    home = user_home()
    if _is_one_of(directory, [home]):
        return _refused("home", f"{directory} is the home directory; choose a project inside it")
    if _is_one_of(directory, home.parents):
        return _refused("above-home", f"{directory} holds home directories; choose a project")
    return None


def _in_base(directory: Path, layout: Layout) -> Skipped | None:
    if not _is_at_or_above(layout.base, directory):
        return None
    return _refused(IN_BASE, f"{directory} is where the checkpoints themselves lie")


def _refused(code: str, reason: str) -> Skipped:
    from hermes_checkpoints.model import Skipped

    return Skipped(code, reason)


def _is_at_or_above(one: Path, other: Path) -> bool:
    return _is_one_of(one, [other, *other.parents])


def _is_one_of(directory: Path, others: Iterable[Path]) -> bool:
    """Tell whether a directory is one of others, also by another path, as through a mount."""
    names = [*others]
    # A link that came after the path was resolved is no mount: who enters the directory refuses it.
    own = None if directory.is_symlink() else identity(directory)
    return directory in names or (own is not None and own in map(identity, names))


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
    resolved = resolve_working_dir(path)
    # The directory of a project may be gone; a file is in the one that holds it.
    gone = str(resolved) in registered and not os.path.lexists(resolved)
    start = resolved if gone else _start(path)
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
