"""A checkpoint as a commit of the project's own repository: what is in it, and what is not."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from pathlib import Path

from hermes_checkpoints.model.checkpoints import Change, Checkpoint
from hermes_checkpoints.model.heads import Head
from hermes_checkpoints.model.kinds import SkipReason


class WithheldReason(enum.StrEnum):
    """Why a path is not in a commit as the checkpoint has it.

    >>> WithheldReason("ignored") is WithheldReason.IGNORED
    True
    """

    IGNORED = "ignored"  # HEAD lacks it, and a rule of git's ignores it
    SECRET_NAME = "secret-name"  # noqa: S105 - HEAD lacks it, and it is named as secrets are
    NOT_CAPTURED = "not-captured"  # the checkpoint left it out
    FILTERED = "filtered"  # its committed form is made by a filter, or is in another encoding
    SUBMODULE = "submodule"  # HEAD names a commit of another repository at or above it
    NESTED_REPOSITORY = "nested-repository"  # it lies in a repository inside of the project
    SPARSE = "sparse"  # a sparse checkout leaves it out of the directory
    IN_THE_WAY = "in-the-way"  # what stays of HEAD is a file above it, or a directory in its place
    UNUSABLE_NAME = "unusable-name"  # git would refuse to check it out
    LOST = "lost"  # the object store lacks its contents


@dataclass(frozen=True)
class Withheld:
    """A path, or a directory with all below, that a commit does not have as the checkpoint does.
    ``kept`` tells that it has what HEAD has there; else it has nothing. ``skipped`` is why the
    checkpoint itself left it out, where it did.

    >>> for words in ("init -q", "add .", "-c user.name=me -c user.email=me@here commit -qm one"):
    ...     _ = os.system(f"git {words}")
    >>> _ = Path("notes.txt").write_bytes(bytes(11 * 1024 * 1024))
    >>> taken = project.take()
    >>> project.plan_export_branch("latest", "rescued").withheld
    (Withheld(path='notes.txt', reason=<WithheldReason.NOT_CAPTURED: 'not-captured'>, kept=True, \
skipped=<SkipReason.OVERSIZE: 'oversize'>),)
    """

    path: str
    reason: WithheldReason
    kept: bool
    skipped: SkipReason | None = None


@dataclass(frozen=True)
class ExportedBranch:
    """A checkpoint as a commit on a new branch of the repository that its project lies in.

    ``repository`` is the top of its working directory, ``parent`` where HEAD stands, which the
    commit follows, and ``commit`` its id, None in a plan. ``changes`` is what it changes against
    HEAD, and ``withheld`` what it has not as the checkpoint does; paths are relative to the
    project. ``author`` is who it is by; ``own_author`` tells whether git's settings say so, or
    nobody is set there.

    >>> for words in ("init -q", "add .", "-c user.name=me -c user.email=me@here commit -qm one"):
    ...     _ = os.system(f"git {words}")
    >>> _ = Path("notes.txt").write_text("by the agent")
    >>> taken = project.take()
    >>> made = project.export_branch("latest", "rescued")
    >>> [(change.status.value, change.path) for change in made.changes], made.withheld
    ([('M', 'notes.txt')], ())
    >>> Path(".git/refs/heads/rescued").read_text().strip() == made.commit
    True
    """

    checkpoint: Checkpoint
    repository: Path
    branch: str
    commit: str | None
    parent: Head
    author: str
    own_author: bool
    changes: tuple[Change, ...]
    withheld: tuple[Withheld, ...]
