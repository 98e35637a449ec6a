"""What adoption costs inside the agent: the start of its programs, the first checkpoint of a
session, the begin of a turn, and memory. One side is the agent as it comes, the other one the
agent that has adopted this package, each in an environment of its own."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.cases.bench import Bench
from benchmarks.cases.processes import MODULES, Command, agent, fill, note, of_agent, run, told
from benchmarks.contestants import OURS, V2, BenchmarkError
from benchmarks.measuring import MEMORY, PROCESSOR, TIME, Figures
from benchmarks.trees import make_tree, removed, settle

BOTH = (OURS, V2)

ANSWER_SECONDS = 1.0
"""How long the model is given to answer before its first tool call; most take longer."""

SESSION = """
import json, os, resource, sys, time
from datetime import datetime
import run_agent
from hermes_cli.plugins import invoke_hook

tree, module, pause, turns, changes = sys.argv[1], sys.argv[2], *map(float, sys.argv[3:6])

def processor():
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)

def memory():
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS:")) * 1024

def write(number):
    call = {"tool_name": "write_file", "session_id": "benchmark", "tool_call_id": f"call-{number}"}
    args = {"path": os.path.join(tree, "new.py"), "content": ""}
    invoke_hook("pre_tool_call", args=args, **call)
    manager.ensure_checkpoint(tree, "before write_file")
    return lambda: invoke_hook("post_tool_call", args=args, status="ok", **call)

def asked(number):
    said = [{"role": "user", "content": f"request {one}"} for one in range(number + 1)]
    invoke_hook("pre_llm_call", session_id="benchmark", conversation_history=said)

began_at = int(time.time())
before, used, start = memory(), processor(), time.perf_counter()
from tools.checkpoint_manager import CheckpointManager
manager = CheckpointManager(True)
asked(0)
manager.new_turn()
if pause:
    time.sleep(pause)
written = write(0)
first = time.perf_counter() - start - pause
used = processor() - used
written()
assert CheckpointManager.__module__.startswith(module), CheckpointManager.__module__
began = []
for number in range(int(turns)):
    if changes:
        with open(os.path.join(tree, "new.py"), "w", encoding="ascii") as file:
            file.write(f"# {os.getpid()} {number}\\n")
    invoke_hook("on_session_end", session_id="benchmark")
    begin = time.perf_counter()
    asked(number + 1)
    manager.new_turn()
    began.append((time.perf_counter() - begin) * 1000)
    write(number + 1)()
listed = manager.list_checkpoints(tree)
taken = datetime.fromisoformat(listed[0]["timestamp"]).timestamp() >= began_at
if changes:
    assert manager.restore(tree, listed[-1]["hash"])["success"]
print(json.dumps({"taken": taken, "first": first * 1000, "processor": used * 1000,
                  "began": began, "grown": memory() - before}), flush=True)
os._exit(0)
"""
"""A session of the agent, with the hooks that it calls: until the first checkpoint is taken, with
so many turns after it; with ``changes`` each changes a file, and at the end comes a list and a
restore. The process is left at once, since taking an interpreter apart is no part of it."""


def _whole(bench: Bench, *cases: Figures) -> bool:
    """Tell whether the whole agent may be had, else note why nothing was measured."""
    if bench.quick and not bench.contestants.has_whole_agent:
        for figures in cases:
            figures.note = "not measured: without --agent-env, installing the agent takes too long"
        return False
    return True


def _order(number: int) -> tuple[str, ...]:
    return BOTH if number % 2 else BOTH[::-1]


def starts(bench: Bench, nothing: Figures, version: Figures, program: Figures) -> None:
    """The start of an interpreter of the agent's environment, and of two programs of the agent."""
    if not _whole(bench, nothing, version, program):
        return
    with removed(bench.folder / "starts") as folder:
        environments = {who: of_agent(bench, who, folder / f"home-{who}") for who in BOTH}
        for figures, words in (
            (nothing, ["-c", "pass"]),
            (version, ["hermes", "--version"]),
            (program, ["hermes-acp", "--version"]),
        ):
            for number in range(-1, bench.rounds(15)):  # the first compiles what is imported
                for who in _order(number):
                    python = agent(bench, who)
                    first = words[0] if words[0] == "-c" else python.parent / words[0]
                    answer = run([python, first, *words[1:]], environments[who], folder)
                    if number >= 0:
                        note(figures, who, answer)


def first_checkpoints(
    bench: Bench, new: Figures, new_later: Figures, known: Figures, known_later: Figures, files: int
) -> None:
    """The first checkpoint of a session, in a base that holds nothing, and of a project that has
    some and one changed file since; at once, and after the model has answered."""
    cases = (new, new_later, known, known_later)
    if not _whole(bench, *cases):
        return
    count = bench.files(files)
    with removed(bench.folder / "first") as folder:
        trees = {who: folder / f"tree-{who}" for who in BOTH}
        homes = {who: folder / f"home-{who}" for who in BOTH}
        environments: dict[str, dict[str, str]] = {}
        for who in BOTH:
            make_tree(trees[who], count)
            environments[who] = of_agent(bench, who, homes[who])
        settle()
        for figures in cases:
            figures.size, figures.scale = f"{count:,} files", {"files": count}
            is_new, is_later = figures in (new, new_later), figures in (new_later, known_later)
            rounds = bench.rounds(3 if files >= 10_000 else 5)
            for number in range(-1, rounds):  # the first compiles what is imported
                for who in _order(number):
                    if is_new:
                        shutil.rmtree(homes[who] / "checkpoints", ignore_errors=True)
                    else:
                        changed = f"# {figures.case} {number}\n"
                        (trees[who] / "new.py").write_text(changed, encoding="ascii")
                    pause = ANSWER_SECONDS if is_later else 0
                    found = _session(bench, who, trees[who], environments[who], pause=pause)
                    if not found["taken"]:
                        raise BenchmarkError(f"{who} took no first checkpoint")
                    if number >= 0:
                        figures.add(TIME, who, found["first"])
                        figures.add(PROCESSOR, who, found["processor"])


def turns(bench: Bench, begin: Figures, memory: Figures) -> None:
    """Ten turns after the first checkpoint of a session: what the begin of one takes where the one
    before has ended and nothing has changed, and by how much the process has grown after ten with
    a change, a list and a restore."""
    if not _whole(bench, begin, memory):
        return
    with removed(bench.folder / "turns") as folder:
        for figures, changes in ((begin, 0), (memory, 1)):
            figures.size = "100 files, 20 checkpoints"
            for who in BOTH:
                tree, home = folder / f"{changes}-{who}", folder / f"home-{changes}-{who}"
                make_tree(tree, 100)
                fill(bench, tree, home, who)
                environment = of_agent(bench, who, home)
                for number in range(-1, bench.rounds(3)):  # the first compiles
                    (tree / "other.py").write_text(f"# {number}\n", encoding="ascii")
                    found = _session(bench, who, tree, environment, count=10, changes=changes)
                    if number < 0:
                        continue
                    for milliseconds in found["began"] if not changes else ():
                        figures.add(TIME, who, milliseconds)
                    if changes:
                        figures.add(MEMORY, who, found["grown"])


def _session(
    bench: Bench,
    who: str,
    tree: Path,
    environment: Mapping[str, str],
    *,
    pause: float = 0,
    count: int = 0,
    changes: int = 0,
) -> dict[str, Any]:
    os.sync()  # what others have written waits for the disk before it, not in it
    numbers = map(str, (pause, count, changes))
    command: Command = [agent(bench, who), "-c", SESSION, tree, MODULES[who], *numbers]
    return told(command, environment, tree)  # the directory in which the session works
