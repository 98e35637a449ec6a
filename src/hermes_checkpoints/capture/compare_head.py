"""Compares HEAD of the repository that a project lies in with a checkpoint, or with the present.

That repository is read and never written, and nothing in it is obeyed: HEAD, refs and index are
read from their files, and git reads the objects alone, from a repository of our own. So no filter
runs, and files are compared byte for byte.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from hermes_checkpoints.base.opened import Base, Target
from hermes_checkpoints.base.projects import too_broad
from hermes_checkpoints.capture.compare import chosen_changes, ignored_of, present, wanted_paths
from hermes_checkpoints.errors import BadDirectory, GitFailed, GitTimedOut, StoreDamaged
from hermes_checkpoints.fs.repository import Repository, enclosing
from hermes_checkpoints.git import Git
from hermes_checkpoints.model import (
    Change,
    Checkpoint,
    Head,
    HeadDiff,
    SkippedPath,
    SkipReason,
    head_text,
)
from hermes_checkpoints.model.paths import within
from hermes_checkpoints.object_store import (
    EMPTY_TREE,
    TreeMeta,
    TreeState,
    find_entry,
    list_entries,
    patching,
)
from hermes_checkpoints.object_store.aside import Aside, missing
from hermes_checkpoints.object_store.compare import compare_many
from hermes_checkpoints.object_store.foreign_head import of_head, sparse_paths
from hermes_checkpoints.object_store.git_objects import GITLINK_MODE, TREE_MODE, is_object_id


def diff_with_head(
    base: Base, target: Target, checkpoint: Checkpoint | None, paths: Sequence[str] | None
) -> HeadDiff:
    """Return what changed from HEAD to a checkpoint, or to the present working directory.

    Raises:
        BadDirectory: when the directory belongs to no repository, that has no commit yet, or one
            that cannot be read here.
        PathUnknown: when a path is on neither side.
        GitFailed, LockHeld, PathRefused.
    """
    repository = enclosing(target.path)
    if repository is None:
        raise BadDirectory(f"{target.path} belongs to no git repository, so that it has no HEAD")
    head = repository.head()
    _require_readable(repository, head)
    if checkpoint is not None:
        state = base.store.state(checkpoint.id, checkpoint.tree_id)
        return _compared(base, base.store.git, repository, head, target, checkpoint, state, paths)
    refused = too_broad(target.path, base.layout)
    if refused is not None:
        raise BadDirectory(refused.reason)
    with present(base, target) as now:
        git = now.workspace.git
        return _compared(base, git, repository, head, target, None, now.state, paths)


def _require_readable(repository: Repository, head: Head) -> None:
    if head.commit is None:
        raise BadDirectory(
            f"HEAD of {repository.top} ({head_text(head)}) names no commit that can be read here: "
            "the repository has none yet, is damaged, or keeps its refs as reftables, where "
            "`git diff HEAD` compares it with the present"
        )
    if not is_object_id(head.commit):
        raise BadDirectory(
            f"the repository at {repository.top} is one of SHA-256, whose objects cannot be "
            "compared with those of checkpoints; `git diff HEAD` compares it with the present"
        )


def _compared(
    base: Base,
    git: Git,
    repository: Repository,
    head: Head,
    target: Target,
    checkpoint: Checkpoint | None,
    state: TreeState,
    paths: Sequence[str] | None,
) -> HeadDiff:
    with Aside.lent(git.with_objects(repository.objects), base.layout.scratch) as aside:
        with of_head(repository, head):
            tree = _tree(aside.git, head, repository.subdirectory(target.path))
            entries = list_entries(aside.git, tree)
            modules = sorted(p for p, entry in entries.items() if entry.mode == GITLINK_MODE)
        sides = [(state, checkpoint), (TreeState(tree, TreeMeta()), None)]
        wanted = wanted_paths(aside.git, paths, sides, f"HEAD ({head_text(head)})")
        ignored = ignored_of(state)
        skipped = (
            *state.meta.skipped,
            *(
                SkippedPath(path, SkipReason.IGNORED)
                for path in sorted(entries)
                if within(path, ignored)
            ),
        )
        apart = {*modules, *(one.path for one in skipped)}
        sparse = sparse_paths(repository, target.path, entries)
        if sparse:
            apart |= sparse - list_entries(aside.git, state.tree_id).keys()
        changes, stat, text, lost = _differences(aside, tree, state.tree_id, apart, wanted)
    return HeadDiff(head, checkpoint, changes, stat, text, skipped, tuple(modules), lost)


def _tree(git: Git, head: Head, subdirectory: str) -> str:
    """Return the tree of HEAD at the project, the empty one where it has none there."""
    tree = git.run("rev-parse", "--verify", "--quiet", f"{head.commit}^{{tree}}").decode().strip()
    if not subdirectory or tree == EMPTY_TREE:
        return tree
    found = find_entry(git, tree, subdirectory)
    return found.object_id if found is not None and found.mode == TREE_MODE else EMPTY_TREE


def _differences(
    aside: Aside, old: str, new: str, apart: Collection[str], wanted: Sequence[str] | None
) -> tuple[tuple[Change, ...], str, str, tuple[str, ...]]:
    """Compare two trees without the paths that are left ``apart``; of those whose contents are in
    no reach it is only told that they differ."""
    left = aside.without((old, new), apart)
    try:
        changes, stat, text = _texts(aside.git, left, wanted)
        return tuple(changes), stat, text, ()
    except GitTimedOut:
        raise
    except (GitFailed, StoreDamaged):
        found = _changes(aside.git, left, wanted, lines=False)
        ids = [blob for c in found for blob in (c.old_blob, c.new_blob) if blob]
        away = missing(aside.git, ids)
        lost = [c for c in found if {c.old_blob, c.new_blob} & away]
        if not lost:
            raise
    names = {c.path for c in lost}
    changes, stat, text = _texts(aside.git, aside.without(left, names), wanted)
    for change in lost:
        where = "repository" if change.old_blob in away else "object store"
        text += f"{change.path}: differs; the {where} lacks its contents\n"
    changes = sorted([*changes, *lost], key=lambda c: c.path)
    return tuple(changes), stat, text, tuple(sorted(names))


def _texts(
    git: Git, trees: Sequence[str], wanted: Sequence[str] | None
) -> tuple[list[Change], str, str]:
    with patching(git, trees[0], trees[1], wanted) as patch:
        return _changes(git, trees, wanted, lines=True), *patch()


def _changes(
    git: Git, trees: Sequence[str], wanted: Sequence[str] | None, *, lines: bool
) -> list[Change]:
    if trees[0] == trees[1]:
        return []
    [comparison] = compare_many(git, [(trees[0], trees[1])], lines=lines)
    return chosen_changes(comparison, wanted)
