"""Take, change, restore exactly, undo: what most tests of capturing do."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from capture.oracle import State, check_restored, check_skipped
from hermes_checkpoints.checkpoints import Checkpoints
from hermes_checkpoints.model import (
    Action,
    Checkpoint,
    Mode,
    PlannedPath,
    Restored,
    SkipReason,
    Taken,
    TakeOutcome,
)


def taken(outcome: TakeOutcome) -> Checkpoint:
    """Return the checkpoint of a take that must have added one."""
    assert isinstance(outcome, Taken), outcome
    return outcome.checkpoint


def skipped(store: Checkpoints, checkpoint: Checkpoint) -> dict[str, SkipReason]:
    """Return what a checkpoint does not hold, and why, by path."""
    return {
        path.path: path.reason for path in store.project(checkpoint.working_dir).skipped(checkpoint)
    }


@contextmanager
def clock_ahead(seconds: float) -> Iterator[None]:
    """Let what is taken now look as old to the takes inside as it will be then."""
    now = time.time_ns
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(time, "time_ns", lambda: now() + int(seconds * 1e9))
        yield


def comes_back(store: Checkpoints, root: Path, change: Callable[[], object]) -> Restored:
    """Take, change, restore exactly and undo; compare everything with what was there."""
    cap = store.config.max_file_bytes
    then = State.of(root, cap)
    checkpoint = taken(store.project(root).take())
    check_skipped(then, skipped(store, checkpoint))
    change()
    now = State.of(root, cap)
    restored = store.project(root).restore(checkpoint.id, mode=Mode.EXACT)
    after = State.of(root, cap)
    assert restored.failed == ()
    check_skipped(now, skipped(store, restored.safety))
    check_restored(then, now, after)
    undone = store.project(root).restore(restored.safety.id, mode=Mode.EXACT)
    assert undone.failed == ()
    check_restored(now, after, State.of(root, cap))
    store.project(root).restore(checkpoint.id, mode=Mode.EXACT)
    return restored


def paths(steps: Iterable[PlannedPath], *actions: Action) -> set[str]:
    """Return the paths of the steps, of those with one of these actions if any are given."""
    return {step.path for step in steps if not actions or step.action in actions}


def write(root: Path, contents: dict[str, bytes | str]) -> None:
    """Write files with their parents."""
    for name, data in contents.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data.encode() if isinstance(data, str) else data)
