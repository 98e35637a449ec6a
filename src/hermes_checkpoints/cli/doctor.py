"""``doctor``: is everything as it must be, and may it be mended?

Nothing is opened first, because an opening mends what it meets, and then nobody would know of it.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

from hermes_checkpoints.cli.arguments import add_dry_run, add_force
from hermes_checkpoints.cli.asking import confirm
from hermes_checkpoints.cli.exits import Exit, refuse_silent_question
from hermes_checkpoints.cli.json.doctor import of_diagnosis
from hermes_checkpoints.cli.output import document, place, say
from hermes_checkpoints.cli.parser import Verbs
from hermes_checkpoints.cli.problem import NOT_LOOKED, Problem, tell
from hermes_checkpoints.cli.progress import progress
from hermes_checkpoints.cli.target import layout_of
from hermes_checkpoints.cli.text import counted
from hermes_checkpoints.errors import PROGRAM
from hermes_checkpoints.layout import Layout

if TYPE_CHECKING:
    from hermes_checkpoints.doctor.patient import Check
    from hermes_checkpoints.model import Diagnosis, Finding, Repaired

_MENDING = 8
"""About how many steps a repair has beside the look that follows it."""


def register(verbs: Verbs) -> None:
    """Add ``doctor``."""
    parser = verbs.add(
        "doctor",
        run,
        "Look whether everything is as it must be, and mend it with --repair",
        base=True,
    )
    parser.add_argument("--repair", action="store_true", help="mend what was found, after asking")
    parser.add_argument("--deep", action="store_true", help="read every object (takes longer)")
    add_dry_run(parser, "with --repair: say what would be mended, change nothing")
    add_force(parser, "with --repair: do not ask")


def run(args: argparse.Namespace) -> int:
    """Look, and say what was found; with ``--repair`` mend it, and say what is left."""
    if args.repair:
        refuse_silent_question(args, "repair", "what is wrong")
    layout = layout_of(args)
    found = _examine(layout, args)
    able = [one for one in found.findings if one.repairs]
    if not args.repair or args.dry_run or not able:
        if args.json:
            document(of_diagnosis(found, layout, deep=args.deep))
        else:
            _print(found, layout)
            if args.repair:
                _announce(able)
        return _end(found, args)
    if not args.json:
        _print(found, layout)
        _announce(able)
    if not args.force and not confirm("Proceed?"):
        return Exit.NO
    repaired = _repair(layout, found, args)
    if args.json:
        document(of_diagnosis(repaired.left, layout, deep=args.deep, done=repaired.done))
    else:
        _report(repaired, layout)
    return _end(repaired.left, args)


def _examine(layout: Layout, args: argparse.Namespace) -> Diagnosis:
    from hermes_checkpoints.doctor.look import CHECKS, OUTSIDE, examine

    more = _more()
    with progress(args, len(CHECKS) + len(OUTSIDE) + len(more)) as report:
        return examine(layout, deep=args.deep, progress=report, more=more)


def _repair(layout: Layout, found: Diagnosis, args: argparse.Namespace) -> Repaired:
    from hermes_checkpoints.doctor.look import CHECKS, OUTSIDE
    from hermes_checkpoints.doctor.repair import repair

    more = _more()
    try:
        with progress(args, _MENDING + len(CHECKS) + len(OUTSIDE) + len(more)) as report:
            return repair(layout, found, deep=args.deep, progress=report, more=more)
    except KeyboardInterrupt as stop:
        stop.add_note("interrupted: what was mended until then stays; `doctor` tells what is left")
        raise


def _more() -> tuple[tuple[str, Check], ...]:
    """Return the checks of what only the command line may know."""
    from hermes_checkpoints.compat import adopted
    from hermes_checkpoints.hooks import covered

    return (("adoption", adopted.check), ("agents", covered.check))


def _end(found: Diagnosis, args: argparse.Namespace) -> Exit:
    if found.faults:
        return Exit.NO
    if found.not_looked and args.json:
        told = "; ".join(f"{name}: {reason}" for name, reason in found.not_looked.items())
        tell(Problem(NOT_LOOKED, f"not looked at: {told}", Exit.ERROR), as_json=True)
    return Exit.ERROR if found.not_looked else Exit.DONE


# --- what is said -------------------------------------------------------------------------------


def _print(found: Diagnosis, layout: Layout) -> None:
    say(f"Checkpoint base: {place(layout.named)}")
    for check, findings in _by_check(found):
        say()
        say(f"{check}:")
        for one in findings:
            say(f"  {'note ' if one.note else 'FAULT'}  {one.kind}  {one.where}")
            say(f"         {one.text}")
            say(f"         -> {one.remedy}")
    if found.not_looked:
        say()
        say("Not looked at:")
        for name, reason in found.not_looked.items():
            say(f"  {name}: {reason}")
    say()
    say(_summary(found))


def _by_check(found: Diagnosis) -> Iterator[tuple[str, list[Finding]]]:
    """Yield the findings of each check, those with faults first, and faults before notes."""
    checks = dict.fromkeys(one.check for one in sorted(found.findings, key=lambda one: one.note))
    for check in checks:
        of_it = [one for one in found.findings if one.check == check]
        yield check, sorted(of_it, key=lambda one: one.note)


def _summary(found: Diagnosis) -> str:
    faults, notes = len(found.faults), len(found.findings) - len(found.faults)
    told = counted(faults, "fault") if faults else "No fault"
    text = f"{told}, {counted(notes, 'note')}; {counted(len(found.looked), 'check')} made"
    if found.not_looked:
        text += f", {len(found.not_looked)} could not be made"
    able = sum(one.repairs for one in found.faults)
    if able:
        text += f". `{PROGRAM} doctor --repair` mends {able} of the faults"
    return f"{text}."


def _announce(able: list[Finding]) -> None:
    say()
    if not able:
        say("There is nothing that --repair mends.")
        return
    say(f"To be mended: {counted(len(able), 'finding')}")
    for one in able:
        say(f"  {one.kind}  {one.where}")
    say("What is swapped is kept aside; nothing is deleted.")


def _report(repaired: Repaired, layout: Layout) -> None:
    say()
    say("Done:" if repaired.done else "Nothing was done.")
    for line in repaired.done:
        say(f"  {line}")
    say()
    say("What is left:")
    _print(repaired.left, layout)
