"""One base that is reached through two mounts, as from a host and a container: both sides see each
other's locks, and nothing of what either took is lost."""

from __future__ import annotations

import random
from pathlib import Path

from campaigns import crowd, namespaces
from campaigns.rounds import Rounds, Verdict


def skip_reason() -> str:
    """Return why nothing can be played, or ``""``."""
    return namespaces.obstacle()


def enter() -> None:
    namespaces.enter()


def play(rounds: Rounds, chance: random.Random, number: int) -> Verdict:
    """Let a crowd work, half of it through the other mount."""
    world = rounds.world
    other: Path = world.folder / "other"
    other.mkdir(exist_ok=True)
    namespaces.mount("--rbind", world.place, other)
    try:
        home = other / "home"
        # The crowd puts the world back, which would take the mount's home away: it is one folder.
        return crowd.play(rounds, chance, number, homes=[world.home, home])
    finally:
        namespaces.unmount(other)
