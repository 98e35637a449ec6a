"""What is called held can be restored, and what can be restored is called held: judged by what git
has in the tree of each live checkpoint."""

from __future__ import annotations

import contextlib
import random
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import GitProcesses, Statements
from hermes_checkpoints import Checkpoints, Config
from hermes_checkpoints.cli.path_log import done_to
from hermes_checkpoints.errors import BadRequest, PathUnknown, ProjectUnknown
from hermes_checkpoints.model import ChangeStatus, Checkpoint, Policy, Taken
from history.old_bases import extracted
from retention.histories import AT_ONCE, History
from retention.test_partly_lost import lose
from support import OrdinaryUserLike, every


def in_git(history: History, checkpoint: Checkpoint) -> dict[str, str]:
    """Return which contents the tree of a checkpoint has, by path."""
    listed = history.git("ls-tree", "-r", "-z", f"{checkpoint.id}:tree").split("\0")[:-1]
    entries = (one.split("\t", 1) for one in listed)
    return {path: head.split(" ")[2] for head, path in entries}


def assert_as_git_says(history: History, working_dir: Path) -> None:
    """Each path that a live checkpoint has is found, with the newest that does, and no other."""
    project = history.checkpoints.project(working_dir)
    live = project.list(safety=True)
    trees = {one.id: in_git(history, one) for one in live}
    expected: dict[str, tuple[str, str]] = {}
    for one in live:
        for path, blob in trees[one.id].items():
            expected.setdefault(path, (one.id, blob))
    found = project.find_paths().found
    assert {one.path: (one.checkpoint.id, one.blob) for one in found} == expected
    numbers = {one.id: number for number, one in enumerate(project.list(), 1)}
    for at in found:
        assert at.number == numbers.get(at.checkpoint.id)
        assert at.bytes == len(project.read_file(at.checkpoint, at.path))
        assert (at.now == "there") == (working_dir / at.path).is_file()
    for path in expected:
        whole = [one for one in live if not one.partial]
        told = [trees[one.id].get(path) for one in whole]
        changed = [
            one.id
            for one, now, before in zip(whole, told, [*told[1:], None], strict=True)
            if now != before
        ]
        steps = [s for s in project.history(path).steps if not s.checkpoint.partial]
        assert [s.checkpoint.id for s in steps if not s.of_permissions] == changed, path


def drop(history: History, working_dir: Path, checkpoint: Checkpoint) -> None:
    project = history.checkpoints.project(working_dir)
    project.drop(checkpoint, include_pinned=True, options=AT_ONCE)


def prune(history: History, keep: int) -> None:
    plan = history.checkpoints.plan_prune(policy=Policy(max_snapshots=keep))
    history.checkpoints.prune(plan=plan, options=AT_ONCE)


@pytest.mark.campaign(beyond=1)
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(48)[:: every(12)])
def test_any_history_of_takes_drops_prunes_and_restores_is_told_as_git_has_it(
    history: History, seed: int
) -> None:
    chance = random.Random(seed)  # noqa: S311
    working_dir = history.project()
    project = history.checkpoints.project(working_dir)
    names = ["a", "b", "src/c", "src/d", "docs/deep/e"]
    (working_dir / "keep").write_text("always")
    for _ in range(40):
        name = working_dir / chance.choice(names)
        what = chance.choice(["write", "write", "delete", "bits", "take", "take", "take", "more"])
        if what == "write":
            name.parent.mkdir(parents=True, exist_ok=True)
            name.write_text(str(chance.randrange(4)))
        elif what == "delete":
            name.unlink(missing_ok=True)
        elif what == "bits" and name.exists():
            name.chmod(chance.choice([0o644, 0o755, 0o600]))
        elif what == "take":
            project.take()
        elif what == "more" and (live := project.list(safety=True)):
            more = chance.choice(["drop newest", "drop", "prune", "restore", "partial"])
            if more == "drop newest":
                drop(history, working_dir, live[0])
            elif more == "drop":
                drop(history, working_dir, chance.choice(live))
            elif more == "prune":
                prune(history, chance.randrange(1, 4))
            elif more == "restore":
                with contextlib.suppress(PathUnknown):
                    project.restore(chance.choice(live), mode="overlay")
            else:
                project.take(about=str(name.relative_to(working_dir)), alone=True)
    project.take()
    assert_as_git_says(history, working_dir)


def test_what_only_a_dropped_checkpoint_had_is_not_found(history: History) -> None:
    working_dir = history.project()
    project = history.checkpoints.project(working_dir)
    history.take(working_dir)
    (working_dir / "only-then").write_text("x")
    history.take(working_dir)
    drop(history, working_dir, project.get("latest"))
    (working_dir / "only-then").unlink()
    history.take(working_dir)
    assert project.find_paths("only-then").total == 0
    assert_as_git_says(history, working_dir)


@pytest.mark.campaign
def test_what_a_dropped_checkpoint_lacked_and_others_have_is_found_after_a_prune(
    history: History,
) -> None:
    working_dir = history.project()
    project = history.checkpoints.project(working_dir)
    (working_dir / "note").write_text("kept")
    history.take(working_dir)
    (working_dir / "note").unlink()
    history.take(working_dir)
    drop(history, working_dir, project.get("latest"))
    (working_dir / "note").write_text("kept")
    for _ in range(3):
        history.take(working_dir)
    prune(history, 1)
    (working_dir / "note").unlink()
    [found] = project.find_paths("note", deleted=True).found
    assert found.checkpoint == project.get("latest")
    assert_as_git_says(history, working_dir)


def test_the_changes_of_pruned_checkpoints_count_for_those_that_came_after(
    history: History,
) -> None:
    working_dir = history.project()
    project = history.checkpoints.project(working_dir)
    (working_dir / "note").write_text("1")
    first = history.take(working_dir)
    project.pin(first)
    (working_dir / "note").write_text("22")
    history.take(working_dir)
    (working_dir / "note").write_text("333")
    (working_dir / "came").write_text("x")
    history.take(working_dir)
    last = history.take(working_dir)
    prune(history, 1)
    assert [one.id for one in project.list()] == [last.id, first.id]
    steps = project.history("note").steps
    assert [(s.number, s.status, s.bytes, s.insertions) for s in steps] == [
        (1, ChangeStatus.MODIFIED, 3, None),
        (2, ChangeStatus.ADDED, 1, None),
    ]
    assert project.history("came").steps[0].status is ChangeStatus.ADDED
    assert_as_git_says(history, working_dir)


def test_a_content_that_the_store_lost_is_not_called_held(history: History) -> None:
    working_dir = history.project()
    project = history.checkpoints.project(working_dir)
    (working_dir / "lost.txt").write_text("older")
    older = history.take(working_dir)
    (working_dir / "lost.txt").write_text("newer")
    newer = history.take(working_dir)
    (working_dir / "lost.txt").unlink()
    history.take(working_dir)
    lose(history, newer, "lost.txt")
    prune(history, 0)
    assert project.get(newer.id).partly_lost
    [found] = project.find_paths("lost.txt").found
    assert found.checkpoint.id == older.id
    lost = project.history("lost.txt").lost
    assert lost is not None
    assert lost.checkpoint.id == older.id


def test_of_a_directory_that_is_gone_a_file_that_is_not_lost_is_told(history: History) -> None:
    working_dir = history.project()
    project = history.checkpoints.project(working_dir)
    (working_dir / "sub").mkdir()
    for name in ("kept", "lost"):
        (working_dir / f"sub/{name}").write_text(name)
        newest = history.take(working_dir)
    shutil.rmtree(working_dir / "sub")
    history.take(working_dir)
    lose(history, newest, "sub/lost")
    lost = project.history("sub").lost
    assert lost is not None
    assert (lost.path, lost.lost) == ("sub/kept", False)


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("known", [False, True])
def test_a_path_whose_every_content_the_store_lost_is_called_lost(
    history: History, known: bool
) -> None:
    working_dir = history.project()
    project = history.checkpoints.project(working_dir)
    (working_dir / "lost.txt").write_text("older")
    older = history.take(working_dir)
    (working_dir / "lost.txt").write_text("newer")
    newer = history.take(working_dir)
    (working_dir / "lost.txt").unlink()
    history.take(working_dir)
    lose(history, newer, "lost.txt")
    [found] = project.find_paths("lost.txt").found  # nobody has looked since
    assert (found.checkpoint.id, found.bytes, found.lost) == (older.id, 5, False)
    saved = lose(history, older, "lost.txt")
    if known:
        prune(history, 0)
        assert project.get(newer.id).partly_lost
    [found] = project.find_paths("lost.txt", deleted=True).found
    lost = project.history("lost.txt").lost
    assert lost is not None
    assert [(one.checkpoint.id, one.lost) for one in (found, lost)] == [(newer.id, True)] * 2
    with pytest.raises(PathUnknown, match=r"the last .* and the object store lacks its contents"):
        project.read_file("latest", "lost.txt")
    for file, content in saved:
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(content)
    [found] = project.find_paths("lost.txt").found
    assert (found.checkpoint.id, found.lost) == (older.id, False)


def test_a_partial_checkpoint_holds_its_files_and_tells_of_no_other(home: Path) -> None:
    folder = home.parent / "large"
    folder.mkdir()
    for name in ("a.txt", "b.txt"):
        (folder / name).write_text(name)
    with Checkpoints.open(home, config=Config(max_files=1)) as checkpoints:
        project = checkpoints.project(folder)
        assert isinstance(project.take(about="a.txt"), Taken)
        (folder / "a.txt").unlink()
        found = project.find_paths()
        assert [(one.path, one.now.value, one.checkpoint.partial) for one in found.found] == [
            ("a.txt", "gone", True)
        ]
        (step,) = project.history("a.txt").steps
        assert (step.status, step.bytes) == (None, 5)
        assert project.history("b.txt").steps == ()


def test_a_safety_checkpoint_that_alone_holds_a_path_is_named_by_its_id(history: History) -> None:
    working_dir = history.project()
    project = history.checkpoints.project(working_dir)
    first = history.take(working_dir)
    (working_dir / "between").write_text("never taken by hand")
    safety = project.restore(first, mode="exact").safety
    [found] = project.find_paths("between", deleted=True).found
    assert (found.checkpoint.id, found.number) == (safety.id, None)


def test_all_projects_are_searched_and_each_path_is_of_its_own(history: History) -> None:
    for name in ("alpha", "beta"):
        working_dir = history.project(name)
        (working_dir / "note").write_text(name)
        history.take(working_dir)
    (history.project("alpha") / "note").unlink()
    found = history.checkpoints.find_paths("note").found
    assert {(one.checkpoint.working_dir, one.now.value) for one in found} == {
        (str(history.project("alpha")), "gone"),
        (str(history.project("beta")), "there"),
    }
    [deleted] = history.checkpoints.find_paths("note", deleted=True).found
    assert deleted.checkpoint.working_dir == str(history.project("alpha"))


def test_who_changed_it_last_is_of_the_path_and_its_project(history: History) -> None:
    working_dir = history.project()
    project = history.checkpoints.project(working_dir)
    (working_dir / "note").write_text("x")
    history.take(working_dir, kind="auto", session_id="s-1", turn=3, title="Tidy up")
    (working_dir / "note").unlink()
    project.end_turn(session_id="s-1")
    [found] = project.find_paths("note", deleted=True).found
    assert found.last is not None
    assert (found.last.actor, found.last.session_id, found.last.turn) == ("agent", "s-1", 3)
    assert (found.last.status, found.turn_title) == (ChangeStatus.DELETED, "Tidy up")
    history.take(working_dir)
    assert project.history("note").steps[0].turn_title == "Tidy up"


def test_a_change_that_several_had_a_hand_in_is_not_called_one_of_the_last_alone(
    history: History,
) -> None:
    working_dir = history.project()
    project = history.checkpoints.project(working_dir)
    (working_dir / "note").write_text("one\n")
    (working_dir / "own").write_text("one\n")
    history.take(working_dir, kind="auto", session_id="s-1", turn=1)
    (working_dir / "note").write_text("one\ntwo\n")
    project.end_turn(session_id="s-1")
    (working_dir / "note").write_text("one\ntwo\nthree\n")
    (working_dir / "own").write_text("two\n")
    history.take(working_dir, kind="auto", session_id="s-1", turn=2)
    note, own = project.history("note").steps[0], project.history("own").steps[0]
    assert note.last is not None
    assert own.last is not None
    assert (note.last.actor, own.last.actor) == ("person", "person")
    assert (note.insertions, note.others, own.others) == (2, True, False)
    assert done_to(note) == "changed, last by you"
    assert done_to(own) == "changed by you"


# --- contents -----------------------------------------------------------------------------------


def test_the_newest_content_that_matches_is_found_with_its_line(history: History) -> None:
    working_dir = history.project()
    project = history.checkpoints.project(working_dir)
    texts = ["one\ndef lost():\n", "one\ndef lost(): # 2\n", "one\n"]
    taken = []
    for text in texts:
        (working_dir / "app.py").write_text(text)
        taken.append(history.take(working_dir))
    [found] = project.find_paths("*.py", content=r"^def \w+").found
    assert found.checkpoint.id == taken[1].id
    assert found.match is not None
    assert (found.match.line, found.match.text) == (2, "def lost(): # 2")
    assert found.blob == in_git(history, taken[1])["app.py"]


def test_the_end_of_a_line_is_before_whichever_line_end_there_is(history: History) -> None:
    working_dir = history.project()
    (working_dir / "dos").write_bytes(b"one\r\ntwo needle\r\n")
    (working_dir / "unix").write_bytes(b"one\ntwo needle\n")
    (working_dir / "last").write_bytes(b"two needle")
    history.take(working_dir)
    project = history.checkpoints.project(working_dir)

    def lines(expression: str) -> dict[str, int]:
        found = project.find_paths("[dlu]*[sxt]", content=expression).found
        return {one.path: one.match.line for one in found if one.match is not None}

    assert lines("^two needle$") == {"dos": 2, "unix": 2, "last": 1}
    assert lines(r"needle\r\n") == {"dos": 2}
    assert lines(r"needle\n\Z") == {"dos": 2, "unix": 2}


def test_there_is_no_line_behind_the_last_line_end(history: History) -> None:
    working_dir = history.project()
    (working_dir / "full").write_bytes(b"one\ntwo\n")
    (working_dir / "gap").write_bytes(b"one\r\n\r\ntwo\r\n")
    (working_dir / "empty").write_bytes(b"")
    history.take(working_dir)
    found = history.checkpoints.project(working_dir).find_paths("[efg]*", content="^$").found
    lines = {one.path: one.match.line for one in found if one.match is not None}
    assert lines == {"gap": 2, "empty": 1}


def test_each_content_is_read_once_by_one_process(
    history: History, git_processes: GitProcesses
) -> None:
    working_dir = history.project()
    for number in range(3):
        for name in "abc":
            (working_dir / name).write_text(f"the same {number}")
        history.take(working_dir)
    project = history.checkpoints.project(working_dir)
    git_processes.reset()
    assert project.find_paths("[abc]", content="same 0").total == 3
    assert git_processes.commands() == [["cat-file", "--batch"]]


def test_what_is_not_searched_is_named(history: History, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hermes_checkpoints.admin.searching.MOST_BYTES", 1000)
    working_dir = history.project()
    (working_dir / "binary").write_bytes(b"text\0text")
    (working_dir / "large").write_text("text" * 1000)
    (working_dir / "small").write_text("text")
    history.take(working_dir, size=100)
    result = history.checkpoints.project(working_dir).find_paths("[bls]*", content="text")
    assert [one.path for one in result.found] == ["small"]
    assert {(one.path, one.reason) for one in result.not_searched} == {
        ("binary", "binary"),
        ("large", "large"),
    }


def test_bytes_that_are_no_text_are_searched_and_shown(history: History) -> None:
    working_dir = history.project()
    (working_dir / "latin").write_bytes(b"gr\xfc\xdfe\r\n")
    history.take(working_dir)
    [found] = history.checkpoints.project(working_dir).find_paths(content=r"gr\xfc").found
    assert found.match is not None
    assert found.match.text == "gr\udcfc\udcdfe"


# --- what cannot be seen ------------------------------------------------------------------------


@pytest.mark.campaign
def test_a_closed_directory_is_not_called_deleted(as_user: OrdinaryUserLike) -> None:
    def look(tmp: Path) -> tuple[int, int, str]:
        working_dir = tmp / "work"
        (working_dir / "closed").mkdir(parents=True)
        (working_dir / "closed/note").write_text("x")
        with Checkpoints.open() as checkpoints:
            project = checkpoints.project(working_dir)
            assert isinstance(project.take(), Taken)
            (working_dir / "closed").chmod(0)
            try:
                result = project.find_paths("note", deleted=True)
                [found] = project.find_paths("note").found
            finally:
                (working_dir / "closed").chmod(0o755)
        return result.total, result.unseen, found.now.value

    assert as_user(look, as_user.tmp) == (0, 1, "unseen")


def test_what_lies_behind_a_link_or_below_a_file_is_gone(history: History) -> None:
    working_dir = history.project()
    project = history.checkpoints.project(working_dir)
    for name in ("moved", "file", "folder"):
        (working_dir / name).mkdir()
        (working_dir / name / "note").write_text(name)
    (working_dir / "plain").write_text("x")
    history.take(working_dir)
    (working_dir / "moved").rename(working_dir.parent / "elsewhere")
    (working_dir / "moved").symlink_to("../elsewhere")
    shutil.rmtree(working_dir / "file")
    (working_dir / "file").write_text("now a file")
    (working_dir / "plain").unlink()
    (working_dir / "plain").mkdir()
    found = project.find_paths(deleted=True).found
    assert [one.path for one in found] == ["file/note", "moved/note", "plain"]


def test_all_of_a_project_whose_directory_is_gone_is_deleted(history: History) -> None:
    working_dir = history.project()
    history.take(working_dir)
    shutil.rmtree(working_dir)
    project = history.checkpoints.project(working_dir)
    assert [one.now.value for one in project.find_paths().found] == ["gone"]
    (working_dir.parent).rename(working_dir.parent.with_name("unmounted"))
    assert [one.now.value for one in project.find_paths().found] == ["unseen"]
    assert project.find_paths(deleted=True).unseen == 1


# --- arguments and costs ------------------------------------------------------------------------


def test_what_cannot_be_searched_for_is_refused(history: History) -> None:
    working_dir = history.project()
    project = history.checkpoints.project(working_dir)
    with pytest.raises(ProjectUnknown):
        project.find_paths()
    history.take(working_dir)
    with pytest.raises(BadRequest, match="no regular expression"):
        project.find_paths(content="(")
    with pytest.raises(BadRequest):
        project.find_paths("")
    with pytest.raises(BadRequest):
        project.find_paths(limit=-1)


def test_a_limit_leaves_out_those_that_were_held_longest_ago(history: History) -> None:
    working_dir = history.project()
    project = history.checkpoints.project(working_dir)
    for name in "abc":
        (working_dir / name).write_text(name)
        history.take(working_dir)
        (working_dir / name).unlink()
    result = project.find_paths("[abc]", limit=2)
    assert ([one.path for one in result.found], result.total) == (["c", "b"], 3)


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("everywhere", [False, True])
def test_names_cost_as_many_statements_however_many_paths_and_checkpoints_there_are(
    history: History,
    statements: Statements,
    everywhere: bool,
    home: Path,
) -> None:
    def count() -> int:
        with Checkpoints.open(home) as checkpoints:
            project = checkpoints.project(history.project())
            statements.reset()
            found = (checkpoints if everywhere else project).find_paths("*")
            assert found.total
            return len([s for s in statements.executed if s.lstrip().startswith("SELECT")])

    working_dir = history.project()
    history.take(working_dir)
    count()  # the first looks once more at what it does not know yet
    before = count()
    for number in range(30):
        (working_dir / f"file{number}").write_text(str(number))
        history.take(working_dir)
    history.take(history.project("beta"))
    assert count() == before
    assert before <= 7


def test_names_start_one_git_for_what_lies_in_packs_and_one_for_a_tree_behind_pruned_ones(
    history: History, git_processes: GitProcesses
) -> None:
    working_dir = history.project()
    history.takes(working_dir, 3)
    project = history.checkpoints.project(working_dir)
    git_processes.reset()
    assert project.find_paths().total == 1
    assert git_processes.count() == 0
    history.git("gc", "--quiet", "--prune=now")
    git_processes.reset()
    assert project.find_paths().total == 1
    assert git_processes.count() == 1
    prune(history, 2)
    git_processes.reset()
    assert project.find_paths().total == 1
    assert git_processes.count() == 2


def test_a_tree_that_cannot_be_read_is_said_and_the_rest_is_found(history: History) -> None:
    working_dir = history.project()
    project = history.checkpoints.project(working_dir)
    (working_dir / "sub").mkdir()
    (working_dir / "sub/note").write_text("x")
    history.takes(working_dir, 3)
    prune(history, 2)
    oldest = project.list()[-1]
    tree = history.git("rev-parse", f"{oldest.id}:tree/sub").strip()
    (pack,) = history.store.glob("objects/pack/*.pack")
    moved = pack.rename(history.home / "aside.pack")
    for left in history.store.glob("objects/pack/*"):
        left.unlink()
    command = ["git", f"--git-dir={history.store}", "unpack-objects", "-q"]
    subprocess.run(command, check=True, input=moved.read_bytes())
    (history.store / "objects" / tree[:2] / tree[2:]).unlink()
    result = project.find_paths()
    assert [one.path for one in result.found] == ["data"]
    assert "cannot be read" in result.notes[0]
    assert oldest.short_id in result.notes[0]


def test_nothing_is_written(history: History) -> None:
    working_dir = history.project()
    history.take(working_dir)
    catalog = history.home / "checkpoints/catalog.db"

    def rows() -> list[str]:
        with contextlib.closing(sqlite3.connect(catalog)) as connection:
            return [*connection.iterdump()]

    before = rows()
    history.checkpoints.find_paths(deleted=True, content="x")
    history.checkpoints.project(working_dir).history("data")
    assert rows() == before


# --- catalogs that came about otherwise ---------------------------------------------------------


def grown(history: History) -> Path:
    """Make a history in which files come and go, of which a prune left some."""
    working_dir = history.project()
    for number in range(8):
        (working_dir / f"file{number}").write_text(str(number))
        (working_dir / "note").write_text(str(number // 2))
        if number > 2:
            (working_dir / f"file{number - 3}").unlink()
        if number == 5:
            (working_dir / "note").unlink()
        history.take(working_dir)
    return working_dir


def opened_anew(history: History) -> None:
    history.checkpoints.close()
    history.checkpoints = Checkpoints.open(history.home, config=history.checkpoints.config)


@pytest.fixture
def reopened(history: History) -> Iterator[History]:
    yield history
    history.checkpoints.close()


@pytest.mark.campaign
def test_a_catalog_that_was_made_anew_from_the_store_tells_the_same(reopened: History) -> None:
    working_dir = grown(reopened)
    prune(reopened, 4)
    reopened.checkpoints.close()
    for file in (reopened.home / "checkpoints").glob("catalog.db*"):
        file.unlink()
    opened_anew(reopened)
    assert len(reopened.checkpoints.project(working_dir).list()) == 4
    assert_as_git_says(reopened, working_dir)


@pytest.mark.campaign
def test_checkpoints_that_came_back_with_a_backup_of_the_store_are_told_as_git_has_them(
    reopened: History,
) -> None:
    working_dir = grown(reopened)
    backup = reopened.home / "store-backup"
    shutil.copytree(reopened.store, backup)
    prune(reopened, 2)
    reopened.checkpoints.close()
    shutil.rmtree(reopened.store)
    backup.rename(reopened.store)
    opened_anew(reopened)
    assert len(reopened.checkpoints.project(working_dir).list()) == 8
    assert_as_git_says(reopened, working_dir)


@pytest.mark.campaign
def test_checkpoints_that_a_backup_of_the_catalog_lists_in_vain_hold_nothing(
    reopened: History,
) -> None:
    working_dir = grown(reopened)
    reopened.checkpoints.close()
    catalog = reopened.home / "checkpoints/catalog.db"
    backup = shutil.copy(catalog, reopened.home / "backup.db")
    opened_anew(reopened)
    prune(reopened, 2)
    reopened.checkpoints.close()
    for file in catalog.parent.glob("catalog.db*"):
        file.unlink()
    shutil.copy(backup, catalog)
    opened_anew(reopened)
    project = reopened.checkpoints.project(working_dir)
    assert (len(project.list()), len(project.lost())) == (2, 6)
    assert_as_git_says(reopened, working_dir)


def test_what_was_forgotten_is_not_found(history: History) -> None:
    working_dir = grown(history)
    project = history.checkpoints.project(working_dir)
    prune(history, 6)
    project.forget("file6")
    assert project.find_paths("file6").total == 0
    assert_as_git_says(history, working_dir)


@pytest.mark.campaign
def test_a_history_that_was_given_to_another_directory_is_found_there(history: History) -> None:
    working_dir = grown(history)
    moved = working_dir.rename(working_dir.with_name("moved"))
    history.checkpoints.rebind(working_dir, moved)
    assert_as_git_says(history, moved)


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("version", ["v1", "v2"])
def test_imported_checkpoints_are_told_as_git_has_them(
    version: str, tmp_path: Path, history: History
) -> None:
    home = extracted(version, tmp_path)
    with Checkpoints.open(home) as checkpoints:
        imported = History(checkpoints, home, tmp_path)
        projects = [one for one in checkpoints.projects() if one.list()]
        assert projects
        for project in projects:
            assert_as_git_says(imported, project.working_dir)


@pytest.mark.campaign
def test_an_import_before_what_is_there_changes_nothing_of_that(
    history: History, tmp_path: Path
) -> None:
    """The same directory has an older history in another base, which comes before its own."""
    working_dir = history.project()
    other = tmp_path / "other-home"
    with Checkpoints.open(other) as elsewhere:
        project = elsewhere.project(working_dir)
        for number in range(3):
            (working_dir / "note").write_text(f"older {number}")
            (working_dir / f"older{number}").write_text("x")
            project.take()
    for number in range(3):
        (working_dir / f"older{number}").unlink()
    for _ in range(4):
        history.take(working_dir)
    prune(history, 2)
    history.checkpoints.import_legacy(other)
    assert len(history.checkpoints.project(working_dir).list()) == 5
    assert_as_git_says(history, working_dir)
    prune(history, 4)
    assert_as_git_says(history, working_dir)
