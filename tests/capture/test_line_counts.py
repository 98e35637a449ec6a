"""Line counts are a decoration: no take and no restore waits for them or fails with them."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from conftest import GitProcesses
from hermes_checkpoints import Checkpoints
from hermes_checkpoints.model import Checkpoint, Mode, Taken, TakeOutcome
from hermes_checkpoints.object_store.line_counts import MOST_BYTES


def taken(outcome: TakeOutcome) -> Checkpoint:
    assert isinstance(outcome, Taken), outcome
    return outcome.checkpoint


def counts(store: Checkpoints, checkpoint: Checkpoint) -> dict[str, tuple[int | None, int | None]]:
    changes = store.project(checkpoint.working_dir).changes(checkpoint)
    return {c.path: (c.insertions, c.deletions) for c in changes}


def repeating(size: int) -> str:
    """Return a text of short lines that repeat, which takes git longest to compare."""
    return os.urandom(size // 3).hex("\n")


@pytest.mark.campaign
def test_a_large_text_that_is_rewritten_costs_no_more_than_its_hashing(
    store: Checkpoints, tree: Path
) -> None:
    (tree / "large.csv").write_text(repeating(9_500_000))
    (tree / "small").write_text("one\ntwo\n")
    first = taken(store.project(tree).take())
    (tree / "large.csv").write_text(repeating(9_500_000))
    (tree / "small").write_text("one\nthree\nfour\n")
    started = time.monotonic()
    second = taken(store.project(tree).take())
    assert counts(store, second) == {"large.csv": (None, None), "small": (2, 1)}
    assert (second.insertions, second.deletions, second.is_first) == (2, 1, False)
    plan = store.project(tree).plan_restore(first, mode=Mode.EXACT)
    assert {s.path: s.insertions for s in plan.steps} == {"large.csv": None, "small": 1}
    assert store.project(tree).restore(first, "small").complete
    assert store.project(tree).restore(first, mode=Mode.EXACT).complete
    assert (tree / "small").read_text() == "one\ntwo\n"
    assert time.monotonic() - started < 30, "it took four minutes when lines were counted"


def slow_to_compare(tree: Path) -> None:
    for number in range(40):
        (tree / f"text{number}").write_text(repeating(MOST_BYTES))


@pytest.mark.campaign
def test_a_count_that_takes_too_long_loses_nothing(store: Checkpoints, tree: Path) -> None:
    slow_to_compare(tree)
    first = taken(store.project(tree).take())
    slow_to_compare(tree)
    (tree / "small").write_text("new\n")
    second = taken(store.project(tree).take())
    assert second._previous_row == first._row
    found = counts(store, second)
    assert len(found) == 41
    assert set(found.values()) == {(None, None)}
    restored = store.project(tree).restore(first, mode=Mode.EXACT)
    assert restored.complete
    assert not (tree / "small").exists()


def test_contents_that_cannot_be_counted_lose_no_predecessor(
    home: Path, store: Checkpoints, tree: Path
) -> None:
    (tree / "file").write_text("one\n")
    first = taken(store.project(tree).take())
    (change,) = store.project(tree).changes(first)
    assert change.new_blob is not None
    objects = home / "checkpoints/store/objects"
    (objects / change.new_blob[:2] / change.new_blob[2:]).unlink()
    (tree / "file").write_text("two\n")
    second = taken(store.project(tree).take())
    assert second._previous_row == first._row
    assert counts(store, second) == {"file": (None, None)}


def test_lines_cost_no_process_of_their_own_where_no_content_is_large(
    store: Checkpoints, tree: Path, git_processes: GitProcesses
) -> None:
    def compared() -> int:
        return sum("diff-tree" in command for command in git_processes.commands())

    (tree / "file").write_text("one\n")
    store.project(tree).take()
    (tree / "file").write_text("two\n")
    git_processes.reset()
    second = taken(store.project(tree).take())
    assert (counts(store, second), compared()) == ({"file": (1, 1)}, 1)
    (tree / "file").write_text("three\n")
    (tree / "large").write_text("x" * (MOST_BYTES + 1))
    git_processes.reset()
    third = taken(store.project(tree).take())
    assert (counts(store, third), compared()) == ({"file": (1, 1), "large": (None, None)}, 1)
    (tree / "large").write_text("now it is small\n")
    git_processes.reset()
    fourth = taken(store.project(tree).take())
    assert (counts(store, fourth), compared()) == ({"large": (None, None)}, 1)


def test_many_paths_are_counted_by_a_process_of_their_own_which_may_fail(
    store: Checkpoints, tree: Path, git_processes: GitProcesses
) -> None:
    for number in range(220):
        (tree / f"file{number}").write_text("one\ntwo\n")
    store.project(tree).take()
    for number in range(220):
        (tree / f"file{number}").unlink()
    git_processes.reset()
    second = taken(store.project(tree).take())
    assert (second.insertions, second.deletions) == (0, 440)
    assert sum("diff-tree" in command for command in git_processes.commands()) == 2


@pytest.mark.campaign
def test_of_many_megabytes_the_first_are_counted_and_of_large_texts_none(
    store: Checkpoints, tree: Path
) -> None:
    def write(text: str) -> None:
        for number in range(100, 200):
            (tree / f"many{number}").write_text(f"{text}{number}\n" * (200_000 // len(text)))
            (tree / f"text{number}").write_text(f"{text}{number}\n" * (MOST_BYTES // len(text)))

    write("one")
    store.project(tree).take()
    write("other")
    found = counts(store, taken(store.project(tree).take()))
    assert {found[f"text{number}"] for number in range(100, 200)} == {(None, None)}
    many = [found[f"many{number}"] for number in range(100, 200)]
    counted = [lines for lines in many if lines != (None, None)]
    assert len(counted) < 50
    assert many == [*counted, *[(None, None)] * (100 - len(counted))]
    assert not counted or counted[0] == (40_000, 66_666)
