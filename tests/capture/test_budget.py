"""The bytes that one take may add: what is left out, what stays out, and what comes in again."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from capture.roundtrip import paths, skipped, taken, write
from capture.trees import git
from hermes_checkpoints.checkpoints import Checkpoints
from hermes_checkpoints.config import Config
from hermes_checkpoints.fs.handles import Spot
from hermes_checkpoints.fs.stamp import content_id
from hermes_checkpoints.model import MB, Mode, SkipReason, Unchanged

OVER = SkipReason.OVER_BUDGET


def random(path: Path, megabytes: float) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(os.urandom(int(megabytes * MB)))


@pytest.fixture
def small(home: Path) -> Iterator[Checkpoints]:
    with Checkpoints.open(home, config=Config(max_take_mb=3)) as checkpoints:
        yield checkpoints


def store_bytes(home: Path) -> int:
    objects = home / "checkpoints" / "store" / "objects"
    return sum(file.stat().st_size for file in objects.rglob("*") if file.is_file())


def test_the_largest_files_are_left_out_until_the_rest_fits(
    small: Checkpoints, home: Path, tree: Path
) -> None:
    for name, megabytes in (("a", 2.5), ("b", 2), ("c", 1), ("d", 0.5)):
        random(tree / name, megabytes)
    coverage = small.project(tree).coverage()
    assert [(s.path, s.reason, s.bytes) for s in coverage.skipped] == [
        ("a", OVER, int(2.5 * MB)),
        ("b", OVER, 2 * MB),
    ]
    checkpoint = taken(small.project(tree).take())
    assert skipped(small, checkpoint) == {"a": OVER, "b": OVER}
    assert (checkpoint.file_count, checkpoint.complete) == (2, False)
    assert store_bytes(home) < 2 * MB


def test_what_was_left_out_stays_out_so_that_takes_do_not_creep_up(
    small: Checkpoints, home: Path, tree: Path
) -> None:
    for number in range(8):
        random(tree / "data" / f"{number}.bin", 1)
    first = taken(small.project(tree).take())
    assert len(skipped(small, first)) == 5
    size = store_bytes(home)
    assert small.project(tree).take() == Unchanged(first)
    write(tree, {"notes": "new\n"})
    second = taken(small.project(tree).take())
    assert skipped(small, second) == skipped(small, first)
    assert store_bytes(home) < size + 64 * 1024


def test_what_was_left_out_comes_in_when_all_fits(small: Checkpoints, tree: Path) -> None:
    for number in range(6):
        random(tree / f"{number}", 1)
    first = taken(small.project(tree).take())
    out = sorted(skipped(small, first))
    assert len(out) == 3
    random(tree / "more", 1)  # four would be left out: too many, and so none comes in
    second = taken(small.project(tree).take())
    assert sorted(skipped(small, second)) == out
    (tree / out[0]).unlink()
    third = taken(small.project(tree).take())
    assert third.complete
    assert third.file_count == 6


@pytest.mark.campaign
def test_what_was_left_out_comes_in_when_the_limit_is_raised(home: Path, tree: Path) -> None:
    for number in range(6):
        random(tree / f"{number}", 1)

    def left_out(limit: int) -> int:
        with Checkpoints.open(home, config=Config(max_take_mb=limit)) as store:
            return len(store.project(tree).coverage().skipped)

    def take(limit: int) -> int:
        with Checkpoints.open(home, config=Config(max_take_mb=limit)) as store:
            return store.project(tree).take().checkpoint.skipped_count  # type: ignore[union-attr]

    assert take(1) == 5
    assert [left_out(1), left_out(2), left_out(0)] == [5, 3, 0]
    assert take(2) == 3
    assert take(1) == 3
    assert take(2) == 3, "a limit that was in force before is not a raised one"
    assert take(0) == 0


@pytest.mark.campaign
def test_contents_that_the_store_has_cost_nothing(small: Checkpoints, tree: Path) -> None:
    for number in range(3):
        random(tree / f"{number}", 1)
    first = taken(small.project(tree).take())
    assert first.complete
    kept = tree.parent / "kept"
    shutil.copytree(tree, kept)
    for number in range(3):
        random(tree / f"{number}", 1)
    taken(small.project(tree).take())
    for number in range(3):  # as a switch of a branch does: 3 MB come back, and 1.5 MB are new
        shutil.copyfile(kept / f"{number}", tree / f"{number}")
    random(tree / "new", 1.5)
    back = taken(small.project(tree).take())
    assert back.complete
    for number in range(3):
        os.utime(tree / f"{number}", (1, 1))
    random(tree / "newer", 2.5)
    assert taken(small.project(tree).take()).complete


def test_a_first_take_over_the_budget_reads_nothing_to_find_out(
    small: Checkpoints, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []

    def watched(spot: Spot) -> str:
        read.append(spot.name)
        return content_id(spot)

    monkeypatch.setattr("hermes_checkpoints.object_store.budget.content_id", watched)
    for number in range(6):
        random(tree / f"{number}", 1)
    taken(small.project(tree).take())
    assert read == []
    write(tree, {"small": "x"})
    taken(small.project(tree).take())
    assert read == ["small"], "what stays out is not read again"


def test_files_that_the_project_tracks_are_left_out_last(small: Checkpoints, tree: Path) -> None:
    git(tree, "init", "-q")
    for name in ("a", "b", "c", "d"):
        random(tree / name, 1 if name != "d" else 0.5)
    git(tree, "add", "a", "b", "c")
    project = small.project(tree)
    told = [one.path for one in project.coverage().skipped]
    assert told == ["d"]
    assert [one.path for one in project.skipped(taken(project.take()))] == ["d"]


def test_of_tracked_files_the_largest_is_left_out(small: Checkpoints, tree: Path) -> None:
    git(tree, "init", "-q")
    for number, size in enumerate((1, 1.5, 1, 1)):
        random(tree / str(number), size)
    git(tree, "add", ".")
    project = small.project(tree)
    assert [one.path for one in project.skipped(taken(project.take()))] == ["1"]


@pytest.mark.campaign
def test_an_older_content_does_not_stand_for_a_file_that_is_left_out(
    small: Checkpoints, tree: Path
) -> None:
    write(tree, {"grown": "small\n", "other": "x\n"})
    first = taken(small.project(tree).take())
    random(tree / "grown", 4)
    content = (tree / "grown").read_bytes()
    second = taken(small.project(tree).take())
    assert skipped(small, second) == {"grown": OVER}
    assert not small.project(tree).holds(second, "grown")
    # To the one that lacks it: it is not deleted, since nobody knows that it was made since.
    write(tree, {"other": "y\n"})
    small.project(tree).restore(second, mode=Mode.EXACT)
    assert (tree / "grown").read_bytes() == content
    # To the one that holds it: it comes back, and the safety checkpoint has what was there.
    restored = small.project(tree).restore(first, mode=Mode.OVERLAY)
    assert "grown" in paths(restored.done)
    assert (tree / "grown").read_text() == "small\n"
    assert small.project(tree).read_file(restored.safety, "grown") == content
    small.project(tree).undo()
    assert (tree / "grown").read_bytes() == content


def test_a_file_that_is_left_out_hides_no_file_that_a_rule_ignores(
    small: Checkpoints, tree: Path
) -> None:
    write(tree, {".gitignore": "*.tmp\n", "folder/file": "x\n"})
    random(tree / "folder" / "large", 4)
    taken(small.project(tree).take())
    write(tree, {"folder/one.tmp": "x"})
    coverage = small.project(tree).coverage()
    assert coverage.ignored == ("folder/one.tmp",)
    assert [s.path for s in coverage.skipped] == ["folder/large"]


def test_where_the_store_was_damaged_the_budget_holds_as_well(
    small: Checkpoints, home: Path, tree: Path
) -> None:
    for number in range(6):
        random(tree / f"{number}", 1)
    first = taken(small.project(tree).take())
    held = sorted(set(map(str, range(6))) - skipped(small, first).keys())
    objects = home / "checkpoints" / "store" / "objects"
    victim = max((p for p in objects.rglob("*") if p.is_file()), key=lambda p: p.stat().st_size)
    victim.chmod(0o600)
    victim.write_bytes(b"")
    random(tree / held[0], 0.5)
    os.utime(tree / held[1])
    os.utime(tree / held[2])
    second = taken(small.project(tree).take())
    assert 0 < len(skipped(small, second)) <= 3


def test_half_of_the_cap_is_the_budget_unless_there_is_no_cap() -> None:
    assert Config().max_take_bytes == 250 * MB
    assert Config(max_total_size_mb=0).max_take_bytes is None
    assert Config(max_take_mb=0).max_take_bytes is None
    assert Config(max_total_size_mb=0, max_take_mb=7).max_take_bytes == 7 * MB
