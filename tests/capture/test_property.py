"""Random trees of everything that a disk can hold: taken, changed, restored, undone.

HYPOTHESIS_EXAMPLES=N tries N new ones; HYPOTHESIS_SEED repeats those of a printed seed.
"""

from __future__ import annotations

import itertools
import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, assume, given, note, seed, settings
from hypothesis import strategies as st

from capture.edits import CAP, Edit, edits, trees
from capture.oracle import RESCUED, State, check_restored, check_skipped, parents
from capture.trees import Repositories, wipe
from hermes_checkpoints.checkpoints import Checkpoints
from hermes_checkpoints.config import Config
from hermes_checkpoints.layout import Layout
from hermes_checkpoints.model import MB, Checkpoint, Mode, Taken, Unchanged
from hermes_checkpoints.object_store import ObjectStore, directories, list_tree
from support import OrdinaryUserLike, examples

EXAMPLES = examples(20)
SEED = "random" if "HYPOTHESIS_EXAMPLES" in os.environ else "20261128"
PHASES = (Phase.generate, Phase.shrink)[: 1 if "HYPOTHESIS_NO_SHRINK" in os.environ else 2]
CONFIG = Config(max_file_size_mb=CAP // MB, include=(RESCUED,))


def roundtrips(folder: Path) -> None:
    """Draw examples below ``folder`` until their number is reached or one fails."""
    wanted = os.environ.get("HYPOTHESIS_SEED", SEED)
    chosen = random.SystemRandom().randrange(1 << 32) if wanted == "random" else int(wanted)
    print(f"HYPOTHESIS_SEED={chosen}, {EXAMPLES} examples")
    repositories = Repositories(folder / "repositories")
    store = Checkpoints.open(folder / "user" / ".hermes", config=CONFIG)
    numbers = itertools.count()

    @seed(chosen)
    @settings(
        max_examples=EXAMPLES,
        phases=PHASES,
        report_multiple_bugs=False,
        derandomize=False,
        database=None,
        deadline=None,
        print_blob=True,
        suppress_health_check=list(HealthCheck),
    )
    @given(trees, edits, st.one_of(st.just([]), edits), edits)
    def example(tree: list[Edit], early: list[Edit], between: list[Edit], late: list[Edit]) -> None:
        # A project of its own: what an earlier example was taken of must not count.
        root = folder / f"project-{next(numbers)}"
        root.mkdir()
        try:
            _roundtrip(store, root, repositories, (tree, early, between, late))
        finally:
            wipe(root)

    with store:
        example()


def _roundtrip(
    store: Checkpoints, root: Path, repositories: Repositories, phases: tuple[list[Edit], ...]
) -> None:
    """Take twice, so that the second take is one with a past, and restore the second."""
    tree, early, between, late = phases
    states: dict[str, State] = {}
    _apply(tree, root, repositories)
    _take(store, root, states)
    _apply(early, root, repositories)
    checkpoint = _take(store, root, states)
    if between:
        _apply(between, root, repositories)
        _take(store, root, states)
    _apply(late, root, repositories)
    now = State.of(root, CAP)
    assume(not now.doubtful)
    restored = store.project(root).restore(checkpoint.id, mode=Mode.EXACT)
    after = State.of(root, CAP)
    project = store.project(root)
    note(f"skipped then {project.skipped(checkpoint)}, now {project.skipped(restored.safety)}")
    note(f"kept {restored.kept}, done {restored.done}")
    assert restored.failed == ()
    check_skipped(
        now,
        {
            s.path: s.reason
            for s in store.project(restored.safety.working_dir).skipped(restored.safety)
        },
    )
    check_restored(states[checkpoint.id], now, after)
    undone = store.project(root).restore(restored.safety.id, mode=Mode.EXACT)
    note(f"undo kept {undone.kept}, done {undone.done}")
    assert undone.failed == ()
    before = states.get(restored.safety.id, now)
    check_restored(before, after, State.of(root, CAP))


def _apply(phase: list[Edit], root: Path, repositories: Repositories) -> None:
    for edit in phase:
        edit.apply(root, repositories)


def _take(store: Checkpoints, root: Path, states: dict[str, State]) -> Checkpoint:
    """Take; ``states`` has what each checkpoint was taken of, which the answer that nothing has
    changed since does not alter: entries that a rule ignores are no change."""
    state = State.of(root, CAP)
    assume(not state.doubtful)
    outcome = store.project(root).take()
    assert isinstance(outcome, Taken | Unchanged), outcome
    checkpoint = outcome.checkpoint
    skipped = {s.path: s.reason for s in store.project(checkpoint.working_dir).skipped(checkpoint)}
    check_skipped(state, skipped)
    assert checkpoint.complete == (not skipped)
    held = set(list_tree(ObjectStore(Layout.of(store.home)).git, checkpoint.tree_id))
    assert checkpoint.file_count == len(held)
    wanted = {p for p, s in state.entries.items() if state.captured(p) and not s.is_dir}
    # An unreadable path keeps the version captured last.
    earlier = {p for p in held if any("unreadable" in state.reasons.get(n, "") for n in up(p))}
    assert held - earlier == wanted
    assert isinstance(store.project(root).take(), Unchanged)
    states.setdefault(checkpoint.id, state)
    return checkpoint


def up(path: str) -> Iterator[str]:
    """Yield a path and the directories above it."""
    yield path
    yield from parents(path)


@pytest.mark.campaign
def test_whatever_is_taken_comes_back_and_can_be_undone(tmp_path: Path) -> None:
    roundtrips(tmp_path)


@pytest.mark.campaign
def test_what_the_times_of_directories_tell_is_all_that_is_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each change is old enough to be believed: a take lasts longer than a tick of the clock."""
    monkeypatch.setattr(directories, "COARSE_CLOCK_NS", 0)
    roundtrips(tmp_path)


@pytest.mark.campaign
def test_whatever_an_ordinary_user_takes_comes_back(user: OrdinaryUserLike) -> None:
    user(roundtrips, user.tmp)
