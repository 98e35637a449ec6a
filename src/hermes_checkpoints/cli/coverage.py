"""``coverage``: what the next checkpoint would leave out, told before one is needed."""

from __future__ import annotations

import argparse

from hermes_checkpoints.cli.arguments import Verbs, add_directory, add_json, target
from hermes_checkpoints.cli.json import checkpoints as documents
from hermes_checkpoints.cli.output import document, say
from hermes_checkpoints.cli.show import skipped_line
from hermes_checkpoints.cli.text import counted
from hermes_checkpoints.model import Coverage


def register(verbs: Verbs) -> None:
    """Add ``coverage``."""
    parser = verbs.add("coverage", run, "List what the next checkpoint would leave out, and why")
    add_directory(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Print every path that would not be captured; no checkpoint is taken."""
    with target(args) as what:
        coverage = what.project.coverage()
    if args.json:
        document(of_coverage(coverage))
        return 0
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
    return 0


def of_coverage(coverage: Coverage) -> documents.Document:
    """The document of ``--json``; an ignored path that ends in a slash is a directory."""
    return {
        **documents.exact("working_dir", coverage.working_dir),
        "complete": coverage.complete,
        "file_count": coverage.file_count,
        "directory_count": coverage.directory_count,
        "skipped": documents.of_skipped(coverage.skipped),
        "ignored": [documents.exact("path", path) for path in coverage.ignored],
    }
