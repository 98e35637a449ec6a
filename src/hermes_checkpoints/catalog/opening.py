"""Brings a catalog file to the expected revision before anything else uses it.

However many processes open it at once, and wherever one of them is killed, the file holds
either all tables of a revision or those of the one before: a new catalog gets its name when it is
whole, and an upgrade is one transaction, both under one lock. A catalog that needs nothing is
opened without the lock, and only one of an older revision with Alembic.
"""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from hermes_checkpoints.catalog import founding, schema, sqlite
from hermes_checkpoints.catalog.backups import sweep
from hermes_checkpoints.catalog.encoding import decode_path
from hermes_checkpoints.catalog.failures import damaged, translated, unwritable
from hermes_checkpoints.catalog.founding import Collect
from hermes_checkpoints.catalog.schema import APPLICATION_ID
from hermes_checkpoints.catalog.upgrading import Scripts, upgrade
from hermes_checkpoints.config import git_timeout
from hermes_checkpoints.errors import CatalogNewer, LockHeld
from hermes_checkpoints.fs import forks
from hermes_checkpoints.fs.locks import exclusive


class Prepared(NamedTuple):
    """A connection to a catalog that is at the expected revision, for whoever goes on with it, and
    device and inode of the file as they were before it was opened."""

    connection: sqlite3.Connection
    file: tuple[int, int]


def prepare(
    path: Path,
    lock: Path,
    *,
    scripts: Scripts,
    busy_timeout: float = sqlite.BUSY_TIMEOUT,
    collect: Collect | None = None,
    expected: Callable[[], bool] | None = None,
) -> Prepared:
    """Create or upgrade the catalog at ``path`` as needed; the caller closes the connection to it.

    ``collect`` is called before an upgrade, outside of its transaction. ``expected`` tells whether
    checkpoints exist that a catalog must have listed: an empty file is no new catalog then.

    Raises:
        CatalogNewer: when a newer version of this package wrote it.
        CatalogDamaged: when it is no catalog, or lacks a table.
        CatalogBusy, LockHeld: when another process keeps it locked for too long.
        BaseUnwritable, NoSpace: when it cannot be written.
        SqliteTooOld: before anything is created.
    """
    sqlite.require_version()
    with translated(path), forks.undivided():
        _require_not_emptied(path, expected)
        if not path.exists():
            with exclusive(lock, purpose="making the catalog", timeout=git_timeout()):
                _create_locked(path, scripts, collect)
        if not stat.S_ISREG(path.stat().st_mode):
            raise damaged(path, "it is not a regular file")
        if not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)):
            raise unwritable(path, "permission denied")
        file = sqlite.identity_of(path)  # before: a file that comes afterwards is then another one
        connection = sqlite.connect(path, busy_timeout=busy_timeout)
        try:
            contents = sqlite.inspect(connection)
            current = is_current(contents, path, scripts)
            if not current or contents.journal_mode != sqlite.wanted_journal_mode(path):
                try:
                    with exclusive(lock, purpose="preparing the catalog", timeout=git_timeout()):
                        _prepare_locked(connection, path, scripts, busy_timeout, collect)
                except LockHeld:
                    if not current:
                        raise
                    # Only the journal mode is not as wanted; the catalog works as it is.
        except BaseException:
            connection.close()
            raise
        return Prepared(connection, file)


def _require_not_emptied(path: Path, expected: Callable[[], bool] | None) -> None:
    """Refuse a file of zero bytes that held a catalog; SQLite would take it for a new one."""
    if expected is None or not path.exists() or path.stat().st_size or not expected():
        return
    raise damaged(
        path,
        "it is empty, although the object store beside it has checkpoints: pins, later labels and "
        "session checkpoints were in it, so put a backup of it back if there is one",
    )


def _create_locked(path: Path, scripts: Scripts, collect: Collect | None) -> None:
    """Create the catalog, if nobody has meanwhile: whole where no revision must run."""
    if path.exists():
        return
    whole = scripts.make_tables and founding.needs_no_revision(path, collect)
    sqlite.create_private(path, APPLICATION_ID, founding.fill if whole else None)


def _no_revision_needed(path: Path, scripts: Scripts) -> bool:
    return scripts.make_tables and not founding.reads_what_is_beside(path)


def _prepare_locked(
    connection: sqlite3.Connection,
    path: Path,
    scripts: Scripts,
    busy_timeout: float,
    collect: Collect | None,
) -> None:
    sweep(path)
    if path.stat().st_size == 0:
        sqlite.found(connection, APPLICATION_ID)
    sqlite.switch_journal_mode(connection, path)
    contents = sqlite.inspect(connection)
    if is_current(contents, path, scripts):
        return
    documents: Sequence[Mapping[str, object]] = ()
    if collect is not None:
        paths = map(decode_path, sqlite.imported_paths(connection, contents))
        documents = collect(contents.revision, frozenset(paths))
    if contents.revision is None and not documents and _no_revision_needed(path, scripts):
        founding.fill(connection)
    else:
        upgrade(path, contents.revision, scripts, busy_timeout=busy_timeout, documents=documents)
    if not is_current(sqlite.inspect(connection), path, scripts):
        raise damaged(path, f"it did not reach revision {scripts.head}")
    sweep(path)
    if sqlite.can_give_back(connection):
        sqlite.give_back_pages(connection)
    else:
        sqlite.write_anew(connection, path)  # where that fails, the next prune tries again


def require_known(revision: str, path: Path, scripts: Scripts) -> None:
    """Refuse a catalog of a newer version.

    Raises:
        CatalogNewer: when ``revision`` is none of ``scripts``.
    """
    if revision not in scripts.revisions:
        raise CatalogNewer(
            f"the catalog {path} has revision {revision}, but this version knows "
            f"revisions up to {scripts.head}; upgrade the package hermes-checkpoints"
        )


def _require_own_schema(contents: sqlite.Contents, path: Path) -> None:
    """Refuse a catalog that does more than its tables and views say. No revision of this program
    makes a trigger: one would change, or leave out, what a take or a prune writes down.

    Raises:
        CatalogDamaged: with what that is.
    """
    if contents.triggers:
        name = min(contents.triggers)
        raise damaged(
            path, f"it has the trigger or virtual table {name!r}, which this program never makes"
        )
    turned = (contents.views & schema.TABLES) | ((contents.names - contents.views) & schema.VIEWS)
    if turned:
        raise damaged(path, f"{min(turned)} is a view in place of a table, or a table for a view")


def is_current(contents: sqlite.Contents, path: Path, scripts: Scripts) -> bool:
    """Return False when an upgrade is needed.

    Raises:
        CatalogNewer, CatalogDamaged: when none can help.
    """
    if contents.application_id not in (0, APPLICATION_ID):
        owner = f"application id {contents.application_id:#x}"
        raise damaged(path, f"it is the database of another program, {owner}")
    _require_own_schema(contents, path)
    if contents.revision is None:
        foreign = contents.names - {sqlite.REVISION_TABLE}
        if foreign:
            raise damaged(path, f"it holds {min(foreign)} but names no revision")
        return False
    require_known(contents.revision, path, scripts)
    if contents.revision != scripts.head:
        return False
    missing = scripts.expected - contents.names
    if missing:
        raise damaged(path, f"it lacks {', '.join(sorted(missing))}")
    return True
