"""Eight processes on four projects at once: nothing fails but what is refused with good reason, and
all that was reported as taken is there."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

from campaigns import oracle, trees
from campaigns.rounds import Rounds, Verdict, compare, opens
from campaigns.script import Answer, Step
from campaigns.world import World, make_tree

PROCESSES, PROJECTS, STEPS = 8, 4, 7

TRUE_REFUSALS = frozenset(
    {
        "lock-held",  # longer than its limit
        "tree-changed",  # somebody else wrote meanwhile
        "nothing-to-undo",
        "checkpoint-unknown",
        "checkpoint-pruned",
        "project-unknown",
        "path-unknown",
    }
)
"""Why a step may be refused beside others."""


def _steps(chance: random.Random, project: Path, own: Path, *, wide: bool) -> list[Step]:
    """Return what one process does. It alone changes ``own``, unless ``wide``: then restores and
    undos go over all of the project."""
    there, mine = str(project), str(own)
    steps: list[Step] = []
    for turn in range(STEPS):
        steps += [
            {"do": "mutate", "project": mine, "seed": chance.randrange(10**6), "count": 2},
            {"do": "take", "project": there, "reason": f"{own.name} {turn}"},
        ]
        act = chance.choice(("restore", "prune", "drop", "pin", "session", "status", "undo"))
        if act == "restore":
            paths = None if wide else [own.name]
            steps.append({"do": "restore", "project": there, "ref": "2", "paths": paths})
            steps[-1]["mode"] = chance.choice(("overlay", "exact", "keep-edits"))
        elif act == "prune":
            steps.append({"do": "prune", "keep": chance.choice((0, 6))})
        elif act in ("drop", "pin"):
            steps.append({"do": act, "project": there, "ref": chance.choice(("1", "2", "latest"))})
        elif act == "session":
            document = {"turn": turn, "by": own.name}
            steps.append({"do": "session_write", "session": own.name, "document": document})
        elif act == "status":
            steps.append({"do": "status"})
        elif wide:
            steps.append({"do": "undo", "project": there})
    return steps


def play(rounds: Rounds, chance: random.Random, number: int, homes: Sequence[Path] = ()) -> Verdict:
    """Let all work at once; every second round restores and undoes over whole projects."""
    world, wide = rounds.world, number % 2 == 1
    world.put_back()
    homes = homes or [world.home]
    verdict = Verdict(told="wide" if wide else "each its own")
    jobs, plans = [], []
    for index in range(PROCESSES):
        project = world.place / f"project-{index % PROJECTS}"
        if not project.exists():
            make_tree(project, project.name)
        own = project / f"own-{index}"
        own.mkdir()
        (own / "first").write_text(f"{index}\n")
        steps = _steps(chance, project, own, wide=wide)
        plans.append((own, steps))
        home = homes[index % len(homes)]
        jobs.append(world.job(steps, home=home, name=f"crowd-{index}"))
    ended = world.zygote.run(jobs, limit=240.0)
    if ended.hung:
        verdict.false.append("it hung")
    taken: dict[str, tuple[Path, trees.Tree]] = {}
    dropped: set[str] = set()
    for job, (own, steps), code in zip(jobs, plans, ended.codes, strict=True):
        played = world.played(job, ended)
        verdict.events += len(played.answers)
        if code or played.unforeseen:
            verdict.false.append(f"{own.name} ended with {code}: {played.unforeseen}")
        tree: trees.Tree = {}
        for at, answer in played.answers:
            if "tree" in answer:
                tree = answer["tree"]
                continue
            dropped.update(answer.get("dropped", ()))
            if answer["answer"] == "taken":
                taken[answer["id"]] = own, tree
            _told(answer, steps[at] if at >= 0 else {"do": "open"}, own, verdict)
    _judge(world, taken, dropped, verdict, wide=wide)
    return verdict


def _told(answer: Answer, step: Step, own: Path, verdict: Verdict) -> None:
    word = answer["answer"]
    if word in ("refused", "failed") and answer["code"] not in TRUE_REFUSALS:
        verdict.false.append(f"{own.name}: {step['do']} {word} {answer['code']}: {answer['text']}")
    if answer.get("errors"):
        verdict.false.append(f"{own.name}: {step['do']}: {answer['errors']}")


def _judge(
    world: World,
    taken: dict[str, tuple[Path, trees.Tree]],
    dropped: set[str],
    verdict: Verdict,
    *,
    wide: bool,
) -> None:
    seen = world.play([{"do": "status"}])
    if not opens(seen, verdict):
        return
    found = oracle.facts(world.home)
    verdict.false += oracle.broken_invariants(world.home, found)
    for id_ in taken.keys() - found.live - dropped:
        state = found.rows[id_].state if id_ in found.rows else "unknown"
        verdict.lost.append(f"{id_[:8]} was reported as taken, nobody dropped it, and is {state}")
    with oracle.Reader(oracle.store_of(world.home)) as reader:
        for id_ in taken.keys() & found.live:
            own, tree = taken[id_]
            held = reader.checkpoint(id_)
            prefix = f"{own.name}/"
            mine = {p.removeprefix(prefix): e for p, e in held.items() if p.startswith(prefix)}
            different = trees.differing(mine, trees.captured(tree))
            if different and not wide:
                verdict.false.append(f"{id_[:8]} holds something else at {different[:4]}")
        compare(world, found.live, reader.checkpoint, verdict)
