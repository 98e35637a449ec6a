"""Whose a restored file is, and to whom its set-id bits are given.

Root restores in projects of others here, so that these tests need to be root themselves.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from hermes_checkpoints import Checkpoints
from hermes_checkpoints.fs.writer import WITHOUT_POWERS
from hermes_checkpoints.model import Action, Mode
from support import OrdinaryUserLike

USER, OTHER = 65534, 65533

pytestmark = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files to others"
)


def owner(path: Path) -> tuple[int, int]:
    found = path.lstat()
    return found.st_uid, found.st_gid


def bits(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


@pytest.fixture
def theirs(project: Path) -> Path:
    """A project of an ordinary user, with files of set-id bits."""
    for name, mode in (("tool", 0o4755), ("group", 0o2755), ("plain", 0o755)):
        (project / name).write_text(f"{name} then\n")
        (project / name).chmod(mode)
    for path in [project, *project.rglob("*")]:
        os.lchown(path, USER, USER)
    for name, mode in (("tool", 0o4755), ("group", 0o2755)):
        (project / name).chmod(mode)  # a change of the owner takes these bits
    return project


@pytest.fixture
def checkpoints(home: Path) -> Iterator[Checkpoints]:
    with Checkpoints.open(home) as opened:
        yield opened


def test_what_root_restores_in_a_project_of_another_user_belongs_to_that_user(
    checkpoints: Checkpoints, theirs: Path
) -> None:
    (theirs / "deep" / "er").mkdir(parents=True)
    (theirs / "deep" / "er" / "f").write_text("then\n")
    (theirs / "link").symlink_to("plain")
    handle = checkpoints.project(theirs)
    handle.take(label="then")
    for path in (theirs / "deep" / "er" / "f", theirs / "link", theirs / "plain"):
        path.unlink()
    (theirs / "deep" / "er").rmdir()
    (theirs / "deep").rmdir()
    (theirs / "README.md").write_text("now\n")
    (theirs / "run.sh").write_text("now\n")
    os.chown(theirs / "run.sh", OTHER, OTHER)
    assert handle.restore("then", mode=Mode.EXACT).complete
    made = ("deep", "deep/er", "deep/er/f", "link", "plain", "README.md")
    assert {name: owner(theirs / name) for name in made} == dict.fromkeys(made, (USER, USER))
    assert owner(theirs / "run.sh") == (OTHER, OTHER)  # what is there keeps its owner


def test_set_id_bits_come_back_to_the_user_and_group_that_had_them(
    checkpoints: Checkpoints, theirs: Path
) -> None:
    handle = checkpoints.project(theirs)
    handle.take(label="then")
    (theirs / "tool").unlink()
    (theirs / "group").chmod(0o755)
    assert handle.restore("then", mode=Mode.EXACT).complete
    assert (owner(theirs / "tool"), bits(theirs / "tool")) == ((USER, USER), 0o4755)
    assert bits(theirs / "group") == 0o2755
    assert handle.undo().complete
    assert not (theirs / "tool").exists()
    assert bits(theirs / "group") == 0o755


def test_set_id_bits_are_not_given_to_who_did_not_have_them(
    checkpoints: Checkpoints, theirs: Path
) -> None:
    """The user's own files become root's; before, a restore made them powers of root."""
    handle = checkpoints.project(theirs)
    handle.take(label="then")
    for path in [theirs, *theirs.rglob("*")]:
        os.lchown(path, 0, 0)
    (theirs / "tool").unlink()
    (theirs / "group").write_text("now\n")
    plan = handle.plan_restore("then", mode=Mode.EXACT)
    steps = {step.path: step for step in plan.steps if step.path in ("tool", "group")}
    assert {path: step.mode for path, step in steps.items()} == dict.fromkeys(steps, 0o100755)
    assert all(step.reason.endswith(WITHOUT_POWERS) for step in steps.values())
    assert handle.restore("then", mode=Mode.EXACT, plan=plan).complete
    assert (owner(theirs / "tool"), bits(theirs / "tool")) == ((0, 0), 0o755)
    assert bits(theirs / "group") == 0o755
    again = handle.plan_restore("then", mode=Mode.EXACT)
    kept = {s.path: (s.action, s.reason) for s in again.steps}
    assert kept == dict.fromkeys(("group", "tool"), (Action.KEEP, WITHOUT_POWERS))
    assert handle.undo().complete
    assert not (theirs / "tool").exists()
    assert (theirs / "group").read_text() == "now\n"


def test_a_user_gets_the_own_set_id_bits_back_and_none_of_another(
    as_user: OrdinaryUserLike,
) -> None:
    project = as_user.tmp / "project"
    home = as_user.tmp / "home"

    def take() -> None:
        project.mkdir()
        for name in ("own", "others"):
            (project / name).write_text("then\n")
            (project / name).chmod(0o4755)

    as_user(take)
    os.chown(project / "others", OTHER, OTHER)
    (project / "others").chmod(0o4755)

    def restore() -> list[tuple[str, int]]:
        with Checkpoints.open(home) as checkpoints:
            handle = checkpoints.project(project)
            handle.take(label="then")
            for name in ("own", "others"):
                (project / name).unlink()
            assert handle.restore("then", mode=Mode.EXACT).complete
        return [(name, bits(project / name)) for name in ("own", "others")]

    assert as_user(restore) == [("own", 0o4755), ("others", 0o755)]


def test_the_bits_of_a_checkpoint_that_names_no_owner_are_not_given(
    checkpoints: Checkpoints, theirs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As earlier programs took them."""
    handle = checkpoints.project(theirs)
    with monkeypatch.context() as patch:
        patch.setattr("hermes_checkpoints.fs.inspect.SET_ID", 0)
        handle.take(label="then")
    (theirs / "tool").write_text("now\n")
    assert handle.restore("then", mode=Mode.EXACT).complete
    assert bits(theirs / "tool") == 0o755
    assert bits(theirs / "group") == 0o2755  # nothing of it differs
