"""Publishes a checkpoint that is staged: its commit with its ref, the proof that all of it is in
the store, and then the catalog's row with the turn that begins there.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from hermes_checkpoints.attribution.alone import note_alone, seen_as_a_whole
from hermes_checkpoints.attribution.looks import State
from hermes_checkpoints.attribution.observing import Look
from hermes_checkpoints.attribution.turns import Work, note_alone_taken, note_take
from hermes_checkpoints.base.opened import Base, Target
from hermes_checkpoints.base.sizes import add_checkpoint
from hermes_checkpoints.errors import CheckpointError, StoreDamaged
from hermes_checkpoints.git import Git
from hermes_checkpoints.model import (
    Change,
    ChangeStatus,
    Checkpoint,
    CheckpointFacts,
    JournalEntry,
    OperationKind,
    Origin,
)
from hermes_checkpoints.object_store import Comparison, TreeMeta, TreeState
from hermes_checkpoints.object_store.commits import objects_beside
from hermes_checkpoints.object_store.index_cache import forget
from hermes_checkpoints.object_store.maintenance import delete_refs
from hermes_checkpoints.object_store.proof import prove


@dataclass(frozen=True)
class Difference:
    """What a new state changes against the checkpoint before it, None for the first one, and the
    look that saw it."""

    previous: Checkpoint | None
    comparison: Comparison
    changes: list[Change]
    look: Look | None

    def totals(self) -> tuple[int, int]:
        """Return the number of files of the new state, and the sum of their sizes in bytes."""
        last = self.previous
        files = last.file_count if last else 0
        logical = last.logical_bytes if last else 0
        for change in self.changes:
            files += (change.status is ChangeStatus.ADDED) - (change.status is ChangeStatus.DELETED)
            logical += (change.new_bytes or 0) - (change.old_bytes or 0)
        return files, logical


@dataclass(frozen=True)
class New:
    """A checkpoint whose tree is staged. ``facts`` is all that its commit is to say, ``meta`` lies
    beside its tree. The take is a part of a session's ``work``. ``before`` is the footprint of the
    project, of at most ``most_refs`` refs, in bytes, when the take began; ``message`` is for the
    journal. ``origin`` is where the project lies in the repository that encloses it. With
    ``move_label`` the label of the facts leaves the checkpoint that has it. ``looked`` are the
    contents and modes of the paths that a partial checkpoint tells of, where what happened to them
    is to be recorded."""

    target: Target
    facts: CheckpointFacts
    meta: TreeMeta
    difference: Difference
    work: Work
    before: int
    most_refs: int
    origin: Origin
    message: str | None = None
    move_label: bool = False
    looked: Mapping[str, State] = field(default_factory=dict)


def limit_of_refs(base: Base, target: Target) -> int:
    """Return how many refs a project has at most after a take; 0 is no limit."""
    most = base.settings(target).max_snapshots
    return most and most + base.catalog.checkpoints.safety_count(target.hash)


def publish(base: Base, git: Git, new: New) -> Checkpoint:
    """Write the commit with its ref, prove that all of it is in the store, add the row.

    Raises:
        StoreDamaged: when git reported success, but an object of this checkpoint is missing or
            damaged. Nothing is left of it but objects that no ref leads to.
    """
    facts, difference = new.facts, new.difference
    operation = _begin(base, new)
    beside = objects_beside(facts.tree_id, new.meta)
    before = new.before + base.store.loose_bytes(beside)
    sign = base.store.sign()
    commit_id = _write(base, git, new, beside, operation)
    blobs = {c.new_blob for c in difference.changes if c.new_blob and c.stored_bytes}
    after = base.store.footprint(new.target.hash, new.most_refs)
    after += base.store.loose_bytes([*blobs, *difference.comparison.new_trees, *beside, commit_id])
    looked = new.looked
    if not facts.partial and difference.look is None:
        looked = seen_as_a_whole(base, git, new.target, TreeState(facts.tree_id, new.meta))

    def add() -> Checkpoint:
        project = base.register(new.target, facts.created_at, new.origin)
        if looked:
            last_row = base.catalog.checkpoints.newest_row(project.id)
            if last_row is not None:  # nothing was known before the first checkpoint
                note_alone(base, project, last_row, looked)
        checkpoint = add_checkpoint(
            base,
            project,
            replace(facts, id=commit_id),
            difference.comparison,
            difference.changes,
            previous=difference.previous._row if difference.previous else None,
            operation_id=operation,
            now=base.now(),
            grown=after - before,
            move_label=new.move_label,
        )
        if facts.partial:
            note_alone_taken(base, project.id, facts.kind, checkpoint, new.work, base.now())
        else:
            look = difference.look
            note_take(base, project.id, facts.kind, checkpoint, look, new.work, base.now())
        base.catalog.agreement.follow(sign, base.store.sign(), base.now())
        return checkpoint

    return base.catalog.do_together(add)


def _begin(base: Base, new: New) -> int:
    """Write to the journal that a checkpoint is being published: what is killed from now on is
    found by it. After a power cut the ref alone tells, as rows and refs are compared then."""
    facts = new.facts

    def begin() -> int:
        project = base.register(new.target, facts.created_at)
        begun = JournalEntry(
            OperationKind.TAKE,
            facts.created_at,
            new.target.name,
            project_id=project.id,
            session_id=facts.session_id,
            turn=facts.turn,
            message=new.message,
            detail={"ref": facts.ref_name},
        )
        return base.catalog.operations.begin(begun)

    return base.catalog.do_together(begin, durable=False)


def _write(base: Base, git: Git, new: New, beside: Sequence[str], operation: int) -> str:
    """Write the commit with its ref and prove it; return its id. ``beside`` are the objects that
    come with the tree."""
    facts, difference = new.facts, new.difference
    blobs = [c.new_blob for c in difference.changes if c.new_blob]
    below = [facts.tree_id, *difference.comparison.new_trees, *blobs]
    try:
        commit_id = base.store.publish(git, facts, new.meta)
        prove(git, [commit_id, *beside, *below])
    except CheckpointError as error:
        if isinstance(error, StoreDamaged):
            forget(git.own_index)
        _withdraw(base, git, facts.ref_name, operation)
        raise
    return commit_id


def _withdraw(base: Base, git: Git, ref: str, operation: int) -> None:
    """Take back what a take that failed at its commit has left. What cannot be taken back now,
    the next opening judges as what a killed take has left."""
    with contextlib.suppress(CheckpointError):
        delete_refs(git, [ref])
        base.catalog.operations.withdraw(operation)
