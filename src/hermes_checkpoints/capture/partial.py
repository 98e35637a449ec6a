"""Takes partial checkpoints: of a few named files alone, where the directory as a whole is not
captured."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from hermes_checkpoints.attribution.turns import note_alone_taken
from hermes_checkpoints.base.sizes import measure
from hermes_checkpoints.base.workspace import Workspace
from hermes_checkpoints.capture.about import names_of, nothing_of
from hermes_checkpoints.capture.facts import facts_of, where_of
from hermes_checkpoints.capture.publishing import Difference, New, limit_of_refs, publish
from hermes_checkpoints.capture.request import TakeRequest, entry_of, skip
from hermes_checkpoints.model import (
    Checkpoint,
    OperationOutcome,
    Skipped,
    Taken,
    Unchanged,
)
from hermes_checkpoints.model.paths import within
from hermes_checkpoints.object_store import (
    Staged,
    TreeState,
    compare_with_former,
)
from hermes_checkpoints.object_store.named import about_paths, only_paths


def take_paths(
    workspace: Workspace,
    request: TakeRequest,
    paths: Collection[str],
    directories: Iterable[str] = (),
    *,
    noting: bool = False,
) -> Taken:
    """Take a partial checkpoint: named files and links alone, whatever their size and whatever
    rule matches them, of a directory that is not captured as a whole. It also has the permission
    bits of ``directories`` and of those above the paths. No turn begins or ends at it. When
    ``noting``, it is recorded what happened to the paths since they were seen last.

    A path that is missing, or no file that can be read, is not in it.

    Raises:
        CheckpointError: when it cannot be taken; the caller records it.
    """
    before = _footprint(workspace)
    staged = only_paths(workspace.git, paths, directories)
    return Taken(_partial(workspace, request, staged, before, paths if noting else ()))


def take_about(
    workspace: Workspace, request: TakeRequest, refused: Skipped | None
) -> Taken | Unchanged | Skipped:
    """Take a partial checkpoint of what is about to be written. It says of a path that is missing
    that it was, so that a restore of it can remove what the agent made there."""
    base, target = workspace.base, workspace.target
    paths = [path for path in request.about if not within(path, workspace.rules.barred)]
    before = _footprint(workspace)
    staged = about_paths(workspace.git, paths, workspace.rules.max_file_bytes)
    entry = entry_of(request, target.name, workspace.started)
    if not staged.sizes and not staged.meta.absent:
        return skip(base, entry, nothing_of(staged, refused))
    only = names_of(staged, paths)
    message = f"only {only} was captured" + (f": {refused.reason}" if refused else "")
    told = None if refused is None else Skipped(refused.code, message)
    for newest in base.catalog.checkpoints.list(target.hash, limit=1, safety=False):
        same = newest.partial and newest.state_id == staged.state_id
        if same and base.store.holds(newest):
            found = replace(
                entry,
                checkpoint_id=newest._row,
                outcome=OperationOutcome.UNCHANGED,
                message=message,
            )
            with base.catalog.together():
                project = base.register(target, workspace.started)
                base.journal(found)
                note_alone_taken(base, project.id, request.kind, newest, request.work, base.now())
            if told is not None:  # of the whole nothing was captured
                skip(base, entry, told)
            return Unchanged(newest, refused)
    request = replace(request, reason=f"{request.reason} (only {only})")
    taken = _partial(workspace, request, staged, before, paths, message)
    if told is not None:
        skip(base, entry, told)
    return Taken(taken, refused=refused)


def _footprint(workspace: Workspace) -> int:
    base, target = workspace.base, workspace.target
    return base.store.footprint(target.hash, limit_of_refs(base, target))


def _partial(
    workspace: Workspace,
    request: TakeRequest,
    staged: Staged,
    before: int,
    noted: Iterable[str],
    message: str | None = None,
) -> Checkpoint:
    """Publish a partial checkpoint of what is staged. What happened to the ``noted`` paths since
    they were seen last is recorded with it."""
    base, target, git = workspace.base, workspace.target, workspace.git
    state = TreeState(staged.tree_id, staged.meta)
    (comparison,) = compare_with_former(git, [(None, state)], lines=False)
    changes = measure(base, git, comparison.changes, staged.sizes)
    difference = Difference(None, comparison, changes, None)
    where = where_of(workspace)
    facts = replace(facts_of(workspace, request, staged, difference, where), partial=True)
    left_out = {one.path for one in staged.meta.skipped}
    held = {change.path: (change.new_blob, change.new_mode) for change in changes}
    looked = {path: held.get(path, (None, None)) for path in noted if path not in left_out}
    new = New(
        target,
        facts,
        staged.meta,
        difference,
        request.work,
        before,
        limit_of_refs(base, target),
        where.origin,
        "; ".join(filter(None, (message, where.machine.told))) or None,
        looked=looked,
    )
    return publish(base, git, new)
