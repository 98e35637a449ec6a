"""What a case measures: samples of each contestant, and their medians and ratios."""

from __future__ import annotations

import statistics
from dataclasses import dataclass, field
from typing import Any

TIME = "time"
"""Milliseconds of the clock."""
PROCESSOR = "processor"
"""Milliseconds of user and system time, of a process and of those that it started."""
DISK = "disk"
"""Bytes on disk of all that a contestant keeps."""
MEMORY = "memory"
"""Bytes of memory."""
COLLECTIONS = "gcs"
"""How many processes of git looked at a whole store to pack it."""


@dataclass
class Figures:
    """The samples of one case: for each quantity those of each contestant, by round.

    ``size`` says in words what was measured; ``scale`` has its numbers (``files``, ``changes``,
    ``projects``, ``checkpoints``). ``note`` tells what was not measured, and why; ``failed`` that
    this is because a contestant did not do what is measured. ``apart`` says when and where a case
    was measured that is no part of the run it stands in.
    """

    case: str
    title: str
    size: str = ""
    scale: dict[str, int] = field(default_factory=dict)
    full_size: bool = True
    note: str = ""
    failed: bool = False
    apart: str = ""
    samples: dict[str, dict[str, list[float]]] = field(default_factory=dict)

    def add(self, quantity: str, contestant: str, value: float) -> None:
        self.samples.setdefault(quantity, {}).setdefault(contestant, []).append(value)

    def median(self, quantity: str, contestant: str) -> float | None:
        """Return the median of a contestant, or None where it was not measured."""
        found = self.samples.get(quantity, {}).get(contestant)
        return statistics.median(found) if found else None

    def ratio(self, quantity: str, over: str, under: str) -> float | None:
        """Return how often the median of ``under`` goes into that of ``over``, or None."""
        top, bottom = self.median(quantity, over), self.median(quantity, under)
        return None if top is None or not bottom else top / bottom

    def use_processor(self) -> None:
        """Let processor time stand where the time of the clock stands, for a machine that is busy
        with other work."""
        if PROCESSOR in self.samples:
            self.samples[TIME] = self.samples[PROCESSOR]

    def plain(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {
            "case": self.case,
            "title": self.title,
            "size": self.size,
            "scale": self.scale,
            "full_size": self.full_size,
            "note": self.note,
            "failed": self.failed,
            "apart": self.apart,
            "samples": {
                quantity: {name: [round(value, 3) for value in found] for name, found in by.items()}
                for quantity, by in self.samples.items()
            },
        }

    @classmethod
    def read(cls, plain: dict[str, Any]) -> Figures:
        """Return what ``plain`` gave."""
        return cls(**plain)
