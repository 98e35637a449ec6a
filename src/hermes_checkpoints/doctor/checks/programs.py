"""The git and the SQLite that are used: where they were found, and whether they are new enough."""

from __future__ import annotations

from collections.abc import Iterator

from hermes_checkpoints.catalog.sqlite import require_version
from hermes_checkpoints.config import git_timeout
from hermes_checkpoints.doctor.patient import Patient
from hermes_checkpoints.errors import GitFailed, GitMissing, GitTooOld, SqliteTooOld
from hermes_checkpoints.git import Git
from hermes_checkpoints.git_program import OLDEST_GIT, find_git
from hermes_checkpoints.model.doctor import Finding

_INSTALL = f"install git {'.'.join(map(str, OLDEST_GIT))} or newer, and put it first on PATH"


def check(patient: Patient) -> Iterator[Finding]:
    """Find git as a take does, and ask it for its version; ask for that of SQLite."""
    git = Git(patient.scratch / "none", git_timeout())
    try:
        found, run = find_git(patient.layout.base), git.program()
        if run != found:
            yield Finding(
                "git-shim",
                found,
                "the git on PATH is a shim that needs your home to find the git that it starts; "
                f"that one is run directly: {run}",
                "nothing, as long as that one stays installed",
                note=True,
            )
        git.version()
    except GitMissing as error:
        yield Finding("git-missing", "git", str(error), _INSTALL)
    except GitTooOld as error:
        yield Finding("git-too-old", found, str(error), _INSTALL)
    except GitFailed as error:
        yield Finding("git-fails", found, f"it was found and cannot be run: {error}", _INSTALL)
    try:
        require_version()
    except SqliteTooOld as error:
        yield Finding(
            "sqlite-too-old",
            "SQLite",
            str(error),
            "use a newer Python, which brings its own SQLite, or a newer SQLite of the system",
        )
