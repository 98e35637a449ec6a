"""``adopt``: the installed agent uses this package, or, with ``--undo``, its own modules again."""

from __future__ import annotations

import argparse

from hermes_checkpoints.cli.exits import Exit
from hermes_checkpoints.cli.json.history import of_adopted
from hermes_checkpoints.cli.output import complain, document, say
from hermes_checkpoints.cli.parser import Verbs
from hermes_checkpoints.cli.target import home_of


def register(verbs: Verbs) -> None:
    """Add ``adopt``."""
    parser = verbs.add("adopt", run, "Let the installed hermes-agent use this package", base=True)
    parser.add_argument("--undo", action="store_true", help="let it use its own modules again")


def run(args: argparse.Namespace) -> int:
    """Switch, and say where."""
    from hermes_checkpoints.compat import adopt as adoption

    home = home_of(args)
    done = adoption.abandon(home) if args.undo else adoption.adopt(home)
    if args.json:
        document(of_adopted(done, undone=args.undo))
    elif args.undo:
        say(
            "The agent uses its own checkpoint modules again; the checkpoints stay."
            if done.changed
            else "The agent uses its own checkpoint modules already."
        )
    else:
        say(
            f"hermes-agent {done.agent} {'now uses' if done.changed else 'uses'} this package "
            "in its next start."
        )
        say(f"  for every program of the environment: {done.hook}")
        say(f"  plugin enabled in: {done.config}")
        say("To take it back: hermes-checkpoints adopt --undo")
    if not args.undo and not done.tested:
        complain(f"it is made for hermes-agent {adoption.TESTED}x; see docs/agent.md")
    return Exit.DONE
