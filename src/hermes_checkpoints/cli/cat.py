"""``cat``: the bytes of one file of a checkpoint; the working directory is not touched."""

from __future__ import annotations

import argparse

from hermes_checkpoints.cli.arguments import Verbs, add_directory, add_reference
from hermes_checkpoints.cli.restore import print_contents
from hermes_checkpoints.errors import BadRequest


def register(verbs: Verbs) -> None:
    """Add ``cat``."""
    parser = verbs.add("cat", run, "Print the contents of a file as a checkpoint has it")
    add_reference(parser)
    parser.add_argument("paths", nargs=1, metavar="PATH", help="the file (for a link, its target)")
    add_directory(parser, option=True)


def run(args: argparse.Namespace) -> int:
    """Print the bytes."""
    if len(args.paths) != 1:
        raise BadRequest("give exactly one PATH")
    return print_contents(args)
