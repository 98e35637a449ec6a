"""``restore --patch``: each part in which a file differs is shown and asked about, as by
``git checkout -p``. What is chosen is one restore, with its safety checkpoint and its undo.

What has no parts is asked about as a whole: what is missing now or then, is no text, or a link.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass

from hermes_checkpoints.cli import plans
from hermes_checkpoints.cli.asking import beside_questions, one_of, say_aborted
from hermes_checkpoints.cli.choosing import (
    Choice,
    differ_in_bits,
    in_the_way_of,
    part_of,
    permissions_of,
    question_of,
    units_of,
)
from hermes_checkpoints.cli.exits import Exit
from hermes_checkpoints.cli.json.restores import of_restore_plan
from hermes_checkpoints.cli.output import complain, document, patch, say
from hermes_checkpoints.cli.target import Target
from hermes_checkpoints.errors import CheckpointError
from hermes_checkpoints.model import FileParts, Part, PlannedPath, Restored, RestorePlan

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
class _Asked(Choice):
    """What was chosen, and what could not be asked about."""

    failed: int = 0
    unanswered: bool = False


def run(args: argparse.Namespace, what: Target, plan: RestorePlan, words: plans.Words) -> int:
    """Ask about each part of a plan that was made to choose from, restore what was chosen, and
    report it."""
    units = list(units_of(plan))
    if args.dry_run:
        _show(args, what, plan, words, units)
        return Exit.DONE
    if not units:
        return plans.carry_out(plan, args, words, lambda: _restore(what, plan))
    choice = _Asked(plan)
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
    chosen = choice.chosen()
    code = plans.carry_out_unasked(args, words, lambda: _restore(what, chosen))
    return Exit.IN_PART if code == Exit.DONE and choice.failed else code


def _restore(what: Target, plan: RestorePlan) -> Restored:
    return what.project.restore(plan.checkpoint, plan=plan)


def _ask_all(what: Target, choice: _Asked, units: Sequence[PlannedPath]) -> None:
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


def _answer(choice: _Asked, question: str, answers: dict[str, str]) -> str:
    """Ask; the end of the input leaves the rest.

    Raises:
        _Quit.
    """
    word = one_of(question, answers)
    choice.unanswered = word is None
    if word is None or word == "q":
        raise _Quit
    return word


def _ask_whole(choice: _Asked, step: PlannedPath) -> None:
    if _answer(choice, question_of(step), _WHOLE) in ("y", "a"):
        choice.take_whole(step)


def _ask_parts(choice: _Asked, step: PlannedPath, parts: FileParts) -> None:
    """Ask about the permissions of a file, if they differ, and about each part of it. What was
    chosen before somebody quits counts."""
    chosen: list[Part] = []
    bits = differ_in_bits(step)
    state = {"bits": False}
    try:
        following: str | None = None
        if bits:
            answer = _answer(choice, permissions_of(step), _WHOLE)
            state["bits"] = answer in ("y", "a")
            following = answer if answer in ("a", "d") else None
        _ask_groups(choice, parts, chosen, following)
    finally:
        choice.take(step, parts, chosen, bits=state["bits"])


def _ask_groups(
    choice: _Asked, parts: FileParts, chosen: list[Part], following: str | None
) -> None:
    groups, at = parts.together(), 0
    while at < len(groups):
        group = groups[at]
        if following is None:
            _say_group(parts, group)
            answers = {**_WHOLE, **(_SPLIT if len(group) > 1 else {})}
            question = f"({at + 1} of {len(groups)}) {part_of(parts, group)}"
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
            say(question_of(step))
            continue
        if differ_in_bits(step):
            say(permissions_of(step))
        groups = parts.together()
        for at, group in enumerate(groups, 1):
            say(f"({at} of {len(groups)}) {part_of(parts, group)}")
            _say_group(parts, group)


def _say_heading(words: plans.Words) -> None:
    say(words.heading)
    for note in words.notes:
        say(note)


def _say_path(plan: RestorePlan, step: PlannedPath, number: int, of: int) -> None:
    """Print which path comes next, why it differs, and what has to go so that it can come back."""
    say()
    say(f"{step.path}  ({step.reason})  [{number} of {of}]")
    for path in in_the_way_of(plan, step):
        say(f"{path} is in its way, and would be deleted")


def _say_group(parts: FileParts, group: Sequence[Part]) -> None:
    patch(parts.shown(group).decode("utf-8", "surrogateescape"))
