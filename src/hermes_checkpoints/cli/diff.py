"""``diff``: what differs between a checkpoint and now, or between two checkpoints."""

from __future__ import annotations

import argparse

from hermes_checkpoints.cli.arguments import add_paths
from hermes_checkpoints.cli.exits import Exit
from hermes_checkpoints.cli.json.checkpoints import of_diff
from hermes_checkpoints.cli.output import complain, document, patch, say
from hermes_checkpoints.cli.parser import Verbs
from hermes_checkpoints.cli.show import skipped_line
from hermes_checkpoints.cli.target import target
from hermes_checkpoints.cli.text import minute
from hermes_checkpoints.cli.words import checkpoints_and_paths
from hermes_checkpoints.model import LATEST, Diff


def register(verbs: Verbs) -> None:
    """Add ``diff``."""
    parser = verbs.add(
        "diff",
        run,
        "Compare a checkpoint with the working directory, or with another checkpoint",
        usage="[ID [ID]] [--] [PATH …]",
    )
    add_paths(
        parser,
        "one checkpoint (default: the newest), or two, as `show` takes them; then the paths to "
        "compare (default: all)",
        name="words",
        metavar="ID|PATH",
    )
    parser.add_argument("--stat", action="store_true", help="list the files, leave the lines out")


def run(args: argparse.Namespace) -> int:
    """Print git's summary and patch, or the same as one document."""
    with target(args) as what:
        read = checkpoints_and_paths(what, args.words, args.literal)
        first, second = [*read.checkpoints, None, None][:2]
        diff = (first.what if first is not None else what).project.diff(
            LATEST if first is None else first.checkpoint,
            None if second is None else second.checkpoint,
            paths=read.paths,
        )
    if args.json:
        document(of_diff(diff, text=not args.stat))
        return Exit.DONE
    if not diff.changes:
        say(_no_changes(diff))
    else:
        patch(diff.stat if diff.stat.endswith("\n") else f"{diff.stat}\n")
        if not args.stat:
            patch(f"\n{diff.text}")
    for path in diff.skipped:
        complain(f"not compared: {skipped_line(path)}")
    return Exit.DONE


def _no_changes(diff: Diff) -> str:
    first = f"checkpoint {diff.checkpoint.short_id} of {minute(diff.checkpoint.local_time)}"
    if diff.against is None:
        return f"No changes since {first}"
    second = f"checkpoint {diff.against.short_id} of {minute(diff.against.local_time)}"
    return f"No changes from {first} to {second}"
