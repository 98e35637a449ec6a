"""Finds what the next take would stage, drop and leave out, without reading any contents.

Git compares the index with the tree, while this process looks at the directories, and lists what
is new: in the whole tree side by side with that, or afterwards in the directories that have
changed, where their times tell of each new entry. Each path that git names is then looked at once.
Sizes and kinds are judged here, so that nothing oversize, special or unreadable ever reaches a
hash.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from hermes_checkpoints.errors import GitFailed, GitTimedOut
from hermes_checkpoints.fs import system
from hermes_checkpoints.fs.filesystem import tells_of_entries
from hermes_checkpoints.fs.inspect import Entry, EntryKind, Inspector
from hermes_checkpoints.fs.leftovers import is_ours
from hermes_checkpoints.fs.repository import repository_at
from hermes_checkpoints.git import Git
from hermes_checkpoints.model import SkipReason
from hermes_checkpoints.model.paths import (
    GIT_NAME,
    is_git_name,
    parents,
    within,
)
from hermes_checkpoints.object_store.directories import (
    DirectoryRecord,
    DirectoryScan,
)
from hermes_checkpoints.object_store.git_index import (
    add_empty_files,
    decode_paths,
    drop_paths,
    index_entries,
    indexed_paths,
    is_sound,
)
from hermes_checkpoints.object_store.ignoring import (
    ignored_may_differ,
    note_ignored,
    rule_files_moved,
    rules_touched,
    seed_in,
)
from hermes_checkpoints.object_store.index_cache import StageState, forget
from hermes_checkpoints.object_store.listings import (
    Rules,
    add_included,
    list_others,
    write_excludes_file,
)
from hermes_checkpoints.object_store.markers import unproven
from hermes_checkpoints.object_store.surveyed import Survey
from hermes_checkpoints.object_store.tracked import TrackedState, present_of

_NESTING_LIMIT = 64
_ROUNDS = 16
"""How often a survey is made again because it found what changes the rules: directories with an
ordinary name lie in such directories, worktrees in worktrees."""

_MOST_DIRECTORIES = 100
"""Where more directories than these have changed, git lists what is new in the whole tree."""

_REASONS = {
    EntryKind.OVERSIZE: SkipReason.OVERSIZE,
    EntryKind.UNREADABLE: SkipReason.UNREADABLE,
    EntryKind.SPECIAL: SkipReason.SPECIAL,
}
_CAPTURED_OR_TOLD = frozenset((EntryKind.FILE, EntryKind.LINK, *_REASONS))
_NO_PLACE = frozenset((EntryKind.DIRECTORY, EntryKind.BEYOND_LINK))


Comparing = tuple[int, Callable[[], bytes] | None]
"""When a look began, in nanoseconds since 1970, and what waits for git to compare index and tree;
None where there is no index."""


def survey(git: Git, rules: Rules) -> Survey:
    """Look at the working directory of ``git``, as ``surveying`` does."""
    with surveying(git) as finish:
        return finish(rules)


@contextmanager
def surveying(git: Git) -> Iterator[Callable[[Rules], Survey]]:
    """Begin to look at the working directory of ``git``, which compares while the caller does other
    work; yields what ends the look and returns what it found, by the rules that it is given. An
    index that is damaged is forgotten.

    Raises:
        GitFailed: when git cannot list the tree.
    """
    with _comparing(git) as comparing:
        yield partial(_looked, git, comparing)


@contextmanager
def _comparing(git: Git) -> Iterator[Comparing]:
    began = time.time_ns()
    if not git.own_index.exists():
        yield began, None
        return
    command = ("diff-files", "-z", "--name-only", "--no-ext-diff", "--ignore-submodules=all")
    with git.beside(*command, patience=2) as differing:
        yield began, differing


def _looked(git: Git, comparing: Comparing, rules: Rules) -> Survey:
    index = git.own_index
    if not is_sound(index):
        forget(index)
        comparing = comparing[0], None
    try:
        return _settled(git, rules, comparing)
    except GitTimedOut:
        raise
    except GitFailed:
        if not index.exists():
            raise
        forget(index)
        return _settled(git, rules, (comparing[0], None))


def _settled(git: Git, rules: Rules, comparing: Comparing) -> Survey:
    """Survey the tree until the rules are those that what was found in it asks for."""
    state = StageState.load(git.own_index)
    root = str(git.work_tree)
    if state is not None:
        others = frozenset(path for path in state.worktrees if is_worktree(root, rules, path))
        rules = replace(rules, worktrees=others, meant=unproven(root, state.meant))
    result = _survey(git, rules, state, None, comparing)
    for _ in range(_ROUNDS):
        meant = unproven(root, rules.meant, result.ignored_paths)
        wanted = replace(rules, worktrees=rules.worktrees | result.worktrees, meant=meant)
        repositories = frozenset(result.scan.repositories - result.uncounted)
        if wanted == rules and repositories == result.repositories:
            break
        rules = wanted
        if result.seeds:
            drop_paths(git, sorted(result.seeds))
            result.seeds.clear()
        with _comparing(git) as again:
            result = _survey(git, rules, state, repositories, again)
    return result


def is_worktree(root: str, rules: Rules, path: str) -> bool:
    """Tell whether a directory is another checkout of the repository that the project is in."""
    if rules.repository is None:
        return False
    found = repository_at(Path(root, path))
    return found is not None and found.common_dir == rules.repository.common_dir


def _survey(
    git: Git,
    rules: Rules,
    state: StageState | None,
    inside: frozenset[str] | None,
    comparing: Comparing,
) -> Survey:
    """Look at the tree. ``inside`` are the repositories in it, or None where that is to be found
    out: it takes another look then if the tree has more than git tells."""
    index = git.own_index
    write_excludes_file(index, rules)
    fresh = state is None or state.rules != rules.name
    began, differing = comparing
    permissions = system.permissions_of_process()
    known = {"": DirectoryRecord(0, -1, 0)}
    if state is not None and not fresh:
        known = state.directories
        if state.permissions != permissions:
            known = {path: record._replace(changed=-1) for path, record in known.items()}
    scan = DirectoryScan(str(git.work_tree), known, frozenset(), rules.barred, began)
    result = Survey(rules, state, scan, began, entries_before=index_entries(index))
    result.permissions = permissions
    if state is not None and not fresh:
        result.ignored_paths = state.ignored_paths
        scan.ignored = result.ignored_directories
    look = Inspector(str(git.work_tree), rules.max_file_bytes)
    tracked: list[str] | None = None
    others = None
    with ExitStack() as stack:
        if fresh or not _times_tell(git, result):
            others = stack.enter_context(git.beside(*list_others(git, rules), patience=2))
        scan.refresh(state.specials if state else (), state.repositories if state else ())
        result.moved = rule_files_moved(result, look)
        if differing is not None:
            for path in decode_paths(differing()):
                _tracked(result, path, look.look(path))
            _look_at_recent(result, look)
            if state is None or state.max_file_bytes != rules.max_file_bytes:
                tracked = indexed_paths(git)
        new = _new_since(git, result) if others is None else decode_paths(others())
    # Git hides a new repository behind the file of that name in the index.
    new += [
        f"{path}/" for path in sorted(result.now_directories) if look.exists(f"{path}/{GIT_NAME}")
    ]
    new = list(_enter_nested(git, result, new))
    protected = add_included(git, rules, new)
    result.new = new
    for path in new:
        _untracked(result, path, look.look(path))
    _leave_worktrees(result)
    result.repositories = frozenset(scan.repositories | result.nested) if inside is None else inside
    rescued = _rescue_tracked(git, result, look, fresh, new)
    if fresh or rescued or ignored_may_differ(result):
        note_ignored(git, result, protected, look)
        scan.follow(result.ignored_directories)
    _enter_unknown(result)
    _leave_worktrees(result)
    _look_at_rescued(result, look, protected)
    for path in tracked or ():
        if path not in result.stage and path not in result.drop and path not in result.gone:
            _unchanged(result, path, look.look(path, try_reading=False))
    _note_unreachable(result)
    return result


def _times_tell(git: Git, result: Survey) -> bool:
    """Tell whether the times of directories tell where files are new since the last look, and
    nothing else than a rule could make others of them new."""
    state = result.state
    return state is not None and state.others is not None and tells_of_entries(str(git.work_tree))


def _new_since(git: Git, result: Survey) -> list[str]:
    """Return what git lists as new, where the times of directories tell where that may be other
    than at the last look."""
    rules, scan = result.rules, result.scan
    others = result.state.others if result.state else None
    whole = "" in scan.listed or len(scan.listed) > _MOST_DIRECTORIES
    if others is None or whole or scan.unreadable or rules_touched(result):
        return decode_paths(git.run(*list_others(git, rules), patience=2))
    if not scan.listed:
        return [*others]
    places = _places(scan)
    new = decode_paths(git.run(*list_others(git, rules, *sorted(places)), patience=2))
    return [*new, *(path for path in others if not within(path, places))]


def _places(scan: DirectoryScan) -> set[str]:
    """Return the highest directories that hold all that have changed. Of a repository inside none
    of whose files are in the index, git lists nothing when it is asked for what lies in it: it is
    asked for the whole of the outermost one, which it then names."""
    outermost = {
        next((up for up in reversed([path, *parents(path)]) if up in scan.repositories), path)
        for path in scan.listed
    }
    return {path for path in outermost if outermost.isdisjoint(parents(path))}


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
    if fresh or tracked.changed or rules_touched(result):
        own = set(indexed_paths(git)) if git.own_index.exists() else set()
        own -= result.gone | result.drop
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
    elif is_ours(path):
        pass  # a restore that was killed left it, and a rule of the project shows it
    elif entry.kind in (EntryKind.FILE, EntryKind.LINK):
        result.stage[path] = entry
        result.added.add(path)
    elif entry.kind is EntryKind.MISSING:
        result.skip(path, SkipReason.VANISHED)


def _enter_nested(git: Git, result: Survey, found: list[str]) -> Iterator[str]:
    """Yield the files among ``found`` and those inside nested repositories, which are noted as
    ``nested``. Other checkouts of the project's own repository are not entered.

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
        result.nested.update(nested)
        seeds = [seed_in(path) for path in nested]
        result.seeds.update(seeds)
        add_empty_files(git, seeds)
        found = []
        for start in range(0, len(nested), 100):
            batch = nested[start : start + 100]
            found += decode_paths(git.run(*list_others(git, rules, *batch), patience=2))
        found = [path for path in found if path not in result.seeds]


def _enter_unknown(result: Survey) -> None:
    scan = result.scan
    while scan.unknown:
        batch, scan.unknown = scan.unknown, []
        scan.enter(path for path in batch if path not in scan.ignored)


def _is_gits_own(path: str) -> bool:
    return GIT_NAME in path.lower() and any(is_git_name(part) for part in path.split("/"))


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
