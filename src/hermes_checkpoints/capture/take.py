"""Takes a checkpoint: objects, then the commit with its ref, then the catalog's row.

A crash after the ref leaves a checkpoint that the journal knows as unfinished; the next opening
reads it back. Whatever happens is written to the journal: a safety net never fails in silence.
"""

from __future__ import annotations

import time
from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from hermes_checkpoints.attribution.observing import Look
from hermes_checkpoints.attribution.tools import has_turn
from hermes_checkpoints.attribution.turns import note_take
from hermes_checkpoints.base.lookup import label_in_use, name_checkpoint
from hermes_checkpoints.base.measures import is_measured, record_measure
from hermes_checkpoints.base.opened import Base, Target
from hermes_checkpoints.base.projects import IN_BASE, too_broad
from hermes_checkpoints.base.sizes import measure
from hermes_checkpoints.base.workspace import Workspace
from hermes_checkpoints.capture.about import NOTHING_NAMED
from hermes_checkpoints.capture.facts import facts_of, where_of
from hermes_checkpoints.capture.partial import take_about
from hermes_checkpoints.capture.publishing import Difference, New, limit_of_refs, publish
from hermes_checkpoints.capture.request import TakeRequest, entry_of, fail, skip
from hermes_checkpoints.errors import (
    CheckpointError,
    GitFailed,
    GitTimedOut,
    StoreDamaged,
    base_error,
)
from hermes_checkpoints.model import (
    Checkpoint,
    Failed,
    JournalEntry,
    Kind,
    OperationKind,
    OperationOutcome,
    Skipped,
    Taken,
    TakeOutcome,
    Unchanged,
)
from hermes_checkpoints.object_store import (
    Staged,
    Survey,
    TreeState,
    compare_with_former,
    with_lines,
)
from hermes_checkpoints.object_store.index_cache import StageState, meta_of
from hermes_checkpoints.object_store.line_counts import cost_nothing
from hermes_checkpoints.object_store.named import with_paths
from hermes_checkpoints.retention.delete import trim

TOO_MANY_FILES = "too-many-files"
"""The code of the refusal of a directory with more files than ``max_files``."""


@dataclass(frozen=True)
class Seen:
    """A project as a take sees it: the tree of what was found, the checkpoint before, and
    the footprint of the project in the store before it was staged, in bytes. ``former`` is what
    was known beside the index before, and ``removed`` counts the paths that left it. ``first`` is
    the checkpoint that the list number 1 means. ``at_ns`` is when the look began, in nanoseconds
    since 1970, ``message`` what the journal is to say of it.

    The survey itself is not kept: of a large tree it is as large as all that comes after it."""

    workspace: Workspace
    former: StageState | None
    removed: int
    staged: Staged
    last: Checkpoint | None
    first: Checkpoint | None
    before: int
    most_refs: int
    at_ns: int
    message: str | None = None


def take(base: Base, request: TakeRequest) -> TakeOutcome:
    """Take a checkpoint of a working directory; never raises ``CheckpointError``.

    Where the project then has more than ``max_snapshots``, some go: ``retention.delete.trim``.
    """
    entry = entry_of(request, request.working_dir, base.now())
    try:
        target = Target.of(Path(request.working_dir))
        refused = too_broad(target.path, base.layout)
        if refused is not None and (not request.about or refused.code == IN_BASE):
            return skip(base, entry, refused)
        with Workspace.enter(base, target, "take") as workspace:
            begun = _begun(workspace, request) if request.once_a_turn else None
            if begun is not None:
                return begun
            outcome = take_in(workspace, request, refused)
            if isinstance(outcome, Taken):
                trimmed = trim(workspace, protect=[outcome.checkpoint.id])
                return replace(outcome, imported_dropped=trimmed.imported)
            return outcome
    except CheckpointError as error:
        return fail(base, entry, error)
    except OSError as error:
        return fail(base, entry, base_error(error, base.layout.base))
    except KeyboardInterrupt as stop:
        stop.add_note(_how_far(base, request.working_dir, entry.started_at))
        raise


def _begun(workspace: Workspace, request: TakeRequest) -> Unchanged | None:
    """Return the last checkpoint, where a turn of the session is open. It is asked under the lock:
    of several tools that begin at once each waits for the one take, and none ends the turn of
    another."""
    base, target = workspace.base, workspace.target
    last = base.catalog.checkpoints.last(target.hash)
    if last is None or not has_turn(base, target, request.session_id):
        return None
    return Unchanged(last)


def _how_far(base: Base, working_dir: str, started: datetime) -> str:
    """Return how far a take came that was interrupted, as by Ctrl-C."""
    try:
        return _outcome(base, working_dir, started)
    except (CheckpointError, OSError) as error:
        return f"interrupted: whether a checkpoint was taken cannot be told now: {error}"


def _outcome(base: Base, working_dir: str, started: datetime) -> str:
    last = base.catalog.checkpoints.last(Target.of(Path(working_dir)).hash)
    if last is not None and last.created_at >= started:
        return f"interrupted when checkpoint {last.short_id} was taken"
    running = base.catalog.operations.running()
    if any(one.working_dir == working_dir and one.started_at >= started for one in running):
        return "interrupted while it was published: the next command lists it if it is whole"
    return f"interrupted: no checkpoint was taken, and no file of {working_dir} was touched"


def record_failure(base: Base, working_dir: str, error: Exception) -> None:
    """Write a failure of a take that was not written there yet to the journal."""
    known = error if isinstance(error, CheckpointError) else None
    base.journal(
        JournalEntry(
            OperationKind.TAKE,
            base.now(),
            working_dir,
            outcome=OperationOutcome.FAILED,
            code="unexpected" if known is None else known.code,
            message=f"{type(error).__name__}: {error}" if known is None else str(known),
        )
    )


def refuse(base: Base, working_dir: str, error: CheckpointError) -> Failed:
    """Record a take that failed before it began, by a wrong argument."""
    return fail(base, JournalEntry(OperationKind.TAKE, base.now(), working_dir), error)


def take_in(
    workspace: Workspace, request: TakeRequest, refused: Skipped | None = None
) -> TakeOutcome:
    """Take a checkpoint of a project that is entered; where it is ``refused``, a partial one of the
    paths that are about to be written.

    Raises:
        CheckpointError: when it cannot be taken; the caller records it.
    """
    if refused is None and not request.alone:
        seen = see(workspace)
        if isinstance(seen, Seen):
            return keep(request, seen)
        refused = seen
    if request.about:
        return take_about(workspace, request, refused)
    entry = entry_of(request, workspace.target.name, workspace.started)
    return skip(workspace.base, entry, refused or NOTHING_NAMED)


def see(workspace: Workspace) -> Seen | Skipped:
    """Look at a project that is entered, and stage what a take captures; return what is to be
    kept, or why nothing may be.

    Raises:
        CheckpointError: when it cannot be looked at.
    """
    base, target = workspace.base, workspace.target
    at_ns = time.time_ns()
    with workspace.surveying() as end_of_survey:
        last, first = base.catalog.checkpoints.last_two(target.hash)
        most_refs = limit_of_refs(base, target)
        before = base.store.footprint(target.hash, most_refs)
        found = end_of_survey()
    refused = _too_many_files(workspace, found)
    if refused is not None:
        return refused
    told = "; ".join(found.tracked.unread) or None
    try:
        staged = workspace.stage(found, last)
    except StoreDamaged as damage:
        workspace, found, staged, told = _anew(workspace, last, damage)
    return Seen(
        workspace,
        found.state,
        _removed(found),
        staged,
        last,
        first,
        before,
        most_refs,
        at_ns,
        told,
    )


def _removed(found: Survey) -> int:
    return len(found.gone) + len(found.drop)


def _anew(
    workspace: Workspace, last: Checkpoint | None, damage: StoreDamaged
) -> tuple[Workspace, Survey, Staged, str]:
    """Stage everything anew, where what the store had of it is damaged; the journal is told why."""
    return *workspace.restage(last), f"everything was staged anew: {damage}"


def keep(request: TakeRequest, seen: Seen, also: Collection[str] = ()) -> Taken | Unchanged:
    """Make a checkpoint of what was seen. ``also`` are paths that it holds, too, whatever their
    size and whatever rule matches them: those that a restore is about to overwrite or delete.

    Raises:
        CheckpointError: when it cannot be taken; the caller records it.
    """
    base, last = seen.workspace.base, seen.last
    try:
        staged = with_paths(seen.workspace.git, seen.staged, also) if also else seen.staged
        known = _known(base, request, seen, staged)
        if known is not None:
            return _unchanged(request, seen, _named(base, request, known), staged)
        _require_free(base, request)
        checkpoint = _kept(request, seen, staged)
    except StoreDamaged as error:
        workspace, found, staged, told = _anew(seen.workspace, last, error)
        seen = replace(
            seen,
            workspace=workspace,
            former=found.state,
            removed=_removed(found),
            staged=staged,
            message=told,
        )
        staged = with_paths(seen.workspace.git, seen.staged, also) if also else seen.staged
        checkpoint = _kept(request, seen, staged)
    if not is_measured(base):
        record_measure(base)
    return Taken(checkpoint)


def _kept(request: TakeRequest, seen: Seen, staged: Staged) -> Checkpoint:
    workspace = seen.workspace
    difference = _compare(seen, staged)
    where = where_of(workspace)
    new = New(
        workspace.target,
        facts_of(workspace, request, staged, difference, where),
        staged.meta,
        difference,
        request.work,
        seen.before,
        seen.most_refs,
        where.origin,
        "; ".join(filter(None, (seen.message, where.machine.told))) or None,
        request.move_label,
    )
    return publish(workspace.base, workspace.git, new)


def _named(base: Base, request: TakeRequest, known: Checkpoint) -> Checkpoint:
    """Give the label of a take to the checkpoint that is the state already, and return that.

    Raises:
        LabelInUse: when another one has it.
    """
    if request.label is None:
        return known
    name_checkpoint(base, known, request.label, move=request.move_label)
    return base.catalog.checkpoints.get(known._row) or known


def _require_free(base: Base, request: TakeRequest) -> None:
    """Refuse a label that another checkpoint has, before there is a new one.

    Raises:
        LabelInUse.
    """
    if request.label is None or request.move_label:
        return
    hash_ = Target.of(Path(request.working_dir)).hash
    holder = base.catalog.checkpoints.by_label(hash_, request.label)
    if holder is not None:
        raise label_in_use(holder, request.label)


def _unchanged(request: TakeRequest, seen: Seen, known: Checkpoint, staged: Staged) -> Unchanged:
    """Record that a checkpoint is as the directory is; the turn of this request begins at it."""
    base, target = seen.workspace.base, seen.workspace.target
    entry = entry_of(request, target.name, seen.workspace.started)
    look = _look_at(seen.workspace, seen.last or known, staged, seen.at_ns)

    def note() -> None:
        project = base.register(target, seen.workspace.started)
        unchanged = replace(
            entry,
            project_id=project.id,
            checkpoint_id=known._row,
            outcome=OperationOutcome.UNCHANGED,
            message=seen.message,
        )
        base.journal(unchanged)
        note_take(base, project.id, request.kind, known, look, request.work, base.now())

    base.catalog.do_together(note)
    return Unchanged(known)


def _known(base: Base, request: TakeRequest, seen: Seen, staged: Staged) -> Checkpoint | None:
    """Return the checkpoint that has the staged state already, so that none is added.

    A list number must mean what is taken now, so that is the last one, and no safety checkpoint;
    a partial one that was taken since has the number, too.
    A safety checkpoint is any that has the state, if the conversation is where it was then: the
    way back leads files and chat to the same moment.
    """
    last = seen.last
    if last is None:
        return None
    if request.kind is not Kind.SAFETY:
        same = last == seen.first and last.state_id == staged.state_id
        return last if same and base.store.holds(last) else None
    for found in base.catalog.checkpoints.of_state(last.project_hash, staged.state_id):
        if _at_the_moment(found, request) and _is_whole(base, found, last):
            return found
    return None


def _at_the_moment(found: Checkpoint, request: TakeRequest) -> bool:
    """Tell whether a checkpoint stands for the moment of the conversation that a restore leaves;
    one without a conversation has none to bring back."""
    if request.message_count is None:
        return found.kind is not Kind.SAFETY or found.message_count is None
    then = found.session_id, found.turn, found.message_count
    now = request.session_id, request.turn, request.message_count
    return found.kind is Kind.SAFETY and then == now


def _is_whole(base: Base, found: Checkpoint, last: Checkpoint) -> bool:
    """Tell whether the store still has all of a checkpoint: it is to be the way back."""
    if not base.store.holds(found):
        return False
    if found == last:
        return True
    try:
        base.store.require_whole(found.ref_name)
    except (StoreDamaged, GitFailed):
        return False
    return True


def _look_at(workspace: Workspace, last: Checkpoint, staged: Staged, at_ns: int) -> Look | None:
    """Return what has changed since the last checkpoint; None where the store lost that."""
    after = TreeState(staged.tree_id, staged.meta)
    try:
        return Look.of(workspace, last, after, staged.state_id, at_ns)
    except (StoreDamaged, GitFailed):
        return None


def _compare(seen: Seen, staged: Staged) -> Difference:
    """Compare with the last checkpoint; where the store lost that, this one starts anew.

    Raises:
        StoreDamaged: when what was just staged cannot be read.
    """
    workspace, last = seen.workspace, seen.last
    base, git, new = workspace.base, workspace.git, TreeState(staged.tree_id, staged.meta)
    before = _state_of(base, seen.former, last)
    # One process does both, where that costs next to nothing.
    at_once = cost_nothing(staged.sizes.values(), seen.removed)
    for former, lines in ((before, at_once), (before, False), (None, False)):
        try:
            (comparison,) = compare_with_former(git, [(former, new)], lines=lines)
            break
        except GitTimedOut:
            raise
        except (StoreDamaged, GitFailed) as error:
            damage = error
    else:
        raise StoreDamaged(f"what was just staged cannot be read: {damage}") from damage
    changes = measure(base, git, comparison.changes, staged.sizes)
    if former is None or last is None:
        return Difference(None, comparison, changes, None)
    if not at_once:
        changes = with_lines(git, former.tree_id, new.tree_id, changes)
    look = Look(workspace, last, former, new, comparison.changes, seen.at_ns)
    return Difference(last, comparison, changes, look)


def _state_of(base: Base, former: StageState | None, last: Checkpoint | None) -> TreeState | None:
    """Return the state of the last checkpoint, from the cache where that is what it holds, or
    None where there is none or the store lost it."""
    if last is None:
        return None
    if former is not None and former.state_id == last.state_id:
        return TreeState(former.tree_id, meta_of(former, ()))
    try:
        return base.store.state(last.id, last.tree_id)
    except StoreDamaged:
        return None


def _too_many_files(workspace: Workspace, found: Survey) -> Skipped | None:
    """Refuse what has more files than the configuration allows, before any is hashed."""
    count, limit = found.file_count, workspace.settings.max_files
    if not limit or count <= limit:
        return None
    return Skipped(
        TOO_MANY_FILES,
        f"{workspace.target.path} has {count:,} files, more than the {limit:,} that "
        "are checkpointed; exclude some in .gitignore or raise checkpoints.max_files",
    )
