"""Each checkpoint says where the repository of its directory stood, and a restore says that it
moved since; what is not known is not spoken of."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from capture.trees import git
from hermes_checkpoints import CheckpointManager, Rollback
from hermes_checkpoints.checkpoints import Checkpoints
from hermes_checkpoints.model import (
    Checkpoint,
    Head,
    Mode,
    Taken,
    Unchanged,
    head_text,
    heads_moved,
    moved_text,
)
from support import Run


@pytest.fixture
def repository(tree: Path) -> Path:
    git(tree, "init", "-q", "-b", "main")
    (tree / "notes.txt").write_text("one\n")
    commit(tree)
    return tree


def commit(folder: Path) -> None:
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--allow-empty", "-m", "x")


def told_by_git(folder: Path) -> Head:
    branch = git(folder, "branch", "--show-current").strip() or None
    return Head(git(folder, "rev-parse", "HEAD").strip(), branch)


def taken(store: Checkpoints, folder: Path, text: str | None = None) -> Checkpoint:
    if text is not None:
        (folder / "notes.txt").write_text(text)
    outcome = store.project(folder).take()
    assert isinstance(outcome, Taken), outcome
    return outcome.checkpoint


# --- what is recorded -----------------------------------------------------------------------------


def test_head_is_where_git_says_at_each_take(store: Checkpoints, repository: Path) -> None:
    first = taken(store, repository)
    assert first.stood_at == told_by_git(repository)
    commit(repository)
    second = taken(store, repository, "two\n")
    assert second.stood_at == told_by_git(repository) != first.stood_at
    git(repository, "switch", "-q", "-c", "feature/x")
    third = taken(store, repository, "three\n")
    assert (third.branch, third.head) == ("feature/x", second.head)
    git(repository, "switch", "-q", "--detach")
    fourth = taken(store, repository, "four\n")
    assert (fourth.branch, fourth.head) == (None, second.head)
    listed = store.project(repository).list()
    assert [one.stood_at for one in listed] == [
        one.stood_at for one in (fourth, third, second, first)
    ]


def test_a_worktree_and_a_subdirectory_have_the_head_of_theirs(
    store: Checkpoints, repository: Path
) -> None:
    git(repository, "worktree", "add", "-q", "-b", "other", "../other")
    worktree = repository.parent / "other"
    commit(worktree)
    inside = worktree / "pkg"
    inside.mkdir()
    (inside / "a").write_text("a")
    assert taken(store, worktree).stood_at == told_by_git(worktree)
    assert taken(store, inside).stood_at == told_by_git(worktree)
    assert taken(store, repository).branch == "main"


def test_a_branch_without_commits_is_known_by_its_name(store: Checkpoints, tree: Path) -> None:
    git(tree, "init", "-q", "-b", "fresh")
    assert taken(store, tree, "one\n").stood_at == Head(None, "fresh")


def test_without_a_repository_nothing_is_known(store: Checkpoints, tree: Path) -> None:
    assert taken(store, tree, "one\n").stood_at == Head()


@pytest.mark.campaign(beyond=2)
@pytest.mark.parametrize("kind", ["pipe", "garbage", "pipe for HEAD", "long HEAD", "reftable"])
def test_odd_repositories_stop_no_take(store: Checkpoints, repository: Path, kind: str) -> None:
    head = repository / ".git" / "HEAD"
    if kind in ("pipe", "garbage"):
        (repository / ".git").rename(repository.parent / "away")
    if kind == "pipe":
        os.mkfifo(repository / ".git")
    elif kind == "garbage":
        (repository / ".git").write_bytes(b"gitdir: \xff\0" * 100)
    elif kind == "pipe for HEAD":
        head.unlink()
        os.mkfifo(head)
    elif kind == "long HEAD":
        head.write_text("ref: refs/heads/" + "x" * 100_000)
    else:
        head.write_text("ref: refs/heads/.invalid\n")
    assert taken(store, repository, "two\n").stood_at == Head()


ODD_BRANCHES = [
    b"\xff\xfe",
    "größe".encode(),
    b"a" * 250,
    b"\x1b[2J\x07",
    b"back\\slash",
    b"a\x7fb",
]


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("name", ODD_BRANCHES)
def test_any_branch_name_is_kept_exactly_and_shown_safely(
    store: Checkpoints, repository: Path, run: Run, name: bytes
) -> None:
    first = taken(store, repository)
    (repository / ".git" / "HEAD").write_bytes(b"ref: refs/heads/" + name + b"\n")
    second = taken(store, repository, "two\n")
    assert second.branch == os.fsdecode(name)
    (found,) = store._base.store.read([second.ref_name])
    assert not isinstance(found, Exception)
    assert found.facts.branch == second.branch
    log = run("log", repository).out + run("show", second.id, "--dir", repository).out
    plan = run("restore", first.id, "--dir", repository, "--mode", "exact", "--dry-run").out
    assert "HEAD moved since: main " in plan
    for text in (log, plan):
        assert all(character.isprintable() for line in text.splitlines() for character in line)
        assert max(map(len, text.splitlines())) < 250


def test_head_comes_back_with_a_lost_catalog(home: Path, repository: Path) -> None:
    git(repository, "remote", "add", "origin", "git@example.org:org/app.git")
    inside = repository / "pkg"
    inside.mkdir()
    with Checkpoints.open(home) as store:
        before = taken(store, inside, "one\n")
        catalog = store._base.layout.catalog
    for file in catalog.parent.glob("catalog.db*"):
        file.unlink()
    with Checkpoints.open(home) as store:
        project = store.project(inside)
        assert [one.stood_at for one in project.list()] == [before.stood_at]
        found = store._base.catalog.projects.origin(project._target.hash)
        assert (found.repository, found.subdirectory) == ("example.org/org/app", "pkg")


def test_an_unchanged_take_leaves_the_checkpoint_as_it_was_taken(
    store: Checkpoints, repository: Path
) -> None:
    first = taken(store, repository)
    commit(repository)
    again = store.project(repository).take()
    assert isinstance(again, Unchanged)
    assert again.checkpoint == first
    plan = store.project(repository).plan_restore(first, mode=Mode.EXACT)
    assert plan.head == told_by_git(repository) != plan.checkpoint.stood_at


def test_a_safety_checkpoint_has_the_head_before_its_restore(
    store: Checkpoints, repository: Path
) -> None:
    first = taken(store, repository)
    git(repository, "switch", "-q", "-c", "feature")
    (repository / "notes.txt").write_text("two\n")
    restored = store.project(repository).restore(first, mode=Mode.EXACT)
    assert restored.safety.stood_at == restored.head == told_by_git(repository)
    git(repository, "switch", "-q", "main")
    undo = store.project(repository).plan_undo()
    text = moved_text(undo.checkpoint.stood_at, undo.head)
    assert text is not None
    assert text.startswith("HEAD moved since: feature ")


# --- what is said ---------------------------------------------------------------------------------

A, B = "a" * 40, "b" * 40


@pytest.mark.parametrize(
    ("then", "now", "text"),
    [
        (Head(A, "main"), Head(B, "x"), "main aaaaaaa → x bbbbbbb"),
        (Head(A, "main"), Head(B, "main"), "main aaaaaaa → main bbbbbbb"),
        (Head(A, "main"), Head(A, "x"), "main aaaaaaa → x aaaaaaa"),
        (Head(A, "main"), Head(A), "main aaaaaaa → aaaaaaa (detached)"),
        (Head(None, "main"), Head(A, "main"), "main → main aaaaaaa"),
        (Head(A, "main"), Head(A, "main"), None),
        (Head(None, "main"), Head(None, "main"), None),
        (Head(), Head(A, "main"), None),
        (Head(A, "main"), Head(), None),
        (Head(), Head(), None),
    ],
)
def test_the_text_is_about_what_is_known_alone(then: Head, now: Head, text: str | None) -> None:
    wanted = text and f"HEAD moved since: {text}; a restore changes files, not HEAD"
    assert moved_text(then, now) == wanted


def test_a_hostile_commit_cannot_put_more_than_text_into_a_line() -> None:
    assert head_text(Head("\x1b[2J\nabc", "a\u202eb\n")) == "a\\u202eb\\n \\x1b[2J\\nab"


@pytest.mark.campaign
def test_a_list_tells_each_move_once(store: Checkpoints, repository: Path, run: Run) -> None:
    first = taken(store, repository)
    second = taken(store, repository, "two\n")
    commit(repository)
    third = taken(store, repository, "three\n")
    fourth = taken(store, repository, "four\n")
    now = f"HEAD: main {str(third.head)[:7]}"
    assert heads_moved([fourth, third, second, first]) == {third.id: now}
    assert heads_moved([third, fourth, first, second]) == {third.id: now}, "in any order"
    assert heads_moved([fourth, third]) == {}
    lines = [one for one in run("log", repository).lines if "HEAD" in one]
    assert len(lines) == 1
    assert lines[0].endswith(f"[{now}]")
    assert third.short_id in lines[0]
    known = {one["id"]: one for one in run("log", repository, "--json").json["checkpoints"]}
    assert known[first.id]["head"] == first.head
    assert {one["branch"] for one in known.values()} == {"main"}
    manager = CheckpointManager(enabled=True)
    marked = [one.get("head_moved") for one in manager.list_checkpoints(str(repository))]
    assert marked == [None, now, None, None]
    reply = Rollback(repository, enabled=True).run("/rollback")
    assert [now in line for line in reply.text.splitlines() if "main" in line] == [True]


@pytest.mark.campaign
def test_the_command_line_tells_in_every_plan(
    store: Checkpoints, repository: Path, run: Run
) -> None:
    first = taken(store, repository)
    then = str(first.head)[:7]
    assert f"HEAD: main {then}" in run("show", first.id, "--dir", repository).lines
    (repository / "notes.txt").write_text("two\n")
    whole = "restore", first.id, "--dir", repository, "--mode", "exact"
    assert "HEAD moved" not in run(*whole, "--dry-run").out
    git(repository, "switch", "-q", "-c", "feature")
    commit(repository)
    now = told_by_git(repository)
    line = (
        f"HEAD moved since: main {then} → feature {str(now.commit)[:7]}; "
        "a restore changes files, not HEAD"
    )
    assert line in run(*whole, "--dry-run").lines
    document = run(*whole, "--dry-run", "--json").json
    assert (document["head"], document["branch"], document["head_moved"]) == (
        now.commit,
        "feature",
        True,
    )
    assert line in run(*whole, "-f").lines
    assert line in run(*whole, "-f").lines, "also where no file differs"
    assert told_by_git(repository) == now
    assert "HEAD moved" not in run("undo", repository, "--dry-run").out
    elsewhere = repository.parent / "elsewhere"
    elsewhere.mkdir()
    git(elsewhere, "init", "-q", "-b", "another")
    into = "restore", first.id, "--dir", repository, "--into", elsewhere, "--mode", "overlay"
    assert "HEAD" not in run(*into, "--dry-run").out, "another repository did not move"


@pytest.mark.campaign
def test_rollback_tells_in_plan_answer_and_show(store: Checkpoints, repository: Path) -> None:
    first = taken(store, repository)
    (repository / "notes.txt").write_text("two\n")
    rollback = Rollback(repository, enabled=True)
    assert "HEAD" not in rollback.run("/rollback 1 plan --exact").text
    commit(repository)
    now = told_by_git(repository)
    line = f"HEAD moved since: {head_text(first.stood_at)} → {head_text(now)}; a restore changes"
    assert line in rollback.run("/rollback 1 plan --exact").text
    assert line in rollback.run("/rollback 1 --exact").text
    told = CheckpointManager(enabled=True).restore(str(repository), str(first.id))
    assert told["head_moved"].startswith(line)
    assert line in rollback.run("/rollback 1 --exact").text, "also where no file differs"
    assert f"  HEAD:     {head_text(first.stood_at)}" in rollback.run("/rollback show 1").text


def test_checkpoints_of_older_versions_are_not_spoken_of(
    store: Checkpoints, repository: Path, run: Run
) -> None:
    first = taken(store, repository)
    with store._base.catalog._transactions.writing() as connection:
        connection.exec_driver_sql("UPDATE checkpoints SET head = NULL, branch = NULL")
    second = taken(store, repository, "two\n")
    commit(repository)
    assert heads_moved(store.project(repository).list()) == {}
    assert "HEAD" not in run("log", repository).out
    assert "HEAD" not in run("show", first.id, "--dir", repository).out
    plan = "restore", first.id, "--dir", repository, "--mode", "exact", "--dry-run"
    assert "HEAD" not in run(*plan).out
    assert second.stood_at.known
