"""Lists, comparisons and restores."""

from __future__ import annotations

from pathlib import Path

from benchmarks.cases.bench import Bench, expect, interleave
from benchmarks.contestants import OURS, V2, Answer, BenchmarkError
from benchmarks.measuring import Figures

BOTH = (OURS, V2)


def listing(bench: Bench, figures: Figures, files: int, count: int) -> None:
    """The list of a project's checkpoints, with what each changed."""
    scene, count = bench.scene(files), bench.checkpoints(count)
    figures.size, figures.scale = f"{count} checkpoints", {"checkpoints": count}
    scene.begin()
    for who in BOTH:
        for _ in range(count - len(scene.call(who, "listed").value)):
            scene.edit(who, 1)
            scene.take(who)
    interleave(
        figures,
        bench.rounds(7),
        BOTH,
        lambda who: scene.call(who, "listed", keep=count),
        after=lambda who, answer: expect(
            Answer(len(answer.value)), count, f"checkpoints listed by {who}"
        ),
    )


def diff(bench: Bench, figures: Figures, files: int, changes: int) -> None:
    """Compare the newest checkpoint with the present, once after each take: it is the best case of
    version 2, whose second comparison in a row reads every file."""
    scene = bench.scene(files)
    figures.size = f"{scene.count:,} files, {changes} changed"
    figures.scale = {"files": scene.count, "changes": changes}
    scene.begin()
    newest: dict[str, str] = {}

    def before(who: str) -> None:
        scene.take(who)
        newest[who] = scene.call(who, "listed", keep=1).value[0]
        scene.edit(who, changes)

    def after(who: str, answer: Answer) -> None:
        if not answer.value:
            raise BenchmarkError(f"{who} found no difference")

    interleave(
        figures,
        bench.rounds(7),
        BOTH,
        lambda who: scene.call(who, "diff", commit=newest[who]),
        before=before,
        after=after,
    )


def restore(bench: Bench, figures: Figures, files: int, changes: int) -> None:
    """Bring changed files back: one by its name, else the whole directory. Both contestants take
    a checkpoint of what they overwrite first."""
    scene = bench.scene(files)
    changes = min(changes, scene.count)
    figures.size = f"{changes:,} of {scene.count:,} files"
    figures.scale = {"files": scene.count, "changes": changes}
    scene.begin()
    newest: dict[str, str] = {}
    held: dict[str, dict[Path, bytes]] = {}

    def before(who: str) -> None:
        scene.edit(who, 1)  # so that there is a checkpoint of just this state
        scene.take(who)
        newest[who] = scene.call(who, "listed", keep=1).value[0]
        held[who] = scene.edit(who, changes)

    def call(who: str) -> Answer:
        file = scene.files[0] if changes == 1 else None
        return scene.call(who, "restore", commit=newest[who], file=file)

    def after(who: str, _: Answer) -> None:
        if any(path.read_bytes() != content for path, content in held[who].items()):
            raise BenchmarkError(f"{who} did not bring every file back")

    rounds = bench.rounds(2 if changes >= 5_000 else 5)
    interleave(figures, rounds, BOTH, call, before=before, after=after)
