"""``undo`` and ``redo``: the last restore taken back, and that taken back, to any depth."""

from __future__ import annotations

import argparse
from pathlib import Path

from hermes_checkpoints.cli import plans
from hermes_checkpoints.cli.arguments import add_directory
from hermes_checkpoints.cli.exits import refuse_silent_question
from hermes_checkpoints.cli.output import place
from hermes_checkpoints.cli.parser import Verbs
from hermes_checkpoints.cli.progress import progress
from hermes_checkpoints.cli.target import Target, target
from hermes_checkpoints.model import Mode, RestorePlan


def register(verbs: Verbs) -> None:
    """Add ``undo`` and ``redo``."""
    for name, handler, summary in (
        ("undo", undo, "Take the last restore of a working directory back"),
        ("redo", redo, "Take the last undo of a working directory back"),
    ):
        parser = verbs.add(name, handler, summary)
        add_directory(parser)
        parser.add_argument(
            "--exact",
            action="store_true",
            help="bring the whole former state back, and take back what came after it, too",
        )
        plans.add_options(parser)


def undo(args: argparse.Namespace) -> int:
    """Take the newest restore that was not taken back yet back."""
    return _run(args, redo=False)


def redo(args: argparse.Namespace) -> int:
    """Take the newest undo back, unless a restore came after it."""
    return _run(args, redo=True)


def _run(args: argparse.Namespace, *, redo: bool) -> int:
    refuse_silent_question(args, "restore")
    with plans.telling_interrupts(), target(args) as what:
        project = what.project
        planned = project.plan_redo if redo else project.plan_undo
        act = project.redo if redo else project.undo
        with progress(args):
            plan = planned(exact=args.exact)
        return plans.carry_out(
            plan,
            args,
            words_of(plan, redo, plans.named_for_reverse(what, args)),
            lambda: act(exact=args.exact, plan=plan),
            recorded=True,
            insist=lambda: _insist(what, args, redo),
        )


def _insist(what: Target, args: argparse.Namespace, redo: bool) -> str | None:
    """Return the command that also takes back what came after; None where that was asked for."""
    if args.exact:
        return None
    return plans.command(args, "redo" if redo else "undo", "--exact", str(what.working_dir))


def words_of(plan: RestorePlan, redo: bool, where: Path | None = None) -> plans.Words:
    """Return how an undo, or a ``redo``, speaks of itself."""
    last, project = "undo" if redo else "restore", place(plan.working_dir)
    back = f"the state before it, checkpoint {plan.checkpoint.short_id}"
    only = "; what came after it is kept" if plan.restore_mode is Mode.KEEP_EDITS else ""
    if not only and plan.paths is not None:
        only = ", only the paths that it changed"
    return plans.Words(
        heading=f"Taking back the last {last} of {project}: {back}{only}",
        question=f"Take back the last {last} of {project}?",
        done=f"The last {last} of {project} is taken back",
        nothing=f"The last {last} of {project} is taken back; no path had to change",
        reverse="undo" if redo else "redo",
        where=where,
    )
