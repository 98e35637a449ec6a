"""A bare repository with git, as the object store uses it."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_checkpoints.git import Git


@pytest.fixture
def git(tmp_path: Path) -> Git:
    """Git for a new repository, with a working directory and an index."""
    repository, work = tmp_path / "repository", tmp_path / "work"
    for folder in (repository, work):
        folder.mkdir()
    git = Git(repository)
    git.run("init", "-q", "--bare", "--object-format=sha1", str(repository), outside=True)
    return git.at(work, repository / "index")
