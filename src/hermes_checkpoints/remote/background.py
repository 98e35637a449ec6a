"""Starts the push that the end of a turn or of a session calls for, in a process of its own.

Who ends a turn never waits for a network, nor fails because of it: a host among others, whose
container may be gone a moment later. So whoever does starts another process, which goes on when
this one is killed, has nothing of it, and takes its own time (``checkpoints.send_unsent``).
"""

from __future__ import annotations

import logging
from collections.abc import Collection

from hermes_checkpoints.base.existing import base_exists
from hermes_checkpoints.config import load_remote_config
from hermes_checkpoints.errors import CheckpointError
from hermes_checkpoints.fs.locks import is_held
from hermes_checkpoints.fs.system import start_module
from hermes_checkpoints.layout import Layout
from hermes_checkpoints.remote_config import PushWhen

MODULE = "hermes_checkpoints.checkpoints.send_unsent"

logger = logging.getLogger(__name__)


def start_after_turn(layout: Layout, project_hash: str) -> bool:
    """Start it where each turn is to be sent, unless one is at work that will send this one, too;
    return whether it was started. ``project_hash`` names the project whose turn has ended. What
    prevents the start is logged and never raised: the caller's own work is done.
    """
    return _start(layout, (PushWhen.TURN,), project_hash)


def start_after_session(layout: Layout) -> bool:
    """Start it where turns or sessions are to be sent, as ``start_after_turn``; but in any case,
    since there may be no later turn that something could go along with."""
    return _start(layout, (PushWhen.TURN, PushWhen.SESSION), "")


def _start(layout: Layout, wanted: Collection[PushWhen], project_hash: str) -> bool:
    try:
        config = load_remote_config(layout.config)
        if not config.is_on or config.push not in wanted or not base_exists(layout):
            return False
        if project_hash and is_held(layout.sending_lock):
            return False
        told = (str(layout.home), str(layout.base), project_hash)
        if not start_module(MODULE, told, layout.base):
            logger.warning("nothing is sent by itself: this program starts no Python; use `push`")
            return False
    except (CheckpointError, OSError) as error:
        logger.warning("the push after a turn was not started: %s", error)
        return False
    return True
