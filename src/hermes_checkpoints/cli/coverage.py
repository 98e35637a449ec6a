"""``coverage``: what the next checkpoint would leave out, told before one is needed."""

from __future__ import annotations

import argparse

from hermes_checkpoints.cli.arguments import add_directory
from hermes_checkpoints.cli.exits import Exit
from hermes_checkpoints.cli.json.checkpoints import of_coverage
from hermes_checkpoints.cli.output import document, say
from hermes_checkpoints.cli.parser import Verbs
from hermes_checkpoints.cli.show import skipped_line
from hermes_checkpoints.cli.target import target
from hermes_checkpoints.cli.text import counted


def register(verbs: Verbs) -> None:
    """Add ``coverage``."""
    parser = verbs.add("coverage", run, "List what the next checkpoint would leave out, and why")
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
    say(f"The next checkpoint of {coverage.working_dir} would hold {files} in {folders}")
    if coverage.skipped:
        say()
        say(f"Not captured ({len(coverage.skipped)}):")
        for path in coverage.skipped:
            say(f"  {skipped_line(path)}")
    if coverage.ignored:
        say()
        say(f"Ignored by rules ({len(coverage.ignored)}):")
        for name in coverage.ignored:
            say(f"  {name}")
    return Exit.DONE
