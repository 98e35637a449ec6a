"""Every history in docs/attribution.md has the answer that stands beside it."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from attribution.histories import History, runs_unless
from hermes_checkpoints import Checkpoints
from hermes_checkpoints.attribution import observing, turns

PAGE = Path(__file__).parents[2] / "docs" / "attribution.md"
ROWS = re.findall(r"^\| (.+?) \| ((?:\w (?:back|stays)(?:, )?)+) \| .+ \|$", PAGE.read_text(), re.M)


def test_the_table_is_there() -> None:
    assert len(ROWS) > 30


@pytest.mark.campaign(beyond=3)
@pytest.mark.parametrize(("words", "answer"), ROWS, ids=[words for words, _ in ROWS])
def test_the_answer_of_a_history(
    home: Path, project: Path, monkeypatch: pytest.MonkeyPatch, words: str, answer: str
) -> None:
    dead: set[str] = set()
    for module in (observing, turns):
        monkeypatch.setattr(module, "still_runs", runs_unless(dead))
    history = History(Checkpoints.open(home), project, dead)
    rest = words.removeprefix("by hand: ")
    first = history.begin(by_hand=rest != words)
    before = history.now()
    history.play(rest)
    reached = history.now()
    planned = history.project.plan_restore(first, session_id=history.scope)
    restored = history.project.restore(first, session_id=history.scope)
    done = {*restored.done, *restored.kept}  # only a plan that is shown counts lines
    assert {replace(step, insertions=None, deletions=None) for step in planned.steps} == done
    after = history.now()
    found = {
        path: "back" if after[path] == before[path] else "stays"
        for path, _ in (part.split() for part in answer.split(", "))
    }
    assert found == dict(part.split() for part in answer.split(", "))
    for path, word in found.items():
        if word == "stays":
            assert after[path] == reached[path]
    history.base.close()
