"""Every case of the benchmarks, in the order in which they run."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from benchmarks.cases import large, processes, stores, takes, uses
from benchmarks.cases.bench import Bench
from benchmarks.contestants import tell
from benchmarks.measuring import Figures


@dataclass(frozen=True)
class Case:
    """A case with its name for the command line and its title in tables.

    ``scaled`` says that a quick run has a smaller tree or store for it, so that its budget is not
    judged there. ``files`` is the tree that it needs, which is removed when no later case needs it.
    """

    name: str
    title: str
    run: Callable[[Bench, Figures], Figures]
    scaled: bool = True
    files: int = 0


@dataclass(frozen=True)
class Pair:
    """Two cases that are measured together, one after the other in the same tree."""

    first: Case
    second: Case
    run: Callable[[Bench, Figures, Figures], list[Figures]]


def _never(bench: Bench, figures: Figures) -> Figures:
    raise NotImplementedError("measured together with another case")


def _takes(files: int, name: str) -> list[Case]:
    return [
        Case(f"first-take-{name}", f"first take, {files:,} files",
             partial(takes.first_take, files=files), files=files),
        Case(f"unchanged-{name}", f"unchanged, {files:,} files",
             partial(takes.unchanged, files=files), files=files),
        Case(f"one-file-{name}", f"one file, {files:,} files",
             partial(takes.changed, files=files, changes=1), files=files),
    ]  # fmt: skip


def _changes(count: int, title: str) -> Case:
    run = partial(takes.changed, files=10_000, changes=count)
    return Case(f"{title.replace(' ', '-')}-10k", f"{title}, 10,000 files", run, files=10_000)


def _restore(count: int, name: str, title: str) -> Case:
    run = partial(uses.restore, files=10_000, changes=count)
    return Case(f"restore-{name}", f"restore {title}, 10,000 files", run, files=10_000)


def _kept(keep: int, files: int = 1_000, name: str = "1k") -> Case:
    run = partial(takes.over_limit, files=files, keep=keep)
    title = f"one file, {keep} kept, {files:,} files"
    return Case(f"kept-{keep}-{name}", title, run, files=files)


def _listing(count: int, files: int = 1_000) -> Case:
    run = partial(uses.listing, files=files, count=count)
    return Case(f"list-{count}", f"list of {count}", run, files=files, scaled=False)


def _status(projects: int) -> Case:
    title = f"status of {projects:,} project{'s' if projects > 1 else ''}"
    run = partial(stores.status, projects=projects)
    return Case(f"status-{projects}", title, run, scaled=projects > 20)


def _large(side: str) -> Pair:
    what = f"500 MB file {side} the limit"
    return Pair(
        Case(f"large-{side}", f"{what}, first take", _never),
        Case(f"large-{side}-unchanged", f"{what}, unchanged", _never),
        partial(large.large_file, side=side),
    )


CASES: tuple[Case | Pair, ...] = (
    Case("process-status", "process: status", partial(processes.command, verb="status"),
         scaled=False),
    Case("process-log", "process: log", partial(processes.command, verb="log"), scaled=False),
    Case("one-event", "one event", processes.event, scaled=False),
    Case("memory-growth", "memory: import and open", processes.growth, scaled=False),
    *_takes(1_000, "1k"),
    *(case(count) for count in (5, 20, 100) for case in (_listing, _kept)),
    *_takes(10_000, "10k"),
    _changes(100, "100 files"),
    _changes(10_000, "all files"),
    Case("touched", "6,000 of 10,000 files touched",
         partial(takes.touched, files=10_000, count=6_000), files=10_000),
    Case("turn", "end of a turn and take, unchanged, 10,000 files",
         partial(takes.turn, files=10_000), files=10_000),
    Case("diff", "diff, 10,000 files", partial(uses.diff, files=10_000, changes=10), files=10_000),
    _restore(1, "one", "one file"),
    _restore(100, "100", "100 files"),
    _restore(10_000, "all", "all files"),
    _kept(20, 10_000, "10k"),
    *_takes(45_000, "45k"),
    Case("memory-peak", "memory: first take, 45,000 files", partial(processes.peak, files=45_000),
         files=45_000),
    *map(_status, (1, 20, 250, 1_000)),
    Case("prune", "prune to 20 of 30, 50 projects",
         partial(stores.prune, projects=50, each=30, keep=20)),
    Case("crowd", "8 processes in 8 worktrees", partial(processes.crowd, processes=8, files=1_000),
         scaled=False),
    Case("session-start", "import of the agent and first take",
         partial(processes.session_start, files=1_000)),
    Pair(
        Case("text-take", "9.5 MB text rewritten, take", _never, scaled=False),
        Case("text-restore", "9.5 MB text rewritten, restore", _never, scaled=False),
        large.text,
    ),
    _large(large.OVER),
    _large(large.UNDER),
)  # fmt: skip


def single(entry: Case | Pair) -> tuple[Case, ...]:
    """Return the cases of an entry."""
    return (entry.first, entry.second) if isinstance(entry, Pair) else (entry,)


NAMES = [case.name for entry in CASES for case in single(entry)]


def run(bench: Bench, only: frozenset[str]) -> list[Figures]:
    """Measure the cases that are named, or all; a pair is measured where one of it is named."""
    wanted = [e for e in CASES if not only or only & {case.name for case in single(e)}]
    found: list[Figures] = []
    start = time.monotonic()
    for position, entry in enumerate(wanted):
        blank = [
            Figures(case.name, case.title, full_size=not (bench.quick and case.scaled))
            for case in single(entry)
        ]
        names = ", ".join(case.name for case in single(entry))
        tell(f"{time.monotonic() - start:4.0f} s  {position + 1} of {len(wanted)}: {names}")
        if isinstance(entry, Pair):
            found += entry.run(bench, *blank)
            continue
        found.append(entry.run(bench, *blank))
        later = {case.files for e in wanted[position + 1 :] for case in single(e)}
        if entry.files and entry.files not in later:
            bench.forget(entry.files)
    return found
