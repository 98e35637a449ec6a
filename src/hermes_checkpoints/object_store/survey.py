"""Finds what the next take would stage, drop and leave out, without reading any contents.

Git compares the index with the tree and lists what is new (both run side by side, while this
process looks at the directories); each path that git names is then looked at once. Sizes and
kinds are judged here, so that nothing oversize, special or unreadable ever reaches a hash.
"""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from hermes_checkpoints.errors import GitFailed, GitTimedOut
from hermes_checkpoints.fs.inspect import Entry, EntryKind, Inspector
from hermes_checkpoints.fs.repository import repository_at
from hermes_checkpoints.git import Git
from hermes_checkpoints.model import SkippedPath, SkipReason
from hermes_checkpoints.model.paths import (
    GIT_NAME,
    at_or_above,
    is_git_name,
    parents,
    within,
)
from hermes_checkpoints.object_store.directories import (
    DirectoryRecord,
    DirectoryScan,
    names_by_directory,
)
from hermes_checkpoints.object_store.git_index import (
    add_empty_files,
    decode_paths,
    drop_paths,
    index_entries,
    indexed_paths,
    is_sound,
)
from hermes_checkpoints.object_store.index_cache import StageState, forget
from hermes_checkpoints.object_store.listings import (
    Rules,
    add_included,
    list_ignored,
    list_ignored_as,
    list_others,
    write_excludes_file,
)
from hermes_checkpoints.object_store.markers import unproven
from hermes_checkpoints.object_store.tracked import TrackedFiles, TrackedState, present_of

_IGNORE_FILE = ".gitignore"
_NESTING_LIMIT = 64
_ROUNDS = 16
"""How often a survey is made again because it found what changes the rules: directories with an
ordinary name lie in such directories, worktrees in worktrees."""

_COARSE_CLOCK_NS = 2_000_000_000
_REASONS = {
    EntryKind.OVERSIZE: SkipReason.OVERSIZE,
    EntryKind.UNREADABLE: SkipReason.UNREADABLE,
    EntryKind.SPECIAL: SkipReason.SPECIAL,
}
_CAPTURED_OR_TOLD = frozenset((EntryKind.FILE, EntryKind.LINK, *_REASONS))
_NO_PLACE = frozenset((EntryKind.DIRECTORY, EntryKind.BEYOND_LINK))


@dataclass
class Survey:
    """What a take would do. Paths are relative; ``stage`` holds what was seen of each.
    ``carried`` has the paths of the index that cannot be read and stay as they are in it, and
    ``over_budget`` the stamps of those that ``budget.keep_within`` left out.

    ``tracked`` is what the project's own git tracks; of that, ``held`` are the paths that a rule
    would leave out and that the index had before, and ``absent`` those that it lacked. Those of
    them whose directory is there are ``places``: whether or not they are missing, a directory that
    tracked files belong in is not ignored as a whole.
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


def survey(git: Git, rules: Rules) -> Survey:
    """Look at the working directory of ``git``. An index that is damaged is forgotten.

    Raises:
        GitFailed: when git cannot list the tree.
    """
    index = git.own_index
    if not is_sound(index):
        forget(index)
    try:
        return _settled(git, rules)
    except GitTimedOut:
        raise
    except GitFailed:
        if not index.exists():
            raise
        forget(index)
        return _settled(git, rules)


def _settled(git: Git, rules: Rules) -> Survey:
    """Survey the tree until the rules are those that what was found in it asks for."""
    state = StageState.load(git.own_index)
    root = str(git.work_tree)
    if state is not None:
        others = frozenset(path for path in state.worktrees if is_worktree(root, rules, path))
        rules = replace(rules, worktrees=others, meant=unproven(root, state.meant))
    inside: frozenset[str] | None = None
    for _ in range(_ROUNDS):
        result = _survey(git, rules, state, inside)
        meant = unproven(root, rules.meant, result.ignored_paths)
        wanted = replace(rules, worktrees=rules.worktrees | result.worktrees, meant=meant)
        repositories = frozenset(result.scan.repositories - result.uncounted)
        if wanted == rules and repositories == result.repositories:
            break
        rules, inside = wanted, repositories
        if result.seeds:
            drop_paths(git, sorted(result.seeds))
            result.seeds.clear()
    return result


def is_worktree(root: str, rules: Rules, path: str) -> bool:
    """Tell whether a directory is another checkout of the repository that the project is in."""
    if rules.repository is None:
        return False
    found = repository_at(Path(root, path))
    return found is not None and found.common_dir == rules.repository.common_dir


def _survey(
    git: Git, rules: Rules, state: StageState | None, inside: frozenset[str] | None
) -> Survey:
    """Look at the tree. ``inside`` are the repositories in it, or None where that is to be found
    out: it takes another look then if the tree has more than git tells."""
    index = git.own_index
    write_excludes_file(index, rules)
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
        others = stack.enter_context(git.beside(*list_others(git, rules), patience=2))
        differing = None
        if index.exists():
            differing = stack.enter_context(
                git.beside(
                    *("diff-files", "-z", "--name-only", "--no-ext-diff"),
                    "--ignore-submodules=all",
                    patience=2,
                )
            )
        scan.refresh(state.specials if state else (), state.repositories if state else ())
        result.moved = _rule_files_moved(result, look)
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
    nested: set[str] = set()
    new = list(_enter_nested(git, result, new, nested))
    protected = add_included(git, rules, new)
    for path in new:
        _untracked(result, path, look.look(path))
    _leave_worktrees(result)
    result.repositories = frozenset(scan.repositories | nested) if inside is None else inside
    rescued = _rescue_tracked(git, result, look, fresh, new)
    if fresh or rescued or _ignored_may_differ(result):
        _note_ignored(git, result, protected, look)
        scan.follow(result.ignored_directories)
    _enter_unknown(result)
    _leave_worktrees(result)
    _look_at_rescued(result, look, protected)
    for path in tracked or ():
        if path not in result.stage and path not in result.drop and path not in result.gone:
            _unchanged(result, path, look.look(path, try_reading=False))
    _note_unreachable(result)
    return result


def _leave_worktrees(result: Survey) -> None:
    """Find the worktrees among the repositories that were found: the next round bars them. What a
    ``.git`` points to can change without a change of its directory (``git worktree repair``)."""
    for path in result.scan.repositories:
        if is_worktree(result.scan.root, result.rules, path):
            result.worktrees.add(path)
    result.scan.repositories -= result.worktrees


def _rescue_tracked(
    git: Git, result: Survey, look: Inspector, fresh: bool, new: Iterable[str]
) -> bool:
    """Add the tracked files that a rule leaves out; tell whether they are others than before."""
    tracked, known = result.tracked, result.state.tracked if result.state else TrackedState()
    result.held = set(known.held)
    result.absent = set(known.absent)
    if fresh or tracked.changed or _rules_touched(result):
        own = indexed_paths(git) if git.own_index.exists() else []
        result.absent = tracked.absent_from({*own, *new}, result.rules.closed)
    for path, entry in present_of(look, result.absent):
        if entry.kind in _CAPTURED_OR_TOLD and path not in result.stage:
            _untracked(result, path, entry)
        if entry.kind not in _NO_PLACE:
            result.places.add(path)
    return tracked.changed or bool(result.absent & result.added)


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


def _enter_nested(git: Git, result: Survey, found: list[str], entered: set[str]) -> Iterator[str]:
    """Yield the files among ``found`` and those inside nested repositories, which are added to
    ``entered``. Other checkouts of the project's own repository are not entered.

    Git names a nested repository as one entry that ends in a slash. With an index entry inside
    it, git takes it for an ordinary directory; such seeds are dropped before a tree is written.
    """
    root, rules = result.scan.root, result.rules
    for _ in range(_NESTING_LIMIT):
        nested = [path.rstrip("/") for path in found if path.endswith("/")]
        yield from (path for path in found if not path.endswith("/"))
        nested = [p for p in nested if p not in rules.closed and not _is_gits_own(p)]
        result.worktrees.update(path for path in nested if is_worktree(root, rules, path))
        nested = [path for path in nested if path not in result.worktrees]
        if not nested:
            return
        entered.update(nested)
        seeds = [_seed(path) for path in nested]
        result.seeds.update(seeds)
        add_empty_files(git, seeds)
        found = []
        for start in range(0, len(nested), 100):
            batch = nested[start : start + 100]
            found += decode_paths(git.run(*list_others(git, rules, *batch), patience=2))
        found = [path for path in found if path not in result.seeds]


def _seed(repository: str) -> str:
    """Return a path in a repository inside that leads git into it while our index has it."""
    return f"{repository}/.hermes-seed-{secrets.token_hex(8)}"


def _rules_touched(result: Survey) -> bool:
    """Tell whether a .gitignore is another than it was, be it captured or left out itself."""
    touched = [*result.stage, *result.gone, *result.drop]
    return result.moved or any(p.rpartition("/")[2] == _IGNORE_FILE for p in touched)


def _ignored_may_differ(result: Survey) -> bool:
    if result.scan.unknown or _rules_touched(result):
        return True
    # What the budget left out last time was there already when its directory was listed.
    there = result.state.over_budget if result.state else {}
    appeared = names_by_directory(path for path in result.added if path not in there)
    vanished = names_by_directory(result.gone)
    return result.scan.shape_changed(appeared, vanished)


def _rule_files_moved(result: Survey, look: Inspector) -> bool:
    """Tell whether a .gitignore that a rule leaves out is another than it was: no change of what
    is captured tells of it."""
    known = result.state.rule_files if result.state else {}
    now = {path: look.look(path, try_reading=False).stamp for path in known}
    result.rule_files = dict(known)
    return now != known


def _note_ignored(git: Git, result: Survey, protected: set[str], look: Inspector) -> None:
    """Ask git what the rules in force leave out, paths of the index that they now cover too."""
    entries, covered = list_ignored(git, result.rules)
    result.held = result.tracked.held_of(covered - protected)
    out = covered - result.held - result.seeds
    if out or result.places:
        entries = _ignored_as(git, result, out)
    _note_uncounted(git, result, out)
    entries -= protected
    for path in out - protected:
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
    files = [path for path in result.ignored_paths if path.rpartition("/")[2] == _IGNORE_FILE]
    found = {path: look.look(path, try_reading=False) for path in files}
    settled = result.started_ns - _COARSE_CLOCK_NS
    result.rule_files = {
        path: entry.stamp if entry.ctime < settled else None for path, entry in found.items()
    }


def _ignored_as(git: Git, result: Survey, out: set[str]) -> set[str]:
    """Return what the rules leave out once ``out`` has left our index. Of a repository inside that
    has no path in the index then, git names nothing: it is led into it, unless it is ignored."""
    entries = list_ignored_as(git, result.rules, result.places, out)
    left = result.repositories.intersection(at_or_above(out))
    closed = {path.rstrip("/") for path in entries if path.endswith("/")}
    seeds = {_seed(path) for path in left if not within(path, closed)}
    if not seeds:
        return entries
    return list_ignored_as(git, result.rules, result.places | seeds, out)


def _note_uncounted(git: Git, result: Survey, out: set[str]) -> None:
    """Find the repositories inside that a rule leaves out: what they track does not count, so that
    it must not be what keeps git from leaving them out."""
    paths = {p for p in result.held | result.places if within(p, result.repositories)}
    inner = result.tracked.only_inside(paths) if paths else set()
    if inner:
        without = out | inner & result.held
        entries = list_ignored_as(git, result.rules, result.places - inner, without)
        closed = {path.rstrip("/") for path in entries if path.endswith("/")}
        result.uncounted = {path for path in result.repositories if within(path, closed)}


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
