"""A restore from its plan to its result, and how the catalog records it."""

from __future__ import annotations

import stat
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from hermes_checkpoints.model.checkpoints import Checkpoint
from hermes_checkpoints.model.heads import Head
from hermes_checkpoints.model.kinds import Action, Mode, RestoreRole, RestoreState
from hermes_checkpoints.model.paths import parents


@dataclass(frozen=True)
class RestoreOf:
    """A restore, undo or redo: when it began, and the id of the checkpoint that it went to.

    >>> taken = project.take()
    >>> Path("notes.txt").unlink()
    >>> restored = project.restore("latest")
    >>> [safety] = project.safety_checkpoints()
    >>> isinstance(safety.safety_of, RestoreOf), safety.safety_of.role.value
    (True, 'restore')
    """

    role: RestoreRole
    started_at: datetime
    checkpoint_id: str


@dataclass(frozen=True)
class SafetyCheckpoint:
    """A safety checkpoint, and the last restore, undo or redo before which it stands; None where
    that wrote nothing.

    >>> taken = project.take()
    >>> Path("notes.txt").unlink()
    >>> restored = project.restore("latest")
    >>> [safety] = project.safety_checkpoints()
    >>> safety.checkpoint == restored.safety, safety.safety_of.role.value
    (True, 'restore')
    >>> safety.safety_of.checkpoint_id == taken.checkpoint.id
    True
    """

    checkpoint: Checkpoint
    safety_of: RestoreOf | None


@dataclass(frozen=True)
class RestoreRecord:
    """A restore as the catalog has it; ``safety`` brings the state before it back."""

    id: int
    role: RestoreRole
    state: RestoreState
    whole: bool
    started_at: datetime
    safety: Checkpoint
    _target_row: int | None


@dataclass(frozen=True)
class RecordedStep:
    """A step of a restore as the catalog has it: what it planned, and what became of it
    (``planned`` while nobody knows, ``done``, ``kept`` or ``failed``). ``blob`` and ``mode`` are
    what a ``write``, ``chmod`` or ``mkdir`` leaves, and what a ``delete`` takes away."""

    position: int
    path: str
    action: Action
    blob: str | None
    mode: int | None
    outcome: str


@dataclass(frozen=True)
class PlannedPath:
    """One line of a restore plan: what would be done to a path, and why.

    ``mode`` is the full mode that the checkpoint has (type and permission bits), ``blob`` its
    contents, ``bytes`` the size to be written; ``old_mode`` and ``old_blob`` are of what lies there
    now.

    >>> taken = project.take()
    >>> Path("notes.txt").unlink()
    >>> [step] = project.plan_restore("latest", mode="exact").steps
    >>> step.path, step.action.value, step.reason, oct(step.mode), step.bytes
    ('notes.txt', 'write', 'missing now', '0o100644', 9)
    """

    path: str
    action: Action
    reason: str
    blob: str | None = None
    mode: int | None = None
    bytes: int | None = None
    insertions: int | None = None
    deletions: int | None = None
    old_blob: str | None = None
    old_mode: int | None = None

    @property
    def is_file(self) -> bool:
        """Whether it is a file or a link, and no directory."""
        return not stat.S_ISDIR(self.mode or 0)


@dataclass(frozen=True)
class Conflict:
    """What a merge makes of a file where the agent's change and another one touch the same lines:
    the ``contents`` with both between markers, as git writes them, how many places that are, and
    the full ``mode`` of the file. It is never written unless it is chosen.

    >>> taken = project.take(kind="auto", session_id="s")
    >>> _ = Path("notes.txt").write_text("by the agent")
    >>> ended = project.end_turn(session_id="s")
    >>> _ = Path("notes.txt").write_text("by the agent and me")
    >>> plan = project.plan_restore("latest", merge=True)
    >>> conflict = plan.conflicts["notes.txt"]
    >>> isinstance(conflict, Conflict), conflict.places, plan.keeps_all
    (True, 1, True)
    >>> b"by the agent and me" in conflict.contents
    True
    """

    contents: bytes
    places: int
    mode: int


@dataclass(frozen=True)
class RestorePlan:
    """What a restore would do; executing it does this and nothing else.

    ``now_state`` names the state of the working directory that the plan was made for, and
    ``found`` what lay at each path that it touches, which must still be so when it is executed;
    ``role`` says whether it is a plan of a restore, an undo or a redo. ``replaced`` says that this
    is not the directory that was captured: another one lies there since. ``missing`` says that
    none lies there, and that it is made again. ``head`` is where the repository of the directory
    stands; ``checkpoint.stood_at`` is where it stood. ``contents`` are those of files that are left
    otherwise than the checkpoint has them, by path, and ``conflicts`` what a merge could not
    settle. A plan made ``to_choose`` has a step for every path, whoever changed it; executed, it
    leaves out what has changed since, and does the rest. Of files that an agent and others have
    changed, ``without_agent`` has what is left without the agent's changes, where that is known.

    >>> taken = project.take()
    >>> Path("notes.txt").unlink()
    >>> plan = project.plan_restore("latest", mode="exact")
    >>> [step.path for step in plan.of(Action.WRITE)]
    ['notes.txt']
    >>> len(project.restore(plan.checkpoint, plan=plan).done)
    1
    """

    checkpoint: Checkpoint
    working_dir: Path
    restore_mode: Mode
    paths: tuple[str, ...] | None
    steps: tuple[PlannedPath, ...]
    now_state: str
    session_id: str | None = None
    role: RestoreRole = RestoreRole.RESTORE
    found: Mapping[str, str] = field(default_factory=dict)
    replaced: bool = False
    head: Head = field(default_factory=Head)
    missing: bool = False
    contents: Mapping[str, bytes] = field(default_factory=dict)
    conflicts: Mapping[str, Conflict] = field(default_factory=dict)
    to_choose: bool = False
    without_agent: Mapping[str, bytes] = field(default_factory=dict)

    def of(self, *actions: Action) -> tuple[PlannedPath, ...]:
        """Return the steps with one of these actions, in order."""
        return tuple(step for step in self.steps if step.action in actions)

    def step_of(self, path: str) -> PlannedPath | None:
        """Return the step of a path; None where there is none. Where the path changes its kind, it
        is the last one, which makes it what the checkpoint has."""
        return next((step for step in reversed(self.steps) if step.path == path), None)

    def only(self, paths: Iterable[str]) -> RestorePlan:
        """Return the plan with the steps of these paths alone, and what they cannot do without:
        the directories above what comes back, and what stands in its way. A directory goes only
        where all goes that the plan would delete in it.

        >>> taken = project.take()
        >>> Path("notes.txt").unlink()
        >>> _ = Path("more.txt").write_text("made since")
        >>> plan = project.plan_restore("latest", to_choose=True)
        >>> [(step.path, step.action.value) for step in plan.only(["notes.txt"]).steps]
        [('notes.txt', 'write')]
        """
        wanted = set(paths)
        touching = [step for step in self.steps if step.action is not Action.KEEP]
        coming = {s.path for s in touching if s.path in wanted and s.action in _BRINGS_BACK}
        above = {parent for path in coming for parent in parents(path)}
        emptier: set[str] = set()
        stays: set[str] = set()
        found: list[PlannedPath] = []
        for step in touching:
            path, needed = step.path, step.path in above
            if step.action is Action.DELETE:
                needed = needed or path in coming or any(up in coming for up in parents(path))
            elif step.action is not Action.MKDIR:
                needed = False
            empty = not step.is_file and path in emptier and path not in stays
            if path in wanted or needed or (step.action is Action.DELETE and empty):
                found.append(step)
                emptier.update(parents(path) if step.action is Action.DELETE else ())
            elif step.action is Action.DELETE:
                stays.update(parents(path))
        gone = {step.path for step in found}
        return replace(
            self,
            steps=tuple(found),
            contents={path: data for path, data in self.contents.items() if path in gone},
        )

    def writing(
        self, path: str, contents: bytes, reason: str, *, mode: int | None = None
    ) -> RestorePlan:
        """Return the plan with these contents for a file that lies there now and that the
        checkpoint has. Its permission bits stay, or are those of ``mode``; set-id bits are never
        given to contents that no checkpoint had.

        Raises:
            ValueError: when the plan knows of no such file.
        """
        step = self.step_of(path)
        both = None if step is None else (step.mode, step.old_mode)
        regular = both is not None and all(stat.S_ISREG(one or 0) for one in both)
        if step is None or step.action is Action.DELETE or not regular:
            raise ValueError(f"the plan has no file {path!r} that lies there now and then")
        bits = (step.old_mode or 0) if mode is None else mode
        new = replace(
            step,
            action=Action.WRITE,
            reason=reason,
            blob=None,
            mode=stat.S_IFREG | (stat.S_IMODE(bits) & ~_SET_ID),
            bytes=len(contents),
            insertions=None,
            deletions=None,
        )
        return replace(
            self,
            steps=(new, *(one for one in self.steps if one is not step)),
            contents={**self.contents, path: contents},
            conflicts={name: one for name, one in self.conflicts.items() if name != path},
        )

    @property
    def keeps_all(self) -> bool:
        """Whether files differ and every path is kept, so that nothing would be done."""
        kept = self.of(Action.KEEP)
        return kept == self.steps and any(step.is_file for step in kept)


_BRINGS_BACK = (Action.WRITE, Action.MKDIR, Action.CHMOD)
_SET_ID = stat.S_ISUID | stat.S_ISGID


@dataclass(frozen=True)
class FailedPath:
    """A path that could not be restored, and the reason of the system.

    >>> taken = project.take()
    >>> restored = project.restore("latest")
    >>> [(failed.path, failed.error) for failed in restored.failed]  # nothing failed
    []
    """

    path: str
    action: Action
    error: str


@dataclass(frozen=True)
class Restored:
    """A restore that ran. ``safety`` brings the former state back. ``head`` is where the
    repository of the directory stands, as in the plan.

    >>> taken = project.take()
    >>> Path("notes.txt").unlink()
    >>> restored = project.restore("latest", mode="exact")
    >>> restored.complete, [step.path for step in restored.done]
    (True, ['notes.txt'])
    >>> undone = project.undo()
    >>> Path("notes.txt").exists()
    False
    """

    checkpoint: Checkpoint
    safety: Checkpoint
    working_dir: Path
    done: tuple[PlannedPath, ...]
    kept: tuple[PlannedPath, ...]
    failed: tuple[FailedPath, ...] = ()
    role: RestoreRole = RestoreRole.RESTORE
    head: Head = field(default_factory=Head)

    @property
    def complete(self) -> bool:
        """Whether all was done that was planned: no path failed, and where files differ not every
        path was kept. Some may have been."""
        return not (self.failed or self.kept_all)

    @property
    def kept_all(self) -> bool:
        """Whether files differ and every path was kept, so that nothing was done."""
        return not (self.done or self.failed) and any(step.is_file for step in self.kept)


def safety_below(
    listed: Sequence[Checkpoint], safety: Sequence[SafetyCheckpoint]
) -> dict[str | None, list[SafetyCheckpoint]]:
    """Return which safety checkpoints stand below which of those ``listed``, by its id: below the
    one that was restored, also where a restore went to a safety checkpoint that stands there; where
    that is not listed, below the newest one before it. Those that stand below none are at None.

    Both lists are newest first.
    """
    ids = {one.id for one in listed}
    to = {s.checkpoint.id: s.safety_of.checkpoint_id for s in safety if s.safety_of is not None}
    below: dict[str | None, list[SafetyCheckpoint]] = {}
    for one in safety:
        at: str | None = one.checkpoint.id
        seen: set[str | None] = set()
        while at in to and at not in seen:
            seen.add(at)
            at = to[at]
        if at not in ids:
            older = (c.id for c in listed if c._row < one.checkpoint._row)
            at = next(older, None)
        below.setdefault(at, []).append(one)
    return below
