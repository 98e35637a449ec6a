"""Decides, for every path that differs, what a restore does to it and why. No I/O.

Two rules stand above every mode. What the safety checkpoint does not hold is neither
overwritten nor deleted. And that a path is missing in the checkpoint is no proof that it was
made since: one that the checkpoint skipped or that a rule ignored then stays.
"""

from __future__ import annotations

import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from hermes_checkpoints.attribution.verdict import Verdict
from hermes_checkpoints.model import Action, Change, ChangeStatus, Mode, PlannedPath
from hermes_checkpoints.object_store import TreeMeta

_RULES = ".gitignore"
_NO_RECORD = "no record of who changed it"
_NOT_CAPTURED = "not captured"


@dataclass(frozen=True)
class Situation:
    """What a decision rests on.

    ``changes`` lead from the present to the checkpoint, by path. ``exists`` tells whether
    anything lies at a path now, ``is_directory`` whether that is a directory, and ``inside``
    names what lies directly in one, or None where it cannot be listed. Links are not followed;
    all know of paths that no checkpoint holds. ``verdicts`` say, where edits are to be kept, of
    each path whether it may be brought back; ``directories``, which have no record of their own,
    whether they may.
    """

    changes: Mapping[str, Change]
    now: TreeMeta
    then: TreeMeta
    exists: Callable[[str], bool]
    is_directory: Callable[[str], bool]
    inside: Callable[[str], Iterable[str] | None]
    verdicts: Mapping[str, Verdict] = field(default_factory=dict)
    directories: bool = True


def plan_steps(
    situation: Situation, mode: Mode, chosen: Sequence[str] | None, *, exactly: bool = False
) -> tuple[PlannedPath, ...]:
    """Return one step for every path that differs, in the order of execution.

    ``chosen`` limits the restore to these paths and what lies below them, or, ``exactly``, to
    these alone.
    """
    planner = _Planner(situation, mode, chosen, exactly)
    return tuple(planner.steps())


class _Planner:
    def __init__(
        self, situation: Situation, mode: Mode, chosen: Sequence[str] | None, exactly: bool
    ) -> None:
        self._s = situation
        self._mode = mode
        self._chosen = None if chosen is None else frozenset(chosen)
        self._exactly = exactly
        self._present_only = {
            path for path, c in situation.changes.items() if c.status is ChangeStatus.DELETED
        }
        self._now_skipped = {s.path: s.reason for s in situation.now.skipped}
        self._then_skipped = {s.path: s.reason for s in situation.then.skipped}
        self._then_ignored = frozenset(p.rstrip("/") for p in situation.then.ignored_paths)
        self._in_the_way: dict[str, str] = {}

    def steps(self) -> Iterator[PlannedPath]:
        files = [
            self._bring_back(path, change)
            for path, change in sorted(self._s.changes.items())
            if path not in self._present_only and self._is_chosen(path)
        ]
        written = [step.path for step in files if step.action is Action.WRITE]
        made, missing = self._missing_directories(written)
        # Only now is it known what stands in the way of what is brought back.
        files += [step for path in sorted(self._present_only) if (step := self._remove(path))]
        deletes = [step for step in files if step.action is Action.DELETE]
        kept, emptied = self._created_directories({step.path for step in deletes})
        yield from (step for step in deletes if step.path in self._in_the_way)
        yield from self._directories_in_the_way()
        yield from made
        yield from (step for step in files if step.action is Action.WRITE)
        yield from (step for step in files if step.action is Action.CHMOD)
        yield from (step for step in deletes if step.path not in self._in_the_way)
        yield from emptied
        yield from self._directory_modes()
        yield from (step for step in files if step.action is Action.KEEP)
        yield from missing
        yield from kept

    # --- files ----------------------------------------------------------------------------

    def _bring_back(self, path: str, change: Change) -> PlannedPath:
        reason = self._uncaptured(path) or self._uncaptured_then(path)
        verdict = self._verdict(path)
        if reason is None and not verdict.restore:
            reason = verdict.reason
        if reason is not None:
            return self._step(path, Action.KEEP, reason, change)
        if change.status is ChangeStatus.ADDED:
            obstacle = self._clear_the_way(path)
            if obstacle is not None:
                return self._step(path, Action.KEEP, obstacle, change)
            return self._step(path, Action.WRITE, verdict.reason or self._missing(path), change)
        if change.old_blob == change.new_blob and not _other_type(change):
            why = verdict.reason or "permissions changed since"
            return self._step(path, Action.CHMOD, why, change)
        return self._step(path, Action.WRITE, verdict.reason or "changed since", change)

    def _verdict(self, path: str) -> Verdict:
        if self._mode is not Mode.KEEP_EDITS:
            return Verdict(True, "")
        return self._s.verdicts.get(path, Verdict(False, _NO_RECORD))

    def _uncaptured(self, path: str) -> str | None:
        """Why what lies at ``path`` now is not in the safety checkpoint, if so."""
        for name in (path, *parents(path)):
            if name in self._now_skipped:
                return f"not captured: {self._now_skipped[name]}"
        return None

    def _uncaptured_then(self, path: str) -> str | None:
        """Why the checkpoint has no more than an earlier version of ``path``, if so and if
        something lies there."""
        for name in (path, *parents(path)):
            if name in self._then_skipped and self._s.exists(path):
                return f"not captured by the checkpoint: {self._then_skipped[name]}"
        return None

    def _missing(self, path: str) -> str:
        if any(name in self._then_skipped for name in (path, *parents(path))):
            return "missing now; the version captured last"
        return "missing now"

    def _clear_the_way(self, path: str) -> str | None:
        """Mark what stands where a missing path must go, or return why it has to stay."""
        obstacle = self._clear(parents(path), path)
        if obstacle is not None or not self._s.exists(path) or path in self._in_the_way:
            return obstacle
        if path not in self._s.now.directories:
            return "not captured: ignored by a rule now"
        found = dict(self._all_at(path))
        for name, why in found.items():
            if why is not None:
                return _obstacle(name, why)
        self._in_the_way |= dict.fromkeys(found, path)
        return None

    def _clear(self, directories: Iterable[str], path: str) -> str | None:
        """Mark a file or link that stands where a directory must be for ``path`` to come back,
        or return why it has to stay."""
        for name in directories:
            if name in self._present_only:
                uncaptured = self._uncaptured_then(name)
                if uncaptured is not None:
                    return _obstacle(name, uncaptured)
                verdict = self._verdict(name)
                if not verdict.restore:
                    return _obstacle(name, verdict.reason)
                self._in_the_way.setdefault(name, path)
            elif self._s.exists(name) and not self._s.is_directory(name):
                return _obstacle(name, self._uncaptured(name) or _NOT_CAPTURED)
        return None

    def _all_at(self, path: str) -> Iterator[tuple[str, str | None]]:
        """Yield what lies at a path and below it, each with why it has to stay, if so."""
        inside = self._inside(path) if path in self._s.now.directories else None
        uncaptured = self._uncaptured(path)
        if uncaptured is not None:
            yield path, uncaptured
        elif inside is not None:
            yield path, None if inside or self._directories_too else _NO_RECORD
            for name in inside:
                yield from self._all_at(name)
        elif path in self._present_only:
            verdict = self._verdict(path)
            yield path, None if verdict.restore else verdict.reason
        else:
            yield path, _NOT_CAPTURED

    def _inside(self, path: str) -> list[str] | None:
        names = self._s.inside(path)
        return None if names is None else [f"{path}/{name}" for name in names]

    def _remove(self, path: str) -> PlannedPath | None:
        change = self._s.changes[path]
        if path in self._in_the_way:
            return self._step(
                path, Action.DELETE, f"in the way of {self._in_the_way[path]}", change
            )
        if self._mode is Mode.OVERLAY or not self._is_chosen(path):
            return None
        verdict = self._verdict(path)
        reason = self._kept_then(path) if verdict.restore else verdict.reason
        if reason is not None:
            return self._step(path, Action.KEEP, reason, change)
        return self._step(path, Action.DELETE, verdict.reason or "created since", change)

    def _kept_then(self, path: str) -> str | None:
        """Why the checkpoint's lack of ``path`` does not prove that it was made since."""
        for name in (path, *parents(path)):
            if name in self._then_skipped:
                return f"not captured by the checkpoint: {self._then_skipped[name]}"
            if name in self._then_ignored:
                return "ignored by a rule when the checkpoint was taken"
        if not self._s.then.ignored_known or _rules_of(path) & self._then_skipped.keys():
            return "perhaps ignored by a rule when the checkpoint was taken"
        for rules in _rules_of(path) & self._now_skipped.keys():
            return f"perhaps ignored by a rule: {rules} cannot be read"
        return None

    # --- directories ------------------------------------------------------------------------

    def _missing_directories(
        self, written: Sequence[str]
    ) -> tuple[list[PlannedPath], list[PlannedPath]]:
        """Return the directories to be made, which are those that come back and those above
        what does, and the ones that must stay away; ``written`` are the files."""
        made: list[PlannedPath] = []
        kept: list[PlannedPath] = []
        missing = [
            path
            for path in sorted(self._s.then.directories)
            if path not in self._s.now.directories or path in self._in_the_way
        ]
        wanted = {path for path in missing if self._directories_too and self._is_chosen(path)}
        needed = wanted | {up for path in (*written, *wanted) for up in parents(path)}
        for path in missing:
            if path not in needed or self._uncaptured(path) is not None:
                continue
            obstacle = self._clear((path, *parents(path)), path)
            mode = stat.S_IFDIR | self._s.then.directories[path]
            if obstacle is None and (path in self._present_only or not self._s.exists(path)):
                made.append(PlannedPath(path, Action.MKDIR, "missing now", mode=mode))
            elif obstacle is not None and path not in self._present_only:
                kept.append(PlannedPath(path, Action.KEEP, obstacle, mode=mode))
        return made, kept

    @property
    def _directories_too(self) -> bool:
        """Whether directories are taken back for their own sake: where edits are kept, only if
        no person's edit is known, since they have no record."""
        return self._mode is not Mode.KEEP_EDITS or self._s.directories

    def _directories_in_the_way(self) -> Iterator[PlannedPath]:
        for path in sorted(self._in_the_way, reverse=True):
            if path in self._s.now.directories and path not in self._s.then.directories:
                reason = f"in the way of {self._in_the_way[path]}"
                yield self._directory(path, Action.DELETE, reason)

    def _created_directories(
        self, deleted: set[str]
    ) -> tuple[list[PlannedPath], list[PlannedPath]]:
        """Return the directories made since that stay, and those that become empty, the
        deepest first, once the paths in ``deleted`` are gone."""
        kept: list[PlannedPath] = []
        emptied: list[PlannedPath] = []
        gone = set(deleted)
        if self._mode is Mode.OVERLAY:
            return kept, emptied
        for path in sorted(self._s.now.directories.keys() - self._in_the_way.keys(), reverse=True):
            if path in self._s.then.directories or not self._is_chosen(path):
                continue
            reason = self._kept_then(path)
            if reason is None and path in self._now_skipped:
                reason = f"not captured: {self._now_skipped[path]}"
            if reason is None:
                inside = self._inside(path)
                if inside == [] and not self._directories_too:
                    continue
                if inside is not None and gone.issuperset(inside):
                    gone.add(path)
                    emptied.append(self._directory(path, Action.DELETE, "created since"))
                    continue
                reason = "paths that stay are in it"
            if self._mode is Mode.EXACT and path not in self._s.changes:
                kept.append(self._directory(path, Action.KEEP, reason))
        return kept, emptied

    def _directory(self, path: str, action: Action, reason: str) -> PlannedPath:
        bits = self._s.now.directories[path]
        return PlannedPath(path, action, reason, mode=stat.S_IFDIR | bits)

    def _directory_modes(self) -> Iterator[PlannedPath]:
        if not self._directories_too:
            return
        for path, bits in sorted(self._s.then.directories.items(), reverse=True):
            now = self._s.now.directories.get(path)
            if now is None or now == bits or not self._is_chosen(path):
                continue
            if self._uncaptured_then(path) is not None:
                continue
            if self._uncaptured(path) is None or path in self._now_skipped:
                yield PlannedPath(
                    path, Action.CHMOD, "permissions changed since", mode=stat.S_IFDIR | bits
                )

    # --- shared ----------------------------------------------------------------------------

    def _is_chosen(self, path: str) -> bool:
        if self._chosen is None:
            return True
        if path in self._chosen:
            return True
        return not self._exactly and any(name in self._chosen for name in parents(path))

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


def _obstacle(path: str, why: str) -> str:
    return f"{path} is in the way: {why}"


def _other_type(change: Change) -> bool:
    return stat.S_IFMT(change.old_mode or 0) != stat.S_IFMT(change.new_mode or 0)


def _rules_of(path: str) -> frozenset[str]:
    """Return the files of rules that may ignore a path."""
    return frozenset(f"{folder}/{_RULES}" for folder in parents(path)) | {_RULES}


def parents(path: str) -> Iterator[str]:
    """Yield the directories above a path, the nearest first, up to the project."""
    parent = path.rpartition("/")[0]
    while parent:
        yield parent
        parent = parent.rpartition("/")[0]
