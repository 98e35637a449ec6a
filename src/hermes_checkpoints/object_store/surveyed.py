"""What a survey found: what a take would stage, drop and leave out."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from hermes_checkpoints.fs.inspect import Entry
from hermes_checkpoints.model import SkippedPath, SkipReason
from hermes_checkpoints.object_store.directories import DirectoryScan
from hermes_checkpoints.object_store.index_cache import StageState
from hermes_checkpoints.object_store.listings import (
    Rules,
)
from hermes_checkpoints.object_store.tracked import TrackedFiles, TrackedState

IGNORE_FILE = ".gitignore"

MOST_OTHERS = 1000
"""So many files that git lists as new are looked at without asking git."""


@dataclass
class Survey:
    """What a take would do. Paths are relative; ``stage`` holds what was seen of each.
    ``carried`` has the paths of the index that cannot be read and stay as they are in it, and
    ``over_budget`` the stamps of those that ``budget.keep_within`` left out.

    ``tracked`` is what the project's own git tracks; of that, ``held`` are the paths that a rule
    would leave out and that the index had before, and ``absent`` those that it lacked. Those of
    them whose directory is there are ``places``: whether or not they are missing, a directory that
    tracked files belong in is not ignored as a whole.

    ``new`` are the paths that git lists as new, ``nested`` the repositories inside that it named as
    a whole, and ``permissions`` names whose they were that looked.
    """

    rules: Rules
    state: StageState | None
    scan: DirectoryScan
    started_ns: int
    stage: dict[str, Entry] = field(default_factory=dict)
    added: set[str] = field(default_factory=set)
    gone: set[str] = field(default_factory=set)
    drop: set[str] = field(default_factory=set)
    carried: set[str] = field(default_factory=set)
    now_directories: set[str] = field(default_factory=set)
    seen: dict[str, Entry] = field(default_factory=dict)
    skipped: dict[str, SkippedPath] = field(default_factory=dict)
    ignored_paths: tuple[str, ...] = ()
    seeds: set[str] = field(default_factory=set)
    unseen_by_git: set[str] = field(default_factory=set)
    entries_before: int = 0
    over_budget: dict[str, tuple[int, int, int, int]] = field(default_factory=dict)
    held: set[str] = field(default_factory=set)
    absent: set[str] = field(default_factory=set)
    places: set[str] = field(default_factory=set)
    worktrees: set[str] = field(default_factory=set)
    rule_files: dict[str, tuple[int, int, int, int] | None] = field(default_factory=dict)
    moved: bool = False
    uncounted: set[str] = field(default_factory=set)
    repositories: frozenset[str] = frozenset()
    permissions: str = ""
    new: list[str] = field(default_factory=list)
    nested: set[str] = field(default_factory=set)

    @cached_property
    def tracked(self) -> TrackedFiles:
        """The files that git tracks in the project, by the indexes of its repositories."""
        known = self.state.tracked if self.state else None
        root = Path(self.scan.root)
        return TrackedFiles(root, self.rules.repository, self.repositories, known)

    def tracked_state(self) -> TrackedState:
        """Return what the next survey is to know of the tracked files."""
        out = self.gone | self.drop
        rescued = self.added & self.absent
        return TrackedState(
            self.tracked.stamps,
            self.tracked.digest,
            frozenset(self.held - out | rescued),
            frozenset(self.absent - rescued | self.held & out),
            self.tracked.unread,
        )

    def others(self) -> tuple[str, ...] | None:
        """Return the files that git lists as new when the index is up to date: those that a take
        leaves out. None where git must be asked for them: it names a repository inside that has
        none of its files in the index in another way, a file of rules may change, and nobody looks
        at the time of a directory that is ignored, from which a pattern rescued a file.
        """
        if self.nested or self.scan.unreadable:
            return None
        found = {path for path in self.new if path not in self.stage}
        found |= self.drop & self.skipped.keys()
        if len(found) > MOST_OTHERS or any(path.endswith(IGNORE_FILE) for path in found):
            return None
        if any(path.rpartition("/")[0] not in self.scan.found for path in found):
            return None
        return tuple(sorted(found))

    @property
    def pending(self) -> bool:
        """Tell whether the index has to be written."""
        return bool(self.stage or self.gone or self.drop or self.seeds)

    @property
    def file_count(self) -> int:
        """Count the files that a take would capture."""
        return self.entries_before + len(self.added) - len(self.gone | self.drop)

    @property
    def ignored_directories(self) -> frozenset[str]:
        """Return the directories that a rule leaves out."""
        return frozenset(p.rstrip("/") for p in self.ignored_paths if p.endswith("/"))

    @property
    def other_checkouts(self) -> tuple[str, ...]:
        """Return those of the ignored directories that are worktrees of the repository."""
        return tuple(sorted(self.ignored_directories & self.rules.worktrees))

    def skip(self, path: str, reason: SkipReason, size: int | None = None) -> None:
        self.skipped[path] = SkippedPath(path, reason, size)
