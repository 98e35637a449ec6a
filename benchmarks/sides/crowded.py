"""What each of several processes does at once in a worktree of its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path


def edit_and_take(take: Callable[[], bool], file: Path, takes: int) -> int:
    """Take once, then after each of ``takes - 1`` changes of a file; return how many were taken."""
    taken = int(take())
    text = file.read_text(encoding="utf-8")
    for number in range(1, takes):
        file.write_text(f"{text}# {file.parts} {number}\n", encoding="utf-8")
        taken += take()
    return taken
