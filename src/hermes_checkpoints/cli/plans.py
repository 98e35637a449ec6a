"""Plans of restores, undos and redos: shown, asked about, carried out exactly, and reported.

What is executed is the plan object that was printed; where the working directory has changed
in between, nothing is restored.
"""

from __future__ import annotations

import argparse
import contextlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from hermes_checkpoints.cli.arguments import add_dry_run, add_force
from hermes_checkpoints.cli.asking import confirm
from hermes_checkpoints.cli.exits import Exit
from hermes_checkpoints.cli.json.restores import of_nothing_restored, of_restore_plan, of_restored
from hermes_checkpoints.cli.output import complain, document, interruption, say
from hermes_checkpoints.cli.problem import NOTHING_RESTORED, Problem, tell
from hermes_checkpoints.cli.progress import progress
from hermes_checkpoints.cli.target import Target, home_of, starts_elsewhere
from hermes_checkpoints.cli.text import counted, size, typed
from hermes_checkpoints.errors import PROGRAM
from hermes_checkpoints.model import (
    Action,
    FailedPath,
    PlannedPath,
    Restored,
    RestorePlan,
    SkipReason,
    moved_text,
)

LISTED = 40
"""How many paths that are written stand before the question. What is deleted stands first, and all
of it."""

KEPT_LISTED = 10
"""How many kept paths stand before the question, and of each reason in the report."""

CHANGING = tuple(action for action in Action if action is not Action.KEEP)
"""What a step does that is not kept."""

_WRITING = tuple(action for action in CHANGING if action is not Action.DELETE)
_STYLES = {Action.DELETE: "red", Action.KEEP: "yellow"}
"""The colours of what a plan does; what it writes is green."""


@dataclass(frozen=True)
class Words:
    """How one kind of restore speaks of itself: before, when asking, after, and when there was
    nothing to do. ``reverse`` is the verb that takes it back, in the directory ``where`` if that
    has to be named; ``notes`` say what limits it, and ``left_out`` how many paths the checkpoint
    lacks, by reason."""

    heading: str
    question: str
    done: str
    nothing: str
    reverse: str
    where: Path | None = None
    notes: Sequence[str] = field(default=())
    left_out: Mapping[SkipReason, int] = field(default_factory=dict)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what all verbs have that carry out a plan."""
    add_dry_run(parser)
    add_force(parser)


def named_for_reverse(what: Target, args: argparse.Namespace) -> Path | None:
    """Return the directory that an undo has to name, None where it is found without."""
    return what.working_dir if what.named or starts_elsewhere(args) else None


@contextlib.contextmanager
def telling_interrupts() -> Iterator[None]:
    """Let a Ctrl-C inside tell that nothing was changed, where nothing else is told of it."""
    try:
        yield
    except KeyboardInterrupt as stop:
        if not interruption(stop):
            stop.add_note("interrupted: nothing was changed")
        raise


def carry_out(
    plan: RestorePlan,
    args: argparse.Namespace,
    words: Words,
    execute: Callable[[], Restored],
    *,
    recorded: bool = False,
    insist: Callable[[], str | None] = lambda: None,
) -> int:
    """Show a plan, ask, execute and report it; return the exit code.

    ``recorded`` is for an undo or redo, which counts even where no path has to change. Where a
    restore keeps every path that differs, nothing was done, and that is no success: ``insist``
    makes the command that restores all the same, None where none does.
    """
    if args.dry_run:
        _show(plan, args, words, all_of_it=True)
        return Exit.DONE
    if not plan.of(*CHANGING):
        if recorded:
            execute()
        _report_nothing(plan, args, words)
        if not plan.keeps_all:
            return Exit.DONE
        command = insist()
        way = f"to restore all the same: {command}" if command else "no mode restores what is kept"
        message = f"nothing was restored, although files differ; {way}"
        tell(Problem(NOTHING_RESTORED, message, Exit.ERROR, command), as_json=args.json)
        return Exit.ERROR
    if not args.force:
        _show(plan, args, words, all_of_it=False)
        say()
        if not confirm(words.question):
            return Exit.NO
    return carry_out_unasked(args, words, execute)


def carry_out_unasked(
    args: argparse.Namespace, words: Words, execute: Callable[[], Restored]
) -> int:
    """Execute a plan that somebody has agreed to, and report it; return the exit code."""
    try:
        with progress(args):
            restored = execute()
    except KeyboardInterrupt as stop:
        if interruption(stop):
            stop.add_note(f"to go back to the state before it: {_reverse(args, words)}")
        raise
    return _report(restored, args, words)


def _show(plan: RestorePlan, args: argparse.Namespace, words: Words, *, all_of_it: bool) -> None:
    if args.json:
        document(of_restore_plan(plan, words.left_out))
        return
    say(words.heading)
    _say_notes(words, plan)
    deletes, kept = plan.of(Action.DELETE), plan.of(Action.KEEP)
    _list(deletes, None)
    _list(plan.of(*_WRITING), None if all_of_it else LISTED)
    _list(kept, None if all_of_it else KEPT_LISTED)
    say(f"Plan: {summary(plan.of(*CHANGING))}{and_kept(kept)}")


def _say_notes(words: Words, restore: RestorePlan | Restored) -> None:
    """Print what limits a restore, and that HEAD moved since the checkpoint was taken."""
    for note in words.notes:
        say(note)
    moved = moved_text(restore.checkpoint.stood_at, restore.head)
    if moved is not None:
        say(moved)


def _list(steps: Sequence[PlannedPath], limit: int | None) -> None:
    for step in steps[:limit]:
        say(f"  {step_line(step)}", _STYLES.get(step.action, "green"))
    if limit is not None and len(steps) > limit:
        kept = " kept" if steps[0].action is Action.KEEP else ""
        say(f"  … and {len(steps) - limit} more{kept}: --dry-run lists all")


def step_line(step: PlannedPath) -> str:
    """Return what would be done to a path, why, and how much of it would change."""
    about = [step.reason]
    if step.action is Action.WRITE and step.bytes:
        about.append(size(step.bytes))
    if step.action in (Action.WRITE, Action.DELETE) and step.insertions is not None:
        about.append(f"+{step.insertions}/-{step.deletions or 0}")
    return f"{step.action:<6}  {step.path}  ({', '.join(about)})"


def summary(steps: Sequence[PlannedPath]) -> str:
    """Return how many steps of each kind there are: ``3 write, 1 delete``."""
    counts = Counter(step.action for step in steps)
    return ", ".join(f"{counts[action]} {action}" for action in Action if counts[action]) or (
        "nothing to do"
    )


def and_kept(kept: Sequence[PlannedPath]) -> str:
    """Return how many paths are kept, to stand behind a ``summary``."""
    return f"; {counted(len(kept), 'path')} kept" if kept else ""


def _report_nothing(plan: RestorePlan, args: argparse.Namespace, words: Words) -> None:
    if args.json:
        document(of_nothing_restored(plan, words.left_out))
        return
    kept = plan.of(Action.KEEP)
    if not kept:
        say(words.nothing)
    else:
        say(f"Nothing to restore{and_kept(kept)}")
    _say_notes(words, plan)
    _report_kept(kept)


def _report(restored: Restored, args: argparse.Namespace, words: Words) -> int:
    if args.json:
        document(of_restored(restored, words.left_out))
    elif restored.failed and not restored.done:
        say(f"Nothing was restored{and_kept(restored.kept)}")
        _report_kept(restored.kept)
    else:
        say(f"{words.done} ({summary(restored.done)}{and_kept(restored.kept)})")
        _say_notes(words, restored)
        _report_kept(restored.kept)
        say(
            f"The state before it is checkpoint {restored.safety.short_id}; "
            f"to go back to it: {_reverse(args, words)}"
        )
    if restored.complete:
        return Exit.DONE
    _complain_of(restored.failed)
    return Exit.IN_PART


def _report_kept(kept: Iterable[PlannedPath]) -> None:
    for line in kept_lines(kept):
        say(line, "" if line.startswith(" ") else "yellow")


def kept_lines(kept: Iterable[PlannedPath], most: int = KEPT_LISTED) -> Iterator[str]:
    """Yield the kept paths, each reason on a line of its own with ``most`` paths below."""
    by_reason: dict[str, list[str]] = {}
    for step in kept:
        by_reason.setdefault(step.reason, []).append(step.path)
    for reason, paths in by_reason.items():
        yield f"Kept ({reason}):"
        for path in paths[:most]:
            yield f"  {path}"
        if len(paths) > most:
            yield f"  … and {len(paths) - most} more"


def _complain_of(failed: Sequence[FailedPath]) -> None:
    for one in sorted(failed, key=lambda one: one.error):
        complain(f"not restored: {one.path}: {one.error}")
    complain(f"{counted(len(failed), 'path')} could not be restored")


def command(args: argparse.Namespace, *words: str) -> str:
    """Return a command that people can type from anywhere, for the home of this one."""
    home = home_of(args)
    verb, *rest = words
    return f"{PROGRAM} {typed([verb, *(['--home', str(home)] if home else []), *rest])}"


def listing(args: argparse.Namespace, what: Target) -> str:
    """Return which command lists what the next checkpoint would leave out."""
    where = named_for_reverse(what, args)
    return f"{command(args, 'coverage', *([str(where)] if where else []))} shows which"


def _reverse(args: argparse.Namespace, words: Words) -> str:
    """Return the command that takes this back, from where this one was started."""
    return command(args, words.reverse, *([str(words.where)] if words.where else []))
