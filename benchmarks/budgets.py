"""What must hold: for each case how much faster than version 2, how near to bare git."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchmarks.contestants import GIT, OURS, PYTHON, V2
from benchmarks.measuring import COLLECTIONS, DISK, MEMORY, PROCESSOR, TIME, Figures

MB = 1_000_000
LARGE = ("10k", "45k")
SMALL = ("first-take", "unchanged", "one-file", "kept-5", "kept-20", "kept-100")


@dataclass(frozen=True)
class Budget:
    """A bound of one case.

    ``faster`` is by how many times version 2 must take longer, ``at_most`` how many times as much
    as ``than`` ours may take; where ``than`` is None, it is a bound in the unit of the quantity,
    and with ``more_than`` how much more than that contestant it may be.
    """

    case: str
    faster: float | None = None
    at_most: float | None = None
    than: str | None = None
    more_than: str | None = None
    quantity: str = TIME

    def measured(self, figures: Figures) -> float | None:
        """Return the figure that is judged, or None where it was not measured."""
        if self.faster is not None:
            return figures.ratio(self.quantity, V2, OURS)
        if self.than is not None:
            return figures.ratio(self.quantity, OURS, self.than)
        ours = figures.median(self.quantity, OURS)
        if self.more_than is None or ours is None:
            return ours
        beside = figures.median(self.quantity, self.more_than)
        return None if beside is None else ours - beside

    def holds(self, measured: float) -> bool:
        if self.faster is not None:
            return measured >= self.faster
        assert self.at_most is not None  # noqa: S101 - for the types
        return measured <= self.at_most

    def text(self) -> str:
        """Say it in words."""
        if self.faster is not None:
            return f">= {self.faster:g}x v2"
        what = "" if self.quantity == TIME else f"{self.quantity} "
        if self.than is not None:
            return f"{what}<= {self.at_most:g}x {self.than}"
        assert self.at_most is not None  # noqa: S101 - for the types
        bound = {
            MEMORY: f"{self.at_most / MB:g} MB",
            COLLECTIONS: f"{self.at_most:g}",
        }.get(self.quantity, f"{self.at_most:g} ms")
        beside = "" if self.more_than is None else f" more than {self.more_than}"
        return f"{what}<= {bound}{beside}"


BUDGETS = (
    *(Budget(f"first-take-{size}", faster=1.5) for size in LARGE),
    *(Budget(f"first-take-{size}", at_most=0.8, than=GIT) for size in LARGE),
    *(Budget(f"first-take-{size}", at_most=0.5, than=GIT, quantity=DISK) for size in LARGE),
    *(Budget(f"unchanged-{size}", faster=18) for size in LARGE),
    *(Budget(f"unchanged-{size}", at_most=1.2, than=GIT) for size in LARGE),
    Budget("one-file-10k", faster=12),
    Budget("one-file-10k", at_most=1.6, than=GIT),
    Budget("kept-20-10k", faster=12),
    Budget("kept-20-10k", at_most=1.6, than=GIT),
    Budget("100-files-10k", faster=6),
    Budget("100-files-10k", at_most=1.5, than=GIT),
    Budget("touched", faster=1),
    Budget("touched", at_most=1.5, than=GIT),
    Budget("list-20", faster=60),
    Budget("status-1", faster=1),
    Budget("status-20", faster=1),
    Budget("status-250", faster=100),
    Budget("status-1000", faster=300),
    Budget("diff", faster=1.2),
    *(Budget(f"restore-{what}", faster=6) for what in ("one", "100", "all")),
    Budget("turn", faster=12),
    Budget("prune", faster=20),
    Budget("prune", at_most=1, quantity=COLLECTIONS),
    Budget("crowd", faster=1.2),
    Budget("session-start", faster=0.8),
    *(Budget(f"agent-{what}", at_most=1.25, than=V2) for what in ("python", "version", "program")),
    Budget("new-turn", at_most=2),
    Budget("memory-session", at_most=20 * MB, more_than=V2, quantity=MEMORY),
    *(
        Budget(f"session-{size}-{base}{later}", at_most=1.2, than=V2)
        for size in ("100", "1k", "10k")
        for base in ("new", "known")
        for later in ("", "-later")
    ),
    *(Budget(f"text-{what}", faster=1) for what in ("take", "restore")),
    *(Budget(f"text-{what}", at_most=1.5, than=GIT) for what in ("take", "restore")),
    Budget("memory-growth", at_most=20 * MB, quantity=MEMORY),
    *(Budget(f"process-{verb}", at_most=220, quantity=PROCESSOR) for verb in ("status", "log")),
    *(
        Budget(case, at_most=60, more_than=PYTHON)
        for case in ("one-event", "hook-read", "hook-stop")
    ),
    Budget("hook-take-10k", faster=1),
    # No case may be behind.
    *(Budget(f"{what}-1k", faster=1) for what in SMALL),
    *(Budget(case, faster=1) for case in ("one-file-45k", "all-files-10k", "list-5", "list-100")),
    *(
        Budget(f"large-{side}{after}", faster=1)
        for side in ("over", "under")
        for after in ("", "-unchanged")
    ),
)


@dataclass(frozen=True)
class Verdict:
    """A budget with what was measured; ``holds`` is None where it was not judged, and ``why`` says
    so."""

    budget: Budget
    measured: float | None
    holds: bool | None
    why: str = ""


def judge(found: Iterable[Figures], budgets: Sequence[Budget] = BUDGETS) -> list[Verdict]:
    """Judge what was measured; a case that was not asked for is not named."""
    by_case = {figures.case: figures for figures in found}
    verdicts = []
    for budget in budgets:
        figures = by_case.get(budget.case)
        if figures is None:
            continue
        measured = budget.measured(figures)
        if measured is None:
            why = figures.note or "not measured"
            verdicts.append(Verdict(budget, None, None, why))
        elif not figures.full_size:
            why = f"a quick run has only {figures.size}"
            verdicts.append(Verdict(budget, measured, None, why))
        else:
            verdicts.append(Verdict(budget, measured, budget.holds(measured)))
    return verdicts
