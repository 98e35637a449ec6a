"""What hooks tell of a history has the answer that docs/attribution.md gives for it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from attribution.test_table import ROWS
from hermes_checkpoints import Checkpoints
from hooks.agents import HookHistory

pytestmark = pytest.mark.slow

TOLD = {
    "B takes; A writes f; for A": "f back",
    "B takes; A writes f; B ends; A writes g; for A": "f back, g back",
    "A writes f; B takes; A is killed; you edit g": "f back, g stays",
}
"""An agent that tells of every tool leaves no doubt which of two sessions wrote something, nor that
you did while none ran."""

GAPS = {
    "A thinks; you edit f; A runs a tool that writes g": "f back, g back",
    "A runs a tool that writes f; you edit f": "f back",
    "A runs a tool that reports f; you edit f": "f back",
}
"""Of one that does not tell of every tool, all that changes in a turn is the agent's."""


def answer_of(history: HookHistory, words: str) -> dict[str, str]:
    rest = words.removeprefix("by hand: ")
    first = history.begin(by_hand=rest != words)
    before = history.now()
    history.play(rest)
    reached = history.now()
    history.project.restore(first, session_id=history.scope)
    after = history.now()
    found = {path: "back" if after[path] == before[path] else "stays" for path in before}
    for path, word in found.items():
        if word == "stays":
            assert after[path] == reached[path]
    return found


def _cases() -> Iterator[Any]:
    """Each row with each agent; those in which they differ run always, and the first one."""
    often = {"claude": {*TOLD, ROWS[0][0]}, "codex": {*GAPS}, "gemini": {ROWS[0][0]}}
    for agent, always in often.items():
        for words, answer in ROWS:
            marks = () if words in always else pytest.mark.campaign
            yield pytest.param(agent, words, answer, marks=marks, id=f"{agent}-{words}")


@pytest.mark.campaign(beyond=2)
@pytest.mark.parametrize(("agent", "words", "answer"), [*_cases()])
def test_a_history_that_hooks_tell_has_the_answer_of_the_table(
    home: Path, project: Path, agent: str, words: str, answer: str
) -> None:
    history = HookHistory(Checkpoints.open(home), project, agent=agent)
    expected = (GAPS if history.has_gaps else TOLD).get(words, answer)
    try:
        found = answer_of(history, words)
        wanted = dict(part.split() for part in expected.split(", "))
        assert {path: found[path] for path in wanted} == wanted
    finally:
        history.close()
