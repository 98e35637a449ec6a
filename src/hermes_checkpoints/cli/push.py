"""``push``: send checkpoints to the git server that keeps them beyond this machine."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hermes_checkpoints.cli.arguments import add_directory, add_dry_run
from hermes_checkpoints.cli.exits import Exit
from hermes_checkpoints.cli.json.remote import of_push_plans, of_push_results
from hermes_checkpoints.cli.output import complain, document, place, say
from hermes_checkpoints.cli.parser import Verbs
from hermes_checkpoints.cli.table import say_wrapped
from hermes_checkpoints.cli.target import (
    one_or_all,
    opened,
    remote_of,
    require_one_or_all,
)
from hermes_checkpoints.cli.text import counted, minute
from hermes_checkpoints.errors import PROGRAM
from hermes_checkpoints.text import size

if TYPE_CHECKING:
    from hermes_checkpoints.model import Pushed, PushPlan, PushResult

_MOST_PATHS = 5


def register(verbs: Verbs) -> None:
    """Add ``push``."""
    parser = verbs.add("push", run, "Send checkpoints to the git server beyond this machine")
    add_directory(parser)
    parser.add_argument("--all", action="store_true", help="those of all projects")
    add_dry_run(parser, "print what would be sent where, send nothing")
    parser.add_argument(
        "--again",
        action="store_true",
        help="send also what the remote had and has no longer, as after `remote prune`",
    )
    parser.add_argument(
        "--allow-secrets",
        action="store_true",
        help="send also what looks like a secret, to stay there",
    )


def run(args: argparse.Namespace) -> int:
    """Send what was not sent yet, and print what came of it."""
    require_one_or_all(args)
    remote_of(args)
    with opened(args) as checkpoints:
        where = one_or_all(args, checkpoints)
        if args.dry_run:
            plans = checkpoints.plan_push(
                working_dir=where, allow_secrets=args.allow_secrets, again=args.again
            )
            if args.json:
                document(of_push_plans(plans))
            else:
                _print_plans(plans)
            held_up = any(plan.refused or plan.damaged for plan in plans)
            return Exit.IN_PART if held_up else Exit.DONE
        results = checkpoints.push(
            working_dir=where, allow_secrets=args.allow_secrets, again=args.again
        )
    if args.json:
        document(of_push_results(results))
    else:
        _print_results(results)
    return Exit.DONE if all(one.complete for one in results) else Exit.IN_PART


def _print_plans(plans: Sequence[PushPlan]) -> None:
    for plan in plans:
        say(f"To {plan.url}, as machine {plan.machine}:")
        if plan.nothing_to_send:
            say("  nothing to send")
        else:
            many = counted(len(plan.checkpoints), "checkpoint")
            say(f"  would send {many} with {size(plan.new_bytes)} of new contents:")
            for one in plan.checkpoints:
                when = minute(one.local_time)
                text = f"{when}  {place(one.working_dir)}: {one.reason}"
                say_wrapped(text, begin=f"    {one.short_id}  ")
        say_refused(plan.refused, "would not be sent")
        _print_waiting(plan.damaged, "would not be sent")
        _print_removed(plan.removed)
    say()
    say("Dry run: nothing was sent")


def _print_results(results: Sequence[PushResult]) -> None:
    for one in results:
        say(f"To {one.url}, as machine {one.machine}:")
        if one.sent:
            many = counted(len(one.sent), "checkpoint")
            say(f"  sent {many} with {size(one.new_bytes)} of new contents")
        elif one.complete:
            all_of_it = "" if one.removed else ": it has all that this base has"
            say(f"  nothing to send{all_of_it}")
        _print_waiting(one.waiting, "not sent")
        say_refused(one.refused, "not sent")
        if one.unsent:
            say(f"  {counted(one.unsent, 'checkpoint')} left unsent; the next push tries again")
        _print_removed(one.removed)
        if one.error is not None:
            complain(one.error)


def _print_removed(removed: int) -> None:
    if removed:
        are = (
            "checkpoint was removed there, and is"
            if removed == 1
            else ("checkpoints were removed there, and are")
        )
        say_wrapped(f"{removed} {are} sent again with --again alone", begin="  ")


def _print_waiting(waiting: Sequence[Pushed], words: str) -> None:
    for why in dict.fromkeys(one.reason for one in waiting):
        same = [one for one in waiting if one.reason == why]
        ids = ", ".join(one.short_id for one in same[:_MOST_PATHS])
        more = ", …" if len(same) > _MOST_PATHS else ""
        say_wrapped(f"{words} {ids}{more}: {why}; the next push tries again", begin="  ")


def say_refused(refused: Sequence[Pushed], words: str) -> None:
    """Say what was held up by which file, each file once, and what to do."""
    if not refused:
        return
    many = counted(len(refused), "checkpoint")
    say_wrapped(f"{many} {words}, for what looks like a secret:", begin="  ")
    paths: dict[str, list[str]] = {}
    for one in refused:
        for path in one.paths:
            paths.setdefault(str(path), []).append(one.short_id)
    for text, ids in list(paths.items())[:_MOST_PATHS]:
        more = f" and {len(ids) - 1} more" if len(ids) > 1 else ""
        say_wrapped(f"{text} (in {ids[0]}{more})", begin="    ")
    if len(paths) > _MOST_PATHS:
        say(f"    and {counted(len(paths) - _MOST_PATHS, 'more file')}")
    say_wrapped(
        "let `exclude:` of the configuration name the file and take again, so that the next "
        "checkpoints can be sent; or, where it may leave this machine, "
        f"`{PROGRAM} push --allow-secrets`",
        begin="  to do: ",
    )
