"""New files are found by the times of directories, and git lists no more than what changed."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from capture.roundtrip import skipped, write
from capture.roundtrip import taken as of_outcome
from capture.trees import git
from conftest import GitProcesses, OrdinaryUser
from hermes_checkpoints.checkpoints import Checkpoints
from hermes_checkpoints.config import Config
from hermes_checkpoints.fs import filesystem, system
from hermes_checkpoints.fs.handles import Tree
from hermes_checkpoints.fs.stamp import COARSE_CLOCK_NS
from hermes_checkpoints.layout import Layout, project_hash
from hermes_checkpoints.model import MB, Checkpoint, SkipReason, Unchanged
from hermes_checkpoints.object_store import ObjectStore, directories, list_tree
from hermes_checkpoints.object_store.index_cache import state_file


@pytest.fixture(autouse=True)
def believed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every change count as one of long ago: a take lasts longer than a tick of the clock."""
    monkeypatch.setattr(directories, "COARSE_CLOCK_NS", 0)


def taken(store: Checkpoints, tree: Path) -> Checkpoint:
    return of_outcome(store.project(tree).take())


def held(store: Checkpoints, checkpoint: Checkpoint) -> set[str]:
    """The files of a checkpoint."""
    return set(list_tree(ObjectStore(Layout.of(store.home)).git, checkpoint.tree_id))


def asked_of_git(processes: GitProcesses) -> list[list[str]]:
    """What git was asked to list, each time: the directories; none stands for the whole tree."""
    found = []
    for command in processes.commands():
        if "ls-files" in command and "-o" in command and "-i" not in command:
            end = command.index("--") + 1 if "--" in command else len(command)
            found.append(command[end:])
    return found


@pytest.fixture
def filled(git_processes: GitProcesses, store: Checkpoints, tree: Path) -> Checkpoints:
    """A store in which the tree was taken."""
    for name in ("a/one", "a/deep/two", "b/three", "b/four"):
        write(tree, {name: name})
    taken(store, tree)
    return store


def test_an_unchanged_tree_costs_one_process_of_git(
    filled: Checkpoints, tree: Path, git_processes: GitProcesses
) -> None:
    git_processes.reset()
    assert isinstance(filled.project(tree).take(), Unchanged)
    assert [command[0] for command in git_processes.commands()] == ["diff-files"]


def test_a_new_file_is_looked_for_where_something_came(
    filled: Checkpoints, tree: Path, git_processes: GitProcesses
) -> None:
    git_processes.reset()
    write(tree, {"b/new": "new"})
    write(tree, {"b/folder/inside": "new"})
    found = held(filled, taken(filled, tree))
    assert {"b/new", "b/folder/inside", "b/three", "a/one"} <= found
    assert asked_of_git(git_processes) == [["b"]]


def test_a_new_file_at_the_top_is_found(filled: Checkpoints, tree: Path) -> None:
    write(tree, {"new": "new"})
    assert "new" in held(filled, taken(filled, tree))


def test_a_changed_rule_brings_in_what_no_directory_tells_of(
    store: Checkpoints, tree: Path
) -> None:
    write(tree, {".gitignore": "*.text\n"})
    write(tree, {"a/deep/one.text": "log"})
    write(tree, {"a/deep/file": "file"})
    assert "a/deep/one.text" not in held(store, taken(store, tree))
    with open(tree / ".gitignore", "a", encoding="utf-8") as rules:
        rules.write("!one.text\n")
    assert "a/deep/one.text" in held(store, taken(store, tree))


def test_a_rule_file_that_comes_brings_in_what_lies_deeper(store: Checkpoints, tree: Path) -> None:
    write(tree, {".gitignore": "*.text\n"})
    write(tree, {"a/deep/one.text": "log"})
    write(tree, {"a/deep/file": "file"})
    taken(store, tree)
    write(tree, {"a/.gitignore": "!*.text\n"})
    assert "a/deep/one.text" in held(store, taken(store, tree))


def test_a_rule_file_that_is_too_large_to_keep_is_obeyed_each_time(home: Path, tree: Path) -> None:
    with Checkpoints.open(home, config=Config(max_file_size_mb=1)) as store:
        write(tree, {"a/one.text": "log"})
        write(tree, {"a/file": "file"})
        write(tree, {".gitignore": "*.text\n" + "# long\n" * (MB // 6)})
        assert "a/one.text" not in held(store, taken(store, tree))
        assert isinstance(store.project(tree).take(), Unchanged)
        with open(tree / ".gitignore", "r+", encoding="utf-8") as rules:
            rules.write("#")
        assert "a/one.text" in held(store, taken(store, tree))


def test_a_file_that_was_too_large_is_told_each_time_and_comes_in_when_it_shrinks(
    home: Path, tree: Path, git_processes: GitProcesses
) -> None:
    with Checkpoints.open(home, config=Config(max_file_size_mb=1)) as store:
        write(tree, {"a/small": "small"})
        write(tree, {"a/large": "x" * (MB + 1)})
        write(tree, {"a/grew": "small"})
        first = taken(store, tree)
        assert skipped(store, first) == {"a/large": SkipReason.OVERSIZE}
        os.truncate(tree / "a/grew", MB + 1)
        grown = taken(store, tree)
        both = {"a/large": SkipReason.OVERSIZE, "a/grew": SkipReason.OVERSIZE}
        assert skipped(store, grown) == both
        git_processes.reset()
        assert isinstance(store.project(tree).take(), Unchanged)
        assert asked_of_git(git_processes) == []
        os.truncate(tree / "a/large", 10)
        os.truncate(tree / "a/grew", 10)
        last = taken(store, tree)
        assert skipped(store, last) == {}
        assert held(store, last) == {"a/small", "a/large", "a/grew"}


def test_a_repository_that_comes_is_entered(filled: Checkpoints, tree: Path) -> None:
    write(tree, {"b/inner/file": "file"})
    git(tree / "b/inner", "init", "-q")
    assert "b/inner/file" in held(filled, taken(filled, tree))
    write(tree, {"b/inner/second": "file"})
    assert "b/inner/second" in held(filled, taken(filled, tree))


def test_a_directory_of_another_device_is_listed_each_time(
    store: Checkpoints, tree: Path, git_processes: GitProcesses, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tree, {"a/one": "one"})
    with monkeypatch.context() as patch:
        patch.setattr(Tree, "device", -1)
        taken(store, tree)
    git_processes.reset()
    assert isinstance(store.project(tree).take(), Unchanged)
    assert asked_of_git(git_processes) == [[]]


@pytest.mark.campaign(beyond=2)
@pytest.mark.parametrize("kind", ["nfs4", "fuse.sshfs", "9p", "unheard-of"])
def test_where_times_may_be_late_git_lists_the_whole_tree(
    filled: Checkpoints,
    tree: Path,
    tmp_path: Path,
    git_processes: GitProcesses,
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
) -> None:
    mounts = tmp_path / "mountinfo"
    git_processes.reset()
    mounts.write_text(f"36 35 98:0 / / rw - {kind} server:/ rw\n")
    monkeypatch.setattr(filesystem, "MOUNTS", mounts)
    assert isinstance(filled.project(tree).take(), Unchanged)
    assert asked_of_git(git_processes) == [[]]


def test_for_another_user_every_directory_is_listed(
    filled: Checkpoints, tree: Path, git_processes: GitProcesses, monkeypatch: pytest.MonkeyPatch
) -> None:
    git_processes.reset()
    monkeypatch.setattr(system, "permissions_of_process", lambda: "another")
    assert isinstance(filled.project(tree).take(), Unchanged)
    assert asked_of_git(git_processes) == [[]]


def test_just_after_a_change_a_directory_is_listed_again(
    store: Checkpoints, tree: Path, git_processes: GitProcesses, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(directories, "COARSE_CLOCK_NS", COARSE_CLOCK_NS)
    write(tree, {"a/one": "one"})
    taken(store, tree)
    git_processes.reset()
    assert isinstance(store.project(tree).take(), Unchanged)
    assert asked_of_git(git_processes) == [[]]


def _unreadable_rules(tmp: Path) -> None:
    tree = tmp / "tree"
    write(tree, {".gitignore": "*.text\n"})
    write(tree, {"a/one.text": "one"})
    write(tree, {"a/file": "file"})
    with Checkpoints.open(tmp / "user/.hermes") as store:
        assert held(store, taken(store, tree)) == {".gitignore", "a/file"}
        (tree / ".gitignore").chmod(0)
        assert "a/one.text" in held(store, taken(store, tree))
        (tree / ".gitignore").chmod(0o644)
        assert held(store, taken(store, tree)) == {".gitignore", "a/file"}


def test_a_rule_file_that_cannot_be_read_rules_nothing_deeper_either(user: OrdinaryUser) -> None:
    user(_unreadable_rules, user.tmp)


def test_rules_that_are_written_after_git_has_listed_by_them_count_at_the_next_take(
    store: Checkpoints, tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tree, {".gitignore": "*.text\n"})
    write(tree, {"a/one.text": "one"})
    write(tree, {"a/file": "file"})
    folder = tmp_path / "shim"
    folder.mkdir()
    (folder / "git").write_text(
        f"""#!/bin/sh
'{shutil.which("git")}' "$@" || exit
case "$*" in *ls-files*" -o "*) >'{tree}/.gitignore' ;; esac
"""
    )
    (folder / "git").chmod(0o755)
    with monkeypatch.context() as patch:
        patch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
        first = taken(store, tree)
    assert (tree / ".gitignore").read_text() == ""
    assert held(store, first) == {".gitignore", "a/file"}
    assert held(store, taken(store, tree)) == {".gitignore", "a/file", "a/one.text"}


def test_what_a_pattern_rescued_from_an_ignored_directory_is_looked_for_each_time(
    home: Path, tree: Path
) -> None:
    with Checkpoints.open(home, config=Config(include=("*.log",), max_file_size_mb=1)) as store:
        write(tree, {".gitignore": "build/\n"})
        write(tree, {"build/y.log": "x" * (MB + 1)})
        assert skipped(store, taken(store, tree)) == {"build/y.log": SkipReason.OVERSIZE}
        (tree / "build/y.log").unlink()
        assert skipped(store, taken(store, tree)) == {}


def test_a_cache_that_names_a_directory_otherwise_than_it_was_written_is_made_anew(
    filled: Checkpoints, tree: Path
) -> None:
    index = Layout.of(filled.home).index_of(project_hash(tree))
    known = state_file(index).read_bytes()
    state_file(index).write_bytes(known.replace(b'"a/deep"', b'"a/deeq"'))
    write(tree, {"a/deep/new": "new"})
    assert "a/deep/new" in held(filled, taken(filled, tree))


def test_a_new_file_deep_in_a_repository_of_which_nothing_is_held_is_found(
    home: Path, tree: Path
) -> None:
    with Checkpoints.open(home, config=Config(max_file_size_mb=1)) as store:
        write(tree, {"file": "file"})
        write(tree, {"in/first": "one"})
        write(tree, {"in/deep/large": "x" * (MB + 1)})
        git(tree / "in", "init", "-q")
        assert held(store, taken(store, tree)) == {"file", "in/first"}
        assert isinstance(store.project(tree).take(), Unchanged)
        (tree / "in/first").unlink()
        assert held(store, taken(store, tree)) == {"file"}
        write(tree, {"in/deep/new": "new"})
        assert held(store, taken(store, tree)) == {"file", "in/deep/new"}


def test_a_new_file_deep_in_what_becomes_a_repository_is_found(home: Path, tree: Path) -> None:
    with Checkpoints.open(home, config=Config(max_file_size_mb=1)) as store:
        write(tree, {"file": "file"})
        write(tree, {"in/deep/large": "x" * (MB + 1)})
        assert held(store, taken(store, tree)) == {"file"}
        git(tree / "in", "init", "-q")
        write(tree, {"in/deep/new": "new"})
        assert held(store, taken(store, tree)) == {"file", "in/deep/new"}


def test_a_tracked_rule_file_that_comes_back_and_matches_itself_is_held(
    store: Checkpoints, tree: Path
) -> None:
    write(tree, {"file": "file", ".gitignore": "none\n"})
    git(tree, "init", "-q")
    git(tree, "add", ".gitignore")
    assert held(store, taken(store, tree)) == {"file", ".gitignore"}
    (tree / ".gitignore").unlink()
    assert held(store, taken(store, tree)) == {"file"}
    write(tree, {".gitignore": ".gitignore\n"})
    assert held(store, taken(store, tree)) == {"file", ".gitignore"}
