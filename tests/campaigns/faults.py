"""One system call fails, in Python or git: no room, no permission, a broken disk, no descriptors,
a call that is interrupted or writes less than it was told. The process lives and answers."""

from __future__ import annotations

import errno
import random

from campaigns.operations import OPERATIONS, nth
from campaigns.preload import Action, Call
from campaigns.rounds import Rounds, Verdict, describe

BROKEN = (errno.ENOSPC, errno.EIO, errno.EACCES, errno.EDQUOT)
FAULTS: dict[Call, tuple[int, ...]] = {
    Call.OPEN: (*BROKEN, errno.EMFILE, errno.EINTR),
    Call.WRITE: (errno.ENOSPC, errno.EIO, errno.EDQUOT, errno.EINTR, 0),
    Call.MKDIR: BROKEN,
    Call.LINK: BROKEN,
    Call.RENAME: BROKEN,
    Call.FSYNC: (errno.EIO, errno.ENOSPC, errno.EDQUOT),
    Call.CLOSE: (errno.EIO, errno.ENOSPC, errno.EDQUOT),
    Call.UNLINK: (errno.EIO, errno.EACCES),
    Call.TRUNCATE: (errno.EIO, errno.ENOSPC),
    Call.ATTRIBUTES: (errno.EIO, errno.EACCES),
}
"""The errors that each kind of call can have; 0 is a write of less."""


def play(rounds: Rounds, chance: random.Random, number: int) -> Verdict:
    """Let a call of one operation fail; operations and kinds of calls take turns."""
    operation = nth(number)
    reference = rounds.reference(operation)
    world = rounds.world
    kinds = list(FAULTS)
    first = number // len(OPERATIONS) + number
    call, most = kinds[first % len(kinds)], 0
    for turn in range(len(kinds)):  # some operations have no call of a kind
        call = kinds[(first + turn) % len(kinds)]
        most = reference.kinds[call]
        if most:
            break
    error = chance.choice(FAULTS[call])
    stays = error not in (0, errno.EINTR) and chance.random() < 0.4
    point = chance.randint(1, max(1, most))
    rounds.begin(operation)
    world.control.at(
        point, Action.FAIL if error else Action.SHORT, error=error, stays=stays, calls=call
    )
    played = world.play(operation.steps(world), home=operation.home_in(world), **operation.job)
    happened = world.control.happened
    name = errno.errorcode[error] if error else "short"
    verdict = Verdict(events=min(1, happened))
    verdict.told = (
        f"{operation.name}, {call.name} {point} of {most} {name}"
        f"{' from then on' if stays else ''}: "
        f"{describe(played.answers)}"
    )
    rounds.judge(operation, played, verdict)
    return verdict
