"""Checkpoints, what they hold, comparisons, and who changed a path, as JSON."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, cast

from hermes_checkpoints.cli.json.values import exact, instant, octal, words
from hermes_checkpoints.model import Taken

if TYPE_CHECKING:
    from hermes_checkpoints.cli.json.shapes import checkpoints as shapes
    from hermes_checkpoints.model import (
        AgentDiff,
        Archived,
        Change,
        Checkpoint,
        Coverage,
        Diff,
        ExportedBranch,
        FailureRun,
        Head,
        HeadDiff,
        PathEvent,
        RestoreOf,
        SkippedPath,
        SkipReason,
        Unchanged,
        Whose,
    )


def of_checkpoint(checkpoint: Checkpoint) -> shapes.Checkpoint:
    """Return a checkpoint."""
    return {
        "id": checkpoint.id,
        "short_id": checkpoint.short_id,
        **exact("working_dir", checkpoint.working_dir),
        "kind": checkpoint.kind,
        "reason": words(checkpoint.reason),
        "label": words(checkpoint.label),
        "labels": [words(label) for label in checkpoint.labels],
        "created_at": instant(checkpoint.created_at),
        "session_id": words(checkpoint.session_id),
        "turn": checkpoint.turn,
        "turn_title": checkpoint.turn_title,
        "pinned": checkpoint.pinned,
        "complete": checkpoint.complete,
        "partial": checkpoint.partial,
        "partly_lost": checkpoint.partly_lost,
        "file_count": checkpoint.file_count,
        "bytes": checkpoint.logical_bytes,
        "added_bytes": checkpoint.added_bytes,
        "files_changed": checkpoint.files_changed,
        "insertions": checkpoint.insertions,
        "deletions": checkpoint.deletions,
        "skipped_count": checkpoint.skipped_count,
        "ignored_count": checkpoint.ignored_count,
        **of_head(checkpoint.stood_at),
    }


def of_head(head: Head) -> shapes.Head:
    """Return where a repository stands; null is what is not known or, of the branch, where HEAD
    is detached."""
    found: shapes.Head = {"head": words(head.commit), "branch": None}
    if head.branch is not None:
        found.update(exact("branch", head.branch))
    return found


def of_left_out(counts: Mapping[SkipReason, int]) -> dict[str, int]:
    """Return how many paths a checkpoint does not hold, by reason."""
    return {str(reason): number for reason, number in counts.items()}


def of_take(outcome: Taken | Unchanged, left_out: Mapping[SkipReason, int]) -> shapes.Take:
    """Return a take: the new checkpoint, or the one that the working directory still is."""
    return {
        "outcome": "taken" if isinstance(outcome, Taken) else "unchanged",
        "checkpoint": of_checkpoint(outcome.checkpoint),
        "left_out": of_left_out(left_out),
        "imported_dropped": outcome.imported_dropped if isinstance(outcome, Taken) else 0,
    }


@dataclass(frozen=True)
class Followed:
    """What followed checkpoints, by their ids: the next one, where its figures say what changed
    until then (``after``), and ``whose`` that is."""

    after: Mapping[str, Checkpoint]
    whose: Mapping[str, Whose]


def of_log(
    working_dir: str | PathLike[str],
    lines: Iterable[tuple[int | None, Checkpoint, RestoreOf | None]],
    followed: Followed,
    related: Iterable[str],
    lost: Iterable[Checkpoint] = (),
    *,
    left_out: Mapping[SkipReason, int],
    failing: FailureRun | None,
) -> shapes.Log:
    """Return the checkpoints of a project; ``related`` are projects above and below, and ``lost``
    the checkpoints of which the store lacks part, with what that is. ``left_out`` is what the
    newest does not hold, and ``failing`` the takes that failed since, or were refused.
    ``followed`` has what followed each.

    ``number`` is the place in the list of the project, 1 the newest, and null for a safety
    checkpoint. ``safety_of`` is the last restore, undo or redo that such a one was taken before.
    """
    return {
        **exact("working_dir", working_dir),
        "checkpoints": [
            {
                "number": number,
                **of_checkpoint(checkpoint),
                "safety_of": _of_restore(restore),
                **_what_followed(checkpoint, followed),
            }
            for number, checkpoint, restore in lines
        ],
        "related": [exact("working_dir", one) for one in related],
        "lost": [{**of_checkpoint(one), "because": words(one.prune_reason)} for one in lost],
        "left_out": of_left_out(left_out),
        "failing": None if failing is None else of_failures(failing),
    }


def _what_followed(checkpoint: Checkpoint, followed: Followed) -> shapes.WhatFollowed:
    from hermes_checkpoints.cli.followed import hands_after

    after, known = followed.after.get(checkpoint.id), followed.whose.get(checkpoint.id)
    files = None if after is None else after.files_changed
    hands = hands_after(known, files)
    return {
        "who": None if hands is None else cast("list[shapes.Hand]", sorted(hands)),
        "takes_back": None if known is None else known.agents_files,
        "files_after": files,
        "insertions_after": None if after is None else after.insertions,
        "deletions_after": None if after is None else after.deletions,
    }


def of_failures(run: FailureRun) -> shapes.Failures:
    """Return the takes that failed, or were refused, since the last that worked."""
    return {
        **exact("working_dir", run.working_dir),
        "count": run.count,
        "since": instant(run.since),
        "last_error": words(run.last_error),
        "refused": run.refused,
    }


def _of_restore(restore: RestoreOf | None) -> shapes.SafetyOf | None:
    if restore is None:
        return None
    return {
        "role": restore.role,
        "checkpoint": restore.checkpoint_id,
        "started_at": instant(restore.started_at),
    }


def of_details(
    checkpoint: Checkpoint,
    former_ids: Sequence[str],
    changes: Iterable[Change],
    skipped: Iterable[SkippedPath],
    left_out: Mapping[SkipReason, int],
    missing: Iterable[str] = (),
    lost: Iterable[str] = (),
) -> shapes.Show:
    """Return a checkpoint with what it changed and could not capture. ``missing`` are the paths of
    which a partial one says that they were not there, ``lost`` those whose contents the store
    lacks."""
    return {
        **of_checkpoint(checkpoint),
        "fetched": checkpoint.is_fetched,
        "former_ids": list(former_ids),
        "changes": None if checkpoint.is_fetched else of_changes(changes),
        "skipped": of_skipped(skipped),
        "left_out": of_left_out(left_out),
        "missing": [exact("path", path) for path in missing],
        "lost_paths": [exact("path", path) for path in lost],
    }


def of_changes(changes: Iterable[Change]) -> list[shapes.Change]:
    """Return changed paths; modes are git's six octal digits."""
    return [
        {
            **exact("path", change.path),
            "status": change.status,
            "old_mode": octal(change.old_mode),
            "new_mode": octal(change.new_mode),
            "old_bytes": change.old_bytes,
            "new_bytes": change.new_bytes,
            "insertions": change.insertions,
            "deletions": change.deletions,
        }
        for change in changes
    ]


def of_skipped(skipped: Iterable[SkippedPath]) -> list[shapes.Skipped]:
    """Return paths that a checkpoint does not hold."""
    return [
        {**exact("path", path.path), "reason": path.reason, "bytes": path.bytes} for path in skipped
    ]


def of_diff(diff: Diff, *, text: bool) -> shapes.Diff:
    """Return a comparison; ``text`` says whether git's patch is part of it."""
    found: shapes.Diff = {
        "checkpoint": of_checkpoint(diff.checkpoint),
        "against": None if diff.against is None else of_checkpoint(diff.against),
        "changes": of_changes(diff.changes),
        "skipped": of_skipped(diff.skipped),
        **exact("stat", diff.stat),
    }
    if text:
        found.update(exact("text", diff.text))
    return found


def of_archived(done: Archived) -> shapes.Archive:
    """Return what an archive of a checkpoint has, and what it lacks."""
    return {
        "checkpoint": of_checkpoint(done.checkpoint),
        "files": done.files,
        "bytes": done.bytes,
        "skipped": of_skipped(done.skipped),
        "lost_paths": [exact("path", path) for path in done.lost],
    }


def of_branch(done: ExportedBranch) -> shapes.ExportedBranch:
    """Return a commit made of a checkpoint."""
    return {
        "checkpoint": of_checkpoint(done.checkpoint),
        **exact("repository", done.repository),
        **exact("new_branch", done.branch),
        "commit": done.commit,
        **of_head(done.parent),
        "author": words(done.author),
        "own_author": done.own_author,
        "changes": of_changes(done.changes),
        "withheld": [
            {
                **exact("path", one.path),
                "reason": one.reason,
                "skipped": one.skipped,
                "kept": one.kept,
            }
            for one in done.withheld
        ],
    }


def of_head_diff(diff: HeadDiff, *, text: bool) -> shapes.HeadDiff:
    """Return a comparison with HEAD; ``checkpoint`` is null where it is with the present."""
    found: shapes.HeadDiff = {
        **of_head(diff.head),
        "checkpoint": None if diff.checkpoint is None else of_checkpoint(diff.checkpoint),
        "changes": of_changes(diff.changes),
        "skipped": of_skipped(diff.skipped),
        "submodules": [exact("path", path) for path in diff.submodules],
        "lost_paths": [exact("path", path) for path in diff.lost],
        **exact("stat", diff.stat),
    }
    if text:
        found.update(exact("text", diff.text))
    return found


def of_agent_diff(diff: AgentDiff, *, text: bool) -> shapes.AgentDiff:
    """Return what an agent did. ``between`` is what others did meanwhile to the same paths, and
    ``shared`` what another session may have done."""
    found: shapes.AgentDiff = {
        "session_id": words(diff.session_id),
        "turn": diff.turn,
        "began_at": None if diff.began_at is None else instant(diff.began_at),
        "ended_at": None if diff.ended_at is None else instant(diff.ended_at),
        "unseen": diff.unseen,
        "folded": diff.folded,
        "changes": of_changes(diff.changes),
        "between": [{**exact("path", one.path), **of_event(one)} for one in diff.between],
        "shared": [{**exact("path", one.path), **of_event(one)} for one in diff.shared],
        "lost_paths": [exact("path", path) for path in diff.lost],
        **exact("stat", diff.stat),
    }
    if text:
        found.update(exact("text", diff.text))
    return found


def of_contents(checkpoint: Checkpoint, path: str, content: bytes) -> shapes.Contents:
    """Return a file of a checkpoint. ``content_base64`` always is exact."""
    return {
        "checkpoint": of_checkpoint(checkpoint),
        **exact("path", path),
        "bytes": len(content),
        "content_base64": base64.b64encode(content).decode("ascii"),
    }


def of_coverage(coverage: Coverage) -> shapes.Coverage:
    """Return what the next checkpoint would hold; an ignored path ending in ``/`` is a folder."""
    return {
        **exact("working_dir", coverage.working_dir),
        "complete": coverage.complete,
        "file_count": coverage.file_count,
        "directory_count": coverage.directory_count,
        "skipped": of_skipped(coverage.skipped),
        "ignored": [exact("path", path) for path in coverage.ignored],
        "worktrees": [exact("path", path) for path in coverage.worktrees],
        "notes": list(coverage.notes),
    }


def of_events(path: str, events: Iterable[PathEvent]) -> shapes.Who:
    """Return what happened to a path; ``tool`` is null where no tool reported the write, and
    ``reason`` says of the actor ``unknown`` why nobody knows."""
    return {**exact("path", path), "events": [of_event(event) for event in events]}


def of_event(event: PathEvent) -> shapes.Event:
    """Return one change of a path."""
    return {
        "at": instant(event.at),
        "actor": event.actor,
        "tool": words(event.tool),
        "status": event.status,
        "session_id": words(event.session_id),
        "turn": event.turn,
        "overlaps": words(event.overlaps),
        "reason": words(event.reason),
        "blob": event.blob,
        "mode": octal(event.mode),
        "old_blob": event.old_blob,
        "old_mode": octal(event.old_mode),
    }
