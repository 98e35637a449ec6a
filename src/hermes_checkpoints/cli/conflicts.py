"""``restore --merge``: where the agent's changes and others touch, somebody says for each file
whether it is written with both between markers. Unasked it stays as it is."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from hermes_checkpoints.cli.asking import one_of
from hermes_checkpoints.cli.output import complain, ellipsis, on_a_terminal, say
from hermes_checkpoints.cli.text import counted
from hermes_checkpoints.model import RestorePlan

_ANSWERS = {
    "y": "write the file with both versions of these places, between markers, for you to settle",
    "n": "leave the file as it is",
    "v": "show these places as they would be written",
}
_AROUND = 3
"""Lines that are shown before and after a conflict."""


def settle(plan: RestorePlan, args: argparse.Namespace) -> RestorePlan | None:
    """Ask about each file with conflicts, and return the plan with those that are to be written;
    None where somebody leaves, so that nothing is to be done. Without a terminal, or where nobody
    is to be asked, none is written."""
    if args.force or args.dry_run or not on_a_terminal():
        return plan
    chosen = plan
    try:
        for path, conflict in plan.conflicts.items():
            where = counted(conflict.places, "conflict")
            question = f"{path}: {where} with what the agent changed. Write it with markers"
            while (answer := one_of(question, _ANSWERS)) == "v":
                _show(conflict.contents.decode("utf-8", "surrogateescape").split("\n"))
            if answer is None:
                return None
            if answer == "y":
                reason = f"merged with {where}, between markers"
                chosen = chosen.writing(path, conflict.contents, reason, mode=conflict.mode)
    except KeyboardInterrupt:
        return None
    return chosen


def _show(lines: Sequence[str]) -> None:
    """Print what stands between git's markers, and some lines around."""
    near: set[int] = set()
    begun: int | None = None
    for at, line in enumerate(lines):
        if line.startswith("<<<<<<< "):
            begun = at
        elif line.startswith(">>>>>>> ") and begun is not None:
            near.update(range(begun - _AROUND, at + _AROUND + 1))
            begun = None
    before = -1
    for at in sorted(near & set(range(len(lines)))):
        if at > before + 1:
            say(ellipsis(), "dim")
        before = at
        is_marker = lines[at].startswith(("<<<<<<< ", ">>>>>>> ")) or lines[at] == "======="
        say(lines[at].removesuffix("\r"), "cyan" if is_marker else "")


def complain_of(plan: RestorePlan) -> None:
    """Name on stderr the files that stay since nobody has settled their conflicts."""
    for path, conflict in plan.conflicts.items():
        complain(
            f"not merged: {path}: {counted(conflict.places, 'conflict')} with what the agent "
            "changed; it is left as it is"
        )


def aborted() -> None:
    """Say that somebody has left."""
    say("Aborted: nothing was changed.")
