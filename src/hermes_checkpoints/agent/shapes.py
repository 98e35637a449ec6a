"""The dicts and the list text that hosts know from earlier storage layers. No I/O.

Hosts read these keys and show this text, so both stay as they are, whatever the model is like.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from hermes_checkpoints.agent.guard import guarded
from hermes_checkpoints.model import Checkpoint, SkipReason, moved_text
from hermes_checkpoints.text import shown

if TYPE_CHECKING:
    from hermes_checkpoints.model import Restored

Result = dict[str, Any]

EVERYWHERE = "all directories"
"""What hosts name as the directory of a list of all projects, whose lines say of which each is."""

LIMITS = (SkipReason.OVERSIZE, SkipReason.OVER_BUDGET)
"""Why a file is left out for its size."""


def entry(checkpoint: Checkpoint, head: str | None = None) -> Result:
    """Return a checkpoint as the dict that hosts know. The first of a project has no figures
    of change, since there is nothing to compare it with. ``head`` is what the list is to say of
    HEAD, where that stood elsewhere than at the one before."""
    first = checkpoint.is_first
    return {
        "hash": checkpoint.id,
        "short_hash": checkpoint.short_id,
        "timestamp": checkpoint.local_time.isoformat(timespec="seconds"),
        "reason": checkpoint.reason,
        "files_changed": 0 if first else checkpoint.files_changed,
        "insertions": 0 if first else checkpoint.insertions,
        "deletions": 0 if first else checkpoint.deletions,
        "skipped": checkpoint.skipped_count,
        **({"partial": True} if checkpoint.partial else {}),
        **({"partly_lost": True} if checkpoint.partly_lost else {}),
        **({"head_moved": head} if head else {}),
    }


def restore_result(done: Restored, *, details: bool, too_large: Sequence[str] = ()) -> Result:
    """Return a restore as the dict that hosts know; ``details`` adds the lists of paths. Where HEAD
    moved since the checkpoint was taken, ``head_moved`` says so. ``too_large`` are paths that are
    there and that the checkpoint does not hold for their size."""
    from hermes_checkpoints.model import Action

    moved = moved_text(done.checkpoint.stood_at, done.head)
    result: Result = {
        "success": done.complete,
        "restored_to": done.checkpoint.short_id,
        "reason": done.checkpoint.reason,
        "directory": str(done.working_dir),
        "safety": done.safety.id,
        "kept": [{"path": step.path, "reason": step.reason} for step in done.kept],
        **({"head_moved": moved} if moved else {}),
    }
    if details:
        files = [step for step in done.done if step.is_file]
        oversize = [step.path for step in done.kept if any(why in step.reason for why in LIMITS)]
        oversize += [path for path in too_large if path not in oversize]
        result |= {
            "restored_files": [s.path for s in files],
            "deleted_files": [s.path for s in files if s.action is Action.DELETE],
            "skipped_user_edits": [s.path for s in done.kept if s.path not in oversize],
            "skipped_oversize": oversize,
        }
        left = [f.path for f in done.failed if f.action is Action.DELETE]
        result |= {"failed_deletes": left} if left else {}
    if done.kept_all:
        kept = next(step for step in done.kept if step.is_file)
        result["error"] = (
            f"nothing was restored: {len(done.kept)} path(s) stay as they are, first {kept.path} "
            f"({kept.reason})"
        )
    if done.failed:
        first = done.failed[0]
        result["failed"] = [{"path": f.path, "error": f.error} for f in done.failed]
        result["debug"] = first.error
        result["error"] = (
            f"{len(done.failed)} path(s) could not be restored, first {first.path}: {first.error}"
        )
    return result


@guarded("a list of checkpoints cannot be shown", lambda _: "")
def format_checkpoint_list(checkpoints: list[Result], directory: str) -> str:
    """Return the list that `/rollback` shows, from what ``list_checkpoints`` returned; an empty
    text where it is no such list. Those at ``safety`` of an entry stand below it, without a
    number. Where ``directory`` is ``EVERYWHERE``, each line names its project."""
    return list_text(checkpoints, directory, "/rollback")


def list_text(checkpoints: list[Result], directory: str, command: str) -> str:
    """Return the list, with the forms of the ``command`` that takes its numbers below it."""
    if not checkpoints:
        return f"No checkpoints found for {shown(directory)}"
    lines = [f"📸 Checkpoints for {shown(directory)}:\n"]
    everywhere = directory == EVERYWHERE
    for number, checkpoint in enumerate(checkpoints, 1):
        lines.append(f"  {number}. {_line(checkpoint, everywhere=everywhere)}")
        lines += [f"       {_line(safety)}  [safety]" for safety in checkpoint.get("safety", ())]
    if any(checkpoint.get("partial") for checkpoint in checkpoints):
        lines.append("\n  [partial] holds the files that it names, and nothing else is safe there")
    if any(checkpoint.get("partly_lost") for checkpoint in checkpoints):
        lines.append(
            "\n  [partly lost] lacks the contents of some files; the others can be restored"
        )
    lines += [
        f"\n  {command} <N>             restore to checkpoint N",
        f"  {command} diff <N>        preview changes since checkpoint N",
        f"  {command} <N> <file>      restore a single file from checkpoint N",
    ]
    return "\n".join(lines)


def _line(checkpoint: Result, *, everywhere: bool = False) -> str:
    files = checkpoint.get("files_changed", 0)
    added, removed = checkpoint.get("insertions", 0), checkpoint.get("deletions", 0)
    stats = f"  ({files} file{'' if files == 1 else 's'}, +{added}/-{removed})" if files else ""
    if checkpoint.get("partial"):
        stats += "  [partial]"
    if checkpoint.get("partly_lost"):
        stats += "  [partly lost]"
    if checkpoint.get("skipped"):
        stats += f"  [{checkpoint['skipped']} not captured]"
    if checkpoint.get("head_moved"):
        stats += f"  [{shown(checkpoint['head_moved'])}]"
    when = _minute(checkpoint["timestamp"])
    workdir = checkpoint.get("workdir", "") if everywhere else ""
    name = f"[{shown(PurePath(workdir).name or workdir)}]  " if workdir else ""
    return f"{checkpoint['short_hash']}  {when}  {name}{shown(checkpoint['reason'])}{stats}"


def _minute(timestamp: str) -> str:
    """Shorten an ISO 8601 time to the minute; anything else is shown as it is."""
    day, separator, time = timestamp.partition("T")
    return f"{day} {time[:5]}" if separator else timestamp
