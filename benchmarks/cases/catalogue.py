"""Every case of the benchmarks, in the order in which they run."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from benchmarks.cases import agent, large, processes, stores, takes, uses
from benchmarks.cases.bench import Bench
from benchmarks.contestants import BenchmarkError, tell
from benchmarks.measuring import Figures


@dataclass(frozen=True)
class Case:
    """A case with its name for the command line and its title in tables.

    ``scaled`` says that a quick run has a smaller tree or store for it, so that its budget is not
    judged there.
    """

    name: str
    title: str
    scaled: bool = True


@dataclass(frozen=True)
class Entry:
    """What is measured in one go: a case, or two that share what is made for them.

    ``run`` is called with the bench and the figures to fill, one for each case. ``files`` is the
    tree that it needs, which is removed when no later entry needs it.
    """

    cases: tuple[Case, ...]
    run: Callable[..., None]
    files: int = 0


def _one(
    name: str, title: str, run: Callable[..., None], *, scaled: bool = True, files: int = 0
) -> Entry:
    return Entry((Case(name, title, scaled),), run, files)


def _takes(files: int, name: str) -> list[Entry]:
    return [
        _one(f"first-take-{name}", f"first take, {files:,} files",
             partial(takes.first_take, files=files), files=files),
        _one(f"unchanged-{name}", f"unchanged, {files:,} files",
             partial(takes.unchanged, files=files), files=files),
        _one(f"one-file-{name}", f"one file, {files:,} files",
             partial(takes.changed, files=files, changes=1), files=files),
    ]  # fmt: skip


def _changes(count: int, title: str) -> Entry:
    run = partial(takes.changed, files=10_000, changes=count)
    return _one(f"{title.replace(' ', '-')}-10k", f"{title}, 10,000 files", run, files=10_000)


def _restore(count: int, name: str, title: str) -> Entry:
    run = partial(uses.restore, files=10_000, changes=count)
    return _one(f"restore-{name}", f"restore {title}, 10,000 files", run, files=10_000)


def _kept(keep: int, files: int = 1_000, name: str = "1k") -> Entry:
    run = partial(takes.over_limit, files=files, keep=keep)
    title = f"one file, {keep} kept, {files:,} files"
    return _one(f"kept-{keep}-{name}", title, run, files=files)


def _listing(count: int, files: int = 1_000) -> Entry:
    run = partial(uses.listing, files=files, count=count)
    return _one(f"list-{count}", f"list of {count}", run, files=files, scaled=count > 20)


def _status(projects: int) -> Entry:
    title = f"status of {projects:,} project{'s' if projects > 1 else ''}"
    run = partial(stores.status, projects=projects)
    return _one(f"status-{projects}", title, run, scaled=projects > 1)


def _first(files: int, name: str) -> Entry:
    cases = tuple(
        Case(
            f"session-{name}-{base}{later}",
            f"first checkpoint of a session, {title}, {files:,} files",
        )
        for base, what in (("new", "new base"), ("known", "one file"))
        for later, title in (("", what), ("-later", f"{what}, after an answer"))
    )
    return Entry(cases, partial(agent.first_checkpoints, files=files))


def _large(side: str) -> Entry:
    what = f"500 MB file {side} the limit"
    first = Case(f"large-{side}", f"{what}, first take")
    again = Case(f"large-{side}-unchanged", f"{what}, unchanged")
    return Entry((first, again), partial(large.large_file, side=side))


ENTRIES: tuple[Entry, ...] = (
    Entry(
        (
            Case("process-status", "process: status", scaled=False),
            Case("process-log", "process: log", scaled=False),
        ),
        processes.commands,
    ),
    _one("one-event", "one event", processes.event, scaled=False),
    Entry(
        (
            Case("hook-read", "hook: a tool that reads", scaled=False),
            Case("hook-stop", "hook: no turn is open", scaled=False),
        ),
        processes.hooks,
    ),
    _one("hook-take-10k", "hook: a checkpoint, unchanged, 10,000 files",
         partial(processes.hook_take, files=10_000), files=10_000),
    Entry(
        (
            Case("memory-growth", "memory: import and open, in the agent", scaled=False),
            Case("memory-take", "memory: and a first take, in the agent", scaled=False),
        ),
        processes.growth,
    ),
    _one("memory-bare", "memory: import and open, in a bare process", processes.growth_of_bare,
         scaled=False),
    *_takes(1_000, "1k"),
    *(case(count) for count in (5, 20, 100) for case in (_listing, _kept)),
    *_takes(10_000, "10k"),
    _changes(100, "100 files"),
    _changes(10_000, "all files"),
    _one("turn", "end of a turn and take, unchanged, 10,000 files",
         partial(takes.turn, files=10_000), files=10_000),
    _one("touched", "6,000 of 10,000 files touched",
         partial(takes.touched, files=10_000, count=6_000), files=10_000),
    _one("diff", "diff, 10,000 files", partial(uses.diff, files=10_000, changes=10), files=10_000),
    _restore(1, "one", "one file"),
    _restore(100, "100", "100 files"),
    _restore(10_000, "all", "all files"),
    _kept(20, 10_000, "10k"),
    *_takes(45_000, "45k"),
    _one("memory-peak", "memory: first take, 45,000 files", partial(processes.peak, files=45_000),
         files=45_000),
    *map(_status, (1, 20, 250, 1_000)),
    _one("prune", "prune to 20 of 30, 50 projects",
         partial(stores.prune, projects=50, each=30, keep=20)),
    _one("crowd", "8 processes in 8 worktrees", partial(processes.crowd, processes=8, files=1_000),
         scaled=False),
    Entry(
        (
            Case("agent-python", "python -c pass in the agent's environment", scaled=False),
            Case("agent-version", "hermes --version", scaled=False),
            Case("agent-program", "hermes-acp --version", scaled=False),
        ),
        agent.starts,
    ),
    Entry(
        (
            Case("new-turn", "new_turn in the agent, unchanged", scaled=False),
            Case("memory-session", "memory: ten turns, a list, a restore", scaled=False),
        ),
        agent.turns,
    ),
    *(_first(files, name) for files, name in ((100, "100"), (1_000, "1k"), (10_000, "10k"))),
    _one("session-start", "import of the agent and first take",
         partial(processes.session_start, files=1_000)),
    Entry(
        (
            Case("text-take", "9.5 MB text rewritten, take", scaled=False),
            Case("text-restore", "9.5 MB text rewritten, restore", scaled=False),
        ),
        large.text,
    ),
    _large(large.OVER),
    _large(large.UNDER),
)  # fmt: skip


NAMES = [case.name for entry in ENTRIES for case in entry.cases]


def run(bench: Bench, only: frozenset[str]) -> list[Figures]:
    """Measure the cases that are named, with those that share an entry with them, or all."""
    wanted = [e for e in ENTRIES if not only or only & {case.name for case in e.cases}]
    found: list[Figures] = []
    start = time.monotonic()
    for position, entry in enumerate(wanted):
        blank = [
            Figures(case.name, case.title, full_size=not (bench.quick and case.scaled))
            for case in entry.cases
        ]
        names = ", ".join(case.name for case in entry.cases)
        tell(f"{time.monotonic() - start:4.0f} s  {position + 1} of {len(wanted)}: {names}")
        try:
            entry.run(bench, *blank)
        except BenchmarkError as error:
            tell(str(error))
            for figures in blank:
                figures.samples.clear()
                figures.note, figures.failed = f"not measured: {str(error).splitlines()[-1]}", True
        found += blank
        if entry.files not in {later.files for later in wanted[position + 1 :]}:
            bench.forget(entry.files)
    return found
