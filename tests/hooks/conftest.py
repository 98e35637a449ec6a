"""Agents that end with the test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hooks.agents import HookedAgent

Starts = Callable[..., HookedAgent]


@pytest.fixture
def agent(project: Path) -> Iterator[Starts]:
    """Start an agent in the project: ``agent("claude", "session-1")``."""
    started: list[HookedAgent] = []

    def begin(name: str = "claude", session_id: str = "session-1") -> HookedAgent:
        started.append(HookedAgent(name, project, session_id))
        return started[-1]

    yield begin
    for one in started:
        one.close()
