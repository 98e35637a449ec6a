"""Bases and workspaces that somebody else made to do harm: whatever a person does with one, nothing
that it names is run, nothing outside is touched, nothing hangs, and every answer is a foreseen
one."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

from campaigns import trees
from campaigns.rounds import Rounds, Verdict
from campaigns.script import UNFORESEEN
from campaigns.world import World
from hostile import HOSTILE, executed, work

LIMIT = 90.0

VERBS: dict[str, tuple[str, ...]] = {
    "status": ("status",),
    "log": ("log",),
    "show": ("show", "latest"),
    "diff": ("diff", "latest"),
    "take": ("take", "-m", "hostile"),
    "restore": ("restore", "latest", "--mode", "exact", "-f"),
    "undo": ("undo", "-f"),
    "prune": ("prune", "-f"),
    "du": ("du",),
    "sql": ("sql", "--question", "space-by-project"),
    "drop": ("drop", "1", "-f"),
    "sessions": ("sessions", "list"),
    "import-legacy": ("import-legacy",),
    "export": ("export", "../exported"),
    "clear-legacy": ("clear-legacy", "-f"),
    "clear": ("clear", "-f"),
}
"""What a person may do, in the order of a cautious one."""


def make(folder: Path) -> World:
    """Make a world without history: each case makes its own home."""
    return World.make(folder, corpus=False)


def whole() -> int:
    """Return how many rounds have been played when every case was."""
    return len(HOSTILE)


def play(rounds: Rounds, chance: random.Random, number: int) -> Verdict:
    """Make a hostile base and use every verb on it, in the usual order or, when all cases were
    played, another. The cases come in a mixed order, so that any part has all kinds."""
    order = random.Random(0).sample(range(len(HOSTILE)), len(HOSTILE))  # noqa: S311
    case = HOSTILE[order[number % len(HOSTILE)]]
    world = rounds.world
    folder = world.folder / f"case-{number}"
    folder.mkdir()
    home, outside = folder / "home", folder / "outside"
    try:
        case.build(home, outside)
        verdict = Verdict(events=1, told=case.name)
        before = trees.look(outside, git=True)
        verbs = list(VERBS)
        if number >= len(HOSTILE):
            chance.shuffle(verbs)
        for verb in verbs:
            _use(verb, world, home, work(home), verdict)
            if executed(outside):
                verdict.executed.append(f"{case.name}: {verb} ran what the base names")
                (outside / "executed").unlink()
            changed = trees.differing(before, trees.look(outside, git=True))
            if changed:
                verdict.outside.append(f"{case.name}: {verb} touched {changed[:4]}")
                before = trees.look(outside, git=True)
        return verdict
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _use(verb: str, world: World, home: Path, working_dir: Path, verdict: Verdict) -> None:
    working_dir.mkdir(exist_ok=True)
    done = world.cli(*VERBS[verb], home=home, cwd=working_dir, limit=LIMIT)
    if done.ended.hung:
        verdict.false.append(f"{verb} hangs: no answer after {LIMIT:.0f} s")
    elif done.ended.code == UNFORESEEN or done.ended.code < 0 or "Traceback" in done.output:
        verdict.false.append(f"{verb}: exit {done.ended.code}: {done.output[-400:]}")
