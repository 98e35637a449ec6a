"""Whose changes followed a checkpoint, in a word for lists and as values for programs."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from hermes_checkpoints.model.kinds import Actor

if TYPE_CHECKING:
    from hermes_checkpoints.model import PathEvent, Whose

NOT_READ = "?"
"""What stands for hands that are on record, and were not read since there is so much of it."""

_NAMES = {Actor.AGENT: "agent", Actor.PERSON: "you"}
_COLOURS = {"agent": "cyan", "you": "green", "restore": "dim", "unknown": "dim", NOT_READ: "dim"}


def hands_after(known: Whose | None, files: int | None) -> frozenset[Actor] | None:
    """Return by whose hand what followed a checkpoint is, None where that was not read. Where
    ``files`` changed, and no look saw who did it, nobody can know."""
    if known is None:
        return None
    return known.hands or frozenset({Actor.UNKNOWN} if files else ())


def hands_of(events: Iterable[PathEvent]) -> frozenset[Actor]:
    """Return by whose hand some events are."""
    from hermes_checkpoints.model.whose import hand_of

    return frozenset(hand_of(event.actor, event.session_id) for event in events)


def word_of(hands: Collection[Actor] | None) -> str:
    """Return it in a word: ``agent``, ``you`` or ``agent+you``, with ``+?`` where nobody can know
    of some; ``restore`` or ``unknown`` where it is nothing else, nothing for nobody, and ``?``
    where it was not read."""
    if hands is None:
        return NOT_READ
    names = [name for hand, name in _NAMES.items() if hand in hands]
    if not names and Actor.RESTORE in hands:
        names = ["restore"]
    if Actor.UNKNOWN in hands:
        names = [*names, NOT_READ] if names else ["unknown"]
    return "+".join(names)


def colour_of(word: str) -> str:
    """Return how such a word is drawn, in the words of rich."""
    return _COLOURS.get(word.removesuffix(f"+{NOT_READ}"), "magenta" if word else "")
