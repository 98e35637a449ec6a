"""Finds the projects inside a project. A restore leaves them alone unless it is asked.

Whoever works in such a directory has checkpoints and turns of it by its own: what changed there is
not the doing of those who work in the project around it. One that is gone now is no project any
more: what it held comes back as everything else does.
"""

from __future__ import annotations

from collections.abc import Iterable

from hermes_checkpoints.base.projects import REPOSITORIES
from hermes_checkpoints.base.workspace import Workspace
from hermes_checkpoints.fs.inspect import Inspector
from hermes_checkpoints.model import Action, Mode, PlannedPath
from hermes_checkpoints.model.paths import at_or_above
from hermes_checkpoints.object_store import is_worktree
from hermes_checkpoints.restore.situation import Basis

NESTED = "a project of its own: left alone unless it is named"
"""Why a directory is kept. The step stands for all that differs in it."""


def projects_inside(workspace: Workspace, paths: Iterable[str]) -> frozenset[str]:
    """Return the directories at or above ``paths`` that are projects of their own: a repository, a
    linked worktree, or a directory of which there are checkpoints."""
    base, target = workspace.base, workspace.target
    found = at_or_above(paths)
    if not found:
        return frozenset()
    below = [one.working_dir for one in base.catalog.projects.related(target.name)]
    prefix = f"{target.name}/"
    registered = {name.removeprefix(prefix) for name in below if name.startswith(prefix)}
    look = Inspector(workspace.root)
    return frozenset(
        name
        for name in found
        if look.is_directory(name)
        and (name in registered or any(look.exists(f"{name}/{git}") for git in REPOSITORIES))
    )


def worktrees_inside(workspace: Workspace, paths: Iterable[str]) -> frozenset[str]:
    """Return the directories at or above ``paths`` that are other checkouts of the repository that
    the project belongs to. Whoever works in one, works on another branch: a checkpoint that still
    has files of it, from before it was one, says nothing of them."""
    root, rules = str(workspace.target.path), workspace.rules
    if rules.repository is None:
        return frozenset()
    return frozenset(name for name in at_or_above(paths) if is_worktree(root, rules, name))


def keep(basis: Basis) -> list[PlannedPath]:
    """Return one step for each project that is left alone although files differ in it."""
    kept: set[str] = set()
    for path in basis.situation.changes:
        alone = basis.left_alone(path)
        if alone is None or not basis.is_wanted(path):
            continue
        if basis.mode is not Mode.OVERLAY or path not in basis.present_only:
            kept.add(alone)
    return [PlannedPath(name, Action.KEEP, NESTED) for name in sorted(kept)]


def is_nested(step: PlannedPath) -> bool:
    """Tell whether a step keeps a project inside the one that is restored."""
    return step.action is Action.KEEP and step.reason == NESTED
