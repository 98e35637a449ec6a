"""This package, through the manager that an agent embeds, and the typed API where it has none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.sides.crowded import edit_and_take

import hermes_checkpoints
from hermes_checkpoints import CheckpointManager, store_status

NO_LIMIT = 0


class Side:
    """Bases are Hermes homes; each has one manager a set of limits, as an agent's session has."""

    def __init__(self) -> None:
        self._managers: dict[tuple[object, ...], CheckpointManager] = {}

    @staticmethod
    def load() -> str:
        """Return where the program lies."""
        return str(Path(hermes_checkpoints.__file__))

    def _manager(
        self, base: str, keep: int = 20, file_mb: int = 10, total_mb: int = 500
    ) -> CheckpointManager:
        key = (base, keep, file_mb, total_mb)
        if key not in self._managers:
            self._managers[key] = CheckpointManager(
                True, keep, total_mb, file_mb, home=base, session_id="benchmark"
            )
        return self._managers[key]

    def forget(self, base: str) -> None:
        """Let go of a base that is about to be removed."""
        self._managers = {key: made for key, made in self._managers.items() if key[0] != base}

    def new_turn(self, base: str, **limits: int) -> None:
        """Begin a turn, so that the next call may take a checkpoint."""
        self._manager(base, **limits).new_turn()

    def take(self, base: str, tree: str, **limits: int) -> bool:
        """Take a checkpoint; return whether there is a new one."""
        return self._manager(base, **limits).ensure_checkpoint(tree, "before write_file")

    def turn(self, base: str, tree: str, **limits: int) -> bool:
        """End the turn before, begin one and take a checkpoint in it."""
        self.new_turn(base, **limits)
        return self.take(base, tree, **limits)

    def listed(self, base: str, tree: str, **limits: int) -> list[str]:
        """Return the ids of the checkpoints, newest first."""
        found = self._manager(base, **limits).list_checkpoints(tree)
        return [one["hash"] for one in found]

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
        return len(store_status(Path(base) / "checkpoints")["projects"])

    def crowd(self, base: str, tree: str, file: str, takes: int) -> int:
        """Take a first checkpoint of a worktree and more after changes; return how many."""
        return edit_and_take(lambda: self.turn(base, tree), Path(tree) / file, takes)

    def import_store(self, base: str, source: str) -> int:
        """Fill a base with the checkpoints of one of version 2; return how many those were."""
        from hermes_checkpoints import Checkpoints, Config

        limits = Config(max_snapshots=NO_LIMIT, max_total_size_mb=NO_LIMIT)
        with Checkpoints.open(base, config=limits) as checkpoints:
            return checkpoints.import_legacy(source).checkpoints

    def prune(self, base: str, trees: Any, keep: int) -> int:  # noqa: ARG002 - one for all
        """Prune every project to its newest checkpoints; return how many went."""
        from hermes_checkpoints import Checkpoints, Config, Policy

        limits = Config(max_snapshots=keep, max_total_size_mb=NO_LIMIT)
        with Checkpoints.open(base, config=limits) as checkpoints:
            plan = checkpoints.plan_prune(policy=Policy(max_snapshots=keep))
            return len(checkpoints.prune(plan=plan).dropped)
