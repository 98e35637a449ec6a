"""``cat``: the bytes of one file of a checkpoint; the working directory is not touched."""

from __future__ import annotations

import argparse

from hermes_checkpoints.cli.arguments import add_paths, add_reference
from hermes_checkpoints.cli.exits import BadUsage, Exit
from hermes_checkpoints.cli.holders import telling_the_command
from hermes_checkpoints.cli.json.checkpoints import of_contents
from hermes_checkpoints.cli.output import document, raw
from hermes_checkpoints.cli.parser import Verbs
from hermes_checkpoints.cli.target import target
from hermes_checkpoints.cli.words import checkpoint_of


def register(verbs: Verbs) -> None:
    """Add ``cat``."""
    parser = verbs.add(
        "cat", run, "Print the contents of a file as a checkpoint has it", usage="ID PATH"
    )
    add_reference(parser)
    add_paths(parser, "the file (for a link, its target)")


def run(args: argparse.Namespace) -> int:
    """Print the bytes; in a document, as base64."""
    paths = [*args.paths, *(args.literal or ())]
    if len(paths) != 1:
        raise BadUsage("give exactly one PATH")
    with target(args) as what:
        found = checkpoint_of(what, args.reference, anywhere=True)
        path = found.what.path(paths[0])
        with telling_the_command(args, what, "cat"):
            content = found.what.project.read_file(found.checkpoint, path)
    if args.json:
        document(of_contents(found.checkpoint, path, content))
    else:
        raw(content)
    return Exit.DONE
