"""Compares a checkpoint with the present working directory, or with another checkpoint.

The present is staged into a scratch copy of the index with an object folder of its own, so a
look changes neither the index nor the store.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from hermes_checkpoints.base.opened import Base, Target
from hermes_checkpoints.base.projects import too_broad
from hermes_checkpoints.base.workspace import Workspace
from hermes_checkpoints.errors import BadDirectory, PathUnknown, StoreDamaged, base_errors
from hermes_checkpoints.git import Git
from hermes_checkpoints.model import Change, Checkpoint, Coverage, Diff, SkippedPath, SkipReason
from hermes_checkpoints.model.paths import clean_path, within
from hermes_checkpoints.object_store import (
    Comparison,
    TreeState,
    compare_states,
    entries_at,
    find_entry,
    find_file,
    patching,
)
from hermes_checkpoints.object_store.aside import Aside
from hermes_checkpoints.object_store.git_objects import TREE_MODE
from hermes_checkpoints.object_store.named import only_paths, told_of
from hermes_checkpoints.object_store.tree_listing import folder_entries
from hermes_checkpoints.object_store.wholeness import all_lost_paths


@dataclass(frozen=True)
class Present:
    """The working directory as it is now. The workspace's ``git`` can read its objects while the
    block lasts."""

    workspace: Workspace
    state: TreeState
    state_id: str


@contextlib.contextmanager
def present(base: Base, target: Target, only: Collection[str] | None = None) -> Iterator[Present]:
    """Look at a working directory as a take would, or at some paths of it ``only``, and leave
    nothing behind.

    Raises:
        BadDirectory, GitFailed, LockHeld.
    """
    with Workspace.scratch(base, target, "comparison") as workspace:
        if only is not None:
            with base_errors(base.layout.base):
                staged = only_paths(workspace.git, only)
            yield Present(workspace, TreeState(staged.tree_id, staged.meta), staged.state_id)
            return
        found = workspace.survey()
        last = base.catalog.checkpoints.last(target.hash) if found.state is None else None
        staged = workspace.stage(found, last)
        yield Present(workspace, TreeState(staged.tree_id, staged.meta), staged.state_id)


def coverage(base: Base, target: Target) -> Coverage:
    """Return what the next take of a directory would hold and leave out; nothing is stored.

    Raises:
        BadDirectory, GitFailed, LockHeld.
    """
    refused = too_broad(target.path, base.layout)
    if refused is not None:
        raise BadDirectory(refused.reason)
    with Workspace.scratch(base, target, "survey") as workspace:
        found = workspace.survey()
        workspace.keep_within(found, base.catalog.checkpoints.last(target.hash))
    return Coverage(
        target.path,
        found.file_count,
        len(found.scan.found.keys() - {""}),
        tuple(sorted(found.skipped.values(), key=lambda s: s.path)),
        found.ignored_paths,
        found.other_checkouts,
        found.tracked.unread,
    )


def diff_with_present(
    base: Base,
    checkpoint: Checkpoint,
    target: Target,
    paths: Sequence[str] | None,
    *,
    binary: bool = False,
) -> Diff:
    """Return what changed from a checkpoint to the present working directory. With ``binary`` the
    text is a patch for ``git apply``.

    Raises:
        PathUnknown: when a path is neither in the checkpoint nor in what would be captured now.
        BadDirectory, GitFailed, LockHeld, PathRefused.
    """
    old = base.store.state(checkpoint.id, checkpoint.tree_id)
    only = told_of(base.store.git, old) if checkpoint.partial else None
    with present(base, target, only) as now:
        git = now.workspace.git
        sides = [(old, checkpoint), (now.state, None)]
        wanted = wanted_paths(git, paths, sides, "the working directory")
        lost = _lost(git, checkpoint)
        return Diff(
            checkpoint, None, *_differences(base, git, old, now.state, wanted, lost, binary)
        )


def diff_between(
    base: Base,
    checkpoint: Checkpoint,
    against: Checkpoint,
    paths: Sequence[str] | None,
    *,
    binary: bool = False,
) -> Diff:
    """Return what changed from one checkpoint to another; ``binary`` is as in
    ``diff_with_present``.

    Raises:
        PathUnknown: when neither holds a path.
        GitFailed, PathRefused.
    """
    old = base.store.state(checkpoint.id, checkpoint.tree_id)
    new = base.store.state(against.id, against.tree_id)
    git = base.store.git
    sides = [(old, checkpoint), (new, against)]
    wanted = wanted_paths(git, paths, sides, f"checkpoint {against.short_id}")
    lost = _lost(git, checkpoint, against)
    return Diff(checkpoint, against, *_differences(base, git, old, new, wanted, lost, binary))


def require_told(git: Git, checkpoint: Checkpoint, state: TreeState, path: str) -> None:
    """Refuse a path of which a partial checkpoint, whose ``state`` is given, tells nothing: that
    it lacks it says nothing.

    Raises:
        PathUnknown, GitFailed.
    """
    if within(path, state.meta.absent):
        return
    if not any(within(name, [path]) for name in told_of(git, state)):
        raise PathUnknown(
            f"checkpoint {checkpoint.short_id} is partial and tells nothing of {path!r}; "
            f"`show {checkpoint.short_id}` lists the paths that it does",
            path,
        )


def _differences(
    base: Base,
    git: Git,
    old: TreeState,
    new: TreeState,
    wanted: Sequence[str] | None,
    lost: Collection[str],
    binary: bool,
) -> tuple[tuple[Change, ...], str, str, tuple[SkippedPath, ...]]:
    """Compare two states without what one of them left out for a reason that it lists, or a rule
    ignored: that is neither deleted nor added. Return the differences, and what was not compared:
    all that the newer one left out, and what the older one did of what the newer one has; of what a
    rule ignored only what the other one has."""
    ignored = [ignored_of(old) - ignored_of(new), ignored_of(new) - ignored_of(old)]
    before, after = (
        entries_at(git, other.tree_id, {*unread, *(one.path for one in state.meta.skipped)}).keys()
        for state, other, unread in ((old, new, ignored[0]), (new, old, ignored[1]))
    )
    skipped = {
        path: SkippedPath(path, SkipReason.IGNORED)
        for path in (ignored[0] & before) | (ignored[1] & after)
    }
    skipped |= {one.path: one for one in old.meta.skipped if one.path in before}
    skipped |= {one.path: one for one in new.meta.skipped}
    not_compared = tuple(skipped[path] for path in sorted(skipped))
    apart = frozenset(before | after)
    if not apart:
        return *_all_differences(git, old, new, wanted, lost, binary), not_compared
    with Aside.lent(git, base.layout.scratch) as aside:
        trees = aside.without((old.tree_id, new.tree_id), apart)
        old, new = replace(old, tree_id=trees[0]), replace(new, tree_id=trees[1])
        changes, stat, text = _all_differences(aside.git, old, new, wanted, lost, binary)
    # The permissions of what is left out are still listed beside the tree of the other.
    changes = tuple(c for c in changes if not within(c.path, apart))
    return changes, stat, text, not_compared


def ignored_of(state: TreeState) -> frozenset[str]:
    """Return the paths that a rule ignored in a state, as far as it lists them."""
    return frozenset(path.rstrip("/") for path in state.meta.ignored_paths)


def _all_differences(
    git: Git,
    old: TreeState,
    new: TreeState,
    wanted: Sequence[str] | None,
    lost: Collection[str],
    binary: bool,
) -> tuple[tuple[Change, ...], str, str]:
    """Compare two states. Of the ``lost`` paths, whose contents the store lacks on one side, it can
    only be told that they differ; lines are not counted then."""
    if not lost:
        with patching(git, old.tree_id, new.tree_id, wanted, binary=binary) as patch:
            chosen = chosen_changes(compare_states(git, old, new, lines=True), wanted)
            return tuple(chosen), *patch()
    chosen = chosen_changes(compare_states(git, old, new, lines=False), wanted)
    unknown = [c.path for c in chosen if c.path in lost]
    if unknown and binary:
        raise StoreDamaged(
            f"the object store lacks the contents of {', '.join(unknown)}; name the other paths"
        )
    if unknown:
        wanted = [c.path for c in chosen if c.path not in lost]
    with patching(git, old.tree_id, new.tree_id, wanted, binary=binary) as patch:
        stat, text = patch()
    text += "".join(f"{path}: differs; the object store lacks its contents\n" for path in unknown)
    return tuple(chosen), stat, text


def chosen_changes(comparison: Comparison, wanted: Sequence[str] | None) -> list[Change]:
    """Return the changes at or below the wanted paths, by path."""
    limits, found = frozenset(wanted or ()), comparison.changes.values()
    return sorted(
        (c for c in found if wanted is None or within(c.path, limits)), key=lambda c: c.path
    )


def _lost(git: Git, *sides: Checkpoint) -> set[str]:
    """Return the paths of partly lost checkpoints whose contents the store lacks."""
    return all_lost_paths(git, [one.tree_id for one in sides if one.partly_lost])


def wanted_paths(
    git: Git,
    paths: Sequence[str] | None,
    sides: Sequence[tuple[TreeState, Checkpoint | None]],
    other: str,
) -> list[str] | None:
    """Return the paths to compare in their plain form; a path that was left out of a side for a
    reason that is listed is there. ``sides`` are two states, each with its checkpoint, if it is one
    of one, and ``other`` names the second.

    Raises:
        PathUnknown: when neither side has a path, or partial checkpoints tell nothing of it.
        GitFailed, PathRefused.
    """
    partial = [(state, one) for state, one in sides if one is not None and one.partial]
    if paths is None and not partial:
        return None
    both = _told_of_by_all(git, [state for state, _ in partial])
    if len(partial) > 1 and not both:
        names = " and ".join(checkpoint.short_id for _, checkpoint in partial)
        raise PathUnknown(
            f"checkpoints {names} are partial and tell of no path in common; `show ID` lists the "
            "paths that one tells of"
        )
    if paths is None:
        return both
    wanted = [clean_path(path) for path in paths]
    for state, one in partial:
        for path in wanted:
            require_told(git, one, state, path)
    for path in wanted:
        if not any(_holds(git, state, path) or _leaves_out(state, path) for state, _ in sides):
            named = sides[0][1]
            first = "the working directory"
            if named is not None:
                first = f"checkpoint {named.short_id}"
            raise PathUnknown(
                f"neither {first} nor {other} holds {path!r} (paths are "
                "taken literally, and what the rules ignore is not compared)"
            )
    if not partial:
        return wanted
    return [path for path in both if within(path, wanted)] + [p for p in wanted if within(p, both)]


def _told_of_by_all(git: Git, partial: Sequence[TreeState]) -> list[str]:
    """Return the paths that each of some partial checkpoints tells of; of all others, at least one
    tells nothing. Where a directory was missing, so was all in it."""
    told = [told_of(git, state) for state in partial]
    missing = [frozenset(state.meta.absent) for state in partial]
    return sorted(
        path
        for path in {path for names in told for path in names}
        if all(
            path in names or within(path, absent)
            for names, absent in zip(told, missing, strict=True)
        )
    )


def holds(base: Base, checkpoint: Checkpoint, path: str) -> bool:
    """Tell whether a checkpoint holds a path: a file, a link or a directory.

    Raises:
        PathRefused, BadRequest, GitFailed.
    """
    state = base.store.state(checkpoint.id, checkpoint.tree_id)
    return _holds(base.store.git, state, clean_path(path))


def _holds(git: Git, state: TreeState, path: str) -> bool:
    return path in state.meta.directories or find_entry(git, state.tree_id, path) is not None


def names(base: Base, checkpoint: Checkpoint, folder: str) -> list[str]:
    """Return the names of what a checkpoint holds directly in a folder; those of directories end in
    ``/``.

    Raises:
        PathRefused, BadRequest, GitFailed.
    """
    state = base.store.state(checkpoint.id, checkpoint.tree_id)
    within_it = f"{clean_path(folder)}/" if folder else ""
    paths = [f"{path}/" for path in state.meta.directories if path.startswith(within_it)]
    for entry in folder_entries(base.store.git, state.tree_id, within_it):
        paths.append(f"{entry.path}/" if entry.mode == TREE_MODE else entry.path)
    return sorted({"".join(path[len(within_it) :].partition("/")[:2]) for path in paths} - {""})


def _leaves_out(state: TreeState, path: str) -> bool:
    """Tell whether a state says of a path that it lacks it, and why."""
    return path in state.meta.absent or any(
        within(skipped.path, [path]) for skipped in state.meta.skipped
    )


def read_file(base: Base, checkpoint: Checkpoint, path: str) -> bytes:
    """Return the contents of one file of a checkpoint.

    Raises:
        PathUnknown: when the checkpoint does not hold it as a file or link.
        PathRefused, BadRequest, StoreDamaged.
    """
    relative = clean_path(path)
    found = find_file(base.store.git, checkpoint.tree_id, relative)
    if found is None:
        raise PathUnknown(
            f"checkpoint {checkpoint.short_id} holds no file {path!r}; "
            "paths are taken literally, relative to the project",
            relative,
        )
    with base.store.git.blobs() as reader:
        return reader.read(found.object_id)[2]
