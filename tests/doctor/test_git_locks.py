"""Lock files of a dead git are found, and those of a living one are left alone."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from doctor.patients import kinds, look, mended
from hermes_checkpoints import Checkpoints
from hermes_checkpoints.doctor.checks import git_locks
from hermes_checkpoints.fs.locks import shared
from hermes_checkpoints.layout import Layout
from hermes_checkpoints.model import Taken

PLACES = (
    "config.lock",
    "packed-refs.lock",
    "packed-refs.new",
    "HEAD.lock",
    "shallow.lock",
    "gc.pid",
    "indexes/0123456789abcdef.lock",
    "refs/checkpoints/0123456789abcdef/one.lock",
    "info/attributes.lock",
)


def leave(store: Path, name: str, seconds: float) -> None:
    """Leave a lock file that is so many seconds old."""
    path = store / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("what git had written")
    os.utime(path, (time.time() - seconds,) * 2)


@pytest.mark.campaign(beyond=2)
@pytest.mark.parametrize("name", PLACES)
def test_a_lock_file_of_a_dead_git_is_found_wherever_it_lies(
    sound: Path, store: Path, name: str
) -> None:
    leave(store, name, 120)
    (found,) = look(git_locks.check, sound)
    assert (found.kind, found.where) == ("stale-git-lock", f"store/{name}")
    assert found.repairs


def test_one_that_was_made_just_now_is_left_alone(sound: Path, store: Path) -> None:
    leave(store, "config.lock", 5)
    assert kinds(git_locks.check, sound) == []


def test_while_somebody_works_in_the_store_only_what_no_git_lives_as_long_as_is_told(
    sound: Path, store: Path
) -> None:
    leave(store, "packed-refs.lock", 1200)
    leave(store, "config.lock", 4000)
    with shared(Layout.of(sound).store_lock):
        (found,) = look(git_locks.check, sound)
    assert found.where == "store/config.lock"
    assert len(kinds(git_locks.check, sound)) == 2


def test_mending_moves_it_aside_and_takes_go_on(sound: Path, store: Path, project: Path) -> None:
    leave(store, "packed-refs.lock", 120)
    (done,) = mended(git_locks.check, git_locks.mend, sound)
    assert done == ("store/packed-refs.lock was moved to store/quarantine-files/packed-refs.lock")
    assert (store / "quarantine-files/packed-refs.lock").read_text() == "what git had written"
    assert kinds(git_locks.check, sound) == []
    (project / "README.md").write_text("changed")
    with Checkpoints.open(sound) as checkpoints:
        assert isinstance(checkpoints.project(project).take(), Taken)


def test_a_base_without_a_store_has_none(home: Path) -> None:
    assert kinds(git_locks.check, home, catalog=False) == []
