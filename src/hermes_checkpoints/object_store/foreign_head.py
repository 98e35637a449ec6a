"""What is read of HEAD of the repository that a project lies in, and of its index. No git runs in
it: its objects are read through a repository of ours."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from hermes_checkpoints.errors import GitFailed, GitTimedOut, StoreDamaged
from hermes_checkpoints.fs.repository import Repository
from hermes_checkpoints.model import Head, head_text
from hermes_checkpoints.model.paths import within
from hermes_checkpoints.object_store.foreign_index import IndexUnreadable, left_out


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


def sparse_paths(repository: Repository, directory: Path, paths: Iterable[str]) -> set[str]:
    """Return those of some paths, from a resolved directory of the repository, that a sparse
    checkout leaves out of it; none where the index cannot be read."""
    try:
        away = {os.fsdecode(path) for path in left_out(repository.index)}
    except IndexUnreadable:
        return set()
    below = repository.subdirectory(directory)
    start = f"{below}/" if below else ""
    return {path for path in paths if within(start + path, away)} if away else set()
