"""The process that sends checkpoints by itself: ``python -m
hermes_checkpoints.checkpoints.send_unsent``.

Started by ``remote.background`` with a home, a base, and the project whose turn has ended; with
none where a session has. After turns, at most one works on a base at a time: whoever finds the lock
held leaves it to the holder, which looks once more after it has let the lock go. At the end of a
session there may be no later, so it does not wait for that one.
"""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Sequence
from datetime import timedelta

from hermes_checkpoints.base.existing import base_exists
from hermes_checkpoints.checkpoints.whole import Checkpoints
from hermes_checkpoints.errors import LockHeld
from hermes_checkpoints.fs.locks import exclusive
from hermes_checkpoints.fs.system import lower_priority
from hermes_checkpoints.layout import Layout
from hermes_checkpoints.remote.automatic import Sent, is_left, send

LONGEST_WAIT = timedelta(minutes=10)
"""So long it waits for the rest of an interval. What would have to wait longer goes with a later
turn, or with the end of the session."""

_LOCK_TIMEOUT = 2.0


def main(argv: Sequence[str]) -> None:
    """Send what is unsent in the base ``argv[1]`` of the home ``argv[0]``, first that of the
    project ``argv[2]``, whose turn has ended; or at once, where that is empty.

    Raises:
        CheckpointError: when the base cannot be opened.
    """
    lower_priority()
    home, base, project = argv
    layout = Layout.of(home)
    if str(layout.base) != base:
        layout = Layout.of_base(base)
    if not project:
        _send(layout, None)
        return
    with contextlib.suppress(LockHeld):
        while True:
            with exclusive(
                layout.sending_lock,
                purpose="sending checkpoints",
                timeout=_LOCK_TIMEOUT,
                told=False,
            ):
                done = _send_in_turn(layout, project)
            if not done.some or not _is_left(layout):
                return


def _send_in_turn(layout: Layout, project: str) -> Sent:
    """Send, and once more when the interval is over of what had to wait. Nothing of the base is
    open meanwhile, and only the lock is held."""
    done = _send(layout, project)
    while done.wait is not None and done.wait <= LONGEST_WAIT:
        _wait(done.wait)
        done = _send(layout, project)
    return done


def _wait(interval: timedelta) -> None:
    time.sleep(interval.total_seconds())


def _send(layout: Layout, project: str | None) -> Sent:
    if not base_exists(layout):  # it was cleared meanwhile
        return Sent()
    with _opened(layout) as checkpoints:
        return send(checkpoints._base, project, at_once=project is None)


def _is_left(layout: Layout) -> bool:
    if not base_exists(layout):
        return False
    with _opened(layout) as checkpoints:
        return is_left(checkpoints._base)


def _opened(layout: Layout) -> Checkpoints:
    """Open what is there; nothing is made."""
    if Layout.of(layout.home) == layout:
        return Checkpoints.open(layout.home, create=False)
    return Checkpoints.open(base=layout.base, create=False)


if __name__ == "__main__":
    main(sys.argv[1:])
