"""The dicts with which the manager answers: lists, comparisons and restores of a project.

Hosts read the keys, so they never change; what becomes of a failure is one of them, ``error``.
Each function works on an opened project and raises ``CheckpointError``.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from hermes_checkpoints.agent.guard import reason
from hermes_checkpoints.agent.shapes import Result, entry, restore_result
from hermes_checkpoints.errors import CheckpointError
from hermes_checkpoints.model import Action, Mode

if TYPE_CHECKING:
    from hermes_checkpoints.checkpoints import Checkpoints, Project
    from hermes_checkpoints.model import Diff


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


def listed(project: Project, limit: int) -> list[Result]:
    """Return the checkpoints of a project, newest first, at most ``limit``."""
    return [entry(checkpoint) for checkpoint in project.list(limit=limit)]


def listed_everywhere(checkpoints: Checkpoints, limit: int) -> list[Result]:
    """Return the checkpoints of every project, newest first, at most ``limit`` of each."""
    counts: Counter[str] = Counter()
    found = []
    for checkpoint in checkpoints.list_all():
        counts[checkpoint.working_dir] += 1
        if counts[checkpoint.working_dir] <= limit:
            found.append(entry(checkpoint) | {"workdir": checkpoint.working_dir})
    return found


def compared(project: Project, commit_hash: str) -> Result:
    """Compare a checkpoint with the present working directory."""
    return _difference(project.diff(commit_hash))


def nothing_compared() -> Result:
    """Return the comparison of a session that has no checkpoint."""
    return {"success": True, "stat": "", "diff": "", "empty": True}


def session_compared(project: Project, session_id: str | None) -> Result:
    """Compare the first checkpoint of a session with the present working directory."""
    found = project.list(session_id=session_id)
    if not found:
        return nothing_compared()
    diff = project.diff(found[-1])
    result = _difference(diff) | {"baseline": found[-1].id}
    return result if diff.changes else result | {"empty": True}


def planned(project: Project, commit_hash: str) -> Result:
    """Tell what a safe restore would bring back or delete, and what it would keep."""
    plan = project.plan_restore(commit_hash, mode=Mode.KEEP_EDITS)
    return {
        "success": True,
        "restore": [step.path for step in plan.steps if step.action is not Action.KEEP],
        "skipped": [step.path for step in plan.of(Action.KEEP)],
    }


def restored(project: Project, commit_hash: str, file_path: str | None, safe: bool) -> Result:
    """Bring a project, or one file of it, back to a checkpoint."""
    done = project.restore(
        commit_hash,
        None if file_path is None else [file_path],
        mode=Mode.KEEP_EDITS if safe else Mode.OVERLAY,
    )
    result = restore_result(done, details=safe)
    return result if file_path is None else result | {"file": file_path}


def _difference(diff: Diff) -> Result:
    return {"success": True, "stat": diff.stat.rstrip("\n"), "diff": diff.text}
