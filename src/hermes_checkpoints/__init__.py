"""The undo button of an AI agent: git keeps the objects, one SQLite catalog the rest.

A host imports this package at its start, whether or not checkpoints are enabled. So this module
imports nothing: each public name is loaded when it is first used. What an embedder needs is here:
``Checkpoints`` and ``Project`` with the values that they take and return, every error, and the
names that agents know from earlier storage layers.

Each class has an example. Where it says ``checkpoints`` and ``project``, these are the opened
``Checkpoints`` and the ``Project`` of the current directory, which holds notes.txt.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hermes_checkpoints.admin.clear import (
        Cleared,
    )
    from hermes_checkpoints.admin.rebind import (
        Rebound,
    )
    from hermes_checkpoints.admin.usage import (
        StoreUsage,
    )
    from hermes_checkpoints.agent.maintenance import (
        clear_all,
        clear_legacy,
        footprint_notice,
        maybe_auto_prune_checkpoints,
        prune_checkpoints,
        store_status,
    )
    from hermes_checkpoints.agent.manager import (
        CheckpointManager,
    )
    from hermes_checkpoints.agent.rollback import (
        Rollback,
    )
    from hermes_checkpoints.agent.session_store import (
        CheckpointStore,
    )
    from hermes_checkpoints.agent.shapes import (
        format_checkpoint_list,
    )
    from hermes_checkpoints.checkpoints import (
        Checkpoints,
        Project,
    )
    from hermes_checkpoints.cli import (
        register_cli,
    )
    from hermes_checkpoints.config import (
        Config,
    )
    from hermes_checkpoints.errors import (
        BadDirectory,
        BadDocument,
        BadRequest,
        BaseUnwritable,
        CatalogBusy,
        CatalogDamaged,
        CatalogNewer,
        CheckpointAmbiguous,
        CheckpointError,
        CheckpointForeign,
        CheckpointPruned,
        CheckpointUnknown,
        GitFailed,
        GitMissing,
        GitTimedOut,
        GitTooOld,
        LockHeld,
        NoSafetyCheckpoint,
        NoSpace,
        NothingToUndo,
        PathRefused,
        PathUnknown,
        ProjectUnknown,
        SessionChanged,
        SessionDamaged,
        SessionUnknown,
        StoreDamaged,
        TreeChanged,
    )
    from hermes_checkpoints.model import (
        Action,
        Actor,
        Change,
        ChangeStatus,
        Checkpoint,
        Coverage,
        Decision,
        Diff,
        Failed,
        FailedPath,
        KeepRules,
        Kind,
        Mode,
        PathEvent,
        PlannedPath,
        Policy,
        PrunePlan,
        PruneResult,
        Restored,
        RestorePlan,
        Skipped,
        SkippedPath,
        SkipReason,
        StoreStatus,
        Taken,
        TakeOutcome,
        Unchanged,
    )
    from hermes_checkpoints.retention.plan import (
        PruneOptions,
    )
    from hermes_checkpoints.sessions.sessions import (
        Sessions,
    )

__version__ = "0.1.0"

__all__ = [
    "Action",
    "Actor",
    "BadDirectory",
    "BadDocument",
    "BadRequest",
    "BaseUnwritable",
    "CatalogBusy",
    "CatalogDamaged",
    "CatalogNewer",
    "Change",
    "ChangeStatus",
    "Checkpoint",
    "CheckpointAmbiguous",
    "CheckpointError",
    "CheckpointForeign",
    "CheckpointManager",
    "CheckpointPruned",
    "CheckpointStore",
    "CheckpointUnknown",
    "Checkpoints",
    "Cleared",
    "Config",
    "Coverage",
    "Decision",
    "Diff",
    "Failed",
    "FailedPath",
    "GitFailed",
    "GitMissing",
    "GitTimedOut",
    "GitTooOld",
    "KeepRules",
    "Kind",
    "LockHeld",
    "Mode",
    "NoSafetyCheckpoint",
    "NoSpace",
    "NothingToUndo",
    "PathEvent",
    "PathRefused",
    "PathUnknown",
    "PlannedPath",
    "Policy",
    "Project",
    "ProjectUnknown",
    "PruneOptions",
    "PrunePlan",
    "PruneResult",
    "Rebound",
    "RestorePlan",
    "Restored",
    "Rollback",
    "SessionChanged",
    "SessionDamaged",
    "SessionUnknown",
    "Sessions",
    "SkipReason",
    "Skipped",
    "SkippedPath",
    "StoreDamaged",
    "StoreStatus",
    "StoreUsage",
    "TakeOutcome",
    "Taken",
    "TreeChanged",
    "Unchanged",
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
    "Action": "model",
    "Actor": "model",
    "BadDirectory": "errors",
    "BadDocument": "errors",
    "BadRequest": "errors",
    "BaseUnwritable": "errors",
    "CatalogBusy": "errors",
    "CatalogDamaged": "errors",
    "CatalogNewer": "errors",
    "Change": "model",
    "ChangeStatus": "model",
    "Checkpoint": "model",
    "CheckpointAmbiguous": "errors",
    "CheckpointError": "errors",
    "CheckpointForeign": "errors",
    "CheckpointManager": "agent.manager",
    "CheckpointPruned": "errors",
    "CheckpointStore": "agent.session_store",
    "CheckpointUnknown": "errors",
    "Checkpoints": "checkpoints",
    "Cleared": "admin.clear",
    "Config": "config",
    "Coverage": "model",
    "Decision": "model",
    "Diff": "model",
    "Failed": "model",
    "FailedPath": "model",
    "GitFailed": "errors",
    "GitMissing": "errors",
    "GitTimedOut": "errors",
    "GitTooOld": "errors",
    "KeepRules": "model",
    "Kind": "model",
    "LockHeld": "errors",
    "Mode": "model",
    "NoSafetyCheckpoint": "errors",
    "NoSpace": "errors",
    "NothingToUndo": "errors",
    "PathEvent": "model",
    "PathRefused": "errors",
    "PathUnknown": "errors",
    "PlannedPath": "model",
    "Policy": "model",
    "Project": "checkpoints",
    "ProjectUnknown": "errors",
    "PruneOptions": "retention.plan",
    "PrunePlan": "model",
    "PruneResult": "model",
    "Rebound": "admin.rebind",
    "RestorePlan": "model",
    "Restored": "model",
    "Rollback": "agent.rollback",
    "SessionChanged": "errors",
    "SessionDamaged": "errors",
    "SessionUnknown": "errors",
    "Sessions": "sessions.sessions",
    "SkipReason": "model",
    "Skipped": "model",
    "SkippedPath": "model",
    "StoreDamaged": "errors",
    "StoreStatus": "model",
    "StoreUsage": "admin.usage",
    "TakeOutcome": "model",
    "Taken": "model",
    "TreeChanged": "errors",
    "Unchanged": "model",
    "clear_all": "agent.maintenance",
    "clear_legacy": "agent.maintenance",
    "footprint_notice": "agent.maintenance",
    "format_checkpoint_list": "agent.shapes",
    "maybe_auto_prune_checkpoints": "agent.maintenance",
    "prune_checkpoints": "agent.maintenance",
    "register_cli": "cli",
    "store_status": "agent.maintenance",
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
    """Return the public names, and nothing else."""
    return sorted(__all__)
