"""Makes the plan of a restore: from the look at the present, the checkpoint, and whose changes lie
between them."""

from __future__ import annotations

import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from hermes_checkpoints.attribution.alone import verdicts_alone
from hermes_checkpoints.attribution.observing import Look as Observed
from hermes_checkpoints.attribution.turns import (
    is_folded_since,
    others_since,
    since,
    verdicts_since,
)
from hermes_checkpoints.attribution.verdict import Verdict
from hermes_checkpoints.base.opened import Base
from hermes_checkpoints.base.sizes import measured
from hermes_checkpoints.base.workspace import Workspace
from hermes_checkpoints.fs.disk import free_bytes
from hermes_checkpoints.fs.inspect import EntryKind, Inspector
from hermes_checkpoints.fs.stamp import content_id
from hermes_checkpoints.git import Git
from hermes_checkpoints.model import (
    Action,
    Change,
    Conflict,
    Kind,
    Mode,
    PlannedPath,
    RestoreState,
)
from hermes_checkpoints.model.paths import within
from hermes_checkpoints.object_store import (
    TreeState,
    compare_states,
    entries_at,
    with_lines,
)
from hermes_checkpoints.object_store.named import told_of
from hermes_checkpoints.object_store.wholeness import require_sound_folders
from hermes_checkpoints.restore.left_out import LeftOut, unread
from hermes_checkpoints.restore.look import Look, Reach
from hermes_checkpoints.restore.merging import TakenOut, merge, take_out
from hermes_checkpoints.restore.nested import projects_inside, worktrees_inside
from hermes_checkpoints.restore.plan import plan_steps
from hermes_checkpoints.restore.powers import without_likes_of_git, without_others_powers
from hermes_checkpoints.restore.readable import name_unreadable
from hermes_checkpoints.restore.recorded import Record
from hermes_checkpoints.restore.request import RestoreRequest
from hermes_checkpoints.restore.situation import Situation
from hermes_checkpoints.restore.stamps import Held

_LEAVES = (stat.S_IFREG, stat.S_IFLNK)
_MOST_TOLD = 100
"""Of how many files it is found out whose each part is, where somebody chooses from them."""


@dataclass(frozen=True)
class Planned:
    """The steps, the name of the state that they were made for, and the paths among them that a
    take leaves out. ``contents`` and ``conflicts`` are of files that were merged,
    ``without_agent`` what is left of files without what the agent did to them."""

    steps: tuple[PlannedPath, ...]
    now_state: str
    uncaptured: frozenset[str] = frozenset()
    contents: Mapping[str, bytes] = field(default_factory=dict)
    conflicts: Mapping[str, Conflict] = field(default_factory=dict)
    without_agent: Mapping[str, bytes] = field(default_factory=dict)


def reach_of(workspace: Workspace, request: RestoreRequest, then: TreeState) -> Reach:
    """Return how far a restore goes. A partial checkpoint tells of the paths alone that it holds,
    or that were missing. The directories above them are made where they are missing and left as
    they are elsewhere; a safety checkpoint tells of those that its restore was about to change.
    ``then`` is the state of the checkpoint."""
    checkpoint, chosen = request.checkpoint, request.chosen()
    if not checkpoint.partial or request.exactly:
        return Reach(then, request.mode, chosen, request.exactly, checkpoint.partial)
    told = told_of(workspace.git, then)
    if checkpoint.kind is Kind.SAFETY:
        told += then.meta.directories
    limits = frozenset(chosen or ())
    of_it = [path for path in told if chosen is None or within(path, limits)]
    return Reach(then, request.mode, of_it, exactly=True, alone=True)


def planned_for(
    workspace: Workspace,
    request: RestoreRequest,
    reach: Reach,
    look: Look,
    *,
    shown: bool = False,
) -> Planned:
    """Decide the steps that lead from the present to the checkpoint. Where the plan is ``shown``
    before it is carried out, lines are counted, and what the store lacks is named: a restore at
    once waits for neither, and names what fails."""
    base, git, then, now = workspace.base, look.git, reach.then, look.state
    root = workspace.root
    require_sound_folders(git, now.tree_id, then.tree_id)
    compared = [*compare_states(git, now, then, lines=False).changes.values()]
    limits = frozenset(reach.chosen or ())
    if look.is_narrow and reach.chosen is not None:  # of other paths, nothing is known now
        compared = [change for change in compared if within(change.path, limits)]
    measure = measured(base, git, compared)
    changes = {change.path: change for change in measure}
    if shown:
        chosen = [c for c in measure if reach.chosen is None or within(c.path, limits)]
        changes |= {c.path: c for c in with_lines(git, now.tree_id, then.tree_id, chosen)}
    record, observed = _record(base, request), None
    left_out = LeftOut.of(root, changes, now.meta, then.meta, most_bytes(base))
    closed = unread(git, left_out.changes, now, then)
    wanted = reach.chosen
    if record is not None:
        held = entries_at(git, then.tree_id, record.paths)
        left_out = left_out.with_made(root, record, held)
        whose = _Whose({c.path: record.verdict(c) for c in left_out.changes.values()})
        if request.mode is Mode.KEEP_EDITS:
            files = [path for path in wanted or () if path in left_out.changes or path in closed]
            as_left = record.directories(now.meta, then.meta)
            wanted = [*files, *as_left.intersection(wanted or ())]
    else:
        if _asks(request) and not (reach.alone and request.mode is Mode.KEEP_EDITS):
            observed = look.observed(request.checkpoint, then, compared)
        whose = _judged(base, request, reach, observed, left_out, changes)
    other = now.meta.directories.keys() ^ then.meta.directories.keys()
    find = projects_inside if request.leaves_inner_alone else worktrees_inside
    inner = find(workspace, [*_perhaps_directories(changes), *other])
    seen = Inspector(root)
    situation = Situation(
        {**left_out.changes, **closed},
        now.meta,
        then.meta.assuming(now.meta),
        seen.exists,
        seen.is_directory,
        seen.inside,
        whose.offered if request.to_choose else whose.verdicts,
        whose.directories or request.to_choose,
        whose.others,
        inner,
        left_out.reasons,
        frozenset() if record is None else frozenset(record.paths),
    )
    steps = plan_steps(situation, request.mode, wanted, exactly=reach.exactly)
    steps = without_others_powers(root, steps, then.meta.owners)
    if request.checkpoint.is_fetched:
        steps = without_likes_of_git(steps)
    steps = _with_contents(git, then, steps)
    if shown:
        steps = name_unreadable(git, steps)
    out: Mapping[str, TakenOut | str] = {}
    if (request.merge or request.to_choose) and not reach.alone:
        recorded = since(base, observed, request.checkpoint)
        out = take_out(
            git,
            base.layout.scratch,
            request.checkpoint,
            steps,
            whose.verdicts,
            recorded,
            folded=is_folded_since(base, request.checkpoint),
            most=None if request.merge else _MOST_TOLD,
        )
    merged = merge(steps, out if request.merge else {})
    touched = {step.path for step in merged.steps if step.action is not Action.KEEP}
    uncaptured = touched & left_out.reasons.keys()
    name = left_out.name_of(look.staged.state_id)
    return Planned(
        merged.steps,
        name,
        frozenset(uncaptured),
        merged.contents,
        merged.conflicts,
        {
            path: one.contents
            for path, one in out.items()
            if isinstance(one, TakenOut) and not one.places
        },
    )


@dataclass(frozen=True)
class _Whose:
    """Whose the changes are, in the words of ``Situation``."""

    verdicts: Mapping[str, Verdict] = field(default_factory=dict)
    directories: bool = True
    others: Mapping[str, str] = field(default_factory=dict)

    @property
    def offered(self) -> dict[str, Verdict]:
        """The same verdicts as no more than words, for somebody who chooses."""
        return {path: replace(one, restore=True) for path, one in self.verdicts.items()}


def _asks(request: RestoreRequest) -> bool:
    """Tell whether it matters who changed what."""
    return request.mode is Mode.KEEP_EDITS or request.session_id is not None


def _judged(
    base: Base,
    request: RestoreRequest,
    reach: Reach,
    observed: Observed | None,
    left_out: LeftOut,
    changes: Mapping[str, Change],
) -> _Whose:
    """Say whose the changes are, as far as the request asks. ``observed`` is the look at the
    present, None where it is recorded already."""
    checkpoint, session = request.checkpoint, request.session_id
    if not _asks(request):
        return _Whose()
    if request.mode is not Mode.KEEP_EDITS:
        return _Whose(others=others_since(base, observed, checkpoint, changes, session or ""))
    if reach.alone:
        return _Whose(verdicts_alone(base, checkpoint, left_out.changes, session))
    found = verdicts_since(
        base, observed, checkpoint, left_out.as_recorded(changes), session_id=session
    )
    return _Whose(*found)


@dataclass(frozen=True)
class Found:
    """What lies at the paths that steps touch: ``names`` of mode and contents, "" for nothing, and
    the paths among them that a take leaves out."""

    names: dict[str, str]
    uncaptured: frozenset[str]


def found_at(look: Look, steps: Sequence[PlannedPath]) -> Found:
    """Name what a look has seen at each path that the steps touch."""
    names = Held.touched_by(look.git, look.state, steps).touched(steps)
    seen = Inspector(look.workspace.root)
    most = most_bytes(look.workspace.base)
    left_out = {path: _there(seen, path, most) for path, name in names.items() if not name}
    there = {path: name for path, name in left_out.items() if name}
    return Found(names | there, frozenset(there))


def most_bytes(base: Base) -> int:
    """Return the size of the largest file that a safety checkpoint takes in although it is over
    the size limit: one that the size cap allows, and that half of the free space holds."""
    free = free_bytes(base.layout.base) // 2
    return min(base.config.max_total_bytes or free, free)


def _there(look: Inspector, path: str, most: int) -> str:
    entry = look.look(path)
    if entry.kind not in (EntryKind.FILE, EntryKind.LINK) or entry.size > most:
        return ""
    mode = stat.S_IFLNK if entry.kind is EntryKind.LINK else stat.S_IFREG | entry.mode
    try:
        return f"{mode:o} {content_id(look.spot(path))}"
    except OSError:
        return ""


def _perhaps_directories(changes: Mapping[str, Change]) -> set[str]:
    """Return those of the changed paths that may be directories now, and the directories in which
    the others lie: what was seen as a file or link is none, and need not be looked at again."""
    found: set[str] = set()
    for path, change in changes.items():
        is_leaf = change.old_mode is not None and stat.S_IFMT(change.old_mode) in _LEAVES
        found.add(path.rpartition("/")[0] if is_leaf else path)
    return found - {""}


def _record(base: Base, request: RestoreRequest) -> Record | None:
    """Return what the restore did that is to be taken back."""
    if request.undo_of is None:
        return None
    steps = base.catalog.restores.steps(request.undo_of)
    return Record(steps, request.undo_state or RestoreState.DONE)


def _with_contents(
    git: Git, then: TreeState, steps: tuple[PlannedPath, ...]
) -> tuple[PlannedPath, ...]:
    """Name the contents of files whose permissions alone change, so that the record of a restore
    says of every step what it leaves."""

    def is_bare(step: PlannedPath) -> bool:
        return step.action is Action.CHMOD and step.is_file and not step.blob

    held = entries_at(git, then.tree_id, [step.path for step in steps if is_bare(step)])
    return tuple(
        replace(step, blob=held[step.path].object_id)
        if is_bare(step) and step.path in held
        else step
        for step in steps
    )
