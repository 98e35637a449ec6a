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
    from hermes_checkpoints.agent.constants import (
        CHECKPOINT_BASE,
        DEFAULT_CHECKPOINTS_DIR,
        DEFAULT_EXCLUDES,
        DEFAULT_GC_MAX_AGE_DAYS,
    )
    from hermes_checkpoints.agent.conversation import (
        Message,
        Scope,
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
        Reply,
        Rollback,
    )
    from hermes_checkpoints.agent.session_store import (
        CheckpointStore,
    )
    from hermes_checkpoints.agent.shapes import (
        format_checkpoint_list,
    )
    from hermes_checkpoints.base.arguments import (
        PathLike,
        Paths,
    )
    from hermes_checkpoints.base.lookup import (
        Reference,
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
        ProjectSettings,
        SessionsConfig,
        Trigger,
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
        CheckpointLost,
        CheckpointPruned,
        CheckpointUnknown,
        DirectoryReplaced,
        GitFailed,
        GitMissing,
        GitTimedOut,
        GitTooOld,
        LockHeld,
        LockLost,
        NoSafetyCheckpoint,
        NoSpace,
        NothingToUndo,
        PathRefused,
        PathUnknown,
        ProjectUnknown,
        SessionChanged,
        SessionDamaged,
        SessionUnknown,
        SqliteTooOld,
        StoreDamaged,
        TreeChanged,
    )
    from hermes_checkpoints.history.export import (
        Exported,
    )
    from hermes_checkpoints.history.progress import (
        Reporter,
    )
    from hermes_checkpoints.model import (
        Action,
        Actor,
        Change,
        ChangeStatus,
        Checkpoint,
        Collected,
        Coverage,
        Decision,
        Diff,
        Failed,
        FailedPath,
        FailureRun,
        ImportedFile,
        KeepRules,
        KeptGroup,
        Kind,
        LegacyArchive,
        LegacyImport,
        LegacyLayout,
        LegacyRecord,
        LegacyState,
        Mode,
        Moment,
        PathEvent,
        PlannedPath,
        Policy,
        ProjectRecord,
        ProjectStatus,
        ProjectUsage,
        PrunePlan,
        PruneResult,
        Restored,
        RestoreOf,
        RestorePlan,
        RestoreRole,
        Rule,
        SafetyCheckpoint,
        SessionCheckpoint,
        SessionListed,
        SessionSummary,
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
    "CHECKPOINT_BASE",
    "DEFAULT_CHECKPOINTS_DIR",
    "DEFAULT_EXCLUDES",
    "DEFAULT_GC_MAX_AGE_DAYS",
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
    "CheckpointLost",
    "CheckpointManager",
    "CheckpointPruned",
    "CheckpointStore",
    "CheckpointUnknown",
    "Checkpoints",
    "Cleared",
    "Collected",
    "Config",
    "Coverage",
    "Decision",
    "Diff",
    "DirectoryReplaced",
    "Exported",
    "Failed",
    "FailedPath",
    "FailureRun",
    "GitFailed",
    "GitMissing",
    "GitTimedOut",
    "GitTooOld",
    "ImportedFile",
    "KeepRules",
    "KeptGroup",
    "Kind",
    "LegacyArchive",
    "LegacyImport",
    "LegacyLayout",
    "LegacyRecord",
    "LegacyState",
    "LockHeld",
    "LockLost",
    "Message",
    "Mode",
    "Moment",
    "NoSafetyCheckpoint",
    "NoSpace",
    "NothingToUndo",
    "PathEvent",
    "PathLike",
    "PathRefused",
    "PathUnknown",
    "Paths",
    "PlannedPath",
    "Policy",
    "Project",
    "ProjectRecord",
    "ProjectSettings",
    "ProjectStatus",
    "ProjectUnknown",
    "ProjectUsage",
    "PruneOptions",
    "PrunePlan",
    "PruneResult",
    "Rebound",
    "Reference",
    "Reply",
    "Reporter",
    "RestoreOf",
    "RestorePlan",
    "RestoreRole",
    "Restored",
    "Rollback",
    "Rule",
    "SafetyCheckpoint",
    "Scope",
    "SessionChanged",
    "SessionCheckpoint",
    "SessionDamaged",
    "SessionListed",
    "SessionSummary",
    "SessionUnknown",
    "Sessions",
    "SessionsConfig",
    "SkipReason",
    "Skipped",
    "SkippedPath",
    "SqliteTooOld",
    "StoreDamaged",
    "StoreStatus",
    "StoreUsage",
    "TakeOutcome",
    "Taken",
    "TreeChanged",
    "Trigger",
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
    "CHECKPOINT_BASE": "agent.constants",
    "DEFAULT_CHECKPOINTS_DIR": "agent.constants",
    "DEFAULT_EXCLUDES": "agent.constants",
    "DEFAULT_GC_MAX_AGE_DAYS": "agent.constants",
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
    "CheckpointLost": "errors",
    "CheckpointPruned": "errors",
    "CheckpointStore": "agent.session_store",
    "CheckpointUnknown": "errors",
    "Checkpoints": "checkpoints",
    "Cleared": "admin.clear",
    "Collected": "model",
    "Config": "config",
    "Coverage": "model",
    "Decision": "model",
    "Diff": "model",
    "DirectoryReplaced": "errors",
    "Exported": "history.export",
    "Failed": "model",
    "FailedPath": "model",
    "FailureRun": "model",
    "GitFailed": "errors",
    "GitMissing": "errors",
    "GitTimedOut": "errors",
    "GitTooOld": "errors",
    "ImportedFile": "model",
    "KeepRules": "model",
    "KeptGroup": "model",
    "Kind": "model",
    "LegacyArchive": "model",
    "LegacyImport": "model",
    "LegacyLayout": "model",
    "LegacyRecord": "model",
    "LegacyState": "model",
    "LockHeld": "errors",
    "LockLost": "errors",
    "Message": "agent.conversation",
    "Mode": "model",
    "Moment": "model",
    "NoSafetyCheckpoint": "errors",
    "NoSpace": "errors",
    "NothingToUndo": "errors",
    "PathEvent": "model",
    "PathLike": "base.arguments",
    "PathRefused": "errors",
    "PathUnknown": "errors",
    "Paths": "base.arguments",
    "PlannedPath": "model",
    "Policy": "model",
    "Project": "checkpoints",
    "ProjectRecord": "model",
    "ProjectSettings": "config",
    "ProjectStatus": "model",
    "ProjectUnknown": "errors",
    "ProjectUsage": "model",
    "PruneOptions": "retention.plan",
    "PrunePlan": "model",
    "PruneResult": "model",
    "Rebound": "admin.rebind",
    "Reference": "base.lookup",
    "Reply": "agent.rollback",
    "Reporter": "history.progress",
    "RestoreOf": "model",
    "RestorePlan": "model",
    "RestoreRole": "model",
    "Restored": "model",
    "Rollback": "agent.rollback",
    "Rule": "model",
    "Scope": "agent.conversation",
    "SessionChanged": "errors",
    "SessionCheckpoint": "model",
    "SessionDamaged": "errors",
    "SessionListed": "model",
    "SessionSummary": "model",
    "SessionUnknown": "errors",
    "Sessions": "sessions.sessions",
    "SessionsConfig": "config",
    "SkipReason": "model",
    "Skipped": "model",
    "SafetyCheckpoint": "model",
    "SkippedPath": "model",
    "SqliteTooOld": "errors",
    "StoreDamaged": "errors",
    "StoreStatus": "model",
    "StoreUsage": "admin.usage",
    "TakeOutcome": "model",
    "Taken": "model",
    "TreeChanged": "errors",
    "Trigger": "config",
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


_PLACES = frozenset({"CHECKPOINT_BASE", "DEFAULT_CHECKPOINTS_DIR"})
"""The names that are looked up each time, because they follow HERMES_HOME."""


def __getattr__(name: str) -> object:
    """Load a public name from the module that defines it (PEP 562)."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    if name not in _PLACES:
        globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return the public names, and nothing else."""
    return sorted(__all__)
