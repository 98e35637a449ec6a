"""What is asked of a whole store: its summary, and a prune of all projects."""

from __future__ import annotations

import shutil
from pathlib import Path

from benchmarks.cases.bench import Bench, expect, interleave
from benchmarks.contestants import GIT, OURS, V2, Answer
from benchmarks.measuring import COLLECTIONS, Figures
from benchmarks.stores import import_into, make_both, make_v2
from benchmarks.trees import removed


def status(bench: Bench, figures: Figures, projects: int, each: int = 20) -> None:
    """The summary of a store, which a host shows and maintenance asks for."""
    projects = bench.projects(projects)
    figures.size = f"{projects:,} projects with {each} checkpoints each"
    figures.scale = {"projects": projects}
    with removed(bench.folder / f"stores-{projects}") as folder:
        stores = make_both(bench.contestants, folder, projects, each)
        interleave(
            figures,
            bench.rounds(7 if projects <= 20 else 3),
            (OURS, V2),
            lambda who: bench.contestants.worker(who).call("status", base=stores.bases[who]),
            after=lambda who, answer: expect(answer, projects, f"projects of {who}"),
        )


def prune(bench: Bench, figures: Figures, projects: int, each: int, keep: int) -> None:
    """Keep the newest checkpoints of every project. Version 2 does that for one project after the
    other, at the end of a take in it; git: one ``git gc`` of the same store."""
    if bench.quick:
        projects //= 10
    figures.size = f"{projects} projects, {each} checkpoints each, {keep} kept"
    figures.scale = {"projects": projects}
    with removed(bench.folder / "prune") as folder:
        source = make_v2(bench.contestants, folder, projects, each)
        trees = list(map(str, source.trees))
        bases = {who: folder / f"pruned-{who}" for who in (OURS, V2, GIT)}

        def before(who: str) -> None:
            shutil.rmtree(bases[who], ignore_errors=True)
            if who == OURS:
                import_into(bench.contestants, source, bases[who])
            else:
                shutil.copytree(source.bases[V2], bases[who])

        def call(who: str) -> Answer:
            worker = bench.contestants.worker(who)
            if who == GIT:
                return worker.call("gc", base=bases[who] / "checkpoints" / "store")
            return worker.call("prune", base=bases[who], trees=trees, keep=keep)

        def after(who: str, answer: Answer) -> None:
            if who == OURS:
                expect(answer, projects * (each - keep), "checkpoints dropped")
            if who != GIT:
                check = bench.contestants.worker(who)
                listed = check.call("listed", base=bases[who], tree=trees[-1], keep=each)
                expect(Answer(len(listed.value)), keep, f"checkpoints that {who} kept")
                check.call("forget", base=bases[who])

        interleave(
            figures,
            bench.rounds(2),
            (OURS, V2, GIT),
            call,
            before=before,
            after=after,
            sync=True,
        )
        before(OURS)
        figures.add(COLLECTIONS, OURS, _collections(bench, folder, bases[OURS], keep))


def _collections(bench: Bench, folder: Path, base: Path, keep: int) -> int:
    """Prune once more, with a `git` that notes what it is asked for, and return how many of the
    processes packed the store."""
    real = shutil.which("git")
    shim, log = folder / "shim" / "git", folder / "log"
    shim.parent.mkdir()
    log.touch()
    shim.write_text(
        f'#!/bin/sh\nfor word in "$@"; do case "$word" in gc|repack) echo "$word" >>"{log}";; '
        f'esac; done\nexec "{real}" "$@"\n',
        encoding="utf-8",
    )
    shim.chmod(0o755)
    worker = bench.contestants.start(OURS, shim.parent)
    try:
        worker.call("prune", base=base, trees=[], keep=keep)
    finally:
        worker.close()
    return len(log.read_text(encoding="utf-8").splitlines())
