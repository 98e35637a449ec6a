"""``restore``: the plan first, then the question, then exactly that plan.

What is executed is the plan object that was printed; where the working directory has changed
in between, nothing is restored.
"""

from __future__ import annotations

import argparse
import shlex
from collections import Counter

from hermes_checkpoints.cli import documents
from hermes_checkpoints.cli.arguments import (
    Verbs,
    add_directory,
    add_json,
    add_paths,
    add_reference,
    target,
)
from hermes_checkpoints.cli.output import PROGRAM, complain, confirm, document, say
from hermes_checkpoints.cli.text import counted, size
from hermes_checkpoints.errors import BadRequest
from hermes_checkpoints.model import Action, Mode, PlannedPath, Restored, RestorePlan

ABORTED = 1
"""Exit code after the question was answered with no."""

IN_PART = 3
"""Exit code of a restore that could not restore every path."""

LISTED = 40
"""How many lines of a plan stand before the question."""

_CHANGING = tuple(action for action in Action if action is not Action.KEEP)


def register(verbs: Verbs) -> None:
    """Add ``restore``."""
    parser = verbs.add("restore", run, "Bring a working directory, or paths in it, back")
    add_reference(parser)
    add_paths(parser, "restore only these paths")
    add_directory(parser, option=True)
    parser.add_argument("--dry-run", action="store_true", help="print the plan, change nothing")
    parser.add_argument(
        "--mode",
        type=Mode,
        choices=list(Mode),
        default=Mode.OVERLAY,
        help="overlay: bring every captured file back, delete nothing (default); "
        "exact: also delete what was created since; "
        "keep-edits: bring back what the agent changed, keep what a person changed",
    )
    parser.add_argument("-f", "--force", action="store_true", help="do not ask")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Plan, ask, restore, and report what happened to each path."""
    if args.json and not (args.force or args.dry_run):
        raise BadRequest("--json cannot ask; use -f to restore, or --dry-run to see the plan")
    with target(args) as what:
        plan = what.checkpoints.plan_restore(
            what.working_dir, args.reference, what.paths(args), args.mode
        )
        if args.dry_run:
            _show_plan(plan, args, limit=None)
            return 0
        if not plan.of(*_CHANGING):
            _report_nothing(plan, args)
            return 0
        if not args.force:
            _show_plan(plan, args, limit=LISTED)
            say()
            if not confirm(f"Restore {plan.working_dir} to checkpoint {plan.checkpoint.short_id}?"):
                say("Aborted.")
                return ABORTED
        restored = what.checkpoints.restore(
            what.working_dir,
            plan.checkpoint.commit_id,
            list(plan.paths) if plan.paths else None,
            mode=args.mode,
            plan=plan,
        )
    return _report(restored, args)


def _show_plan(plan: RestorePlan, args: argparse.Namespace, limit: int | None) -> None:
    if args.json:
        document(documents.of_plan(plan))
        return
    checkpoint = plan.checkpoint
    say(
        f"Restoring {plan.working_dir} to checkpoint {checkpoint.short_id} "
        f"({plan.restore_mode}): {checkpoint.reason}"
    )
    steps = plan.of(*_CHANGING)
    for step in steps[:limit]:
        say(f"  {step_line(step)}")
    if limit is not None and len(steps) > limit:
        say(f"  … and {len(steps) - limit} more: --dry-run lists all")
    kept = plan.of(Action.KEEP)
    if limit is None:
        for step in kept:
            say(f"  {step_line(step)}")
    unchanged = f"; {counted(len(kept), 'path')} kept" if kept else ""
    say(f"Plan: {summary(steps)}{unchanged}")


def step_line(step: PlannedPath) -> str:
    """Return what would be done to a path, and why."""
    known = f", {size(step.bytes)}" if step.action is Action.WRITE and step.bytes else ""
    return f"{step.action:<6}  {step.path}  ({step.reason}{known})"


def summary(steps: tuple[PlannedPath, ...]) -> str:
    """Return how many steps of each kind there are: ``3 write, 1 delete``."""
    counts = Counter(step.action for step in steps)
    return ", ".join(f"{counts[action]} {action}" for action in Action if counts[action]) or (
        "nothing to do"
    )


def _report_nothing(plan: RestorePlan, args: argparse.Namespace) -> None:
    if args.json:
        document(documents.of_nothing(plan))
    else:
        say(
            f"Nothing to restore: {plan.working_dir} is as checkpoint "
            f"{plan.checkpoint.short_id} has it"
        )


def _report(restored: Restored, args: argparse.Namespace) -> int:
    if args.json:
        document(documents.of_restored(restored))
    else:
        say(
            f"Restored to checkpoint {restored.checkpoint.short_id}: "
            f"{restored.checkpoint.reason} ({summary(restored.done)})"
        )
        say(
            f"The state before it is checkpoint {restored.safety.short_id}; to undo: "
            f"{_undo(restored, args)}"
        )
    if restored.complete:
        return 0
    for failed in restored.failed:
        complain(f"not restored: {failed.path}: {failed.error}")
    complain(f"{counted(len(restored.failed), 'path')} could not be restored")
    return IN_PART


def _undo(restored: Restored, args: argparse.Namespace) -> str:
    """Return the command that puts back what this restore, and only this one, has changed."""
    words = ["restore", restored.safety.short_id, "--mode", "exact"]
    if args.checkpoints_home:
        words += ["--home", args.checkpoints_home]
    if args.directory:
        words += ["--dir", args.directory]
    if args.paths:
        words += ["--", *args.paths]
    return f"{PROGRAM} {shlex.join(words)}"
