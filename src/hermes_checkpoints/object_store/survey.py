"""Finds what the next take would stage, drop and leave out, without reading any contents.

Git compares the index with the tree and lists what is new (both run side by side, while this
process looks at the directories); each path that git names is then looked at once. Sizes and
kinds are judged here, so that nothing oversize, special or unreadable ever reaches a hash.
"""

from __future__ import annotations

import os
import secrets
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field

from hermes_checkpoints.errors import GitFailed, GitTimedOut
from hermes_checkpoints.fs.inspect import Entry, EntryKind, Inspector
from hermes_checkpoints.git import Git
from hermes_checkpoints.model import SkippedPath, SkipReason
from hermes_checkpoints.model.paths import GIT_NAME, is_git_name, parents, within
from hermes_checkpoints.object_store.directories import DirectoryRecord, DirectoryScan
from hermes_checkpoints.object_store.git_index import (
    add_empty_files,
    decode_paths,
    index_entries,
    indexed_paths,
    is_sound,
)
from hermes_checkpoints.object_store.index_cache import StageState, forget
from hermes_checkpoints.object_store.listings import (
    Rules,
    add_included,
    list_ignored,
    list_others,
)

_IGNORE_FILE = ".gitignore"
_NESTING_LIMIT = 64
_REASONS = {
    EntryKind.OVERSIZE: SkipReason.OVERSIZE,
    EntryKind.UNREADABLE: SkipReason.UNREADABLE,
    EntryKind.SPECIAL: SkipReason.SPECIAL,
}


@dataclass
class Survey:
    """What a take would do. Paths are relative; ``stage`` holds what was seen of each.
    ``carried`` has the paths of the index that cannot be read and stay as they are in it, and
    ``over_budget`` the stamps of those that ``budget.keep_within`` left out."""

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

    def skip(self, path: str, reason: SkipReason, size: int | None = None) -> None:
        self.skipped[path] = SkippedPath(path, reason, size)


def survey(git: Git, rules: Rules) -> Survey:
    """Look at the working directory of ``git``. An index that is damaged is forgotten.

    Raises:
        GitFailed: when git cannot list the tree.
    """
    index = git.own_index
    if not is_sound(index):
        forget(index)
    try:
        return _survey(git, rules)
    except GitTimedOut:
        raise
    except GitFailed:
        if not index.exists():
            raise
        forget(index)
        return _survey(git, rules)


def _survey(git: Git, rules: Rules) -> Survey:
    index = git.own_index
    state = StageState.load(index)
    fresh = state is None or state.rules != rules.name
    known = {"": DirectoryRecord(0, -1, 0)} if state is None or fresh else state.directories
    scan = DirectoryScan(str(git.work_tree), known, frozenset(), rules.barred)
    result = Survey(rules, state, scan, time.time_ns(), entries_before=index_entries(index))
    if state is not None and not fresh:
        result.ignored_paths = state.ignored_paths
        scan.ignored = result.ignored_directories
    look = Inspector(str(git.work_tree), rules.max_file_bytes)
    tracked: list[str] | None = None
    with ExitStack() as stack:
        others = stack.enter_context(git.beside(*list_others(rules), patience=2))
        differing = None
        if index.exists():
            differing = stack.enter_context(
                git.beside(
                    *("diff-files", "-z", "--name-only", "--no-ext-diff"),
                    "--ignore-submodules=all",
                    patience=2,
                )
            )
        scan.refresh(state.specials if state else ())
        if differing is not None:
            for path in decode_paths(differing()):
                _tracked(result, path, look.look(path))
            _look_at_recent(result, look)
            if state is None or state.max_file_bytes != rules.max_file_bytes:
                tracked = indexed_paths(git)
        new = decode_paths(others())
    # Git hides a new repository behind the file of that name in the index.
    new += [
        f"{path}/"
        for path in sorted(result.now_directories)
        if os.path.lexists(look.absolute(f"{path}/{GIT_NAME}"))
    ]
    new = list(_enter_nested(git, result, new))
    protected = add_included(git, rules, new)
    for path in new:
        _untracked(result, path, look.look(path))
    if fresh or _ignored_may_differ(result):
        _note_ignored(git, result, protected)
        scan.follow(result.ignored_directories)
    _enter_unknown(result)
    _look_at_rescued(result, look, protected)
    for path in tracked or ():
        if path not in result.stage and path not in result.drop and path not in result.gone:
            _unchanged(result, path, look.look(path, try_reading=False))
    _note_unreachable(result)
    return result


def _left_out(path: str, entry: Entry) -> SkipReason | None:
    """Return why no checkpoint can hold ``entry``, or None if one can."""
    if entry.kind is EntryKind.LINK and ".gitmodules" in path.lower().split("/"):
        return SkipReason.UNSUPPORTED_NAME  # git takes such a link for a dangerous one
    return _REASONS.get(entry.kind)


def _tracked(result: Survey, path: str, entry: Entry) -> None:
    """Decide on a path of the index that no longer looks as it did."""
    reason = _left_out(path, entry)
    if reason is not None:
        result.skip(path, reason, entry.size or None)
    if entry.kind is EntryKind.MISSING:
        result.gone.add(path)
    elif reason is None and entry.kind in (EntryKind.FILE, EntryKind.LINK):
        result.stage[path] = entry
    elif reason is SkipReason.UNREADABLE:
        result.carried.add(path)
    else:
        result.drop.add(path)
        if entry.kind is EntryKind.DIRECTORY:
            result.now_directories.add(path)


def _unchanged(result: Survey, path: str, entry: Entry) -> None:
    """Look anew at a path of the index that is as git knows it."""
    if entry.kind is EntryKind.OVERSIZE:
        _tracked(result, path, entry)
    else:
        result.seen[path] = entry


def _look_at_recent(result: Survey, look: Inspector) -> None:
    """Find what changed a second time within the second of the last take."""
    for path, stamp in (result.state.recent if result.state else {}).items():
        known = path in result.stage or path in result.gone or path in result.drop
        if known or path in result.skipped:
            continue
        entry = look.look(path)
        if entry.stamp != stamp:
            _tracked(result, path, entry)
            if path in result.stage:
                result.unseen_by_git.add(path)


def _look_at_rescued(result: Survey, look: Inspector, protected: set[str]) -> None:
    """Find what an include pattern rescued from a directory that is ignored and closed now: git
    passes over files that it may not look at, and the scan passes over ignored directories."""
    for path in protected:
        if path.rpartition("/")[0] not in result.scan.found:
            entry = look.look(path, try_reading=False)
            if entry.kind is EntryKind.UNREADABLE:
                _tracked(result, path, entry)


def _untracked(result: Survey, path: str, entry: Entry) -> None:
    """Decide on a path that the index does not have."""
    reason = _left_out(path, entry)
    if _is_gits_own(path):
        result.skip(_gits_own_part(path), SkipReason.UNSUPPORTED_NAME)
    elif reason is not None:
        result.skip(path, reason, entry.size or None)
    elif entry.kind in (EntryKind.FILE, EntryKind.LINK):
        result.stage[path] = entry
        result.added.add(path)
    elif entry.kind is EntryKind.MISSING:
        result.skip(path, SkipReason.VANISHED)


def _enter_nested(git: Git, result: Survey, found: list[str]) -> Iterator[str]:
    """Yield the files among ``found`` and those inside nested repositories.

    Git names a nested repository as one entry that ends in a slash. With an index entry inside
    it, git takes it for an ordinary directory; such seeds are dropped before a tree is written.
    """
    for _ in range(_NESTING_LIMIT):
        nested = [path.rstrip("/") for path in found if path.endswith("/")]
        yield from (path for path in found if not path.endswith("/"))
        nested = [p for p in nested if p not in result.rules.barred and not _is_gits_own(p)]
        if not nested:
            return
        seeds = [f"{path}/.hermes-seed-{secrets.token_hex(8)}" for path in nested]
        result.seeds.update(seeds)
        add_empty_files(git, seeds)
        found = []
        for start in range(0, len(nested), 100):
            batch = nested[start : start + 100]
            found += decode_paths(git.run(*list_others(result.rules, *batch), patience=2))
        found = [path for path in found if path not in result.seeds]


def _ignored_may_differ(result: Survey) -> bool:
    touched = [*result.stage, *result.gone, *result.drop]
    if result.scan.unknown or any(p.rpartition("/")[2] == _IGNORE_FILE for p in touched):
        return True
    # What the budget left out last time was there already when its directory was listed.
    there = result.state.over_budget if result.state else {}
    appeared = Counter(path.rpartition("/")[0] for path in result.added if path not in there)
    vanished = Counter(path.rpartition("/")[0] for path in result.gone)
    return result.scan.shape_changed(appeared, vanished)


def _note_ignored(git: Git, result: Survey, protected: set[str]) -> None:
    """Ask git what the rules in force leave out, tracked paths that they now cover too."""
    entries, covered = list_ignored(git, result.rules)
    entries -= protected
    for path in covered - protected:
        result.drop.add(path)
        for lesser in (result.stage, result.skipped):
            lesser.pop(path, None)
        result.gone.discard(path)
    entries -= result.stage.keys()
    # A directory is listed with entries below it when only its contents are ignored.
    above = {up for path in entries for up in parents(path.rstrip("/"))}
    result.ignored_paths = tuple(
        sorted(
            path
            for path in entries
            if not path.endswith("/")
            or (path[:-1] not in above and not within(path[:-1], result.rules.barred))
        )
    )


def _enter_unknown(result: Survey) -> None:
    scan = result.scan
    while scan.unknown:
        batch, scan.unknown = scan.unknown, []
        scan.enter(path for path in batch if path not in scan.ignored)


def _is_gits_own(path: str) -> bool:
    return any(is_git_name(part) for part in path.split("/"))


def _gits_own_part(path: str) -> str:
    """Return the highest of a path and the directories above it that has a name of git's own."""
    parts = path.split("/")
    number = next(i for i, part in enumerate(parts, 1) if is_git_name(part))
    return "/".join(parts[:number])


def _note_unreachable(result: Survey) -> None:
    for path in result.scan.specials:
        reason = SkipReason.UNSUPPORTED_NAME if _is_gits_own(path) else SkipReason.SPECIAL
        result.skip(path, reason)
    closed = result.scan.unreadable
    for path in closed:
        result.skip(path, SkipReason.UNREADABLE)
    if closed:  # the highest directory speaks for all below it
        for path in [p for p in result.skipped if any(q in closed for q in parents(p))]:
            del result.skipped[path]
