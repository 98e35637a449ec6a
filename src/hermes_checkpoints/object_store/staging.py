"""Brings a project's index up to date with its working directory and writes the tree.

The index is hot: it is never reset, so that only what changed since the last take is read. A
staging that fails leaves no tree at all, never a stale one.
"""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from hermes_checkpoints.errors import GitFailed, GitTimedOut, StoreDamaged
from hermes_checkpoints.fs.inspect import Entry, EntryKind, Inspector
from hermes_checkpoints.fs.scratch import scratch_folder
from hermes_checkpoints.fs.stamp import COARSE_CLOCK_NS, content_id
from hermes_checkpoints.fs.system import permission_bits
from hermes_checkpoints.git import Git
from hermes_checkpoints.model import SkipReason
from hermes_checkpoints.object_store.budget import leave_out
from hermes_checkpoints.object_store.bulk import (
    folders_of,
    waiting,
    write_changes,
    write_contents,
    write_trees,
)
from hermes_checkpoints.object_store.git_index import (
    add_empty_files,
    drop_paths,
    encode_paths,
    index_checksum,
    index_entries,
    indexed_paths,
    lock_file,
)
from hermes_checkpoints.object_store.halving import failing
from hermes_checkpoints.object_store.incompressible import AS_IT_IS, incompressible
from hermes_checkpoints.object_store.index_cache import StageState, forget, meta_of
from hermes_checkpoints.object_store.meta import TreeMeta, UsualModes, usual_modes
from hermes_checkpoints.object_store.survey import survey
from hermes_checkpoints.object_store.surveyed import Survey

PATHS_PER_CALL = 10_000

_LOOKS = 2
"""How often a file that changes while it is staged is staged anew."""


@dataclass(frozen=True)
class Staged:
    """The working directory as a tree, with the facts beside it.

    ``sizes`` are the bytes of the contents that were read, by path.
    """

    tree_id: str
    meta: TreeMeta
    state_id: str
    sizes: Mapping[str, int]


def stage(git: Git, found: Survey, usual: UsualModes | None) -> Staged:
    """Stage what a survey found and write the tree.

    ``usual`` are the usual modes of the last checkpoint, which stay while there is one.

    Raises:
        GitFailed: when git cannot stage or write; the index is then as it was, or gone.
        StoreDamaged: when what was staged is not in the store though git reported success.
    """
    state = found.state
    if state and not found.pending and index_checksum(git.own_index) == state.checksum:
        tree_id = state.tree_id
    else:
        _clear_dead_lock(git)
        folders = _update_index(git, found)
        try:
            tree_id = git.run("write-tree", config=waiting(len(folders))).decode().strip()
        except GitTimedOut:
            raise
        except GitFailed:
            # The index names an object that the store lacks: only staging anew heals that.
            forget(git.own_index)
            left_out = found.over_budget
            found = survey(git, found.rules)
            leave_out(found, left_out.keys() & found.stage.keys())
            _update_index(git, found)
            tree_id = _write_tree_again(git)
    new_state = _new_state(git, found, tree_id, usual)
    meta = meta_of(new_state, tuple(sorted(found.skipped.values(), key=lambda s: s.path)))
    new_state = replace(new_state, state_id=meta.state_id(tree_id))
    if new_state != state:
        new_state.save(git.own_index)
    sizes = {path: entry.size for path, entry in found.stage.items()}
    return Staged(tree_id, meta, new_state.state_id, sizes)


def _write_tree_again(git: Git) -> str:
    try:
        return git.run("write-tree").decode().strip()
    except GitTimedOut:
        raise
    except GitFailed as error:
        raise StoreDamaged(f"what was just staged is not in the store: {error}") from error


def _clear_dead_lock(git: Git) -> None:
    """Remove git's own index lock. The project lock is held, and every git child inherits it,
    so whoever made that lock is dead. (On Windows a live one cannot be removed.)"""
    lock = lock_file(git.own_index)
    try:
        lock.unlink(missing_ok=True)
    except OSError as error:
        raise GitFailed(f"{lock} is in use by a running git") from error


def _update_index(git: Git, found: Survey) -> set[str]:
    """Bring the index up to date; return the directories whose trees are others then."""
    # Git believes these to be up to date, and would not read them again.
    drops = found.drop | found.seeds | (found.unseen_by_git & found.stage.keys())
    if drops:
        drop_paths(git, sorted(drops))
    folders = folders_of((*found.stage, *found.gone, *found.drop))
    written = write_changes(git, found, folders)
    new = not written and write_contents(git, found.stage)
    few = waiting(len(found.stage))
    as_they_are = incompressible(Inspector(str(git.work_tree)), found.stage)
    usual = (found.stage.keys() | found.gone) - as_they_are
    for group, config in ((usual, few), (as_they_are, (*few, *AS_IT_IS))):
        paths = sorted(group)
        for start in range(0, len(paths), PATHS_PER_CALL):
            batch = paths[start : start + PATHS_PER_CALL]
            for path, failure in _refused(git, config, batch):
                _add_or_skip(git, found, path, failure)
    _look_again(git, found)
    _skip_refused(git, found)
    if not written and (new or found.added or found.gone or found.drop):
        write_trees(git, folders)
    return folders


def _refused(
    git: Git, config: tuple[str, ...], paths: Sequence[str]
) -> Iterator[tuple[str, GitFailed]]:
    """Stage paths; yield those that git refuses, each with a failure. Those that may not be opened
    are found without git: a rule beside the permission bits may close any number of files."""
    try:
        _add_all(git, config, paths)
    except GitTimedOut:
        raise
    except GitFailed as failure:
        look = Inspector(str(git.work_tree))
        closed = {path for path in paths if _is_closed(look, path)}
        yield from ((path, failure) for path in paths if path in closed)
    else:
        return
    others = [path for path in paths if path not in closed]
    yield from failing(others, partial(_add_all, git, config))


def _is_closed(look: Inspector, path: str) -> bool:
    try:
        os.close(look.open(path))
    except PermissionError:
        return True
    except OSError:
        return False
    return False


def _look_again(git: Git, found: Survey) -> None:
    """Stage anew what changed since the survey looked at it: it may have been read half-written.

    What changes on and on stays in the index as it was read last, and is listed as unreadable.
    """
    for _ in range(_LOOKS):
        changed = _changed(git, found)
        again = [path for path, now in changed.items() if _still_wanted(git, found, path, now)]
        if not again:
            return
        drop_paths(git, again)  # git might believe them to be up to date
        for path, failure in failing(again, partial(_add_all, git, ())):
            _add_or_skip(git, found, path, failure)
    for path, now in _changed(git, found).items():
        found.skip(path, SkipReason.UNREADABLE, now.size or None)


def _changed(git: Git, found: Survey) -> dict[str, Entry]:
    """Return what is now at each staged path that is no more as it was looked at."""
    look = Inspector(str(git.work_tree), found.rules.max_file_bytes)
    return {
        path: look.look(path, try_reading=False)
        for path, entry in found.stage.items()
        if not look.is_as(path, entry)
    }


def _still_wanted(git: Git, found: Survey, path: str, now: Entry) -> bool:
    """Note what is at a staged path now; where that is no file or link any more that a checkpoint
    holds, take the path out."""
    if now.kind in (EntryKind.FILE, EntryKind.LINK):
        found.stage[path] = now
        return True
    drop_paths(git, [path])
    del found.stage[path]
    if now.kind is EntryKind.OVERSIZE:
        found.skip(path, SkipReason.OVERSIZE, now.size)
    elif path in found.added or now.kind is not EntryKind.MISSING:
        found.skip(path, SkipReason.VANISHED)
    if path in found.added:
        found.added.discard(path)
    elif now.kind is EntryKind.MISSING:
        found.gone.add(path)
    else:
        found.drop.add(path)
    return False


def _skip_refused(git: Git, found: Survey) -> None:
    """Find the paths that git left out without an error: a file that was gone when its turn
    came, or one with a name that git refuses."""
    if index_entries(git.own_index) == found.file_count:
        return
    held = set(indexed_paths(git))
    look = Inspector(str(git.work_tree))
    for path in found.added - held:
        entry = found.stage.pop(path)
        stays = look.look(path, try_reading=False).stamp == entry.stamp
        reason = SkipReason.UNSUPPORTED_NAME if stays else SkipReason.VANISHED
        found.skip(path, reason, entry.size)
    found.added &= held


def _add_or_skip(git: Git, found: Survey, path: str, failure: GitFailed) -> None:
    """Stage one path that git refused, or leave it out if the path is at fault."""
    work_tree = str(git.work_tree)
    before = Inspector(work_tree).look(path)
    if before.kind is EntryKind.MISSING:
        reason = SkipReason.VANISHED
        if path not in found.added:
            found.gone.add(path)
            drop_paths(git, [path])
    elif not _readable(Inspector(work_tree), path):
        reason = SkipReason.UNREADABLE
    else:
        try:
            _add_all(git, (), [path])
            return
        except GitTimedOut:
            raise  # that is no fault of the path
        except GitFailed:
            _require_writable_store(git, failure)
            if Inspector(work_tree).look(path) != before:
                reason = SkipReason.UNREADABLE
            elif _refuses_name(git, path):
                reason = SkipReason.UNSUPPORTED_NAME
            else:
                raise failure from None  # git died: that is no fault of the path
    found.stage.pop(path, None)
    found.added.discard(path)
    if path not in found.gone:
        found.skip(path, reason, before.size or None)


def _require_writable_store(git: Git, failure: GitFailed) -> None:
    """Tell a path that git refuses from a store that takes nothing more, such as a full disk."""
    try:
        git.run("hash-object", "-w", "--stdin", stdin=secrets.token_bytes(64))
    except GitTimedOut:
        raise
    except GitFailed:
        raise failure from None


def _refuses_name(git: Git, path: str) -> bool:
    """Tell whether git takes any other name, but not this one, for an empty file."""
    with scratch_folder(git.own_index.parent) as folder:
        elsewhere = replace(git, index=Path(folder, "index"))
        try:
            add_empty_files(elsewhere, ["name"])
        except GitTimedOut:
            raise
        except GitFailed:
            return False
        try:
            add_empty_files(elsewhere, [path])
        except GitTimedOut:
            raise
        except GitFailed:
            return True
    return False


def _add_all(git: Git, config: tuple[str, ...], paths: Sequence[str]) -> None:
    git.run(
        *("update-index", "-z", "--add", "--remove", "--replace", "--stdin"),
        stdin=encode_paths(paths),
        config=config,
        patience=4,
    )


def _readable(look: Inspector, path: str) -> bool:
    try:
        spot = look.spot(path)
        if not (stat.S_ISREG(mode := spot.lstat().st_mode) or stat.S_ISLNK(mode)):
            return False
        content_id(spot)
    except OSError:
        return False
    return True


def _new_state(git: Git, found: Survey, tree_id: str, usual: UsualModes | None) -> StageState:
    directories = found.scan.found
    if found.state is not None:
        usual = found.state.usual
    elif usual is None:
        bits = [permission_bits(e.mode) for _, e in _looked_at(found) if e.kind is EntryKind.FILE]
        usual = usual_modes(bits, (d.mode for p, d in directories.items() if p))
    files = dict(found.state.files) if found.state else {}
    owners = dict(found.state.owners) if found.state else {}
    for path in (*found.drop, *found.gone):
        files.pop(path, None)
        owners.pop(path, None)
    for path, entry in _looked_at(found):
        files.pop(path, None)
        owners.pop(path, None)
        if entry.owner is not None:
            owners[path] = entry.owner
        if entry.kind is EntryKind.FILE:
            mode = permission_bits(entry.mode)
            if mode != usual.of_bits(mode):
                files[path] = mode
    return StageState(
        index_checksum(git.own_index),
        tree_id,
        "",
        found.rules.name,
        usual,
        files,
        directories,
        found.ignored_paths,
        frozenset(found.scan.specials),
        _recent(found),
        found.rules.max_file_bytes,
        found.rule_files,
        frozenset(found.scan.repositories),
        found.rules.worktrees,
        found.rules.meant,
        found.tracked_state(),
        found.over_budget,
        _budget(found),
        owners,
        found.permissions,
        found.others(),
    )


def _looked_at(found: Survey) -> Iterator[tuple[str, Entry]]:
    """Yield the paths of a checkpoint that a survey looked at, each once."""
    yield from ((path, entry) for path, entry in found.seen.items() if path not in found.stage)
    yield from found.stage.items()


def _budget(found: Survey) -> int:
    """Return the largest budget by which a file was left out that still is."""
    if not found.over_budget:
        return 0
    former = found.state
    again = former is not None and former.over_budget.keys() & found.over_budget.keys()
    return max(found.rules.max_take_bytes or 0, former.max_take_bytes if former and again else 0)


def _recent(found: Survey) -> dict[str, tuple[int, int, int, int]]:
    """Return the stamps of the files whose status changed so shortly before the survey that git
    cannot tell a later change from it, or could not when they were closed."""
    threshold = found.started_ns - COARSE_CLOCK_NS
    old = found.state.recent if found.state else {}
    left_out = found.drop | found.gone
    recent = {
        path: stamp
        for path, stamp in old.items()
        if (stamp[0] >= threshold or path in found.carried) and path not in left_out
    }
    for path, entry in _looked_at(found):
        recent.pop(path, None)
        if entry.ctime >= threshold:
            recent[path] = entry.stamp
    return recent
