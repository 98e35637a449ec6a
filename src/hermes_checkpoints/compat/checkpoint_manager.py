"""Stands in for ``tools.checkpoint_manager`` of the agent: its names, on the catalog.

None of the functions raises; ``agent.maintenance`` has their guards. Without a
``checkpoint_base``, each works in ``CHECKPOINT_BASE``: that of the home that the agent works in at
that moment, or the one that was assigned to this module. An argument that is None, the default, is
as configured there.

The names that begin with an underscore are those that the agent's own tests and other modules
take from it and that mean the same here.
"""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING

from hermes_checkpoints.agent import constants
from hermes_checkpoints.agent.guard import guarded
from hermes_checkpoints.agent.shapes import Result, format_checkpoint_list
from hermes_checkpoints.compat import agent_manager, places
from hermes_checkpoints.compat.bases import (
    BaseModule,
    agents_layout,
    checkpoint_base,
    is_assigned,
)
from hermes_checkpoints.compat.checkpoint_maintenance import (
    auto_prune_from_config,
    checkpoint_footprint_notice,
    clear_all,
    clear_legacy,
    maybe_auto_prune_checkpoints,
    prune_checkpoints,
    store_status,
)
from hermes_checkpoints.compat.helpers import (
    dir_size_bytes,
    hash_file,
    index_path,
    normalize_path,
    project_hash_of,
    store_path,
    validate_commit_hash,
    validate_file_path,
)
from hermes_checkpoints.config import Config, git_timeout
from hermes_checkpoints.layout import LEGACY_PREFIX, Layout

if TYPE_CHECKING:
    from pathlib import Path

    CHECKPOINT_BASE: Path
    DEFAULT_EXCLUDES: list[str]

__all__ = [
    "CHECKPOINT_BASE",
    "DEFAULT_EXCLUDES",
    "CheckpointManager",
    "auto_prune_from_config",
    "checkpoint_footprint_notice",
    "clear_all",
    "clear_legacy",
    "format_checkpoint_list",
    "maybe_auto_prune_checkpoints",
    "prune_checkpoints",
    "store_status",
]

_STORE_DIRNAME = "store"
_INDEXES_DIRNAME = "indexes"
_LEGACY_PREFIX = LEGACY_PREFIX
_PRUNE_MARKER_NAME = ".last_prune"
_COMMIT_HASH_RE = re.compile(r"^[0-9a-fA-F]{4,64}$")
_MAX_FILES = Config().max_files

_resolve_checkpoint_base = checkpoint_base
_normalize_path = normalize_path
_project_hash = project_hash_of
_store_path = store_path
_index_path = index_path
_validate_commit_hash = validate_commit_hash
_validate_file_path = validate_file_path
_hash_file = hash_file
_dir_size_bytes = dir_size_bytes


def __getattr__(name: str) -> object:
    if name == "DEFAULT_EXCLUDES":
        return constants.DEFAULT_EXCLUDES
    if name == "_GIT_TIMEOUT":
        return int(git_timeout())
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class CheckpointManager(agent_manager.CheckpointManager):
    """Takes and restores checkpoints for one agent; works in ``CHECKPOINT_BASE`` where that was
    assigned."""

    @property
    def layout(self) -> Layout:
        return agents_layout() if self._home is None and is_assigned() else super().layout

    @guarded("it is not known where the terminal works", lambda _: None)
    def unsupported_backend_reason(self, task_id: str = "default") -> str | None:
        """Return why nothing is captured or restored for a session, because its terminal works
        where files are not those of this machine; None where they are."""
        backend = _backend(task_id)
        if backend is None:
            return None
        return (
            f"Checkpoints are not taken for terminal.backend={backend}: "
            "file paths belong to the container, not this host."
        )

    def _safe_restore_plan(self, working_dir: str, commit_hash: str) -> Result:
        return self.safe_restore_plan(working_dir, commit_hash)


def _backend(task_id: str) -> str | None:
    """Return what the terminal of a task works in, as the agent itself tells where it can, or None
    for this machine."""
    of_the_agent = sys.modules.get("tools.file_tools_paths")
    ask = getattr(of_the_agent, "container_backend_for_task", None)
    if callable(ask):
        found = ask(task_id)
        return None if found is None else str(found)
    if places.elsewhere() is None:
        return None
    return os.environ["TERMINAL_ENV"].strip().lower()


# An attribute can be assigned to any module, but only a class of its own lets it have an effect.
sys.modules[__name__].__class__ = BaseModule
