"""Bare git: the commands that do the least of what a checkpoint needs, with nothing around them."""

from __future__ import annotations

import os
import subprocess

WHO = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "benchmark"), ("EMAIL", "benchmark@localhost"))
}
REF = "HEAD"


class Side:
    """Bases are bare repositories; the tree is their work tree, and the index stays hot."""

    def __init__(self) -> None:
        self._begun: set[str] = set()  # bases that have a commit

    @staticmethod
    def load() -> str:
        """Return which git it is."""
        done = subprocess.run(["git", "version"], check=True, capture_output=True, text=True)
        return done.stdout.strip()

    @staticmethod
    def _git(base: str, tree: str | None, *arguments: str) -> str:
        place = {} if tree is None else {"GIT_WORK_TREE": tree}
        done = subprocess.run(
            ["git", *arguments],
            cwd=tree,
            env={**os.environ, **WHO, "GIT_DIR": base, **place},
            check=True,
            capture_output=True,
            text=True,
        )
        return done.stdout.strip()

    def init(self, base: str) -> None:
        """Make an empty repository."""
        self._git(base, None, "init", "-q", "--bare")

    def add(self, base: str, tree: str) -> None:
        """`git add -A`."""
        self._git(base, tree, "add", "-A")

    def take(self, base: str, tree: str) -> bool:
        """`git add -A`, `write-tree`, `commit-tree`, `update-ref`."""
        self.add(base, tree)
        written = self._git(base, tree, "write-tree")
        parent = ["-p", REF] if base in self._begun else []
        commit = self._git(base, tree, "commit-tree", written, *parent, "-m", "before write_file")
        self._git(base, tree, "update-ref", REF, commit)
        self._begun.add(base)
        return True

    def scan(self, base: str, tree: str) -> int:
        """`git status --porcelain`: return how many paths differ."""
        return len(self._git(base, tree, "status", "--porcelain").splitlines())

    def hash_object(self, base: str, tree: str, file: str) -> None:
        """`git hash-object -w`: hash, compress and store one file."""
        self._git(base, tree, "hash-object", "-w", "--", file)

    def gc(self, base: str) -> None:
        """`git gc --prune=now`."""
        self._git(base, None, "gc", "--prune=now", "--quiet")

    def walk(self, tree: str) -> None:
        """`find` with a condition that needs the lstat of each path and is met by none."""
        subprocess.run(
            ["find", tree, "-size", "+1000000000000c"], check=True, stdout=subprocess.DEVNULL
        )
