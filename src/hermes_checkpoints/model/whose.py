"""Whose changes followed each checkpoint, and how many files of an agent each would take back.

It is what the record of path events says (docs/attribution.md), for a whole list at once and
without a look at the files. The verdict of a restore, which looks, is that of ``attribution``.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from hermes_checkpoints.model.kinds import Actor


def hand_of(actor: Actor, session_id: str | None) -> Actor:
    """Return by whose hand a change is, for lists and verdicts: ``AGENT``, ``PERSON``, ``RESTORE``,
    or ``UNKNOWN`` where nobody can know. After a checkpoint that was taken by hand, and for no
    session, it is a person's.

    >>> from hermes_checkpoints.model.whose import hand_of
    >>> hand_of(Actor.SINCE, None).value, hand_of(Actor.SINCE, "session-1").value
    ('person', 'unknown')
    """
    if actor in (Actor.AGENT, Actor.PERSON, Actor.RESTORE):
        return actor
    return Actor.PERSON if actor is Actor.SINCE and session_id is None else Actor.UNKNOWN


@dataclass(frozen=True)
class SeenChange:
    """A change of a path, as far as it tells whose the changes since a checkpoint are: ``after`` is
    the row of the last checkpoint before the look that saw it, ``target`` that of the checkpoint
    which a restore brought back; the rest is as of ``PathEvent``."""

    path: str
    after: int
    target: int | None
    actor: Actor
    old_blob: str | None
    old_mode: int | None
    blob: str | None
    mode: int | None
    session_id: str | None = None


@dataclass(frozen=True)
class Whose:
    """Whose changes followed a checkpoint, and what restoring it would take back, as the looks saw
    it: takes, and the begins and ends of turns.

    ``hands`` have changed files after it, before the next live checkpoint: ``AGENT``, ``PERSON``,
    ``RESTORE``, and ``UNKNOWN`` where nobody can know. ``agents_files`` counts the files that are
    another now than in the checkpoint, by an agent's changes and nobody else's: a restore that
    keeps edits takes these back. What changed since the last look is not among them.

    >>> taken = project.take(kind="auto", session_id="session-1")
    >>> _ = Path("notes.txt").write_text("by the agent")
    >>> ended = project.end_turn(session_id="session-1")
    >>> project.whose()[taken.checkpoint.id].agents_files
    1
    """

    hands: frozenset[Actor]
    agents_files: int


MOST = 20_000
"""How many changes are looked at: a list is not to wait for a long record."""


def whose(changes: Sequence[SeenChange], rows: Iterable[int], most: int) -> dict[int, Whose]:
    """Return it for the rows of live checkpoints of a project. ``changes`` are those on record
    since the first of them, newest first; where they are more than ``most``, checkpoints that lie
    before some that were not looked at have no answer."""
    known = changes[most].after if len(changes) > most else _BEFORE_ALL
    ordered = sorted(row for row in rows if row > known)
    hands: list[set[Actor]] = [set() for _ in ordered]
    of_path: dict[str, list[SeenChange]] = {}
    for one in changes:
        of_path.setdefault(one.path, []).append(one)
        before = bisect_right(ordered, one.after)
        if before:
            hands[before - 1].add(hand_of(one.actor, one.session_id))
    steps = [0] * (len(ordered) + 1)
    for history in of_path.values():
        for above, until in _taken_back(history):
            steps[bisect_right(ordered, above)] += 1
            steps[bisect_right(ordered, until)] -= 1
    found, files = {}, 0
    for place, row in enumerate(ordered):
        files += steps[place]
        found[row] = Whose(frozenset(hands[place]), files)
    return found


def _taken_back(history: Sequence[SeenChange]) -> Iterator[tuple[int, int]]:
    """Yield between which rows checkpoints lie that take a path back: above the first, up to the
    second. ``history`` is that of the path, newest first.

    At each of them the path was what the first change after it found there. What made it what it is
    now are the changes since, but for those that a restore took out of it."""
    now = history[0].blob, history[0].mode
    by_agent, limit = False, None
    for one, older in zip_longest(history, history[1:]):
        if limit is None or one.after < limit:
            if one.actor not in (Actor.AGENT, Actor.RESTORE):
                return
            by_agent = by_agent or one.actor is Actor.AGENT
            limit = limit if one.target is None else one.target
        above = _BEFORE_ALL if older is None else older.after
        if by_agent and above != one.after and (one.old_blob, one.old_mode) != now:
            yield above, one.after


_BEFORE_ALL = -(1 << 62)
"""Below every row."""
