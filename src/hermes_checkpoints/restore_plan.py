"""Decides, for every path that differs, what a restore does to it and why. No I/O.

Two rules stand above every mode. What the safety checkpoint does not hold is neither
overwritten nor deleted. And that a path is missing in the checkpoint is no proof that it was
made since: one that the checkpoint skipped or that a rule ignored then stays.
"""

from __future__ import annotations

import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from hermes_checkpoints.model import Action, Change, ChangeStatus, Mode, PlannedPath
from hermes_checkpoints.object_store import TreeMeta


@dataclass(frozen=True)
class Situation:
    """What a decision rests on.

    ``changes`` lead from the present to the checkpoint, by path. ``exists`` tells whether
    anything lies at a path now, and ``below`` lists what lies below a directory now, links not
    followed; both know of paths that no checkpoint holds.
    """

    changes: Mapping[str, Change]
    now: TreeMeta
    then: TreeMeta
    exists: Callable[[str], bool]
    below: Callable[[str], Iterable[str]]


def plan_steps(
    situation: Situation, mode: Mode, chosen: Sequence[str] | None
) -> tuple[PlannedPath, ...]:
    """Return one step for every path that differs, in the order of execution.

    ``chosen`` limits the restore to these paths and what lies below them.
    """
    planner = _Planner(situation, mode, chosen)
    return tuple(planner.steps())


class _Planner:
    def __init__(
        self, situation: Situation, mode: Mode, chosen: Sequence[str] | None
    ) -> None:
        self._s = situation
        self._mode = mode
        self._chosen = chosen
        self._present_only = {
            path for path, c in situation.changes.items() if c.status is ChangeStatus.DELETED
        }
        self._now_skipped = {s.path: s.reason for s in situation.now.skipped}
        self._then_skipped = {s.path: s.reason for s in situation.then.skipped}
        self._then_ignored = frozenset(p.rstrip("/") for p in situation.then.ignored_paths)
        self._now_ignored = frozenset(p.rstrip("/") for p in situation.now.ignored_paths)
        self._in_the_way: dict[str, str] = {}

    def steps(self) -> Iterator[PlannedPath]:
        files = [
            self._bring_back(path, change)
            for path, change in sorted(self._s.changes.items())
            if path not in self._present_only and self._is_chosen(path)
        ]
        made = list(self._make_directories())
        # Only now is it known what stands in the way of what is brought back.
        files += [step for path in sorted(self._present_only) if (step := self._remove(path))]
        deletes = [step for step in files if step.action is Action.DELETE]
        yield from (step for step in deletes if step.path in self._in_the_way)
        yield from self._remove_directories(in_the_way=True)
        yield from made
        yield from (step for step in files if step.action is Action.WRITE)
        yield from (step for step in files if step.action is Action.CHMOD)
        yield from (step for step in deletes if step.path not in self._in_the_way)
        yield from self._remove_directories(in_the_way=False)
        yield from self._directory_modes()
        yield from (step for step in files if step.action is Action.KEEP)

    # --- files ----------------------------------------------------------------------------

    def _bring_back(self, path: str, change: Change) -> PlannedPath:
        reason = self._uncaptured(path)
        if reason is not None:
            return self._step(path, Action.KEEP, reason, change)
        if change.status is ChangeStatus.ADDED:
            obstacle = self._clear_the_way(path)
            if obstacle is not None:
                return self._step(path, Action.KEEP, obstacle, change)
            return self._step(path, Action.WRITE, "missing now", change)
        if change.old_blob == change.new_blob and not _other_type(change):
            return self._step(path, Action.CHMOD, "permissions changed since", change)
        return self._step(path, Action.WRITE, "changed since", change)

    def _uncaptured(self, path: str) -> str | None:
        """Why what lies at ``path`` now is not in the safety checkpoint, if so."""
        for name in (path, *_parents(path)):
            if name in self._now_skipped:
                return f"not captured: {self._now_skipped[name]}"
        return None

    def _clear_the_way(self, path: str) -> str | None:
        """Mark what stands where a missing path must go, or return why it has to stay."""
        for parent in _parents(path):
            if parent in self._present_only:
                self._in_the_way[parent] = path
            elif parent not in self._s.now.directories and self._s.exists(parent):
                if parent in self._now_ignored or not self._s.now.ignored_known:
                    return f"not captured: {parent} is in the way and ignored by a rule"
        if not self._s.exists(path) or path in self._in_the_way:
            return None
        if path not in self._s.now.directories:
            if any(parent in self._in_the_way for parent in _parents(path)):
                return None
            return "not captured: ignored by a rule now"
        inside = [*self._s.below(path)]
        held = self._present_only | self._s.now.directories.keys()
        if not all(name in held for name in inside):
            return "a directory with paths that are not captured is in the way"
        for name in (path, *inside):
            self._in_the_way[name] = path
        return None

    def _remove(self, path: str) -> PlannedPath | None:
        change = self._s.changes[path]
        if path in self._in_the_way:
            return self._step(
                path, Action.DELETE, f"in the way of {self._in_the_way[path]}", change
            )
        if self._mode is not Mode.EXACT or not self._is_chosen(path):
            return None
        reason = self._kept_then(path)
        if reason is not None:
            return self._step(path, Action.KEEP, reason, change)
        return self._step(path, Action.DELETE, "created since", change)

    def _kept_then(self, path: str) -> str | None:
        """Why the checkpoint's lack of ``path`` does not prove that it was made since."""
        for name in (path, *_parents(path)):
            if name in self._then_skipped:
                return f"not captured by the checkpoint: {self._then_skipped[name]}"
            if name in self._then_ignored:
                return "ignored by a rule when the checkpoint was taken"
        if not self._s.then.ignored_known:
            return "perhaps ignored by a rule when the checkpoint was taken"
        return None

    # --- directories ------------------------------------------------------------------------

    def _make_directories(self) -> Iterator[PlannedPath]:
        for path, bits in sorted(self._s.then.directories.items()):
            if path in self._s.now.directories and path not in self._in_the_way:
                continue
            if not self._is_chosen(path) or self._uncaptured(path) is not None:
                continue
            if self._s.exists(path) and path not in self._present_only:
                continue
            if path in self._present_only:
                self._in_the_way[path] = path
            yield PlannedPath(path, Action.MKDIR, "missing now", mode=stat.S_IFDIR | bits)

    def _remove_directories(self, *, in_the_way: bool) -> Iterator[PlannedPath]:
        for path in sorted(self._s.now.directories, reverse=True):
            if path in self._s.then.directories or (path in self._in_the_way) != in_the_way:
                continue
            if in_the_way:
                reason = f"in the way of {self._in_the_way[path]}"
            elif self._mode is Mode.EXACT and self._is_chosen(path):
                if self._kept_then(path) is not None:
                    continue
                reason = "created since"
            else:
                continue
            bits = self._s.now.directories[path]
            yield PlannedPath(path, Action.DELETE, reason, mode=stat.S_IFDIR | bits)

    def _directory_modes(self) -> Iterator[PlannedPath]:
        for path, bits in sorted(self._s.then.directories.items(), reverse=True):
            now = self._s.now.directories.get(path)
            if now is None or now == bits or not self._is_chosen(path):
                continue
            if self._uncaptured(path) is None or path in self._now_skipped:
                yield PlannedPath(
                    path, Action.CHMOD, "permissions changed since", mode=stat.S_IFDIR | bits
                )

    # --- shared ----------------------------------------------------------------------------

    def _is_chosen(self, path: str) -> bool:
        if self._chosen is None:
            return True
        return any(path == name or path.startswith(name + "/") for name in self._chosen)

    @staticmethod
    def _step(path: str, action: Action, reason: str, change: Change) -> PlannedPath:
        deleting = change.status is ChangeStatus.DELETED
        return PlannedPath(
            path,
            action,
            reason,
            blob=change.old_blob if deleting else change.new_blob,
            mode=change.old_mode if deleting else change.new_mode,
            bytes=change.old_bytes if deleting else change.new_bytes,
            insertions=change.insertions,
            deletions=change.deletions,
        )


def _other_type(change: Change) -> bool:
    return stat.S_IFMT(change.old_mode or 0) != stat.S_IFMT(change.new_mode or 0)


def _parents(path: str) -> Iterator[str]:
    parent = path.rpartition("/")[0]
    while parent:
        yield parent
        parent = parent.rpartition("/")[0]
