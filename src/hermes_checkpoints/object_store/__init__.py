"""The object store: one bare git repository with the contents of all checkpoints.

It knows nothing of the catalog. The on-disk format is described in docs/format.md.

Each name is loaded with its module when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hermes_checkpoints.later import names_of

if TYPE_CHECKING:
    from hermes_checkpoints.object_store.budget import keep_within
    from hermes_checkpoints.object_store.clone_excludes import patterns_for
    from hermes_checkpoints.object_store.compare import Comparison, patching
    from hermes_checkpoints.object_store.git_objects import EMPTY_TREE
    from hermes_checkpoints.object_store.ignored import matching_rules
    from hermes_checkpoints.object_store.line_counts import with_lines
    from hermes_checkpoints.object_store.listings import Rules
    from hermes_checkpoints.object_store.meta import TreeMeta, UsualModes
    from hermes_checkpoints.object_store.rules import Excludes
    from hermes_checkpoints.object_store.staging import Staged, stage
    from hermes_checkpoints.object_store.store import ObjectStore
    from hermes_checkpoints.object_store.stored import StoredCheckpoint
    from hermes_checkpoints.object_store.survey import is_worktree
    from hermes_checkpoints.object_store.surveyed import Survey
    from hermes_checkpoints.object_store.tree_listing import (
        entries_at,
        find_entry,
        find_file,
        list_entries,
        list_tree,
    )
    from hermes_checkpoints.object_store.tree_state import (
        TreeState,
        compare_states,
        compare_with_former,
    )

__all__ = [
    "EMPTY_TREE",
    "Comparison",
    "Excludes",
    "ObjectStore",
    "Rules",
    "Staged",
    "StoredCheckpoint",
    "Survey",
    "TreeMeta",
    "TreeState",
    "UsualModes",
    "compare_states",
    "compare_with_former",
    "entries_at",
    "find_entry",
    "find_file",
    "is_worktree",
    "keep_within",
    "list_entries",
    "list_tree",
    "matching_rules",
    "patching",
    "patterns_for",
    "stage",
    "with_lines",
]

__getattr__ = names_of(
    __name__,
    {
        "Comparison": "compare",
        "EMPTY_TREE": "git_objects",
        "Excludes": "rules",
        "ObjectStore": "store",
        "Rules": "listings",
        "Staged": "staging",
        "StoredCheckpoint": "stored",
        "Survey": "surveyed",
        "TreeMeta": "meta",
        "TreeState": "tree_state",
        "UsualModes": "meta",
        "compare_states": "tree_state",
        "compare_with_former": "tree_state",
        "entries_at": "tree_listing",
        "find_entry": "tree_listing",
        "find_file": "tree_listing",
        "is_worktree": "survey",
        "keep_within": "budget",
        "list_entries": "tree_listing",
        "list_tree": "tree_listing",
        "matching_rules": "ignored",
        "patching": "compare",
        "patterns_for": "clone_excludes",
        "stage": "staging",
        "with_lines": "line_counts",
    },
)
