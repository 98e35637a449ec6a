"""``undo`` and ``redo``: the last restore taken back, and that taken back, to any depth."""

from __future__ import annotations

import argparse
from pathlib import Path

from hermes_checkpoints.cli import plans
from hermes_checkpoints.cli.arguments import add_directory
from hermes_checkpoints.cli.parser import Verbs
from hermes_checkpoints.cli.target import target
from hermes_checkpoints.model import RestorePlan


def register(verbs: Verbs) -> None:
    """Add ``undo`` and ``redo``."""
    for name, handler, summary in (
        ("undo", undo, "Take the last restore of a working directory back"),
        ("redo", redo, "Take the last undo of a working directory back"),
    ):
        parser = verbs.add(name, handler, summary)
        add_directory(parser)
        plans.add_options(parser)


def undo(args: argparse.Namespace) -> int:
    """Take the newest restore that was not taken back yet back."""
    return _run(args, redo=False)


def redo(args: argparse.Namespace) -> int:
    """Take the newest undo back, unless a restore came after it."""
    return _run(args, redo=True)


def _run(args: argparse.Namespace, *, redo: bool) -> int:
    plans.refuse_silent_question(args)
    with target(args) as what:
        project = what.project
        plan = project.plan_redo() if redo else project.plan_undo()
        act = project.redo if redo else project.undo
        return plans.carry_out(
            plan,
            args,
            _words(plan, redo, plans.named_for_reverse(what, args)),
            lambda: act(plan=plan),
            recorded=True,
        )


def _words(plan: RestorePlan, redo: bool, where: Path | None) -> plans.Words:
    last = "undo" if redo else "restore"
    back = f"the state before it, checkpoint {plan.checkpoint.short_id}"
    only = "" if plan.paths is None else ", only the paths that it changed"
    return plans.Words(
        heading=f"Taking back the last {last} of {plan.working_dir}: {back}{only}",
        question=f"Take back the last {last} of {plan.working_dir}?",
        done=f"The last {last} of {plan.working_dir} is taken back",
        nothing=f"The last {last} of {plan.working_dir} is taken back; no path had to change",
        reverse="undo" if redo else "redo",
        where=where,
    )
