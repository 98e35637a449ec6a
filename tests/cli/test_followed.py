"""Whose changes followed a checkpoint: the words of ``log`` and ``browse``."""

from __future__ import annotations

import pytest

from hermes_checkpoints.cli.followed import colour_of, hands_after, word_of
from hermes_checkpoints.model import Actor, Whose

AGENT, PERSON, RESTORE, UNKNOWN = Actor.AGENT, Actor.PERSON, Actor.RESTORE, Actor.UNKNOWN


@pytest.mark.parametrize(
    ("hands", "word"),
    [
        ({AGENT}, "agent"),
        ({PERSON, AGENT}, "agent+you"),
        ({RESTORE}, "restore"),
        ({RESTORE, PERSON}, "you"),
        ({UNKNOWN}, "unknown"),
        ({UNKNOWN, PERSON, AGENT}, "agent+you+?"),
        ({UNKNOWN, RESTORE}, "restore+?"),
        ((), ""),
        (None, "?"),
    ],
)
def test_each_has_one_word(hands: set[Actor] | None, word: str) -> None:
    assert word_of(hands) == word
    assert bool(colour_of(word)) == bool(word)


def test_what_changed_and_no_look_saw_is_nobodys_that_is_known() -> None:
    nobody = Whose(frozenset(), 0)
    assert hands_after(nobody, None) == hands_after(nobody, 0) == frozenset()
    assert hands_after(nobody, 2) == frozenset({UNKNOWN})
    assert hands_after(Whose(frozenset({AGENT}), 1), 2) == frozenset({AGENT})
    assert hands_after(None, 2) is None
