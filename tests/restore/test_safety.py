"""When a restore adds a safety checkpoint, and how long such a one is kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_checkpoints import Checkpoints, Config, Kind, Moment, Project, Taken


def take(project: Project, text: str, kind: Kind = Kind.MANUAL) -> str:
    (project.working_dir / "README.md").write_text(text)
    taken = project.take(kind=kind)
    assert isinstance(taken, Taken)
    return taken.checkpoint.id


def safety_ids(project: Project) -> list[str]:
    return [one.checkpoint.id for one in project.safety_checkpoints()]


@pytest.mark.campaign
def test_ten_pairs_of_restore_and_undo_of_two_states_add_one_checkpoint(
    home: Path, project: Path
) -> None:
    with Checkpoints.open(home, config=Config(max_snapshots=2)) as checkpoints:
        own = checkpoints.project(project)
        first = take(own, "first\n")
        (project / "README.md").write_text("second\n")
        for _ in range(10):
            restored = own.restore(first, mode="exact")
            assert (project / "README.md").read_text() == "first\n"
            back = own.undo()
            assert (project / "README.md").read_text() == "second\n"
            assert [restored.safety.id] == safety_ids(own)
            assert back.safety.id == first
        assert [one.id for one in own.list()] == [first]


def test_a_safety_checkpoint_of_a_state_that_is_there_is_that_checkpoint(
    home: Path, project: Path
) -> None:
    with Checkpoints.open(home) as checkpoints:
        own = checkpoints.project(project)
        first, second, third = (take(own, f"{n}\n") for n in (1, 2, 3))
        own.restore(first, mode="exact")  # of the state of the third
        own.restore(second, mode="exact")  # of the state of the first
        assert safety_ids(own) == []
        assert [own.undo().checkpoint.id, own.undo().checkpoint.id] == [first, third]
        assert (project / "README.md").read_text() == "3\n"
        assert own.redo().complete
        assert (project / "README.md").read_text() == "1\n"


def test_what_the_last_restore_is_taken_back_with_outlives_the_limit(
    home: Path, project: Path
) -> None:
    with Checkpoints.open(home, config=Config(max_snapshots=2)) as checkpoints:
        own = checkpoints.project(project)
        first, second = take(own, "1\n", Kind.AUTO), take(own, "2\n", Kind.AUTO)
        own.restore(first, mode="exact")
        own.restore(second, mode="exact")  # what it replaces is the first one
        for text in ("3\n", "4\n", "5\n"):
            take(own, text, Kind.AUTO)
        assert len(own.list()) == 2
        assert own.undo(exact=True).checkpoint.id == first
        assert (project / "README.md").read_text() == "1\n"


def test_a_damaged_checkpoint_of_the_state_is_no_safety(home: Path, project: Path) -> None:
    with Checkpoints.open(home) as checkpoints:
        own = checkpoints.project(project)
        first, second = take(own, "1\n"), take(own, "2\n")
        own.restore(first, mode="exact")
        take(own, "3\n")
        (project / "README.md").write_text("2\n")
        objects = home / "checkpoints/store/objects"
        (objects / second[:2] / second[2:]).unlink()
        restored = own.restore(first, mode="exact")
        assert restored.safety.kind is Kind.SAFETY
        own.undo()
        assert (project / "README.md").read_text() == "2\n"


def test_a_moment_of_the_conversation_has_a_safety_checkpoint_of_its_own(
    home: Path, project: Path
) -> None:
    with Checkpoints.open(home) as checkpoints:
        own = checkpoints.project(project)
        first, second = take(own, "1\n", Kind.AUTO), take(own, "2\n", Kind.AUTO)
        then, later = Moment("s1", 3, 12), Moment("s1", 4, 16)
        safety = own.restore(first, mode="exact", moment=then).safety
        assert (safety.kind, safety.message_count) == (Kind.SAFETY, 12)
        own.restore(second, mode="exact", moment=Moment("s1", 1, 4))
        assert own.restore(first, mode="exact", moment=then).safety == safety
        own.restore(second, mode="exact")
        other = own.restore(first, mode="exact", moment=later).safety
        assert (other.id != safety.id, other.message_count) == (True, 16)
        own.restore(second, mode="exact")
        assert own.restore(first, mode="exact").safety.id == second, "no conversation goes along"


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("most", [0, 3])
def test_safety_checkpoints_have_a_limit_of_their_own(home: Path, project: Path, most: int) -> None:
    config = Config(max_snapshots=2, max_safety_snapshots=most)
    with Checkpoints.open(home, config=config) as checkpoints:
        own = checkpoints.project(project)
        first, second = take(own, "1\n"), take(own, "2\n")
        made = []
        for number in range(5):
            (project / "README.md").write_text(f"edit {number}\n")
            made.append(own.restore(first, mode="exact").safety.id)
        assert safety_ids(own) == made[::-1][: most or None]
        assert [one.id for one in own.list()] == [second, first]
        own.undo()
        assert (project / "README.md").read_text() == "edit 4\n"
