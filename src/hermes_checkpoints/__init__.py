"""The undo button of an AI agent: git keeps the objects, one SQLite catalog the rest.

A host imports this package at its start, whether or not checkpoints are enabled. So this module
imports nothing: each public name is loaded when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hermes_checkpoints.checkpoint_store import CheckpointStore
    from hermes_checkpoints.checkpoints import Checkpoints
    from hermes_checkpoints.cli import register_cli
    from hermes_checkpoints.host_shapes import format_checkpoint_list
    from hermes_checkpoints.host_status import store_status
    from hermes_checkpoints.maintenance import (
        clear_all,
        clear_legacy,
        footprint_notice,
        maybe_auto_prune_checkpoints,
        prune_checkpoints,
    )
    from hermes_checkpoints.manager import CheckpointManager
    from hermes_checkpoints.rollback import Rollback
    from hermes_checkpoints.sessions import Sessions

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
    "CheckpointManager": "manager",
    "CheckpointStore": "checkpoint_store",
    "Checkpoints": "checkpoints",
    "Rollback": "rollback",
    "Sessions": "sessions",
    "clear_all": "maintenance",
    "clear_legacy": "maintenance",
    "footprint_notice": "maintenance",
    "format_checkpoint_list": "host_shapes",
    "maybe_auto_prune_checkpoints": "maintenance",
    "prune_checkpoints": "maintenance",
    "register_cli": "cli",
    "store_status": "host_status",
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
