"""``show``: one checkpoint in full, above all what it did not capture and why."""

from __future__ import annotations

import argparse

from hermes_checkpoints.cli.arguments import add_reference
from hermes_checkpoints.cli.exits import Exit
from hermes_checkpoints.cli.json.checkpoints import of_details
from hermes_checkpoints.cli.log import markers
from hermes_checkpoints.cli.output import document, place, say
from hermes_checkpoints.cli.parser import Verbs
from hermes_checkpoints.cli.target import target
from hermes_checkpoints.cli.text import age, counted, size
from hermes_checkpoints.cli.words import checkpoint_of
from hermes_checkpoints.model import Change, ChangeStatus, Checkpoint, SkippedPath, head_text


def register(verbs: Verbs) -> None:
    """Add ``show``."""
    parser = verbs.add(
        "show", run, "Show a checkpoint: what it holds, changed and left out", paged=True
    )
    add_reference(parser, optional=True)


def run(args: argparse.Namespace) -> int:
    """Print the checkpoint, the paths it changed and those it does not hold."""
    with target(args) as what:
        found = checkpoint_of(what, args.reference, anywhere=True)
        project, checkpoint = found.what.project, found.checkpoint
        changes = [] if checkpoint.is_fetched else project.changes(checkpoint)
        skipped = project.skipped(checkpoint)
        missing = project.missing(checkpoint)
        formers = [] if checkpoint.is_fetched else project.former_ids(checkpoint)
        lacks = project.left_out(checkpoint)
        lost = project.lost_paths(checkpoint)
    if args.json:
        document(of_details(checkpoint, formers, changes, skipped, lacks, missing, lost))
        return Exit.DONE
    _print_facts(checkpoint)
    if checkpoint.is_fetched:
        say("Fetched from the remote: what it changed is known where it was taken")
    for former in formers:
        say(f"Former id: {former}")
    if changes:
        say()
        title = "Holds only" if checkpoint.partial else "Changed since the checkpoint before"
        say(f"{title} ({len(changes)}):")
        for change in changes:
            say(f"  {change_line(change)}", STYLES.get(change.status, "yellow"))
    if lost:
        say()
        say(f"Lost by the object store ({len(lost)}); a restore brings the other paths:")
        for name in lost:
            say(f"  {name}")
    if missing:
        say()
        say(f"Missing when it was taken ({len(missing)}):")
        for name in missing:
            say(f"  {name}")
    if skipped:
        say()
        say(f"Not captured ({len(skipped)}):")
        for path in skipped:
            say(f"  {skipped_line(path)}")
    return Exit.DONE


def _print_facts(checkpoint: Checkpoint) -> None:
    taken = checkpoint.local_time.isoformat(sep=" ", timespec="seconds")
    say(f"Checkpoint {checkpoint.id}", "yellow")
    say(f"Working directory: {place(checkpoint.working_dir)}")
    say(f"Reason: {checkpoint.reason}")
    say(f"Kind: {checkpoint.kind}")
    say(f"Taken: {taken} ({age(checkpoint.created_at)})")
    if checkpoint.turn_title is not None:
        say(f"Asked for then: {checkpoint.turn_title}")
    if checkpoint.session_id:
        turn = "" if checkpoint.turn is None else f", turn {checkpoint.turn}"
        say(f"Session: {checkpoint.session_id}{turn}")
    elif checkpoint.turn is not None:
        say(f"Turn: {checkpoint.turn}, of no named session")
    if checkpoint.stood_at.known:
        say(f"HEAD: {head_text(checkpoint.stood_at)}")
    for marker in markers(checkpoint):
        say(f"Marked: {marker}")
    added = f" ({size(checkpoint.added_bytes)} added to the store)"
    say(
        f"Holds: {counted(checkpoint.file_count, 'file')}, {size(checkpoint.logical_bytes)}"
        f"{'' if checkpoint.is_fetched else added}"
    )
    if checkpoint.ignored_count:
        say(f"Ignored by rules: {checkpoint.ignored_count}")


STYLES = {ChangeStatus.ADDED: "green", ChangeStatus.DELETED: "red"}
"""The colours of changes; what is changed is yellow."""


def change_line(change: Change) -> str:
    """Return status, path, changed lines and sizes of one path."""
    lines = "" if change.insertions is None else f"  +{change.insertions}/-{change.deletions or 0}"
    return f"{change.status}  {change.path}{lines}  {_sizes(change)}"


def _sizes(change: Change) -> str:
    before, after = (
        None if count is None else size(count) for count in (change.old_bytes, change.new_bytes)
    )
    if before and after:
        return f"({before} → {after})"
    return f"({before or after or '—'})"


def skipped_line(path: SkippedPath) -> str:
    """Return path, reason and, where known, size of what a checkpoint does not hold."""
    known = "" if path.bytes is None else f" ({size(path.bytes)})"
    return f"{path.path}  {path.reason}{known}"
