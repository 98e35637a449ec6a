"""Takes: the first of a tree, unchanged, after changes, over the limit, at the end of a turn."""

from __future__ import annotations

import itertools
import shutil

from benchmarks.cases.bench import KEPT_IN_ALL, Bench, expect, interleave, note_disk
from benchmarks.contestants import GIT, OURS, V2, WALK, Answer
from benchmarks.measuring import Figures

ALL = (OURS, V2, GIT)


def first_take(bench: Bench, figures: Figures, files: int) -> None:
    """A base that has never held anything, in a process that has taken checkpoints before."""
    scene = bench.scene(files)
    figures.size, figures.scale = f"{scene.count:,} files", {"files": scene.count}
    bench.warm_up()
    numbers = itertools.count()
    base = scene.folder

    def before(who: str) -> None:
        nonlocal base
        base = scene.folder / f"fresh-{next(numbers)}"
        if who == GIT:
            bench.contestants.worker(GIT).call("init", base=base)

    def call(who: str) -> Answer:
        return bench.contestants.worker(who).call("take", base=base, tree=scene.places[who].tree)

    def after(who: str, answer: Answer) -> None:
        expect(answer, True, f"first take, {who}")
        note_disk(figures, who, base)
        if who != GIT:
            bench.contestants.worker(who).call("forget", base=base)
        shutil.rmtree(base, ignore_errors=True)

    rounds = bench.rounds(3 if files > 20_000 else 5)
    interleave(figures, rounds, ALL, call, before=before, after=after, sync=True)


def unchanged(bench: Bench, figures: Figures, files: int) -> None:
    """Nothing changed since the checkpoint before; git: ``git status --porcelain``."""
    scene = bench.scene(files)
    figures.size, figures.scale = f"{scene.count:,} files", {"files": scene.count}
    scene.begin()
    scene.age()
    walks = shutil.which("find") is not None
    if not walks:
        figures.note = "the walk was not measured: there is no find"

    def before(who: str) -> None:
        if who in (OURS, V2):
            scene.new_turn(who)

    def call(who: str) -> Answer:
        if who == WALK:
            return bench.contestants.worker(GIT).call("walk", tree=scene.places[GIT].tree)
        return scene.call(who, "scan" if who == GIT else "take")

    def after(who: str, answer: Answer) -> None:
        if who != WALK:
            expect(answer, 0 if who == GIT else False, f"unchanged, {who}")

    names = (*ALL, WALK) if walks else ALL
    rounds = bench.rounds(5 if files > 20_000 else 7)
    interleave(figures, rounds, names, call, before=before, after=after)


def changed(bench: Bench, figures: Figures, files: int, changes: int) -> None:
    """So many files changed; the take is one of few that are kept."""
    scene = bench.scene(files)
    changes = min(changes, scene.count)
    figures.size = f"{scene.count:,} files, {changes:,} changed"
    figures.scale = {"files": scene.count, "changes": changes}
    scene.begin()
    _takes(bench, figures, files, changes, bench.rounds(2 if changes >= 5_000 else 7))


def over_limit(bench: Bench, figures: Figures, files: int, keep: int) -> None:
    """One file changed, and as many checkpoints as are to be kept are there already, so that the
    oldest goes."""
    scene, keep = bench.scene(files), bench.checkpoints(keep)
    figures.size = f"{scene.count:,} files, {keep} kept"
    figures.scale = {"files": scene.count, "checkpoints": keep}
    scene.begin()
    for who in (OURS, V2):
        present = len(scene.call(who, "listed").value)
        for _ in range(keep + 1 - present):
            scene.edit(who, 1)
            scene.take(who)
        scene.edit(who, 1)
        scene.take(who, keep)  # the first over the limit has more to drop than one
    _takes(bench, figures, files, 1, bench.rounds(5), keep)


def _takes(
    bench: Bench,
    figures: Figures,
    files: int,
    changes: int,
    rounds: int,
    keep: int = KEPT_IN_ALL,
) -> None:
    scene = bench.scene(files)

    def before(who: str) -> None:
        if who != GIT:
            scene.new_turn(who, keep)
        scene.edit(who, changes)

    interleave(
        figures,
        rounds,
        ALL,
        lambda who: scene.call(who, "take", keep),
        before=before,
        after=lambda who, answer: expect(answer, True, f"{figures.case}, {who}"),
    )


def turn(bench: Bench, figures: Figures, files: int) -> None:
    """``new_turn`` and the take after it, where the turn before took a checkpoint and nothing has
    changed; for version 2 the same two calls."""
    scene = bench.scene(files)
    figures.size, figures.scale = f"{scene.count:,} files", {"files": scene.count}
    scene.begin()
    scene.age()
    interleave(
        figures,
        bench.rounds(7),
        (OURS, V2),
        lambda who: scene.call(who, "turn"),
        after=lambda who, answer: expect(answer, False, f"turn, {who}"),
    )


def touched(bench: Bench, figures: Figures, files: int, count: int) -> None:
    """Files whose times are new and whose contents are not; git: ``git add -A``."""
    scene = bench.scene(files)
    count = scene.count * count // files
    figures.size = f"{count:,} of {scene.count:,} files"
    figures.scale = {"files": scene.count, "changes": count}
    scene.begin()
    scene.age()

    def before(who: str) -> None:
        if who != GIT:
            scene.new_turn(who)
        scene.touch(who, count)

    interleave(
        figures,
        bench.rounds(5),
        ALL,
        lambda who: scene.call(who, "add" if who == GIT else "take"),
        before=before,
        after=lambda who, answer: expect(answer, None if who == GIT else False, f"touched, {who}"),
    )
