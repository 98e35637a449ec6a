"""Gives the history of a moved directory to the place where it is now.

Commits and refs stay as they are, so every id keeps its meaning; that the directory moved is the
catalog's, and is written down in the store as well, for a catalog that is rebuilt from it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from hermes_checkpoints.base.lookup import require_project
from hermes_checkpoints.base.opened import Base, Target
from hermes_checkpoints.base.projects import too_broad
from hermes_checkpoints.errors import BadRequest, ProjectUnknown, base_error
from hermes_checkpoints.fs.locks import exclusive
from hermes_checkpoints.fs.system import identity
from hermes_checkpoints.model import FileIdentity, ProjectRecord, ProjectState
from hermes_checkpoints.object_store.index_cache import forget
from hermes_checkpoints.object_store.moves import note_move


@dataclass(frozen=True)
class Rebound:
    """A history that moved. ``merged`` says that the new place had checkpoints of its own.

    >>> Path("old").mkdir()
    >>> taken = checkpoints.project("old").take()
    >>> moved = Path("old").rename("new")
    >>> rebound = checkpoints.rebind("old", "new")
    >>> rebound.checkpoints, len(checkpoints.project("new").list())
    (1, 1)
    """

    project: ProjectRecord
    old: Path
    checkpoints: int
    merged: bool


def plan_rebind(base: Base, old: Target, new: Target) -> Rebound:
    """Return what ``rebind`` would return, by the same checks; nothing is changed.

    Raises:
        BadRequest, ProjectUnknown, BadDirectory: as for ``rebind``.
    """
    if old.hash == new.hash:
        raise BadRequest(f"{old.path} and {new.path} are the same directory")
    moving = require_project(base, old)
    refused = too_broad(new.path, base.layout)
    if refused is not None:
        raise BadRequest(refused.reason)
    if old.path.exists():
        raise BadRequest(f"{old.path} still exists; a history goes with a directory that moved")
    _identities(new)
    present = base.catalog.projects.get(new.hash)
    project = present or replace(moving, hash=new.hash, working_dir=new.name)
    count = sum(one.checkpoints for one in base.catalog.status.projects(only=old.hash))
    live = replace(project, state=ProjectState.LIVE)
    return Rebound(live, old.path, count, merged=present is not None)


def rebind(base: Base, old: Target, new: Target, plan: Rebound | None = None) -> Rebound:
    """Move the history of ``old`` to ``new``.

    Raises:
        BadRequest: when both are one, the old directory still exists, the new one is none that
            may be checkpointed, or ``plan`` is another one.
        ProjectUnknown: when the old one has no history.
        BadDirectory: when the new one cannot be read.
        LockHeld: when a process works on either.
    """
    plan_rebind(base, old, new)  # what is refused needs no lock
    first, second = sorted((old, new), key=lambda target: target.hash)
    base.require_writable()
    layout, limit = base.layout, base.lock_timeout
    with (
        exclusive(layout.project_lock(first.hash), purpose="rebind", timeout=limit) as one,
        exclusive(layout.project_lock(second.hash), purpose="rebind", timeout=limit) as other,
    ):
        planned = plan_rebind(base, old, new)
        if plan is not None and _moves(plan) != _moves(planned):
            raise BadRequest("the plan is for other directories or checkpoints; make a new plan")
        own, parent = _identities(new)
        one.require()
        other.require()
        try:
            note_move(layout.store, old.name, new.name)
        except OSError as error:
            raise base_error(error, layout.base) from error
        base.catalog.retention.rebind(old.hash, new.hash, new.name, own, parent)
        for target in (old, new):
            forget(layout.index_of(target.hash))
        found = base.catalog.projects.get(new.hash)
    if found is None:
        raise ProjectUnknown(f"the history of {old.path} is gone")
    return replace(planned, project=found)


def _identities(new: Target) -> tuple[FileIdentity, FileIdentity]:
    own, parent = identity(new.path), identity(new.path.parent)
    if own is None or parent is None:
        raise BadRequest(f"{new.path} cannot be seen")
    return own, parent


def _moves(one: Rebound) -> tuple[object, ...]:
    return one.old, one.project.hash, one.checkpoints, one.merged
