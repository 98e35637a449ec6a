"""``coverage``: what the next checkpoint would leave out, told before one is needed."""

from __future__ import annotations

import argparse

from hermes_checkpoints.cli.arguments import add_directory
from hermes_checkpoints.cli.exits import Exit
from hermes_checkpoints.cli.json.checkpoints import of_coverage
from hermes_checkpoints.cli.output import document, place, say
from hermes_checkpoints.cli.parser import Verbs
from hermes_checkpoints.cli.show import skipped_line
from hermes_checkpoints.cli.target import target
from hermes_checkpoints.cli.text import counted


def register(verbs: Verbs) -> None:
    """Add ``coverage``."""
    parser = verbs.add(
        "coverage", run, "List what the next checkpoint would leave out, and why", paged=True
    )
    add_directory(parser)


def run(args: argparse.Namespace) -> int:
    """Print every path that would not be captured; no checkpoint is taken."""
    with target(args) as what:
        coverage = what.project.coverage()
    if args.json:
        document(of_coverage(coverage))
        return Exit.DONE
    files = counted(coverage.file_count, "file")
    folders = f"{coverage.directory_count} director" + (
        "y" if coverage.directory_count == 1 else "ies"
    )
    say(f"The next checkpoint of {place(coverage.working_dir)} would hold {files} in {folders}")
    if coverage.skipped:
        say()
        say(f"Not captured ({len(coverage.skipped)}):")
        for path in coverage.skipped:
            say(f"  {skipped_line(path)}")
    alone = {f"{name}/" for name in coverage.worktrees}
    ignored = [name for name in coverage.ignored if name not in alone]
    if ignored:
        say()
        say(f"Ignored by rules ({len(ignored)}):")
        for name in ignored:
            say(f"  {name}")
    if alone:
        say()
        say(
            f"Other checkouts of the same repository, with checkpoints of their own ({len(alone)}):"
        )
        for name in sorted(alone):
            say(f"  {name}")
    for note in coverage.notes:
        say()
        say(f"Not known: {note}")
    return Exit.DONE
