"""The texts with which ``/rollback`` answers: users know them, so they stay as the user guide has
them, and nothing that could harm a terminal is in them. No I/O."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import tzinfo
from pathlib import Path

from hermes_checkpoints.agent.conversation import Extent, Undone
from hermes_checkpoints.attribution.verdict import is_anothers
from hermes_checkpoints.model import (
    Change,
    Checkpoint,
    Diff,
    FailedPath,
    PlannedPath,
    Restored,
    RestoreRole,
    SkippedPath,
)
from hermes_checkpoints.restore.nested import is_nested
from hermes_checkpoints.text import counted, shown

MAX_LINES = 80
"""How many lines of a diff or list are shown."""
_NAMED = 10
"""How many kept or failed paths are named."""

NOT_ENABLED = (
    "Checkpoints are not enabled.\n"
    "Enable with: hermes --checkpoints\n"
    "Or in config.yaml: checkpoints: { enabled: true }"
)


def capped(lines: Sequence[str]) -> list[str]:
    """Return at most 80 lines, and then how many more there are."""
    if len(lines) <= MAX_LINES:
        return list(lines)
    rest = len(lines) - MAX_LINES
    return [*lines[:MAX_LINES], "", f"  ... ({rest} more lines, showing first {MAX_LINES})"]


def none_text(directory: Path) -> str:
    """Return that a directory has no checkpoints."""
    return f"No checkpoints found for {shown(str(directory))}"


def diff_text(diff: Diff) -> str:
    """Return the summary of a diff and then the diff."""
    if not diff.stat.strip() and not diff.text.strip():
        return "No changes since this checkpoint."
    stat = [_line(line) for line in diff.stat.rstrip("\n").split("\n")]
    lines = [_line(line) for line in diff.text.rstrip("\n").split("\n")]
    skipped = len(diff.skipped)
    note = [f"\n{counted(skipped, 'path')} could not be compared."] if skipped else []
    return "\n".join([*capped(stat), "", *capped(lines), *note])


def show_text(
    checkpoint: Checkpoint,
    changes: Sequence[Change],
    skipped: Sequence[SkippedPath],
    zone: tzinfo | None,
) -> str:
    """Return what a checkpoint is, holds, changed and could not capture."""
    when = checkpoint.created_at.astimezone(zone)
    lines = [
        f"📸 Checkpoint {checkpoint.short_id}: {shown(checkpoint.reason)}",
        f"  Taken:    {when:%Y-%m-%d %H:%M} ({checkpoint.kind})",
        f"  Of:       {shown(checkpoint.working_dir)}",
        f"  Holds:    {counted(checkpoint.file_count, 'file')}",
    ]
    if checkpoint.session_id:
        turn = f", turn {checkpoint.turn}" if checkpoint.turn is not None else ""
        lines.append(f"  Session:  {shown(checkpoint.session_id)}{turn}")
    if checkpoint.label:
        lines.append(f"  Label:    {shown(checkpoint.label)}")
    if not checkpoint.is_first and changes:
        lines.append(f"  Changed:  {counted(len(changes), 'path')} since the checkpoint before")
        lines += capped([f"    {change.status}  {shown(change.path)}" for change in changes])
    if skipped:
        lines.append(f"  Not captured: {counted(len(skipped), 'path')}")
        lines += capped([f"    {shown(path.path)}  ({path.reason})" for path in skipped])
    return "\n".join(lines)


def restored_text(restored: Restored, path: str | None, all_hint: str | None) -> list[str]:
    """Return what a restore did: the ✅ line, what was kept and why, what failed.

    ``all_hint`` is the command that brings the kept edits back, too.
    """
    target = restored.checkpoint
    reason = shown(target.reason)
    if restored.role is not RestoreRole.RESTORE:
        done = "Undone" if restored.role is RestoreRole.UNDO else "Redone"
        first = f"✅ {done}: back at {target.short_id}: {reason}"
    elif path is not None:
        first = f"✅ Restored {shown(path)} from checkpoint {target.short_id}: {reason}"
    else:
        first = f"✅ Restored to checkpoint {target.short_id}: {reason}"
    lines = [first, "A pre-rollback snapshot was saved automatically."]
    lines += _kept(restored.kept, all_hint)
    return lines + _failed(restored.failed)


def is_edit(step: PlannedPath) -> bool:
    """Tell whether a path is kept for what is in it, and not for the limits of the restore."""
    return not is_nested(step) and not is_anothers(step.reason)


def wider_text(kept: Sequence[PlannedPath], command: str) -> list[str]:
    """Return what takes the limits away for which paths were kept; ``command`` is the restore."""
    inner = [step.path for step in kept if is_nested(step)]
    lines = [f"{command} {shown(path)} restores that project, too." for path in inner[:_NAMED]]
    if len(inner) > 1:
        lines.append(f"{command} --nested restores all of them.")
    if any(is_anothers(step.reason) for step in kept):
        lines.append(f"{command} --everyone takes back what other sessions changed, too.")
    return lines


def nothing_text(checkpoint: Checkpoint) -> str:
    """Return that a restore had nothing to do, since no file differs."""
    return f"Nothing to restore: the files are as checkpoint {checkpoint.short_id} has them."


def kept_all_text(restored: Restored, command: str | None) -> str:
    """Return that a restore did nothing although files differ, and why; ``command`` does it."""
    way = f"To restore all the same: {shown(command)}" if command else "No option restores them."
    first = f"❌ Nothing was restored to checkpoint {restored.checkpoint.short_id}."
    return "\n".join([first, *_kept(restored.kept, None), way])


def taken_back_text(checkpoint: Checkpoint, back: str, failed: Sequence[FailedPath]) -> str:
    """Return that a restore failed in part, and what became of the rest (``back``)."""
    lines = [
        f"❌ Checkpoint {checkpoint.short_id} could not be restored in full; {back}.",
        *_failed(failed),
        "The chat is unchanged. --files restores the other files without the chat.",
    ]
    return "\n".join(lines)


def _kept(steps: Sequence[PlannedPath], all_hint: str | None) -> list[str]:
    if not steps:
        return []
    lines = [f"Kept {counted(len(steps), 'path')} as it is now:"]
    if len(steps) > 1:
        lines = [f"Kept {len(steps)} paths as they are now:"]
    lines += [f"  {shown(step.path)}  ({shown(step.reason)})" for step in steps[:_NAMED]]
    if len(steps) > _NAMED:
        lines.append(f"  … and {len(steps) - _NAMED} more")
    if all_hint:
        lines.append(f"{all_hint} brings edits back, too.")
    return lines


def _failed(failed: Sequence[FailedPath]) -> list[str]:
    lines = [f"❌ Not restored: {shown(f.path)}: {shown(f.error)}" for f in failed[:_NAMED]]
    if len(failed) > _NAMED:
        lines.append(f"❌ … and {len(failed) - _NAMED} more")
    return lines


def chat_text(undone: Undone) -> list[str]:
    """Return what became of the conversation, and how its place was found."""
    if undone.extent is Extent.WHOLE:
        return [
            f"{len(undone.kept)} message(s) in history.",
            "Chat put back to match restored file state.",
        ]
    if not undone.removed:
        return ["No messages to undo."]
    lines = [
        f'(^_^)b Undid {len(undone.removed)} message(s). Removed: "{shown(undone.request)}"',
        f"{len(undone.kept)} message(s) remaining in history.",
    ]
    lines.append("Chat turn undone to match restored file state.")
    if undone.extent is Extent.CHECKPOINT:
        lines.append(f"({counted(undone.turns, 'turn')}, up to this checkpoint.)")
    else:
        lines.append("(The last turn: where in the chat this checkpoint belongs is not known.)")
    return lines


def chat_stays_text(checkpoint: Checkpoint) -> str:
    """Return that the conversation of a safety checkpoint is not known, and so stays as it is."""
    then = "what it was then is"
    if checkpoint.message_count is not None:
        then = f"the {checkpoint.message_count} message(s) that it had then are"
    return f"The chat stays as it is: {then} not known here."


def _line(text: str) -> str:
    return "\t".join(shown(part) for part in text.split("\t"))
