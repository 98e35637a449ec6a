"""Large files: one over or under the limit, and a text that is rewritten as a whole."""

from __future__ import annotations

import itertools
from pathlib import Path

from benchmarks.cases.bench import Bench, expect, interleave
from benchmarks.contestants import GIT, OURS, V2, Answer, BenchmarkError
from benchmarks.measuring import Figures
from benchmarks.trees import MB, make_large_file, make_text, make_tree, removed, settle

OVER, UNDER = "over", "under"
TEXTS = 3


def large_file(bench: Bench, first: Figures, again: Figures, side: str) -> None:
    """A tree with a file of 500 MB, over the limit of a file's size or under it: its first take,
    and the take after it when nothing has changed."""
    size = 50 if bench.quick else 500
    limit = 10 if side == OVER else 2 * size
    limits = {"keep": 20, "file_mb": limit, "total_mb": 0}
    for figures in (first, again):
        figures.size = f"a file of {size} MB, limit {limit} MB"
    bench.warm_up()
    with removed(bench.folder / f"large-{side}") as folder:
        tree = folder / "tree"
        make_tree(tree, 200)
        make_large_file(tree / "model.bin", size * MB)
        settle()
        numbers = itertools.count()
        bases: dict[str, Path] = {}

        def before(who: str) -> None:
            bases[who] = folder / f"home-{next(numbers)}"

        def take(who: str) -> Answer:
            return bench.contestants.worker(who).call("take", base=bases[who], tree=tree, **limits)

        rounds = bench.rounds(2)
        interleave(
            first,
            rounds,
            (OURS, V2),
            take,
            before=before,
            after=lambda who, answer: expect(answer, True, f"first take, {who}"),
            sync=True,
        )
        interleave(
            again,
            rounds,
            (OURS, V2),
            take,
            before=lambda who: bench.contestants.worker(who).call(
                "new_turn", base=bases[who], **limits
            ),
            after=lambda who, answer: expect(answer, False, f"unchanged, {who}"),
            sync=True,
        )


def text(bench: Bench, take: Figures, restore: Figures) -> None:
    """One of three texts of 9.5 MB is rewritten: the take of it, and then, once it is rewritten
    again, the restore; git: ``git hash-object -w`` of the rewritten file."""
    size = 9_500_000
    for figures in (take, restore):
        figures.size = "one text of 9.5 MB, all lines new"
    bench.warm_up()
    with removed(bench.folder / "texts") as folder:
        trees = {who: folder / f"tree-{who}" for who in (OURS, V2, GIT)}
        bases = {who: folder / f"home-{who}" for who in (OURS, V2, GIT)}
        for tree in trees.values():
            make_tree(tree, 200)
            for number in range(TEXTS):
                make_text(tree / f"table-{number}.csv", size, number)
        versions = itertools.count(TEXTS)

        def call(who: str, what: str, **arguments: object) -> Answer:
            return bench.contestants.worker(who).call(
                what, base=bases[who], tree=trees[who], **arguments
            )

        def rewrite(who: str) -> None:
            make_text(trees[who] / "table-0.csv", size, next(versions))
            if who != GIT:
                bench.contestants.worker(who).call("new_turn", base=bases[who])

        def measured_take(who: str) -> Answer:
            return call(who, "hash_object", file="table-0.csv") if who == GIT else call(who, "take")

        held: dict[str, tuple[str, bytes]] = {}

        def take_and_rewrite(who: str) -> None:
            if who != GIT:
                rewrite(who)
                call(who, "take")
                content = (trees[who] / "table-0.csv").read_bytes()
                held[who] = (call(who, "listed").value[0], content)
            rewrite(who)

        def measured_restore(who: str) -> Answer:
            if who == GIT:
                return call(who, "hash_object", file="table-0.csv")
            return call(who, "restore", commit=held[who][0])

        def restored(who: str, _: Answer) -> None:
            if who != GIT and _content(trees[who]) != held[who][1]:
                raise BenchmarkError(f"{who} did not bring the text back")

        bench.contestants.worker(GIT).call("init", base=bases[GIT])
        for who in (OURS, V2):
            call(who, "take")
        settle()
        rounds = bench.rounds(5)
        interleave(take, rounds, (OURS, V2, GIT), measured_take, before=rewrite, sync=True)
        interleave(
            restore,
            rounds,
            (OURS, V2, GIT),
            measured_restore,
            before=take_and_rewrite,
            after=restored,
            sync=True,
        )


def _content(tree: Path) -> bytes:
    return (tree / "table-0.csv").read_bytes()
