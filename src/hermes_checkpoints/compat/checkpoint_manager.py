"""Stands in for ``tools.checkpoint_manager`` of the agent: its names, on the catalog.

None of the functions raises; ``agent.maintenance`` has their guards. Without a
``checkpoint_base``, each works on the home that the agent works in at that moment; an argument
that is None, the default, is as configured there.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from hermes_checkpoints.agent import constants, maintenance
from hermes_checkpoints.agent.shapes import Result, format_checkpoint_list
from hermes_checkpoints.compat.agent_manager import CheckpointManager, agent_layout

if TYPE_CHECKING:
    CHECKPOINT_BASE: Path
    DEFAULT_EXCLUDES: list[str]

__all__ = [
    "CHECKPOINT_BASE",
    "DEFAULT_EXCLUDES",
    "CheckpointManager",
    "clear_all",
    "clear_legacy",
    "format_checkpoint_list",
    "maybe_auto_prune_checkpoints",
    "prune_checkpoints",
    "store_status",
]

BasePath = str | os.PathLike[str]


def __getattr__(name: str) -> object:
    if name == "CHECKPOINT_BASE":
        return agent_layout().base
    if name == "DEFAULT_EXCLUDES":
        return constants.DEFAULT_EXCLUDES
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def prune_checkpoints(
    retention_days: int | None = None,
    delete_orphans: bool | None = None,
    checkpoint_base: BasePath | None = None,
    max_total_size_mb: int | None = None,
) -> Result:
    """Prune now; see ``hermes_checkpoints.agent.maintenance``."""
    return maintenance.prune_checkpoints(
        retention_days, delete_orphans, _base(checkpoint_base), max_total_size_mb
    )


def maybe_auto_prune_checkpoints(
    retention_days: int | None = None,
    min_interval_hours: int | None = None,
    delete_orphans: bool | None = None,
    checkpoint_base: BasePath | None = None,
    max_total_size_mb: int | None = None,
) -> Result:
    """Prune if that is due; see ``hermes_checkpoints.agent.maintenance``."""
    return maintenance.maybe_auto_prune_checkpoints(
        retention_days,
        min_interval_hours,
        delete_orphans,
        _base(checkpoint_base),
        max_total_size_mb,
    )


def store_status(checkpoint_base: BasePath | None = None) -> Result:
    """Return what the store holds; see ``hermes_checkpoints.agent.maintenance``."""
    return maintenance.store_status(_base(checkpoint_base))


def clear_all(checkpoint_base: BasePath | None = None) -> Result:
    """Remove all checkpoints; session checkpoints stay."""
    return maintenance.clear_all(_base(checkpoint_base))


def clear_legacy(checkpoint_base: BasePath | None = None) -> Result:
    """Remove the archives that migrations moved aside."""
    return maintenance.clear_legacy(_base(checkpoint_base))


class _AgentBase(os.PathLike[str]):
    """The checkpoint folder of the home in which the agent works, looked up where it is used: a
    home that cannot be looked up fails inside the guard of the call."""

    def __fspath__(self) -> str:
        return str(agent_layout().base)


def _base(checkpoint_base: BasePath | None) -> BasePath:
    return _AgentBase() if checkpoint_base is None else checkpoint_base
