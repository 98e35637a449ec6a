"""Root leaves nothing of its own in the base of another user, who could not work there any more."""

from __future__ import annotations

import contextlib
import io
import os
from pathlib import Path

import pytest

from hermes_checkpoints import BaseUnwritable, Checkpoints, Failed, Taken
from hermes_checkpoints.agent.manager import CheckpointManager
from hermes_checkpoints.agent.session_store import CheckpointStore
from hermes_checkpoints.cli.program import main
from support import OrdinaryUserLike, make_project

pytestmark = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root is refused this"
)


def lying(folder: Path) -> dict[str, tuple[int, ...]]:
    """Owner, mode, size and times of everything in a folder."""
    found: dict[str, tuple[int, ...]] = {}
    for path in [folder, *sorted(folder.rglob("*"))]:
        at = path.lstat()
        facts = at.st_uid, at.st_gid, at.st_mode, at.st_size, at.st_mtime_ns
        found[str(path)] = facts
    return found


def require_as_before(home: Path, before: dict[str, tuple[int, ...]]) -> None:
    """Everything is as it was. SQLite makes files to share a catalog with its writer, which
    have the owner of the catalog, also where root reads it."""
    after = lying(home)
    base = home / "checkpoints"
    shared = {str(base / f"catalog.db-{name}") for name in ("shm", "wal")}
    assert {path: after[path][0] for path in shared & after.keys() - before.keys()} == (
        dict.fromkeys(shared & after.keys() - before.keys(), before[str(base)][0])
    )
    same = before.keys() - {str(base)}
    assert {path: after[path] for path in same} == {path: before[path] for path in same}
    assert after.keys() - before.keys() <= shared


@pytest.fixture
def theirs(as_user: OrdinaryUserLike) -> OrdinaryUserLike:
    """A user with a base and a project that differs from its checkpoint."""

    def take() -> None:
        make_project(as_user.tmp / "project")
        with Checkpoints.open(as_user.tmp / "home") as checkpoints:
            checkpoints.project(as_user.tmp / "project").take(label="then")
        (as_user.tmp / "project" / "README.md").write_text("now\n")

    as_user(take)
    return as_user


def call(home: Path, *words: str) -> tuple[int, str]:
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        code = main(["--home", str(home), *words])
    return code, said.getvalue()


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("verb", ["take", "restore", "pin", "prune", "clear"])
def test_root_is_refused_to_write_in_the_base_of_another_user(
    theirs: OrdinaryUserLike, verb: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, project = theirs.tmp / "home", theirs.tmp / "project"
    monkeypatch.chdir(project)
    before = lying(home)
    words = {"restore": ["1"], "pin": ["1"]}.get(verb, [])
    code, said = call(home, verb, *words, *(() if verb in ("take", "pin") else ("-f",)))
    assert code != 0
    assert "sudo -u" in said
    require_as_before(home, before)

    def take() -> bool:
        with Checkpoints.open(home) as checkpoints:
            return isinstance(checkpoints.project(project).take(), Taken)

    assert theirs(take)


def test_root_reads_the_base_of_another_user_and_leaves_nothing_there(
    theirs: OrdinaryUserLike,
) -> None:
    home, project = theirs.tmp / "home", theirs.tmp / "project"
    before = lying(home)
    with Checkpoints.open(home) as checkpoints:
        handle = checkpoints.project(project)
        assert [one.labels for one in handle.list()] == [("then",)]
        assert [change.path for change in handle.diff("then").changes] == ["README.md"]
        assert handle.plan_restore("then").steps
        answer = handle.take()
        assert isinstance(answer, Failed)
        assert "sudo -u" in str(answer.error)
    assert not CheckpointManager(True, home=home).ensure_checkpoint(str(project))
    require_as_before(home, before)


def test_root_makes_no_base_in_the_home_of_another_user(as_user: OrdinaryUserLike) -> None:
    home = as_user.tmp / "user" / ".hermes"
    with pytest.raises(BaseUnwritable, match="sudo -u"):
        Checkpoints.open(home)
    with CheckpointStore(home / "checkpoints") as store:
        store.write("s", {"messages": []})
    assert not home.exists()
    with Checkpoints.open(home, create=False) as checkpoints:
        assert checkpoints.status().projects == ()


def test_root_with_a_base_of_its_own_works_in_the_project_of_another_user(
    theirs: OrdinaryUserLike, home: Path
) -> None:
    project = theirs.tmp / "project"
    with Checkpoints.open(home) as checkpoints:
        handle = checkpoints.project(project)
        assert isinstance(handle.take(label="then"), Taken)
        (project / "README.md").unlink()
        assert handle.restore("then", mode="exact").complete
    user = project.stat().st_uid
    assert user != 0
    assert {path.lstat().st_uid for path in project.rglob("*")} == {user}
