"""Runs campaigns: each for its share of the time, on several workers, with a table at the end.

A round is named by campaign, seed and number, and is played by whichever worker has its turn; alone
it is the same.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import random
import secrets
import selectors
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from campaigns.preload import Unavailable
from campaigns.rounds import Rounds, Verdict
from campaigns.world import World

SHARES = {
    "damages": 20,
    "hostile": 18,
    "kills": 42,
    "faults": 10,
    "full": 4,
    "crowd": 4,
    "mounts": 2,
    "clocks": 2,
}
"""The campaigns in the order in which they run, and their shares of the time. One that has a table
ends when its table does, and the others share what it leaves."""

ROOT = Path(__file__).parents[2]


@dataclass
class Total:
    """What a campaign found. ``events`` is what really happened: kills, faults, damages. ``whole``
    is how many rounds its table has, 0 where it has none."""

    campaign: str
    seed: int
    rounds: int = 0
    events: int = 0
    lost: int = 0
    false: int = 0
    executed: int = 0
    outside: int = 0
    seconds: float = 0.0
    broken: int = 0
    whole: int = 0
    skipped: list[str] = field(default_factory=list)
    failures: list[dict[str, Any]] = field(default_factory=list)

    @property
    def good(self) -> bool:
        return not (self.lost or self.false or self.executed or self.outside or self.broken)

    def add(self, told: dict[str, Any]) -> None:
        if told.get("skipped"):
            if told["skipped"] not in self.skipped:
                self.skipped.append(told["skipped"])
            return
        self.rounds += 1
        self.events += told["events"]
        for name in ("lost", "false", "executed", "outside"):
            setattr(self, name, getattr(self, name) + bool(told[name]))
        self.broken += bool(told.get("broken"))
        if any(told.get(n) for n in ("lost", "false", "executed", "outside", "broken")):
            self.failures.append(told)


def repeat(campaign: str, seed: int, number: int) -> str:
    """Return the command that repeats a round."""
    return f"python -m tests.campaigns {campaign} --seed {seed} --round {number}"


# --- one worker ----------------------------------------------------------------------------------


def rounds_of(
    campaign: str, seed: int, numbers: Iterator[int], until: float | None
) -> Iterator[dict[str, Any]]:
    """Play rounds in a world of their own, until there are no more numbers, or the time (of
    ``time.monotonic``) is over; at least one."""
    module = importlib.import_module(f"campaigns.{campaign}")
    reason = module.skip_reason() if hasattr(module, "skip_reason") else ""
    if reason:
        yield {"round": -1, "skipped": reason}
        return
    if hasattr(module, "enter"):
        module.enter()
    with tempfile.TemporaryDirectory(prefix=f"campaign-{campaign}-", dir=_memory()) as name:
        try:
            world = module.make(Path(name)) if hasattr(module, "make") else World.make(Path(name))
        except Unavailable as error:
            yield {"round": -1, "skipped": str(error)}
            return
        try:
            rounds = Rounds(world)
            for number in numbers:
                chance = random.Random(f"{campaign} {seed} {number}")  # noqa: S311
                try:
                    verdict: Verdict = module.play(rounds, chance, number)
                    yield {"round": number, **asdict(verdict)}
                except Exception:  # noqa: BLE001 - a campaign that breaks is reported, too
                    broken = traceback.format_exc()[-1500:]
                    yield {"round": number, **asdict(Verdict()), "broken": broken}
                if until is not None and time.monotonic() >= until:
                    return
        finally:
            world.close()


def _memory() -> str | None:
    """Return a folder in memory where there is one with room: no round cuts the power."""
    if "TMPDIR" in os.environ:
        return None
    memory = Path("/dev/shm")
    room = memory.is_dir() and shutil.disk_usage(memory).free > 1 << 30
    return str(memory) if room and os.access(memory, os.W_OK) else None


def work(arguments: argparse.Namespace) -> int:
    """Be a worker: print the verdict of each round as a line of JSON."""
    first, step = (int(part) for part in arguments.worker.split("/"))
    most = arguments.rounds if arguments.rounds is not None else sys.maxsize
    numbers = (
        iter([arguments.round]) if arguments.round is not None else iter(range(first, most, step))
    )
    until = None if arguments.seconds is None else time.monotonic() + arguments.seconds
    for told in rounds_of(arguments.campaign, arguments.seed, numbers, until):
        sys.stdout.write(json.dumps(told, default=str) + "\n")
        sys.stdout.flush()
    return 0


# --- all of them ---------------------------------------------------------------------------------


def run(
    campaign: str,
    seed: int,
    *,
    jobs: int = 1,
    seconds: float | None = None,
    rounds: int | None = None,
    only: int | None = None,
    say: Any = print,
) -> Total:
    """Run one campaign on several workers and return what it found."""
    total, began = Total(campaign, seed), time.monotonic()
    jobs = 1 if only is not None else jobs if rounds is None else max(1, min(jobs, rounds))
    workers = []
    with selectors.DefaultSelector() as selector:
        for job in range(jobs):
            command = [sys.executable, "-m", "tests.campaigns", campaign, "--seed", str(seed)]
            command += ["--worker", f"{job}/{jobs}"]
            for name, value in (("--seconds", seconds), ("--rounds", rounds), ("--round", only)):
                command += [name, str(value)] if value is not None else []
            worker = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
            workers.append(worker)
            assert worker.stdout is not None
            selector.register(worker.stdout, selectors.EVENT_READ)
        while selector.get_map():
            for key, _ in selector.select():
                line = key.fileobj.readline()  # type: ignore[union-attr]
                if not line:
                    selector.unregister(key.fileobj)
                    continue
                told = json.loads(line)
                total.add(told)
                _say(told, campaign, seed, say, always=only is not None)
    for worker in workers:
        if worker.wait():
            total.broken += 1
            say(f"{campaign}: a worker ended with {worker.returncode}")
        assert worker.stdout is not None
        worker.stdout.close()
    total.seconds = time.monotonic() - began
    return total


def _say(told: dict[str, Any], campaign: str, seed: int, say: Any, *, always: bool) -> None:
    if told.get("skipped"):
        say(f"{campaign}: skipped: {told['skipped']}")
        return
    found = {n: told[n] for n in ("lost", "false", "executed", "outside", "broken") if told.get(n)}
    if found or always:
        say(f"{campaign} {told['round']}: {told.get('told', '')}")
    for word, texts in found.items():
        for text in [texts] if isinstance(texts, str) else texts[:6]:
            say(f"    {word}: {text}")
    if found:
        say(f"    again: {repeat(campaign, seed, told['round'])}")


def table(totals: Sequence[Total]) -> str:
    """Return the table of what campaigns found; ``lost`` to ``outside`` count rounds."""
    head = ["campaign", "rounds", "events", "lost", "false", "executed", "outside", "seconds"]
    lines = [head]
    for one in totals:
        rounds = f"{one.rounds} of {one.whole}" if one.whole else one.rounds
        numbers = (rounds, one.events, one.lost, one.false, one.executed, one.outside)
        lines.append([one.campaign, *map(str, numbers), f"{one.seconds:.0f}"])
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if not number else cell.rjust(width)
            for number, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def _whole(campaign: str) -> int:
    """Return how many rounds the table of a campaign has, 0 where it has none."""
    module = importlib.import_module(f"campaigns.{campaign}")
    return int(module.whole()) if hasattr(module, "whole") else 0


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    made = argparse.ArgumentParser(prog="python -m tests.campaigns", description=__doc__)
    made.add_argument("campaign", nargs="?", choices=list(SHARES), help="only this one")
    made.add_argument("--minutes", type=float, help="the time for all (default: 30)")
    made.add_argument("--only", nargs="+", choices=list(SHARES), help="only these")
    made.add_argument("--seed", type=int, help="default: a new one, which is printed")
    made.add_argument("--rounds", type=int, help="so many rounds, instead of a time")
    made.add_argument("--round", type=int, help="this round alone")
    made.add_argument("--jobs", type=int, default=2, help="how many workers (default: 2)")
    made.add_argument("--json", type=Path, metavar="FILE", help="write the report there")
    made.add_argument("--worker", help=argparse.SUPPRESS)
    made.add_argument("--seconds", type=float, help=argparse.SUPPRESS)
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is asked for; return 1 where anything was lost, false, executed or outside."""
    asked = parser().parse_args(arguments)
    if asked.worker:
        return work(asked)
    chosen = [asked.campaign] if asked.campaign else asked.only or list(SHARES)
    seed = secrets.randbelow(1_000_000) if asked.seed is None else asked.seed
    counted = asked.round is not None or asked.rounds is not None
    minutes = (asked.minutes or 30) if not counted or asked.minutes else None
    end = None if minutes is None else time.monotonic() + minutes * 60
    totals = []
    for number, name in enumerate(chosen):
        seconds, rounds, whole = None, asked.rounds, 0
        if end is not None:
            share = SHARES[name] / sum(SHARES[other] for other in chosen[number:])
            seconds = max(0.0, end - time.monotonic()) * share
            whole = _whole(name)
            rounds = rounds or whole or None
        print(f"{name}: seed {seed}", flush=True)
        found = run(name, seed, jobs=asked.jobs, seconds=seconds, rounds=rounds, only=asked.round)
        found.whole = whole
        totals.append(found)
    print(table(totals))
    good = all(total.good for total in totals)
    if asked.json:
        report = {"seed": seed, "good": good, "campaigns": [asdict(total) for total in totals]}
        asked.json.write_text(json.dumps(report, indent=1, default=str) + "\n", encoding="utf-8")
    return 0 if good else 1
