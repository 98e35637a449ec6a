"""What a restore saves before it writes, what it may bring back, and in whose place it writes."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from hermes_checkpoints import CheckpointManager, Checkpoints, Rollback
from hermes_checkpoints.cli import main
from hermes_checkpoints.config import Config
from hermes_checkpoints.errors import DirectoryReplaced, NoSafetyCheckpoint
from hermes_checkpoints.fs.system import generation
from hermes_checkpoints.model import Action, Checkpoint, Kind, Mode, Taken
from support import everything

SMALL = Config(max_file_size_mb=1)
LARGE = b"x" * (2 << 20)


def auto(checkpoints: Checkpoints, project: Path) -> Checkpoint:
    outcome = checkpoints.project(project).take(kind=Kind.AUTO, session_id="s")
    assert isinstance(outcome, Taken)
    return outcome.checkpoint


# --- what a take leaves out, and the restore brings back ------------------------------------------


def test_a_tracked_file_that_the_agent_grew_over_the_cap_comes_back(
    home: Path, project: Path
) -> None:
    with Checkpoints.open(home, config=SMALL) as checkpoints:
        what = checkpoints.project(project)
        first = auto(checkpoints, project)
        (project / "README.md").write_bytes(LARGE)
        what.end_turn(session_id="s")
        plan = what.plan_restore(first)
        assert [(s.path, s.action, s.reason) for s in plan.steps] == [
            ("README.md", Action.WRITE, "shell changed; over the size limit now")
        ]
        restored = what.restore(first, plan=plan)
        assert restored.complete
        assert (project / "README.md").read_bytes().startswith(b"# Sample")
        assert what.read_file(restored.safety, "README.md") == LARGE
        assert not restored.safety.partial
        assert what.undo().complete
        assert (project / "README.md").read_bytes() == LARGE


def test_a_file_that_a_rule_ignores_since_comes_back_and_one_as_it_was_is_not_touched(
    home: Path, project: Path
) -> None:
    with Checkpoints.open(home) as checkpoints:
        what = checkpoints.project(project)
        first = auto(checkpoints, project)
        (project / ".gitignore").write_text("*.py\n*.md\n")
        (project / "src/app.py").write_text("broken\n")
        (project / "other.py").write_text("never captured\n")
        same = (project / "README.md").stat()
        what.end_turn(session_id="s")
        restored = what.restore(first)
        assert {s.path: s.action for s in restored.done} == {
            "src/app.py": Action.WRITE,
            ".gitignore": Action.DELETE,
        }
        assert (project / "src/app.py").read_text().startswith("def main")
        assert (project / "other.py").exists()  # no checkpoint holds it
        now = (project / "README.md").stat()
        assert (now.st_ino, now.st_mtime_ns) == (same.st_ino, same.st_mtime_ns)
        what.undo()
        assert (project / "src/app.py").read_text() == "broken\n"
        assert (project / ".gitignore").exists()


@pytest.mark.parametrize("mode", list(Mode))
def test_what_no_checkpoint_holds_and_a_rule_ignores_is_never_deleted(
    home: Path, project: Path, mode: Mode
) -> None:
    with Checkpoints.open(home, config=SMALL) as checkpoints:
        what = checkpoints.project(project)
        first = auto(checkpoints, project)
        (project / ".gitignore").write_text("data/\n")
        (project / "data").mkdir()
        (project / "data/x").write_text("x")
        (project / "large").write_bytes(LARGE)
        what.end_turn(session_id="s")
        what.restore(first, mode=mode)
        assert (project / "data/x").exists()
        assert (project / "large").exists()


def test_one_file_over_the_cap_is_restored_by_name_in_every_face(home: Path, project: Path) -> None:
    (home / "config.yaml").write_text("checkpoints:\n  enabled: true\n  max_file_size_mb: 1\n")
    original = (project / "README.md").read_bytes()
    with Checkpoints.open(home) as checkpoints:
        first = auto(checkpoints, project)
        checkpoints.project(project).end_turn(session_id="s")
    words = ["restore", first.id, "README.md", "--dir", str(project), "-f"]
    for restored in (
        lambda: CheckpointManager(enabled=True).restore(str(project), first.id, "README.md")[
            "success"
        ],
        lambda: Rollback(project).run(f"/rollback {first.short_id} README.md").ok,
        lambda: main(words) == 0,
    ):
        (project / "README.md").write_bytes(LARGE)
        assert restored()
        assert (project / "README.md").read_bytes() == original


def test_an_executable_bit_that_an_ignored_file_lost_comes_back(home: Path, project: Path) -> None:
    with Checkpoints.open(home) as checkpoints:
        what = checkpoints.project(project)
        first = auto(checkpoints, project)
        (project / ".gitignore").write_text("run.sh\n")
        (project / "run.sh").chmod(0o600)
        what.restore(first, "run.sh")
        assert stat.S_IMODE((project / "run.sh").stat().st_mode) == 0o755
        what.undo()
        assert stat.S_IMODE((project / "run.sh").stat().st_mode) == 0o600


# --- partial checkpoints --------------------------------------------------------------------------


def test_a_partial_checkpoint_is_shown_as_one_and_compared_with_nothing(
    home: Path, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Checkpoints.open(home) as checkpoints:
        first = auto(checkpoints, project)
    (project / "README.md").write_text("mine\n")
    for n in range(9):
        (project / f"n{n}").write_text("n")
    with Checkpoints.open(home, config=Config(max_files=8)) as checkpoints:
        what = checkpoints.project(project)
        safety = what.restore(first, "README.md").safety
        assert safety.partial
        assert safety.is_first
        assert [c.path for c in what.diff(safety.id).changes] == ["README.md"]
    with Checkpoints.open(home) as checkpoints:
        taken = checkpoints.project(project).take()
        assert isinstance(taken, Taken)
        assert {c.path for c in checkpoints.project(project).changes(taken.checkpoint)} == {
            f"n{n}" for n in range(9)
        }
    for words in (["log", str(project)], ["show", safety.id]):
        assert main(words) == 0
        assert "partial" in capsys.readouterr().out
    assert main(["show", safety.id, "--json"]) == 0
    assert '"partial": true' in capsys.readouterr().out


def test_a_rebuilt_catalog_knows_a_partial_checkpoint(home: Path, project: Path) -> None:
    with Checkpoints.open(home) as checkpoints:
        first = auto(checkpoints, project)
    (project / "README.md").write_text("mine\n")
    (project / "more").write_text("more\n")
    with Checkpoints.open(home, config=Config(max_files=6)) as checkpoints:
        safety = checkpoints.project(project).restore(first, "README.md").safety
    (home / "checkpoints/catalog.db").unlink()
    for beside in (home / "checkpoints").glob("catalog.db-*"):
        beside.unlink()
    with Checkpoints.open(home) as checkpoints:
        what = checkpoints.project(project)
        found = what.get(safety.id)
        assert (found.partial, found.is_first, found.file_count) == (True, True, 1)
        restored = what.restore(safety.id, mode=Mode.EXACT)
        assert [step.path for step in restored.done] == ["README.md"]
        assert (project / "README.md").read_text() == "mine\n"
        assert (project / "more").exists()


def test_home_is_no_project_yet_a_named_file_of_its_checkpoint_comes_back(
    home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    place = tmp_path / "place"
    place.mkdir()
    (place / "notes").write_text("as it was")
    with Checkpoints.open(home) as checkpoints:
        first = auto(checkpoints, place)
        monkeypatch.setenv("HOME", str(place))
        (place / "notes").write_text("later")
        (place / "private").write_text("private")
        what = checkpoints.project(place)
        with pytest.raises(NoSafetyCheckpoint, match="home directory"):
            what.restore(first, mode=Mode.EXACT)
        assert (place / "private").exists()
        restored = what.restore(first, "notes")
        assert restored.safety.partial
        assert (place / "notes").read_text() == "as it was"
        what.undo()
        assert (place / "notes").read_text() == "later"


# --- who names a path means it --------------------------------------------------------------------


def test_a_named_file_that_a_person_removed_comes_back(
    home: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Checkpoints.open(home) as checkpoints:
        auto(checkpoints, project)
        checkpoints.project(project).end_turn(session_id="s")
    (project / "README.md").unlink()
    monkeypatch.chdir(project)
    assert main(["restore", "latest", "-f"]) == 2  # nothing was done: a person removed it
    assert main(["restore", "latest", "README.md", "-f"]) == 0
    assert (project / "README.md").exists()
    (project / "src/app.py").unlink()
    monkeypatch.chdir(project / "src")
    assert main(["restore", "latest", "-f"]) == 2  # nobody has named the current directory
    assert not (project / "src/app.py").exists()


# --- undo -----------------------------------------------------------------------------------------


def test_undo_takes_back_what_the_restore_wrote_and_keeps_what_came_after(
    home: Path, project: Path
) -> None:
    with Checkpoints.open(home) as checkpoints:
        what = checkpoints.project(project)
        first = auto(checkpoints, project)
        (project / "README.md").write_text("agent\n")
        (project / "src/app.py").write_text("agent\n")
        (project / "run.sh").unlink()
        (project / "docs/notes.txt").unlink()
        before = everything(project)
        what.restore(first, mode=Mode.EXACT)
        (project / "README.md").write_text("mine, later\n")
        (project / "docs/notes.txt").write_text("mine, later\n")
        (project / "new").write_text("mine, later\n")
        undone = what.undo()
        assert undone.complete
        assert {s.path: s.reason for s in undone.kept} == {
            "README.md": "changed after it",
            "docs/notes.txt": "changed after it",
        }
        assert (project / "src/app.py").read_text() == "agent\n"
        assert not (project / "run.sh").exists()  # the restore created it
        assert (project / "README.md").read_text() == "mine, later\n"
        assert (project / "new").exists()
        what.redo()
        assert (project / "src/app.py").read_text().startswith("def main")
        assert (project / "run.sh").exists()
        assert (project / "new").exists()
        what.undo(exact=True)
        assert (project / "new").exists()  # it was there before that redo
        assert everything(project) != before


def test_undo_exact_brings_the_whole_former_state_back(home: Path, project: Path) -> None:
    with Checkpoints.open(home) as checkpoints:
        what = checkpoints.project(project)
        first = auto(checkpoints, project)
        (project / "README.md").write_text("agent\n")
        before = everything(project)
        what.restore(first, mode=Mode.EXACT)
        (project / "README.md").write_text("mine, later\n")
        (project / "new").write_text("mine, later\n")
        assert what.undo(exact=True).complete
        assert everything(project) == before


def test_an_undo_that_takes_nothing_back_is_no_success_and_can_be_insisted_on(
    home: Path, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Checkpoints.open(home) as checkpoints:
        what = checkpoints.project(project)
        first = auto(checkpoints, project)
        (project / "README.md").write_text("agent\n")
        what.restore(first, mode=Mode.EXACT)
        (project / "README.md").write_text("mine, later\n")
    assert main(["undo", str(project), "-f"]) == 2
    assert f"undo --exact {project}" in capsys.readouterr().err
    rollback = Rollback(project, enabled=True)
    reply = rollback.run("/rollback undo")
    assert (reply.ok, "/rollback undo --exact" in reply.text) == (False, True)
    assert rollback.run("/rollback undo --exact").ok
    assert (project / "README.md").read_text() == "agent\n"


def test_undo_takes_back_what_a_rule_ignores_now_if_the_restore_made_it(
    home: Path, project: Path
) -> None:
    (project / "data").mkdir()
    (project / "data/x").write_text("x")
    with Checkpoints.open(home) as checkpoints:
        what = checkpoints.project(project)
        first = auto(checkpoints, project)
        shutil.rmtree(project / "data")
        (project / ".gitignore").write_text("data/\n")
        what.restore(first, "data", mode=Mode.OVERLAY)
        assert (project / "data/x").exists()
        (project / "data/mine").write_text("mine")
        what.undo()
        assert not (project / "data/x").exists()
        assert (project / "data/mine").exists()


# --- restores that are cut short ------------------------------------------------------------------

CUT = """
import os, sys
from pathlib import Path
from hermes_checkpoints import Checkpoints
from hermes_checkpoints.model import Mode
home, project, how = sys.argv[1:]
left = 125
def watch(event, args):
    global left
    if event == "os.rename" and args[3] >= 0 and os.readlink(f"/proc/self/fd/{args[3]}") == project:
        left -= 1
        if not left:
            if how == "kill":
                os.kill(os.getpid(), 9)
            raise KeyboardInterrupt
sys.addaudithook(watch)
with Checkpoints.open(Path(home)) as checkpoints:
    checkpoints.project(Path(project)).restore("then")
"""


@pytest.mark.campaign(beyond=1)
@pytest.mark.slow
@pytest.mark.parametrize("how", ["kill", "interrupt"])
def test_the_same_restore_again_after_one_that_was_cut_short_and_undone_restores_all(
    home: Path, project: Path, how: str
) -> None:
    for n in range(400):
        (project / f"f{n}").write_text(f"{n}\n")
    with Checkpoints.open(home) as checkpoints:
        taken = checkpoints.project(project).take(kind=Kind.AUTO, session_id="s", label="then")
        assert isinstance(taken, Taken)
        for n in range(400):
            (project / f"f{n}").write_text("agent\n")
        checkpoints.project(project).end_turn(session_id="s")
    former = everything(project)
    ended = subprocess.run(
        [sys.executable, "-c", CUT, str(home), str(project), how], check=False, capture_output=True
    )
    assert ended.returncode != 0
    assert everything(project) != former
    with Checkpoints.open(home) as checkpoints:
        what = checkpoints.project(project)
        assert any("interrupted" in note for note in checkpoints.status().notes)
        assert not what.undo().kept
        assert everything(project) == former
        assert not any("interrupted" in note for note in checkpoints.status().notes)
        again = what.restore("then")
        assert not again.kept
        assert len(again.done) == 400


def test_what_a_person_did_after_an_interrupted_restore_is_kept_by_its_undo(
    home: Path, project: Path
) -> None:
    with Checkpoints.open(home) as checkpoints:
        taken = checkpoints.project(project).take(kind=Kind.AUTO, session_id="s", label="then")
        assert isinstance(taken, Taken)
        for n in range(200):
            (project / f"f{n}").write_text("agent\n")
        checkpoints.project(project).take(kind=Kind.AUTO, session_id="s", label="then2")
        for n in range(200):
            (project / f"f{n}").write_text("broken\n")
        checkpoints.project(project).end_turn(session_id="s")
    code = CUT.replace('"then"', '"then2"')
    subprocess.run([sys.executable, "-c", code, str(home), str(project), "kill"], check=False)
    written = [n for n in range(200) if (project / f"f{n}").read_text() == "agent\n"]
    assert 0 < len(written) < 200
    (project / f"f{written[0]}").write_text("mine\n")
    with Checkpoints.open(home) as checkpoints:
        undone = checkpoints.project(project).undo()
        assert [(s.path, s.reason) for s in undone.kept] == [(f"f{written[0]}", "changed after it")]
    assert {(project / f"f{n}").read_text() for n in range(200) if n != written[0]} == {"broken\n"}
    assert (project / f"f{written[0]}").read_text() == "mine\n"


def test_the_record_says_of_every_step_what_it_leaves(home: Path, project: Path) -> None:
    with Checkpoints.open(home) as checkpoints:
        what = checkpoints.project(project)
        first = auto(checkpoints, project)
        (project / "README.md").write_text("agent\n")
        (project / "run.sh").chmod(0o600)
        (project / "made").write_text("agent\n")
        what.restore(first, mode=Mode.EXACT)
        steps = checkpoints._base.catalog.restores.steps(1)
    assert {step.path: step.action for step in steps} == {
        "README.md": Action.WRITE,
        "run.sh": Action.CHMOD,
        "made": Action.DELETE,
    }
    assert all(step.blob and step.mode and step.outcome == "done" for step in steps)


# --- another project at the same place ------------------------------------------------------------


def replaced(project: Path) -> None:
    """Put another project in the place of one."""
    project.rename(project.with_name("aside"))
    project.mkdir()
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    (project / "theirs.txt").write_text("another project\n")


@pytest.mark.campaign
def test_the_default_restore_leaves_another_project_at_the_same_path_alone(
    home: Path, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Checkpoints.open(home) as checkpoints:
        first = auto(checkpoints, project)
        replaced(project)
        before = everything(project)
        what = checkpoints.project(project)
        assert what.plan_restore(first).replaced
        with pytest.raises(DirectoryReplaced, match="not the directory that was captured"):
            what.restore(first)
    assert main(["restore", first.id, "--dir", str(project), "-f"]) == 2
    err = capsys.readouterr().err
    assert "--mode overlay" in err
    assert "--into" in err
    reply = Rollback(project, enabled=True).run("/rollback 1")
    assert (reply.ok, "/rollback 1 --all" in reply.text) == (False, True)
    answer = CheckpointManager(enabled=True).restore(str(project), first.id, safe=True)
    assert (answer["success"], "not safe" in answer["error"]) == (False, True)
    assert everything(project) == before
    assert Rollback(project, enabled=True).run("/rollback 1 --all").ok
    assert (project / "README.md").exists()
    assert (project / "theirs.txt").exists()


def test_an_inode_number_that_is_given_again_hides_no_other_directory(home: Path) -> None:
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        project = Path(folder).resolve() / "project"
        project.mkdir()
        (project / "a").write_text("a")
        was = project.stat().st_ino, generation(project)
        with Checkpoints.open(home) as checkpoints:
            first = auto(checkpoints, project)
            shutil.rmtree(project)
            project.mkdir()
            (project / "theirs").write_text("another project\n")
            now = project.stat().st_ino, generation(project)
            if now == was:
                pytest.skip("this file system gives numbers again, and has no generations")
            with pytest.raises(DirectoryReplaced):
                checkpoints.project(project).restore(first)
            assert (project / "theirs").exists()


def test_a_directory_that_was_moved_by_rebind_is_the_one_that_was_captured(
    home: Path, project: Path
) -> None:
    with Checkpoints.open(home) as checkpoints:
        first = auto(checkpoints, project)
        moved = project.with_name("moved")
        shutil.copytree(project, moved, symlinks=True)
        shutil.rmtree(project)
        checkpoints.rebind(project, moved)
        assert not checkpoints.project(moved).plan_restore(first).replaced


def test_another_device_with_the_same_inode_is_the_same_directory(
    home: Path, project: Path
) -> None:
    with Checkpoints.open(home) as checkpoints:
        auto(checkpoints, project)
        catalog = checkpoints._base.catalog
        with catalog.restores._transactions.writing() as connection:
            connection.exec_driver_sql("UPDATE checkpoints SET device = '1'")
        what = checkpoints.project(project)
        assert not what.plan_restore("latest").replaced
        with catalog.restores._transactions.writing() as connection:
            connection.exec_driver_sql("UPDATE checkpoints SET device = NULL, inode = NULL")
        assert not what.plan_restore("latest").replaced
        os.rename(project, project.with_name("aside"))
        project.mkdir()
        assert what.plan_restore("latest").replaced  # the project's own identity tells
