"""Decides what a restore does to each file and link that differs.

Every path that differs and was chosen has one step, except that a mode which deletes nothing
has none for what the checkpoint lacks. A path comes back only where its contents now are held by
the safety checkpoint and its way is free; it is removed only where the checkpoint proves that it
was made since, or where something that comes back needs its place.
"""

from __future__ import annotations

import stat
from collections.abc import Mapping

from hermes_checkpoints.model import Action, Change, ChangeStatus, Mode, PlannedPath
from hermes_checkpoints.restore.obstacles import Way, way_to_file
from hermes_checkpoints.restore.situation import Basis


def bring_back(basis: Basis) -> tuple[list[PlannedPath], list[Way]]:
    """Return a step for each chosen file that the checkpoint has, by path, and the ways to
    those that are missing now."""
    steps: list[PlannedPath] = []
    ways: list[Way] = []
    for path, change in sorted(basis.situation.changes.items()):
        if path in basis.present_only or not basis.is_chosen(path):
            continue
        reason = basis.uncaptured_now(path) or basis.outdated_then(path)
        if reason is None:
            reason = basis.refused(path)
        if reason is None and change.status is ChangeStatus.ADDED:
            ways.append(way_to_file(basis, path))
            reason = ways[-1].obstacle
        if reason is not None:
            steps.append(_step(path, Action.KEEP, reason, change))
        else:
            steps.append(_step(path, *_brought_back(basis, path, change), change))
    return steps, ways


def _brought_back(basis: Basis, path: str, change: Change) -> tuple[Action, str]:
    """Return how a file comes back, and why: in the words of the verdict, where it has some."""
    reason = basis.verdict(path).reason
    if path in basis.situation.left_out:
        reason = f"{reason or 'changed since'}; {basis.situation.left_out[path]} now"
    if change.status is ChangeStatus.ADDED:
        earlier = basis.earlier_then(path) is not None
        missing = "missing now; the version captured last" if earlier else "missing now"
        return Action.WRITE, reason or missing
    if change.old_blob == change.new_blob and not _other_type(change):
        return Action.CHMOD, reason or "permissions changed since"
    return Action.WRITE, reason or "changed since"


def remove(basis: Basis, in_the_way: Mapping[str, str]) -> list[PlannedPath]:
    """Return a step for each file that the checkpoint lacks, by path.

    ``in_the_way`` names what goes to make room, with the path that needs its place. That goes
    in every mode, chosen or not. All else is removed only where it was chosen, the mode deletes,
    the verdict allows it, and the checkpoint would hold it if it had been there.
    """
    steps: list[PlannedPath] = []
    for path in sorted(basis.present_only):
        change = basis.situation.changes[path]
        if path in in_the_way:
            reason = f"in the way of {in_the_way[path]}"
            steps.append(_step(path, Action.DELETE, reason, change))
        elif basis.mode is not Mode.OVERLAY and basis.is_chosen(path):
            steps.append(_step(path, *_removed(basis, path), change))
    return steps


def _removed(basis: Basis, path: str) -> tuple[Action, str]:
    verdict = basis.verdict(path)
    kept = basis.uncaptured_now(path)
    if kept is None:
        kept = basis.unknown_then(path) if verdict.restore else verdict.reason
    if kept is not None:
        return Action.KEEP, kept
    return Action.DELETE, verdict.reason or "created since"


def _step(path: str, action: Action, reason: str, change: Change) -> PlannedPath:
    """Return a step with the facts of what the checkpoint has, or, where it lacks the path, of
    what lies there now."""
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
        old_blob=change.old_blob,
        old_mode=change.old_mode,
    )


def _other_type(change: Change) -> bool:
    return stat.S_IFMT(change.old_mode or 0) != stat.S_IFMT(change.new_mode or 0)
