"""Measures what a take costs on a tree of source-like files, and prints a table of medians.

    python benchmarks/take.py [--files 1000 10000] [--rounds 7] [--folder DIR]

The page cache is warm. Cases are interleaved, so that a busy moment of the machine does not fall
on one alone. "git" is the time within git processes of the unchanged take; "whole" is all of
``Checkpoints.take``, with locks, catalog and journal.
"""

from __future__ import annotations

import argparse
import random
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from hermes_checkpoints.checkpoints import Checkpoints
from hermes_checkpoints.config import Config
from hermes_checkpoints.git import Git
from hermes_checkpoints.layout import Layout, project_hash
from hermes_checkpoints.model import Taken, TakeOutcome, Unchanged

FILES_PER_FOLDER = 20
WORDS = ("return", "value", "self", "import", "for", "name", "path", "def", "None", "result")


def make_tree(root: Path, count: int) -> list[Path]:
    """Write ``count`` files of 0.2 to 8 KB in folders three deep; return them."""
    chooser = random.Random(count)  # noqa: S311 - the same tree every time
    files = []
    for number in range(count):
        folder = number // FILES_PER_FOLDER
        place = root / f"package{folder // 50}" / f"part{folder % 50}" / f"kind{number % 2}"
        place.mkdir(parents=True, exist_ok=True)
        file = place / f"module_{number}.py"
        lines = [
            " ".join(chooser.choices(WORDS, k=chooser.randint(2, 9)))
            for _ in range(int(chooser.lognormvariate(3.5, 0.8)) + 5)
        ]
        file.write_text("\n".join([f"# {number}", *lines, ""]))
        files.append(file)
    return files


def clock(action: Callable[[], TakeOutcome], expected: type[Taken] | type[Unchanged]) -> float:
    """Return the milliseconds that a take needs, and check how it ended."""
    started = time.perf_counter()
    outcome = action()
    elapsed = (time.perf_counter() - started) * 1000
    if not isinstance(outcome, expected):
        raise SystemExit(f"expected {expected.__name__}, got {outcome}")
    return elapsed


def git_floor(home: Path, tree: Path) -> float:
    """Return the milliseconds of the two git commands of an unchanged take, side by side."""
    layout = Layout.of(home)
    git = Git(layout.store).at(tree, layout.index(project_hash(tree)))
    started = time.perf_counter()
    with (
        git.beside("ls-files", "-z", "-o", "--exclude-standard") as others,
        git.beside("diff-files", "-z", "--name-only", "--ignore-submodules=all") as differing,
    ):
        differing()
        others()
    return (time.perf_counter() - started) * 1000


def measure(folder: Path, count: int, rounds: int) -> list[tuple[str, float]]:
    """Return the median milliseconds of each case for a tree of ``count`` files."""
    home, tree = folder / "home", folder / "tree"
    files = make_tree(tree, count)
    times: dict[str, list[float]] = {}
    with Checkpoints.open(home, config=Config(max_files=count + 1000)) as store:

        def note(case: str, milliseconds: float) -> None:
            times.setdefault(case, []).append(milliseconds)

        note("first take", clock(lambda: store.project(tree).take(), Taken))
        for round_number in range(rounds):
            for case, changed in (("1 file", 1), ("100 files", 100)):
                for file in files[:: max(1, count // changed)][:changed]:
                    file.write_text(file.read_text() + f"# {case} {round_number}\n")
                note(case, clock(lambda: store.project(tree).take(), Taken))
        settle()
        store.project(tree).take()
        for _ in range(rounds):
            note("unchanged, git", git_floor(home, tree))
            note("unchanged, whole", clock(lambda: store.project(tree).take(), Unchanged))
    return [(case, statistics.median(values)) for case, values in times.items()]


def settle() -> None:
    """Wait until all files are older than git's clock is coarse, as those of a project are."""
    time.sleep(2.2)


def main() -> int:
    """Print one row for each size of tree."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--files", type=int, nargs="+", default=[1_000, 10_000])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--folder", type=Path, help="where to make the trees (default: temporary)")
    args = parser.parse_args()
    print(f"{'files':>7}  {'case':<18} {'median ms':>10}")
    for count in args.files:
        folder = Path(tempfile.mkdtemp(prefix="benchmark-take-", dir=args.folder)).resolve()
        try:
            for case, milliseconds in measure(folder, count, args.rounds):
                print(f"{count:>7}  {case:<18} {milliseconds:>10.1f}")
        finally:
            shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
