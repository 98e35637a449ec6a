"""What is read of HEAD of the repository that a project lies in, and of its index. No git runs in
it: its objects are read through a repository of ours."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from hermes_checkpoints.errors import GitFailed, GitTimedOut, StoreDamaged
from hermes_checkpoints.fs.repository import Repository
from hermes_checkpoints.model import Head, head_text
from hermes_checkpoints.object_store.foreign_index import IndexUnreadable, tracked_files


@contextlib.contextmanager
def of_head(repository: Repository, head: Head) -> Iterator[None]:
    """Say of what cannot be read that it is the project's own repository.

    Raises:
        GitFailed.
    """
    try:
        yield
    except GitTimedOut:
        raise
    except (GitFailed, StoreDamaged) as error:
        raise GitFailed(
            f"HEAD of {repository.top} ({head_text(head)}) cannot be read: {error}. A partial "
            "clone may lack it, and `git fsck` there tells what is damaged"
        ) from error


def sparse_paths(repository: Repository, directory: Path) -> set[str]:
    """Return the paths, from a resolved directory of the repository, that a sparse checkout leaves
    out of it; none where the index cannot be read."""
    try:
        files = tracked_files(repository.index)
    except IndexUnreadable:
        return set()
    below = repository.subdirectory(directory)
    start = f"{below}/" if below else ""
    away = (os.fsdecode(path) for path, left_out in files.items() if left_out)
    return {one.removeprefix(start) for one in away if one.startswith(start)}
