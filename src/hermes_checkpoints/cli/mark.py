"""``pin``, ``unpin`` and ``label``: what keeps a checkpoint from being pruned."""

from __future__ import annotations

import argparse

from hermes_checkpoints.cli.arguments import (
    Verbs,
    add_directory,
    add_json,
    add_reference,
    target,
)
from hermes_checkpoints.cli.json.checkpoints import of_checkpoint
from hermes_checkpoints.cli.output import document, say
from hermes_checkpoints.errors import BadRequest
from hermes_checkpoints.model import Checkpoint


def register(verbs: Verbs) -> None:
    """Add ``pin``, ``unpin`` and ``label``."""
    parser = verbs.add("pin", pin, "Keep a checkpoint from being pruned")
    add_reference(parser)
    _add_rest(parser)
    parser = verbs.add("unpin", unpin, "Let a pinned checkpoint be pruned again")
    add_reference(parser)
    _add_rest(parser)
    parser = verbs.add("label", label, "Name a checkpoint; a named one is not pruned")
    add_reference(parser)
    parser.add_argument("name", nargs="?", metavar="NAME", help="the name")
    parser.add_argument("--remove", action="store_true", help="take the name away")
    _add_rest(parser)


def _add_rest(parser: argparse.ArgumentParser) -> None:
    add_directory(parser, option=True)
    add_json(parser)


def pin(args: argparse.Namespace) -> int:
    """Pin a checkpoint."""
    with target(args) as what:
        return _report(what.project.pin(args.reference), "pinned", args)


def unpin(args: argparse.Namespace) -> int:
    """Unpin a checkpoint."""
    with target(args) as what:
        return _report(what.project.unpin(args.reference), "unpinned", args)


def label(args: argparse.Namespace) -> int:
    """Give a checkpoint a name, or take it away."""
    if (args.name is None) != args.remove:
        raise BadRequest("give a NAME, or --remove to take the name away")
    with target(args) as what:
        if args.remove:
            found = what.project.unlabel(args.reference)
        else:
            found = what.project.label(args.reference, args.name)
    return _report(found, "without a label" if args.remove else f"labelled {found.label}", args)


def _report(checkpoint: Checkpoint, done: str, args: argparse.Namespace) -> int:
    if args.json:
        document(of_checkpoint(checkpoint))
    else:
        say(f"Checkpoint {checkpoint.short_id} of {checkpoint.working_dir} is {done}")
    return 0
