"""``prune`` and ``drop``: the plan first, then the question, then exactly that plan.

``prune`` asks on a terminal only. Elsewhere it prunes by the rules, as version 2 did: there it is
part of a script or of the agent's console, and the next line of standard input is not its answer.
"""

from __future__ import annotations

import argparse
import re
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from hermes_checkpoints.cli import plans, prune_report
from hermes_checkpoints.cli.arguments import (
    add_directory,
    add_dry_run,
    add_force,
    time_of,
    whole,
)
from hermes_checkpoints.cli.asking import confirm
from hermes_checkpoints.cli.exits import Exit, refuse_silent_question
from hermes_checkpoints.cli.json.retention import of_prune_plan, of_pruned
from hermes_checkpoints.cli.output import document, on_a_terminal, say
from hermes_checkpoints.cli.parser import VerbParser, Verbs
from hermes_checkpoints.cli.progress import progress
from hermes_checkpoints.cli.target import named_directory, opened, target
from hermes_checkpoints.cli.text import counted
from hermes_checkpoints.cli.words import checkpoint_of
from hermes_checkpoints.errors import BadRequest
from hermes_checkpoints.model import MB

if TYPE_CHECKING:
    from collections.abc import Callable

    from hermes_checkpoints.checkpoints import Checkpoints
    from hermes_checkpoints.model import Policy, PrunePlan, PruneResult

_KEEP = ("last", "hourly", "daily", "weekly", "monthly")
_UNITS = {"": 1, "K": 1024, "M": 1024**2, "G": 1024**3, "T": 1024**4}
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?\s*", re.IGNORECASE)
_STEPS = 4


def register(verbs: Verbs) -> None:
    """Add ``prune`` and ``drop``."""
    parser = verbs.add("prune", run, "Delete orphan/stale checkpoints and GC the store")
    add_directory(parser, "prune only this project (default: all)")
    parser.add_argument(
        "--retention-days",
        type=whole,
        metavar="N",
        help="drop projects that were not touched for N days, but for the newest checkpoint of "
        "a directory that may be there; 0: none (default: retention_days of config.yaml, or 7)",
    )
    parser.add_argument(
        "--max-size-mb",
        type=whole,
        metavar="N",
        help="then drop the oldest until the store takes at most N MB on disk; 0: no limit "
        "(default: max_total_size_mb of config.yaml, or 500)",
    )
    parser.add_argument(
        "--max-snapshots",
        type=whole,
        metavar="N",
        help="keep at most N checkpoints of each project; 0: no limit (default: as configured)",
    )
    parser.add_argument(
        "--max-safety-snapshots",
        type=whole,
        metavar="N",
        help="keep at most N safety checkpoints of each project; 0: no limit (default: as "
        "configured)",
    )
    parser.add_argument(
        "--keep-orphans",
        action="store_true",
        help="Skip deleting projects whose working directory no longer exists",
    )
    parser.add_argument(
        "--reclaim", type=size_of, metavar="SIZE", help="drop the oldest until SIZE is free (2GB)"
    )
    for name in _KEEP:
        what = "checkpoints" if name == "last" else f"{name} checkpoints"
        parser.add_argument(
            f"--keep-{name}", type=whole, metavar="N", help=f"keep the last N {what}"
        )
    parser.add_argument(
        "--keep-within", type=time_of, metavar="AGE", help="keep what is younger (12h, 7d, 2w)"
    )
    _add_rest(parser)
    parser = verbs.add("drop", drop, "Delete checkpoints by id")
    parser.add_argument(
        "references", nargs="+", metavar="ID", help="what `log` shows: ids, numbers or labels"
    )
    parser.add_argument(
        "--now",
        action="store_true",
        help="what only they held leaves what is kept of damaged checkpoints, too",
    )
    parser.behind = "references"
    _add_rest(parser)


def _add_rest(parser: VerbParser) -> None:
    parser.add_argument(
        "--include-pinned", action="store_true", help="also delete pinned and labelled ones"
    )
    add_dry_run(parser)
    add_force(parser)


def run(args: argparse.Namespace) -> int:
    """Plan by the rules, ask if there is a terminal, prune and report."""
    from hermes_checkpoints.retention.plan import PruneOptions

    asks = on_a_terminal()
    if asks:
        refuse_silent_question(args, "delete")
    with opened(args) as checkpoints:
        only = named_directory(args, checkpoints)
        policy = _policy(checkpoints, args)
        if not args.json:
            say("Pruning checkpoint store…")
            say(f"  retention_days:    {policy.retention_days}")
            say(f"  delete_orphans:    {policy.delete_orphans}")
            say(f"  max_total_size_mb: {policy.cap_bytes // MB}")
            say()
        with progress(args) as report:
            plan = checkpoints.plan_prune(
                policy=policy,
                working_dir=only,
                reclaim_bytes=args.reclaim or 0,
                options=None if args.dry_run else PruneOptions(report=report),
            )
        return _carry_out(checkpoints, plan, args, prune_report.show_result, asks=asks)


def drop(args: argparse.Namespace) -> int:
    """Plan the deletion of what was named, ask, delete and report."""
    refuse_silent_question(args, "delete")
    with target(args) as what:
        found = [checkpoint_of(what, one, lost=True).checkpoint for one in args.references]
        plan = what.project.plan_drop(found, include_pinned=args.include_pinned)
        for decision in plan.refused:
            raise BadRequest(
                f"checkpoint {decision.checkpoint.short_id} is kept because {decision.reason}; "
                "nothing was dropped. --include-pinned also drops pinned and labelled ones"
            )
        return _carry_out(
            what.checkpoints, plan, args, prune_report.show_dropped, asks=True, purge=args.now
        )


def _carry_out(
    checkpoints: Checkpoints,
    plan: PrunePlan,
    args: argparse.Namespace,
    show: Callable[[PruneResult], None],
    *,
    asks: bool,
    purge: bool = False,
) -> int:
    """Show the plan, ask if it ``asks`` and was not told ``-f``, execute it and ``show`` what came
    of it; return the exit code.

    Only what a person agreed to, by an answer or by ``-f``, is let go by the archives, too.
    """
    from hermes_checkpoints.retention.plan import PruneOptions

    again = partial(plans.command, args)
    if args.dry_run:
        if args.json:
            document(of_prune_plan(plan))
        else:
            prune_report.show_plan(plan, all_of_it=True, command=again)
        return Exit.DONE
    if not args.json:
        prune_report.show_plan(plan, all_of_it=False, command=again)
        say()
    if plan.drop and asks and not args.force and not confirm(_question(plan)):
        return Exit.NO
    with progress(args, _STEPS) as report:
        options = PruneOptions(purge=purge, agreed=asks or args.force, report=report)
        result = checkpoints.prune(plan=plan, options=options)
    if args.json:
        document(of_pruned(result))
    else:
        show(result)
    prune_report.complain_of(result)
    return Exit.IN_PART if result.errors or result.over_cap else Exit.DONE


def _question(plan: PrunePlan) -> str:
    return f"Delete {counted(len(plan.drop), 'checkpoint')}?"


def _policy(checkpoints: Checkpoints, args: argparse.Namespace) -> Policy:
    """Return the configured rules with what was given; a person agrees, so no grace is needed."""
    configured = checkpoints.policy
    given = {name: getattr(args, f"keep_{name}") for name in (*_KEEP, "within")}
    keep = {name: value for name, value in given.items() if value is not None}
    days, most, cap = args.retention_days, args.max_snapshots, args.max_size_mb
    safety = args.max_safety_snapshots
    return replace(
        configured,
        retention_days=configured.retention_days if days is None else days,
        max_snapshots=configured.max_snapshots if most is None else most,
        own_limits=configured.own_limits and most is None,
        max_safety_snapshots=configured.max_safety_snapshots if safety is None else safety,
        cap_bytes=configured.cap_bytes if cap is None else cap * MB,
        delete_orphans=configured.delete_orphans and not args.keep_orphans,
        orphan_grace=None,
        keep=replace(configured.keep, **keep),
        include_pinned=args.include_pinned,
    )


def size_of(text: str) -> int:
    """Read a size such as ``500MB`` or ``2G``, base 1024, in bytes."""
    match = _SIZE.fullmatch(text)
    if match is None or not (found := int(float(match[1]) * _UNITS[match[2].upper()])):
        raise argparse.ArgumentTypeError(f"{text!r} is no size such as 500MB or 2GB")
    return found
