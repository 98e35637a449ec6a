"""``export --branch``: what is said of the commit, and of what is not in it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hermes_checkpoints.cli import main
from hermes_checkpoints.cli.export_branch import _WHY
from hermes_checkpoints.model import WithheldReason
from history.own import differs, git, made, write
from support import Run, everything


@pytest.fixture
def own(tmp_path: Path, home: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project in a repository, changed since its commit, with a checkpoint, as the current
    directory."""
    folder = made(tmp_path / "own")
    write(folder, {"a.txt": b"changed\n", "new\x1b[31m": b"new\n", ".env": b"secret\n"})
    (folder / "src/b.txt").unlink()
    git(folder, "add", "-f", ".env")
    monkeypatch.chdir(folder)
    run("take", "-m", "before the clean-up", "--label", "good")
    return folder


def test_it_says_what_was_committed_and_what_not(own: Path, run: Run) -> None:
    said = run("export", "good", "--branch", "rescued/one")
    commit = git(own, "rev-parse", "rescued/one").strip()
    head = git(own, "rev-parse", "--short=7", "HEAD").strip()
    first, second = said.lines
    assert first.startswith("rescued/one: checkpoint ")
    assert first.endswith(f", 3 paths, on top of HEAD (main {head}) of {own}")
    assert second == f"Look at it by: git show {commit[:12]}"
    assert said.err == "hermes checkpoints: not in it: .env  its name is one of secrets\n"
    message = git(own, "log", "-1", "--format=%B", "rescued/one").split("\n")
    assert message[:3] == ["good", "", "before the clean-up"]
    assert message[5] == "Checkpoint-Label: good"
    again = run("export", "good", "--branch", "rescued/one", code=2)
    assert "already, which is left as it is; choose a new name" in again.err
    assert git(own, "rev-parse", "rescued/one").strip() == commit


def test_a_dry_run_tells_the_same_and_writes_nothing(own: Path, run: Run) -> None:
    before = everything(own)
    said = run("export", "1", "--branch", "rescued", "--dry-run")
    assert said.lines[0].split(" as the new branch rescued of ")[1].startswith(f"{own}, on top of")
    assert said.lines[1:] == ["  M  a.txt", "  A  new\\x1b[31m", "  D  src/b.txt", "Plan: 3 paths"]
    assert "not in it: .env" in said.err
    found = run("export", "1", "--branch", "rescued", "--dry-run", "--json").json
    assert (found["commit"], found["new_branch"], found["branch"]) == (None, "rescued", "main")
    assert [one["status"] for one in found["changes"]] == ["M", "A", "D"]
    assert found["withheld"] == [
        {"path": ".env", "reason": "secret-name", "skipped": None, "kept": False}
    ]
    assert everything(own) == before


def test_the_document_names_the_commit(own: Path, run: Run) -> None:
    found = run("export", "1", "--branch", "rescued", "--json").json
    assert found["commit"] == git(own, "rev-parse", "rescued").strip()
    assert found["repository"] == str(own)
    assert found["head"] == git(own, "rev-parse", "HEAD").strip()
    assert (found["author"], found["own_author"]) == ("Ada Lovelace <ada@example.org>", True)
    assert found["checkpoint"]["labels"] == ["good"]


def test_it_says_that_head_moved_and_that_nobody_is_named(own: Path, run: Run) -> None:
    git(own, "stash", "-q", "-u")
    write(own, {"since.txt": b"since\n"})
    git(own, "add", "since.txt")
    git(own, "commit", "-qm", "since")
    for key in ("user.name", "user.email"):
        git(own, "config", "--unset", key)
    said = run("export", "good", "--branch", "rescued").err
    assert "HEAD moved since the checkpoint: main " in said
    assert "what came between is taken back in it" in said
    assert (
        "git has no user.name and user.email here: the commit is by Hermes Checkpoint <her" in said
    )
    assert differs(own, "rescued", "HEAD~") == {"a.txt", "new\x1b[31m", "src/b.txt"}
    assert "since.txt" in differs(own, "rescued")


def test_many_paths_are_counted_and_the_document_has_all(own: Path, run: Run) -> None:
    names = [f"log/{number:02}" for number in range(15)]
    write(own, dict.fromkeys(names, b"x"))
    git(own, "add", "log")
    run("take")
    write(own, {".gitignore": b"log/\n"})
    said = run("export", "1", "--branch", "rescued", "--dry-run").err.splitlines()
    assert said[9].endswith("not in it: log/09  git ignores it")
    assert said[10].endswith("and 5 more: git ignores it; --json has all")
    found = run("export", "1", "--branch", "rescued", "--dry-run", "--json").json
    assert {one["path"] for one in found["withheld"]} == {*names, ".env"}


def test_a_checkpoint_of_another_project_goes_into_the_repository_of_that(
    own: Path, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = run("show", "good", "--json").json["id"]
    monkeypatch.chdir(tmp_path)
    assert f" of {own}" in run("export", name, "--branch", "rescued").lines[0]
    assert differs(own, "rescued") == {"a.txt", "new\x1b[31m", "src/b.txt"}


@pytest.mark.campaign(beyond=2)
@pytest.mark.parametrize(
    "words",
    [
        ["--branch", "x"],
        ["good", "good", "--branch", "x"],
        ["good", "--branch", "x", "--tar", "a"],
        ["good", "--tar", "a.tar", "--dry-run"],
        ["good", "--patch", "-", "--dry-run"],
    ],
)
def test_wrong_usage_writes_nothing(own: Path, words: list[str]) -> None:
    before = everything(own)
    try:
        code = main(["export", *words])
    except SystemExit as ended:
        code = int(str(ended.code))
    assert code == 64
    assert everything(own) == before


def test_names_of_any_kind_are_refused_or_shown(own: Path, run: Run) -> None:
    said = run("export", "1", "--branch", "a\x1b[31m", code=2)
    assert "'a\\x1b[31m' is no name of a branch" in said.err
    name = os.fsdecode(b"g\xc3\xbcn\xff")
    assert run("export", "1", "--branch", name).out.startswith("g\xfcn\\xff: checkpoint ")
    assert name in git(own, "branch", "--list")


def test_every_reason_has_its_words() -> None:
    assert set(_WHY) == set(WithheldReason)
