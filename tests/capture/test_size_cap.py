"""Files over the cap are neither read nor stored, at any take, and are never touched."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from capture.oracle import State, check_restored
from capture.roundtrip import paths, skipped, taken, write
from capture.trees import wipe
from hermes_checkpoints.checkpoints import Checkpoints
from hermes_checkpoints.config import Config
from hermes_checkpoints.model import MB, Mode, SkipReason, Unchanged
from support import OrdinaryUserLike

HUGE = 1 << 40
"""A sparse terabyte: reading it would take many minutes, and a cap that fails would be seen."""


def sized(path: Path, size: int) -> None:
    with path.open("ab") as file:
        file.truncate(size)


def test_exactly_at_the_cap_is_stored_and_one_byte_more_is_not(home: Path, tree: Path) -> None:
    with Checkpoints.open(home, config=Config(max_file_size_mb=1)) as store:
        sized(tree / "at", MB)
        sized(tree / "over", MB + 1)
        checkpoint = taken(store.project(tree).take())
        assert [
            (s.path, s.reason, s.bytes)
            for s in store.project(checkpoint.working_dir).skipped(checkpoint)
        ] == [("over", SkipReason.OVERSIZE, MB + 1)]
        assert checkpoint.file_count == 1
        assert checkpoint.logical_bytes == MB


def test_oversize_files_are_not_read_at_any_take(store: Checkpoints, tree: Path) -> None:
    write(tree, {"file": "one\n"})
    sized(tree / "huge", HUGE)
    first = taken(store.project(tree).take())
    assert skipped(store, first) == {"huge": SkipReason.OVERSIZE}
    assert isinstance(store.project(tree).take(), Unchanged)
    sized(tree / "huge", HUGE + 5)
    assert isinstance(store.project(tree).take(), Unchanged)  # a log that grows is no change
    write(tree, {"file": "two\n"})
    assert skipped(store, taken(store.project(tree).take())) == {"huge": SkipReason.OVERSIZE}
    assert store.project(tree).diff(first.id).skipped
    restored = store.project(tree).restore(first.id, mode=Mode.EXACT)
    assert paths(restored.done) == {"file"}
    assert (tree / "huge").stat().st_size == HUGE + 5


def test_a_tracked_file_that_grows_past_the_cap_keeps_its_last_small_version(
    store: Checkpoints, tree: Path
) -> None:
    write(tree, {"log": "small\n", "file": "f\n"})
    first = taken(store.project(tree).take())
    sized(tree / "log", HUGE)
    second = taken(store.project(tree).take())
    assert skipped(store, second) == {"log": SkipReason.OVERSIZE}
    assert second.file_count == 1
    then, now = State.of(tree, 10 * MB), State.of(tree, 10 * MB)
    restored = store.project(tree).restore(first.id, mode=Mode.EXACT)
    assert {step.path: step.reason for step in restored.kept} == {"log": "not captured: oversize"}
    check_restored(then, now, State.of(tree, 10 * MB))
    (tree / "log").unlink()
    store.project(tree).restore(first.id, mode=Mode.OVERLAY)
    assert (tree / "log").read_text() == "small\n"
    # Small again: the checkpoint that skipped it does not delete it.
    restored = store.project(tree).restore(second.id, mode=Mode.EXACT)
    assert (tree / "log").read_text() == "small\n"
    assert {step.path for step in restored.kept} == {"log"}


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("size", [10 * MB + 1, 40 * MB])
def test_a_cap_of_zero_means_none(home: Path, tree: Path, size: int) -> None:
    with Checkpoints.open(home, config=Config(max_file_size_mb=0)) as store:
        sized(tree / "large", size)
        checkpoint = taken(store.project(tree).take())
        assert checkpoint.complete
        os.truncate(tree / "large", 3)
        store.project(tree).restore(checkpoint.id, mode=Mode.OVERLAY)
        assert (tree / "large").stat().st_size == size


def test_another_cap_holds_from_the_next_take_on(home: Path, tree: Path) -> None:
    sized(tree / "large", 3 * MB)
    for cap, held in ((2, 0), (4, 1), (2, 0), (0, 1)):
        with Checkpoints.open(home, config=Config(max_file_size_mb=cap)) as store:
            checkpoint = taken(store.project(tree).take())
            assert checkpoint.file_count == held, cap
            assert checkpoint.complete == bool(held)


# --- closed to an ordinary user, too ---------------------------------------------------------


def _small(path: Path) -> None:
    write(path.parent, {path.name: "small\n"})


def _large(path: Path) -> None:
    sized(path, HUGE)


def _close(path: Path) -> None:
    path.chmod(0)


CLOSED_AND_LARGE: dict[str, tuple[Callable[[Path], None], ...]] = {
    "was never there": (wipe,),
    "was small": (_small,),
    "was small and closed": (_small, _close),
    "was large": (_large,),
    "was large and closed": (_large, _close),
    "was a directory": (lambda path: write(path, {"file": "f\n"}),),
    "was in a closed directory": (_large, lambda path: _close(path.parent)),
}


def _closed_and_large(tmp: Path, before: str) -> None:
    tree, path = tmp / "tree", tmp / "tree/sub/log"
    write(tree, {"file": "one\n", "sub/file": "one\n"})
    with Checkpoints.open(tmp / "user/.hermes") as store:
        for step in CLOSED_AND_LARGE[before]:
            step(path)
        taken(store.project(tree).take())
        path.parent.chmod(0o755)
        if path.is_file():
            path.chmod(0o644)
        else:
            wipe(path)
        sized(path, HUGE)
        path.chmod(0)
        write(tree, {"file": "two\n"})
        then = State.of(tree, 10 * MB)
        checkpoint = taken(store.project(tree).take())
        assert [
            (s.path, s.reason, s.bytes)
            for s in store.project(checkpoint.working_dir).skipped(checkpoint)
        ] == [("sub/log", SkipReason.OVERSIZE, HUGE)]
        assert checkpoint.file_count == 2
        assert isinstance(store.project(tree).take(), Unchanged)
        write(tree, {"file": "three\n"})
        now = State.of(tree, 10 * MB)
        restored = store.project(tree).restore(checkpoint.id, mode=Mode.EXACT)
        assert paths(restored.done) == {"file"}
        check_restored(then, now, State.of(tree, 10 * MB))


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("before", CLOSED_AND_LARGE)
def test_a_file_over_the_cap_is_oversize_whether_or_not_it_can_be_read(
    user: OrdinaryUserLike, before: str
) -> None:
    user(_closed_and_large, user.tmp, before)


def _closed_under_other_caps(tmp: Path) -> None:
    tree, path = tmp / "tree", tmp / "tree/large"
    write(tree, {"file": "f\n"})
    sized(path, 3 * MB)

    def take(cap: int) -> tuple[int, dict[str, SkipReason]]:
        with Checkpoints.open(tmp / "user/.hermes", config=Config(max_file_size_mb=cap)) as store:
            checkpoint = taken(store.project(tree).take())
            return checkpoint.file_count, skipped(store, checkpoint)

    assert take(0) == (2, {})
    path.chmod(0)
    assert take(0) == (2, {"large": SkipReason.UNREADABLE})  # as it was captured last
    assert take(2) == (1, {"large": SkipReason.OVERSIZE})
    assert take(4) == (1, {"large": SkipReason.UNREADABLE})
    assert take(2) == (1, {"large": SkipReason.OVERSIZE})
    assert take(0) == (1, {"large": SkipReason.UNREADABLE})
    path.chmod(0o644)
    assert take(0) == (2, {})


@pytest.mark.campaign
def test_a_closed_file_that_no_cap_leaves_out_is_unreadable(user: OrdinaryUserLike) -> None:
    user(_closed_under_other_caps, user.tmp)
