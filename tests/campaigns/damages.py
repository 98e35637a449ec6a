"""Damages of a base: whatever happened to its files, nothing that plain git can still give is lost,
nothing is told that is not so, and `doctor --repair` mends what can be mended."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

from campaigns import oracle, trees
from campaigns.rounds import Rounds, Verdict, compare, describe
from campaigns.script import Step
from campaigns.world import PLAIN, World
from damages import DAMAGES, Damage

_REFUSAL = "nothing is done in this base"
"""What is said of a base that is refused as a whole, since it leads out of itself."""


def _readable(home: Path, ids: set[str]) -> dict[str, trees.Tree]:
    """Return what plain git reads of checkpoints; those that it cannot read are left out."""
    found: dict[str, trees.Tree] = {}
    for id_ in ids:
        try:
            with oracle.Reader(oracle.store_of(home)) as reader:
                found[id_] = reader.checkpoint(id_)
        except (oracle.Unreadable, ValueError, KeyError, AssertionError, IndexError):
            continue
    return found


def _decided(home: Path) -> set[str]:
    """Return the checkpoints of which the catalog, where it can be read, says that they go."""
    try:
        rows = oracle.facts(home).rows
    except Exception:  # noqa: BLE001 - that is the damage
        return set()
    return {id_ for id_, row in rows.items() if row.state == "pruning"}


def _table() -> list[Damage]:
    """Return the table, always in the same mixed order, so that any part of it has all kinds."""
    return random.Random(0).sample(DAMAGES, len(DAMAGES))  # noqa: S311


def whole() -> int:
    """Return how many rounds have been played when every damage was done with doctor, and then
    without."""
    return 2 * len(DAMAGES)


def play(rounds: Rounds, chance: random.Random, number: int) -> Verdict:
    """Do a damage, then use the base: the whole table with doctor, then without it."""
    damage = _table()[number % len(DAMAGES)]
    world = rounds.world
    world.put_back()
    verdict = Verdict(told=damage.name)
    before = oracle.facts(world.home)
    damage.apply(world.home, chance)
    verdict.events = 1
    readable = _readable(world.home, before.live - _decided(world.home))
    asked_doctor = number % whole() < len(DAMAGES)
    if asked_doctor:
        _doctor(world, damage, verdict)
    alpha, into = str(world.alpha), [str(world.place / name) for name in ("into", "into-2")]
    for folder in into:
        Path(folder).mkdir()
    former = chance.choice([id_ for id_, project in world.projects.items() if project == alpha])
    steps: list[Step] = [
        {"do": "status"},
        {"do": "see", "project": alpha},
        {"do": "take", "project": alpha},
        {"do": "restore", "project": alpha, "ref": "latest", "mode": "exact", "into": into[0]},
        {"do": "restore", "project": alpha, "ref": former, "mode": "exact", "into": into[1]},
        {"do": "prune"},
        {"do": "status"},
    ]
    played = world.play(steps)
    _judge(world, steps, played, before, readable, verdict)
    verdict.told += f"{' with doctor' if asked_doctor else ''}: {describe(played.answers)}"
    return verdict


def _doctor(world: World, damage: Damage, verdict: Verdict) -> None:
    """Let doctor look and mend: it must see the damage, and change nothing by looking."""
    deep = ["--deep"] if damage.deep else []
    looked = world.cli("--json", "doctor", *deep)
    if looked.ended.code not in (0, 1):
        verdict.false.append(f"doctor: exit {looked.ended.code}: {looked.output[-300:]}")
        return
    kinds = {one.get("kind") for one in json.loads(looked.output).get("findings", [])}
    if damage.kind not in kinds:
        verdict.false.append(f"doctor does not find {damage.kind} but {sorted(map(str, kinds))}")
    mended = world.cli("doctor", "--repair", "-f", *deep)
    if mended.ended.code not in (0, 1) and _REFUSAL not in mended.output:
        verdict.false.append(f"doctor --repair: exit {mended.ended.code}: {mended.output[-300:]}")


def _judge(
    world: World,
    steps: list[Step],
    played: Any,
    before: oracle.Facts,
    readable: dict[str, trees.Tree],
    verdict: Verdict,
) -> None:
    if played.unforeseen:
        verdict.false.append(f"unforeseen: {played.unforeseen}")
    if played.ended.hung:
        verdict.false.append("it hung")
    tree: trees.Tree = world.trees[PLAIN]["alpha"]
    for number, answer in played.answers:
        if "tree" in answer:
            tree = answer["tree"]
        elif answer["answer"] == "taken":
            _whole(world, answer["id"], tree, verdict)
        elif answer["answer"] == "restored" and answer["complete"]:
            now = trees.captured(trees.look(Path(steps[number]["into"])))
            wanted = trees.captured(world.known.get(answer["id"], tree))
            if trees.differing(now, wanted):
                verdict.false.append("a restore said that all was done, and it was not")
    if trees.differing(trees.look(world.alpha), tree):
        verdict.lost.append("the working directory changed")
    held = _readable(world.home, set(readable))
    for id_, contents in readable.items():
        if held.get(id_) != contents:
            verdict.lost.append(f"{id_[:8]} was readable by plain git and is not any more")
    if _REFUSAL not in str(played.last.get("text")):
        _listed(world, before, readable, verdict)


def _whole(world: World, id_: str, tree: trees.Tree, verdict: Verdict) -> None:
    """A checkpoint that was reported as taken holds what it was taken of."""
    try:
        with oracle.Reader(oracle.store_of(world.home)) as reader:
            wrong = oracle.wrong_contents(reader.checkpoint(id_), tree)
    except oracle.Unreadable as error:
        wrong = str(error)
    if wrong:
        verdict.lost.append(f"{id_[:8]} was reported as taken: {wrong}")


def _listed(
    world: World, before: oracle.Facts, readable: dict[str, trees.Tree], verdict: Verdict
) -> None:
    """What the catalog now calls live and whole can be read and is what it was."""
    try:
        now = oracle.facts(world.home)
    except Exception as error:  # noqa: BLE001 - a catalog that is still damaged says so itself
        verdict.told += f" (the catalog cannot be read: {error})"
        return
    live = {id_ for id_ in now.live if not now.rows[id_].lost}
    held = _readable(world.home, live)
    for id_ in live - held.keys():
        verdict.false.append(f"{id_[:8]} is listed as whole and cannot be read")
    compare(world, held, held.__getitem__, verdict)
