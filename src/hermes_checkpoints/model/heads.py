"""Where the repository of a project stands, and the texts that say that it moved.

A restore changes files and never the repository, so whoever goes back to a checkpoint is told
where HEAD was then and is now, if that differs. What is not known is not spoken of.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hermes_checkpoints.text import shown

if TYPE_CHECKING:
    from hermes_checkpoints.model.checkpoints import Checkpoint

_SHORT_COMMIT = 7
"""How many digits of a commit of the project are shown, as git itself does."""

_LONGEST_BRANCH = 60


@dataclass(frozen=True)
class Head:
    """Where a repository stands. ``commit`` is an id in hex, None before the first commit and
    where it is kept in a form that is not read here (reftable); ``branch`` has no ``refs/heads/``
    and is None where HEAD is detached. Both are None where nothing is known.

    >>> taken = project.take()
    >>> taken.checkpoint.stood_at  # the directory belongs to no repository
    Head(commit=None, branch=None)
    """

    commit: str | None = None
    branch: str | None = None

    @property
    def known(self) -> bool:
        """Whether anything is known."""
        return self.commit is not None or self.branch is not None

    def moved_to(self, now: Head) -> bool:
        """Tell whether a repository that stood here stands elsewhere now, as far as both are
        known."""
        return self.known and now.known and self != now


def head_text(head: Head) -> str:
    """Return where a repository stands, in a few words without control characters: the branch and
    the commit in short, as far as they are known."""
    commit = shown((head.commit or "")[:_SHORT_COMMIT])
    if head.branch is None:
        return f"{commit} (detached)" if commit else "unknown"
    branch = shown(head.branch)
    if len(branch) > _LONGEST_BRANCH:
        branch = "…" + branch[1 - _LONGEST_BRANCH :]
    return f"{branch} {commit}".rstrip()


def moved_text(then: Head, now: Head) -> str | None:
    """Return the line that a plan of a restore, and its report, have where HEAD moved since the
    checkpoint was taken; None where it did not, or nothing is known."""
    if not then.moved_to(now):
        return None
    return (
        f"HEAD moved since: {head_text(then)} → {head_text(now)}; a restore changes files, not HEAD"
    )


def heads_moved(checkpoints: Iterable[Checkpoint]) -> dict[str, str]:
    """Return, by its id, where HEAD stood at each checkpoint at which it stood elsewhere than at
    the one before it in the list, in any order; those at which nothing is known are passed over."""
    found: dict[str, str] = {}
    before = Head()
    for checkpoint in sorted(checkpoints, key=lambda one: one._row):
        head = checkpoint.stood_at
        if before.moved_to(head):
            found[checkpoint.id] = f"HEAD: {head_text(head)}"
        before = head if head.known else before
    return found
