"""``Project.timeline``: the checkpoints in their order, what followed each, and who did it."""

from __future__ import annotations

from pathlib import Path

import pytest

from conftest import Statements
from hermes_checkpoints import (
    Actor,
    BadRequest,
    Checkpoints,
    Config,
    Kind,
    Project,
    ProjectUnknown,
    PruneOptions,
    Taken,
)


def take(project: Project, **contents: str) -> str:
    """Write files, and take a checkpoint; return its id."""
    for name, text in contents.items():
        (project.working_dir / f"{name}.txt").write_text(text)
    outcome = project.take(" ".join(contents))
    assert isinstance(outcome, Taken)
    return outcome.checkpoint.id


@pytest.fixture
def checkpoints(home: Path) -> Checkpoints:
    return Checkpoints.open(home, config=Config(max_snapshots=0))


def test_each_entry_says_what_followed_it_and_who_did_that(
    checkpoints: Checkpoints, project: Path, statements: Statements
) -> None:
    with checkpoints:
        of = checkpoints.project(project)
        assert of.timeline() == []
        with pytest.raises(ProjectUnknown):
            of.who_between()
        take(of, one="1")
        of.take(kind=Kind.AUTO, session_id="s", turn=1, title="Do it")
        (project / "two.txt").write_text("2")
        of.end_turn(session_id="s")
        (project / "three.txt").write_text("3")
        take(of, four="4")
        of.restore("2", mode="exact")
        entries = of.timeline()
        assert [entry.number for entry in entries] == [1, 2]
        newest, first = entries[0], entries[-1]
        assert (newest.until, newest.files) == (None, None)
        assert first.checkpoint.turn_title == "Do it" and first.files == 3
        assert first.whose and first.whose.hands == {Actor.PERSON, Actor.AGENT}
        assert newest.whose and newest.whose.hands == {Actor.RESTORE}
        assert {entry.checkpoint.id: entry.whose for entry in entries} == of.whose()

        events = of.who_between(first.checkpoint, first.until)
        assert {event.path for event in events} == {"two.txt", "three.txt", "four.txt"}
        assert {event.actor for event in of.who_between(newest.checkpoint)} == {Actor.RESTORE}

        statements.reset()
        of.timeline()
        few = len(statements.executed)
        for number in range(3):
            take(of, more=str(number))
        statements.reset()
        assert len(of.timeline()) > len(entries)
        assert len(statements.executed) == few


def test_a_limit_is_of_the_newest_and_numbers_stay(checkpoints: Checkpoints, project: Path) -> None:
    with checkpoints:
        of = checkpoints.project(project)
        for number in range(4):
            take(of, one=str(number))
        every = of.timeline()
        assert [entry.number for entry in every] == [1, 2, 3, 4]
        assert of.timeline(limit=2) == every[:2]
        assert of.timeline(limit=0) == []
        with pytest.raises(BadRequest):
            of.timeline(limit=-1)


def test_a_part_of_a_path_finds_what_changed_until_the_next_one(
    checkpoints: Checkpoints, project: Path
) -> None:
    with checkpoints:
        of = checkpoints.project(project)
        ids = [take(of, **{name: "x"}) for name in ("first", "Second", "third", "fourth")]
        found = [entry.checkpoint.id for entry in of.timeline(touching="SECOND.t")]
        assert found == [ids[3], ids[0]]  # nobody has looked what follows the newest
        assert [entry.number for entry in of.timeline(touching="second")] == [1, 4]
        assert [entry.checkpoint.id for entry in of.timeline(touching="th", limit=2)] == [
            ids[3],
            ids[2],
        ]
        of.drop(ids[1])
        gone = of.timeline(touching="second")[1]
        assert gone.checkpoint.id == ids[0] and gone.files is None
        assert gone.until and gone.until.id == ids[2]
        assert {change.path for change in of.diff(ids[0], ids[2]).changes} == {
            "Second.txt",
            "third.txt",
        }
        of.drop(ids[2], options=PruneOptions(reclaim=False))
        for part in ("second", "third", "fourth"):
            assert [entry.checkpoint.id for entry in of.timeline(touching=part)] == [ids[3], ids[0]]
        take(of, fifth="x")
        assert [entry.number for entry in of.timeline(touching="fourth")] == [1, 3]
        assert [entry.number for entry in of.timeline(touching="first")] == [1], "none is before it"


def test_a_part_of_a_path_finds_every_checkpoint_after_which_it_changed(
    checkpoints: Checkpoints, project: Path
) -> None:
    with checkpoints:
        of = checkpoints.project(project)
        for name, text in (("cart", "1"), ("tax", "1"), ("cart", "2"), ("tax", "2"), ("cart", "3")):
            take(of, **{name: text})
        assert [entry.number for entry in of.timeline(touching="cart")] == [1, 2, 4]
        assert [entry.number for entry in of.timeline(touching="tax")] == [1, 3, 5]


def test_what_is_beside_a_partial_one_is_not_on_record(home: Path, project: Path) -> None:
    with Checkpoints.open(home) as checkpoints:
        take(checkpoints.project(project), one="1")
    with Checkpoints.open(home, config=Config(max_files=2)) as checkpoints:
        of = checkpoints.project(project)
        (project / "one.txt").write_text("2")
        assert isinstance(of.take(about="one.txt"), Taken)
        partial, first = of.timeline()
        assert partial.checkpoint.partial and first.until == partial.checkpoint
        assert first.files is None
