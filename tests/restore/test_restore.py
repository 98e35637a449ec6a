"""Restoring: what comes back, what stays and why, and that an undo brings the former tree back."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from hermes_checkpoints import CheckpointManager, Checkpoints
from hermes_checkpoints.config import Config
from hermes_checkpoints.errors import (
    BadRequest,
    CheckpointError,
    CheckpointForeign,
    NothingToUndo,
    TreeChanged,
)
from hermes_checkpoints.model import Action, Kind, Mode, RestoreRole, Taken
from interpreters import run, start
from support import everything


def reasons(steps: Any) -> dict[str, tuple[Action, str]]:
    return {step.path: (step.action, step.reason) for step in steps}


@pytest.fixture
def agent(home: Path) -> CheckpointManager:
    return CheckpointManager(enabled=True, session_id="s1")


def work(agent: CheckpointManager, project: Path, **files: str | None) -> None:
    """One turn of the agent through the shell: write or delete files, then hand over."""
    agent.new_turn()
    agent.ensure_checkpoint(str(project), "before terminal")
    for name, content in files.items():
        path = project / name.replace("__", "/")
        if content is None:
            path.unlink()
        else:
            path.write_text(content)
    agent.end_turn()


# --- the main job ------------------------------------------------------------------------------


def test_break_and_restore_a_real_source_tree(home: Path, tmp_path: Path) -> None:
    """The standard library's own source: thousands of files."""
    project = tmp_path / "python"
    shutil.copytree(
        Path(os.__file__).parent,
        project,
        ignore=shutil.ignore_patterns("site-packages", "test", "__pycache__", "*.so", "*.a"),
        symlinks=True,
    )
    with Checkpoints.open(home) as checkpoints:
        assert isinstance(checkpoints.project(project).take("before"), Taken)
        before = everything(project)
        for name in ("os.py", "json/decoder.py", "ast.py", "copy.py", "this.py"):
            (project / name).write_text("broken\n")
        (project / "abc.py").unlink()
        (project / "added.py").write_text("new\n")
        (project / "glob.py").chmod(0o600)
        found = checkpoints.project(project).diff("1")
        assert len(found.changes) == 8
        done = checkpoints.project(project).restore("1")
        assert done.complete
        assert everything(project) == before
        checkpoints.project(project).undo()
        assert (project / "os.py").read_text() == "broken\n"
        assert (project / "added.py").exists()
        assert not (project / "abc.py").exists()
        assert stat.S_IMODE((project / "glob.py").stat().st_mode) == 0o600


def test_unchanged_files_keep_their_time(home: Path, project: Path) -> None:
    with Checkpoints.open(home) as checkpoints:
        checkpoints.project(project).take()
        (project / "README.md").write_text("x\n")
        before = {p: p.stat().st_mtime_ns for p in project.rglob("*") if p.name != "README.md"}
        inodes = {p: p.stat().st_ino for p in before}
        for mode in Mode:
            checkpoints.project(project).restore("1", mode=mode)
        assert {p: p.stat().st_mtime_ns for p in before if p != project} == before
        assert {p: p.stat().st_ino for p in before} == inodes


# --- modes and reasons -------------------------------------------------------------------------


def test_overlay_deletes_nothing_and_exact_does(home: Path, project: Path) -> None:
    with Checkpoints.open(home) as checkpoints:
        checkpoints.project(project).take(label="clean")
        before = everything(project)
        (project / "README.md").unlink()
        (project / "made").mkdir()
        (project / "made" / "file").write_text("m")
        checkpoints.project(project).restore("clean", mode=Mode.OVERLAY)
        assert (project / "README.md").exists()
        assert (project / "made" / "file").exists()
        plan = checkpoints.project(project).plan_restore("clean", mode=Mode.EXACT)
        assert reasons(plan.steps)["made/file"] == (Action.DELETE, "created since")
        checkpoints.project(project).restore("clean", mode=Mode.EXACT)
        assert everything(project) == before


def test_edits_of_the_user_after_the_agent_survive(
    agent: CheckpointManager, home: Path, project: Path
) -> None:
    work(
        agent, project, **{"README.md": "agent\n", "src__app.py": "agent\n", "made.txt": "agent\n"}
    )
    (project / "README.md").write_text("agent\nand me\n")
    (project / "mine.txt").write_text("mine\n")
    with Checkpoints.open(home) as checkpoints:
        plan = checkpoints.project(project).plan_restore("1")
        assert reasons(plan.steps) == {
            "src/app.py": (Action.WRITE, "shell changed"),
            "made.txt": (Action.DELETE, "shell created"),
            "README.md": (Action.KEEP, "you changed it after the agent"),
            "mine.txt": (Action.KEEP, "you changed it"),
        }
        done = checkpoints.project(project).restore("1", plan=plan)
        assert [step.path for step in done.kept] == ["README.md", "mine.txt"]
    assert (project / "README.md").read_text() == "agent\nand me\n"
    assert (project / "mine.txt").read_text() == "mine\n"
    assert (project / "src" / "app.py").read_text().startswith("def main")
    assert not (project / "made.txt").exists()


def test_edits_between_two_turns_are_the_users(
    agent: CheckpointManager, home: Path, project: Path
) -> None:
    work(agent, project, **{"README.md": "agent 1\n"})
    (project / "docs" / "notes.txt").write_text("me\n")
    work(agent, project, **{"src__app.py": "agent 2\n"})
    with Checkpoints.open(home) as checkpoints:
        oldest = checkpoints.project(project).list()[-1]
        plan = checkpoints.project(project).plan_restore(oldest.id)
    assert reasons(plan.steps) == {
        "README.md": (Action.WRITE, "shell changed"),
        "src/app.py": (Action.WRITE, "shell changed"),
        "docs/notes.txt": (Action.KEEP, "you changed it"),
    }


def test_a_reported_file_stays_the_turns_until_it_ends(
    agent: CheckpointManager, home: Path, project: Path
) -> None:
    agent.new_turn()
    agent.ensure_checkpoint(str(project), "before patch")
    for name in ("README.md", "src/app.py"):
        (project / name).write_text("tool\n")
        agent.record_agent_write(str(project / name), "patch")
    (project / "README.md").write_text("tool and its formatter\n")
    with Checkpoints.open(home) as checkpoints:
        events = checkpoints.project(project).who("src/app.py")
        assert events == []  # the turn is still open: nothing is settled yet
    agent.end_turn()
    (project / "src/app.py").write_text("tool and me\n")
    with Checkpoints.open(home) as checkpoints:
        assert reasons(checkpoints.project(project).plan_restore("1").steps) == {
            "README.md": (Action.WRITE, "agent changed (patch)"),
            "src/app.py": (Action.KEEP, "you changed it after the agent"),
        }
        newest = checkpoints.project(project).who("README.md")[0]
        assert (newest.actor, newest.tool, newest.session_id) == ("agent", "patch", "s1")


def test_a_path_without_a_record_is_kept(
    home: Path, project: Path, agent: CheckpointManager
) -> None:
    work(agent, project)
    with Checkpoints.open(home) as checkpoints:
        (project / "README.md").write_text("who?\n")
        checkpoints.project(project).take()
    with closing(sqlite3.connect(home / "checkpoints" / "catalog.db")) as catalog:
        catalog.execute("DELETE FROM path_events")
        catalog.commit()
    with Checkpoints.open(home) as checkpoints:
        plan = checkpoints.project(project).plan_restore("2")
        assert reasons(plan.steps) == {"README.md": (Action.KEEP, "no record of who changed it")}
        assert plan.keeps_all
        done = checkpoints.project(project).restore("2")
        assert (done.done, done.kept_all) == ((), True)
        assert checkpoints.project(project).wider_mode(plan.checkpoint, "README.md") is Mode.OVERLAY
    assert (project / "README.md").read_text() == "who?\n"


@pytest.mark.campaign
def test_a_restore_that_did_nothing_is_no_restore_to_undo(home: Path, project: Path) -> None:
    with Checkpoints.open(home) as checkpoints:
        here = checkpoints.project(project)
        taken = here.take()
        assert isinstance(taken, Taken)
        ref = taken.checkpoint.id
        (project / "README.md").write_text("the agent's\n")
        here.restore(ref)
        assert here.restore(ref).done == ()
        (project / "run.sh").write_text("an hour of work\n")
        assert reasons(here.plan_undo().steps).keys() >= {"README.md"}
        here.undo()
        assert (project / "README.md").read_text() == "the agent's\n"
        assert here.restore(ref, "README.md", mode=Mode.OVERLAY).done != ()
        assert here.restore(ref, "README.md", mode=Mode.OVERLAY).done == ()
        here.undo()
        assert (project / "README.md").read_text() == "the agent's\n"
        assert here.redo().done != ()
        here.restore(ref, "README.md", mode=Mode.OVERLAY)
        assert here.undo().done != ()


def test_where_no_agent_was_at_work_every_captured_file_comes_back(
    home: Path, project: Path
) -> None:
    before = everything(project)
    with Checkpoints.open(home) as checkpoints:
        here = checkpoints.project(project)
        here.take(kind=Kind.SAFETY)
        (first,) = here.list(safety=True)
        (project / "README.md").write_text("who?\n")
        here.take(kind=Kind.SAFETY)
        (project / "README.md").write_text("who else?\n")
        (project / "run.sh").unlink()
        assert reasons(here.restore(first).done) == {
            "README.md": (Action.WRITE, "changed since the checkpoint"),
            "run.sh": (Action.WRITE, "deleted since the checkpoint"),
        }
    assert everything(project) == before


@pytest.mark.campaign
def test_a_safe_restore_that_keeps_everything_is_no_success(
    agent: CheckpointManager, project: Path
) -> None:
    work(agent, project)
    (project / "README.md").write_text("mine\n")
    commit = agent.list_checkpoints(str(project))[0]["hash"]
    result = agent.restore(str(project), commit, safe=True)
    assert not result["success"]
    assert result["error"] == (
        "nothing was restored: 1 path(s) stay as they are, first README.md (you changed it); "
        "a restore that is not safe brings it back"
    )
    assert agent.restore(str(project), commit)["success"]
    (project / "mine.txt").write_text("mine\n")
    only_made = agent.restore(str(project), commit, safe=True)
    assert not only_made["success"]
    assert only_made["error"].endswith("first mine.txt (you changed it)")


def test_safe_restore_of_the_manager(agent: CheckpointManager, project: Path) -> None:
    agent.new_turn()
    agent.ensure_checkpoint(str(project), "before patch")
    (project / "README.md").write_text("agent\n")
    (project / "made.txt").write_text("agent\n")
    agent.end_turn()
    (project / "mine.txt").write_text("mine\n")
    commit = agent.list_checkpoints(str(project))[0]["hash"]
    result = agent.restore(str(project), commit, safe=True)
    assert result["success"]
    assert sorted(result["restored_files"]) == ["README.md", "made.txt"]
    assert result["deleted_files"] == ["made.txt"]
    assert result["skipped_user_edits"] == ["mine.txt"]
    assert result["skipped_oversize"] == []
    assert "failed_deletes" not in result


def test_what_the_checkpoint_skipped_or_ignored_stays(home: Path, project: Path) -> None:
    big = project / "big.bin"
    big.write_bytes(b"x" * (1024 * 1024 + 1))
    (project / ".gitignore").write_text("secret.txt\n")
    (project / "secret.txt").write_text("s\n")
    with Checkpoints.open(home, config=Config(max_file_size_mb=1)) as checkpoints:
        checkpoints.project(project).take(label="then")
        big.write_bytes(b"small now")
        (project / ".gitignore").write_text("")
        plan = checkpoints.project(project).plan_restore("then", mode=Mode.EXACT)
        assert reasons(plan.steps)["big.bin"] == (
            Action.KEEP,
            "not captured by the checkpoint: oversize",
        )
        assert reasons(plan.steps)["secret.txt"] == (
            Action.KEEP,
            "ignored by a rule when the checkpoint was taken",
        )
        checkpoints.project(project).restore("then", mode=Mode.EXACT)
    assert big.read_bytes() == b"small now"
    assert (project / "secret.txt").exists()


# --- scope -------------------------------------------------------------------------------------


def test_a_restore_of_a_subdirectory_leaves_its_siblings(home: Path, project: Path) -> None:
    with Checkpoints.open(home) as checkpoints:
        checkpoints.project(project).take()
        for path in ("src/app.py", "src/data.bin", "docs/notes.txt", "README.md"):
            (project / path).write_text("broken\n")
        checkpoints.project(project).restore("1", ["src"])
        assert (project / "src" / "app.py").read_text().startswith("def main")
        assert (project / "src" / "data.bin").read_bytes() == bytes(range(256))
        assert (project / "docs" / "notes.txt").read_text() == "broken\n"
        assert (project / "README.md").read_text() == "broken\n"


def test_one_sessions_changes_are_taken_back_alone(home: Path, project: Path) -> None:
    one = CheckpointManager(enabled=True, session_id="one")
    two = CheckpointManager(enabled=True, session_id="two")
    work(one, project, **{"README.md": "one\n", "both.txt": "one\n"})
    work(two, project, **{"src__app.py": "two\n", "both.txt": "two\n"})
    with Checkpoints.open(home) as checkpoints:
        first = checkpoints.project(project).list()[-1].id
        plan = checkpoints.project(project).plan_restore(first, session_id="one")
        assert reasons(plan.steps) == {
            "README.md": (Action.WRITE, "shell changed"),
            "both.txt": (Action.KEEP, "two session changed it"),
            "src/app.py": (Action.KEEP, "two session changed it"),
        }
        checkpoints.project(project).restore(first, session_id="one")
        assert (project / "src" / "app.py").read_text() == "two\n"
        assert (project / "README.md").read_text().startswith("# Sample")
        with pytest.raises(BadRequest):
            checkpoints.project(project).restore(first, session_id="one", mode=Mode.EXACT)


def test_another_worktrees_checkpoint_only_goes_into_it_when_asked(
    home: Path, project: Path
) -> None:
    other = project.with_name("other")
    shutil.copytree(project, other)
    with Checkpoints.open(home) as checkpoints:
        commit = checkpoints.project(project).take()
        assert isinstance(commit, Taken)
        id_ = commit.checkpoint.id
        (other / "README.md").write_text("other\n")
        with pytest.raises(CheckpointForeign, match="--into"):
            checkpoints.project(other).restore(id_)
        with pytest.raises(BadRequest, match="overlay or exact"):
            checkpoints.project(project).restore(id_, into=other, mode=Mode.KEEP_EDITS)
        assert (other / "README.md").read_text() == "other\n"
        done = checkpoints.project(project).restore(id_, into=other)
        assert done.working_dir == other
        assert (other / "README.md").read_text().startswith("# Sample")
        checkpoints.project(other).undo()
        assert (other / "README.md").read_text() == "other\n"


def test_reading_one_file_touches_nothing(home: Path, project: Path) -> None:
    with Checkpoints.open(home) as checkpoints:
        checkpoints.project(project).take()
        content = (project / "src" / "data.bin").read_bytes()
        (project / "src" / "data.bin").unlink()
        assert checkpoints.project(project).read_file("1", "src/data.bin") == content
        assert not (project / "src" / "data.bin").exists()
        for path in ("src", "nothing", "*.py"):
            with pytest.raises(CheckpointError, match="holds no file"):
                checkpoints.project(project).read_file("1", path)


def test_an_empty_checkpoint_empties_what_was_captured(home: Path, tmp_path: Path) -> None:
    project = tmp_path / "empty"
    project.mkdir()
    with Checkpoints.open(home) as checkpoints:
        checkpoints.project(project).take(label="empty")
        (project / "a").write_text("a")
        (project / "debug.log").write_text("ignored, so it stays")
        checkpoints.project(project).restore("empty", mode=Mode.OVERLAY)
        assert (project / "a").exists()
        checkpoints.project(project).restore("empty", mode=Mode.EXACT)
        assert [p.name for p in project.iterdir()] == ["debug.log"]
        checkpoints.project(project).undo()
        assert (project / "a").read_text() == "a"


# --- safety ------------------------------------------------------------------------------------


@pytest.mark.campaign
def test_a_tree_over_max_files_is_restored_with_a_partial_safety_checkpoint(
    home: Path, project: Path
) -> None:
    with Checkpoints.open(home) as checkpoints:
        checkpoints.project(project).take()
    for n in range(12):
        (project / f"n{n}").write_text(f"{n}")
    (project / "README.md").write_text("mine\n")
    before = everything(project)
    with Checkpoints.open(home, config=Config(max_files=10)) as checkpoints:
        what = checkpoints.project(project)
        first = what.list()[0]
        narrow = what.restore(first, "README.md")
        assert [step.path for step in narrow.done] == ["README.md"]
        assert narrow.safety.partial
        assert not narrow.safety.complete
        assert what.read_file(narrow.safety, "README.md") == b"mine\n"
        assert what.undo().complete
        assert everything(project) == before
        whole = what.restore(first, mode=Mode.EXACT)
        assert len(whole.done) == 13
        assert not (project / "n3").exists()
        assert whole.safety.partial
        assert what.restore(whole.safety.id, mode=Mode.EXACT).complete  # its paths, no deletion
        assert everything(project) == before
        for _ in range(2):
            assert what.undo().complete
        assert everything(project) == before


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("damage", ["missing", "empty", "cut", "nonsense"])
def test_contents_that_the_store_cannot_give_cost_their_own_path_only(
    home: Path, project: Path, damage: str
) -> None:
    with Checkpoints.open(home) as checkpoints:
        handle = checkpoints.project(project)
        handle.take(label="then")
        for name in ("README.md", "docs/notes.txt", "src/app.py"):
            (project / name).write_text("broken\n")
        before = everything(project)
        plan = handle.plan_restore("then", mode=Mode.EXACT)
        blob = next(step.blob for step in plan.steps if step.path == "docs/notes.txt")
        assert blob
        stored = home / "checkpoints" / "store" / "objects" / blob[:2] / blob[2:]
        good = stored.read_bytes()
        stored.chmod(0o600)
        if damage == "missing":
            stored.unlink()
            steps = handle.plan_restore("then", mode=Mode.EXACT).of(Action.WRITE)
            named = [s.path for s in steps if s.reason.endswith("; the store lacks its contents")]
            assert named == ["docs/notes.txt"]
        else:
            spoilt = {"empty": b"", "cut": good[: len(good) // 2], "nonsense": b"nonsense"}
            stored.write_bytes(spoilt[damage])
        restored = handle.restore("then", mode=Mode.EXACT)
        assert [f.path for f in restored.failed] == ["docs/notes.txt"]
        assert blob in restored.failed[0].error
        assert sorted(step.path for step in restored.done) == ["README.md", "src/app.py"]
        assert (project / "docs" / "notes.txt").read_text() == "broken\n"
        handle.undo()
        assert everything(project) == before


def test_nothing_makes_room_for_a_file_that_cannot_be_read(home: Path, project: Path) -> None:
    with Checkpoints.open(home) as checkpoints:
        handle = checkpoints.project(project)
        (project / "gone").mkdir()
        for name in ("gone/a", "turned"):
            (project / name).write_text(f"{name}\n")
        handle.take(label="then")
        shutil.rmtree(project / "gone")
        (project / "gone").write_text("a file now\n")
        (project / "turned").unlink()
        (project / "turned").mkdir()
        (project / "turned" / "b").write_text("in a directory now\n")
        steps = handle.plan_restore("then", mode=Mode.EXACT).of(Action.WRITE)
        for step in steps:
            assert step.blob
            (home / "checkpoints/store/objects" / step.blob[:2] / step.blob[2:]).unlink()
        before = everything(project)
        restored = handle.restore("then", mode=Mode.EXACT)
        assert {f.path for f in restored.failed} >= {"gone", "gone/a", "turned", "turned/b"}
        assert restored.done == ()
        assert everything(project) == before


def test_a_plan_is_refused_when_what_it_touches_changed(home: Path, project: Path) -> None:
    with Checkpoints.open(home) as checkpoints:
        handle = checkpoints.project(project)
        handle.take(label="then")
        changes: list[Callable[[Path], object]] = [
            lambda path: path.write_text("edited after the plan\n"),
            lambda path: path.chmod(0o600),
            lambda path: path.unlink(),
        ]
        for change in changes:
            (project / "README.md").write_text("broken\n")
            plan = handle.plan_restore("then", mode=Mode.EXACT)
            change(project / "README.md")
            before = everything(project)
            with pytest.raises(TreeChanged):
                handle.restore(plan.checkpoint, plan=plan)
            assert everything(project) == before


def test_what_a_plan_does_not_touch_may_go_on_changing(home: Path, project: Path) -> None:
    (project / "server.log").write_text("1\n")
    with Checkpoints.open(home) as checkpoints:
        handle = checkpoints.project(project)
        handle.take(label="then")
        (project / "README.md").write_text("broken\n")
        plan = handle.plan_restore("then", ["README.md"], mode=Mode.OVERLAY)
        (project / "server.log").write_text("1\n2\n")
        (project / "new").write_text("made meanwhile\n")
        assert [s.path for s in handle.restore("then", plan=plan).done] == ["README.md"]
        undo = handle.plan_undo()
        (project / "server.log").write_text("1\n2\n3\n")
        assert [s.path for s in handle.undo(plan=undo).done] == ["README.md"]
    assert (project / "README.md").read_text() == "broken\n"
    assert (project / "server.log").read_text() == "1\n2\n3\n"
    assert (project / "new").exists()


def test_a_restore_never_follows_a_link_out_of_the_project(
    home: Path, project: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    shutil.copytree(project / "src", outside)
    (outside / "app.py").write_text("outside\n")
    before = everything(outside)
    with Checkpoints.open(home) as checkpoints:
        checkpoints.project(project).take()
        shutil.rmtree(project / "src")
        (project / "src").symlink_to(outside)
        done = checkpoints.project(project).restore("1", mode=Mode.EXACT)
        assert done.complete
        assert not (project / "src").is_symlink()
        assert (project / "src" / "app.py").read_text().startswith("def main")
        assert everything(outside) == before
        checkpoints.project(project).undo()
        assert (project / "src").is_symlink()
        assert everything(outside) == before


# --- undo and redo -----------------------------------------------------------------------------


def test_undo_and_redo_walk_the_chain_exactly(home: Path, project: Path) -> None:
    states: list[dict[str, Any]] = []
    with Checkpoints.open(home) as checkpoints:
        for step in range(3):
            (project / "f.txt").write_text(f"{step}\n")
            (project / f"only{step}").write_text("x")
            checkpoints.project(project).take(label=f"v{step}")
        (project / "f.txt").write_text("now\n")
        states.append(everything(project))
        for label in ("v0", "v2", "v1"):
            checkpoints.project(project).restore(label, mode=Mode.EXACT)
            states.append(everything(project))
        for state in states[-2::-1]:
            done = checkpoints.project(project).undo()
            assert (done.role, everything(project)) == (RestoreRole.UNDO, state)
        with pytest.raises(NothingToUndo, match="left to undo"):
            checkpoints.project(project).undo()
        for state in states[1:]:
            assert checkpoints.project(project).redo().role is RestoreRole.REDO
            assert everything(project) == state
        with pytest.raises(NothingToUndo, match="left to redo"):
            checkpoints.project(project).redo()
        checkpoints.project(project).undo()
        checkpoints.project(project).undo()
        assert everything(project) == states[1]


def test_undo_after_more_takes_and_redo_ends_with_a_new_restore(home: Path, project: Path) -> None:
    with Checkpoints.open(home) as checkpoints:
        checkpoints.project(project).take(label="clean")
        (project / "README.md").write_text("mine\n")
        before = everything(project)
        checkpoints.project(project).restore("clean")
        for n in range(3):
            (project / "later").write_text(f"{n}\n")
            checkpoints.project(project).take()
        later = everything(project)
        checkpoints.project(project).undo(exact=True)
        assert everything(project) == before
        checkpoints.project(project).redo()
        assert everything(project) == later
        checkpoints.project(project).undo()
        checkpoints.project(project).restore("clean", mode=Mode.EXACT)
        with pytest.raises(NothingToUndo):
            checkpoints.project(project).redo()


def test_the_undo_of_a_narrow_restore_is_narrow(home: Path, project: Path) -> None:
    with Checkpoints.open(home) as checkpoints:
        checkpoints.project(project).take(label="then")
        shutil.rmtree(project / "src")
        (project / "README.md").write_text("mine\n")
        checkpoints.project(project).restore("then", ["src/app.py"])
        (project / "README.md").write_text("later\n")
        checkpoints.project(project).undo()
        assert not (project / "src").exists()
        assert (project / "README.md").read_text() == "later\n"
        checkpoints.project(project).restore("then", ["src/app.py"])
        (project / "src" / "later").write_text("later\n")
        checkpoints.project(project).undo()
        assert [p.name for p in (project / "src").iterdir()] == ["later"]


# --- failing restores ---------------------------------------------------------------


def _restore_with_small_files_only(home: str, project: str) -> tuple[int, list[str]]:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    with Checkpoints.open(home) as checkpoints:
        plan = checkpoints.project(project).plan_restore("then", mode=Mode.EXACT)
        # From here on no file may grow beyond this: a full disk for the large one.
        resource.setrlimit(resource.RLIMIT_FSIZE, (600_000, resource.RLIM_INFINITY))
        done = checkpoints.project(project).restore("then", plan=plan)
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    return len(done.done), [f.path for f in done.failed]


def test_a_restore_that_fails_in_part_says_so_and_can_be_undone(as_user: Any) -> None:
    home, project = as_user.tmp / "home", as_user.tmp / "project"

    def prepare() -> None:
        project.mkdir()
        (project / "large").write_bytes(os.urandom(1_000_000))
        (project / "small").write_text("small\n")
        with Checkpoints.open(home) as checkpoints:
            checkpoints.project(project).take(label="then")
        (project / "large").write_bytes(b"mine")
        (project / "small").write_text("mine\n")
        (project / "made").write_text("made\n")

    as_user(prepare)
    before = everything(project)
    done, failed = as_user(_restore_with_small_files_only, str(home), str(project))
    assert (done, failed) == (2, ["large"])
    assert (project / "large").read_bytes() == b"mine"
    assert (project / "small").read_text() == "small\n"
    assert not [p for p in project.iterdir() if p.name.startswith(".hermes-restore-")]

    def undo() -> None:
        with Checkpoints.open(home) as checkpoints:
            checkpoints.project(project).undo()

    as_user(undo)
    assert everything(project) == before


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("closed", ["folder/made", "folder"])
def test_an_exact_restore_keeps_what_only_an_earlier_checkpoint_could_read(
    as_user: Any, closed: str
) -> None:
    home, project = as_user.tmp / "home", as_user.tmp / "project"

    def restore() -> tuple[list[str], str]:
        made = project / "folder" / "made"
        project.mkdir()
        (project / "beside").write_text("x\n")
        with Checkpoints.open(home) as checkpoints:
            handle = checkpoints.project(project)
            handle.take(label="then")
            made.parent.mkdir()
            made.write_text("seen\n")
            handle.take()
            made.write_text("never seen\n")
            (project / closed).chmod(0)
            done = handle.restore("then", mode="exact").done
        (project / closed).chmod(0o700)
        return [step.path for step in done], made.read_text()

    assert as_user(restore) == ([], "never seen\n")


def test_each_path_that_cannot_be_written_is_reported(as_user: Any) -> None:
    home, project = as_user.tmp / "home", as_user.tmp / "project"

    def prepare() -> None:
        (project / "closed").mkdir(parents=True)
        for name in ("closed/a", "closed/b", "open"):
            (project / name).write_text("then\n")
        with Checkpoints.open(home) as checkpoints:
            checkpoints.project(project).take(label="then")
        for name in ("closed/a", "open"):
            (project / name).write_text("now\n")
        (project / "closed" / "made").write_text("made\n")

    as_user(prepare)
    if os.getuid() != 0:
        pytest.skip("only root can give a directory away")
    os.chown(project / "closed", 0, 0)
    (project / "closed").chmod(0o755)

    def restore() -> tuple[list[str], list[tuple[str, str]]]:
        with Checkpoints.open(home) as checkpoints:
            done = checkpoints.project(project).restore("then", mode=Mode.EXACT)
        return [s.path for s in done.done], [(f.path, f.error) for f in done.failed]

    done, failed = as_user(restore)
    assert done == ["open"]
    assert [path for path, _ in failed] == ["closed/a", "closed/made"]
    assert all(error for _, error in failed)
    assert (project / "closed" / "a").read_text() == "now\n"


INTERFERED = """
import pathlib, sys
from hermes_checkpoints import Checkpoints
home, project = sys.argv[1:]
other = pathlib.Path(project, "src", "app.py")
with Checkpoints.open(home) as checkpoints:
    def hook(name, args):
        if name == "os.rename" and str(args[1]).endswith("README.md"):
            other.write_text("another program was here")
    sys.addaudithook(hook)
    print([f.path for f in checkpoints.project(project).restore("then").failed])
"""


def test_a_file_that_changes_while_the_restore_runs_is_left(home: Path, project: Path) -> None:
    with Checkpoints.open(home) as checkpoints:
        checkpoints.project(project).take(label="then")
    (project / "README.md").write_text("mine\n")
    (project / "src" / "app.py").write_text("mine\n")
    answer = run(INTERFERED, home, project)
    assert answer.stdout == "['src/app.py']\n", answer.stderr
    assert (project / "src" / "app.py").read_text() == "another program was here"
    assert (project / "README.md").read_text().startswith("# Sample")


def test_two_restores_at_once_wait_for_each_other(home: Path, project: Path) -> None:
    with Checkpoints.open(home) as checkpoints:
        for label in ("one", "two"):
            (project / "f").write_text(label)
            checkpoints.project(project).take(label=label)
    code = (
        "import sys; from hermes_checkpoints import Checkpoints\n"
        "with Checkpoints.open(sys.argv[1]) as c:\n"
        "    project = c.project(sys.argv[2])\n"
        "    for n in range(4): assert project.restore(sys.argv[3], mode='exact').complete"
    )
    running = [start(code, home, project, label) for label in ("one", "two", "one")]
    assert [process.finish().returncode for process in running] == [0, 0, 0]
    assert (project / "f").read_text() in ("one", "two")
