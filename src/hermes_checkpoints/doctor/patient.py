"""The base that is looked at, as it lies there: nothing in it was opened, mended or locked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from hermes_checkpoints.catalog import Catalog
from hermes_checkpoints.errors import CheckpointError
from hermes_checkpoints.git import Git
from hermes_checkpoints.layout import Layout
from hermes_checkpoints.model.doctor import Finding


@dataclass(frozen=True)
class Patient:
    """What a check looks at. ``catalog`` is a copy that can only be read; where there is none,
    ``unread`` says why, and where that is None, too, there is no catalog; ``copy`` is the copy as
    it lay in the base, where that could be opened. ``git`` reads the objects
    of the store through a frame of its own in ``scratch``, so that neither a broken nor a foreign
    setting of the store counts and it has no refs; it is None where there is no store or no git.
    ``scratch`` is a temporary folder. ``deep`` says that every object is read."""

    layout: Layout
    catalog: Catalog | None
    git: Git | None
    scratch: Path
    now: datetime
    deep: bool = False
    unread: CheckpointError | None = None
    copy: Path | None = None


Check = Callable[[Patient], Iterator[Finding]]
"""Yields what one look found.

It raises CheckpointError or OSError where it could not look.
"""
