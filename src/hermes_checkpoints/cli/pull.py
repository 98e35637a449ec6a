"""``pull``: bring the list of what other machines have sent to the remote."""

from __future__ import annotations

import argparse

from hermes_checkpoints.cli.arguments import add_directory
from hermes_checkpoints.cli.exits import Exit
from hermes_checkpoints.cli.json.remote import of_pull_results
from hermes_checkpoints.cli.output import complain, document, say
from hermes_checkpoints.cli.parser import Verbs
from hermes_checkpoints.cli.target import (
    one_or_all,
    opened,
    remote_of,
    require_one_or_all,
)
from hermes_checkpoints.cli.text import counted
from hermes_checkpoints.errors import PROGRAM


def register(verbs: Verbs) -> None:
    """Add ``pull``."""
    parser = verbs.add("pull", run, "Bring the list of what other machines have sent, no contents")
    add_directory(parser)
    parser.add_argument("--all", action="store_true", help="of all projects that the remote has")
    parser.add_argument("--machine", metavar="ID", help="only what this machine has sent")


def run(args: argparse.Namespace) -> int:
    """Bring the list, and print how long it is."""
    require_one_or_all(args)
    remote_of(args)
    with opened(args, create=True) as checkpoints:
        where = one_or_all(args, checkpoints)
        results = checkpoints.pull(working_dir=where, machine=args.machine)
    if args.json:
        document(of_pull_results(results))
    else:
        for one in results:
            say(f"From {one.url}:")
            if one.error is not None:
                complain(one.error)
                continue
            say(f"  {counted(one.listed, 'checkpoint')} listed, {one.added} new, {one.gone} gone")
            if one.malformed:
                say(f"  {counted(one.malformed, 'ref')} left out: their commits are malformed")
        if any(one.listed for one in results):
            say()
            say(f"See them with {PROGRAM} log --remote{' --all' if args.all else ''}")
    return Exit.DONE if all(one.complete for one in results) else Exit.IN_PART
