"""Looks at the present state that a restore is planned for, and saves it before the first write.

Where a take would capture the whole directory, the look is that of a take, and the safety
checkpoint holds what it saw. Where it would not (too many files, too broad, no room), a restore
needs no more than the paths that it writes: the safety checkpoint is a partial one then.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from hermes_checkpoints.attribution import observing
from hermes_checkpoints.base.projects import too_broad
from hermes_checkpoints.base.workspace import Workspace
from hermes_checkpoints.capture.partial import take_paths
from hermes_checkpoints.capture.request import TakeRequest
from hermes_checkpoints.capture.take import TOO_MANY_FILES, Seen, keep, see
from hermes_checkpoints.errors import (
    BadDirectory,
    CheckpointError,
    GitMissing,
    GitTooOld,
    LockHeld,
)
from hermes_checkpoints.fs.inspect import EntryKind, Inspector
from hermes_checkpoints.git import Git
from hermes_checkpoints.model import (
    Action,
    Change,
    ChangeStatus,
    Checkpoint,
    Kind,
    Mode,
    Moment,
    PlannedPath,
    Skipped,
)
from hermes_checkpoints.model.paths import folders_above, within
from hermes_checkpoints.object_store import Staged, TreeState, list_tree
from hermes_checkpoints.object_store.named import only_paths


@dataclass(frozen=True)
class Reach:
    """How far a restore goes: ``chosen`` and what lies below, or, ``exactly``, these alone; None
    chooses everything. ``then`` is the state that it goes back to, ``alone`` whether that tells of
    a few paths only, so that nothing else is looked at."""

    then: TreeState
    mode: Mode
    chosen: Sequence[str] | None
    exactly: bool
    alone: bool = False


@dataclass(frozen=True)
class Look:
    """The present state. ``git`` can read its objects while the look lasts. ``seen`` is what a
    safety checkpoint holds of it, None where only a partial one can be taken. One that
    ``is_narrow`` is of the paths alone that the restore may touch; it is taken ``alone`` where the
    checkpoint tells of no others."""

    workspace: Workspace
    git: Git
    staged: Staged
    seen: Seen | None
    at_ns: int
    alone: bool = False
    is_narrow: bool = False

    @property
    def state(self) -> TreeState:
        """The present tree with the facts beside it."""
        return TreeState(self.staged.tree_id, self.staged.meta)

    def observed(
        self, checkpoint: Checkpoint, then: TreeState, changes: Iterable[Change]
    ) -> observing.Look | None:
        """Return this look as one that tells whose changes it sees; None where there is no
        checkpoint before it. ``changes`` lead from the present to ``checkpoint``, whose state is
        ``then``: where that is the last one, nothing is compared once more."""
        last = self.workspace.base.catalog.checkpoints.last(self.workspace.target.hash)
        if last is None:
            return None
        there = replace(self.workspace, git=self.git)
        if last.id == checkpoint.id and not self.is_narrow:
            since = {change.path: _reversed(change) for change in changes}
            return observing.Look(there, last, then, self.state, since, self.at_ns)
        return observing.Look.of(there, last, self.state, self.staged.state_id, self.at_ns)

    def save(
        self,
        reason: str,
        moment: Moment | None,
        steps: Sequence[PlannedPath],
        uncaptured: Collection[str],
    ) -> Checkpoint:
        """Take the checkpoint that brings back what the steps overwrite or delete. ``uncaptured``
        are paths among them that a take leaves out.

        Raises:
            CheckpointError: when it cannot be taken; then nothing may be written.
        """
        # This take did not wait for the lock.
        workspace = replace(self.workspace, started=self.workspace.base.now())
        at = moment or Moment()
        name = workspace.target.name
        request = TakeRequest(name, reason, Kind.SAFETY, at.session_id, at.turn, at.message_count)
        changing = [step for step in steps if step.action is not Action.KEEP]
        files = {step.path for step in changing if step.is_file}
        if self.seen is None:
            folders = {step.path for step in changing if not step.is_file}
            taken = take_paths(workspace, request, files, folders, noting=self.alone)
            return taken.checkpoint
        seen = replace(self.seen, workspace=replace(self.seen.workspace, started=workspace.started))
        return keep(request, seen, files.intersection(uncaptured)).checkpoint


_REVERSED = {
    ChangeStatus.ADDED: ChangeStatus.DELETED,
    ChangeStatus.DELETED: ChangeStatus.ADDED,
}


def _reversed(change: Change) -> Change:
    """Return what leads back from the new state of a path to the old one."""
    return Change(
        change.path,
        _REVERSED.get(change.status, change.status),
        change.new_blob,
        change.old_blob,
        change.new_mode,
        change.old_mode,
        insertions=change.deletions,
        deletions=change.insertions,
    )


@contextlib.contextmanager
def look_at(workspace: Workspace, reach: Reach, *, planning: bool = False) -> Iterator[Look]:
    """Look at the present state of an entered project. When ``planning``, the workspace is one to
    look only.

    Raises:
        CheckpointError: when not even the paths that the checkpoint holds can be looked at.
    """
    at_ns = time.time_ns()
    known = _knows_its_paths(workspace, reach)
    seen = None if reach.alone else _whole(workspace, known)
    if isinstance(seen, Seen):
        yield Look(workspace, workspace.git, seen.staged, seen, at_ns)
        return
    with contextlib.ExitStack() as stack:
        git = workspace.git
        if not planning:
            git = stack.enter_context(workspace.base.store.scratch(git))
        aside = replace(workspace, git=git)
        staged = _narrow(aside, reach) if known else aside.stage(aside.survey(), None)
        yield Look(workspace, git, staged, None, at_ns, reach.alone, is_narrow=known)


def _whole(workspace: Workspace, known: bool) -> Seen | None:
    """Look at all that a take captures; return what was seen, or None where a take would be
    refused or fail. ``known`` says that a look at a few paths will do then.

    Raises:
        BadDirectory: when the directory is too broad to be looked at, and has to be.
    """
    base = workspace.base
    refused = too_broad(workspace.target.path, base.layout)
    if refused is not None and not known:
        raise BadDirectory(
            f"{refused.reason}; of this one, only named paths or those of the checkpoint can be "
            "restored (mode overlay), since nobody knows what else was made in it"
        )
    if refused is not None or (known and _was_too_large(workspace)):
        return None
    try:
        seen = see(workspace)
    except (LockHeld, GitMissing, GitTooOld):
        raise
    except (CheckpointError, OSError):
        return None
    return None if isinstance(seen, Skipped) else seen


def _was_too_large(workspace: Workspace) -> bool:
    """Tell whether the last take was refused since there are too many files, so that it is not
    worth while to list them all again for the sake of a few paths. If there are fewer by now, the
    safety checkpoint has less than it could, and all that the restore needs."""
    found = workspace.base.catalog.operations.last_refusal(workspace.target.name)
    return found == TOO_MANY_FILES


def _knows_its_paths(workspace: Workspace, reach: Reach) -> bool:
    """Tell whether a restore touches no path but those that the checkpoint holds or that are
    named, so that nothing else has to be looked at."""
    if reach.mode is Mode.OVERLAY or reach.exactly:
        return True
    look = Inspector(workspace.root)
    kinds = (look.look(name).kind for name in reach.chosen or [""])
    return EntryKind.DIRECTORY not in kinds


def _narrow(workspace: Workspace, reach: Reach) -> Staged:
    """Stage what lies at the paths that the checkpoint holds or that are named."""
    chosen = reach.chosen
    wanted = frozenset(chosen or ())
    paths = {*list_tree(workspace.git, reach.then.tree_id), *(chosen or ())}
    folders = set(reach.then.meta.directories)
    if chosen is not None and reach.exactly:
        paths &= wanted
        folders &= wanted
    elif chosen is not None:
        paths = {path for path in paths if within(path, wanted)}
        folders = {path for path in folders if within(path, wanted)}
    return only_paths(workspace.git, paths, folders | folders_above(paths))
