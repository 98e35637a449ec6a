"""``restore``: the plan first, then the question, then exactly that plan.

Without an ID, on a terminal, the checkpoint is chosen from a list (``picker``); ``--patch`` asks
about each part of each file (``hunks``), ``--merge`` takes the agent's changes out of files that a
person has changed, too (``conflicts``).

By default it brings back what the agent changed and keeps what a person changed. Started in a
subdirectory without a path, it is limited to that subdirectory. An id leads to its own project,
from wherever it is given, and the question names it; nothing is restored there unasked.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePath

from hermes_checkpoints.cli import choosing, conflicts, hunks, plans
from hermes_checkpoints.cli.arguments import add_paths, add_reference
from hermes_checkpoints.cli.exits import BadUsage, Exit, refuse_silent_question
from hermes_checkpoints.cli.holders import telling_the_command
from hermes_checkpoints.cli.output import on_a_terminal, place, raw
from hermes_checkpoints.cli.parser import Verbs
from hermes_checkpoints.cli.picker import pick
from hermes_checkpoints.cli.progress import progress
from hermes_checkpoints.cli.target import Target, path_of, target
from hermes_checkpoints.cli.words import Found, checkpoint_and_paths
from hermes_checkpoints.errors import PROGRAM, CheckpointForeign, DirectoryReplaced
from hermes_checkpoints.model import Action, Checkpoint, Mode, RestorePlan, SkipReason
from hermes_checkpoints.text import left_out


def register(verbs: Verbs) -> None:
    """Add ``restore``."""
    parser = verbs.add(
        "restore",
        run,
        "Bring a working directory, or paths in it, back",
        usage="[ID] [--] [PATH …]",
    )
    add_reference(parser, optional=True, otherwise="chosen from a list, on a terminal")
    add_paths(parser, "restore only these paths (default: all below the current directory)")
    parser.add_argument(
        "--mode",
        choices=[str(mode) for mode in Mode],
        help="keep-edits: bring back what the agent changed, keep what a person changed "
        "(default without a PATH); overlay: bring every captured file back, delete nothing "
        "(default for each PATH); exact: also delete what was created since",
    )
    whose = parser.add_mutually_exclusive_group()
    whose.add_argument(
        "--session",
        metavar="ID",
        help="keep what agents of other sessions changed, as long as they run; "
        "with --mode keep-edits or overlay",
    )
    whose.add_argument(
        "--everyone", action="store_true", help="take back what every session changed (default)"
    )
    how = parser.add_mutually_exclusive_group()
    how.add_argument(
        "-p",
        "--patch",
        action="store_true",
        help="show each part in which a file differs, whoever changed it, and ask whether it comes "
        "back; with --dry-run, show all of them",
    )
    how.add_argument(
        "--merge",
        action="store_true",
        help="of files that the agent and a person have changed, take the agent's changes back by "
        "a three-way merge; where both touch, ask, or leave the file as it is",
    )
    parser.add_argument(
        "--nested",
        action="store_true",
        help="take in the projects inside this one (repositories, worktrees, directories with "
        "checkpoints of their own), which are left alone unless they are named",
    )
    parser.add_argument(
        "--into",
        metavar="DIR",
        help="write into this directory instead, which is made where it is not there; "
        "with --mode overlay (default there) or exact",
    )
    parser.add_argument(
        "--stdout", action="store_true", help="print the contents of the one PATH, change nothing"
    )
    plans.add_options(parser)


def run(args: argparse.Namespace) -> int:
    """Plan, ask, restore, and report what happened to each path."""
    if args.reference is None and args.paths:  # behind an option, which the parser counts as paths
        args.reference, *args.paths = args.paths
    if args.reference is None and not _can_pick(args):
        raise BadUsage(
            f"the following arguments are required: ID; `{PROGRAM} log` lists the "
            "checkpoints, and on a terminal one can be chosen from a list"
        )
    _refuse_beside_choices(args)
    if args.stdout:
        return _print_contents(args)
    refuse_silent_question(args, "restore")
    into = None if args.into is None else path_of(args, args.into)
    with plans.telling_interrupts(), target(args) as asked:
        if args.reference is None:
            picked = pick(asked)
            if picked is None:
                conflicts.aborted()
                return Exit.NO
            args.reference = picked.id
        read = checkpoint_and_paths(asked, args.reference, args.paths, args.literal)
        found = read.checkpoints[0]
        what = found.what
        own = what.working_dir == asked.working_dir
        if not own and args.force and into is None:
            raise CheckpointForeign(
                f"checkpoint {found.checkpoint.short_id} belongs to {what.working_dir}, not to "
                f"{asked.working_dir}, and is not restored there unasked; leave -f away, add "
                f"--dir {what.working_dir}, or write it elsewhere with --into DIR"
            )
        paths, notes = _scope(what, args, read.paths)
        mode = args.mode
        if args.patch or args.merge:
            mode = None
        elif mode is None and read.paths is None and not _is_elsewhere(found, into):
            mode = Mode.KEEP_EDITS  # nobody has named the current directory
        with telling_the_command(args, asked, "restore"), progress(args):
            plan = what.project.plan_restore(
                found.checkpoint,
                paths,
                mode=mode,
                session_id=args.session,
                into=into,
                nested=args.nested,
                merge=args.merge,
                to_choose=args.patch,
            )
        notes += notes_of(plan)
        if plan.checkpoint.is_fetched:
            notes.append(_where_it_is_from(plan.checkpoint))
        if plan.replaced:
            _refuse_replaced(what, plan, args)
        where = into or (plans.named_for_reverse(what, args) if own else what.working_dir)
        words = words_of(
            plan,
            [*notes, *_restores_inner(what, args, plan)],
            where,
            what.project.left_out(plan.checkpoint, read.paths),
        )
        if args.patch:
            return hunks.run(args, what, plan, choosing.worded(plan, words))
        return _carry_out(args, what, plan, words, into)


def _is_elsewhere(found: Found, into: Path | None) -> bool:
    """Tell whether a checkpoint goes where nobody knows whose the changes since are."""
    checkpoint = found.checkpoint
    return checkpoint.is_fetched or into not in (None, Path(checkpoint.working_dir))


def _where_it_is_from(checkpoint: Checkpoint) -> str:
    taken = checkpoint.local_time.isoformat(sep=" ", timespec="minutes")
    return (
        f"Checkpoint {checkpoint.short_id} was fetched from the remote: it was taken of "
        f"{place(checkpoint.working_dir)} on {taken}"
    )


def _carry_out(
    args: argparse.Namespace,
    what: Target,
    plan: RestorePlan,
    words: plans.Words,
    into: Path | None,
) -> int:
    settled = conflicts.settle(plan, args)
    if settled is None:
        conflicts.aborted()
        return Exit.NO
    code = plans.carry_out(
        settled,
        args,
        words,
        lambda: what.project.restore(plan.checkpoint, into=into, plan=settled),
        insist=lambda: _insist(what, settled, args) if into is None else None,
    )
    if settled.conflicts and not args.dry_run and code in (Exit.DONE, Exit.IN_PART, Exit.ERROR):
        conflicts.complain_of(settled)
        code = max(code, Exit.IN_PART) if settled.of(*plans.CHANGING) else Exit.ERROR
    return code


def _can_pick(args: argparse.Namespace) -> bool:
    """Tell whether somebody can choose a checkpoint from a list."""
    return on_a_terminal() and not (args.force or args.json or args.stdout)


def _refuse_beside_choices(args: argparse.Namespace) -> None:
    """Refuse options that do not go with ``--patch`` or ``--merge``.

    Raises:
        BadUsage.
    """
    if not (args.patch or args.merge):
        return
    name = "--patch" if args.patch else "--merge"
    given = {
        f"--mode {args.mode}": args.mode not in (None, Mode.KEEP_EDITS),
        "--session": args.session is not None,
        "--into": args.into is not None,
        "--stdout": args.stdout,
        "--force": args.force and args.patch,
    }
    wrong = [option for option, there in given.items() if there]
    if wrong:
        why = "which asks about each part" if args.patch else "which keeps edits, for everyone"
        raise BadUsage(f"{', '.join(wrong)}: not with {name}, {why}")


def notes_of(plan: RestorePlan) -> list[str]:
    """Return what there is to know of the working directory before it is restored."""
    notes = []
    if plan.missing:
        notes.append(
            f"{plan.working_dir} is not there and is made, closed to others: no checkpoint has the "
            "mode of the directory itself"
        )
    if plan.replaced:
        notes.append(_replaced(plan))
    return notes


def _replaced(plan: RestorePlan) -> str:
    return (
        f"{plan.working_dir} is not the directory that was captured: it was replaced since, and "
        "nobody knows whose the files in it are"
    )


def _refuse_replaced(what: Target, plan: RestorePlan, args: argparse.Namespace) -> None:
    """Refuse to keep edits where another directory lies in the place of the one that was captured,
    unless somebody reads that and agrees.

    Raises:
        DirectoryReplaced: with the command that restores there all the same.
    """
    asked = not args.force and on_a_terminal()
    if plan.restore_mode is not Mode.KEEP_EDITS or asked or args.dry_run:
        return
    again = ("restore", plan.checkpoint.short_id, "--dir", str(what.working_dir))
    commands = [
        plans.command(args, *again, *more, *_named(plan))
        for more in (("--mode", str(Mode.OVERLAY)), ("--into", "DIR", "--mode", str(Mode.OVERLAY)))
    ]
    raise DirectoryReplaced(
        f"nothing was restored: {_replaced(plan)}; to bring every captured file back there: "
        f"{commands[0]}; to write them elsewhere: {commands[1]}",
        hint=commands[0],
    )


def _named(plan: RestorePlan) -> tuple[str, ...]:
    return ("--", *plan.paths) if plan.paths else ()


def _scope(
    what: Target, args: argparse.Namespace, paths: list[str] | None
) -> tuple[list[str] | None, list[str]]:
    """Return the paths to restore, None for all, and what there is to say about the limits."""
    notes = []
    if paths is None and what.start != PurePath():
        paths = [what.start.as_posix()]
        notes.append(
            f"Limited to {paths[0]}, the current directory; "
            f"--dir {what.working_dir} restores the whole project"
        )
    if args.session is not None:
        notes.append(f"Limited to what session {args.session} changed")
    return paths, notes


def _insist(what: Target, plan: RestorePlan, args: argparse.Namespace) -> str | None:
    """Return the command that restores what a plan keeps, whoever changed it; None if none does."""
    from hermes_checkpoints.checkpoints.way_out import Asked, way_out

    kept = [step.path for step in plan.of(Action.KEEP)]
    asked = Asked(plan.restore_mode, plan.session_id, args.nested)
    wider = way_out(what.project, plan.checkpoint, kept, asked)
    if wider is None:
        return None
    named = [
        path
        for path in plan.paths or ()
        if wider.mode is Mode.EXACT or what.project.holds(plan.checkpoint, path)
    ]
    return plans.command(
        args,
        *("restore", plan.checkpoint.short_id, "--dir", str(what.working_dir)),
        *("--mode", str(wider.mode), *(("--nested",) if wider.nested else ())),
        *(() if wider.session_id is None else ("--session", wider.session_id)),
        *(("--", *named) if named else ()),
    )


def _restores_inner(what: Target, args: argparse.Namespace, plan: RestorePlan) -> list[str]:
    """Return a line for each project that is left alone, with the command that restores it."""
    from hermes_checkpoints.restore.nested import is_nested

    again = ("restore", plan.checkpoint.short_id, "--dir", str(what.working_dir))
    return [
        f"To restore {step.path}, too: {plans.command(args, *again, '--', step.path)}"
        for step in plan.steps
        if is_nested(step)
    ]


def words_of(
    plan: RestorePlan, notes: Sequence[str], where: Path | None, lacks: Mapping[SkipReason, int]
) -> plans.Words:
    """Return how a restore to a checkpoint speaks of itself; the checkpoint ``lacks`` so many
    paths, by reason."""
    checkpoint = plan.checkpoint
    missing = left_out(lacks, f"checkpoint {checkpoint.short_id}")
    lacking = [f"{missing}, which no restore brings back"] if missing else []
    return plans.Words(
        heading=f"Restoring {place(plan.working_dir)} to checkpoint {checkpoint.short_id} "
        f"({plan.restore_mode}): {checkpoint.reason}",
        question=f"Restore {place(plan.working_dir)} to checkpoint {checkpoint.short_id}?",
        done=f"Restored to checkpoint {checkpoint.short_id}: {checkpoint.reason}",
        nothing=f"Nothing to restore: {_where(plan)} as checkpoint {checkpoint.short_id} has it",
        reverse="undo",
        where=where,
        notes=[*notes, *lacking],
        left_out=lacks,
    )


def _where(plan: RestorePlan) -> str:
    where = place(plan.working_dir)
    if plan.paths is None:
        return f"{where} is"
    return f"{', '.join(plan.paths)} in {where} {'is' if len(plan.paths) == 1 else 'are'}"


def _print_contents(args: argparse.Namespace) -> int:
    if args.json or args.dry_run or args.into or args.session or args.nested:
        raise BadUsage(
            "--stdout prints the contents of a file; it goes with no option that restores"
        )
    with target(args) as asked:
        read = checkpoint_and_paths(asked, args.reference, args.paths, args.literal)
        if read.paths is None or len(read.paths) != 1:
            raise BadUsage("--stdout needs exactly one PATH")
        found = read.checkpoints[0]
        with telling_the_command(args, asked, "restore", "--stdout"):
            raw(found.what.project.read_file(found.checkpoint, read.paths[0]))
    return Exit.DONE
