"""What a take starts and waits for once it has staged, and what a look at differences does."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from conftest import GitProcesses
from hermes_checkpoints import Checkpoints
from hermes_checkpoints.model import Checkpoint, Taken, TakeOutcome

STAGING = {"ls-files", "diff-files", "update-index", "write-tree"}


def taken(outcome: TakeOutcome) -> Checkpoint:
    assert isinstance(outcome, Taken), outcome
    return outcome.checkpoint


def after_staging(git_processes: GitProcesses) -> list[str]:
    """Return the commands of git that neither look at the directory nor stage, by name."""
    commands = (
        next(word for word in command if not word.startswith("-") and "=" not in word)
        for command in git_processes.commands()
    )
    return sorted(name for name in commands if name not in STAGING)


def test_once_it_is_staged_a_take_starts_one_process_and_waits_for_each_new_file_of_the_store_once(
    store: Checkpoints,
    tree: Path,
    git_processes: GitProcesses,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tree / "file").write_text("one\n")
    store.project(tree).take()
    (tree / "file").write_text("two\n")
    synced: list[str] = []
    fsync = os.fsync

    def counted(descriptor: int) -> None:
        synced.append(os.path.basename(os.readlink(f"/proc/self/fd/{descriptor}")))
        fsync(descriptor)

    if os.path.isdir("/proc/self/fd"):
        monkeypatch.setattr(os, "fsync", counted)
    git_processes.reset()
    second = taken(store.project(tree).take())
    assert after_staging(git_processes) == ["diff-tree"]
    if os.path.isdir("/proc/self/fd"):
        # The commit, and the tree with the facts, which are as before; then the ref.
        *objects, ref = synced
        assert len(objects) == 2
        assert all(name.startswith("tmp_obj_") for name in objects)
        assert ref == f"{second.ref_name.rpartition('/')[2]}.lock"


def test_a_diff_starts_nothing_that_compares_where_nothing_changed(
    store: Checkpoints, tree: Path, git_processes: GitProcesses
) -> None:
    (tree / "file").write_text("one\n")
    first = taken(store.project(tree).take())
    git_processes.reset()
    found = store.project(tree).diff(first)
    assert (found.changes, found.stat, found.text) == ((), "", "")
    assert after_staging(git_processes) == ["cat-file"]  # the facts of the checkpoint
    (tree / "file").chmod(0o600)
    git_processes.reset()
    (change,) = store.project(tree).diff(first).changes
    assert (change.path, change.old_mode, change.new_mode) == ("file", 0o100644, 0o100600)
    assert after_staging(git_processes) == ["cat-file"]
    (tree / "file").write_text("two\n")
    git_processes.reset()
    assert "+two" in store.project(tree).diff(first).text
    assert after_staging(git_processes) == ["cat-file", "diff-tree", "diff-tree"]


def test_diffstat_and_patch_are_those_of_git_whatever_names_and_contents_are(
    home: Path, store: Checkpoints, tree: Path
) -> None:
    (tree / "a\n\nb").write_text("one\n\n\ntwo\n")
    (tree / "gone").write_text("\n\ndiff --git a/x b/x\n")
    (tree / "binary").write_bytes(bytes(100))
    (tree / ".gitattributes").write_text("*.lock -diff\n")
    (tree / "some.lock").write_text("1\n")
    first = taken(store.project(tree).take())
    (tree / "a\n\nb").write_text("one\n\n\nthree\n")
    (tree / "gone").unlink()
    (tree / "binary").write_bytes(bytes(200))
    (tree / "some.lock").write_text("2\n")
    second = taken(store.project(tree).take())
    git = ["git", "-c", "core.quotePath=false", f"--git-dir={home / 'checkpoints/store'}"]
    command = [*git, "diff-tree", "-r", "--no-renames", first.tree_id, second.tree_id]
    stat, patch = (
        subprocess.check_output([*command, option], text=True) for option in ("--stat", "-p")
    )
    for found in (store.project(tree).diff(first), store.project(tree).diff(first, second)):
        assert (found.stat, found.text) == (stat, patch)
    limited = store.project(tree).diff(first, paths=["gone"])
    assert limited.stat.splitlines()[0].startswith(" gone |")
    assert limited.text.count("diff --git") == 2  # one is in the file
