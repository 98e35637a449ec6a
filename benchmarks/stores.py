"""Stores of many projects: one in the layout of version 2, and its import into a base of ours.

The real program makes a store of up to ``REALLY_TAKEN`` projects by taking every checkpoint. It
needs ten processes for each, so that a larger one would take it an hour: there each project is
entered by its own functions, and one ``git fast-import`` writes the commits as it would write them
(one chain a project, the first commit with five files, each later one with one of them changed).
All objects are then in one pack, as they are in a store of version 2 after its last ``git gc``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.contestants import OURS, V2, BenchmarkError, Contestants, tell

REALLY_TAKEN = 20
FILES = 5


@dataclass(frozen=True)
class Stores:
    """The same checkpoints of the same projects in both layouts."""

    trees: Sequence[Path]
    bases: dict[str, Path]
    commits: int


def make_v2(contestants: Contestants, folder: Path, projects: int, each: int) -> Stores:
    """Make projects and a store of version 2 with ``each`` checkpoints of every one."""
    tell(f"making a store of {projects:,} projects with {each} checkpoints each")
    trees = [folder / "work" / f"project-{number:04}" for number in range(projects)]
    base = folder / "home-v2"
    worker = contestants.worker(V2)
    for tree in trees:
        tree.mkdir(parents=True)
        for number in range(FILES):
            _write(tree, number, 0)
    if projects <= REALLY_TAKEN:
        for step in range(each):
            for tree in trees:
                _write(tree, step % FILES, step)
                taken = worker.call("turn", base=base, tree=tree, keep=each, total_mb=0)
                if not taken.value:
                    raise BenchmarkError(f"version 2 took no checkpoint of {tree}")
    else:
        worker.call("register", base=base, trees=list(map(str, trees)), checkpoints=each)
    return Stores(trees, {V2: base}, projects * each)


def import_into(contestants: Contestants, source: Stores, base: Path) -> None:
    """Fill a base of ours with what a store of version 2 holds."""
    done = contestants.worker(OURS).call("import_store", base=base, source=source.bases[V2])
    if done.value != source.commits:
        raise BenchmarkError(f"{done.value} of {source.commits} checkpoints were imported")


def make_both(contestants: Contestants, folder: Path, projects: int, each: int) -> Stores:
    """Make a store in both layouts."""
    made = make_v2(contestants, folder, projects, each)
    base = folder / "home-ours"
    import_into(contestants, made, base)
    return Stores(made.trees, {**made.bases, OURS: base}, made.commits)


def _write(tree: Path, number: int, step: int) -> None:
    (tree / f"f{number}.py").write_text(f"{tree.name} {step} {number}\n" * 40, encoding="ascii")
