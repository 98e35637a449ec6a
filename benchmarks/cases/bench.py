"""What the cases of a run share: its folder, contestants, sizes, rounds, and trees made so far."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.contestants import GIT, OURS, V2, Answer, BenchmarkError, Contestants, tell
from benchmarks.measuring import DISK, PROCESSOR, TIME, Figures
from benchmarks.trees import copy_tree, make_tree, settle, some

KEPT_IN_ALL = 1000
"""More checkpoints than any case takes, so that no limit is met where none is measured."""

PER_FOLDER = 40
"""Files in two folders side by side: version 2 takes no more than 50,000 files and folders."""

QUICK_FILES = {1_000: 400, 10_000: 1_000, 45_000: 3_000}
QUICK_PROJECTS = {1: 1, 20: 5, 250: 20, 1_000: 40}
QUICK_CHECKPOINTS = {5: 5, 20: 20, 100: 40}


class Bench:
    """One run of the command."""

    def __init__(
        self, folder: Path, contestants: Contestants, *, quick: bool, rounds: int | None
    ) -> None:
        self.folder = folder
        self.contestants = contestants
        self.quick = quick
        self._rounds = rounds
        self._scenes: dict[int, Scene] = {}
        self._warm = False

    def rounds(self, usual: int) -> int:
        """Return how many rounds a case has that usually has so many."""
        if self._rounds is not None:
            return self._rounds
        return min(usual, 3 if usual > 5 else 2 if usual > 2 else 1) if self.quick else usual

    def files(self, count: int) -> int:
        """Return how many files stand for so many in this run."""
        return QUICK_FILES.get(count, count) if self.quick else count

    def projects(self, count: int) -> int:
        """Return how many projects stand for so many in this run."""
        return QUICK_PROJECTS[count] if self.quick else count

    def checkpoints(self, count: int) -> int:
        """Return how many checkpoints stand for so many in this run."""
        return QUICK_CHECKPOINTS[count] if self.quick else count

    def scene(self, count: int) -> Scene:
        """Return the trees of so many files, made at the first call."""
        if count not in self._scenes:
            self._scenes[count] = Scene(self, f"files-{count}", self.files(count))
        return self._scenes[count]

    def warm_up(self) -> None:
        """Let the workers take one checkpoint, so that what they load late is there."""
        if not self._warm:
            tree = self.folder / "small"
            make_tree(tree, 20)
            for who in (OURS, V2):
                worker = self.contestants.worker(who)
                worker.call("take", base=self.folder / f"small-{who}", tree=tree)
            self._warm = True

    def forget(self, count: int) -> None:
        """Remove the trees of so many files."""
        scene = self._scenes.pop(count, None)
        if scene is not None:
            scene.remove()


@dataclass(frozen=True)
class Place:
    """The tree of a contestant, and where it keeps checkpoints of it."""

    tree: Path
    base: Path


class Scene:
    """The same tree once for each contestant, so that none meets what another left."""

    def __init__(self, bench: Bench, name: str, count: int) -> None:
        self.bench = bench
        self.count = count
        self.folder = bench.folder / name
        self.places = {
            who: Place(self.folder / f"tree-{who}", self.folder / f"home-{who}")
            for who in (OURS, V2, GIT)
        }
        self._edits = 0
        tell(f"making trees of {count:,} files")
        first = self.places[OURS].tree
        made = make_tree(first, count, PER_FOLDER)
        self.files = [str(file.relative_to(first)) for file in made]
        for who in (V2, GIT):
            copy_tree(first, self.places[who].tree)
        settle()
        self._begun = False
        self._is_young = False

    def remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    def take(self, who: str, keep: int = KEPT_IN_ALL) -> Answer:
        """Take a checkpoint; the turn before has ended."""
        place, worker = self.places[who], self.bench.contestants.worker(who)
        if who == GIT:
            return worker.call("take", base=place.base, tree=place.tree)
        return worker.call("turn", base=place.base, tree=place.tree, keep=keep)

    def new_turn(self, who: str, keep: int = KEPT_IN_ALL) -> None:
        """End the turn before and begin one, so that the next call may take a checkpoint."""
        self.bench.contestants.worker(who).call("new_turn", base=self.places[who].base, keep=keep)

    def call(self, who: str, call: str, keep: int = KEPT_IN_ALL, **arguments: object) -> Answer:
        """Call a method of a contestant about its place."""
        place = self.places[who]
        if who != GIT:
            arguments["keep"] = keep
        return self.bench.contestants.worker(who).call(
            call, base=place.base, tree=place.tree, **arguments
        )

    def begin(self) -> None:
        """Let each contestant have checkpoints of its tree, the newest of it as it is now."""
        for who, place in self.places.items():
            if who == GIT and not self._begun:
                self.bench.contestants.worker(GIT).call("init", base=place.base)
            self.take(who)
        self._begun = True

    def age(self) -> None:
        """Take what is there once it is no longer young, so that no index has to look twice."""
        if self._is_young:
            settle()
            for who in self.places:
                self.take(who)
            self._is_young = False

    def touch(self, who: str, count: int) -> None:
        """Give so many files of a tree new times."""
        self._is_young = True
        for name in self.files[:count]:
            os.utime(self.places[who].tree / name)

    def edit(self, who: str, count: int) -> dict[Path, bytes]:
        """Change so many files of a tree; return what they held."""
        tree = self.places[who].tree
        self._edits += 1
        self._is_young = True
        before = {}
        for name in some(self.files, count):
            file = tree / name
            before[file] = file.read_bytes()
            first = before[file].partition(b"\n# edit ")[0].rstrip(b"\n")
            file.write_bytes(b"%s\n# edit %d\n" % (first, self._edits))
        return before


def interleave(
    figures: Figures,
    rounds: int,
    contestants: Sequence[str],
    call: Callable[[str], Answer],
    *,
    before: Callable[[str], object] = lambda _: None,
    after: Callable[[str, Answer], object] = lambda _, __: None,
    sync: bool = False,
) -> None:
    """Let the contestants take turns, another one first in each round, and note what each call
    takes. ``before`` and ``after`` are not measured; ``sync`` lets the disk finish what others
    have written, before each call."""
    for number in range(rounds):
        first = number % len(contestants)
        for who in [*contestants[first:], *contestants[:first]]:
            before(who)
            if sync:
                os.sync()
            answer = call(who)
            figures.add(TIME, who, answer.milliseconds)
            figures.add(PROCESSOR, who, answer.processor)
            after(who, answer)


def expect(answer: Answer, value: object, what: str) -> None:
    """Raise BenchmarkError unless a call returned what the case is about."""
    if answer.value != value:
        raise BenchmarkError(f"{what}: {answer.value!r} instead of {value!r}")


def disk_usage(folder: Path) -> int:
    """Return the bytes on disk of everything in a folder."""
    blocks = 0
    for place, folders, files in os.walk(folder):
        blocks += sum(os.lstat(os.path.join(place, name)).st_blocks for name in folders + files)
    return blocks * 512


def note_disk(figures: Figures, who: str, folder: Path) -> None:
    figures.add(DISK, who, disk_usage(folder))
