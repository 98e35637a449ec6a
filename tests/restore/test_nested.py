"""Projects inside a project are left alone by a restore, unless they are named."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from hermes_checkpoints import CheckpointManager, Checkpoints, Rollback
from hermes_checkpoints.model import Action, Kind
from hermes_checkpoints.restore.nested import NESTED
from support import Run, files

KINDS = ["repository", "worktree", "registered"]


def git(folder: Path, *words: str) -> None:
    about = ["-c", "user.name=x", "-c", "user.email=x@localhost", "-c", "init.defaultBranch=main"]
    subprocess.run(["git", *about, *words], cwd=folder, check=True, capture_output=True)


def inner_of(project: Path, kind: str) -> Path:
    """Make a directory inside the project that is one of its own."""
    inner = project / "vendor/lib"
    inner.parent.mkdir()
    if kind == "worktree":  # of another repository: one of the project's own is not captured
        other = project.parent / "other"
        other.mkdir()
        git(other, "init")
        git(other, "commit", "--allow-empty", "-m", "x")
        git(other, "worktree", "add", str(inner))
    else:
        inner.mkdir()
    (inner / "lib.py").write_text("as it was\n")
    (inner / "deep").mkdir()
    (inner / "deep/more.py").write_text("as it was\n")
    if kind == "repository":
        git(inner, "init")
    elif kind == "registered":
        with Checkpoints.open() as checkpoints:
            checkpoints.project(inner).take()
    return inner


@pytest.fixture(params=KINDS)
def inner(request: pytest.FixtureRequest, home: Path, project: Path) -> Path:
    """A's turn is open in the project; B works in the project inside it."""
    inner = inner_of(project, request.param)
    a, b = (CheckpointManager(enabled=True, session_id=name) for name in "AB")
    a.new_turn()
    a.ensure_checkpoint(str(project), "before patch")
    (project / "src/app.py").write_text("by A\n")
    b.new_turn()
    b.ensure_checkpoint(str(inner), "before patch")
    (inner / "lib.py").write_text("by B\n")
    (inner / "new.py").write_text("by B\n")
    (inner / "deep/more.py").unlink()
    a.end_turn()
    b.end_turn()
    return inner


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("option", ["", " --everyone", " --all"])
def test_a_rollback_leaves_it_alone_and_says_so(inner: Path, project: Path, option: str) -> None:
    before = files(inner)
    reply = Rollback(project, session_id="A", enabled=True).run(f"/rollback 1{option}")
    assert reply.ok
    assert files(inner) == before
    assert (project / "src/app.py").read_text() != "by A\n"
    assert reply.restored is not None
    assert [(s.path, s.reason) for s in reply.restored.kept] == [("vendor/lib", NESTED)]
    assert f"  vendor/lib  ({NESTED})" in reply.text.splitlines()
    assert "/rollback 1 vendor/lib restores that project, too." in reply.text.splitlines()


@pytest.mark.campaign(beyond=1)
def test_its_own_rollback_is_judged_by_its_own_turns(inner: Path, project: Path) -> None:
    (inner / "mine.py").write_text("mine\n")
    reply = Rollback(inner, session_id="B", enabled=True).run("/rollback 1")
    assert reply.ok
    assert (inner / "lib.py").read_text() == "as it was\n"
    assert (inner / "deep/more.py").exists()
    assert not (inner / "new.py").exists()
    assert (inner / "mine.py").exists()
    assert (project / "src/app.py").read_text() == "by A\n"


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("path", ["vendor/lib", "vendor/lib/lib.py"])
def test_it_comes_back_where_it_is_named(inner: Path, project: Path, path: str) -> None:
    reply = Rollback(project, session_id="A", enabled=True).run(f"/rollback 1 {path}")
    assert reply.ok, reply.text
    assert (inner / "lib.py").read_text() == "as it was\n"
    assert (project / "src/app.py").read_text() == "by A\n"


@pytest.mark.campaign(beyond=1)
def test_nested_takes_all_of_them_in(inner: Path, project: Path) -> None:
    reply = Rollback(project, enabled=True).run("/rollback 1 --all --nested")
    assert reply.ok
    assert (inner / "lib.py").read_text() == "as it was\n"
    assert (inner / "deep/more.py").exists()
    assert (project / "src/app.py").read_text() != "by A\n"


@pytest.mark.campaign(beyond=1)
def test_exact_is_the_whole_tree_and_its_undo_brings_it_back(inner: Path, project: Path) -> None:
    before = files(project)
    with Checkpoints.open() as checkpoints:
        own = checkpoints.project(project)
        own.restore(own.list()[-1], mode="exact")
        assert (inner / "lib.py").read_text() == "as it was\n"
        assert not (inner / "new.py").exists()
        own.undo()
    assert files(project) == before


@pytest.mark.campaign(beyond=1)
def test_where_only_it_differs_nothing_is_done_and_the_way_out_is_named(
    inner: Path, project: Path
) -> None:
    rollback = Rollback(project, session_id="A", enabled=True)
    assert rollback.run("/rollback 1").ok
    reply = rollback.run("/rollback 1")
    oldest = rollback.run("/rollback").listed[-1].short_id
    reply = rollback.run(f"/rollback {oldest}")
    assert not reply.ok
    assert "Nothing was restored" in reply.text
    assert reply.text.splitlines()[-1] == f"To restore all the same: /rollback {oldest} --nested"


@pytest.mark.campaign(beyond=1)
def test_the_command_line_says_it_and_names_the_command(
    inner: Path, project: Path, run: Run
) -> None:
    before = files(inner)
    with Checkpoints.open() as checkpoints:
        oldest = checkpoints.project(project).list()[-1]
    done = run("restore", oldest.id, "--dir", str(project), "-f")
    assert done.code == 0, done.err
    assert files(inner) == before
    assert f"Kept ({NESTED}):" in done.lines
    (line,) = [line for line in done.lines if line.startswith("To restore vendor/lib, too: ")]
    assert line.endswith(f"restore {oldest.short_id} --dir {project} -- vendor/lib")
    again = run("restore", oldest.id, "--dir", str(project), "-f", "--mode", "overlay", "--nested")
    assert again.code == 0
    assert (inner / "lib.py").read_text() == "as it was\n"


def test_one_that_is_gone_comes_back_with_the_rest(home: Path, project: Path) -> None:
    inner = inner_of(project, "repository")
    with Checkpoints.open() as checkpoints:
        own = checkpoints.project(project)
        own.take(kind=Kind.AUTO, session_id="A")
        subprocess.run(["rm", "-rf", str(inner)], check=True)
        own.end_turn(session_id="A")
        done = own.restore("latest")
    assert (inner / "lib.py").read_text() == "as it was\n"
    assert done.kept == ()


def test_one_that_was_made_since_stays(home: Path, project: Path) -> None:
    with Checkpoints.open() as checkpoints:
        own = checkpoints.project(project)
        own.take(kind=Kind.AUTO, session_id="A")
        (project / "README.md").write_text("agent\n")
        inner_of(project, "repository")
        own.end_turn(session_id="A")
        plan = own.plan_restore("latest")
        assert [s.path for s in plan.of(Action.WRITE)] == ["README.md"]
        assert [s.path for s in plan.of(Action.KEEP)] == ["vendor/lib"]
        assert not plan.of(Action.DELETE)
        done = own.restore("latest", plan=plan)
    assert done.complete
    assert (project / "vendor/lib/lib.py").exists()


def test_one_inside_another_is_left_alone_where_only_the_outer_is_named(
    home: Path, project: Path
) -> None:
    inner = inner_of(project, "repository")
    within = inner / "deep"
    git(within, "init")
    with Checkpoints.open() as checkpoints:
        own = checkpoints.project(project)
        own.take(kind=Kind.AUTO, session_id="A")
        for file in (inner / "lib.py", within / "more.py"):
            file.write_text("changed\n")
        plan = own.plan_restore("latest", "vendor/lib", mode="overlay")
        assert [s.path for s in plan.of(Action.WRITE)] == ["vendor/lib/lib.py"]
        assert [s.path for s in plan.of(Action.KEEP)] == ["vendor/lib/deep"]
