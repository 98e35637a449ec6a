"""The real hermes-agent 0.19.0: its own checkpoint manager, in an environment that has it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

from benchmarks.sides.crowded import edit_and_take
from tools import checkpoint_manager as program

WHO = "Hermes Checkpoint <hermes@local>"
"""The author of the commits that fill a store; who it is costs nothing."""


class Side:
    """Bases are Hermes homes; the module's own constant says which one is used."""

    def __init__(self) -> None:
        self._managers: dict[tuple[object, ...], Any] = {}

    @staticmethod
    def load() -> str:
        """Return where the program lies."""
        return str(program.__file__)

    def _manager(self, base: str, keep: int = 20, file_mb: int = 10, total_mb: int = 500) -> Any:
        program.CHECKPOINT_BASE = Path(base) / "checkpoints"
        key = (base, keep, file_mb, total_mb)
        if key not in self._managers:
            self._managers[key] = program.CheckpointManager(True, keep, total_mb, file_mb)
        return self._managers[key]

    def forget(self, base: str) -> None:
        """Let go of a base that is about to be removed."""
        self._managers = {key: made for key, made in self._managers.items() if key[0] != base}

    def new_turn(self, base: str, **limits: int) -> None:
        """Begin a turn, so that the next call may take a checkpoint."""
        self._manager(base, **limits).new_turn()

    def take(self, base: str, tree: str, **limits: int) -> bool:
        """Take a checkpoint; return whether there is a new one."""
        return bool(self._manager(base, **limits).ensure_checkpoint(tree, "before write_file"))

    def turn(self, base: str, tree: str, **limits: int) -> bool:
        """Begin a turn and take a checkpoint in it."""
        self.new_turn(base, **limits)
        return self.take(base, tree, **limits)

    def listed(self, base: str, tree: str, **limits: int) -> list[str]:
        """Return the ids of the checkpoints, newest first."""
        return [one["hash"] for one in self._manager(base, **limits).list_checkpoints(tree)]

    def diff(self, base: str, tree: str, commit: str, **limits: int) -> int:
        """Return the number of characters of a comparison with the present."""
        answer = self._manager(base, **limits).diff(tree, commit)
        if not answer["success"]:
            raise RuntimeError(answer["error"])
        return len(answer["diff"])

    def restore(
        self, base: str, tree: str, commit: str, file: str | None = None, **limits: int
    ) -> None:
        """Bring the directory, or one file of it, back."""
        answer = self._manager(base, **limits).restore(tree, commit, file)
        if not answer["success"]:
            raise RuntimeError(answer["error"])

    def status(self, base: str) -> int:
        """Return how many projects the summary of a base lists."""
        return len(program.store_status(Path(base) / "checkpoints")["projects"])

    def crowd(self, base: str, tree: str, file: str, takes: int) -> int:
        """Take a first checkpoint of a worktree and more after changes; return how many."""
        return edit_and_take(lambda: self.turn(base, tree), Path(tree) / file, takes)

    def prune(self, base: str, trees: list[str], keep: int) -> int:
        """Do for every project what a take does when it is over the limit: keep its newest."""
        manager = self._manager(base, keep)
        store = Path(base) / "checkpoints" / "store"
        for tree in trees:
            manager._prune(store, tree, program._ref_name(program._project_hash(tree)))
        return len(trees)

    def register(self, base: str, trees: list[str], checkpoints: int) -> None:
        """Fill a store: each project is entered by the program's own functions, and its chain of
        commits, which it would make by ten processes each, is written by one `git fast-import`."""
        self._manager(base)
        store = Path(base) / "checkpoints" / "store"
        stream: list[str] = []
        mark = 0
        for number, tree in enumerate(trees):
            program._init_store(store, tree)
            program._touch_project(store, tree)
            ref = program._ref_name(program._project_hash(tree))
            for step in range(checkpoints):
                mark += 1
                when = 1_760_000_000 + number + 60 * step
                # the first commit has all files of the project, each later one changes one
                changed = range(5) if step == 0 else [step % 5]
                stream.append(f"commit {ref}\nmark :{mark}\ncommitter {WHO} {when} +0000\n")
                stream.append("data 17\nbefore write_file\n")
                if step:
                    stream.append(f"from :{mark - 1}\n")
                for file in changed:
                    text = f"{number} {step} {file}\n" * 40
                    stream.append(f"M 100644 inline f{file}.py\ndata {len(text)}\n{text}\n")
        subprocess.run(
            ["git", "fast-import", "--quiet"],
            input="".join(stream).encode("ascii"),
            env={**os.environ, "GIT_DIR": str(store)},
            check=True,
        )
