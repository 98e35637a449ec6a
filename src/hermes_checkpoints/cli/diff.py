"""``diff``: what is different now from a checkpoint, before anything is restored."""

from __future__ import annotations

import argparse

from hermes_checkpoints.cli.arguments import (
    Verbs,
    add_directory,
    add_json,
    add_paths,
    add_reference,
    target,
)
from hermes_checkpoints.cli.json.checkpoints import of_diff
from hermes_checkpoints.cli.output import complain, document, patch, say
from hermes_checkpoints.cli.show import skipped_line
from hermes_checkpoints.cli.text import minute


def register(verbs: Verbs) -> None:
    """Add ``diff``."""
    parser = verbs.add("diff", run, "Compare a checkpoint with the working directory as it is now")
    add_reference(parser)
    add_paths(parser, "compare only these paths")
    add_directory(parser, option=True)
    parser.add_argument("--stat", action="store_true", help="list the files, leave the lines out")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Print git's summary and patch, or the same as one document."""
    with target(args) as what:
        diff = what.project.diff(args.reference, paths=what.paths(args))
    if args.json:
        document(of_diff(diff, text=not args.stat))
        return 0
    if not diff.changes:
        taken = minute(diff.checkpoint.local_time)
        say(f"No changes since checkpoint {diff.checkpoint.short_id} of {taken}")
    else:
        patch(diff.stat if diff.stat.endswith("\n") else f"{diff.stat}\n")
        if not args.stat:
            patch(f"\n{diff.text}")
    for path in diff.skipped:
        complain(f"not compared: {skipped_line(path)}")
    return 0
