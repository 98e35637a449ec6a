"""SIGKILL at each system call that changes something, at random times, of all or of git alone."""

from __future__ import annotations

import random

from campaigns.operations import nth
from campaigns.preload import Action
from campaigns.rounds import Rounds, Verdict, describe

WAYS = (
    *(Action.KILL_ALL,) * 6,
    *(Action.KILL_LEADER,) * 2,
    Action.KILL_ITSELF,
    None,  # at a random time
)


def play(rounds: Rounds, chance: random.Random, number: int) -> Verdict:
    """Kill one operation somewhere; the operations take turns."""
    operation = nth(number)
    reference = rounds.reference(operation)
    world = rounds.world
    rounds.begin(operation)
    way = chance.choice(WAYS)
    if way is None:
        moment = chance.uniform(0.005, reference.seconds)
        where = f"after {moment:.3f} s"
        world.control.at(0, Action.COUNT)
        kill_after = moment
    else:
        point = chance.randint(1, max(1, reference.calls))
        where = f"{way.name.lower()} at call {point} of {reference.calls}"
        world.control.at(point, way)
        kill_after = None
    played = world.play(
        operation.steps(world),
        home=operation.home_in(world),
        kill_after=kill_after,
        **operation.job,
    )
    happened = world.control.happened if way is not None else int(played.ended.code < 0)
    verdict = Verdict(events=min(1, happened))
    verdict.told = f"{operation.name}, {where}: {describe(played.answers)}"
    rounds.judge(operation, played, verdict)
    return verdict
