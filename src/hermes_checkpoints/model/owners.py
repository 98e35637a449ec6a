"""Which process an agent is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Owner:
    """The process of an agent, so that it is known whether it still runs: its host, the start of
    that machine, its number, and when it began."""

    host: str
    boot: str
    pid: int
    started: str
