"""Turns every failure of SQLite and SQLAlchemy into this package's error tree.

This is the only place that looks at database errors; outside the catalog nobody can tell which
database it uses. A message always says what a person can do, and never to delete the catalog.
"""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from hermes_checkpoints.errors import (
    PROGRAM,
    BaseUnwritable,
    CatalogBusy,
    CatalogDamaged,
    CheckpointError,
    NoSpace,
)

_FULL = frozenset(
    getattr(errno, name) for name in ("ENOSPC", "EDQUOT", "EFBIG") if hasattr(errno, name)
)


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Run a block that uses the catalog at ``path``; raise its failures as ``CheckpointError``.

    Raises:
        CatalogBusy, CatalogDamaged, BaseUnwritable, NoSpace: as their names say.
        CheckpointError: for any other failure of the database.
    """
    try:
        yield
    except DBAPIError as error:
        cause = error.orig
        if isinstance(cause, sqlite3.Error):
            raise of_sqlite(cause, path) from error
        raise CheckpointError(f"the catalog {path} failed: {cause or error}") from error
    except sqlite3.Error as error:
        raise of_sqlite(error, path) from error
    except SQLAlchemyError as error:
        raise CheckpointError(f"the catalog {path} failed: {error}") from error
    except OSError as error:
        raise of_system(error, path) from error


def of_sqlite(error: sqlite3.Error, path: Path) -> CheckpointError:
    """Return the error of this package that a SQLite error means."""
    code = getattr(error, "sqlite_errorcode", None)
    primary = sqlite3.SQLITE_ERROR if code is None else code & 0xFF
    if primary in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL):
        return CatalogBusy(
            f"the catalog {path} is locked by another process ({error}); "
            "try again once the other one has finished"
        )
    if primary == sqlite3.SQLITE_FULL:
        return _no_space(path, str(error))
    if primary in (
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_AUTH,
        sqlite3.SQLITE_NOLFS,
    ):
        return unwritable(path, str(error))
    if primary == sqlite3.SQLITE_IOERR:
        if _is_full(path):
            return _no_space(path, str(error))
        return CatalogDamaged(
            f"the catalog {path} cannot be read or written ({error}); check the disk, and if it "
            f"is sound, {remedy(path)}"
        )
    if primary in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT):
        return damaged(path, str(error))
    if primary == sqlite3.SQLITE_ERROR and str(error).startswith(("no such", "malformed")):
        return damaged(path, str(error))
    return CheckpointError(f"the catalog {path} refused a statement: {error}")


def of_system(error: OSError, path: Path) -> CheckpointError:
    """Return the error of this package that an error of the operating system means."""
    reason = error.strerror or str(error)
    if error.errno in _FULL:
        return _no_space(path, reason)
    return unwritable(path, reason)


def damaged(path: Path, reason: str) -> CatalogDamaged:
    return CatalogDamaged(f"the catalog {path} is damaged ({reason}); {remedy(path)}")


def unwritable(path: Path, reason: str) -> BaseUnwritable:
    return BaseUnwritable(
        f"the catalog {path} cannot be opened or written ({reason}); make the file and its "
        "folder writable for this user, or choose another home with --home or HERMES_HOME"
    )


def remedy(path: Path) -> str:
    return (
        f"`{PROGRAM} doctor --repair` puts what can be read of it and of the object store "
        f"into a new one, and keeps this one; or move {path.name} and, where they exist, "
        f"{path.name}-wal and {path.name}-shm to another folder: the next start builds a new "
        "catalog from the object store, without later labels, pins and session checkpoints"
    )


def _no_space(path: Path, reason: str) -> NoSpace:
    return NoSpace(f"no space is left for the catalog {path} ({reason}); free some and try again")


def _is_full(path: Path) -> bool:
    try:
        return os.statvfs(path.parent).f_bavail == 0
    except (OSError, AttributeError):  # Windows has no statvfs
        return False
