"""``restore``: the plan first, then the question, then exactly that plan.

By default it brings back what the agent changed and keeps what a person changed. Started in a
subdirectory without a path, it is limited to that subdirectory.
"""

from __future__ import annotations

import argparse
from pathlib import PurePath

from hermes_checkpoints.cli import plans
from hermes_checkpoints.cli.arguments import (
    Target,
    Verbs,
    add_directory,
    add_json,
    add_paths,
    add_reference,
    resolved,
    target,
)
from hermes_checkpoints.cli.output import raw
from hermes_checkpoints.errors import BadRequest
from hermes_checkpoints.model import Mode, RestorePlan


def register(verbs: Verbs) -> None:
    """Add ``restore``."""
    parser = verbs.add("restore", run, "Bring a working directory, or paths in it, back")
    add_reference(parser)
    add_paths(parser, "restore only these paths (default: all below the current directory)")
    add_directory(parser, option=True)
    parser.add_argument(
        "--mode",
        type=Mode,
        choices=list(Mode),
        default=Mode.KEEP_EDITS,
        help="keep-edits: bring back what the agent changed, keep what a person changed "
        "(default); overlay: bring every captured file back, delete nothing; "
        "exact: also delete what was created since",
    )
    parser.add_argument(
        "--session", metavar="ID", help="take back only what this session of the agent changed"
    )
    parser.add_argument(
        "--into",
        metavar="DIR",
        help="write into this directory instead, with --mode overlay or exact",
    )
    parser.add_argument(
        "--stdout", action="store_true", help="print the contents of the one PATH, change nothing"
    )
    plans.add_options(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Plan, ask, restore, and report what happened to each path."""
    if args.stdout:
        return _print_contents(args)
    plans.refuse_silent_question(args)
    into = None if args.into is None else resolved(args.into)
    with target(args) as what:
        paths, notes = _scope(what, args)
        plan = what.project.plan_restore(
            args.reference, paths, mode=args.mode, session_id=args.session, into=into
        )
        return plans.carry_out(
            plan,
            args,
            _words(plan, notes),
            lambda: what.project.restore(plan.checkpoint.id, into=into, plan=plan),
        )


def _scope(what: Target, args: argparse.Namespace) -> tuple[list[str] | None, list[str]]:
    """Return the paths to restore, None for all, and what there is to say about the limits."""
    notes = []
    paths = what.paths(args)
    if paths is None and what.start != PurePath():
        paths = [what.start.as_posix()]
        notes.append(
            f"Limited to {paths[0]}, the current directory; "
            f"--dir {what.working_dir} restores the whole project"
        )
    if args.session is not None:
        notes.append(f"Limited to what session {args.session} changed")
    return paths, notes


def _words(plan: RestorePlan, notes: list[str]) -> plans.Words:
    checkpoint = plan.checkpoint
    return plans.Words(
        heading=f"Restoring {plan.working_dir} to checkpoint {checkpoint.short_id} "
        f"({plan.restore_mode}): {checkpoint.reason}",
        question=f"Restore {plan.working_dir} to checkpoint {checkpoint.short_id}?",
        done=f"Restored to checkpoint {checkpoint.short_id}: {checkpoint.reason}",
        nothing=f"Nothing to restore: {_where(plan)} as checkpoint {checkpoint.short_id} has it",
        reverse="undo",
        notes=notes,
    )


def _where(plan: RestorePlan) -> str:
    if plan.paths is None:
        return f"{plan.working_dir} is"
    return (
        f"{', '.join(plan.paths)} in {plan.working_dir} {'is' if len(plan.paths) == 1 else 'are'}"
    )


def _print_contents(args: argparse.Namespace) -> int:
    if args.json or args.dry_run or args.into or args.session:
        raise BadRequest(
            "--stdout prints the contents of a file; it goes with no option that restores"
        )
    if len(args.paths) != 1:
        raise BadRequest("--stdout needs exactly one PATH")
    return print_contents(args)


def print_contents(args: argparse.Namespace) -> int:
    """Print the contents of the one path of the arguments, byte for byte."""
    with target(args) as what:
        paths = what.paths(args) or [""]
        raw(what.project.read_file(args.reference, paths[0]))
    return 0
