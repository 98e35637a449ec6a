"""Stands in for ``tools.checkpoint_pruning`` of the agent: the lock under which its programs work
on the checkpoint folder from outside, as its uninstaller does.

Its ``Pruner`` rewrites the history of a store of version 2, of which there is none here.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from hermes_checkpoints.errors import CheckpointError, LockHeld
from hermes_checkpoints.fs.locks import exclusive
from hermes_checkpoints.layout import Layout

__all__ = ["PruneError", "store_lock", "store_lock_path"]


class PruneError(RuntimeError):
    """The checkpoint folder is in use, or its lock cannot be had."""


def store_lock_path(base: str | os.PathLike[str]) -> Path:
    """Return the file that is locked for a checkpoint folder. It lies inside, so that whoever sees
    the folder sees its lock."""
    return Layout.of_base(base).store_lock


@contextlib.contextmanager
def store_lock(
    base: str | os.PathLike[str],
    *,
    repair_refs: bool = True,  # noqa: ARG001 - each opening looks after its refs by itself
) -> Iterator[None]:
    """Hold a checkpoint folder alone, which is made where there is none: no take, restore, prune or
    clear of any process runs meanwhile. It does not wait.

    Raises:
        PruneError: when the folder is in use, or cannot be made.
    """
    layout = Layout.of_base(base)
    with contextlib.ExitStack() as stack:
        try:
            layout.create_base()
            held = exclusive(layout.store_lock, purpose="work of the agent", timeout=0)
            stack.enter_context(held)
        except LockHeld as error:
            raise PruneError(f"checkpoint store is busy: {base}") from error
        except CheckpointError as error:
            raise PruneError(str(error)) from error
        yield
