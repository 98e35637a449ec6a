"""Whole processes, several at once, and the memory of one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.cases.bench import Bench, expect
from benchmarks.contestants import OURS, PYTHON, V2, Answer, BenchmarkError, Worker
from benchmarks.measuring import MEMORY, PROCESSOR, TIME, Figures
from benchmarks.trees import copy_tree, make_tree, removed, settle

Command = Sequence[str | Path]

SESSION = """
import os, sys
import run_agent
from tools.checkpoint_manager import CheckpointManager
assert CheckpointManager.__module__.startswith(sys.argv[2])
manager = CheckpointManager(True)
manager.new_turn()
os._exit(0 if manager.ensure_checkpoint(sys.argv[1], "before write_file") else 3)
"""
"""What a session of the agent does until its first checkpoint is taken. It goes on then, so the
process is left at once: taking an interpreter with the whole agent apart is no part of it."""

MODULES = {OURS: "hermes_checkpoints.", V2: "tools."}
"""Where the manager that the agent finds comes from."""

GROWTH = """
import json, sys
import run_agent

def memory():
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS:")) * 1024

before = memory()
from tools.checkpoint_manager import CheckpointManager
assert CheckpointManager.__module__.startswith(sys.argv[2])
manager = CheckpointManager(True)
listed = manager.list_checkpoints(sys.argv[1])
opened = memory()
manager.new_turn()
taken = manager.ensure_checkpoint(sys.argv[1], "before write_file")
print(json.dumps({"listed": len(listed), "taken": taken,
                  "grown": [opened - before, memory() - before]}))
"""
"""By how many bytes the agent's process grows by its first list, and by its first take after it."""

EVENT = """
import sys
from hermes_checkpoints.catalog.direct.opening import open_catalog
from hermes_checkpoints.layout import Layout
layout = Layout.of(sys.argv[1])
catalog = open_catalog(layout.catalog, layout.catalog_lock, to_look=True)
found = catalog.turns.open_of_session("benchmark")
catalog.close()
sys.exit(0 if len(found) == 1 else 3)
"""
"""What a caller that starts a process for each event asks: where has this session a turn open?"""


FIRST_TAKE = """
import os, sys
from tools.checkpoint_manager import CheckpointManager
manager = CheckpointManager(True)
manager.new_turn()
manager.ensure_checkpoint(sys.argv[1], "before write_file")
os._exit(0)
"""
"""What a process of version 2 does that takes a checkpoint where nothing has changed."""


def run(
    command: Command,
    environment: Mapping[str, str],
    cwd: Path | None = None,
    said: Path | None = None,
) -> Answer:
    """Run a process and return what it took, with the processes that it waited for. ``said`` is
    what it reads.

    Raises:
        BenchmarkError: when it fails.
    """
    start = time.perf_counter()
    with open(os.devnull if said is None else said, "rb") as stdin:
        process = subprocess.Popen(
            command,
            env=environment,
            cwd=cwd,
            stdin=stdin,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    _, status, used = os.wait4(process.pid, 0)
    milliseconds = (time.perf_counter() - start) * 1000
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise BenchmarkError(f"{' '.join(map(str, command))} ended with {process.returncode}")
    return Answer(None, milliseconds, (used.ru_utime + used.ru_stime) * 1000)


def session_start(bench: Bench, figures: Figures, files: int) -> None:
    """A process that imports the whole agent and takes its first checkpoint, of a project that has
    one from an earlier session and one changed file since."""
    if bench.quick and not bench.contestants.has_whole_agent:
        figures.note = "not measured: without --agent-env, installing the agent takes too long"
        return
    files = bench.files(files)
    figures.size = f"{files:,} files, 1 changed"
    with removed(bench.folder / "session") as folder:
        trees = {who: folder / f"tree-{who}" for who in (OURS, V2)}
        environments = {}
        for who, tree in trees.items():
            make_tree(tree, files)
            environments[who] = of_agent(bench, who, folder / f"home-{who}")
        rounds = bench.rounds(5)
        for number in range(-1, rounds):  # the first compiles what is imported, and is not counted
            for who in (OURS, V2) if number % 2 else (V2, OURS):
                (trees[who] / "new.py").write_text(f"# {number}\n", encoding="ascii")
                command: Command = [agent(bench, who), "-c", SESSION, trees[who], MODULES[who]]
                answer = run(command, environments[who], folder)
                if number >= 0:
                    note(figures, who, answer)


def agent(bench: Bench, who: str) -> Path:
    """Return the interpreter with the whole agent that a contestant works in."""
    contestants = bench.contestants
    return contestants.adopted_python() if who == OURS else contestants.agent_python(whole=True)


def of_agent(bench: Bench, who: str, home: Path) -> dict[str, str]:
    """Return the environment of a process of the agent itself, which works in a home whose
    configuration switches checkpoints on."""
    environment = {**bench.contestants.environment, "HERMES_HOME": str(home)}
    del environment["PYTHONPATH"]
    home.mkdir(parents=True, exist_ok=True)
    config = home / "config.yaml"
    if not config.exists():
        config.write_text("checkpoints:\n  enabled: true\n", encoding="ascii")
    if who == OURS:
        bench.contestants.adopt(home)
    return environment


def commands(bench: Bench, *verbs: Figures) -> None:
    """One verb of the command line, as a process; beside it the interpreter that does nothing. The
    title of a case ends with its verb."""
    program = Path(sys.executable).parent / "hermes-checkpoints"
    start: Command = [program] if program.exists() else [sys.executable, "-m", "hermes_checkpoints"]
    with removed(bench.folder / "commands") as folder:
        tree, home = folder / "tree", folder / "home"
        make_tree(tree, 100)
        fill(bench, tree, home)
        environment = {**bench.contestants.environment, "HERMES_HOME": str(home)}
        del environment["PYTHONPATH"]
        for figures in verbs:
            figures.size = "20 checkpoints"
            verb = figures.title.split()[-1]
            _beside_python(bench, figures, [*start, "-C", tree, verb], environment)


def event(bench: Bench, figures: Figures) -> None:
    """A process for each event that looks into the catalog without SQLAlchemy."""
    figures.size = "20 checkpoints"
    with removed(bench.folder / "events") as folder:
        make_tree(folder / "tree", 100)
        fill(bench, folder / "tree", folder / "home")
        environment = bench.contestants.environment
        del environment["PYTHONPATH"]
        python: Command = [sys.executable, "-c", EVENT, folder / "home"]
        _beside_python(bench, figures, python, environment)


def hooks(bench: Bench, *events: Figures) -> None:
    """Events of an agent's hook that have nothing to do: a tool that reads, and the end of a turn
    that no tool has begun. The name of a case ends with its event."""
    with removed(bench.folder / "hooks") as folder:
        tree, home = folder / "tree", folder / "home"
        make_tree(tree, 100)
        fill(bench, tree, home)
        environment = {**bench.contestants.environment, "HERMES_HOME": str(home)}
        del environment["PYTHONPATH"]
        for figures in events:
            figures.size = "20 checkpoints"
            kind = figures.case.rpartition("-")[2]
            said = _said(folder / kind, tree, _EVENTS[kind], "idle")
            _beside_python(bench, figures, _hook(), environment, said)


def hook_take(bench: Bench, figures: Figures, files: int) -> None:
    """An event of an agent's hook that takes a checkpoint of a tree in which nothing has changed;
    beside it a process of version 2 that does so."""
    files = bench.files(files)
    figures.size = f"{files:,} files"
    with removed(bench.folder / "hook-take") as folder:
        trees = {who: folder / f"tree-{who}" for who in (OURS, V2)}
        for who, tree in trees.items():
            make_tree(tree, files)
            fill(bench, tree, folder / f"home-{who}", who)
        settle()
        homes = {who: {"HERMES_HOME": str(folder / f"home-{who}")} for who in trees}
        environments = {who: {**bench.contestants.environment, **homes[who]} for who in trees}
        for environment in environments.values():
            del environment["PYTHONPATH"]
        python = bench.contestants.agent_python()
        for number in range(-1, bench.rounds(5)):  # the first compiles what is imported
            said = _said(folder / "event", trees[OURS], _EVENTS["tool"], f"session {number}")
            for who in (OURS, V2) if number % 2 else (V2, OURS):
                theirs: Command = [python, "-c", FIRST_TAKE, trees[V2]]
                command = _hook() if who == OURS else theirs
                answer = run(command, environments[who], folder, said)
                if number >= 0:
                    note(figures, who, answer)


_EVENTS: dict[str, dict[str, object]] = {
    "read": {"hook_event_name": "PreToolUse", "tool_name": "Read", "tool_input": {}},
    "tool": {"hook_event_name": "PreToolUse", "tool_name": "Edit", "tool_input": {}},
    "stop": {"hook_event_name": "Stop"},
}


def _hook() -> Command:
    program = Path(sys.executable).parent / "hermes-checkpoints"
    start: Command = [program] if program.exists() else [sys.executable, "-m", "hermes_checkpoints"]
    return [*start, "hook", "--agent", "claude"]


def _said(file: Path, tree: Path, event: Mapping[str, object], session: str) -> Path:
    """Write an event into a file; return that."""
    file.write_text(
        json.dumps({"session_id": session, "cwd": str(tree), **event}), encoding="ascii"
    )
    return file


def fill(bench: Bench, tree: Path, home: Path, who: str = OURS) -> None:
    """Take 20 checkpoints of a tree."""
    worker = bench.contestants.worker(who)
    for number in range(20):
        (tree / "new.py").write_text(f"# {number}\n", encoding="ascii")
        expect(worker.call("turn", base=home, tree=tree), True, f"take, {who}")


def _beside_python(
    bench: Bench,
    figures: Figures,
    command: Command,
    environment: Mapping[str, str],
    said: Path | None = None,
) -> None:
    """Note the command, the interpreter alone, and by how much the one takes more time."""
    nothing: Command = [sys.executable, "-c", "pass"]
    run(command, environment, said=said)  # compiles what it imports
    for number in range(bench.rounds(9)):
        found: dict[str, Answer] = {}
        for who in (OURS, PYTHON) if number % 2 else (PYTHON, OURS):
            found[who] = run(command if who == OURS else nothing, environment, said=said)
            note(figures, who, found[who])


def crowd(bench: Bench, figures: Figures, processes: int, files: int) -> None:
    """So many processes at once, each in a worktree of its own with the same files, on one base:
    each takes a first checkpoint and four more after a change."""
    takes = 5
    figures.size = f"{processes} worktrees of {files:,} files, {takes} takes each"
    missed: dict[str, int] = {OURS: 0, V2: 0}
    with removed(bench.folder / "crowd") as folder:
        make_tree(folder / "tree-0", files)
        for number in range(1, processes):
            copy_tree(folder / "tree-0", folder / f"tree-{number}")
        make_tree(folder / "other", 20)
        settle()
        trees = [folder / f"tree-{number}" for number in range(processes)]
        workers: dict[str, list[Worker]] = {}
        try:
            for who in (OURS, V2):
                workers[who] = [bench.contestants.start(who) for _ in trees]
                for number, one in enumerate(workers[who]):
                    base = folder / f"warm-{who}-{number}"
                    one.call("take", base=base, tree=folder / "other")
            for number in range(bench.rounds(3)):
                for who in (OURS, V2) if number % 2 else (V2, OURS):
                    base = folder / f"home-{who}-{number}"
                    workers[who][0].call("take", base=base, tree=folder / "other")
                    os.sync()
                    start = time.perf_counter()
                    for worker, tree in zip(workers[who], trees, strict=True):
                        file = "package0/part0/kind0/module_0.py"
                        worker.ask("crowd", base=base, tree=tree, file=file, takes=takes)
                    answers = [worker.answer() for worker in workers[who]]
                    figures.add(TIME, who, (time.perf_counter() - start) * 1000)
                    figures.add(PROCESSOR, who, sum(one.processor for one in answers))
                    missed[who] += processes * takes - sum(one.value for one in answers)
        finally:
            for started in workers.values():
                for worker in started:
                    worker.close()
    if missed[OURS]:
        raise BenchmarkError(f"{missed[OURS]} checkpoints were not taken")
    if missed[V2]:
        figures.note = f"v2 did not take {missed[V2]} of its checkpoints"


def peak(bench: Bench, figures: Figures, files: int) -> None:
    """The most memory that a process has had by its first take."""
    scene = bench.scene(files)
    figures.size, figures.scale = f"{scene.count:,} files", {"files": scene.count}
    for who in (OURS, V2):
        with removed(scene.folder / f"peak-{who}") as base:
            worker = bench.contestants.start(who)
            try:
                answer = worker.call("take", base=base, tree=scene.places[who].tree)
                expect(answer, True, f"first take, {who}")
                figures.add(MEMORY, who, worker.call("memory", key="VmHWM").value)
            finally:
                worker.close()


def growth(bench: Bench, opened: Figures, taken: Figures) -> None:
    """By how much a process that has imported the whole agent grows when it imports the manager and
    lists 20 checkpoints, and when it takes a first one, too."""
    both = (opened, taken)
    if bench.quick and not bench.contestants.has_whole_agent:
        for figures in both:
            figures.note = "not measured: without --agent-env, installing the agent takes too long"
        return
    with removed(bench.folder / "growth-agent") as folder:
        tree = folder / "tree"
        make_tree(tree, 100)
        for who in (OURS, V2):
            home = folder / f"home-{who}"
            fill(bench, tree, home, who)
            environment = of_agent(bench, who, home)
            for number in range(-1, bench.rounds(3)):  # the first compiles, and is not counted
                (tree / "new.py").write_text(f"# of round {number}\n", encoding="ascii")
                command: Command = [agent(bench, who), "-c", GROWTH, tree, MODULES[who]]
                found = told(command, environment, folder)
                if (found["listed"], found["taken"]) != (20, True):
                    raise BenchmarkError(f"{who} listed and took something else: {found}")
                for figures, grown in zip(both, found["grown"], strict=True):
                    figures.size = "20 checkpoints"
                    if number >= 0:
                        figures.add(MEMORY, who, grown)


def told(command: Command, environment: Mapping[str, str], cwd: Path) -> dict[str, Any]:
    """Run a process and return what its last line of output says, as JSON.

    Raises:
        BenchmarkError: when it fails.
    """
    done = subprocess.run(
        command, env=environment, cwd=cwd, check=False, capture_output=True, text=True
    )
    if done.returncode:
        raise BenchmarkError(f"{command[0]} ended with {done.returncode}: {done.stderr[-2000:]}")
    said: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return said


def growth_of_bare(bench: Bench, figures: Figures) -> None:
    """The growth of a process that has loaded next to nothing: that of the standard library, which
    every agent has, is in it."""
    figures.size = "20 checkpoints"
    with removed(bench.folder / "growth") as folder:
        tree = folder / "tree"
        make_tree(tree, 100)
        for who in (OURS, V2):
            base = folder / f"home-{who}"
            fill(bench, tree, base, who)
            for _ in range(bench.rounds(3)):
                worker = bench.contestants.start(who, load=False)
                try:
                    before = worker.call("memory", key="VmRSS").value
                    worker.call("listed", base=base, tree=tree)
                    after = worker.call("memory", key="VmRSS").value
                finally:
                    worker.close()
                figures.add(MEMORY, who, after - before)


def note(figures: Figures, who: str, answer: Answer) -> None:
    figures.add(TIME, who, answer.milliseconds)
    figures.add(PROCESSOR, who, answer.processor)
