"""Starts the prune that holds the size cap, in a process of its own.

A turn that goes over the cap must not wait for it, and no take ever does. So whoever ends a turn
starts another process, which goes on when this one ends, has nothing of it, and takes its own time
(``checkpoints.hold_cap``).
"""

from __future__ import annotations

import json
import logging
from dataclasses import asdict, fields
from typing import Any

from hermes_checkpoints.base.cap import is_due, is_starting, note_start
from hermes_checkpoints.base.opened import Base
from hermes_checkpoints.config import Config, Trigger
from hermes_checkpoints.errors import CheckpointError
from hermes_checkpoints.fs.locks import is_held
from hermes_checkpoints.fs.system import start_module

MODULE = "hermes_checkpoints.checkpoints.hold_cap"

logger = logging.getLogger(__name__)


def start_if_due(base: Base) -> bool:
    """Start it where the store is over its cap, ``auto_prune`` allows it, and none runs or is
    about to; return whether it was started. What prevents the start is logged and never raised:
    the caller's own work is done.
    """
    if not base.config.auto_prune:
        return False
    try:
        if not is_due(base) or is_held(base.layout.cap_lock) or is_starting(base):
            return False
        note_start(base)
        told = (str(base.layout.base), dumped(base.config))
        if not start_module(MODULE, told, base.layout.base):
            logger.warning("the size cap is held by the next prune: this program starts no Python")
            return False
    except (CheckpointError, OSError) as error:
        logger.warning("the prune that holds the size cap was not started: %s", error)
        return False
    return True


def dumped(config: Config) -> str:
    """Return a configuration as text for ``loaded``: what is in force here need not be what the
    file says."""
    return json.dumps(asdict(config))


def loaded(text: str) -> Config:
    """Return the configuration that ``dumped`` wrote.

    Raises:
        ValueError, TypeError: when it is none.
    """
    values: dict[str, Any] = json.loads(text)
    known = {field.name for field in fields(Config)}
    given: dict[str, Any] = {name: values[name] for name in known & values.keys()}
    for name, value in given.items():
        given[name] = tuple(value) if isinstance(value, list) else value
    return Config(**{**given, "trigger": Trigger(given["trigger"])})
