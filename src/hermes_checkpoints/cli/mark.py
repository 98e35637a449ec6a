"""``pin``, ``unpin`` and ``label``: what keeps a checkpoint from being pruned."""

from __future__ import annotations

import argparse

from hermes_checkpoints.cli.arguments import add_reference
from hermes_checkpoints.cli.exits import BadUsage, Exit
from hermes_checkpoints.cli.json.checkpoints import of_checkpoint
from hermes_checkpoints.cli.output import document, place, say
from hermes_checkpoints.cli.parser import Verbs
from hermes_checkpoints.cli.target import target
from hermes_checkpoints.cli.words import checkpoint_of
from hermes_checkpoints.model import Checkpoint


def register(verbs: Verbs) -> None:
    """Add ``pin``, ``unpin`` and ``label``."""
    parser = verbs.add("pin", pin, "Keep a checkpoint from being pruned")
    add_reference(parser)
    parser = verbs.add("unpin", unpin, "Let a pinned checkpoint be pruned again")
    add_reference(parser)
    parser = verbs.add(
        "label",
        label,
        "Name a checkpoint; a named one is not pruned",
        usage="ID (NAME [--move] | --remove [NAME])",
    )
    add_reference(parser)
    parser.add_argument("name", nargs="?", metavar="NAME", help="the name; one may have several")
    parser.add_argument(
        "--move", action="store_true", help="take the name from the checkpoint that has it"
    )
    parser.add_argument(
        "--remove",
        nargs="?",
        const="",
        metavar="NAME",
        help="take this name away; none is needed where it has one",
    )


def pin(args: argparse.Namespace) -> int:
    """Pin a checkpoint."""
    with target(args) as what:
        return _report(
            what.project.pin(checkpoint_of(what, args.reference, lost=True).checkpoint),
            "pinned",
            args,
        )


def unpin(args: argparse.Namespace) -> int:
    """Unpin a checkpoint."""
    with target(args) as what:
        return _report(
            what.project.unpin(checkpoint_of(what, args.reference, lost=True).checkpoint),
            "unpinned",
            args,
        )


def label(args: argparse.Namespace) -> int:
    """Give a checkpoint a name, or take one away."""
    removes = args.remove is not None
    if (args.name is None) != removes and not (removes and args.remove == ""):
        raise BadUsage("give a NAME, or --remove to take the name away")
    with target(args) as what:
        project = what.project
        found = checkpoint_of(what, args.reference, lost=True).checkpoint
        if removes:
            found = project.unlabel(found, args.remove or args.name)
        else:
            found = project.label(found, args.name, move=args.move)
    named = "labelled " + ", ".join(found.labels) if found.labels else "without a label"
    return _report(found, named, args)


def _report(checkpoint: Checkpoint, done: str, args: argparse.Namespace) -> int:
    if args.json:
        document(of_checkpoint(checkpoint))
    else:
        say(f"Checkpoint {checkpoint.short_id} of {place(checkpoint.working_dir)} is {done}")
    return Exit.DONE
