"""What the end of a turn costs, beside a take of the same change.

    python benchmarks/turns.py [--files N …] [--rounds N]

Each round makes the change, ends the turn, and takes the next checkpoint, which then finds what
the end of the turn has staged. The take that the end is compared with meets the same change
without an end before it. Times are medians in milliseconds, with the git processes of each call.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from hermes_checkpoints import Checkpoints
from hermes_checkpoints.model import Kind

BYTES = 2_000


def make_project(folder: Path, files: int) -> list[Path]:
    """Write files of random text, 50 to a directory."""
    paths = [folder / f"d{n // 50:04}" / f"f{n % 50:02}.txt" for n in range(files)]
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(os.urandom(BYTES // 2).hex(), encoding="ascii")
    return paths


def count_processes(folder: Path) -> Path:
    """Put a `git` first on PATH that notes each start, and return its log."""
    real = shutil.which("git")
    folder.mkdir()
    log, shim = folder / "log", folder / "git"
    log.write_bytes(b"")
    shim.write_text(f"#!/bin/sh\necho >>'{log}'\nexec '{real}' \"$@\"\n", encoding="utf-8")
    shim.chmod(0o755)
    os.environ["PATH"] = f"{folder}{os.pathsep}{os.environ['PATH']}"
    return log


class Bench:
    """One project of so many files."""

    def __init__(self, root: Path, files: int, log: Path) -> None:
        self.project = root / f"project{files}"
        self.paths = make_project(self.project, files)
        self.checkpoints = Checkpoints.open(root / f"home{files}")
        self.log = log
        self.round = 0

    def edit(self, count: int) -> None:
        self.round += 1
        step = max(1, len(self.paths) // max(1, count))
        for path in self.paths[::step][:count]:
            path.write_text(f"{self.round}\n" + os.urandom(BYTES // 2).hex(), encoding="ascii")

    def take(self) -> None:
        self.checkpoints.project(self.project).take(kind=Kind.AUTO, session_id="s")

    def end(self) -> None:
        if not self.checkpoints.project(self.project).end_turn(session_id="s"):
            raise SystemExit("no turn was open")

    def timed(self, action: Callable[[], None]) -> tuple[float, int]:
        before = self.log.stat().st_size
        start = time.perf_counter()
        action()
        return (time.perf_counter() - start) * 1000, self.log.stat().st_size - before


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--files", type=int, nargs="+", default=[1_000, 10_000])
    parser.add_argument("--rounds", type=int, default=7)
    args = parser.parse_args()
    print(f"{'files':>7} {'changed':>8} {'end_turn':>14} {'take after it':>14} {'take alone':>14}")
    with tempfile.TemporaryDirectory(prefix="turns-") as folder:
        root = Path(folder).resolve()
        log = count_processes(root / "shim")
        for files in args.files:
            bench = Bench(root, files, log)
            bench.take()
            for changed in (0, 1, 100):
                rows: list[list[tuple[float, int]]] = [[], [], []]
                for _ in range(args.rounds):
                    bench.take()
                    bench.edit(changed)
                    rows[0].append(bench.timed(bench.end))
                    rows[1].append(bench.timed(bench.take))
                    bench.edit(changed)
                    rows[2].append(bench.timed(bench.take))
                cells = " ".join(
                    f"{statistics.median(ms for ms, _ in row):>8.0f} ms"
                    f" {statistics.median(n for _, n in row):>2.0f}"
                    for row in rows
                )
                print(f"{files:>7} {changed:>8} {cells}")


if __name__ == "__main__":
    main()
