"""Where a directory is refused to a take, what is about to be written is captured alone."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from capture.roundtrip import taken
from catalog.records import shell
from conftest import GitProcesses
from hermes_checkpoints import Checkpoints, Config, Mode, PathUnknown, Project
from hermes_checkpoints.model import Action, Actor, Kind, Skipped, Taken, Unchanged
from support import Run, everything


@pytest.fixture
def user(home: Path) -> Path:
    """The home directory of a user, in which the checkpoint base lies, too."""
    user = Path(os.environ["HOME"])
    (user / ".profile").write_text("as it was\n")
    (user / "thesis").write_text("ten years\n")
    return user


def test_in_a_home_the_named_file_is_captured_alone_and_the_outcome_says_why(
    user: Path, git_processes: GitProcesses
) -> None:
    with Checkpoints.open() as checkpoints:
        outcome = checkpoints.project(user).take("before write_file", about=".profile")
        assert isinstance(outcome, Taken)
        assert outcome.refused is not None
        assert outcome.refused.code == "home"
        checkpoint = outcome.checkpoint
        assert checkpoint.partial
        assert not checkpoint.complete
        assert checkpoint.reason == "before write_file (only .profile)"
        assert checkpoint.file_count == 1
        assert checkpoints.project(user).read_file("1", ".profile") == b"as it was\n"
        assert not any("ls-files" in command for command in git_processes.commands())
        assert isinstance(checkpoints.project(user).take(), Skipped)


def test_over_max_files_the_named_file_is_captured_alone(home: Path, project: Path) -> None:
    with Checkpoints.open(config=Config(max_files=2)) as checkpoints:
        outcome = checkpoints.project(project).take("before patch", about=["README.md"])
        assert isinstance(outcome, Taken)
        assert outcome.refused is not None
        assert outcome.refused.code == "too-many-files"
        assert outcome.checkpoint.partial


def test_where_the_whole_is_captured_the_named_file_makes_no_difference(
    home: Path, project: Path
) -> None:
    with Checkpoints.open() as checkpoints:
        outcome = checkpoints.project(project).take("before patch", about=["README.md"])
        assert isinstance(outcome, Taken)
        assert not outcome.checkpoint.partial
        assert (outcome.refused, outcome.checkpoint.reason) == (None, "before patch")


def test_nothing_in_the_base_or_a_dot_git_is_captured_alone(user: Path) -> None:
    with Checkpoints.open() as checkpoints:
        for base in ("", "/store"):
            inside = checkpoints.project(f"{user}/.hermes/checkpoints{base}")
            inside.working_dir.mkdir(exist_ok=True)
            outcome = inside.take(about="catalog.db")
            assert isinstance(outcome, Skipped)
            assert outcome.code == "checkpoint-base"
        home = checkpoints.project(user)
        assert isinstance(home.take(about=".hermes/checkpoints/catalog.db"), Skipped)
        for wrong in (".git/config", "../x", "/etc/hosts", ""):
            failed = home.take(about=wrong)
            assert not isinstance(failed, Taken)
        assert home.list() == []


def test_what_cannot_be_captured_alone_is_told(user: Path) -> None:
    (user / "disk.img").write_bytes(bytes(2 << 20))
    (user / "link").symlink_to(user / "folder")
    (user / "folder").mkdir()
    with Checkpoints.open(config=Config(max_file_size_mb=1)) as checkpoints:
        project = checkpoints.project(user)
        refused = project.take(about=["disk.img", "folder", "link/inside"])
        assert isinstance(refused, Skipped)
        assert "disk.img is not captured: oversize" in refused.reason
        outcome = taken(project.take(about=["disk.img", ".profile"]))
        assert [(one.path, one.reason) for one in project.skipped(outcome)] == [
            ("disk.img", "oversize")
        ]


def test_the_same_file_as_it_was_adds_no_checkpoint(user: Path) -> None:
    with Checkpoints.open() as checkpoints:
        project = checkpoints.project(user)
        first = taken(project.take(about=".profile"))
        again = project.take(about=".profile")
        assert isinstance(again, Unchanged)
        assert again.checkpoint == first
        assert again.refused is not None
        taken(project.take(about="thesis"))
        taken(project.take(about=".profile"))  # number 1 must mean what was asked for now


def held(user: Path) -> dict[str, object]:
    """All that lies in a home but the checkpoints themselves."""
    return {path: what for path, what in everything(user).items() if ".hermes" not in path}


def write(project: Project, path: str, text: str) -> None:
    """What a tool of an agent does, with a checkpoint before and a report after it."""
    project.take("before write_file", kind="auto", about=path)  # type: ignore[arg-type]
    file = project.working_dir / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    project.record_agent_write(path, tool="write_file")


@pytest.mark.campaign
def test_a_restore_touches_its_own_files_alone_and_can_be_undone(user: Path) -> None:
    with Checkpoints.open() as checkpoints:
        project = checkpoints.project(user)
        write(project, ".profile", "by the agent\n")
        (user / "thesis").write_text("eleven years\n")
        (user / "new").write_text("by a person\n")
        before = held(user)
        assert [change.path for change in project.diff("1").changes] == [".profile"]
        for mode in Mode:
            done = project.restore("1", mode=mode)
            assert done.complete
            assert [step.path for step in done.done] == [".profile"]
            assert done.safety.partial
            assert (user / ".profile").read_text() == "as it was\n"
            assert project.undo().complete
            assert held(user) == before


@pytest.mark.campaign
def test_what_was_missing_is_removed_again_as_the_agents_file(user: Path) -> None:
    with Checkpoints.open() as checkpoints:
        project = checkpoints.project(user)
        before = held(user)
        write(project, "notes/today/todo.txt", "by the agent\n")
        assert project.missing() == ["notes", "notes/today", "notes/today/todo.txt"]
        reason = "before write_file (only notes/today/todo.txt which was missing)"
        assert project.get().reason == reason
        assert project.diff().changes[0].status == "A"
        assert project.restore("1", mode=Mode.OVERLAY).done == ()
        done = project.restore("1")
        assert done.complete
        assert held(user) == before
        assert project.undo().complete
        assert (user / "notes/today/todo.txt").read_text() == "by the agent\n"
        (user / "notes/mine.txt").write_text("by a person\n")
        assert project.redo().complete
        assert (user / "notes/mine.txt").exists()
        assert not (user / "notes/today").exists()


@pytest.mark.campaign
def test_what_a_person_made_of_it_is_kept(user: Path) -> None:
    with Checkpoints.open() as checkpoints:
        project = checkpoints.project(user)
        write(project, ".profile", "by the agent\n")
        write(project, "todo.txt", "by the agent\n")
        for path in (".profile", "todo.txt"):
            (user / path).write_text("by a person\n")
        for number in ("1", "2"):
            kept = project.restore(number)
            assert kept.kept_all
            assert kept.kept[0].reason == "no record of who changed it"
        with pytest.raises(PathUnknown, match="mode exact deletes it"):
            project.restore("1", "todo.txt")
        assert project.restore("2", mode=Mode.OVERLAY).complete
        assert (user / ".profile").read_text() == "as it was\n"
        assert project.undo().complete
        assert project.restore("2").kept_all  # the undo brought a person's edit back


def test_an_edit_of_a_person_between_two_turns_is_kept(user: Path) -> None:
    with Checkpoints.open() as checkpoints:
        project = checkpoints.project(user)
        write(project, ".profile", "by the agent\n")
        (user / ".profile").write_text("by a person\n")
        write(project, ".profile", "by the agent again\n")
        assert project.restore("2").kept_all
        assert project.restore("1").complete
        assert (user / ".profile").read_text() == "by a person\n"
        assert [event.actor for event in project.who(".profile")][::-1] == [
            Actor.UNKNOWN,
            Actor.AGENT,
            Actor.RESTORE,
        ]


def test_two_turns_of_the_agent_are_taken_back_together(user: Path) -> None:
    with Checkpoints.open() as checkpoints:
        project = checkpoints.project(user)
        for text in ("first\n", "second\n"):
            write(project, ".profile", text)
        done = project.restore("2")
        assert done.complete
        assert (user / ".profile").read_text() == "as it was\n"


def test_directories_above_come_back_as_they_were_and_are_left_alone_where_they_stand(
    user: Path,
) -> None:
    secret = user / "keys/inner"
    secret.mkdir(parents=True, mode=0o700)
    secret.chmod(0o700)
    (secret / "key").write_text("as it was\n")
    with Checkpoints.open() as checkpoints:
        project = checkpoints.project(user)
        project.take(about="keys/inner/key")
        (secret / "key").unlink()
        secret.rmdir()
        plan = project.plan_restore("1", mode=Mode.OVERLAY)
        assert [(step.action, step.path) for step in plan.steps] == [
            (Action.MKDIR, "keys/inner"),
            (Action.WRITE, "keys/inner/key"),
        ]
        assert project.restore("1", mode=Mode.OVERLAY, plan=plan).complete
        assert secret.stat().st_mode & 0o777 == 0o700
        secret.chmod(0o750)
        (secret / "key").write_text("changed\n")
        assert project.restore("1", mode=Mode.EXACT).complete
        assert secret.stat().st_mode & 0o777 == 0o750


def test_a_partial_checkpoint_survives_the_loss_of_the_catalog(user: Path) -> None:
    with Checkpoints.open() as checkpoints:
        project = checkpoints.project(user)
        write(project, "todo.txt", "by the agent\n")
        write(project, ".profile", "by the agent\n")
        before = [(one.id, one.partial, one.file_count, one.reason) for one in project.list()]
    base = user / ".hermes/checkpoints"
    for name in base.glob("catalog.db*"):
        name.unlink()
    with Checkpoints.open() as checkpoints:
        project = checkpoints.project(user)
        found = [(one.id, one.partial, one.file_count, one.reason) for one in project.list()]
        assert found == before
        assert project.missing("2") == ["todo.txt"]
        assert project.restore("2", mode=Mode.EXACT).complete
        assert not (user / "todo.txt").exists()


def test_partial_checkpoints_are_counted_by_max_snapshots(user: Path) -> None:
    with Checkpoints.open(config=Config(max_snapshots=3)) as checkpoints:
        project = checkpoints.project(user)
        for number in range(6):
            write(project, ".profile", f"{number}\n")
        assert len(project.list()) == 3


def test_a_folder_in_a_shared_one_stays_a_project_of_its_own(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = tmp_path / "shared"
    (shared / "work/deep").mkdir(parents=True)
    (shared / "note").write_text("as it was\n")
    monkeypatch.setenv("TMPDIR", str(shared))
    monkeypatch.setattr("tempfile.tempdir", None)
    with Checkpoints.open() as checkpoints:
        outcome = checkpoints.project(shared).take(about="note")
        assert isinstance(outcome, Taken)
        assert outcome.refused is not None
        assert outcome.refused.code == "temporary-root"
        assert checkpoints.project_of(shared / "work/deep").working_dir == shared / "work/deep"
        (shared / "note").write_text("changed\n")
        assert checkpoints.project(shared).restore("1", mode=Mode.OVERLAY).complete
        assert (shared / "note").read_text() == "as it was\n"


@pytest.mark.campaign
def test_every_list_marks_it_and_the_verbs_work_with_it(user: Path, run: Run) -> None:
    with Checkpoints.open() as checkpoints:
        project = checkpoints.project(user)
        write(project, "todo.txt", "by the agent\n")
        write(project, ".profile", "by the agent\n")
    assert run("log", user).out.count("[partial]") == 2
    listed = json.loads(run("log", user, "--json").out)["checkpoints"]
    assert [one["partial"] for one in listed] == [True, True]
    text = run("show", "2", "--dir", user).out
    assert "Missing when it was taken (1):\n  todo.txt" in text
    assert "Holds only (1):\n  A  .profile" in run("show", "1", "--dir", user).out
    assert json.loads(run("show", "2", "--dir", user, "--json").out)["missing"] == [
        {"path": "todo.txt"}
    ]
    assert "-as it was" in run("diff", "1", "--dir", user).out
    run("restore", "1", "--dir", user, "-f")
    assert (user / ".profile").read_text() == "as it was\n"
    run("undo", "--dir", user, "-f")
    assert (user / ".profile").read_text() == "by the agent\n"
    run("restore", "2", "--dir", user, "-f")
    assert not (user / "todo.txt").exists()
    with closing(sqlite3.connect(user / ".hermes/checkpoints/catalog.db")) as catalog:
        query = "SELECT count(*) FROM checkpoints WHERE partial AND kind != 'safety'"
        assert catalog.execute(query).fetchone() == (2,)


def test_a_partial_checkpoint_does_not_hide_that_the_directory_is_refused(
    home: Path, tree: Path
) -> None:
    for number in range(4):
        (tree / f"{number}.txt").write_text("x\n")
    with Checkpoints.open(home, config=Config(max_files=2)) as checkpoints:
        handle = checkpoints.project(tree)
        assert isinstance(handle.take(), Skipped)
        for text in ("one\n", "one\n", "two\n"):
            (tree / "1.txt").write_text(text)
            outcome = handle.take("before write_file", about="1.txt")
            assert isinstance(outcome, Taken | Unchanged)
        run = handle.failing()
        assert run is not None
        assert (run.count, run.refused) == (4, True)
        assert run.last_error.startswith("only 1.txt was captured: ")
        (health,) = shell(checkpoints._base.layout.catalog, "SELECT * FROM take_health")
        assert (health["failures_since_success"], health["refusals_since_success"]) == (0, 4)
        for number in (2, 3):
            (tree / f"{number}.txt").unlink()
        assert isinstance(handle.take(), Taken)
        assert handle.failing() is None


@pytest.fixture
def project_of_three(home: Path, tmp_path: Path) -> Iterator[tuple[Project, Path]]:
    """A project with as many files as are captured, and a path that makes them too many."""
    folder = tmp_path / "three"
    folder.mkdir()
    for name in ("a", "b", "c"):
        (folder / name).write_text("as it was\n")
    with Checkpoints.open(config=Config(max_files=3)) as checkpoints:
        yield checkpoints.project(folder), folder / "one-more"


def test_what_a_tool_wrote_comes_back_when_the_whole_was_captured_since(
    project_of_three: tuple[Project, Path],
) -> None:
    project, more = project_of_three
    for before in ([], [project.take(kind=Kind.AUTO)]):
        project.end_turn()
        more.touch()
        write(project, "a", f"by the agent {len(before)}\n")
        more.unlink()
        outcome = project.take(kind=Kind.AUTO)
        assert isinstance(outcome, Taken)
        assert not outcome.checkpoint.partial
        done = project.restore("2")
        assert [(step.path, step.reason) for step in done.done] == [
            ("a", "agent changed (write_file)")
        ]
        assert (project.working_dir / "a").read_text() == "as it was\n"


def test_an_edit_before_the_first_whole_checkpoint_is_kept_by_a_restore_of_a_partial_one(
    project_of_three: tuple[Project, Path],
) -> None:
    project, more = project_of_three
    more.touch()
    for path in ("a", "new"):
        project.take(kind=Kind.AUTO, about=path)
        (project.working_dir / path).write_text("by a person\n")
    more.unlink()
    (project.working_dir / "b").unlink()
    assert isinstance(project.take(kind=Kind.AUTO), Taken)
    for path in ("a", "new"):
        (project.working_dir / path).write_text("by the agent, after a person\n")
        project.record_agent_write(path, tool="write_file")
    project.end_turn()
    for number in ("2", "3"):
        assert project.restore(number).kept_all
    assert (project.working_dir / "a").read_text() == "by the agent, after a person\n"


def test_other_edits_are_kept_where_an_agent_was_at_work_on_files_captured_alone(
    project_of_three: tuple[Project, Path],
) -> None:
    project, more = project_of_three
    taken(project.take("by hand"))
    more.touch()
    write(project, "a", "by the agent\n")
    (project.working_dir / "b").write_text("by a person\n")
    done = project.restore("2")
    assert [step.path for step in done.done] == ["a"]
    assert ("b", "you changed it") in [(step.path, step.reason) for step in done.kept]


def test_number_one_is_the_whole_that_was_asked_for_after_a_partial_one(
    project_of_three: tuple[Project, Path],
) -> None:
    project, more = project_of_three
    whole = taken(project.take())
    more.touch()
    taken(project.take(about="a"))
    more.unlink()
    again = taken(project.take())
    assert again.state_id == whole.state_id
    assert project.get("1") == again


def test_of_other_paths_a_partial_checkpoint_says_nothing(
    project_of_three: tuple[Project, Path],
) -> None:
    project, more = project_of_three
    taken(project.take())
    more.touch()
    for path in ("a", "new/deep", "b"):
        project.take(about=path)
    (project.working_dir / "a").write_text("changed\n")
    taken(project.take(about=["a", "new/other"]))
    # 1: a, new/other; 2: b; 3: new/deep, missing with its directory; 4: a; 5: all of it
    assert [change.path for change in project.diff("4", "1").changes] == ["a"]
    assert [change.path for change in project.diff("3", "1").changes] == []
    assert [change.path for change in project.diff("1", "5", paths=["a"]).changes] == ["a"]
    with pytest.raises(PathUnknown, match="tell of no path in common"):
        project.diff("2", "3")
    for call in (
        lambda: project.diff("4", "5", paths=["b"]),
        lambda: project.diff("5", "4", paths=["b"]),
        lambda: project.plan_restore("4", "b"),
        lambda: project.restore("4", "b", mode=Mode.EXACT),
    ):
        with pytest.raises(PathUnknown, match="is partial and tells nothing of 'b'"):
            call()
    assert (project.working_dir / "b").exists()
