"""Opens a catalog in the way that is the cheapest for what it is wanted for."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from hermes_checkpoints.config import git_timeout
from hermes_checkpoints.errors import SqliteTooOld
from hermes_checkpoints.fs import forks

if TYPE_CHECKING:
    from hermes_checkpoints.catalog import Catalog, Collect


def open_catalog(
    path: Path,
    lock: Path,
    *,
    collect: Collect | None = None,
    expected: Callable[[], bool] | None = None,
    directly: bool = False,
) -> Catalog:
    """Open a catalog as ``Catalog.open`` does. With ``directly`` it is asked without SQLAlchemy
    where it is as usual, or there is none, for as long as that answers.

    Raises:
        CheckpointError: as ``Catalog.open``, now or when it is needed.
    """

    def whole() -> Catalog:
        with forks.undivided():  # a child would wait for ever for what is being loaded
            from hermes_checkpoints.catalog import Catalog

            return Catalog.open(path, lock, collect=collect, expected=expected)

    if not directly:
        return whole()
    from hermes_checkpoints.catalog.direct.looking import look_into

    if not path.exists():
        _found(path, lock, collect)
    return look_into(path, whole) or whole()


def _found(path: Path, lock: Path, collect: Collect | None) -> None:
    """Make a new catalog, where no revision has to run for it. What goes wrong is left to the whole
    catalog, which says what it is.

    Raises:
        LockHeld: when another process goes on preparing it.
    """
    from hermes_checkpoints.catalog import founding, sqlite
    from hermes_checkpoints.catalog.direct.statements import APPLICATION_ID
    from hermes_checkpoints.fs.locks import exclusive

    with (
        suppress(OSError, sqlite3.Error, SqliteTooOld),
        forks.undivided(),
        exclusive(lock, purpose="making the catalog", timeout=git_timeout()),
    ):
        sqlite.require_version()
        if not path.exists() and founding.needs_no_revision(path, collect):
            sqlite.create_private(path, APPLICATION_ID, founding.fill)
