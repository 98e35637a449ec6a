"""What a restore must never destroy, widen or claim."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from hermes_checkpoints import CheckpointManager, Checkpoints
from hermes_checkpoints.config import Config
from hermes_checkpoints.errors import (
    CheckpointError,
    DirectoryReplaced,
    LockHeld,
    NothingToUndo,
    PathUnknown,
    ProjectUnknown,
)
from hermes_checkpoints.fs.locks import exclusive
from hermes_checkpoints.layout import Layout, project_hash
from hermes_checkpoints.model import Action, Kind, Mode, Taken
from interpreters import start
from support import OrdinaryUserLike, everything, make_project


def auto(checkpoints: Checkpoints, project: Path, session: str = "s") -> str:
    """Begin a turn of the agent; return the id of its checkpoint."""
    outcome = checkpoints.project(project).take(kind=Kind.AUTO, session_id=session)
    assert not hasattr(outcome, "error"), outcome
    return checkpoints.project(project).list()[0].id


def kept(checkpoints: Checkpoints, project: Path, id_: str, mode: Mode) -> dict[str, str]:
    plan = checkpoints.project(project).plan_restore(id_, mode=mode)
    return {step.path: step.reason for step in plan.of(Action.KEEP)}


def test_only_what_was_recorded_as_created_since_is_deleted(home: Path, project: Path) -> None:
    (project / ".gitignore").write_text("local/\n")
    (project / "local").mkdir()
    (project / "local" / "notes").write_text("mine\n")
    (project / "untracked").write_text("mine, from before\n")
    with Checkpoints.open(home) as checkpoints:
        first = auto(checkpoints, project)
        (project / "created").write_text("agent\n")
        (project / "local" / "later").write_text("agent or mine\n")
        checkpoints.project(project).end_turn(session_id="s")
        for mode in (Mode.OVERLAY, Mode.KEEP_EDITS, Mode.EXACT):
            done = checkpoints.project(project).restore(first, mode=mode)
            deleted = [step.path for step in done.done if step.action is Action.DELETE]
            assert deleted == ([] if mode is Mode.OVERLAY else ["created"])
            if done.done:
                checkpoints.project(project).undo()
            assert (project / "created").exists()
        checkpoints.project(project).restore(first, mode=Mode.EXACT)
    assert (project / "untracked").read_text() == "mine, from before\n"
    assert sorted(p.name for p in (project / "local").iterdir()) == ["later", "notes"]


def test_the_safety_checkpoint_does_not_push_its_target_out(home: Path, project: Path) -> None:
    with Checkpoints.open(home, config=Config(max_snapshots=2)) as checkpoints:
        for number in range(2):
            (project / "f").write_text(f"{number}\n")
            checkpoints.project(project).take()
        oldest = checkpoints.project(project).list()[-1].id
        (project / "f").write_text("now\n")
        checkpoints.project(project).restore(oldest, mode=Mode.EXACT)
        assert (project / "f").read_text() == "0\n"
        assert checkpoints.project(project).get(oldest).id == oldest
        checkpoints.project(project).undo()
        assert (project / "f").read_text() == "now\n"


def test_a_narrow_restore_stays_narrow_in_every_mode(home: Path, project: Path) -> None:
    with Checkpoints.open(home) as checkpoints:
        first = auto(checkpoints, project)
        shutil.rmtree(project / "docs")
        (project / "src" / "app.py").write_text("agent\n")
        (project / "src" / "made").write_text("agent\n")
        (project / "made").write_text("agent\n")
        before = everything(project)
        for mode in Mode:
            done = checkpoints.project(project).restore(first, ["src"], mode=mode)
            after = everything(project)
            assert {name for name in {*before, *after} if before.get(name) != after.get(name)} == {
                "src/app.py",
                *([] if mode is Mode.OVERLAY else ["src/made"]),
            }, done
            checkpoints.project(project).undo()
            assert everything(project) == before


def test_a_path_that_was_created_since_may_be_named(home: Path, project: Path) -> None:
    with Checkpoints.open(home) as checkpoints:
        first = auto(checkpoints, project)
        (project / "made").mkdir()
        (project / "made" / "f").write_text("agent\n")
        with pytest.raises(PathUnknown):
            checkpoints.project(project).restore(first, ["made"], mode=Mode.OVERLAY)
        with pytest.raises(PathUnknown, match="lies there now, and mode exact deletes it"):
            checkpoints.project(project).restore(first, ["made"])  # the default for a named path
        checkpoints.project(project).restore(first, ["made"], mode=Mode.KEEP_EDITS)
    assert not (project / "made").exists()


def test_the_undo_can_be_undone_and_that_too(home: Path, project: Path) -> None:
    with Checkpoints.open(home) as checkpoints:
        first = auto(checkpoints, project)
        (project / "README.md").write_text("agent\n")
        (project / "made").write_text("agent\n")
        broken = everything(project)
        checkpoints.project(project).restore(first)
        restored = everything(project)
        for _ in range(3):
            checkpoints.project(project).undo()
            assert everything(project) == broken
            checkpoints.project(project).redo()
            assert everything(project) == restored


def test_what_rules_ignore_is_not_deleted_where_they_cannot_be_read(
    as_user: OrdinaryUserLike,
) -> None:
    home, project = as_user.tmp / "home", as_user.tmp / "project"

    def run() -> dict[str, str]:
        make_project(project)
        rules = project / "src" / ".gitignore"
        rules.write_text("*.tmp\n")
        with Checkpoints.open(home) as checkpoints:
            first = auto(checkpoints, project)
            (project / "src" / "mine.tmp").write_text("ignored\n")
            (project / "src" / "deep").mkdir()
            (project / "src" / "deep" / "mine.tmp").write_text("ignored\n")
            (project / "made").write_text("agent\n")
            rules.chmod(0)
            found: dict[str, str] = {}
            for mode in (Mode.EXACT, Mode.KEEP_EDITS):
                done = checkpoints.project(project).restore(first, mode=mode)
                assert [s.path for s in done.done if s.action is Action.DELETE] == ["made"]
                found |= {step.path: step.reason for step in done.kept}
                checkpoints.project(project).undo()
            rules.chmod(0o644)
        return found

    reasons = as_user(run)
    assert (project / "src" / "mine.tmp").exists()
    assert (project / "src" / "deep" / "mine.tmp").exists()
    assert reasons["src/mine.tmp"] == "perhaps ignored by a rule: src/.gitignore cannot be read"
    assert reasons["src/deep/mine.tmp"] == reasons["src/mine.tmp"]


def test_the_rules_before_the_restore_decide(home: Path, project: Path) -> None:
    """The rules of the checkpoint, which the restore brings back, would not spare the file."""
    with Checkpoints.open(home) as checkpoints:
        first = auto(checkpoints, project)
        (project / ".gitignore").write_text("precious\n")
        (project / "precious").write_text("mine\n")
        (project / "made").write_text("agent\n")
        done = checkpoints.project(project).restore(first, mode=Mode.EXACT)
        assert sorted(step.path for step in done.done) == [".gitignore", "made"]
    assert (project / "precious").read_text() == "mine\n"


def test_a_file_is_not_the_agents_because_it_looked_for_it(home: Path, project: Path) -> None:
    with Checkpoints.open(home) as checkpoints:
        first = auto(checkpoints, project)
        checkpoints.project(project).record_agent_write("wanted", session_id="s", tool="write")
        checkpoints.project(project).end_turn(session_id="s")
        (project / "wanted").write_text("mine\n")
        assert kept(checkpoints, project, first, Mode.KEEP_EDITS) == {"wanted": "you changed it"}
        done = checkpoints.project(project).restore(first)
        assert done.done == ()
    assert (project / "wanted").read_text() == "mine\n"


def test_a_turn_without_changes_reverts_nothing(home: Path, project: Path) -> None:
    manager = CheckpointManager(enabled=True, session_id="s")
    manager.new_turn()
    manager.ensure_checkpoint(str(project))
    manager.end_turn()
    (project / "README.md").write_text("mine\n")
    (project / "mine").write_text("mine\n")
    (project / "run.sh").unlink()
    (project / "empty").mkdir()
    (project / "docs").chmod(0o700)
    manager.new_turn()
    manager.ensure_checkpoint(str(project))
    manager.end_turn()
    before = everything(project)
    with Checkpoints.open(home) as checkpoints:
        for checkpoint in checkpoints.project(project).list():
            assert checkpoints.project(project).restore(checkpoint.id).done == ()
            assert everything(project) == before
    for entry in manager.list_checkpoints(str(project)):
        assert manager.restore(str(project), entry["hash"], safe=True)["restored_files"] == []
    assert everything(project) == before


def test_a_look_up_that_fails_is_no_absence(home: Path, project: Path) -> None:
    with Checkpoints.open(home) as checkpoints:
        with pytest.raises(ProjectUnknown):
            checkpoints.project(project).restore("1")
        with pytest.raises(ProjectUnknown):
            checkpoints.project(project).undo()
        first = auto(checkpoints, project)
        tree_id = checkpoints.find(first).tree_id
        (project / "made").write_text("agent\n")
        before = everything(project)
        (home / "checkpoints" / "store" / "objects" / tree_id[:2] / tree_id[2:]).unlink()
        for mode in Mode:
            with pytest.raises(CheckpointError):
                checkpoints.project(project).restore(first, mode=mode)
            with pytest.raises(CheckpointError):
                checkpoints.project(project).plan_restore(first, mode=mode)
        with pytest.raises(CheckpointError):
            checkpoints.project(project).read_file(first, "README.md")
        assert everything(project) == before


def test_an_empty_checkpoint_wipes_nothing_by_accident(home: Path, project: Path) -> None:
    aside = project.with_name("aside")
    project.rename(aside)
    project.mkdir()
    with Checkpoints.open(home) as checkpoints:
        checkpoints.project(project).take(kind=Kind.SAFETY)
        empty = checkpoints.project(project).list(safety=True)[0].id
        project.rmdir()
        aside.rename(project)
        before = everything(project)
        with pytest.raises(DirectoryReplaced):
            checkpoints.project(project).restore(empty)
        assert checkpoints.project(project).restore(empty, mode=Mode.OVERLAY).done == ()
        assert everything(project) == before
        checkpoints.project(project).restore(empty, mode=Mode.EXACT)
        assert list(project.iterdir()) == []
        checkpoints.project(project).undo()
        assert everything(project) == before


def test_head_index_refs_and_stash_of_the_project_stay(home: Path, project: Path) -> None:
    def git(*words: str) -> None:
        identity = ["-c", "user.name=n", "-c", "user.email=e@example.org"]
        subprocess.run(["git", *identity, *words], cwd=project, check=True, capture_output=True)

    git("init", "-q", "-b", "main")
    git("add", ".")
    git("commit", "-q", "-m", "one")
    (project / "README.md").write_text("stashed\n")
    git("stash")
    (project / "run.sh").write_text("staged\n")
    git("add", "run.sh")
    with Checkpoints.open(home) as checkpoints:
        first = auto(checkpoints, project)
        (project / "README.md").write_text("agent\n")
        (project / "run.sh").unlink()
        own = everything(project / ".git")
        times = {p: p.lstat().st_mtime_ns for p in (project / ".git").rglob("*")}
        for mode in Mode:
            checkpoints.project(project).restore(first, mode=mode)
            checkpoints.project(project).undo()
        checkpoints.project(project).restore(first)
    assert everything(project / ".git") == own
    assert {p: p.lstat().st_mtime_ns for p in (project / ".git").rglob("*")} == times
    assert (project / "run.sh").read_text() == "staged\n"


def test_a_restore_beside_a_take_is_told_who_holds_the_lock(home: Path, project: Path) -> None:
    with Checkpoints.open(home) as checkpoints:
        first = auto(checkpoints, project)
    (project / "README.md").write_text("agent\n")
    lock = Layout.of(home).project_lock(project_hash(project))
    with (
        exclusive(lock, purpose="take of this", timeout=0),
        Checkpoints.open(home) as checkpoints,
        pytest.raises(LockHeld, match="take of this"),
    ):
        object.__setattr__(checkpoints._base, "lock_timeout", 0.1)  # it is frozen
        checkpoints.project(project).restore(first)
    assert (project / "README.md").read_text() == "agent\n"


def test_only_directories_that_the_restore_emptied_are_removed(home: Path, project: Path) -> None:
    (project / ".gitignore").write_text("cache.d/\n")
    (project / "before").mkdir()
    with Checkpoints.open(home) as checkpoints:
        first = auto(checkpoints, project)
        for name in ("made/deep", "made/cache.d", "cache.d/inside", "emptied/deep"):
            (project / name).mkdir(parents=True)
        for name in ("made/deep/f", "emptied/deep/f"):
            (project / name).write_text("agent\n")
        checkpoints.project(project).end_turn(session_id="s")
        (project / "mine").mkdir()
        (project / "emptied" / "mine").mkdir()
        done = checkpoints.project(project).restore(first)
        assert [s.path for s in done.done] == [
            "emptied/deep/f",
            "made/deep/f",
            "made/deep",
            "emptied/deep",
        ]
        left = {p.relative_to(project).as_posix() for p in project.rglob("*") if p.is_dir()}
        assert left == {
            *("before", "cache.d", "cache.d/inside", "docs", "emptied", "emptied/mine"),
            *("made", "made/cache.d", "mine", "src"),
        }
        checkpoints.project(project).undo()
        assert (project / "made" / "deep" / "f").exists()


RACING = """
import sys
from hermes_checkpoints import Checkpoints
with Checkpoints.open(sys.argv[1]) as checkpoints:
    print(len(checkpoints.project(sys.argv[2]).undo().done))
"""


def test_two_undos_at_once_take_two_restores_back_or_one_is_refused(
    home: Path, project: Path
) -> None:
    states = []
    with Checkpoints.open(home) as checkpoints:
        for name in ("one", "two"):
            outcome = checkpoints.project(project).take(label=name)
            assert isinstance(outcome, Taken)
            (project / "f").write_text(name)
            states.append(everything(project))
        states.append(everything(project))
        checkpoints.project(project).restore("two", mode=Mode.EXACT)
        checkpoints.project(project).restore("one", mode=Mode.EXACT)
    running = [start(RACING, home, project) for _ in range(2)]
    answers = [process.finish() for process in running]
    codes = [answer.returncode for answer in answers]
    refused = [a for a in answers if "another undo or redo came first" in a.stderr]
    assert codes.count(0) + len(refused) == 2, answers
    with Checkpoints.open(home) as checkpoints:
        if refused:
            checkpoints.project(project).undo()
        with pytest.raises(NothingToUndo):
            checkpoints.project(project).undo()
    assert everything(project) == states[-1]
