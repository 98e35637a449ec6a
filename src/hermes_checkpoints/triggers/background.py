"""Whether a shell command may leave something running behind it."""

from __future__ import annotations

import re

_GOES_ON = re.compile(r"(?<![&>|<])&(?![&>])|\b(?:nohup|setsid|disown|daemonize|screen|tmux)\b")


def goes_on(command: str) -> bool:
    """Tell whether something of a shell command may run on after it has answered.

    >>> from hermes_checkpoints.triggers.background import goes_on
    >>> goes_on("make && ls"), goes_on("npm run dev &")
    (False, True)
    """
    return bool(_GOES_ON.search(command))
