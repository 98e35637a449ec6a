"""Stands in for ``tools.checkpoint_maintenance`` of the agent: what is done for the checkpoint
folder as a whole. hermes-agent 0.19.0 has these names in ``tools.checkpoint_manager``.

None of the functions raises; ``agent.maintenance`` has their guards. Without a
``checkpoint_base``, each works in ``CHECKPOINT_BASE``; an argument that is None, the default, is
as configured there.
"""

from __future__ import annotations

from collections.abc import Collection

from hermes_checkpoints.agent import maintenance
from hermes_checkpoints.agent.shapes import Result
from hermes_checkpoints.compat.bases import BasePath, given

__all__ = [
    "auto_prune_from_config",
    "checkpoint_footprint_notice",
    "clear_all",
    "clear_legacy",
    "maybe_auto_prune_checkpoints",
    "prune_checkpoints",
    "store_status",
]


def prune_checkpoints(
    retention_days: int | None = None,
    delete_orphans: bool | None = None,
    checkpoint_base: BasePath | None = None,
    max_total_size_mb: int | None = None,
    orphan_allowlist: Collection[str] | None = None,
) -> Result:
    """Prune now; see ``hermes_checkpoints.agent.maintenance``."""
    return maintenance.prune_checkpoints(
        retention_days, delete_orphans, given(checkpoint_base), max_total_size_mb, orphan_allowlist
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
        given(checkpoint_base),
        max_total_size_mb,
    )


def auto_prune_from_config() -> Result:
    """Prune if that is due, all as configured: what the agent calls at its start."""
    return maybe_auto_prune_checkpoints()


def checkpoint_footprint_notice() -> str | None:
    """Return what the agent's ``doctor`` and ``update`` are to tell: takes that fail, or a store
    over its cap. None where all is well, or checkpoints are off."""
    return maintenance.footprint_notice(given(None))


def store_status(checkpoint_base: BasePath | None = None) -> Result:
    """Return what the store holds; see ``hermes_checkpoints.agent.maintenance``."""
    return maintenance.store_status(given(checkpoint_base))


def clear_all(checkpoint_base: BasePath | None = None) -> Result:
    """Remove all checkpoints; session checkpoints stay."""
    return maintenance.clear_all(given(checkpoint_base))


def clear_legacy(checkpoint_base: BasePath | None = None) -> Result:
    """Remove the archives that migrations moved aside."""
    return maintenance.clear_legacy(given(checkpoint_base))
