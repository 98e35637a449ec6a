"""Tells from the record of a restore what it left at each path, so that an undo takes back that
and keeps what came after."""

from __future__ import annotations

import stat
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from hermes_checkpoints.attribution.verdict import Verdict
from hermes_checkpoints.fs.inspect import Inspector
from hermes_checkpoints.fs.stamp import content_id
from hermes_checkpoints.model import Action, Change, ChangeStatus, RecordedStep, RestoreState
from hermes_checkpoints.object_store import TreeMeta

CAME_AFTER = "changed after it"
"""Why an undo keeps a path."""

_OPENED = 0o700
_Left = tuple[str | None, int | None]
"""Contents and full mode of what lies at a path; both None where nothing does."""

_MISSING: _Left = (None, None)


@dataclass(frozen=True)
class Record:
    """What a restore planned and did, and how far it came."""

    steps: Sequence[RecordedStep]
    state: RestoreState

    @property
    def paths(self) -> list[str]:
        """The paths that it touched or may have touched, in order."""
        return list(dict.fromkeys(step.path for step in self._touching))

    @cached_property
    def _touching(self) -> list[RecordedStep]:
        return [step for step in self.steps if step.action is not Action.KEEP]

    @cached_property
    def left(self) -> Mapping[str, Sequence[_Left]]:
        """How the restore left each path; after one that was cut short, it may be as after
        any of its steps."""
        cut_short = self.state is RestoreState.INTERRUPTED
        found: dict[str, list[_Left]] = {}
        for step in self._touching:
            if step.outcome == "failed":
                continue
            after = _after(step)
            found[step.path] = [*found.get(step.path, ()), after] if cut_short else [after]
        return found

    def verdict(self, change: Change) -> Verdict:
        """Decide on a path that differs between the present (``old_*``) and the state before the
        restore: only what is as the restore left it is taken back."""
        now = change.old_blob, change.old_mode
        files = (_as_file(left) for left in self.left.get(change.path, ()))
        if any(_is_same(now, left) for left in files):
            return Verdict(True, "")
        return Verdict(False, CAME_AFTER)

    def directories(self, now: TreeMeta, then: TreeMeta) -> set[str]:
        """Return the directories that are as the restore left them, of which ``now`` and ``then``
        have the permission bits."""
        cut_short = self.state is RestoreState.INTERRUPTED
        found: set[str] = set()
        for step in self._touching:
            if not stat.S_ISDIR(step.mode or 0):
                continue
            bits = now.directories.get(step.path)
            left = None if step.action is Action.DELETE else stat.S_IMODE(step.mode or 0)
            made = step.action is Action.MKDIR
            if bits == left or (cut_short and made):
                found.add(step.path)
            else:
                found.discard(step.path)
        if cut_short:  # it may have opened directories that were closed, and not closed them again
            found |= {
                path
                for path, bits in then.directories.items()
                if now.directories.get(path) == bits | _OPENED != bits
            }
        return found


def as_left(root: str, steps: Iterable[RecordedStep]) -> list[int]:
    """Return the positions of the steps of a restore that was cut short whose paths are now as
    planned: what it came to do."""
    look = Inspector(root)
    return [
        step.position
        for step in steps
        if step.action is not Action.KEEP and _is_as_planned(look, step)
    ]


def present_left(look: Inspector, path: str, left: Sequence[_Left]) -> Change | None:
    """Return the deletion of a file that lies at a path as a restore left it, else None."""
    for blob, mode in left:
        if blob is not None and mode is not None and _lies_there(look, path, blob, mode):
            return Change(path, ChangeStatus.DELETED, old_blob=blob, old_mode=mode)
    return None


def _after(step: RecordedStep) -> _Left:
    return _MISSING if step.action is Action.DELETE else (step.blob, step.mode)


def _as_file(left: _Left) -> _Left:
    """Return what a look at files alone sees: where a directory lies, no file does."""
    return _MISSING if stat.S_ISDIR(left[1] or 0) else left


def _is_same(now: _Left, left: _Left) -> bool:
    """Tell whether both are the same. A change of permissions alone names no contents, nor does
    the record of an earlier version: the mode decides then."""
    if now[1] != left[1]:
        return False
    return now[0] == left[0] or (now[1] is not None and None in (now[0], left[0]))


def _is_as_planned(look: Inspector, step: RecordedStep) -> bool:
    mode = step.mode or 0
    if step.action is not Action.DELETE and not stat.S_ISDIR(mode):
        return _lies_there(look, step.path, step.blob, mode)
    try:
        found = look.spot(step.path).lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return step.action is Action.DELETE
    except OSError:
        return False  # nobody can tell
    return step.action is not Action.DELETE and stat.S_ISDIR(found)


def _lies_there(look: Inspector, path: str, blob: str | None, mode: int) -> bool:
    """Tell whether a file or link with these contents and this full mode lies at a path."""
    try:
        spot = look.spot(path)
        found = spot.lstat().st_mode
        if stat.S_IFMT(found) != stat.S_IFMT(mode):
            return False
        if stat.S_ISREG(mode) and stat.S_IMODE(found) != stat.S_IMODE(mode):
            return False
        return blob is None or content_id(spot) == blob
    except OSError:
        return False
