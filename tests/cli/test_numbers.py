"""What list numbers and ``latest`` mean beside safety checkpoints."""

from __future__ import annotations

from pathlib import Path

import pytest

from support import Run


@pytest.fixture
def app(run: Run, taken: Path) -> Path:
    """A file with three states, of which the last is not taken."""
    app = taken / "src/app.py"
    app.write_text("x = 1\n", encoding="utf-8")
    run("take", "-m", "second")
    app.write_text("x = 2\n", encoding="utf-8")
    return app


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("reference", ["1", "2", "latest"])
def test_a_restore_started_twice_leaves_the_state_of_its_checkpoint(
    run: Run, app: Path, reference: str
) -> None:
    wanted = run("cat", reference, "src/app.py").out
    for _ in range(2):
        run("restore", reference, "--mode", "exact", "-f")
        assert app.read_text(encoding="utf-8") == wanted


@pytest.mark.campaign
def test_numbers_and_latest_never_mean_a_safety_checkpoint(run: Run, app: Path) -> None:
    before = run("log", "--json").json["checkpoints"]
    run("restore", "2", "--mode", "exact", "-f")
    after = run("log", "--json").json["checkpoints"]
    numbered = [one for one in after if one["number"] is not None]
    assert [(one["number"], one["id"]) for one in numbered] == [
        (one["number"], one["id"]) for one in before
    ]
    (safety,) = (one for one in after if one["number"] is None)
    assert safety["kind"] == "safety"
    assert safety["safety_of"] | {"started_at": None} == {
        "role": "restore",
        "checkpoint": before[1]["id"],
        "started_at": None,
    }
    assert all(one["safety_of"] is None for one in numbered)
    assert run("show", "latest", "--json").json["id"] == before[0]["id"]
    assert "no number 3" in run("show", "3", code=2).err
    assert run("show", safety["short_id"], "--json").json["id"] == safety["id"]
    assert app.read_text(encoding="utf-8") != "x = 2\n"
    run("undo", "-f")
    assert app.read_text(encoding="utf-8") == "x = 2\n"


def test_the_number_0_is_refused_without_a_wrong_count(run: Run, app: Path) -> None:
    for verb in ("show", "pin", "drop"):
        assert "there is no number 0: 1 is the newest" in run(verb, "0", code=2).err


@pytest.mark.campaign
def test_a_safety_checkpoint_stands_below_what_was_restored(run: Run, app: Path) -> None:
    run("restore", "2", "--mode", "exact", "-f")
    lines = run("log").lines[2:]
    assert [line[:5] for line in lines] == ["  1. ", "  2. ", "     "]
    assert "pre-rollback" in lines[2]
    assert lines[2].endswith("[safety]")
    app.write_text("x = 3\n", encoding="utf-8")
    run("undo", "--exact", "-f")  # to a safety checkpoint: its own stands with that one
    assert [line[:5] for line in run("log").lines[2:]] == ["  1. ", "  2. ", "     ", "     "]
    assert len(run("log", "-n", "1").lines[2:]) == 1, "those of number 2 are not listed"
    flat = [line[:5] for line in run("log", "--flat").lines[2:]]
    assert flat == ["     ", "     ", "  1. ", "  2. "], "in the order in which they were taken"
    assert len(run("log", "--flat", "-n", "3").lines[2:]) == 3


@pytest.mark.campaign
def test_a_take_after_an_undo_has_a_number(run: Run, app: Path) -> None:
    """The state is that of a safety checkpoint, and who takes it wants to find it again."""
    run("restore", "2", "--mode", "exact", "-f")
    run("undo", "-f")
    taken = run("take", "-m", "mine", "--json").json
    assert taken["outcome"] == "taken"
    assert run("show", "1", "--json").json["id"] == taken["checkpoint"]["id"]


@pytest.mark.campaign
def test_where_only_safety_checkpoints_are_left_they_are_named_by_id(run: Run, app: Path) -> None:
    run("restore", "2", "--mode", "exact", "-f")
    run("drop", "1", "2", "-f")
    error = run("restore", "1", "-f", code=2).err
    assert "safety checkpoints only" in error
    assert len(run("log").lines[2:]) == 1
    (safety,) = run("log", "--json").json["checkpoints"]
    run("restore", safety["id"], "--mode", "exact", "-f")
    assert app.read_text(encoding="utf-8") == "x = 2\n"
