"""The texts with which ``/rollback`` answers: users know them, so they stay as the user guide has
them, and nothing that could harm a terminal is in them. No I/O."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import tzinfo
from pathlib import Path

from hermes_checkpoints.agent.conversation import Extent, Undone
from hermes_checkpoints.agent.rollback_request import typed
from hermes_checkpoints.attribution.verdict import is_anothers
from hermes_checkpoints.errors import PROGRAM
from hermes_checkpoints.model import (
    Action,
    Change,
    Checkpoint,
    Diff,
    FailedPath,
    FailureRun,
    PlannedPath,
    Restored,
    RestorePlan,
    RestoreRole,
    SkippedPath,
    SkipReason,
    head_text,
    moved_text,
)
from hermes_checkpoints.restore.nested import is_nested
from hermes_checkpoints.text import counted, left_out, permissions_line, shown, takes_failed

MAX_LINES = 80
"""How many lines of a diff or list are shown."""
_NAMED = 10
"""How many paths of a kind are named; of more, how many there are in each directory."""

_FORMS = (
    ("", "list the checkpoints"),
    ("<N>", "bring back what the agent changed"),
    ("<N> plan", "tell what that would do, and change nothing"),
    ("<N> --all", "bring every captured file back; delete nothing"),
    ("<N> --everyone", "take back what other sessions changed, too"),
    ("<N> --nested", "take in the projects inside this one"),
    ("<N> --exact", "make the files as they were; delete what was created since"),
    ("<N> <file>", "restore one file or folder, whoever changed it"),
    ("<N> --files", "only the files; --chat: only the conversation"),
    ("diff <N> [<file>]", "compare checkpoint N with the files as they are"),
    ("show <N>", "tell what checkpoint N holds"),
    ("undo, redo", "take the last rollback back, and that back; what came after it stays"),
    ("undo --exact", "take back what came after it, too"),
)
_OF_THE_CHAT = "<N> --files"
_REFERENCES = (
    "<N> is a number of the list, an id, a label, or a time: @2h, @10:00, @{2026-11-27 18:00}."
)

NOT_ENABLED = (
    "Checkpoints are not enabled.\n"
    "Enable with: hermes chat --checkpoints\n"
    "Or in config.yaml: checkpoints: { enabled: true }"
)


def help_text(command: str, *, chat: bool) -> str:
    """Return the forms of ``command``, with those of the conversation where it follows the files
    (``chat``)."""
    width = len(command) + max(len(words) for words, _ in _FORMS) + 3
    lines = []
    for words, meaning in _FORMS:
        if words != _OF_THE_CHAT or chat:
            and_chat = ", and undo the chat since" if chat and words == "<N>" else ""
            lines.append(f"{f'{command} {words}'.ljust(width)} {meaning}{and_chat}")
    return "\n".join([*lines, _REFERENCES])


def capped(lines: Sequence[str]) -> list[str]:
    """Return at most 80 lines, and then how many more there are."""
    if len(lines) <= MAX_LINES:
        return list(lines)
    rest = len(lines) - MAX_LINES
    return [*lines[:MAX_LINES], "", f"  ... ({rest} more lines, showing first {MAX_LINES})"]


def none_text(directory: Path) -> str:
    """Return that a directory has no checkpoints."""
    return f"No checkpoints found for {shown(str(directory))}"


def told_text(lacks: Mapping[SkipReason, int], failing: FailureRun | None) -> str:
    """Return what stands below the list: what the newest checkpoint lacks, and that takes fail;
    nothing where neither is so."""
    missing = left_out(lacks, "the newest")
    lines = [f"  {missing}: {PROGRAM} coverage shows which"] if missing else []
    lines += [] if failing is None else [f"  WARNING: {shown(takes_failed(failing))}"]
    return "\n".join(["", "", *lines]) if lines else ""


def lacking_text(checkpoint: Checkpoint, lacks: Mapping[SkipReason, int]) -> list[str]:
    """Return that a checkpoint lacks paths, which a restore could not bring back."""
    missing = left_out(lacks, f"checkpoint {checkpoint.short_id}")
    return [f"{missing}, which no restore brings back."] if missing else []


def diff_text(diff: Diff) -> str:
    """Return the summary of a diff and then the diff."""
    if not diff.changes:
        return "No changes since this checkpoint."
    stat = [_line(permissions_line(c.path, *c.bits)) for c in diff.changes if c.bits is not None]
    stat += [_line(line) for line in diff.stat.rstrip("\n").split("\n")]
    lines = [_line(line) for line in diff.text.rstrip("\n").split("\n")]
    skipped = len(diff.skipped)
    note = [f"\n{counted(skipped, 'path')} could not be compared."] if skipped else []
    return "\n".join([*capped(stat), "", *capped(lines), *note])


def show_text(
    checkpoint: Checkpoint,
    changes: Sequence[Change],
    skipped: Sequence[SkippedPath],
    zone: tzinfo | None,
    missing: Sequence[str] = (),
    lost: Sequence[str] = (),
) -> str:
    """Return what a checkpoint is, holds, changed and could not capture. ``missing`` are the paths
    of which a partial one says that they were not there, ``lost`` those of which the store lacks
    the contents."""
    when = checkpoint.created_at.astimezone(zone)
    only = " and tells nothing of others (partial)" if checkpoint.partial else ""
    lines = [
        f"📸 Checkpoint {checkpoint.short_id}: {shown(checkpoint.reason)}",
        f"  Taken:    {when:%Y-%m-%d %H:%M} ({checkpoint.kind})",
        f"  Of:       {shown(checkpoint.working_dir)}",
        f"  Holds:    {counted(checkpoint.file_count, 'file')}{only}",
    ]
    if checkpoint.session_id:
        turn = f", turn {checkpoint.turn}" if checkpoint.turn is not None else ""
        lines.append(f"  Session:  {shown(checkpoint.session_id)}{turn}")
    if checkpoint.stood_at.known:
        lines.append(f"  HEAD:     {head_text(checkpoint.stood_at)}")
    if checkpoint.labels:
        lines.append(f"  Label:    {shown(', '.join(checkpoint.labels))}")
    if not checkpoint.is_first and changes:
        lines.append(f"  Changed:  {counted(len(changes), 'path')} since the checkpoint before")
        lines += capped([f"    {change.status}  {shown(change.path)}" for change in changes])
    if checkpoint.partial:
        lines += capped([f"    {shown(change.path)}" for change in changes])
        lines += capped([f"    {shown(path)}  (missing then)" for path in missing])
    if lost:
        lines.append(f"  Lost:     {counted(len(lost), 'path')}; a restore brings the others")
        lines += capped([f"    {shown(path)}" for path in lost])
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
    lines = [first, "A pre-rollback snapshot was saved automatically.", *_head(restored)]
    if target.partial and restored.role is RestoreRole.RESTORE:
        lines.append("It is a partial checkpoint: only the files that it names were looked at.")
    lines += _changed(restored.done, "Wrote", "Deleted")
    lines += _kept(restored.kept, all_hint)
    return lines + _failed(restored.failed)


def is_edit(step: PlannedPath) -> bool:
    """Tell whether a path is kept for what is in it, and not for the limits of the restore."""
    return not is_nested(step) and not is_anothers(step.reason)


def wider_text(
    kept: Sequence[PlannedPath], command: str, as_typed: Callable[[str], str]
) -> list[str]:
    """Return what takes the limits away for which paths were kept; ``command`` is the restore, and
    ``as_typed`` tells how a path of the project is typed in the session's directory."""
    inner = [step.path for step in kept if is_nested(step)]
    named = [f"{command} {shown(typed(as_typed(path)))}" for path in inner[:_NAMED]]
    lines = [f"{one} restores that project, too." for one in named]
    if len(inner) > 1:
        lines.append(f"{command} --nested restores all of them.")
    if any(is_anothers(step.reason) for step in kept):
        lines.append(f"{command} --everyone takes back what other sessions changed, too.")
    return lines


def plan_text(plan: RestorePlan, command: str) -> str:
    """Return what a restore would write, delete and keep; ``command`` carries it out."""
    target, kept = plan.checkpoint, plan.of(Action.KEEP)
    changing = [step for step in plan.steps if step.action is not Action.KEEP]
    lines = [f"Plan for checkpoint {target.short_id}: {shown(target.reason)}"]
    if plan.replaced:
        lines.append(
            f"{shown(str(plan.working_dir))} is not the directory that was captured: it was "
            "replaced since."
        )
    lines += _head(plan)
    if not plan.steps:
        lines.append("No file differs.")
    lines += _changed(changing, "Would write", "Would delete")
    lines += _kept(kept, None, "Would keep")
    lines.append(f"Nothing was changed. To do it: {shown(command)}")
    return "\n".join(lines)


def nothing_text(restored: Restored, lacks: Mapping[SkipReason, int]) -> str:
    """Return that a restore had nothing to do, since no file differs, and what was not compared."""
    checkpoint = restored.checkpoint
    first = f"Nothing to restore: the files are as checkpoint {checkpoint.short_id} has them."
    missing = left_out(lacks, "that checkpoint")
    lacking = [f"{missing}, which no restore brings back."] if missing else []
    return "\n".join([first, *lacking, *_head(restored)])


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


def _head(restore: RestorePlan | Restored) -> list[str]:
    """Return the line that HEAD moved since the checkpoint was taken, if it did."""
    text = moved_text(restore.checkpoint.stood_at, restore.head)
    return [] if text is None else [text]


def _changed(steps: Sequence[PlannedPath], wrote: str, deleted: str) -> list[str]:
    """Return the paths that were written and those that were deleted. One that gave way to another
    thing at its place was written; directories go without saying where a file does."""
    files = [step for step in steps if step.is_file] or steps
    written = dict.fromkeys(s.path for s in files if s.action is not Action.DELETE)
    gone = dict.fromkeys(s.path for s in files if s.path not in written)
    lines: list[str] = []
    for verb, paths in ((wrote, written), (deleted, gone)):
        if paths:
            lines.append(f"{verb} {counted(len(paths), 'path')}:")
            lines += _listed([(path, shown(path)) for path in paths])
    return lines


def _kept(steps: Sequence[PlannedPath], all_hint: str | None, verb: str = "Kept") -> list[str]:
    if not steps:
        return []
    as_they_are = "as it is now" if len(steps) == 1 else "as they are now"
    lines = [f"{verb} {counted(len(steps), 'path')} {as_they_are}:"]
    lines += _listed([(s.path, f"{shown(s.path)}  ({shown(s.reason)})") for s in steps])
    if all_hint:
        lines.append(f"{all_hint} brings edits back, too.")
    return lines


def _listed(named: Sequence[tuple[str, str]]) -> list[str]:
    """Return the lines of paths, given with their paths: the first ten, then how many more there
    are in each directory."""
    lines = [f"  {line}" for _, line in named[:_NAMED]]
    rest = [path.rpartition("/")[0] for path, _ in named[_NAMED:]]
    folders = Counter(rest).most_common()
    lines += [f"  … and {count} more in {_folder(name)}" for name, count in folders[:_NAMED]]
    others = sum(count for _, count in folders[_NAMED:])
    return [*lines, f"  … and {others} more elsewhere"] if others else lines


def _folder(path: str) -> str:
    return f"{shown(path)}/" if path else "the project's own directory"


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


def went_on_text(command: str) -> str:
    """Return that the conversation stays since it went on after the restore that was taken back;
    ``command`` brings it back, too."""
    return f"The chat stays as it is: it went on since. {command} brings files and chat back."


def _line(text: str) -> str:
    return "\t".join(shown(part) for part in text.split("\t"))
