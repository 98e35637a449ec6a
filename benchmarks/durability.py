"""Measures what a take costs with each way of making objects durable, with and without its proof.

    python -m benchmarks.durability [--files 10000] [--rounds 15] [--folder DIR]

All ways take the same changes of one tree in turn, each into a home of its own, so that a busy
moment of the machine does not fall on one alone. A cell is the median of the time in
milliseconds, and of the processor time that was used in it. ``--folder`` must be on a real disk:
in memory an fsync costs nothing.
"""

from __future__ import annotations

import argparse
import random
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

from benchmarks.trees import make_tree, settle
from benchmarks.worker import processor

from hermes_checkpoints.capture import publishing
from hermes_checkpoints.checkpoints import Checkpoints
from hermes_checkpoints.config import Config
from hermes_checkpoints.model import Taken, TakeOutcome, Unchanged

METHODS = {
    "batch": {"core.fsync": "objects,reference", "core.fsyncMethod": "batch"},
    "fsync": {"core.fsync": "objects,reference", "core.fsyncMethod": "fsync"},
    "none": {"core.fsync": "none"},
}
WAYS = [(method, proof) for method in METHODS for proof in (True, False)]


def clock(action: Callable[[], TakeOutcome], expected: type[Taken] | type[Unchanged]) -> float:
    """Return the milliseconds that a take needs, and check how it ended."""
    started = time.perf_counter()
    outcome = action()
    elapsed = (time.perf_counter() - started) * 1000
    if not isinstance(outcome, expected):
        raise SystemExit(f"expected {expected.__name__}, got {outcome}")
    return elapsed


@contextmanager
def proof(wanted: bool) -> Iterator[None]:
    """Let takes prove what they stored, or, for comparison, believe git."""
    with ExitStack() as stack:
        if not wanted:
            stack.enter_context(patch.object(publishing, "prove", lambda *_: None))
        yield


def environment(settings: dict[str, str]) -> dict[str, str]:
    """Return settings of git as variables, which win over the store's configuration."""
    variables = {"GIT_CONFIG_COUNT": str(len(settings))}
    for number, (name, value) in enumerate(settings.items()):
        variables |= {f"GIT_CONFIG_KEY_{number}": name, f"GIT_CONFIG_VALUE_{number}": value}
    return variables


def measure(folder: Path, count: int, rounds: int) -> dict[tuple[str, bool], dict[str, str]]:
    """Return the cell of each case for each way."""
    tree = folder / "tree"
    files = make_tree(tree, count)
    times: dict[tuple[str, bool], dict[str, list[tuple[float, float]]]] = {w: {} for w in WAYS}
    with ExitStack() as stack:
        homes: dict[tuple[str, bool], Checkpoints] = {}
        for number, way in enumerate(WAYS):
            config = Config(max_files=count + 1000)
            opened = Checkpoints.open(folder / f"home{number}", config=config)
            homes[way] = stack.enter_context(opened)
            store = opened._base.store
            store.git = replace(store.git, variables=environment(METHODS[way[0]]))

        def note(case: str, expected: type[Taken] | type[Unchanged]) -> None:
            for way in random.sample(WAYS, len(WAYS)):
                handle = homes[way].project(tree)
                with proof(way[1]):
                    before = processor()
                    elapsed = clock(handle.take, expected)
                    used = 1000 * (processor() - before)
                    times[way].setdefault(case, []).append((elapsed, used))

        note("first take", Taken)
        for number in range(rounds):
            for case, changed in (("1 file", 1), ("100 files", 100)):
                for file in files[:: max(1, count // changed)][:changed]:
                    file.write_text(file.read_text() + f"# {case} {number}\n")
                note(case, Taken)
        settle()
        for opened in homes.values():
            opened.project(tree).take()
        for _ in range(rounds):
            note("unchanged", Unchanged)
    return {
        way: {case: _cell(values) for case, values in cases.items()} for way, cases in times.items()
    }


def _cell(values: list[tuple[float, float]]) -> str:
    wall, used = (statistics.median(column) for column in zip(*values, strict=True))
    return f"{wall:.0f} ({used:.0f})"


def main() -> int:
    """Print one row for each way."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--folder", type=Path, help="where to work (default: temporary)")
    args = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="benchmark-durability-", dir=args.folder)).resolve()
    try:
        found = measure(folder, args.files, args.rounds)
    finally:
        shutil.rmtree(folder)
    cases = list(next(iter(found.values())))
    print(f"{'way':<22}" + "".join(f"{case:>14}" for case in cases) + "   ms (of processor)")
    for (method, proven), cells in found.items():
        name = f"{method}, {'proven' if proven else 'not proven'}"
        print(f"{name:<22}" + "".join(f"{cells[case]:>14}" for case in cases))
    return 0


if __name__ == "__main__":
    sys.exit(main())
