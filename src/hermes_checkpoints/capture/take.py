"""Takes a checkpoint: objects, then the commit with its ref, then the catalog's row.

A crash after the ref leaves a checkpoint that the journal knows as unfinished; the next opening
reads it back. Whatever happens is written to the journal: a safety net never fails in silence.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from hermes_checkpoints.attribution.observing import Look
from hermes_checkpoints.attribution.turns import Work, note_alone_taken, note_take
from hermes_checkpoints.base.lookup import label_in_use, name_checkpoint
from hermes_checkpoints.base.machine import Machine, machine_of
from hermes_checkpoints.base.measures import is_measured, record_measure
from hermes_checkpoints.base.opened import Base, Target
from hermes_checkpoints.base.projects import IN_BASE, too_broad
from hermes_checkpoints.base.sizes import measured
from hermes_checkpoints.base.workspace import Workspace
from hermes_checkpoints.capture.about import NOTHING_NAMED, names_of, nothing_of
from hermes_checkpoints.capture.origin import origin_of
from hermes_checkpoints.capture.publishing import Difference, New, publish
from hermes_checkpoints.capture.redact import redact
from hermes_checkpoints.errors import (
    CheckpointError,
    GitFailed,
    GitTimedOut,
    StoreDamaged,
    base_error,
)
from hermes_checkpoints.fs.repository import enclosing
from hermes_checkpoints.fs.system import generation, identity
from hermes_checkpoints.model import (
    Checkpoint,
    CheckpointFacts,
    Failed,
    Head,
    JournalEntry,
    Kind,
    OperationKind,
    OperationOutcome,
    Origin,
    Owner,
    Skipped,
    Taken,
    TakeOutcome,
    Unchanged,
)
from hermes_checkpoints.model.paths import within
from hermes_checkpoints.object_store import (
    Staged,
    Survey,
    TreeState,
    compare_with_former,
    with_lines,
)
from hermes_checkpoints.object_store.commits import local_offset_minutes
from hermes_checkpoints.object_store.index_cache import meta_of
from hermes_checkpoints.object_store.line_counts import MOST_BYTES
from hermes_checkpoints.object_store.named import about_paths, only_paths, with_paths
from hermes_checkpoints.retention.delete import trim

TOO_MANY_FILES = "too-many-files"
"""The code of the refusal of a directory with more files than ``max_files``."""


@dataclass(frozen=True)
class TakeRequest:
    """What a take is told: why it happens, and in which session and turn of an agent.
    ``message_count`` is how many messages its conversation has.
    ``working_dir`` is resolved. ``owner`` is the process of that agent; None is this one. With
    ``move_label`` the label leaves the checkpoint that has it, if any does.

    ``about`` are the paths that are about to be written, in their plain form: where the directory
    as a whole is refused, these alone are captured. ``alone`` says that it was just refused, so
    that nothing but these paths is looked at."""

    working_dir: str
    reason: str
    kind: Kind = Kind.MANUAL
    session_id: str | None = None
    turn: int | None = None
    message_count: int | None = None
    label: str | None = None
    owner: Owner | None = None
    move_label: bool = False
    about: tuple[str, ...] = ()
    alone: bool = False

    @property
    def work(self) -> Work:
        """The session's work that the take is a part of."""
        return Work(self.session_id, self.turn, self.owner)


@dataclass(frozen=True)
class Seen:
    """A project as a take sees it: what was found, the tree of that, the checkpoint before, and
    the footprint of the project in the store before it was staged, in bytes. ``first`` is the
    checkpoint that the list number 1 means. ``at_ns`` is when the look began, in nanoseconds since
    1970, ``message`` what the journal is to say of it."""

    workspace: Workspace
    found: Survey
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
    entry = _entry(request, request.working_dir, base.now())
    try:
        target = Target.of(Path(request.working_dir))
        refused = too_broad(target.path, base.layout)
        if refused is not None and (not request.about or refused.code == IN_BASE):
            return _skip(base, entry, refused)
        with Workspace.enter(base, target, "take") as workspace:
            outcome = take_in(workspace, request, refused)
            if isinstance(outcome, Taken):
                trimmed = trim(workspace, protect=[outcome.checkpoint.id])
                return replace(outcome, imported_dropped=trimmed.imported)
            return outcome
    except CheckpointError as error:
        return _fail(base, entry, error)
    except OSError as error:
        return _fail(base, entry, base_error(error, base.layout.base))
    except KeyboardInterrupt as stop:
        stop.add_note(_how_far(base, request.working_dir, entry.started_at))
        raise


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


def refuse(base: Base, working_dir: str, error: CheckpointError) -> Failed:
    """Record a take that failed before it began, by a wrong argument."""
    return _fail(base, JournalEntry(OperationKind.TAKE, base.now(), working_dir), error)


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
        return _take_about(workspace, request, refused)
    entry = _entry(request, workspace.target.name, workspace.started)
    return _skip(workspace.base, entry, refused or NOTHING_NAMED)


def see(workspace: Workspace) -> Seen | Skipped:
    """Look at a project that is entered, and stage what a take captures; return what is to be
    kept, or why nothing may be.

    Raises:
        CheckpointError: when it cannot be looked at.
    """
    base, target = workspace.base, workspace.target
    last, first = base.catalog.checkpoints.last_two(target.hash)
    most_refs = _most_refs(base, target)
    before = base.store.footprint(target.hash, most_refs)
    at_ns = time.time_ns()
    found = workspace.survey()
    refused = _too_many_files(workspace, found)
    if refused is not None:
        return refused
    told = "; ".join(found.tracked.unread) or None
    try:
        staged = workspace.stage(found, last)
        return Seen(workspace, found, staged, last, first, before, most_refs, at_ns, told)
    except StoreDamaged as error:
        return _seen_anew(workspace, last, first, before, most_refs, at_ns, error)


def _seen_anew(
    workspace: Workspace,
    last: Checkpoint | None,
    first: Checkpoint | None,
    before: int,
    most_refs: int,
    at_ns: int,
    damage: StoreDamaged,
) -> Seen:
    """Stage everything anew, where what the store had of it is damaged."""
    workspace, found, staged = workspace.restage(last)
    why = f"everything was staged anew: {damage}"
    return Seen(workspace, found, staged, last, first, before, most_refs, at_ns, why)


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
        seen = _seen_anew(
            seen.workspace, last, seen.first, seen.before, seen.most_refs, seen.at_ns, error
        )
        staged = with_paths(seen.workspace.git, seen.staged, also) if also else seen.staged
        checkpoint = _kept(request, seen, staged)
    if not is_measured(base):
        record_measure(base)
    return Taken(checkpoint)


def _kept(request: TakeRequest, seen: Seen, staged: Staged) -> Checkpoint:
    workspace = seen.workspace
    difference = _compare(workspace, seen.found, staged, seen.last, seen.at_ns)
    where = _where(workspace)
    new = New(
        workspace.target,
        _facts(workspace, request, staged, difference, where),
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
    entry = _entry(request, target.name, seen.workspace.started)
    look = _look_at(seen.workspace, seen.last or known, staged, seen.at_ns)
    with base.catalog.together():
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
    return Unchanged(known)


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


def _take_about(
    workspace: Workspace, request: TakeRequest, refused: Skipped | None
) -> Taken | Unchanged | Skipped:
    """Take a partial checkpoint of what is about to be written. It says of a path that is missing
    that it was, so that a restore of it can remove what the agent made there."""
    base, target = workspace.base, workspace.target
    paths = [path for path in request.about if not within(path, workspace.rules.barred)]
    before = _footprint(workspace)
    staged = about_paths(workspace.git, paths, workspace.rules.max_file_bytes)
    entry = _entry(request, target.name, workspace.started)
    if not staged.sizes and not staged.meta.absent:
        return _skip(base, entry, nothing_of(staged, refused))
    only = names_of(staged, paths)
    message = f"only {only} was captured" + (f": {refused.reason}" if refused else "")
    code = refused.code if refused else None
    for newest in base.catalog.checkpoints.list(target.hash, limit=1, safety=False):
        same = newest.partial and newest.state_id == staged.state_id
        if same and base.store.holds(newest):
            found = replace(
                entry,
                checkpoint_id=newest._row,
                outcome=OperationOutcome.UNCHANGED,
                code=code,
                message=message,
            )
            with base.catalog.together():
                project = base.register(target, workspace.started)
                base.journal(found)
                note_alone_taken(base, project.id, request.kind, newest, request.work, base.now())
            return Unchanged(newest, refused)
    request = replace(request, reason=f"{request.reason} (only {only})")
    taken = _partial(workspace, request, staged, before, paths, message, code)
    return Taken(taken, refused=refused)


def _footprint(workspace: Workspace) -> int:
    base, target = workspace.base, workspace.target
    return base.store.footprint(target.hash, _most_refs(base, target))


def _partial(
    workspace: Workspace,
    request: TakeRequest,
    staged: Staged,
    before: int,
    noted: Iterable[str],
    message: str | None = None,
    code: str | None = None,
) -> Checkpoint:
    """Publish a partial checkpoint of what is staged. What happened to the ``noted`` paths since
    they were seen last is recorded with it."""
    base, target, git = workspace.base, workspace.target, workspace.git
    state = TreeState(staged.tree_id, staged.meta)
    (comparison,) = compare_with_former(git, [(None, state)], lines=False)
    changes = measured(base, git, [*comparison.changes.values()], staged.sizes)
    difference = Difference(None, comparison, changes, None)
    where = _where(workspace)
    facts = replace(_facts(workspace, request, staged, difference, where), partial=True)
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
        _most_refs(base, target),
        where.origin,
        "; ".join(filter(None, (message, where.machine.told))) or None,
        looked=looked,
        code=code,
    )
    return publish(base, git, new)


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


def _most_refs(base: Base, target: Target) -> int:
    """Return how many refs a project has at most after a take; 0 is no limit."""
    most = base.settings(target).max_snapshots
    return most and most + base.catalog.checkpoints.safety_count(target.hash)


def _compare(
    workspace: Workspace, found: Survey, staged: Staged, last: Checkpoint | None, at_ns: int
) -> Difference:
    """Compare with the last checkpoint; where the store lost that, this one starts anew.

    Raises:
        StoreDamaged: when what was just staged cannot be read.
    """
    base, git, new = workspace.base, workspace.git, TreeState(staged.tree_id, staged.meta)
    before = _state_of(base, found, last)
    # One process does both, where no content is too large for its lines to be counted.
    small = max(staged.sizes.values(), default=0) <= MOST_BYTES
    for former, lines in ((before, small), (before, False), (None, False)):
        try:
            (comparison,) = compare_with_former(git, [(former, new)], lines=lines)
            break
        except GitTimedOut:
            raise
        except (StoreDamaged, GitFailed) as error:
            damage = error
    else:
        raise StoreDamaged(f"what was just staged cannot be read: {damage}") from damage
    changes = measured(base, git, [*comparison.changes.values()], staged.sizes)
    if former is None or last is None:
        return Difference(None, comparison, changes, None)
    if not small:
        changes = with_lines(git, former.tree_id, new.tree_id, changes)
    look = Look(workspace, last, former, new, comparison.changes, at_ns)
    return Difference(last, comparison, changes, look)


@dataclass(frozen=True)
class _Where:
    """Where a checkpoint is taken: in which base, and at which commit of which repository."""

    machine: Machine
    head: Head
    origin: Origin


def _where(workspace: Workspace) -> _Where:
    """Look where a checkpoint is taken: at files, and with a git process where the configuration
    of the repository is another than at the last look."""
    base, target = workspace.base, workspace.target
    machine = machine_of(base.layout, base.lock_timeout)
    repository = enclosing(target.path)
    if repository is None:
        return _Where(machine, Head(), Origin())
    known = base.catalog.projects.origin(target.hash)
    origin = origin_of(workspace.git, repository, target.path, known)
    return _Where(machine, repository.head(), origin)


def _facts(
    workspace: Workspace,
    request: TakeRequest,
    staged: Staged,
    difference: Difference,
    where: _Where,
) -> CheckpointFacts:
    """Return all that the commit is to say; its id is not known yet."""
    now = workspace.base.now()
    target = workspace.target
    prefix = workspace.base.layout.ref_prefix(target.hash)
    file_count, logical_bytes = difference.totals()
    place = identity(target.path)
    return CheckpointFacts(
        project_hash=target.hash,
        working_dir=target.name,
        id="",
        tree_id=staged.tree_id,
        state_id=staged.state_id,
        ref_name=f"{prefix}{now:%Y%m%dT%H%M%S%fZ}-{secrets.token_hex(4)}",
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
        device=place.device if place else None,
        inode=place.inode if place else None,
        generation=generation(target.path),
        head=where.head.commit,
        branch=where.head.branch,
        machine=where.machine.id,
        repository=where.origin.repository,
        subdirectory=where.origin.subdirectory,
    )


def _state_of(base: Base, found: Survey, last: Checkpoint | None) -> TreeState | None:
    """Return the state of the last checkpoint, from the cache where that is what it holds, or
    None where there is none or the store lost it."""
    if last is None:
        return None
    if found.state is not None and found.state.state_id == last.state_id:
        return TreeState(found.state.tree_id, meta_of(found.state, ()))
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


def _entry(request: TakeRequest, working_dir: str, started: datetime) -> JournalEntry:
    """Return what the journal is told of every take."""
    return JournalEntry(
        OperationKind.TAKE,
        started,
        working_dir,
        session_id=request.session_id,
        turn=request.turn,
    )


def _skip(base: Base, entry: JournalEntry, refused: Skipped) -> Skipped:
    base.journal(
        replace(
            entry,
            outcome=OperationOutcome.SKIPPED,
            code=refused.code,
            message=refused.reason,
        )
    )
    return refused


def _fail(base: Base, entry: JournalEntry, error: CheckpointError) -> Failed:
    failed = replace(entry, outcome=OperationOutcome.FAILED, code=error.code, message=str(error))
    try:
        base.journal(failed)
    except CheckpointError as second:
        error.add_note(f"the failure could not be recorded either: {second}")
    return Failed(error)
