"""Paths inside a project: relative, with ``/``, taken literally and never as a pattern."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator

from hermes_checkpoints.errors import BadRequest, PathRefused

GIT_NAME = ".git"
_LIKE_GIT = re.compile(r"(?:\.git|git~[0-9]+)[. ]*(?:[:\\].*)?", re.IGNORECASE | re.DOTALL)
_OVERLOOKED = re.compile("[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]")


def is_git_name(name: str) -> bool:
    """Tell whether git takes a name for its own, whatever its case, and refuses to hold it."""
    return name.lower() == GIT_NAME


def looks_like_git_name(name: str) -> bool:
    """Tell whether some file system takes a name for git's own: that of Windows by its short names,
    streams and what it leaves out at the end, that of macOS by the letters that it overlooks.

    >>> from hermes_checkpoints.model.paths import looks_like_git_name
    >>> [looks_like_git_name(name) for name in ("git~1", ".Git. ", ".git-hooks")]
    [True, True, False]
    """
    return _LIKE_GIT.fullmatch(_OVERLOOKED.sub("", name)) is not None


def is_plain(path: str) -> bool:
    """Tell whether a path leads into the project and to nothing of git's own: a tree or an index
    may say anything."""
    return not any(part in ("", ".", "..") or is_git_name(part) for part in path.split("/"))


def parents(path: str) -> Iterator[str]:
    """Yield the directories above a path, the nearest first, up to the project."""
    parent = path.rpartition("/")[0]
    while parent:
        yield parent
        parent = parent.rpartition("/")[0]


def within(path: str, chosen: Container[str]) -> bool:
    """Tell whether ``path`` is one of the chosen ones, or lies below one. Where many are chosen,
    give a set."""
    return path in chosen or any(parent in chosen for parent in parents(path))


def folders_above(paths: Iterable[str]) -> set[str]:
    """Return all directories above paths, up to the project, which is not among them.

    >>> from hermes_checkpoints.model.paths import folders_above
    >>> sorted(folders_above(["src/app/main.py", "src/app/cli.py", "README.md"]))
    ['src', 'src/app']
    """
    found: set[str] = set()
    waiting = {path.rpartition("/")[0] for path in paths} - {""}
    while waiting:
        found |= waiting
        waiting = {folder.rpartition("/")[0] for folder in waiting} - found - {""}
    return found


def at_or_above(paths: Iterable[str]) -> set[str]:
    """Return paths with all directories above them, up to the project."""
    found = set(paths)
    return found | folders_above(found)


def clean_path(path: str) -> str:
    """Return a path of a project in its plain form; it is taken literally, never as a pattern.

    Raises:
        BadRequest, PathRefused: when it is empty, absolute, leaves the project, or lies under
            a ``.git``.
    """
    if not path.strip("/") and not path.startswith("/"):
        raise BadRequest("the path is empty; give a path relative to the project")
    if "\0" in path:
        raise BadRequest("a path cannot hold a NUL character")
    if path.startswith("/") or re.match(r"[A-Za-z]:[\\/]", path):
        raise PathRefused(f"{path!r} is absolute; give a path relative to the project")
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise PathRefused(f"{path!r} leaves the project; give a path below it")
    if any(part.lower() == GIT_NAME for part in parts):
        raise PathRefused(f"{path!r} lies under a .git, which no checkpoint touches")
    if not parts:
        raise PathRefused(
            f"{path!r} is the whole project; name what lies in it, or no path but the project"
        )
    return "/".join(parts)
