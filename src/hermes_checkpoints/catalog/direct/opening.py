"""Opens a catalog in the way that is the cheapest for what it is wanted for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from hermes_checkpoints.fs import forks

if TYPE_CHECKING:
    from hermes_checkpoints.catalog import Catalog, Collect


def open_catalog(
    path: Path,
    lock: Path,
    *,
    collect: Collect | None = None,
    expected: Callable[[], bool] | None = None,
    to_look: bool = False,
) -> Catalog:
    """Open a catalog as ``Catalog.open`` does. ``to_look`` says that little will be asked and
    hardly anything written: where it is as usual, SQLAlchemy is imported when it is needed.

    Raises:
        CheckpointError: as ``Catalog.open``, now or when it is needed.
    """

    def whole() -> Catalog:
        with forks.undivided():  # a child would wait for ever for what is being loaded
            from hermes_checkpoints.catalog import Catalog

            return Catalog.open(path, lock, collect=collect, expected=expected)

    if not to_look:
        return whole()
    from hermes_checkpoints.catalog.direct.looking import look_into

    return look_into(path, whole) or whole()
