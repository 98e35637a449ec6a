"""The undo button of an AI agent: git keeps the objects, one SQLite catalog the rest.

A host imports this package at its start, whether or not checkpoints are enabled. So this module
imports nothing: each public name is loaded when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hermes_checkpoints.agent.host_status import store_status
    from hermes_checkpoints.agent.maintenance import (
        clear_all,
        clear_legacy,
        footprint_notice,
        maybe_auto_prune_checkpoints,
        prune_checkpoints,
    )
    from hermes_checkpoints.agent.manager import CheckpointManager
    from hermes_checkpoints.agent.rollback import Rollback
    from hermes_checkpoints.agent.session_store import CheckpointStore
    from hermes_checkpoints.agent.shapes import format_checkpoint_list
    from hermes_checkpoints.checkpoints import Checkpoints
    from hermes_checkpoints.cli import register_cli
    from hermes_checkpoints.sessions.sessions import Sessions

__version__ = "0.1.0"

__all__ = [
    "CheckpointManager",
    "CheckpointStore",
    "Checkpoints",
    "Rollback",
    "Sessions",
    "__version__",
    "clear_all",
    "clear_legacy",
    "footprint_notice",
    "format_checkpoint_list",
    "maybe_auto_prune_checkpoints",
    "prune_checkpoints",
    "register_cli",
    "store_status",
]

_HOMES = {
    "CheckpointManager": "agent.manager",
    "CheckpointStore": "agent.session_store",
    "Checkpoints": "checkpoints",
    "Rollback": "agent.rollback",
    "Sessions": "sessions.sessions",
    "clear_all": "agent.maintenance",
    "clear_legacy": "agent.maintenance",
    "footprint_notice": "agent.maintenance",
    "format_checkpoint_list": "agent.shapes",
    "maybe_auto_prune_checkpoints": "agent.maintenance",
    "prune_checkpoints": "agent.maintenance",
    "register_cli": "cli",
    "store_status": "agent.host_status",
}


def __getattr__(name: str) -> object:
    """Load a public name from the module that defines it (PEP 562)."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
