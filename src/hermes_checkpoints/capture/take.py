"""Takes a checkpoint: objects, then the commit with its ref, then the catalog's row.

A crash after the ref leaves a checkpoint that the journal knows as unfinished; the next opening
adopts it. Whatever happens is written to the journal: a safety net never fails in silence.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace
from datetime import datetime

from hermes_checkpoints.attribution.turns import note_take
from hermes_checkpoints.base.opened import Base, Target
from hermes_checkpoints.base.projects import too_broad
from hermes_checkpoints.base.sizes import added_bytes, measured, superseded_bytes
from hermes_checkpoints.capture.redact import redact
from hermes_checkpoints.errors import CheckpointError, GitFailed, StoreDamaged, base_error
from hermes_checkpoints.fs.inspect import require_readable_directory
from hermes_checkpoints.git import Git
from hermes_checkpoints.layout import resolve_working_dir
from hermes_checkpoints.model import (
    Change,
    ChangeStatus,
    Checkpoint,
    CheckpointFacts,
    Failed,
    JournalEntry,
    Kind,
    OperationKind,
    OperationOutcome,
    Project,
    Skipped,
    Taken,
    TakeOutcome,
    Unchanged,
)
from hermes_checkpoints.object_store import (
    Staged,
    Survey,
    TreeState,
    compare_states,
    stage,
    survey,
)
from hermes_checkpoints.object_store.commits import local_offset_minutes
from hermes_checkpoints.object_store.index_cache import meta_of
from hermes_checkpoints.retention.delete import trim


@dataclass(frozen=True)
class TakeRequest:
    """What a take is told: why it happens, and in which session and turn of an agent."""

    working_dir: str
    reason: str
    kind: Kind = Kind.MANUAL
    session_id: str | None = None
    turn: int | None = None
    message_count: int | None = None
    label: str | None = None


def take(base: Base, request: TakeRequest) -> TakeOutcome:
    """Take a checkpoint of a working directory; never raises ``CheckpointError``.

    Where the project then has more than ``max_snapshots``, the oldest go.
    """
    started = base.now()
    target: Target | None = None
    try:
        target = Target.of(resolve_working_dir(request.working_dir))
        require_readable_directory(target.path)
        refused = too_broad(target.path, base.layout)
        if refused is not None:
            return _skip(base, request, target, started, refused)
        digest = base.store.ensure(base.config.exclude)
        with base.locked(target, "take") as git:
            outcome = take_locked(base, request, target, git, digest, started)
            if isinstance(outcome, Taken):
                trim(base, target, git, protect=[outcome.checkpoint.id])
            return outcome
    except CheckpointError as error:
        return _fail(base, request, target, started, error)
    except OSError as error:
        return _fail(base, request, target, started, base_error(error, base.layout.base))


def record_failure(base: Base, working_dir: str, error: Exception) -> None:
    """Write an unforeseen failure of a take to the journal."""
    base.journal(
        JournalEntry(
            OperationKind.TAKE,
            base.now(),
            working_dir,
            outcome=OperationOutcome.FAILED,
            code="unexpected",
            message=f"{type(error).__name__}: {error}",
        )
    )


def take_locked(
    base: Base,
    request: TakeRequest,
    target: Target,
    git: Git,
    digest: str,
    started: datetime,
) -> TakeOutcome:
    """Take a checkpoint while the project's lock is held.

    Raises:
        CheckpointError: when it cannot be taken; the caller records it.
    """
    last = base.catalog.checkpoints.last(target.hash)
    found = survey(git, base.rules(target, digest))
    count = _expected_files(git, found, last)
    if count > base.config.max_files:
        return _skip(
            base,
            request,
            target,
            started,
            Skipped(
                "too-many-files",
                f"{target.path} has {count:,} files, more than the {base.config.max_files:,} that "
                "are checkpointed; exclude some in .gitignore or raise checkpoints.max_files",
            ),
        )
    usual = None
    if last is not None and found.state is None:
        usual = base.usual_modes(last)
    staged = stage(git, found, usual)
    if last and last.state_id == staged.state_id and base.store.has_ref(last.ref_name):
        project = base.register(target, started)
        _journal(base, request, target, started, OperationOutcome.UNCHANGED, project, last)
        _note(base, request, project, last, [])
        return Unchanged(last)
    project, checkpoint, changes = _publish(base, request, target, git, found, staged, last)
    _note(base, request, project, checkpoint, [] if checkpoint.is_first else changes)
    return Taken(checkpoint)


def _note(
    base: Base,
    request: TakeRequest,
    project: Project,
    checkpoint: Checkpoint,
    changes: list[Change],
) -> None:
    note_take(
        base,
        project.id,
        checkpoint,
        kind=request.kind,
        session_id=request.session_id,
        turn=request.turn,
        changes=changes,
        now=base.now(),
    )


def _publish(
    base: Base,
    request: TakeRequest,
    target: Target,
    git: Git,
    found: Survey,
    staged: Staged,
    last: Checkpoint | None,
) -> tuple[Project, Checkpoint, list[Change]]:
    comparison = None
    new = TreeState(staged.tree_id, staged.meta)
    if last is not None:
        try:
            comparison = compare_states(git, _before(base, found, last), new, lines=True)
        except (StoreDamaged, GitFailed):
            last = None  # the store lost the last checkpoint: this one starts anew
    if comparison is None:
        comparison = compare_states(git, TreeState(), new, lines=False)
    changes = measured(base, git, comparison.changes.values(), staged.sizes)
    now = base.now()
    file_count, logical_bytes = _totals(last, changes)
    facts = CheckpointFacts(
        project_hash=target.hash,
        working_dir=target.name,
        id="",
        tree_id=staged.tree_id,
        state_id=staged.state_id,
        ref_name=f"{base.layout.ref_prefix(target.hash)}{now:%Y%m%dT%H%M%S%fZ}-{secrets.token_hex(4)}",
        kind=request.kind,
        reason=redact(request.reason),
        created_at=now,
        utc_offset_minutes=local_offset_minutes(now),
        label=request.label,
        session_id=request.session_id,
        turn=request.turn,
        message_count=request.message_count,
        ignored_count=staged.meta.ignored,
        skipped=staged.meta.skipped,
        file_count=file_count,
        logical_bytes=logical_bytes,
    )
    project = base.register(target, now)
    operation = base.catalog.operations.begin(
        JournalEntry(
            OperationKind.TAKE,
            now,
            target.name,
            session_id=request.session_id,
            turn=request.turn,
            project_id=project.id,
            detail={"ref": facts.ref_name},
        )
    )
    commit_id = base.store.publish(git, facts, staged.meta)
    checkpoint = base.catalog.checkpoints.add(
        project,
        replace(facts, id=commit_id),
        changes=changes,
        added_bytes=added_bytes(base, changes, comparison, commit_id),
        superseded_bytes=superseded_bytes(base, changes),
        previous_id=last._row if last else None,
        operation_id=operation,
        now=base.now(),
    )
    return project, checkpoint, changes


def _before(base: Base, found: Survey, last: Checkpoint) -> TreeState:
    """Return the state of the last checkpoint, from the cache where that is what it holds."""
    if found.state is not None and found.state.state_id == last.state_id:
        return TreeState(found.state.tree_id, meta_of(found.state, ()))
    return base.store.state(last.id, last.tree_id)


def _expected_files(git: Git, found: Survey, last: Checkpoint | None) -> int:
    """Count the files that would be captured, before any is hashed."""
    before = last.file_count if last else len(found.seen) or _count_index(git, found)
    return before + len(found.added) - len(found.gone) - len(found.drop)


def _count_index(git: Git, found: Survey) -> int:
    if found.state is None or not found.state.checksum:
        return 0
    return git.run("ls-files", "-z").count(b"\0")


def _totals(last: Checkpoint | None, changes: list[Change]) -> tuple[int, int]:
    """Return the number of files and the sum of their sizes in bytes."""
    files = last.file_count if last else 0
    logical = last.logical_bytes if last else 0
    for change in changes:
        files += (change.status is ChangeStatus.ADDED) - (change.status is ChangeStatus.DELETED)
        logical += (change.new_bytes or 0) - (change.old_bytes or 0)
    return files, logical


def _skip(
    base: Base, request: TakeRequest, target: Target, started: datetime, refused: Skipped
) -> Skipped:
    _journal(
        base,
        request,
        target,
        started,
        OperationOutcome.SKIPPED,
        code=refused.code,
        message=refused.reason,
    )
    return refused


def _fail(
    base: Base,
    request: TakeRequest,
    target: Target | None,
    started: datetime,
    error: CheckpointError,
) -> Failed:
    try:
        _journal(
            base,
            request,
            target,
            started,
            OperationOutcome.FAILED,
            code=error.code,
            message=str(error),
        )
    except CheckpointError as second:
        error.add_note(f"the failure could not be recorded either: {second}")
    return Failed(error)


def _journal(
    base: Base,
    request: TakeRequest,
    target: Target | None,
    started: datetime,
    outcome: OperationOutcome,
    project: Project | None = None,
    checkpoint: Checkpoint | None = None,
    code: str | None = None,
    message: str | None = None,
) -> None:
    base.journal(
        JournalEntry(
            OperationKind.TAKE,
            started,
            target.name if target else request.working_dir,
            session_id=request.session_id,
            turn=request.turn,
            project_id=project.id if project else None,
            checkpoint_id=checkpoint._row if checkpoint else None,
            outcome=outcome,
            code=code,
            message=message,
        )
    )
