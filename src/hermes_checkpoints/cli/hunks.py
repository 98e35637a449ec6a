"""``restore --patch``: each part in which a file differs is shown and asked about, as by
``git checkout -p``. What is chosen is one restore, with its safety checkpoint and its undo.

What has no parts is asked about as a whole: what is missing now or then, is no text, or a link.
"""

from __future__ import annotations

import argparse
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from hermes_checkpoints.cli import plans
from hermes_checkpoints.cli.asking import beside_questions, one_of, say_aborted
from hermes_checkpoints.cli.exits import Exit
from hermes_checkpoints.cli.json.restores import of_restore_plan
from hermes_checkpoints.cli.output import complain, document, patch, say
from hermes_checkpoints.cli.target import Target
from hermes_checkpoints.cli.text import counted, size
from hermes_checkpoints.errors import CheckpointError
from hermes_checkpoints.model import Action, FileParts, Part, PlannedPath, Restored, RestorePlan
from hermes_checkpoints.model.paths import folders_above, parents

_WHOLE = {
    "y": "yes, do this",
    "n": "no, leave it as it is",
    "q": "leave this and all that follows as they are, and restore what was chosen",
    "a": "yes to this and to all that follows in this file",
    "d": "no to this and to all that follows in this file",
}
_SPLIT = {"s": "split this part into smaller ones"}


class _Quit(Exception):
    """Whoever is asked wants no more questions."""


@dataclass
class _Choice:
    """What was chosen so far, and what could not be asked about."""

    plan: RestorePlan
    paths: list[str] = field(default_factory=list)
    failed: int = 0
    asked: int = 0
    unanswered: bool = False


def worded(plan: RestorePlan, words: plans.Words) -> plans.Words:
    """Return the words of a restore of what somebody chooses."""
    checkpoint = plan.checkpoint
    return replace(
        words,
        heading=f"What differs in {plan.working_dir} from checkpoint {checkpoint.short_id}: "
        f"{checkpoint.reason}",
        done=f"Restored what was chosen from checkpoint {checkpoint.short_id}: {checkpoint.reason}",
    )


def run(args: argparse.Namespace, what: Target, plan: RestorePlan, words: plans.Words) -> int:
    """Ask about each part of a plan that was made to choose from, restore what was chosen, and
    report it."""
    units = list(_units(plan))
    if args.dry_run:
        _show(args, what, plan, words, units)
        return Exit.DONE
    if not units:
        return plans.carry_out(plan, args, words, lambda: _restore(what, plan))
    choice = _Choice(plan)
    try:
        with beside_questions():
            _say_heading(words)
            _ask_all(what, choice, units)
    except _Quit:
        pass
    except KeyboardInterrupt:
        say_aborted("Aborted: nothing was changed.")
        return Exit.NO
    if choice.unanswered:
        complain("nobody answered the rest, which stays as it is")
    if not choice.paths:
        say_aborted("Nothing was chosen: nothing was changed.")
        return Exit.ERROR if choice.failed else Exit.NO
    chosen = choice.plan.only(choice.paths)
    code = plans.carry_out_unasked(args, words, lambda: _restore(what, chosen))
    return Exit.IN_PART if code == Exit.DONE and choice.failed else code


def _restore(what: Target, plan: RestorePlan) -> Restored:
    return what.project.restore(plan.checkpoint, plan=plan)


def _units(plan: RestorePlan) -> Iterator[PlannedPath]:
    """Yield the steps that are asked about, by path. What comes with another step is not: a
    directory that is made for a file or becomes empty, and what stands in the way."""
    touching = {s.path: s for s in plan.steps if s.action is not Action.KEEP}
    coming = {path for path, s in touching.items() if s.action in (Action.WRITE, Action.MKDIR)}
    going = {path for path, s in touching.items() if s.action is Action.DELETE}
    needed, emptied = folders_above(coming), folders_above(going)
    for path, step in sorted(touching.items()):
        if step.action is Action.MKDIR and path in needed:
            continue
        if step.action is Action.DELETE and (
            path in needed
            or any(parent in coming for parent in parents(path))
            or (not step.is_file and path in emptied)
        ):
            continue
        yield step


def _ask_all(what: Target, choice: _Choice, units: Sequence[PlannedPath]) -> None:
    for number, step in enumerate(units, 1):
        _say_path(choice.plan, step, number, len(units))
        try:
            parts = what.project.parts_of(choice.plan, step.path)
        except CheckpointError as error:
            choice.failed += 1
            complain(f"{error}; it is left as it is")
            continue
        if parts is None:
            _ask_whole(choice, step)
        else:
            _ask_parts(choice, step, parts)


def _answer(choice: _Choice, question: str, answers: dict[str, str]) -> str:
    """Ask; the end of the input leaves the rest.

    Raises:
        _Quit.
    """
    word = one_of(question, answers)
    choice.unanswered = word is None
    if word is None or word == "q":
        raise _Quit
    choice.asked += 1
    return word


def _ask_whole(choice: _Choice, step: PlannedPath) -> None:
    if _answer(choice, _question(step), _WHOLE) in ("y", "a"):
        choice.paths.append(step.path)


def _question(step: PlannedPath) -> str:
    kind = "directory" if not step.is_file else "link" if stat.S_ISLNK(step.mode or 0) else "file"
    about = f" ({size(step.bytes)})" if step.bytes is not None else ""
    if step.action is Action.DELETE:
        return f"Delete this {kind}{about if kind == 'file' else ''}"
    if step.action is Action.MKDIR:
        return "Make this directory"
    if step.action is Action.CHMOD:
        return _of_permissions(step)
    whole = "" if step.old_mode is None else " as a whole"
    return f"Bring this {kind} back{whole}{about if kind == 'file' else ''}"


def _of_permissions(step: PlannedPath) -> str:
    now = "" if step.old_mode is None else f" from {stat.S_IMODE(step.old_mode):03o}"
    return f"Change the permissions{now} to {stat.S_IMODE(step.mode or 0):03o}"


def _ask_parts(choice: _Choice, step: PlannedPath, parts: FileParts) -> None:
    """Ask about the permissions of a file, if they differ, and about each part of it. What was
    chosen before somebody quits counts."""
    chosen: list[Part] = []
    bits = step.mode != step.old_mode
    state = {"bits": False}
    try:
        following: str | None = None
        if bits:
            answer = _answer(choice, _of_permissions(step), _WHOLE)
            state["bits"] = answer in ("y", "a")
            following = answer if answer in ("a", "d") else None
        _ask_groups(choice, parts, chosen, following)
    finally:
        _take(choice, step, parts, chosen, bits=not bits or state["bits"], differ=bits)


def _ask_groups(
    choice: _Choice, parts: FileParts, chosen: list[Part], following: str | None
) -> None:
    groups, at = parts.together(), 0
    while at < len(groups):
        group = groups[at]
        if following is None:
            _say_group(parts, group)
            answers = {**_WHOLE, **(_SPLIT if len(group) > 1 else {})}
            question = f"({at + 1} of {len(groups)}) {_this(parts, group)}"
            answer = _answer(choice, question, answers)
            if answer == "s":
                groups[at : at + 1] = [(part,) for part in group]
                say(f"Split into {len(group)} parts.")
                continue
            following = answer if answer in ("a", "d") else None
        else:
            answer = following
        if answer in ("y", "a"):
            chosen += group
        at += 1


def _this(parts: FileParts, group: Sequence[Part]) -> str:
    """Return what would be done with a group of parts: whose change is taken back, where that is
    known."""
    if not parts.agents and not parts.others:
        return "Bring this part back"
    if parts.agents.issuperset(group):
        return "Take back the agent's change"
    if parts.others.issuperset(group):
        return "Take back your change"
    return "Take back the agent's and your change"


def _take(
    choice: _Choice,
    step: PlannedPath,
    parts: FileParts,
    chosen: Sequence[Part],
    *,
    bits: bool,
    differ: bool,
) -> None:
    """Put what was chosen of a file into the plan: all of it, some, or nothing. ``bits`` says
    that it gets the permissions of the checkpoint, ``differ`` whether these are others."""
    if not chosen and not (differ and bits):
        return
    choice.paths.append(step.path)
    if len(chosen) == len(parts.parts) and bits:
        return
    some = f"{len(chosen)} of {counted(len(parts.parts), 'part')} chosen"
    mode = step.mode if bits and differ else None
    choice.plan = choice.plan.writing(step.path, parts.taking(chosen), some, mode=mode)


def _show(
    args: argparse.Namespace,
    what: Target,
    plan: RestorePlan,
    words: plans.Words,
    units: Sequence[PlannedPath],
) -> None:
    """Print all that would be asked about."""
    if args.json:
        found = ((step, what.project.parts_of(plan, step.path)) for step in units)
        document(of_restore_plan(plan, words.left_out, found))
        return
    if not units:
        say(words.nothing)
        return
    _say_heading(words)
    for number, step in enumerate(units, 1):
        _say_path(plan, step, number, len(units))
        parts = what.project.parts_of(plan, step.path)
        if parts is None:
            say(_question(step))
            continue
        if step.mode != step.old_mode:
            say(_of_permissions(step))
        groups = parts.together()
        for at, group in enumerate(groups, 1):
            say(f"({at} of {len(groups)}) {_this(parts, group)}")
            _say_group(parts, group)


def _say_heading(words: plans.Words) -> None:
    say(words.heading)
    for note in words.notes:
        say(note)


def _say_path(plan: RestorePlan, step: PlannedPath, number: int, of: int) -> None:
    """Print which path comes next, why it differs, and what has to go so that it can come back."""
    say()
    say(f"{step.path}  ({step.reason})  [{number} of {of}]")
    if step.action in (Action.WRITE, Action.MKDIR):
        for one in plan.only([step.path]).steps:
            if one.action is Action.DELETE:
                say(f"{one.path} is in its way, and would be deleted")


def _say_group(parts: FileParts, group: Sequence[Part]) -> None:
    patch(parts.shown(group).decode("utf-8", "surrogateescape"))
