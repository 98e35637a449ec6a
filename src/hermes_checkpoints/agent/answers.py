"""The dicts with which the manager answers: lists, comparisons and restores of a project.

Hosts read the keys, so they never change; what becomes of a failure is one of them, ``error``.
Each function works on an opened project and raises ``CheckpointError``.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hermes_checkpoints.agent.guard import reason
from hermes_checkpoints.agent.shapes import LIMITS, Result, entry, restore_result
from hermes_checkpoints.errors import (
    BadRequest,
    CheckpointError,
    CheckpointUnknown,
    DirectoryReplaced,
    PathRefused,
    PathUnknown,
)
from hermes_checkpoints.layout import resolve_working_dir
from hermes_checkpoints.model import LATEST, Action, Mode, Moment, heads_moved

if TYPE_CHECKING:
    from hermes_checkpoints.checkpoints import Checkpoints, Project
    from hermes_checkpoints.model import Diff, Restored

_ID = re.compile(r"[0-9a-fA-F]{4,64}")


def failed(error: Exception) -> Result:
    """Return the answer of a call that failed: ``success``, ``error`` and, for an error of this
    package, its ``code``."""
    result: Result = {"success": False, "error": reason(error)}
    return result | {"code": error.code} if isinstance(error, CheckpointError) else result


def restore_failed(error: Exception) -> Result:
    """Return the answer of a restore that failed: that of ``failed`` with ``debug``, what the
    system or git said, or None."""
    cause = error.__cause__
    return failed(error) | {"debug": None if cause is None else str(cause)}


def listed(project: Project, limit: int | None) -> list[Result]:
    """Return the checkpoints of a project, newest first, at most ``limit``. Hosts number them by
    themselves, so safety checkpoints are among them, as in the originals."""
    found = project.list(limit=limit, safety=True)
    moved = heads_moved(found)
    return [entry(checkpoint, moved.get(checkpoint.id)) for checkpoint in found]


def listed_everywhere(checkpoints: Checkpoints) -> list[Result]:
    """Return the checkpoints of every project, newest first, at most ``max_snapshots`` of each."""
    limits: dict[str, int] = {}
    counts: Counter[str] = Counter()
    found = []
    for checkpoint in checkpoints.list_all():
        name = checkpoint.working_dir
        counts[name] += 1
        if name not in limits:
            limits[name] = checkpoints.config.of_project(Path(name)).max_snapshots
        if not limits[name] or counts[name] <= limits[name]:
            found.append(entry(checkpoint) | {"workdir": checkpoint.working_dir})
    return found


def compared(project: Project, commit_hash: str) -> Result:
    """Compare a checkpoint with the present working directory."""
    with _refusals_in_known_words(commit_hash):
        return _difference(project.diff(commit_hash))


def nothing_compared() -> Result:
    """Return the comparison of a session that has no checkpoint."""
    return {"success": True, "stat": "", "diff": "", "empty": True}


def session_compared(project: Project, session_id: str | None) -> Result:
    """Compare the first checkpoint of a session with the present working directory."""
    found = project.list(session_id=session_id, safety=True)
    if not found:
        return nothing_compared()
    diff = project.diff(found[-1])
    result = _difference(diff) | {"baseline": found[-1].id}
    return result if diff.changes else result | {"empty": True}


def planned(project: Project, commit_hash: str, session_id: str | None = None) -> Result:
    """Tell what a safe restore would bring back or delete, and what it would keep; in a session,
    what agents of others changed is kept."""
    with _refusals_in_known_words(commit_hash):
        plan = project.plan_restore(commit_hash, mode=Mode.KEEP_EDITS, session_id=session_id)
    return {
        "success": True,
        "restore": [step.path for step in plan.steps if step.action is not Action.KEEP],
        "skipped": [step.path for step in plan.of(Action.KEEP)],
    }


def restored(
    project: Project, commit_hash: str, file_path: str | None, safe: bool, moment: Moment
) -> Result:
    """Bring a project, or one file of it, back to a checkpoint; ``moment`` is now. In a session,
    what agents of others changed is kept, unless it is the file that was named."""
    with _refusals_in_known_words(commit_hash):
        try:
            done = project.restore(
                commit_hash,
                [os.path.normpath(file_path)] if isinstance(file_path, str) else file_path,
                mode=Mode.KEEP_EDITS if safe else Mode.OVERLAY,
                session_id=moment.session_id if file_path is None else None,
                moment=moment,
            )
        except DirectoryReplaced as error:
            text = f"{error}. A restore that is not safe brings every captured file back"
            raise DirectoryReplaced(text) from error
    result = restore_result(done, details=safe, too_large=_too_large(project, done) if safe else ())
    if done.kept_all and safe:
        from hermes_checkpoints.checkpoints.way_out import Asked, way_out

        kept = [step.path for step in done.kept]
        asked = Asked(Mode.KEEP_EDITS, moment.session_id if file_path is None else None)
        if way_out(project, done.checkpoint, kept, asked) == replace(asked, mode=Mode.OVERLAY):
            result["error"] += "; a restore that is not safe brings it back"
    return result if file_path is None else result | {"file": file_path}


def _too_large(project: Project, done: Restored) -> list[str]:
    """Return the files that are there, and that no restore of the checkpoint can bring back, since
    it left them out for their size."""
    if not done.checkpoint.skipped_count:
        return []
    return [
        one.path
        for one in project.skipped(done.checkpoint)
        if one.reason in LIMITS and os.path.lexists(done.working_dir / one.path)
    ]


def _difference(diff: Diff) -> Result:
    return {"success": True, "stat": diff.stat.strip(), "diff": diff.text}


@contextlib.contextmanager
def _refusals_in_known_words(commit_hash: object) -> Iterator[None]:
    """Let an id that is refused, or a path that a checkpoint lacks, be told with the texts that
    hosts know; what this package says of it, with what to do, stays as the cause."""
    try:
        yield
    except (BadRequest, CheckpointUnknown, PathUnknown) as error:
        text = _known_words(error, commit_hash)
        if text is None:
            raise
        raise type(error)(text) from error


def _known_words(error: CheckpointError, commit_hash: object) -> str | None:
    if isinstance(error, PathUnknown):
        return f"Restore failed: {error}"
    if isinstance(commit_hash, str):
        if _ID.fullmatch(commit_hash):
            known = isinstance(error, CheckpointUnknown)
            return f"Checkpoint '{commit_hash}' not found" if known else None
        if commit_hash.isdecimal() or commit_hash == LATEST:
            return None  # a number that the list does not have
    return no_commit_hash(commit_hash)


def no_commit_hash(commit_hash: object) -> str | None:
    """Return in the words that hosts know why a text can be no id, or None."""
    if not isinstance(commit_hash, str) or not commit_hash.strip():
        return "Empty commit hash"
    if commit_hash.startswith("-"):
        return f"Invalid commit hash (must not start with '-'): {commit_hash!r}"
    if not _ID.fullmatch(commit_hash):
        return f"Invalid commit hash (expected 4-64 hex characters): {commit_hash!r}"
    return None


def no_file_path(file_path: str, working_dir: str | os.PathLike[str]) -> str | None:
    """Return in the words that hosts know why a path names nothing in a directory, or None. A link
    in the directory is a path of it, wherever it leads."""
    if not file_path or not file_path.strip():
        return "Empty file path"
    if os.path.isabs(file_path):
        return f"File path must be relative, got absolute path: {file_path!r}"
    place = resolve_working_dir(working_dir)
    path = place / os.path.normpath(file_path)
    if ".." in path.parts or not (path == place or path.parent.resolve().is_relative_to(place)):
        return f"File path escapes the working directory via traversal: {file_path!r}"
    return None


def as_text(path: Any) -> Any:
    """Return a ``Path`` as text, and anything else as it is."""
    return os.fspath(path) if isinstance(path, os.PathLike) else path


def refuse_early(
    commit_hash: object, working_dir: str | os.PathLike[str], file_path: str | None = None
) -> None:
    """Refuse what can be no id, number or label, and a path that leaves the directory, before
    anything is looked up.

    Raises:
        BadRequest, PathRefused: in the words that hosts know.
    """
    if not isinstance(commit_hash, str) or commit_hash.startswith("-") or not commit_hash.strip():
        raise BadRequest(no_commit_hash(commit_hash) or "")
    # What is no text is judged where all paths are.
    wrong = no_file_path(file_path, working_dir) if isinstance(file_path, str) else None
    if wrong is not None:
        raise PathRefused(wrong)
