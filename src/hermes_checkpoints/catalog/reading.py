"""Finds a way to read a catalog that cannot be written.

In the mode with a log, SQLite needs files beside the catalog, which it may not make there. Without
a log the catalog is complete and is read as it is. With one, its last changes are in the log:
they count, so both are copied to where SQLite can work, if it cannot read them in place.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from hermes_checkpoints.catalog import sqlite
from hermes_checkpoints.catalog.copying import copied
from hermes_checkpoints.catalog.failures import translated
from hermes_checkpoints.catalog.opening import is_current
from hermes_checkpoints.catalog.upgrading import Scripts
from hermes_checkpoints.errors import BaseUnwritable

_LOGS = ("-wal", "-journal")
_CLOSED = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM)


def find_readable(path: Path, folder: Path, scripts: Scripts, refusal: str) -> tuple[Path, str]:
    """Return the file to read and how to open it: the catalog itself, or a copy in ``folder``.

    Raises:
        BaseUnwritable: when it has an older revision, or cannot be read.
        CatalogNewer, CatalogDamaged, CatalogBusy.
    """
    sqlite.require_version()
    with translated(path):
        where, how = path, sqlite.READ_ONLY
        try:
            contents = _inspect(where, how)
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF not in _CLOSED:
                raise
            if any(map(_filled, _logs(path))):
                where, how = copied(path, folder), sqlite.READ_WRITE
            else:
                how = sqlite.FIXED
            contents = _inspect(where, how)
        if not is_current(contents, path, scripts):
            raise BaseUnwritable(
                f"the catalog {path} has revision {contents.revision or 'none'} and must be "
                f"upgraded to {scripts.head} before it can be read, but {refusal}"
            )
        return where, how


def _inspect(path: Path, how: str) -> sqlite.Contents:
    with closing(sqlite.connect(path, how=how)) as connection:
        return sqlite.inspect(connection)


def _logs(path: Path) -> list[Path]:
    return [path.with_name(path.name + ending) for ending in _LOGS]


def _filled(path: Path) -> bool:
    try:
        return path.stat().st_size > 0
    except FileNotFoundError:
        return False
