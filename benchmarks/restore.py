"""Measures a restore of many files and its undo.

    python benchmarks/restore.py [--files N] [--bytes N] [--rounds N] [--home DIR]

Every file of a project is changed and brought back, then the restore is undone. The changed files
are young, as they are after an agent's turn, so that their contents are looked at once more. Prints
the fastest of the rounds in seconds; the safety checkpoints are part of them.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

from hermes_checkpoints import Checkpoints
from hermes_checkpoints.config import Config
from hermes_checkpoints.model import Mode


def measure(folder: Path, files: int, size: int, rounds: int) -> tuple[float, float]:
    """Return the seconds of the fastest restore and of the fastest undo."""
    project = folder / "project"
    for number in range(files):
        path = project / f"d{number % 50}" / f"f{number}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(f"then {number}\n".encode().ljust(size, b"."))
    restores, undos = [], []
    with Checkpoints.open(folder / "home", config=Config(max_snapshots=0)) as checkpoints:
        opened = checkpoints.project(project)
        opened.take(label="then")
        for turn in range(rounds):
            for number in range(files):
                path = project / f"d{number % 50}" / f"f{number}"
                path.write_bytes(f"{turn} {number}\n".encode().ljust(size, b"."))
            start = time.perf_counter()
            done = opened.restore("then", mode=Mode.EXACT)
            middle = time.perf_counter()
            undone = opened.undo()
            restores.append(middle - start)
            undos.append(time.perf_counter() - middle)
            if len(done.done) != files or len(undone.done) != files:
                raise SystemExit("not every file came back")
    return min(restores), min(undos)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=1_000)
    parser.add_argument("--bytes", type=int, default=2_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--home", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=given.home) as folder:
        restore, undo = measure(Path(folder), given.files, given.bytes, given.rounds)
    print(f"{given.files} files: restore {restore:.3f} s, undo {undo:.3f} s")


if __name__ == "__main__":
    main()
