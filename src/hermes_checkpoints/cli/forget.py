"""``forget``: a content leaves every checkpoint, pack and what is kept of damage."""

from __future__ import annotations

import argparse
import shlex
from typing import TYPE_CHECKING

from hermes_checkpoints.cli.arguments import add_dry_run, add_force, add_paths
from hermes_checkpoints.cli.asking import confirm
from hermes_checkpoints.cli.exits import BadUsage, Exit, refuse_silent_question
from hermes_checkpoints.cli.json.retention import of_forget_plan, of_forgotten
from hermes_checkpoints.cli.output import complain, document, place, say
from hermes_checkpoints.cli.parser import Verbs
from hermes_checkpoints.cli.target import target
from hermes_checkpoints.cli.text import counted, size
from hermes_checkpoints.errors import PROGRAM

if TYPE_CHECKING:
    from hermes_checkpoints.model import ForgetPlan, Forgotten, SentCopies

_OUTSIDE = (
    "Copies outside of the checkpoints are not reached: the file itself, what was exported, "
    "backups, and documents of sessions."
)


def register(verbs: Verbs) -> None:
    """Add ``forget``."""
    parser = verbs.add(
        "forget", run, "Remove what a path ever held from every checkpoint", usage="PATH"
    )
    add_paths(parser, "a file of the project, or a directory with all that lies below it")
    parser.add_argument(
        "--all-projects",
        action="store_true",
        help="what lay at this path in any project (default: in this one)",
    )
    add_dry_run(parser)
    add_force(parser)


def run(args: argparse.Namespace) -> int:
    """Show what would be forgotten, ask, forget it and report."""
    paths = [*args.paths, *(args.literal or ())]
    if len(paths) != 1:
        raise BadUsage("give exactly one PATH")
    refuse_silent_question(args, "forget")
    with target(args) as what:
        path = what.path(paths[0])
        plan = what.project.plan_forget(path, all_projects=args.all_projects)
        if not args.json:
            _show_plan(plan)
        if args.dry_run:
            if args.json:
                document(of_forget_plan(plan))
            return Exit.DONE
        if not args.force and not confirm(f"Forget {plan.path}? Nothing brings it back."):
            return Exit.NO
        done = what.project.forget(path, all_projects=args.all_projects)
    if args.json:
        document(of_forgotten(done))
    else:
        _show(done)
    for error in done.errors:
        complain(error)
    return Exit.IN_PART if done.errors else Exit.DONE


def _show_plan(plan: ForgetPlan) -> None:
    for one in plan.held:
        where = place(one.working_dir)
        say(f"  {one.path} in {counted(one.checkpoints, 'checkpoint')} of {where}", "red")
    say(
        f"Plan: forget {counted(len(plan.blobs), 'content')} of {plan.path}, take "
        f"{counted(len(plan.replaced), 'checkpoint')} once more without"
    )
    for text in plan.archives:
        say(f"  {text}")
    if plan.recaptured is not None:
        say(plan.recaptured)
    for there in plan.sent:
        number = len(there.held)
        if number:
            are = "was sent to it and stays" if number == 1 else "were sent to it and stay"
            say(f"{there.url} is not reached: {counted(number, 'checkpoint')} of these {are} there")
    say(_OUTSIDE)


def _show_sent(plan: ForgetPlan) -> None:
    """Say what remotes still have of what was forgotten, and how to remove it there."""
    for one in plan.sent:
        if one.held:
            ids = " ".join(each.short_id for each in one.held)
            others = " --others" if one.foreign else ""
            refs = " ".join(shlex.quote(name) for name in one.refs)
            many = counted(len(one.held), "checkpoint")
            say(f"{place(plan.path)} still lies in {one.url}, in {many} that {_had(one)} been sent")
            say(f"  to remove it there: {PROGRAM} remote prune{others} --id {ids}")
            say(f"  or with git alone:  git push {shlex.quote(one.url)} --delete {refs}")
            say("  the server lets it go at its next gc; whoever could read it may have it")
        if one.perhaps:
            many = counted(len(one.perhaps), "checkpoint")
            are = "is" if len(one.perhaps) == 1 else "are"
            say(
                f"{many} in {one.url} {are} not here any more, and may hold it, too; --json lists "
                "them"
            )


def _had(copies: SentCopies) -> str:
    return "has" if len(copies.held) == 1 else "have"


def _show(done: Forgotten) -> None:
    for old, new in done.replaced.items():
        say(f"  {old[:8]} is now {new[:8]}")
    for name in done.purged:
        say(f"Purged: {name}, where the store kept what was damaged")
    if done.fetched:
        what = counted(done.fetched, "checkpoint")
        say(f"The contents of {what} from the remote are not here any more: they may hold the same")
    if not done.errors:
        say(f"Forgot {done.plan.path}; {size(done.freed_bytes)} reclaimed")
    _show_sent(done.plan)
