"""Clocks that jump forward and back, and time zones: the order stays that of the takes, and nothing
is deleted that is younger than the rules allow by the clock that the program sees."""

from __future__ import annotations

import random
import shutil
from dataclasses import dataclass, field

from campaigns import oracle
from campaigns.rounds import Rounds, Verdict, compare, opens
from campaigns.script import Step
from campaigns.world import World

DAY = 86_400
JUMPS = (
    0,
    1,
    -1,
    3600,
    -3600,
    DAY,
    -DAY,
    6 * DAY,
    -6 * DAY,
    8 * DAY,
    -8 * DAY,
    400 * DAY,
    -400 * DAY,
)
ZONES = (
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "Asia/Kathmandu",
    "Pacific/Kiritimati",
    "EST5EDT,M3.2.0,M11.1.0",
)
RETENTION, GRACE = 7, 7
"""In days: untouched projects, vanished directories."""

KEPT, TURNS = 3, 6
BUILDING = 3_600
"""In seconds: the world is at most so old when a round begins."""


@dataclass
class _Past:
    """What was done so far; times are those of the program's clock, in seconds from the true
    one."""

    world: World
    clock: int = 0
    touched: dict[str, int] = field(default_factory=dict)
    vanished: int | None = None
    order: list[str] = field(default_factory=list)
    dropped: set[str] = field(default_factory=set)
    told: list[str] = field(default_factory=list)

    def steps(self, act: str, chance: random.Random) -> list[Step]:
        """Return what a process does for an act."""
        alpha = str(self.world.alpha)
        if act == "take":
            return [
                {"do": "mutate", "project": alpha, "seed": chance.randrange(10**6)},
                {"do": "take", "project": alpha},
            ]
        if act == "prune":
            return [{"do": "prune", "retention_days": RETENTION, "grace_days": GRACE}]
        if act == "keep":
            return [{"do": "prune", "keep": KEPT}]
        if act == "vanish":
            if self.world.beta.exists():
                shutil.rmtree(self.world.beta)
                self.vanished = self.clock
            return [{"do": "status"}]
        return [{"do": "session_gc", "ahead": 0}]

    def too_early(self, act: str, row: oracle.Row, before: oracle.Facts) -> str:
        """Return why a checkpoint may not be dropped by an act, or ``""``."""
        age = (self.clock - self.touched[row.workdir]) / DAY
        missing = None if self.vanished is None else (self.clock - self.vanished) / DAY
        orphan = row.workdir == str(self.world.beta) and missing is not None and missing >= GRACE
        if row.pinned:
            return "it is pinned"
        if act == "prune" and age < RETENTION and not orphan:
            return f"{age:.1f} days after the last touch, missing for {missing} days"
        after = [
            other
            for other in before.rows.values()
            if (other.workdir, other.state) == (row.workdir, "live")
            and other.kind != "safety"
            and other.number > row.number
        ]
        if act == "keep" and row.kind != "safety" and len(after) < KEPT:
            return f"only {len(after)} came after it"
        return ""


def play(rounds: Rounds, chance: random.Random, number: int) -> Verdict:
    """Work through some jumps of the clock, each in a process of its own."""
    world = rounds.world
    world.put_back()
    verdict = Verdict()
    past = _Past(world, touched={str(world.alpha): 0, str(world.beta): 0})
    for _ in range(TURNS):
        if not _turn(past, chance, verdict):
            break
    _judge(past, verdict)
    verdict.told = "; ".join(past.told)
    world.beta.mkdir(exist_ok=True)
    return verdict


def _turn(past: _Past, chance: random.Random, verdict: Verdict) -> bool:
    """Let the clock jump and do something; False where it failed."""
    world, jump = past.world, chance.choice(JUMPS)
    act = chance.choice(("take", "take", "prune", "keep", "vanish", "gc"))
    past.clock += jump
    past.told.append(f"{jump:+d} {act}")
    verdict.events += bool(jump)
    world.control.nothing()
    world.control.move_clock(past.clock)
    steps, before = past.steps(act, chance), oracle.facts(world.home)
    played = world.play(steps, env={"TZ": chance.choice(ZONES)})
    answer = played.last
    world.control.nothing()
    if played.unforeseen or answer.get("answer") in (None, "failed", "refused"):
        verdict.false.append(f"{past.told}: {played.unforeseen or answer}")
        return False
    if answer["answer"] == "taken":
        past.order.append(answer["id"])
        past.touched[str(world.alpha)] = past.clock
        world.learn(steps, played.answers)
    for id_ in answer.get("dropped", ()):
        past.dropped.add(id_)
        wrong = past.too_early(act, before.rows[id_], before)
        if wrong:
            verdict.lost.append(f"{past.told}: {id_[:8]} was dropped: {wrong}")
    if act == "gc" and answer["removed"] and past.clock < DAY - BUILDING:
        verdict.lost.append(f"{past.told}: {answer['removed']} sessions were removed too early")
    return True


def _judge(past: _Past, verdict: Verdict) -> None:
    """The newest take is the first of the list, whatever the clocks said."""
    world, order, dropped, told = past.world, past.order, past.dropped, past.told
    seen = world.play([{"do": "status"}])
    if not opens(seen, verdict):
        return
    found = oracle.facts(world.home)
    verdict.false += oracle.broken_invariants(world.home, found)
    listed = [i for i in seen.last["listed"].get(str(world.alpha), []) if i in set(order)]
    wanted = [id_ for id_ in reversed(order) if id_ not in dropped]
    if listed != wanted:
        verdict.false.append(
            f"{told}: listed {[i[:6] for i in listed]}, taken {[i[:6] for i in wanted]}"
        )
    for id_ in set(order) - dropped - found.live:
        verdict.lost.append(f"{told}: {id_[:8]} is gone")
    with oracle.Reader(oracle.store_of(world.home)) as reader:
        compare(world, found.live, reader.checkpoint, verdict)
