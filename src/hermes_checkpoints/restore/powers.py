"""Keeps a restore from giving the powers of one user to the contents of another.

Whoever runs a file with a set-id bit gets the powers of its user or group. Such a bit comes back
only where the user and group that had it when the file was captured are those who get the file now:
a file of somebody else, restored by root, would be root's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from hermes_checkpoints.fs.handles import Directory, Tree
from hermes_checkpoints.fs.inspect import SET_ID
from hermes_checkpoints.fs.system import owner_of_new as owner_in
from hermes_checkpoints.fs.writer import WITHOUT_POWERS, owner_of_new
from hermes_checkpoints.model import Action, PlannedPath
from hermes_checkpoints.model.paths import looks_like_git_name

LIKE_GIT = "some file systems take its name for git's own, and it is from somebody else"


def without_others_powers(
    root: Directory, steps: Iterable[PlannedPath], owners: Mapping[str, tuple[int, int]]
) -> tuple[PlannedPath, ...]:
    """Return steps that give no set-id bit but to the ``owners`` that had it, by path, and that say
    so where that makes them others. Where nothing else is to be changed, the path is kept.

    For example, a file of mode 4755 whose owner is not known comes back with 0755.
    """
    tree = Tree(root)
    return tuple(_own(tree, root, step, owners.get(step.path)) for step in steps)


def without_likes_of_git(steps: Iterable[PlannedPath]) -> tuple[PlannedPath, ...]:
    """Return steps that bring back nothing which some file system takes for ``.git``: what somebody
    else has put there would be obeyed by git. Of a checkpoint of this base, it lay there before."""
    return tuple(
        replace(step, action=Action.KEEP, reason=LIKE_GIT)
        if step.action not in (Action.KEEP, Action.DELETE)
        and any(map(looks_like_git_name, step.path.split("/")))
        else step
        for step in steps
    )


def _own(
    tree: Tree, root: Directory, step: PlannedPath, had: tuple[int, int] | None
) -> PlannedPath:
    given = (step.mode or 0) & SET_ID
    if not given or not step.is_file or step.action not in (Action.WRITE, Action.CHMOD):
        return step
    if had is not None and had == _who_gets(tree, root, step):
        return step
    if step.action is Action.CHMOD:
        given &= ~(step.old_mode or 0)
    mode = (step.mode or 0) & ~given
    if not given:
        return step
    reason = f"{step.reason}; {WITHOUT_POWERS}"
    if step.action is Action.CHMOD and mode == step.old_mode:
        return replace(step, action=Action.KEEP, reason=WITHOUT_POWERS)
    return replace(step, mode=mode, reason=reason)


def _who_gets(tree: Tree, root: Directory, step: PlannedPath) -> tuple[int, int]:
    """Return the user and group of a file after a step."""
    try:
        spot = tree.spot(step.path)
        if step.action is Action.CHMOD:
            found = spot.lstat()
            return found.st_uid, found.st_gid
    except OSError:  # the directory is made, too, or in the way
        project = root.stat()
        return owner_in(project, project, None)
    return owner_of_new(spot, root)
