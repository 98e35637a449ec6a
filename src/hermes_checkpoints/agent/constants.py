"""The constants that hosts know from earlier storage layers, by the names that they import.

Two of them are places. They follow HERMES_HOME, so they are looked up each time they are asked
for, where the originals fixed them when they were imported.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from hermes_checkpoints.layout import Layout

if TYPE_CHECKING:
    CHECKPOINT_BASE: Path
    DEFAULT_CHECKPOINTS_DIR: Path
    DEFAULT_EXCLUDES: list[str]
    DEFAULT_GC_MAX_AGE_DAYS: int


def __getattr__(name: str) -> object:
    if name in {"CHECKPOINT_BASE", "DEFAULT_CHECKPOINTS_DIR"}:  # sessions lie there, too
        return Layout.of().base
    if name == "DEFAULT_EXCLUDES":
        from hermes_checkpoints.object_store.rules import BUILT_IN_EXCLUDES

        return [pattern for group in BUILT_IN_EXCLUDES.values() for pattern in group]
    if name == "DEFAULT_GC_MAX_AGE_DAYS":
        from hermes_checkpoints.model import GC_MAX_AGE_DAYS

        return GC_MAX_AGE_DAYS
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
