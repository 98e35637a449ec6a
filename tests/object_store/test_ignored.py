"""Which paths files of rules, as they once were, would leave out."""

from __future__ import annotations

from hermes_checkpoints.git import Git
from hermes_checkpoints.object_store import matching_rules
from hermes_checkpoints.object_store.healing import write_object


def test_the_rules_of_each_folder_say_which_paths_they_leave_out(git: Git) -> None:
    contents = {".gitignore": b"*.tmp\n/top\nbuild/\n", "src/.gitignore": b"!kept.tmp\nown\n"}
    rules = {path: write_object(git.repository, "blob", data) for path, data in contents.items()}
    out = {"a.tmp", "top", "build/x", "src/a.tmp", "src/own"}
    kept = {"a", "src/top", "src/kept.tmp", "own", "build.txt"}
    assert matching_rules(git, rules, out | kept) == out
    assert matching_rules(git, rules, []) == set()


def test_paths_are_taken_literally_whatever_they_look_like(git: Git) -> None:
    rules = {".gitignore": write_object(git.repository, "blob", b"*.tmp\n")}
    odd = {":(glob)*.tmp", ":!x.tmp", "*.tmp", "-x.tmp", "a\nb.tmp", "caf\udce9.tmp", " .tmp"}
    assert matching_rules(git, rules, odd | {":(glob)*", "*", "-x", "a\nb"}) == odd
