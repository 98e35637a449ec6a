"""``adopt``: the installed agent uses this package, or, with ``--undo``, its own modules again."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from hermes_checkpoints.cli.exits import BadUsage, Exit
from hermes_checkpoints.cli.json.history import of_adopted
from hermes_checkpoints.cli.output import complain, document, place, say
from hermes_checkpoints.cli.parser import Verbs
from hermes_checkpoints.cli.target import home_of
from hermes_checkpoints.cli.text import counted

if TYPE_CHECKING:
    from hermes_checkpoints.compat.adopt import Adopted


def register(verbs: Verbs) -> None:
    """Add ``adopt``."""
    parser = verbs.add("adopt", run, "Let the installed hermes-agent use this package", base=True)
    parser.add_argument("--undo", action="store_true", help="let it use its own modules again")
    parser.add_argument(
        "--profile",
        action="append",
        default=[],
        metavar="NAME",
        help="only in the home of this profile; may be given more than once (default: in all)",
    )
    parser.add_argument(
        "--force",
        action="store_true",
        help="also a version of the agent that this package was not tested with",
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="tell what would be changed, and change nothing"
    )


def run(args: argparse.Namespace) -> int:
    """Switch, and say where."""
    from hermes_checkpoints.compat import adopt as adoption

    home, named = home_of(args), {"profiles": args.profile, "dry_run": args.dry_run}
    if args.undo:
        if args.force:
            raise BadUsage("--undo needs no --force")
        done = adoption.abandon(home, **named)
    else:
        done = adoption.adopt(home, force=args.force, **named)
    if args.json:
        document(of_adopted(done, undone=args.undo))
    else:
        _tell(done, undone=args.undo)
    for warning in done.warnings:
        complain(warning)
    for one in done.refused:
        complain(f"{place(one.config)} is left as it is: {one.refused}")
    if not args.undo and not done.tested:
        from hermes_checkpoints.compat.environment import TESTED

        complain(f"this package is tested with hermes-agent {TESTED}x; see docs/agent.md")
    return Exit.IN_PART if done.refused else Exit.DONE


def _tell(done: Adopted, *, undone: bool) -> None:
    if done.dry_run:
        for path in done.written:
            say(f"  write   {place(path)}")
        for path in done.removed:
            say(f"  remove  {place(path)}")
        count = len(done.written) + len(done.removed)
        say(f"Plan: {counted(count, 'file')}" if count else "Plan: nothing to do")
        return
    if undone:
        whole = not any(one.enabled for one in done.homes)
        where = "" if whole else " in the homes that were named"
        again = "again" if done.changed else "already"
        say(f"The agent uses its own checkpoint modules {again}{where}; the checkpoints stay.")
        return
    uses = "now uses" if done.changed else "uses"
    say(f"hermes-agent {done.agent} {uses} this package in its next start; that was tried.")
    for one in done.homes:
        if one.refused is None:
            told = "plugin enabled in:" if one.enabled else "not enabled in:   "
            say(f"  {told} {place(one.config)}")
    if done.taken_in:
        say(f"  taken in: {counted(done.taken_in, 'checkpoint')} of the agent's own modules")
    say(f"  for `hermes checkpoints`: {place(done.hook)}")
    say("To take it back: hermes-checkpoints adopt --undo")
