"""``remote prune``: the plan first, then the question, then exactly that plan."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

from hermes_checkpoints.cli.arguments import add_directory, add_dry_run, add_force
from hermes_checkpoints.cli.asking import confirm
from hermes_checkpoints.cli.exits import Exit, refuse_silent_question
from hermes_checkpoints.cli.json.remote_state import of_remote_prune_plans, of_remote_pruned
from hermes_checkpoints.cli.output import complain, document, place, say
from hermes_checkpoints.cli.parser import Verbs
from hermes_checkpoints.cli.table import say_wrapped
from hermes_checkpoints.cli.target import (
    is_named,
    one_or_all,
    opened,
    remote_of,
    require_one_or_all,
)
from hermes_checkpoints.cli.text import counted, minute
from hermes_checkpoints.errors import PROGRAM
from hermes_checkpoints.model import CursorFate

if TYPE_CHECKING:
    from hermes_checkpoints.model import (
        NotRemoved,
        RemotePrunePlan,
        RemotePruneResult,
        RemoteRemoval,
    )

_MOST = 5
_T = TypeVar("_T")
LISTED = 40
"""How many lines of one reason stand before the question."""


def register(verbs: Verbs) -> None:
    """Add ``remote prune``."""
    parser = verbs.add("prune", run, "Remove what is old from the remote, and nothing here")
    add_directory(parser)
    parser.add_argument("--all", action="store_true", help="of all projects of this machine")
    parser.add_argument(
        "--others",
        action="store_true",
        help="also all of other machines that have sent nothing for keep_dead_days",
    )
    parser.add_argument(
        "--id",
        dest="ids",
        nargs="+",
        action="extend",
        default=[],
        metavar="ID",
        help="just these, whatever their age: ids, or their beginnings of at least 8 digits",
    )
    add_dry_run(parser)
    add_force(parser)


def run(args: argparse.Namespace) -> int:
    """Plan, ask, remove and report."""
    refuse_silent_question(args, "remove")
    require_one_or_all(args)
    config = remote_of(args)
    with opened(args, create=True) as checkpoints:
        everywhere = bool(args.ids) and not config.is_of_project and not is_named(args)
        where = None if everywhere else one_or_all(args, checkpoints)
        plans = checkpoints.plan_prune_remote(working_dir=where, others=args.others, ids=args.ids)
        failed = any(plan.error is not None for plan in plans)
        if args.dry_run:
            if args.json:
                document(of_remote_prune_plans(plans))
            else:
                _say_plans(plans, None)
                say()
                say("Dry run: nothing was removed")
            return Exit.IN_PART if failed else Exit.DONE
        if not args.json:
            _say_plans(plans, LISTED)
        todo = not all(plan.nothing_to_remove for plan in plans)
        if todo and not args.force and not confirm(_question(plans)):
            return Exit.NO
        results = checkpoints.prune_remote(plan=plans)
    if args.json:
        document(of_remote_pruned(results))
    else:
        for plan, result in zip(plans, results, strict=True):
            if plan.error is None:  # it was told with the plan
                _say_result(result)
    return Exit.DONE if all(one.complete for one in results) else Exit.IN_PART


def _question(plans: Sequence[RemotePrunePlan]) -> str:
    own = sum(one.machine == plan.machine for plan in plans for one in plan.remove)
    others = sum(len(plan.remove) for plan in plans) - own
    machines = {machine for plan in plans for machine in plan.machines}
    parts = [f"{counted(own, 'checkpoint')} of this machine"] if own else []
    if others or machines:
        whose = counted(len(machines), "other machine")
        parts.append(f"{counted(others, 'checkpoint')} of {whose}")
    return f"Remove {' and '.join(parts)} from the remote? Nothing here is removed."


def _say_plans(plans: Sequence[RemotePrunePlan], most: int | None) -> None:
    if not plans:
        say("Each project has a remote of its own, and there is no project yet")
    for plan in plans:
        say(f"At {plan.url}, as machine {plan.machine}:")
        if plan.error is not None:
            complain(plan.error)
            continue
        own = [one for one in plan.remove if one.machine == plan.machine]
        for group in _groups(own, lambda one: (one.project_hash, one.reason)):
            _say_group(group, most)
        others = [one for one in plan.remove if one.machine != plan.machine]
        groups = _groups(others, lambda one: (one.machine, one.reason))
        for group in groups[:most]:
            first = group[0]
            say(f"  remove {len(group)} of machine {first.machine}: {first.reason}", "red")
        if most is not None and len(groups) > most:
            say(f"  and of {len(groups) - most} more machines; --dry-run lists all", "red")
        for line in _kept(plan):
            say_wrapped(line, begin="  ")
        if plan.unknown:
            refs = counted(plan.unknown, "ref")
            say_wrapped(
                f"keep {refs} that {'is' if plan.unknown == 1 else 'are'} no checkpoint's by name",
                begin="  ",
            )
        if plan.nothing_to_remove:
            say("  nothing to remove")
            continue
        say_wrapped(f"Plan: {_summary(plan)}", begin="  ")


def _kept(plan: RemotePrunePlan) -> Iterator[str]:
    """Yield what stays by which rule: of this machine, and of all others together."""
    for kept in plan.kept:
        if kept.machine == plan.machine:
            yield f"keep {kept.number}: {kept.reason}"
    others = [kept for kept in plan.kept if kept.machine != plan.machine]
    for group in _groups(others, lambda one: (one.reason,)):
        number = sum(kept.number for kept in group)
        yield f"keep {number} of {counted(len(group), 'other machine')}: {group[0].reason}"


def _summary(plan: RemotePrunePlan) -> str:
    gone = sum(not one.is_here for one in plan.remove)
    lost = f" ({gone} of them not here any more)" if gone else ""
    fates = [one.fate for one in plan.cursors]
    parts = [f"remove {counted(len(plan.remove), 'checkpoint')}{lost}"]
    for fate, word in ((CursorFate.EMPTIED, "empty"), (CursorFate.REMOVED, "remove")):
        if fate in fates:
            parts.append(f"{word} {counted(fates.count(fate), 'cursor')}")
    return ", ".join(parts)


def _say_group(group: Sequence[RemoteRemoval], most: int | None) -> None:
    first = group[0]
    where = f"project {first.project_hash}"
    if first.working_dir is not None:
        where = place(first.working_dir)
    say(f"  remove {len(group)} of {where}: {first.reason}", "red")
    for one in group[:most]:
        when = "unknown time" if one.taken_at is None else minute(one.taken_at.astimezone())
        say(f"    {one.short_id}  {when}{'' if one.is_here else '  (not here any more)'}", "red")
    if most is not None and len(group) > most:
        say(f"    and {len(group) - most} more; --dry-run lists all", "red")


def _say_result(result: RemotePruneResult) -> None:
    if result.removed:
        say(f"Removed {counted(len(result.removed), 'checkpoint')} from {result.url}")
    _say_not(result.kept, "kept")
    _say_not(result.refused, "not removed")
    if result.left:
        many = counted(result.left, "checkpoint")
        say(f"  {many} left: nothing more was tried; the next prune tries again")
    _say_not(result.cursors_left, "cursors not changed")
    if result.cursors_left:
        say_wrapped(
            "they keep the last of what was removed within reach, until the next push of their "
            f"projects (`{PROGRAM} push --all`)",
            begin="  ",
        )
    if result.error is not None:
        complain(result.error)


def _say_not(some: Sequence[NotRemoved], words: str) -> None:
    for group in _groups(some, lambda one: (one.reason,)):
        names = ", ".join(one.ref_name for one in group[:_MOST])
        more = f" and {len(group) - _MOST} more" if len(group) > _MOST else ""
        say_wrapped(f"{words} {names}{more}: {group[0].reason}", begin="  ")


def _groups(some: Iterable[_T], key: Callable[[_T], tuple[str, ...]]) -> list[list[_T]]:
    found: dict[tuple[str, ...], list[_T]] = {}
    for one in some:
        found.setdefault(key(one), []).append(one)
    return list(found.values())
